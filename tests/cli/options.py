"""What the tables of options give: old spellings, one name for one thing, help texts, man pages, completion and schemas.

When a schema changes on purpose, look at the difference and store the new ones with
    python3 tests/cli/options.py --regenerate"""

import json
import re
import shutil
import subprocess
import sys
import unittest

from support import PROGRAM, ROOT, ProgramTest, read_csv, sweep_arguments

COMMANDS = ("sweep", "exact", "deadlock", "merge", "topology", "simulate", "makespan", "workload", "catalogue", "choose", "search", "layout", "trace", "draw", "export", "list",
            "new-router", "help")
SCHEMAS = ("experiment", "simulation", "makespan", "deadlock")
NET = "mikant:k=2,n=3"
SHORT = ["--steady", "--warmup", 50, "--cycles", 400, "--quiet"]


def schema_file(name):
    return ROOT / "experiments" / f"{name}.schema.json"


class OldSpellings(ProgramTest):
    def test_each_is_refused_with_the_new_one(self):
        for arguments, old, new in ((["sweep", NET, "--router", "gns"], "--router", "--routers"),
                                    (["exact", "--network", NET], "--network", "--topology"),
                                    (["simulate", NET, "--router", "gns"], "--router", "--routers"),
                                    (["simulate", NET, "--fault-class", "node-links"], "--fault-class", "--fault-model links:class=CLASS"),
                                    (["trace", NET, "--out", "x.svg"], "--out", "--picture"),
                                    (["draw", NET, "--out", "x.svg"], "--out", "--picture"),
                                    (["trace", NET, "--fault-seed", 3], "--fault-seed", "--seed"),
                                    (["deadlock", NET, "--fault-list", "3"], "--fault-list", "--fail"),
                                    (["deadlock", NET, "--fault-class", "node-links"], "--fault-class", "--fault-model links:class=CLASS"),
                                    (["deadlock", NET, "--vc-rule", "turns"], "--vc-rule", "--vc-assignment"),
                                    (["deadlock", NET, "--all-ways"], "--all-ways", "--all-candidates"),
                                    (["workload", "BU", "--processes", 8], "--processes", "--nodes"),
                                    (["new-router", "mine", "--dir", "x"], "--dir", "--out")):
            with self.subTest(arguments):
                self.is_refused(arguments, f"unknown option '{old}': it is '{new}' here")

    def test_keys_too(self):
        usual = {"topology": NET, "load": 0.1, "curves": [{"label": "a", "routers": "gns"}]}
        for keys, old, new in (({"router": "gns"}, "router", "routers"), ({"fault_rates": [0, 0.1]}, "fault_rates", "fault_rate"),
                               ({"fault_class": "node-links"}, "fault_class", "fault_model links:class=CLASS")):
            with self.subTest(old):
                self.is_refused(["simulate", self.path("spec.json", json.dumps({**usual, **keys}))], f"unknown key '{old}': it is '{new}' here")
        self.is_refused(["simulate", self.path("spec.json", json.dumps({**usual, "curves": [{"label": "a", "router": "gns"}]}))], "curve 1 (a)",
                        "unknown key 'router': it is 'routers' here")
        rule = {"topology": NET, "router": "gns", "faults": 0, "expect": "acyclic"}
        for key, new in (("vc_rule", "vc_assignment"), ("all_ways", "all_candidates"), ("fault_class", "fault_model")):
            self.is_refused(["deadlock", "--rules", self.path("rules.json", json.dumps({"rules": [{**rule, key: "x"}]}))], f"'{key}': it is '{new}")


