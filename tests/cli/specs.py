"""The shipped experiments: valid by the schema, and the program runs them."""

import json
import re
import unittest

from support import COLUMNS, ROOT, SANITIZED, ProgramTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = ROOT / "experiments"
SPECS = sorted((FOLDER / "specs").glob("*.json"))
UNDER_LOAD = sorted((FOLDER / "specs/under-load").glob("*.json"))


class ShippedSpecs(ProgramTest):
    def test_there_are_some(self):
        self.assertIn("wang-2022-fig8-9.json", [path.name for path in SPECS])

    def test_each_runs(self):
        for path in SPECS:
            with self.subTest(path.name):
                self.succeeds("sweep", path, "--trials", "10", "--out", path.stem, "--no-figures", "--quiet")
                table, document = self.results(path.stem)
                self.assertEqual(",".join(table[0]), COLUMNS)
                self.assertEqual(document["name"], path.stem, "an experiment bears the name of its file")
                self.assertEqual(len(table), sum(len(sweep["fault_rate"]) * len(sweep["routers"]) for sweep in document["sweeps"]))

    def test_each_says_what_it_is(self):
        for path in SPECS:
            with self.subTest(path.name):
                self.assertLessEqual({"name", "title", "trials", "seed"}, set(json.loads(path.read_text())))

    def test_the_figures_8_and_9_of_the_wang_thesis_are_as_asked_for(self):
        spec = json.loads((FOLDER / "specs/wang-2022-fig8-9.json").read_text())
        plain = ["shortest", "gns", "gdl", "three-turn", "gns+gdl", "three-turn+gdl", "gns+x-turns", "gns+x-turns+gdl", "gns+three-turn", "gns+three-turn+gdl",
                 "gns+three-turn+x-turns+gdl"]
        adaptive = ["adaptive-up"] + [f"adaptive-up+{name}" for name in plain[1:]]
        self.assertEqual((spec["topology"], spec["trials"], set(spec["routers"])), ("mikant:k=3,n=3", 100000, set(plain + adaptive + ["limit"])))
        self.assertEqual({figure["name"] for figure in spec["figures"]} & {"success-ratio", "path-length"}, {"success-ratio", "path-length"})
        for figure in spec["figures"]:
            self.assertLessEqual(set(plain) if "adaptive" not in figure["name"] else set(adaptive), set(figure["routers"]))
            self.assertIn("limit", figure["routers"])

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_each_is_valid_by_the_schema(self):
        schema = json.loads((FOLDER / "experiment.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for path in SPECS:
            with self.subTest(path.name):
                jsonschema.Draft202012Validator(schema).validate(json.loads(path.read_text()))


class ShippedSpecsUnderLoad(ProgramTest):
    def test_each_is_valid_and_says_what_it_is(self):
        self.assertIn("mikant-2018-fig9-12.json", [path.name for path in UNDER_LOAD])
        schema = json.loads((FOLDER / "simulation.schema.json").read_text())
        if jsonschema:
            jsonschema.Draft202012Validator.check_schema(schema)
        for path in UNDER_LOAD:
            with self.subTest(path.name):
                spec = json.loads(path.read_text())
                self.assertLessEqual({"name", "title", "source", "preset", "seed", "curves", "figures"}, set(spec))
                self.assertEqual(spec["name"], path.stem)
                if jsonschema:
                    jsonschema.Draft202012Validator(schema).validate(spec)

    def test_each_can_be_bound(self):
        """The folder is looked at last: a spec that gets as far has no mistake in its names and numbers."""
        for path in UNDER_LOAD:
            with self.subTest(path.name):
                if SANITIZED and "65536 nodes" in path.read_text():
                    continue  # up to 15 such networks
                self.is_refused(["simulate", path, "--no-figures"], "--no-figures needs --out")

    def test_the_schema_has_every_option(self):
        """An option of `simulate` that is not of the run as a whole is a key of a curve."""
        text = self.succeeds("simulate", "--help").out
        names = set(re.findall(r"^  --([a-z0-9-]+) ", text, re.M)) - {"workload", "flit-bytes", "placement", "find-saturation", "threads", "out", "json", "no-figures", "log-y", "force", "resume",
                                                                      "quiet", "help", "plugin"}
        schema = json.loads((FOLDER / "simulation.schema.json").read_text())["properties"]
        self.assertEqual({name.replace("-", "_") for name in names} - set(schema), set())
        self.assertLessEqual(set(schema["curves"]["items"]["properties"]) - {"label"}, set(schema))


if __name__ == "__main__":
    unittest.main()
