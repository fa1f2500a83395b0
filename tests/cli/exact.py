"""`exact`: its budget, and Ctrl-C. Its numbers are tested in tests/exact.c."""

import csv
import io
import signal
import time
import unittest

from support import SANITIZED, ProgramTest

CLOS = ["exact", "--topology", "clos:k=3,n=3", "--routers", "limit", "--faults", "10,40"]  # more than a minute without a budget


class Exact(ProgramTest):
    def test_the_budget_is_kept_and_leaves_bounds(self):
        begin = time.monotonic()
        out = self.succeeds(*CLOS, "--budget", 6, "--quiet").out
        self.assertLess(time.monotonic() - begin, 60 if SANITIZED else 20)
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["method"] for row in rows], ["bound"] * 2)
        for row in rows:
            self.assertLessEqual(float(row["success_low"]), float(row["success_high"]))
        if not SANITIZED:  # success is found in a second, and the rest of the time goes to the lengths
            self.assertAlmostEqual(float(rows[1]["success_low"]), .549873482138, delta=1e-12)
            self.assertEqual(rows[1]["success_low"], rows[1]["success_high"])
            self.assertLess(float(rows[1]["path_low"]), float(rows[1]["path_high"]))

    def test_every_part_of_it_can_be_interrupted(self):
        """At first lengths without bounds are tried, then success is worked out, then the bounds."""
        for seconds in (0, .3, 1, 3):
            with self.subTest(seconds=seconds):
                program = self.start(*CLOS, "--budget", "0", terminal=False)
                program.wait_until_it_catches(signal.SIGINT)
                time.sleep(seconds)
                program.signal(signal.SIGINT)
                begin = time.monotonic()
                outcome = program.finish()
                self.assertLess(time.monotonic() - begin, 60 if SANITIZED else 10)
                self.assertEqual(outcome.code, 130)
                self.assertIn("ended early", outcome.err)


if __name__ == "__main__":
    unittest.main()
