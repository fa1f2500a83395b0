"""Truncated, hostile and mistaken JSON specs: exit code 2, a message with the place and the mistake,
nothing on stdout, no file touched. What the published schema refuses, the program refuses too."""

import json
import resource
import shutil
import subprocess
import unittest

from support import HANG, ROOT, SANITIZED, ProgramTest, children_processor_seconds

try:
    import jsonschema
except ImportError:
    jsonschema = None

GOOD = {"name": "good", "title": "Good", "source": "a test", "topology": "mikant:k=3,n=3", "routers": ["shortest", "gns"], "faults": [0, 10],
        "fault_model": "links", "scope": "detour", "trials": 10, "seed": 1,
        "sweeps": [{}, {"topology": "mikant:k=2,n=3", "routers": ["shortest"], "faults": "0:2:1", "fault_model": "links", "scope": "local"}],
        "figures": [{"name": "ratio", "title": "Ratio", "quantity": "success_ratio", "log_y": False, "routers": ["shortest"]}]}


class SpecTest(ProgramTest):
    def text_is_refused(self, text, *words, **more):
        try:
            return self.is_refused(["sweep", self.path("spec.json", text), "--no-figures", "--out", "out"], *words, **more)
        finally:
            shutil.rmtree(self.folder / "out", ignore_errors=True)

    def spec_is_refused(self, changes, *words):
        """GOOD with keys replaced (without the keys that are None)."""
        spec = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
        return self.text_is_refused(json.dumps(spec), *words)


class Files(SpecTest):
    def test_the_good_spec_is_good(self):
        self.succeeds("sweep", self.path("spec.json", json.dumps(GOOD)))

    def test_a_spec_that_cannot_be_read(self):
        self.path("file", "")
        (self.folder / "folder").mkdir()
        for path in ["missing.json", "folder", "file/spec.json", "", "x" * 300 + ".json"]:
            with self.subTest(path[:40]):
                self.is_refused(["sweep", path, "--out", "out"], f"'{path}'")

    def test_a_spec_that_is_too_large(self):
        self.text_is_refused(b" " * (17 << 20), "larger than")
        self.is_refused(["sweep", "/dev/zero"], "/dev/zero", "no regular file")

    def test_no_text_at_all(self):
        for text in ["", " ", "\n\n"]:
            with self.subTest(repr(text)):
                self.text_is_refused(text, "spec.json", "ends too early")
        self.is_refused(["sweep", "/dev/null"], "no regular file")

    def test_every_truncation(self):
        text = json.dumps({key: GOOD[key] for key in ("topology", "routers", "faults", "figures")})
        for length in range(len(text)):
            self.text_is_refused(text[:length], "spec.json", "line 1, column")