class OneName(ProgramTest):
    def test_network_and_spec_by_option_or_not(self):
        usual = ["--routers", "shortest", "--faults", "0,3", "--trials", 50, "--threads", 1]
        spec = self.path("spec.json", json.dumps({"topology": NET, "routers": ["shortest"], "faults": [0, 3], "trials": 50}))
        expected = self.succeeds("sweep", "--topology", NET, *usual).out
        for arguments in ([NET, *usual], [*usual, NET], [spec], ["--spec", spec], [spec, NET]):
            self.assertEqual(self.succeeds("sweep", *arguments).out, expected)
        self.assertEqual(self.succeeds("topology", NET).out, self.succeeds("topology", "--topology", NET).out)
        self.is_refused(["sweep", NET, "--topology", NET], f"the network is '{NET}' already")
        self.is_refused(["sweep", spec, "--spec", spec], "the spec is")
        self.is_refused(["makespan"], "which spec?")

    def test_counts_with_an_exponent(self):
        one, other = (self.succeeds(*sweep_arguments(topology=NET, trials=trials, faults="1e0,2")).out for trials in ("1e3", "1000"))
        self.assertEqual(one, other.replace("1e0", "1"))
        self.assertEqual(self.succeeds(*sweep_arguments(topology=NET, trials="2.5e1")).out, self.succeeds(*sweep_arguments(topology=NET, trials=25)).out)
        for wrong in ("1.25e1", "1e-3", "e3", "1e", "-1e3", "1e99"):
            self.is_refused(sweep_arguments(trials=wrong), f"--trials {wrong}", "whole number")

    def test_plugins_in_every_spec(self):
        missing = {"plugins": [{"name": "not-there"}]}
        for command, spec in ((["sweep"], {"topology": NET, "routers": ["gns"]}), (["simulate"], {"topology": NET, "routers": ["gns"]}),
                              (["makespan"], {"name": "m", "networks": [NET], "router": "gns", "workloads": ["AA"]}),
                              (["deadlock", "--rules"], {"rules": [{"topology": NET, "router": "gns", "faults": 0, "expect": "acyclic"}]})):
            with self.subTest(command):
                self.is_refused([*command, self.path("spec.json", json.dumps({**spec, **missing}))], "'not-there' is needed", "--plugin")

    def test_json_of_every_command_that_prints(self):
        self.succeeds(*sweep_arguments(topology=NET), "--out", "out", "--no-figures")
        trace = ["trace", NET, "--router", "gns", "--from", 0, "--to", 1]
        for arguments in (sweep_arguments(topology=NET), ["exact", NET, "--routers", "shortest", "--faults", 1], ["merge", "out"], trace,
                          ["topology", NET], ["simulate", NET, "--routers", "shortest", "--load", 0.1, *SHORT], ["choose", "--nodes", 64],
                          ["deadlock", NET, "--routers", "shortest"], ["list"], ["list", "routers"], ["workload", "BU", "--nodes", 8],
                          ["catalogue", "--largest", 100, "--quiet"]):
            with self.subTest(arguments):
                json.loads(self.succeeds(*arguments, "--json").out)

    def test_lists_by_name(self):
        everything = self.succeeds("list").out
        for name, entry in (("networks", "mikant"), ("routers", "shortest"), ("rules", "gdl"), ("vc-assignments", "turns"), ("fault-models", "switches"),
                            ("presets", "kns2016"), ("traffic", "uniform"), ("workloads", "BU")):
            text = self.succeeds("list", name).out
            self.assertIn(f"  {entry}", text)
            self.assertIn(text, everything)
            self.assertIn(entry, json.dumps(json.loads(self.succeeds("list", name, "--json").out)[name.replace("-", "_")]))
        self.assertEqual(self.succeeds("list", "plugins").out.count("\n"), 1)


class SeveralRouters(ProgramTest):
    def rows(self, *more):
        return read_csv(self.succeeds("simulate", NET, *more, *SHORT).out)

    def test_each_is_a_curve(self):
        both = self.rows("--routers", "shortest,gns@phase:3", "--load", "0.1,0.2")
        self.assertEqual([(row["curve"], row["load"]) for row in both], [(r, load) for r in ("shortest", "gns@phase:3") for load in ("0.1", "0.2")])
        for router in ("shortest", "gns@phase:3"):
            alone = self.rows("--routers", router, "--load", "0.1,0.2")
            self.assertEqual([{key: row[key] for key in alone[0]} for row in both if row["curve"] == router], alone)

    def test_a_spec_without_curves_has_one_of_each_router(self):
        spec = self.path("spec.json", json.dumps({"topology": NET, "routers": ["shortest", "gns@phase:3"], "load": [0.1, 0.2], "steady": True, "warmup": 50,
                                                  "cycles": 400}))
        self.assertEqual(read_csv(self.succeeds("simulate", spec, "--quiet").out), self.rows("--routers", "shortest,gns@phase:3", "--load", "0.1,0.2"))

    def test_fault_sets_are_averaged(self):
        rows = self.rows("--routers", "shortest", "--load", "0.1,0.2", "--faults", 4, "--fault-sets", 3)
        self.assertEqual([row["load"] for row in rows], ["0.1"] * 3 + ["0.2"] * 3)
        for i in range(3):
            alone = self.rows("--routers", "shortest", "--load", "0.2", "--faults", 4, "--fault-seed", 1 + i, "--seed", 1 + i)
            self.assertEqual({key: rows[3 + i][key] for key in alone[0]}, alone[0])

    def test_fault_rates_are_the_axis(self):
        rows = self.rows("--routers", "shortest,gns@phase:3", "--load", "0.1", "--fault-rate", "0,0.1", "--fault-sets", 2)
        self.assertEqual([(row["curve"], row["fault_rate"], row["fault_set"]) for row in rows],
                         [(r, rate, s) for r in ("shortest", "gns@phase:3") for rate in ("0", "0.1") for s in "12"])
        self.is_refused(["simulate", NET, "--routers", "shortest", "--fault-rate", "0,0.1", "--load", "0.1,0.2"], "one 'load', not 2")

    def test_what_does_not_go_together(self):
        usual = ["simulate", NET, "--load", "0.1"]
        self.is_refused([*usual, "--routers", "shortest,shortest"], "'shortest' is given twice")
        self.is_refused([*usual, "--routers", "shortest", "--fault-sets", 3], "--fault-sets belongs to faults that are drawn")
        self.is_refused([*usual, "--routers", "shortest", "--faults", 1, "--fault-sets", 3, "--runs", 2], "--runs", "--fault-sets")
        self.is_refused(["simulate", NET, "--routers", "shortest,gns", "--find-saturation"], "--find-saturation", "several curves")
        self.is_refused(["simulate", NET, "--routers", "shortest,gns", "--workload", "BU"], "--workload", "several curves")


