"""Progress: a bar on a terminal, lines otherwise, nothing with --quiet."""

import json
import re
import signal
import time
import unittest

from support import FOREVER, ProgramTest, sweep_arguments


class Progress(ProgramTest):
    def run_until(self, text, terminal, **options):
        program = self.start(*sweep_arguments(trials=FOREVER, **options), terminal=terminal)
        program.wait_for(text)
        program.signal(signal.SIGINT)
        return program.finish().err

    def test_a_bar_with_an_estimate_on_a_terminal(self):
        shown = self.run_until(b"left", terminal=True)
        self.assertRegex(shown, r"\r\[[#.]{30}\] +\d+\.\d%  about .+ left")

    def test_the_bar_is_gone_at_the_end(self):
        shown = self.run_until(b"left", terminal=True)
        self.assertRegex(shown, r"left \x1b\[K\r\x1b\[Kfaultline: ended early")

    def test_the_bar_moves(self):
        program = self.start(*sweep_arguments(trials=FOREVER))
        program.wait_for(b"left")
        first = len(program.seen)
        while program.seen.count(b"\r[") < 4:
            program.seen += program.read_some(10)
        self.assertGreater(len(program.seen), first)

    def test_plain_lines_elsewhere(self):
        shown = self.run_until(b"\n", terminal=False)
        self.assertRegex(shown.splitlines()[0], rf"^ *\d+\.\d% of {FOREVER} trials, about .+ left$")
        self.assertNotRegex(shown, "[\r\x1b]")

    def test_silence_when_asked_for(self):
        for terminal in (True, False):
            program = self.start(*sweep_arguments(trials=FOREVER, quiet=True), terminal=terminal)
            self.assertEqual(program.read_some(1), b"")
            program.signal(signal.SIGINT)
            self.assertRegex(program.finish().err, r"^faultline: ended early: [^\r\n]*\r?\n$")

    def test_short_runs_show_none(self):
        """The bar appears after a tenth of a second of wall-clock time: even on a busy machine, one of several runs is short enough."""
        for terminal in (True, False):
            shown = {self.start(*sweep_arguments(), terminal=terminal).finish().err for _ in range(8)}
            self.assertIn("", shown)

    def test_simulations_report_their_runs(self):
        spec = self.path("curves.json", json.dumps({"steady": True, "cycles": 4 * 10**8, "load": [0.1, 0.2], "curves": [
            {"label": "a", "topology": "mikant:k=2,n=2", "routers": "shortest"}]}))
        program = self.start("simulate", spec, "--threads", "1", terminal=False)
        program.wait_for(b"left")
        program.signal(signal.SIGINT)
        self.assertRegex(program.finish().err.splitlines()[0], r"^ *\d+\.\d% of 2 runs, about .+ left$")

    def test_all_sweeps_together(self):
        """A hundred sweeps: the first never ends, and is one percent of the work."""
        program = self.start("sweep", self.spec(sweeps=[{}] * 100, trials=20000000), "--threads", "1")
        program.wait_for(b"left")
        shares = [float(share) for share in re.findall(rb"([\d.]+)%", program.seen)]
        self.assertLess(max(shares), 2)


if __name__ == "__main__":
    unittest.main()
