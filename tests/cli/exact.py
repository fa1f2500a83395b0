"""`exact`: its budget, and Ctrl-C. Its numbers are tested in tests/experiments/exact.c."""

import csv
import io
import signal
import unittest

from support import SANITIZED, ProgramTest

CLOS = ["exact", "--topology", "clos:k=3,n=3", "--routers", "limit", "--faults", "10,40"]  # more than a minute without a budget
SUCCESS_40 = .549873482138  # printed digits


class Exact(ProgramTest):
    def rows(self, *options):
        return list(csv.DictReader(io.StringIO(self.succeeds(*CLOS, *options, "--quiet").out)))

    def test_the_budget_is_kept_and_leaves_bounds(self):
        """How far it gets in the time depends on the machine."""
        rows = self.rows("--budget", 2)
        self.assertEqual([row["method"] for row in rows], ["bound"] * 2)
        self.assertLessEqual(float(rows[1]["success_low"]), SUCCESS_40 + 1e-12)
        self.assertGreaterEqual(float(rows[1]["success_high"]), SUCCESS_40 - 1e-12)

    def test_a_curve_whose_lengths_are_not_worked_out_is_a_bound(self):
        """Two ports per node: the success ratio of `limit` is exact, the path length is not."""
        net = ["--topology", "la:p=2,net=clique:m=3,r=4", "--faults", "0,2"]
        out = self.succeeds("exact", *net, "--routers", "limit", "--quiet").out
        sampled = self.succeeds("sweep", *net, "--routers", "limit", "--trials", 2000, "--threads", 1, "--quiet").out
        for row, sample in zip(csv.DictReader(io.StringIO(out)), csv.DictReader(io.StringIO(sampled))):
            self.assertEqual(row["success_low"], row["success_high"])
            self.assertEqual(row["method"], "bound")
            self.assertLessEqual(float(row["path_low"]), float(sample["mean_path_length"]))
            self.assertGreaterEqual(float(row["path_high"]), float(sample["mean_path_length"]))

    def test_few_states_are_enough_for_success_and_bounds_of_lengths(self):
        rows = self.rows("--budget", 0, "--max-states", 24000)
        self.assertAlmostEqual(float(rows[1]["success_low"]), SUCCESS_40, delta=1e-12)
        self.assertEqual(rows[1]["success_low"], rows[1]["success_high"])
        self.assertLess(float(rows[1]["path_low"]), float(rows[1]["path_high"]))
        self.assertLess(float(rows[1]["path_high"]), 1.001 * float(rows[1]["path_low"]))

    def test_every_part_of_it_can_be_interrupted(self):
        """First lengths without bounds are tried, then success is computed, then the bounds."""
        for seconds in (0, .3, 1, 3):
            with self.subTest(seconds=seconds):
                program = self.start(*CLOS, "--budget", "0", terminal=False)
                program.wait_until_it_catches(signal.SIGINT)
                program.wait_until_it_has_worked(seconds)
                outcome, more = program.signal_and_finish(signal.SIGINT)
                self.assertLess(more, 60 if SANITIZED else 10)
                self.assertEqual(outcome.code, 130)
                self.assertIn("ended early", outcome.err)


if __name__ == "__main__":
    unittest.main()
