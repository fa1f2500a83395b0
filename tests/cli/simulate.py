"""`simulate`: what it writes, where, what it refuses. Its texts are in golden.py, its numbers are tested in tests/sim.c."""

import csv
import io
import json
import signal
import subprocess
import time
import unittest

from support import PROGRAM, SANITIZED, ProgramTest, needs_gnuplot, tree_of

FAULT = "<0,1,00>-<1,1,00>"
FIGURES = {f"simulate-{name}.{suffix}" for name in ("latency", "accepted") for suffix in ("png", "svg")}


def simulate(*more, topology="mikant:k=3,n=3", router="shortest", load="0.1,0.2"):
    arguments = ["simulate", "--topology", topology, "--router", router, "--steady", "--warmup", "200", "--cycles", "1000"]
    return [*arguments, *(["--load", load] if load else []), *map(str, more)]


class Simulate(ProgramTest):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeeds(*arguments, "--quiet").out)))

    def test_the_bytes_do_not_depend_on_threads(self):
        one, two, eight = (self.succeeds(*simulate("--runs", 3, "--threads", n, "--quiet")).out for n in (1, 2, 8))
        self.assertEqual(one, two)
        self.assertEqual(one, eight)
        self.assertNotEqual(one, self.succeeds(*simulate("--runs", 3, "--seed", 9, "--quiet")).out)

    def test_the_bytes_of_a_search_do_not_depend_on_threads(self):
        one, two = (self.succeeds(*simulate("--find-saturation", "--threads", n, "--quiet", load=None)).out for n in (1, 2))
        self.assertEqual(one, two)

    @needs_gnuplot
    def test_a_folder_gets_results_and_figures_once(self):
        self.succeeds(*simulate("--out", "results"))
        self.assertEqual(set(tree_of(self.path("results"))), {"simulate.csv", "simulate.json"} | FIGURES)
        before = tree_of(self.path("results"))
        self.is_refused(simulate("--out", "results", "--seed", 2), "results")
        self.assertEqual(tree_of(self.path("results")), before)
        self.succeeds(*simulate("--out", "results", "--seed", 2, "--force"))
        self.assertNotEqual(tree_of(self.path("results"))["simulate.csv"], before["simulate.csv"])

    def test_json_adds_up(self):
        result = json.loads(self.succeeds(*simulate("--json", "--quiet", "--faults", 10, "--series", 100)).out)
        self.assertEqual(len(result["faults"]), 10)
        for run in result["results"]:
            lost = sum(run["lost"].values())
            self.assertEqual(run["total_injected"], run["total_delivered"] + lost + run["in_flight_at_end"])
            self.assertEqual(sum(run["series"]["delivered"]), run["total_delivered"])
            self.assertEqual(sum(run["series"]["lost"]), lost)
            self.assertGreater(lost, 0)

    def test_a_deadlock_is_named_and_gone_with_channels(self):
        usual = ["simulate", "--topology", "mikant:k=3,n=3", "--steady", "--cycles", "5000", "--load", "1", "--fail", FAULT]
        one = json.loads(self.succeeds(*usual, "--router", "three-turn", "--json", "--quiet").out)
        run = one["results"][0]
        self.assertTrue(run["deadlocked"])
        cycle = run["deadlock"]["cycle"]
        self.assertGreater(len(cycle), 1)
        for held, wanted in zip(cycle, cycle[1:] + cycle[:1]):
            self.assertEqual(held["to"], wanted["from"])
            self.assertNotEqual({held["from"], held["to"]}, set(FAULT.replace(">-<", "> <").split()))
        three = self.rows(*usual, "--router", "three-turn@turns:3")
        self.assertEqual([row["deadlocked"] for row in three], ["no"])

    def test_a_saturated_load_has_no_latency(self):
        light, heavy = self.rows(*simulate(load="0.1,1"))
        for row in (light, heavy):
            low, load, high = (float(row[key]) for key in ("accepted_low", "accepted_load", "accepted_high"))
            self.assertTrue(low < load < high < 1.2 * load, row)
        self.assertEqual((light["saturated"], heavy["saturated"]), ("no", "yes"))
        self.assertGreater(float(light["latency_mean"]), 5)
        self.assertEqual(heavy["latency_mean"], "")

    def test_an_interrupted_run_is_marked(self):
        process = subprocess.Popen([PROGRAM, "simulate", "--topology", "mikant:k=3,n=3", "--router", "shortest", "--steady", "--cycles",
                                    "100000000", "--load", "0.3", "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3 if SANITIZED else 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("partial", err)
        self.assertTrue(json.loads(out)["partial"])


if __name__ == "__main__":
    unittest.main()