class Help(ProgramTest):
    def test_it_fits_80_columns(self):
        for arguments in (["--help"], *([command, "--help"] for command in COMMANDS), ["list"]):
            with self.subTest(arguments):
                for line in self.succeeds(*arguments).out.splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_examples_are_commands_that_can_be_read(self):
        """Every example of a help text gets past its options: none is unknown, and no value has another form."""
        for command in COMMANDS:
            text = self.succeeds(command, "--help").out
            examples = re.search(r"^examples:\n((?:  .*\n)+)", text, re.M)
            if not examples:
                continue
            for line in examples[1].replace("\\\n", "").splitlines():
                if not line.strip().startswith("faultline "):
                    continue
                words = re.sub(r" [|>].*", "", line).split()
                outcome = self.run_program(*(word.strip("'") for word in words[1:]), "--help")
                self.assertEqual(outcome.code, 0, line)
                self.assertNotRegex(self.run_program(*(word.strip("'") for word in words[1:]), "--xyzzy").err, "unknown option '--(?!xyzzy)")


class Json(ProgramTest):
    """Every command prints JSON on demand. `help` prints what stands in the other tables, as text, man pages, scripts and schemas."""

    WITHOUT = {"help"}

    def setUp(self):
        super().setUp()
        self.path("rules.json", json.dumps({"rules": [
            {"topology": NET, "router": "shortest", "faults": 1, "expect": "acyclic"}]}))
        self.path("makespan.json", json.dumps({"name": "short", "preset": "thintree", "router": "minimal-adaptive",
                                               "networks": [{"topology": "kary-ntree:k=2,n=2"}], "workloads": ["BU:bytes=64"]}))
        self.short = ["--faults", "0:2", "--trials", "10"]

    def cases(self):
        return {
            "sweep": [["sweep", NET, "--routers", "gns", *self.short]],
            "exact": [["exact", "kary-ntree:k=2,n=2", "--routers", "gns", "--faults", "0:2"]],
            "deadlock": [["deadlock", NET, "--routers", "gns"], ["deadlock", NET, "--routers", "gns", "--prove"],
                         ["deadlock", NET, "--routers", "gns", "--fewest-vcs"], ["deadlock", "--rules", "rules.json"]],
            "merge": [["merge", "swept"]],
            "topology": [["topology", NET]],
            "simulate": [["simulate", NET, "--routers", "shortest", *SHORT, "--load", "0.1"],
                         ["simulate", NET, "--routers", "shortest,gns@phase:2", *SHORT, "--load", "0.1"],
                         ["simulate", NET, "--routers", "shortest", "--preset", "thintree", "--workload", "BU:bytes=64"]],
            "makespan": [["makespan", "makespan.json"]],
            "workload": [["workload", "W2:bytes=100", "--nodes", "9"]],
            "catalogue": [["catalogue", "--largest", "50"]],
            "choose": [["choose", "--nodes", "100"]],
            "trace": [["trace", NET, "--router", "gns", "--from", "0", "--to", "9"]],
            "draw": [["draw", NET, "--picture", "x.svg", "--faults", "2"]],
            "export": [["export", NET, "--format", "simgrid", "--out", "x.xml"]],
            "search": [["search", "--hosts", "16", "--radix", "6", "--steps", "100", "--quiet"]],
            "layout": [["layout", NET]],
            "list": [["list"], ["list", "routers"]],
            "new-router": [["new-router", "my-router"]],
        }

    def test_every_command_prints_json(self):
        self.succeeds("sweep", NET, "--routers", "gns", *self.short, "--out", "swept", "--no-figures")
        self.assertEqual(set(self.cases()) | self.WITHOUT, set(COMMANDS))
        for command, calls in self.cases().items():
            self.assertIn("\n  --json ", self.succeeds(command, "--help").out, command)
            for arguments in calls:
                with self.subTest(arguments):
                    self.assertIsInstance(json.loads(self.succeeds(*arguments, "--json").out), (dict, list))

    def test_others_refuse_it(self):
        for command in self.WITHOUT:
            self.is_refused([command, "--json"], "unknown option '--json'")

    def test_a_workload_holds_what_its_trace_does(self):
        arguments = ["workload", "W2:bytes=100", "--nodes", "9"]
        found = json.loads(self.succeeds(*arguments, "--json").out)
        lines = ["{id} {source} {destination} {bytes}".format(**m) + (f" delay {m['delay']}" if m["delay"] else "") +
                 ("".join([" after", *(f" {before}" for before in m["after"])]) if m["after"] else "") for m in found["trace"]]
        self.assertEqual(lines, [line for line in self.succeeds(*arguments).out.splitlines() if re.match(r"\d", line)])
        self.assertEqual(found["messages"], len(lines))

    def test_what_is_drawn(self):
        found = json.loads(self.succeeds("draw", NET, "--picture", "x.svg", "--faults", "2", "--json").out)
        self.assertEqual((found["topology"], found["picture"], len(found["faulty"])), (NET, "x.svg", 2))
        self.assertEqual(set(found["faulty"][0]), {"link", "a", "b"})

    def test_a_new_router_names_its_files(self):
        found = json.loads(self.succeeds("new-router", "my-router", "--json").out)
        self.assertEqual(sorted(found["files"]), sorted(str(path.relative_to(self.folder)) for path in (self.folder / "my-router").iterdir()))
        self.assertIn("cd my-router", found["next"])

    def test_rules_that_are_broken_are_in_the_json(self):
        self.path("rules.json", (self.folder / "rules.json").read_text().replace("acyclic", "cyclic"))
        outcome = self.run_program("deadlock", "--rules", "rules.json", "--json")
        self.assertEqual(outcome.code, 1)
        [rule] = json.loads(outcome.out)
        self.assertEqual((rule["number"], rule["holds"]), (1, False))


