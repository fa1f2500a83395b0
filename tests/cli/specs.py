"""The shipped experiments: valid by the schema, and the program runs them."""

import json
import re
import unittest

from support import FULL, COLUMNS, ROOT, SANITIZED, ProgramTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = ROOT / "experiments"
SPECS = sorted((FOLDER / "specs").glob("*.json"))
UNDER_LOAD = sorted((FOLDER / "specs/under-load").glob("*.json"))
MAKESPANS = sorted((FOLDER / "makespans").glob("*.json"))


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
        self.assertEqual([set(figure["routers"]) for figure in spec["figures"] if figure.get("reference") == "shortest"], [set(plain[1:])])
        for figure in spec["figures"]:
            if "reference" in figure:
                continue
            self.assertLessEqual(set(plain) if "adaptive" not in figure["name"] else set(adaptive), set(figure["routers"]))
            self.assertIn("limit", figure["routers"])

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_each_is_valid_by_the_schema(self):
        schema = json.loads((FOLDER / "experiment.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for path in SPECS:
            with self.subTest(path.name):
                jsonschema.Draft202012Validator(schema).validate(json.loads(path.read_text()))


class SpecTest(ProgramTest):
    def check_specs(self, paths, schema, keys):
        """Each is valid by the schema, has the keys, and is named as its file."""
        schema = json.loads((FOLDER / schema).read_text())
        if jsonschema:
            jsonschema.Draft202012Validator.check_schema(schema)
        for path in paths:
            with self.subTest(path.name):
                spec = json.loads(path.read_text())
                self.assertLessEqual(keys, set(spec))
                self.assertEqual(spec["name"], path.stem)
                if jsonschema:
                    jsonschema.Draft202012Validator(schema).validate(spec)


class ShippedSpecsUnderLoad(SpecTest):
    def test_each_is_valid_and_says_what_it_is(self):
        self.assertIn("mikant-2018-fig9-12.json", [path.name for path in UNDER_LOAD])
        self.check_specs(UNDER_LOAD, "simulation.schema.json", {"name", "title", "source", "preset", "seed", "curves", "figures"})

    def test_each_can_be_bound(self):
        """The folder is checked last: a spec that gets that far has no mistake in its names and numbers."""
        for path in UNDER_LOAD:
            with self.subTest(path.name):
                if (SANITIZED or not FULL) and "65536 nodes" in path.read_text():
                    continue  # up to 15 such networks: seconds
                self.is_refused(["simulate", path, "--no-figures"], "--no-figures needs --out")

    def test_the_schema_has_every_option(self):
        """An option of `simulate` that does not apply to the complete run is a key of a curve."""
        text = self.succeeds("simulate", "--help").out
        names = set(re.findall(r"^  --([a-z0-9-]+) ", text, re.M)) - {"workload", "flit-bytes", "placement", "find-saturation", "threads", "out", "json", "no-figures", "log-y", "force", "resume", "spec",
                                                                      "quiet", "help", "plugin"}
        schema = json.loads((FOLDER / "simulation.schema.json").read_text())["properties"]
        self.assertEqual({name.replace("-", "_") for name in names} - set(schema), set())
        self.assertLessEqual(set(schema["curves"]["items"]["properties"]) - {"label"}, set(schema))


class ShippedMakespans(SpecTest):
    def test_each_is_valid_and_says_what_it_is(self):
        self.assertIn("thin-trees.json", [path.name for path in MAKESPANS])
        self.check_specs(MAKESPANS, "makespan.schema.json", {"name", "title", "source", "preset"})

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_the_schema_and_the_program_refuse_the_same(self):
        """Except for names, and numbers that depend on other keys, which only the program knows. An existing folder is checked
        last: a spec that gets that far is accepted."""
        validator = jsonschema.Draft202012Validator(json.loads((FOLDER / "makespan.schema.json").read_text()))
        good = {"name": "x", "title": "x", "source": "x", "preset": "thintree", "placement": "numbers", "router": "minimal-adaptive", "cycles": 1000,
                "seed": 3, "runs": 2, "networks": [{"topology": "kary-ntree:k=2,n=2", "router": "d-mod-k", "label": "x"}], "workloads": ["BI"],
                "published": {"performance": [1], "cost_linear": [0.5]}}
        self.path("taken", "")
        values = [None, True, False, -1, 0, 1, 1.5, 1001, 2e9, 2e9 + 1, 2**53 - 1, 2**53, "", "numbers", [], [0], [""], [None], [[]], ["BI"] * 65, {}, [{}],
                  [{"topology": ""}], {"x": 1}, {"performance": []}, {"performance": ["1"]}, {"performance": 1}]
        variants = [good, *({**good, key: value} for key in [*good, "x"] for value in values)]
        variants += [{other: good[other] for other in good if other != key} for key in good]
        variants += [{**good, "networks": [{**good["networks"][0], key: value}]} for key in ("topology", "router", "label", "x") for value in values]
        only_the_program_knows = "unknown|is missing a value|has no 'router'|one a network|workload|process|have this seed and those that follow"
        refused = 0
        for spec in variants:
            error = self.is_refused(["makespan", self.path("spec.json", json.dumps(spec)), "--out", "taken"], "").err
            valid, taken = validator.is_valid(spec), "taken" in error
            refused += not valid
            with self.subTest(json.dumps(spec)[:500]):
                self.assertFalse(taken and not valid, "the program takes what the schema refuses")
                if valid and not taken:
                    self.assertRegex(error, only_the_program_knows)
        self.assertGreater(refused, 200)


if __name__ == "__main__":
    unittest.main()
