"""Help texts, lists, messages and one small table, word for word as they are in golden/.

When a text changes on purpose, look at the difference and store the new texts with
    python3 tests/cli/golden.py --regenerate
(the program is the one that FAULTLINE names, else build/faultline)."""

import re
import sys
import unittest

from support import HERE, ROOT, ProgramTest, sweep_arguments

GOLDEN = HERE / "golden"
REGENERATE = "python3 tests/cli/golden.py --regenerate"
small = sweep_arguments(routers="shortest,gns+x-turns+gdl,adaptive-up", faults="0,1,40,135", trials=2000, seed=1)
deadlock = ["deadlock", "--topology", "mikant:k=3,n=3", "--fault-model", "links:class=switch-links"]


def trace(**options):
    """`trace` across MiKANT(3,3); an option that is None is left out."""
    usual = {"topology": "mikant:k=3,n=3", "router": "gns+x-turns+gdl", "from": "<0,000>", "to": "<1,111>"}
    given = {**usual, **options}
    return ["trace", *(word for name, value in given.items() if value is not None
                       for word in ("--" + name.replace("_", "-"), *([] if value is True else [str(value)])))]


def simulate(**options):
    """`simulate` on MiKANT(3,3), short."""
    usual = {"topology": "mikant:k=3,n=3", "routers": "shortest", "steady": True, "warmup": 100, "cycles": 1000, "load": "0.1,0.2",
             "quiet": True}
    given = {**usual, **options}
    return ["simulate", *(word for name, value in given.items() if value is not None
                          for word in ("--" + name.replace("_", "-"), *([] if value is True else [str(value)])))]