class Texts(SpecTest):
    def test_what_is_not_json(self):
        for text in ["xyzzy", "{topology: 1}", "{'topology': 'x'}", '{"trials": 10,}', '{"trials" 10}', '{"trials": 10} {}', '{"trials": 10}}',
                     '{"trials": NaN}', '{"trials": Infinity}', '{"trials": -Infinity}', '{"trials": 0x10}', '{"trials": .5}', '{"trials": +5}',
                     '{"trials": 1e}', '{"trials": --1}', '{"trials": tru}', '{"title": "\\x41"}', '{"title": "\\u12"}', '{"title": "\\ud800"}',
                     "// a comment\n{}", '{"trials": 10 /* ten */}', "[1,]", '{"a":1 "b":2}', '{1: 2}', "\x00", "{}\x00", "\x7fELF"]:
            with self.subTest(text):
                self.text_is_refused(text, "spec.json", "line ", "column ")

    def test_what_lenient_readers_take(self):
        for shown in ["010", "-010", "10.", "10.e0"]:
            with self.subTest(shown):
                self.text_is_refused(json.dumps({**GOOD, "trials": "TRIALS"}).replace('"TRIALS"', shown))
        for raw in ["\n", "\t", "\x1b", "\x01"]:
            with self.subTest(raw):
                self.text_is_refused(json.dumps({**GOOD, "title": "TITLE"}).replace("TITLE", f"a{raw}b"))

    def test_line_and_column(self):
        self.text_is_refused('{\n  "trials": 10,\n  "seed" 1\n}\n', "line 3, column 10")

    def test_bytes_that_are_not_utf8(self):
        for number, bad in enumerate([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80", b"\xf8\x88\x80\x80\x80"]):
            with self.subTest(bad):
                self.text_is_refused(b'{"title": "' + bad + b'"}', "UTF-8")
                self.text_is_refused(b'{"' + bad + b'": 1}', "UTF-8")
        self.text_is_refused(json.dumps(GOOD).encode("utf-16"), "UTF-8")

    def test_nul_bytes(self):
        text = json.dumps(GOOD)
        for at in (0, 1, len(text) // 2, len(text)):
            with self.subTest(at):
                self.text_is_refused(text[:at] + "\0" + text[at:], "line 1, column")

    def test_escaped_nuls_do_not_hide_the_rest(self):
        for key, value in [("topology", "mikant:k=3,n=3\0,m=1"), ("title", "\0"), ("scope", "local\0e"), ("routers", ["shortest\0+gns"])]:
            with self.subTest(key):
                self.spec_is_refused({key: value})
        self.spec_is_refused({"scope\0x": "local", "scope": None})

    def test_deep_nesting(self):
        for deep in ["[" * 100000, '{"a":' * 100000, '[{"a":' * 50000, '{"sweeps":' + "[" * 70 + "]" * 70 + "}", "[" * 5000000]:
            with self.subTest(deep[:20]):
                self.text_is_refused(deep, "nested", "64")

    def test_top_level_values_that_are_no_object(self):
        for text in ["[]", "1", "null", "true", '"sweep"', "[{}]"]:
            with self.subTest(text):
                self.text_is_refused(text, "object")


class Keys(SpecTest):
    def test_duplicates(self):
        for text in ['{"trials": 1, "trials": 1}', '{"trials": 1, "seed": 2, "trials": 3}', '{"trials": 1, "\\u0074rials": 1}',
                     '{"sweeps": [{"trials": 1, "trials": 1}]}', '{"figures": [{"name": "a", "trials": 1, "trials": 1}]}',
                     '{"x": {"y": [[{"trials": {}, "trials": []}]]}}']:
            with self.subTest(text):
                self.text_is_refused(text, "'trials'", "twice")

    def test_duplicates_are_refused_even_where_an_option_replaces_them(self):
        path = self.path("spec.json", '{"trials": 1, "trials": 2}')
        self.is_refused(["sweep", path, "--trials", "5"], "'trials'", "twice")

    def test_misspelt_keys_name_the_nearest(self):
        for wrong, right in [("trails", "trials"), ("topolgy", "topology"), ("router", "routers"), ("fault-rate", "fault_rate"), ("Seed", "seed"),
                             ("faultmodel", "fault_model"), ("sweep", "sweeps"), ("figure", "figures"), ("titel", "title")]:
            with self.subTest(wrong):
                self.spec_is_refused({wrong: 1}, f"'{wrong}'", f"'{right}'")
        self.spec_is_refused({"sweeps": [{"topolgy": "x"}]}, "sweep 1", "'topolgy'", "'topology'")
        self.spec_is_refused({"figures": [GOOD["figures"][0], {"quantitty": "x"}]}, "figure 2", "'quantitty'", "'quantity'")

    def test_keys_of_another_place(self):
        self.spec_is_refused({"sweeps": [{"trials": 5}]}, "sweep 1", "'trials'", "topology")
        self.spec_is_refused({"quantity": "success_ratio"}, "'quantity'", "topology")
        self.spec_is_refused({"figures": [{"scope": "local"}]}, "figure 1", "'scope'", "quantity")

    def test_other_keys_list_the_valid_ones(self):
        for wrong in ["xyzzy", "", "x" * 5000, "comment"]:
            with self.subTest(wrong[:20]):
                self.spec_is_refused({wrong: 1}, f"'{wrong[:100]}'", "topology, routers")

    def test_messages_carry_no_control_characters(self):
        for changes in [{"\x1b[2J\x07": 1}, {"topology": "\x1b[2Jnet"}, {"routers": ["\x1b[2J"]}, {"scope": "\x1b[2J"}, {"fault_model": "\r\x1b[2J"}]:
            with self.subTest(changes):
                outcome = self.spec_is_refused(changes)
                self.assertNotRegex(outcome.err, "[\x00-\x09\x0b-\x1f]")

    def test_messages_are_utf8_even_when_they_quote_a_part(self):
        path = self.path("spec.json", json.dumps({"x" + "é" * 200: 1}, ensure_ascii=False))
        self.assertNotIn("\ufffd", self.run_program("sweep", path).err)


class Values(SpecTest):
    def test_wrong_types(self):
        text, names = [None, True, 0, 1.5, [], {}, ""], [None, True, 1, [], {}, [1], [None], [["shortest"]], [{}]]
        number, objects = [None, True, "1", "", [], {}, [1]], [None, True, 1, "x", {}, [], [1], [None], [[]], ["x"]]
        axis = [None, True, {}, [], "", [None], ["1"], [[1]], [True], [{}]]
        wrong = {"name": text, "title": text, "source": text, "topology": text, "fault_model": text, "scope": text, "routers": names,
                 "trials": number, "seed": number, "faults": axis, "sweeps": objects, "figures": objects}
        for key, values in wrong.items():
            for value in values:
                with self.subTest(key=key, value=value):
                    self.text_is_refused(json.dumps({**GOOD, key: value}), key.rstrip("s"))
        for value in axis:
            with self.subTest(key="fault_rate", value=value):
                self.text_is_refused(json.dumps({"topology": "mikant:k=3,n=3", "routers": ["gns"], "fault_rate": value}), "fault_rate")

    def test_wrong_types_in_sweeps_and_figures(self):
        for key in ["topology", "fault_model", "scope", "routers", "faults", "fault_rate"]:
            with self.subTest(key):
                self.spec_is_refused({"sweeps": [{key: {}}]}, "sweep 1" if key != "scope" else "", key)
        for key in ["name", "title", "quantity", "log_y", "routers"]:
            with self.subTest(key):
                self.spec_is_refused({"figures": [{**GOOD["figures"][0], key: 7}]}, "figure 1", key)

    def test_numbers(self):
        for key in ["trials", "seed"]:
            for shown in ["-1", "1.5", "9007199254740994", "1e999", "-1e999", "1e300"]:
                with self.subTest(key=key, value=shown):
                    text = json.dumps({**GOOD, key: "NUMBER"}).replace('"NUMBER"', shown)
                    self.text_is_refused(text, key, "whole number")
        self.spec_is_refused({"trials": 0}, "'trials' 0")

    def test_fault_numbers(self):
        for shown, word in [("[1e999]", ""), ("[-1]", "-1"), ("[1.5]", "1.5"), ("[3,1]", "rise"), ("[1,1]", "rise"), ("[136]", "136"), ("-1", "-1"),
                            ("[0,1e300]", ""), ('"0:1e9:1"', "1e9"), ('"0:0:0"', "step"), ('"1,x"', "'x'")]:
            with self.subTest(shown):
                text = json.dumps({**GOOD, "faults": "AXIS", "sweeps": [{}]}).replace('"AXIS"', shown)
                self.text_is_refused(text, word)

    def test_rates(self):
        for shown, word in [("[1.5]", "1.5"), ("[-0.1]", "'-0.1'"), ("[1.1]", "'1.1'"), ("1.5", "1.5"), ("[1e999]", ""), ('"0:2:1"', "'2'"), ("[0.5,0.1]", "rise")]:
            with self.subTest(shown):
                text = json.dumps({**GOOD, "faults": None, "sweeps": [{"fault_rate": "AXIS"}]}).replace('"faults": null, ', "")
                self.text_is_refused(text.replace('"AXIS"', shown), word)

    def test_both_axes(self):
        self.spec_is_refused({"fault_rate": 0}, "'faults'", "'fault_rate'", "not both")
        self.spec_is_refused({"sweeps": [{"faults": 0, "fault_rate": 0}]}, "sweep 1", "'faults'", "'fault_rate'", "not both")

    def test_defaults_that_no_sweep_uses_are_checked_too(self):
        for wrong in [{"faults": -1}, {"faults": "x"}, {"topology": "mikan:k=3,n=3"}, {"routers": ["gsn"]}, {"fault_model": "lnks"}]:
            with self.subTest(wrong):
                self.spec_is_refused({"sweeps": GOOD["sweeps"][1:], **wrong})

    def test_names_of_files(self):
        for name in ["../escape", "/etc/passwd", "a/b", ".hidden", "..", "a\\b", "x" * 101]:
            with self.subTest(name):
                self.spec_is_refused({"name": name}, "'name'")
                self.spec_is_refused({"figures": [{**GOOD["figures"][0], "name": name}]}, "figure 1", "'name'")

    def test_figures(self):
        figure = GOOD["figures"][0]
        self.spec_is_refused({"figures": [{"name": "a"}]}, "figure 1", "'quantity'", "success_ratio", "mean_path_length")
        self.spec_is_refused({"figures": [{"quantity": "success_ratio"}]}, "figure 1", "'name'")
        self.spec_is_refused({"figures": [{**figure, "reference": "shortset"}]}, "figure 1", "'shortset'")
        self.spec_is_refused({"figures": [{**figure, "reference": 1}]}, "figure 1", "'reference'")
        self.spec_is_refused({"figures": [{**figure, "reference": "shortest"}]}, "figure 1", "'reference'", "beside another router")
        self.spec_is_refused({"figures": [{**figure, "quantity": "mean_path_length", "reference": "shortest"}]}, "figure 1", "'reference'")
        self.spec_is_refused({"figures": [{**figure, "log_y": True, "reference": "shortest"}]}, "figure 1", "'log_y'")
        self.spec_is_refused({"figures": [{**figure, "quantity": "latency"}]}, "figure 1", "'quantity'", "success_ratio", "mean_path_length")
        self.spec_is_refused({"figures": [{**figure, "routers": ["gdl"]}]}, "figure 1", "'gdl'")
        self.spec_is_refused({"figures": [figure, figure]}, "figure", "'ratio'")

    def test_nothing_to_sweep(self):
        self.text_is_refused("{}", "topology")
        self.text_is_refused('{"topology": "mikant:k=3,n=3"}', "routers")

    def test_messages_name_the_file_and_the_sweep(self):
        for wrong in [{"topology": "mikant:k=1,n=3"}, {"routers": ["gsn"]}, {"faults": 136}, {"fault_model": "lnks"}, {"scope": "locl"}]:
            with self.subTest(wrong):
                self.spec_is_refused({"sweeps": [{}] * 9 + [wrong]}, "spec.json", "sweep 10")


class Sizes(SpecTest):
    """Hostile sizes are refused within a few seconds of processor time, without using the machine's memory."""

    def check(self, spec, *words):
        before = children_processor_seconds()
        self.text_is_refused(spec if isinstance(spec, str) else json.dumps(spec), *words)
        self.assertLess(children_processor_seconds() - before, 120 if SANITIZED else 20)

    def test_long_lists(self):
        self.check({**GOOD, "routers": ["shortest"] * 1000000}, "routers", "64")
        self.check({**GOOD, "routers": ["r%d" % i for i in range(65)]}, "routers", "64")
        self.check({**GOOD, "sweeps": [{}] * 257}, "sweeps", "256")
        self.check({**GOOD, "sweeps": [{}] * 1000000}, "sweeps", "256")
        self.check({**GOOD, "figures": [{}] * 1000000}, "figures", "64")

    def test_long_axes(self):
        self.check({**GOOD, "faults": list(range(1000000))}, "faults")
        self.check({**GOOD, "faults": "0:1000000:1"}, "1000000")
        self.check({**GOOD, "faults": ",".join(map(str, range(1000000)))}, "faults")
        self.check('{"topology": "mikant:k=3,n=3", "routers": ["gns"], "fault_rate": "0:1:0.0000001"}', "0.0000001")

    def test_many_keys(self):
        self.check({"k%d" % i: 1 for i in range(100000)}, "unknown key 'k0'")

    def test_many_duplicates(self):
        self.check('{"a": 1' + ', "b": 1' * 1000000 + "}", "'b'", "twice")

    def test_long_texts(self):
        long = "x" * 5000000
        for key in ["topology", "scope", "fault_model", "name"]:
            with self.subTest(key):
                self.check({**GOOD, key: long})
        self.check({**GOOD, "routers": [long]})
        self.check('{"faults": ' + "9" * 5000000 + "}")

    @unittest.skipIf(SANITIZED, "sanitizers need more memory than the limit of this test")
    def test_more_memory_than_there_is(self):
        sweeps = [{"fault_rate": "0:1:0.000002"}] * 256
        spec = {"topology": "kary-ntree:k=1000,n=4", "routers": ["shortest"], "sweeps": sweeps}
        limit = 256 << 20
        path = self.path("spec.json", json.dumps(spec))
        outcome = self.run_program("sweep", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((outcome.code, outcome.out), (1, ""), outcome.err)
        self.assertIn("out of memory", outcome.err)


@unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
class Schema(SpecTest):
    """The published schema and the program on the same specs."""

    values = [None, True, False, -1, 0, 1, 1.0, 1.5, 2, 65, 1e300, 2**53, 2**53 + 2, "", "x", "0", "0:1:1", "local", "links", "mikant:k=3,n=3", "success_ratio",
              "shortest", "../x", "x" * 101, [], [0], [0, 1], [1.5], [-1], ["x"], ["shortest"], ["shortest"] * 65, [None], [[]], {}, [{}],
              [{"name": "a"}], [{"scope": "x"}], {"x": 1}]

    def setUp(self):
        super().setUp()
        schema = json.loads((ROOT / "experiments/experiment.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def variants(self):
        for key in GOOD:
            for value in self.values:
                yield {**GOOD, key: value}
            yield {other: GOOD[other] for other in GOOD if other != key}
        yield from ({**GOOD, "fault_rate": value} for value in self.values)
        yield from ({**{key: GOOD[key] for key in GOOD if key != "faults"}, "fault_rate": value} for value in self.values)
        yield from ({**GOOD, "x": 1}, {**GOOD, "": 1}, [], "x", 1, None)
        for place in ("sweeps", "figures"):
            good = GOOD[place][-1]
            for key in [*good, "x", "fault_rate"]:
                for value in self.values:
                    yield {**GOOD, place: [{**good, key: value}]}
            for key in good:
                yield {**GOOD, place: [{other: good[other] for other in good if other != key}]}

    def is_taken(self, spec):
        """Whether the program begins to work on it (a run with a huge number of trials is stopped)."""
        try:
            return self.run_program("sweep", self.path("spec.json", json.dumps(spec)), "--threads", "1", "--quiet", timeout=HANG).code == 0
        except subprocess.TimeoutExpired:
            return True

    def test_what_the_schema_refuses_the_program_refuses(self):
        refused = [spec for spec in self.variants() if not self.validator.is_valid(spec)]
        self.assertGreater(len(refused), 500)
        for spec in refused:
            self.assertFalse(self.is_taken(spec), f"the schema refuses this spec, the program does not: {json.dumps(spec)[:2000]}")


if __name__ == "__main__":
    unittest.main()
