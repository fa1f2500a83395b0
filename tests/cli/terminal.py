"""What is printed to a terminal fits its width; what goes elsewhere does not depend on it."""

import json
import re
import unittest

from support import ProgramTest


class Terminal(ProgramTest):
    SMALL = ["mikant:k=3,n=3", "--routers", "shortest,gns+x-turns+gdl,limit", "--trials", "500"]
    LOADS = ["--steady", "--warmup", "100", "--cycles", "500", "--load", "0.1,0.3,0.9"]

    MAKESPAN = {"name": "short", "title": "Times of two workloads on three networks", "preset": "thintree", "router": "minimal-adaptive",
                "networks": [{"topology": "kary-ntree:k=2,n=3"}, {"topology": "thintree:k=2,up=1,n=3"}, {"topology": "kary-ntree:k=8,n=1"}],
                "workloads": ["BU:bytes=640", "W2:sides=2x4,bytes=640"]}

    def setUp(self):
        super().setUp()
        self.commands = re.findall(r"^  ([a-z-]+)  ", self.succeeds("--help").out, re.M)
        cross = "<0,1,01>-<1,1,11>"
        trace = ["--from", "<0,000>", "--to", "<1,111>", "--fail", cross]
        self.cases = {
            "sweep": ["sweep", *self.SMALL, "--faults", "0:135:5"],
            "sweep of rates": ["sweep", *self.SMALL, "--fault-model", "links:draw=independent", "--fault-rate", "0:0.5:0.05"],
            "sweep of long names": ["sweep", "mikant:k=3,n=3", "--routers", "gns+x-turns+gdl@phase:3,gns+gdl@turns:3", "--faults", "0:40",
                                    "--trials", "100"],
            "sweep into a folder": ["sweep", *self.SMALL, "--faults", "0:135:5", "--out", "sweep", "--no-figures", "--force"],
            "merge": ["merge", "sweep"],
            "exact": ["exact", "kary-ntree:k=3,n=2", "--routers", "shortest,gns+gdl,limit", "--faults", "0:18", "--trials", "100"],
            "simulate one curve": ["simulate", "mikant:k=3,n=3", "--routers", "shortest", *self.LOADS, "--fail-at", f"300:{cross}"],
            "simulate to saturation": ["simulate", "mikant:k=2,n=2", "--routers", "shortest", *self.LOADS[:-2], "--find-saturation"],
            "simulate a deadlock": ["simulate", "torus:k=4,n=2", "--routers", "shortest@one:1", "--steady", "--warmup", "0", "--cycles", "9000",
                                    "--load", "0.9", "--switching", "wormhole", "--packet", "16", "--input-fifo", "1"],
            "simulate several curves": ["simulate", "mikant:k=3,n=3", "--routers", "gns+x-turns+gdl@phase:3,shortest", *self.LOADS],
            "simulate a workload": ["simulate", "thintree:k=4,up=2,n=3", "--routers", "minimal-adaptive", "--preset", "thintree", "--workload",
                                    "BU:bytes=640"],
            "makespan": ["makespan", self.path("makespan.json", json.dumps(self.MAKESPAN))],
            "topology": ["topology", "mikant:k=3,n=3"],
            "topology with long methods": ["topology", "dragonfly:a=4,h=2,p=2"],
            "search": ["search", "--hosts", "16", "--radix", "6", "--steps", "1000", "--out", "g.edges", "--force"],
            "layout": ["layout", "mikant:k=3,n=3", "--out", "floor", "--force"],
            "choose": ["choose", "--nodes", "1024", "--radix-max", "16"],
            "choose by distance": ["choose", "--nodes", "1000", "--sort", "distance"],
            "choose none": ["choose", "--nodes", "100003", "--within", "0", "--radix-max", "3"],
            "catalogue": ["catalogue", "--largest", "100"],
            "deadlock": ["deadlock", "mikant:k=3,n=3", "--routers", "gns,three-turn@phase:2", "--faults", "0:1"],
            "deadlock, drawn": ["deadlock", "mikant:k=3,n=3", "--routers", "three-turn", "--faults", "20", "--sample", "100"],
            "deadlock, proof": ["deadlock", "mikant:k=3,n=3", "--routers", "gns+gdl@turns:3,gns,adaptive-up", "--prove"],
            "deadlock, fewest": ["deadlock", "mikant:k=3,n=3", "--routers", "shortest,gns", "--fewest-vcs"],
            "trace": ["trace", "mikant:k=3,n=3", "--router", "gns+x-turns+gdl", *trace],
            "trace, blocked": ["trace", "mikant:k=3,n=3", "--router", "shortest", *trace],
            "trace with long labels": ["trace", "micat:k=10,n=6", "--router", "shortest", "--from", "0", "--to", "123456"],
            "workload": ["workload", "BU:bytes=640", "--nodes", "8"],
            "workload into a folder": ["workload", "BU:bytes=640", "--nodes", "8", "--out", "workload", "--force"],
            "draw": ["draw", "mikant:k=3,n=3", "--faults", "20", "--picture", "network.svg", "--force"],
            "export": ["export", "mikant:k=2,n=2", "--format", "simgrid", "--out", "platform.xml", "--force"],
            "list": ["list"],
            "help": ["help"],
            **{f"help {command}": ["help", command] for command in self.commands},
        }

    def check(self, columns):
        without_a_case = set(self.commands) - {arguments[0] for arguments in self.cases.values()}
        self.assertEqual(without_a_case, {"new-router"}, "every other command has a case")
        for name, arguments in {**self.cases, "new-router": ["new-router", f"my-{columns}"]}.items():
            with self.subTest(name):
                shown = self.shown_at_a_terminal(*arguments, columns=columns)
                self.assertTrue(shown.strip())
                for line in shown.splitlines():
                    # In a command line of new-router a long path or list cannot be broken.
                    one_word = name == "new-router" and not re.search(r"\S [^\\]", line.strip())
                    self.assertTrue(len(line) <= columns or one_word, line)

    def test_60_columns(self):
        self.check(60)

    def test_80_columns(self):
        self.check(80)

    def test_200_columns(self):
        self.check(200)

    def test_what_is_left_out_is_named(self):
        shown = self.shown_at_a_terminal(*self.cases["choose"], columns=60)
        self.assertIn("(no room for: nodes, switches, diameter, distance, ports,", shown)
        self.assertNotIn("no room for", self.shown_at_a_terminal(*self.cases["choose"], columns=200))
        self.assertRegex(self.shown_at_a_terminal(*self.cases["choose by distance"], columns=60), "network +distance +RCP")

    def test_a_wide_terminal_shows_what_a_pipe_does(self):
        for name in ("topology", "choose", "deadlock", "deadlock, fewest", "trace", "catalogue"):
            with self.subTest(name):
                self.assertEqual(self.shown_at_a_terminal(*self.cases[name], columns=300), self.succeeds(*self.cases[name]).out)

    def test_numbers_are_the_same_at_every_width(self):
        """A narrower terminal shows fewer of the numbers, and no other ones."""
        for name in ("sweep", "topology", "choose", "deadlock, fewest", "simulate several curves"):
            with self.subTest(name):
                numbers = [set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", self.shown_at_a_terminal(*self.cases[name], columns=columns)))
                           for columns in (60, 80, 200)]
                self.assertTrue(numbers[0] or name == "deadlock, fewest")
                self.assertLessEqual(numbers[0], numbers[1])
                self.assertLessEqual(numbers[1], numbers[2])

    def test_json_and_csv_are_not_broken(self):
        json.loads(self.shown_at_a_terminal(*self.cases["choose"], "--json", columns=60))
        self.assertEqual(self.shown_at_a_terminal(*self.cases["sweep"], "--quiet", columns=60), self.succeeds(*self.cases["sweep"], "--quiet").out)


if __name__ == "__main__":
    unittest.main()