CROSS = "<0,1,01>-<1,1,11>"
CASES = {
    "help.txt": ["--help"],
    "no-command.txt": [],
    "version.txt": ["--version"],
    "list.txt": ["list"],
    "table.csv": small,
    "table-local.csv": [*small, "--scope", "local"],
    "table-switches-independent.csv": sweep_arguments(topology="kary-ntree:k=2,n=4", routers="shortest,gns+gdl", faults=None, fault_rate="0:0.5:0.1",
                                                      fault_model="switches:draw=independent", trials=2000, seed=0),
    "bad-command.txt": ["swep"],
    "bad-option.txt": ["sweep", "--topolgy", "mikant:k=3,n=3"],
    "bad-network.txt": sweep_arguments(topology="mikan:k=3,n=3"),
    "bad-parameter.txt": sweep_arguments(topology="mikant:k=1,n=3"),
    "bad-size.txt": sweep_arguments(topology="mikant:k=1000,n=5"),
    "bad-router.txt": sweep_arguments(routers="gsn"),
    "bad-combination.txt": sweep_arguments(topology="kary-ntree:k=3,n=3", routers="gns+x-turns"),
    "bad-fault-model.txt": sweep_arguments(fault_model="lnks"),
    "bad-link-class.txt": sweep_arguments(fault_model="links:class=cros-links"),
    "bad-faults.txt": sweep_arguments(faults="0:136:1"),
    "bad-fault-rate.txt": sweep_arguments(faults=None, fault_rate="1.5"),
    "bad-trials.txt": sweep_arguments(trials="0"),
    "bad-threads.txt": sweep_arguments(threads="0"),
    "bad-spec.txt": ["sweep", "missing.json"],
    "choose.txt": ["choose", "--nodes", "1024", "--radix-max", "16"],
    "bad-nodes.txt": ["choose", "--nodes", "0"],
    "bad-sort.txt": ["choose", "--nodes", "9", "--sort", "prc"],
    "bad-largest.txt": ["catalogue", "--largest", "none"],
    "deadlock.txt": [*deadlock, "--routers", "shortest,three-turn,gns@phase:2", "--faults", "0:1"],
    "deadlock-sample.txt": [*deadlock, "--routers", "three-turn", "--faults", "1,20", "--sample", "100", "--seed", "2", "--scope", "local"],
    "deadlock.json": [*deadlock, "--routers", "three-turn", "--faults", "1", "--json"],
    "deadlock-proof.txt": [*deadlock, "--routers", "shortest,gns+gdl@turns:3,gns,adaptive-up", "--prove", "--quiet"],
    "deadlock-proof.json": [*deadlock, "--routers", "gns@turns:2,gns", "--prove", "--json"],
    "deadlock-fewest.txt": [*deadlock, "--routers", "shortest,gns", "--fewest-vcs"],
    "deadlock-fewest.json": [*deadlock, "--routers", "gns", "--fewest-vcs", "--json"],
    "bad-channels.txt": [*deadlock, "--routers", "gns", "--vcs", "2"],
    "bad-vc-assignment.txt": [*deadlock, "--routers", "gns@phse:2"],
    "bad-vc-assignment-grid.txt": ["deadlock", "--topology", "torus:k=4,n=2", "--routers", "shortest@phase:2", "--faults", "0"],
    "bad-vc-assignment-cube.txt": ["deadlock", "--topology", "cat:k=2,n=2", "--routers", "adaptive-ecube@turns:2", "--faults", "0"],
    "bad-rules.txt": ["deadlock", "--rules", "missing.json"],
    "bad-choice.txt": ["topology", "dragonfly:a=4,wiring=palm"],
    "bad-base.txt": sweep_arguments(topology="torus:k=4,n=2", routers="hybrid-dor"),
    "bad-rule-network.txt": sweep_arguments(topology="torus:k=4,n=2", routers="gns"),
    "bad-rule-crossbar.txt": sweep_arguments(topology="kns:k=9,n=2", routers="gdl"),
    "bad-rule-one-way.txt": sweep_arguments(topology="kns:k=9,n=2,s=2,sub=ruft", routers="adaptive-up"),
    "bad-rule-clos.txt": sweep_arguments(topology="clos:k=3,n=3", routers="gns+x-turns"),
    "bad-rule-micat.txt": sweep_arguments(topology="micat:k=3,n=2", routers="gns"),
    "bad-rule-cubes.txt": sweep_arguments(topology="mikant:k=3,n=3", routers="adaptive-ecube"),
    "note-thin.txt": sweep_arguments(topology="thintree:k=4,up=1,n=3", routers="gdl", faults="0"),
    "table-cat.csv": sweep_arguments(topology="cat:k=3,n=2", routers="shortest,gdl+adaptive-ecube,limit", faults="0,5,20", trials=2000, seed=1),
    "trace-cube.txt": trace(topology="cat:k=3,n=2", router="adaptive-ecube", to="<1,100,2>", **{"from": "<0,001,0>"},
                            fail="<0,0,001>-<0,0,000>;<0,1,000>-<0,1,100>"),
    "trace-cube-productive.txt": trace(topology="cat:k=3,n=2", router="adaptive-ecube", to="<1,100,2>", **{"from": "<0,011,0>"},
                                       fail="<0,0,011>-<0,0,010>"),
    "trace.txt": trace(fail=CROSS),
    "trace-x-turns.txt": trace(fail=f"<0,1,00>-<1,1,10>;{CROSS};<0,1,02>-<1,1,12>"),
    "trace-local.txt": trace(fail=CROSS, scope="local"),
    "trace-blocked.txt": trace(router="shortest", fail=CROSS),
    "trace-blocked-at-source.txt": trace(fail="<0,000>-<0,0,00>"),
    "trace-channels.txt": trace(topology="kary-ntree:k=4,n=3", router="gns+gdl@phase:3", to="<333>", **{"from": 0},
                                fail="<1,33>-<2,33>;<1,33>-<0,33>"),
    "trace-drawn.txt": trace(faults=30, seed=1, trial=8),
    "trace-drawn-switches.txt": trace(fault_model="switches:draw=independent", fault_rate=0.05, seed=0, trial=3),
    "trace.json": trace(fail=CROSS, json=True),
    "trace-blocked.json": trace(router="shortest", fail=CROSS, json=True),
    "simulate.csv": simulate(),
    "simulate-kns.csv": simulate(preset="kns2016", steady=None, cycles=5000, packet=16, routers="gns+gdl@phase:3", fail=CROSS),
    "simulate-wormhole.csv": simulate(switching="wormhole", packet=4, input_fifo=3, topology="kary-ntree:k=3,n=3", routers="minimal-adaptive"),
    "simulate-workload.csv": ["simulate", "--topology", "thintree:k=4,up=2,n=3", "--routers", "minimal-adaptive", "--preset", "thintree",
                              "--workload", "BU:bytes=640", "--quiet"],
    "workload.trace": ["workload", "W2:bytes=100", "--nodes", "9"],
    "bad-workload.txt": ["workload", "BU", "--nodes", "54"],
    "bad-workload-name.txt": ["workload", "B4", "--nodes", "54"],
    "bad-preset.txt": simulate(preset="mikant2108"),
    "bad-traffic.txt": simulate(traffic="unifrom"),
    "bad-traffic-nodes.txt": simulate(traffic="bit-inversion"),
    "bad-load.txt": simulate(load="0.1,1.2"),
    "bad-fail-at.txt": simulate(fail_at="soon:3"),
    "bad-fail-at-link.txt": simulate(fail_at="10:<0,1,01>-<1,1,12>"),
    "bad-vcs.txt": simulate(vcs=2),
    "bad-switching.txt": simulate(switching="wormhole", output_fifo=2),
    "bad-simulate-router.txt": simulate(routers="limit"),
    "bad-packet.txt": simulate(packet=0),
    "bad-warmup.txt": simulate(steady=None),
    "bad-node.txt": trace(to="<1,333>"),
    "bad-node-switch.txt": trace(to="<1,1,11>"),
    "bad-node-same.txt": trace(to="<0,000>"),
    "bad-link.txt": trace(topology="kary-ntree:k=4,n=3", to="<333>", router="gdl", fail="<1,33>", **{"from": 0}),
    "bad-link-ends.txt": trace(fail="<0,1,01>-<1,1,12>"),
    "bad-link-labels.txt": trace(fail="<0,1,01>-<1,1,99>"),
    "bad-trace-router.txt": trace(router="limit"),
    "bad-fault-options.txt": trace(fail=CROSS, faults=3),
    "bad-fault-options-2.txt": trace(fail=CROSS, seed=3),
    "bad-drawing-size.txt": ["draw", "--topology", "mikant:k=8,n=5", "--show", "all", "--picture", "x.svg"],
    "bad-drawing-part.txt": ["draw", "--topology", "mikant:k=8,n=5", "--picture", "x.svg"],
    "note.txt": sweep_arguments(topology="mikant:k=3,n=2", routers="gdl"),
}