class ManPages(ProgramTest):
    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_each_is_a_man_page_without_a_warning(self):
        for command in (None, *COMMANDS):
            page = self.succeeds("help", *([command] if command else []), "--man").out
            self.assertTrue(page.startswith(".TH FAULTLINE"), page[:100])
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", command)

    def test_each_has_every_option_of_the_help_text(self):
        for command in COMMANDS:
            options = set(re.findall(r"^  --([a-z0-9-]+)", self.succeeds(command, "--help").out, re.M))
            page = self.succeeds("help", command, "--man").out
            self.assertGreaterEqual(len(options), 2)
            for option in options:
                self.assertIn("\\fB\\-\\-" + option.replace("-", "\\-") + "\\fR", page, command)


class Completion(ProgramTest):
    def completed(self, *words):
        """What bash offers behind these words of a command line."""
        self.path("completion.bash", self.succeeds("help", "--completion", "bash").out)
        script = 'source ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _faultline; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", "faultline", *words], capture_output=True, text=True, check=True, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        self.assertEqual(self.completed("swe"), ["sweep"])
        self.assertEqual(set(COMMANDS) - set(self.completed("")), set())
        self.assertEqual(self.completed("sweep", "--top"), ["--topology", "--topology-hash"])
        self.assertEqual(self.completed("sweep", "--scope", ""), ["detour", "local"])
        self.assertIn("mikant:", self.completed("draw", "mi"))
        self.assertIn("networks", self.completed("list", "net"))
        self.assertIn("gns", self.completed("deadlock", "--routers", "g"))
        self.path("spec.json", "{}")
        self.assertEqual(self.completed("sweep", "spe"), ["spec.json"])
        (self.folder / "results").mkdir()
        self.assertEqual(self.completed("sweep", "--out", "res"), ["results"])

    def test_every_shell_knows_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.succeeds("help", "--completion", shell).out
            program = shutil.which(shell)
            if program:
                done = subprocess.run([program, "-n"] + ([] if shell != "fish" else []), input=script, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
            for command in COMMANDS:
                for option in re.findall(r"^  --([a-z0-9-]+)", self.succeeds(command, "--help").out, re.M):
                    self.assertIn(f"-l {option} " if shell == "fish" else f"--{option}", script, (shell, command))


class Schemas(ProgramTest):
    def test_each_is_as_stored(self):
        for name in SCHEMAS:
            with self.subTest(name):
                self.assertEqual(schema_file(name).read_text(), self.succeeds("help", "--schema", name).out,
                                 "if that is wanted: python3 tests/cli/options.py --regenerate")
                json.loads(schema_file(name).read_text())


if __name__ == "__main__":
    if sys.argv[1:] == ["--regenerate"]:
        for name in SCHEMAS:
            text = subprocess.run([PROGRAM, "help", "--schema", name], capture_output=True, text=True, check=True).stdout
            schema_file(name).write_text(text)
    else:
        unittest.main()
