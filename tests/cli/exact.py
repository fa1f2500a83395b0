"""`exact`: its budget, and Ctrl-C. Its numbers are tested in tests/experiments/exact.c."""

import csv
import io
import signal
import unittest

from support import SANITIZED, ProgramTest

CLOS = ["exact", "--topology", "clos:k=3,n=3", "--routers", "limit", "--faults", "10,40"]
LARGE = ["exact", "--topology", "mikant:k=4,n=3", "--routers", "limit", "--faults", "10,40", "--max-states", 100000000]  # more than a minute
SUCCESS_40 = .549873482138  # printed digits


class Exact(ProgramTest):
    def rows(self, *options):
        return list(csv.DictReader(io.StringIO(self.succeeds(*CLOS, *options, "--quiet").out)))

    def test_the_budget_is_kept_and_leaves_bounds(self):
        """How far it gets in the time depends on the machine."""
        rows = list(csv.DictReader(io.StringIO(self.succeeds(*LARGE, "--budget", 2, "--quiet").out)))
        self.assertEqual([row["method"] for row in rows], ["bound"] * 2)
        self.assertEqual([(row["success_low"], row["success_high"], row["path_low"]) for row in rows], [("0", "1", "")] * 2)

    def test_lengths_of_the_limit_are_sampled_and_marked(self):
        """Those of a sweep with the same trials and seed; the success ratio is exact."""
        sample = ["--trials", 3000, "--seed", 7]
        rows = self.rows(*sample)
        self.assertAlmostEqual(float(rows[1]["success_low"]), SUCCESS_40, delta=1e-12)
        sampled = csv.DictReader(io.StringIO(self.succeeds("sweep", *CLOS[1:], *sample, "--threads", 1, "--quiet").out))
        for row, expected in zip(rows, sampled):
            self.assertEqual(row["success_low"], row["success_high"])
            self.assertEqual([row[key] for key in ("method", "path_method", "path_trials", "path_seed")], ["exact", "sampled", "3000", "7"])
            for key in ("mean_path_length", "path_low", "path_high"):
                self.assertAlmostEqual(float(row[key]), float(expected[key]), places=8)

    def test_lengths_of_routers_are_exact_and_not_marked(self):
        out = self.succeeds("exact", "--topology", "mikant:k=2,n=3", "--routers", "gns,minimal-limit", "--faults", "3", "--quiet").out
        for row in csv.DictReader(io.StringIO(out)):
            self.assertEqual([row[key] for key in ("method", "path_method", "path_trials", "path_seed")], ["exact", "exact", "", ""])

    def test_every_part_of_it_can_be_interrupted(self):
        """The success ratio, and the sample of lengths."""
        for command, seconds in ((LARGE, 0), (LARGE, 1), ([*CLOS, "--trials", 1000000000], 2)):
            with self.subTest(command=command, seconds=seconds):
                program = self.start(*command, "--budget", "0", terminal=False)
                program.wait_until_it_catches(signal.SIGINT)
                program.wait_until_it_has_worked(seconds)
                outcome, more = program.signal_and_finish(signal.SIGINT)
                self.assertLess(more, 60 if SANITIZED else 10)
                self.assertEqual(outcome.code, 130)
                self.assertIn("ended early", outcome.err)


if __name__ == "__main__":
    unittest.main()