class Golden(ProgramTest):
    def shown(self, arguments):
        """Both streams and the exit code. A table is stored as it is."""
        outcome = self.run_program(*arguments)
        if outcome.code == 0 and not outcome.err:
            return outcome.out
        return f"{outcome.out}{outcome.err}[exit code {outcome.code}]\n"

    def cases(self):
        commands = re.findall(r"^  ([a-z-]+)  ", self.succeeds("--help").out, re.M)
        self.assertGreaterEqual(set(commands), {"sweep", "list"})
        return {**CASES, **{f"help-{command}.txt": [command, "--help"] for command in commands}}

    def test_every_text_is_as_stored(self):
        for name, arguments in self.cases().items():
            with self.subTest(name):
                stored = GOLDEN / name
                self.assertEqual(stored.read_text() if stored.exists() else "", self.shown(arguments),
                                 f"{name} has changed; if that is wanted: {REGENERATE}")

    def test_everything_stored_is_compared(self):
        self.assertEqual({path.name for path in GOLDEN.iterdir()}, set(self.cases()), f"regenerate with: {REGENERATE}")

    def test_the_version_is_that_of_cmake(self):
        project = re.search(r"project\(faultline VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(self.succeeds("--version").out, f"faultline {project[1]}\n")

    def test_help_has_three_spellings(self):
        self.assertEqual(self.succeeds("help").out, self.succeeds("--help").out)
        self.assertEqual(self.succeeds("-h").out, self.succeeds("--help").out)
        for command in ("sweep", "list"):
            for spelling in (["help", command], [command, "-h"], ["--help", command]):
                self.assertEqual(self.succeeds(*spelling).out, self.succeeds(command, "--help").out)

    def test_lines_of_help_fit_a_wide_terminal(self):
        for arguments in (["--help"], ["list"], ["sweep", "--help"], ["simulate", "--help"], ["trace", "--help"], ["draw", "--help"],
                          ["catalogue", "--help"],
                          ["choose", "--help"], ["choose", "--nodes", "1024"]):
            for line in self.succeeds(*arguments).out.splitlines():
                self.assertLessEqual(len(line), 132, line)

    def regenerate(self):
        GOLDEN.mkdir(exist_ok=True)
        cases = self.cases()
        for path in GOLDEN.iterdir():
            if path.name not in cases:
                path.unlink()
        for name, arguments in cases.items():
            (GOLDEN / name).write_text(self.shown(arguments))


if __name__ == "__main__":
    if sys.argv[1:] == ["--regenerate"]:
        test = Golden("regenerate")
        test.setUp()
        test.regenerate()
        test.doCleanups()
    else:
        unittest.main()
