"""Several threads: the same bytes for any number of them, and runs that end early."""

import os
import signal
import time
import unittest

from support import FOREVER, HANG, ProgramTest, needs_gnuplot, sweep_arguments, tree_of


class NumberOfThreads(ProgramTest):
    def test_the_bytes_do_not_depend_on_it(self):
        sweeps = [{}, {"scope": "local"}, {"topology": "kary-ntree:k=3,n=3", "routers": ["shortest", "gns+gdl"]}, {"fault_model": "switches"},
                  {"faults": [0, 1], "fault_model": "list:3;5"}, {"fault_rate": "0:1:0.25", "fault_model": "links:draw=independent"},
                  {"topology": "mikant:k=16,n=5", "fault_rate": [0.01]}]
        path = self.spec(routers=["shortest", "gns+x-turns+gdl", "adaptive-up"], faults="0:36:4", trials=3001, sweeps=sweeps)
        tables, counts = set(), []
        for threads in (1, 2, 3, 8, 64):
            self.succeeds("sweep", path, "--threads", threads, "--out", f"out{threads}", "--no-figures", "--quiet")
            document = self.results(f"out{threads}")[1]
            self.assertEqual(document["threads"], threads)
            tables.add((self.folder / f"out{threads}/sweep.csv").read_bytes())
            counts.append((document["sweeps"], document["spec"], document["spec_hash"]))
        self.assertEqual(len(tables), 1)
        self.assertTrue(all(one == counts[0] for one in counts))

    def test_the_bytes_of_exact_do_not_depend_on_it(self):
        arguments = ["exact", "--topology", "mikant:k=2,n=3", "--routers", "shortest,gns,gdl,adaptive-up", "--faults", "0:6:1"]
        self.assertEqual(len({self.succeeds(*arguments, "--threads", threads).out for threads in (1, 2, 8)}), 1)

    def test_more_threads_than_trials(self):
        self.assertEqual(self.succeeds(*sweep_arguments(trials=3, threads=64)).out, self.succeeds(*sweep_arguments(trials=3, threads=1)).out)

    def test_all_processors_by_default(self):
        self.succeeds(*sweep_arguments(threads=None, out="out", no_figures=True))
        self.assertEqual(self.results()[1]["threads"], os.cpu_count())


class EndingEarly(ProgramTest):
    """Ctrl-C: the results so far are written completely, and marked."""

    options = {"routers": "shortest,gns+gdl", "faults": "0:135:5", "trials": FOREVER, "threads": 2, "no_figures": True}

    def interrupt(self, number=signal.SIGINT, env=None, **options):
        program = self.start(*sweep_arguments(**{**self.options, **options}), env=env)
        program.wait_for_the_first_trials()
        program.signal(number)
        return program.finish()

    def check_partial(self, outcome, folder="out"):
        self.assertEqual(outcome.code, 130, outcome.err)
        table, document = self.results(folder)
        trials = {int(row["trials"]) for row in table}
        self.assertEqual(len(trials), 1, "rows differ in their trials")
        self.assertTrue(document["partial"])
        self.assertTrue(0 < min(trials) < FOREVER)
        self.assertEqual(document["sweeps"][0]["trials"], min(trials))
        self.assertEqual(document["spec"]["trials"], FOREVER)
        self.assertIn(f"{min(trials)} of {FOREVER} trials", outcome.err)
        self.assertIn("partial", outcome.err)
        return min(trials)

    def test_an_interrupted_run_is_the_beginning_of_the_whole_run(self):
        trials = self.check_partial(self.interrupt(out="out"))
        self.succeeds(*sweep_arguments(**{**self.options, "trials": trials, "out": "again"}))
        self.assertEqual((self.folder / "out/sweep.csv").read_text(), (self.folder / "again/sweep.csv").read_text())

    def test_sigterm_is_as_good(self):
        self.check_partial(self.interrupt(signal.SIGTERM, out="out"))

    def test_quiet_runs_still_say_that_they_are_partial(self):
        program = self.start(*sweep_arguments(**{**self.options, "out": "out", "quiet": True}))
        program.wait_until_it_has_worked(.5)
        program.signal(signal.SIGINT)
        outcome = program.finish()
        self.check_partial(outcome)
        self.assertEqual(outcome.out, "")

    def test_without_a_folder_the_partial_table_goes_to_stdout(self):
        outcome = self.interrupt(no_figures=None)
        self.assertEqual(outcome.code, 130)
        self.assertEqual(len(outcome.out.splitlines()), 1 + 2 * 28)
        self.assertIn("partial", outcome.err)

    @needs_gnuplot
    def test_the_figures_are_drawn_and_say_so(self):
        self.check_partial(self.interrupt(out="out", no_figures=None))
        self.assertIn(b"partial", (self.folder / "out/success-ratio.svg").read_bytes())

    def test_old_results_stay_until_the_new_ones_are_there(self):
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        old = tree_of(self.folder)
        self.assertEqual(len(old), 3)
        program = self.start(*sweep_arguments(**{**self.options, "out": "out", "force": True}))
        program.wait_for_the_first_trials()
        self.assertLessEqual(old.items(), tree_of(self.folder).items())
        program.process.kill()
        program.process.wait()
        self.assertLessEqual(old.items(), tree_of(self.folder).items())

    def test_the_second_signal_ends_the_program_at_once(self):
        """The first finds it at work, the second waiting for a gnuplot that never ends."""
        (self.folder / "bin").mkdir()
        fake = self.path("bin/gnuplot", f"#!/bin/sh\necho $$ > '{self.folder}/gnuplot.pid'\nexec sleep 1000\n")
        fake.chmod(0o755)
        program = self.start(*sweep_arguments(**{**self.options, "out": "out", "no_figures": None}), env={"PATH": f"{fake.parent}:/usr/bin:/bin"})
        program.wait_for_the_first_trials()
        program.signal(signal.SIGINT)
        end = time.monotonic() + HANG
        while not (pid := self.path("gnuplot.pid")).exists() or not pid.read_text().strip():
            self.assertLess(time.monotonic(), end, "gnuplot was never started")
            time.sleep(.01)
        self.addCleanup(os.kill, int(pid.read_text()), signal.SIGKILL)
        outcome, more = program.signal_and_finish(signal.SIGINT)
        self.assertEqual(outcome.code, 130)
        self.assertLess(more, 5)
        self.assertEqual(set(tree_of(self.folder / "out")) - {"sweep.checkpoint", ".faultline-lock"}, {"sweep.csv", "sweep.json"})
        self.assertTrue(self.results()[1]["partial"])

    def test_a_run_of_several_sweeps(self):
        """Each sweep reports its progress, and the message covers all of them."""
        path = self.spec(sweeps=[{}, {"topology": "kary-ntree:k=3,n=3"}, {"scope": "local"}], trials=FOREVER)
        program = self.start("sweep", path, "--threads", "2", "--out", "out", "--no-figures")
        program.wait_for_the_first_trials()
        program.signal(signal.SIGINT)
        outcome = program.finish()
        self.assertEqual(outcome.code, 130, outcome.err)
        table, document = self.results()
        done = [sweep["trials"] for sweep in document["sweeps"]]
        self.assertTrue(max(done) > 0 and min(done) < FOREVER)
        self.assertEqual([int(row["trials"]) for row in table], [trials for trials in done for row in range(4)])
        for row in table:
            self.assertEqual(row["trials"] == "0", row["success_ratio"] == "", row)
        self.assertIn(f"{min(done)} of {FOREVER} trials", outcome.err)

    @needs_gnuplot
    def test_figures_of_several_sweeps_that_ended_early(self):
        path = self.spec(sweeps=[{}, {"topology": "kary-ntree:k=3,n=3"}], trials=FOREVER)
        program = self.start("sweep", path, "--threads", "2", "--out", "out")
        program.wait_for_the_first_trials()
        program.signal(signal.SIGINT)
        self.assertEqual(program.finish().code, 130)
        self.assertIn("success-ratio.png", tree_of(self.folder / "out"))


if __name__ == "__main__":
    unittest.main()
