"""Long runs: precision on demand, budgets, checkpoints, and runs that are killed and resumed."""

import json
import math
import os
import random
import shutil
import signal
import time
import unittest

from support import FOREVER, SANITIZED, ProgramTest, children_processor_seconds, needs_gnuplot, read_csv, sweep_arguments, tree_of, wait_until_it_has_worked

SOME_ROUTERS = {"routers": "shortest,gns+gdl,adaptive-up+gns+x-turns+gdl", "faults": "0:135:5"}


class RunnerTest(ProgramTest):
    def sweep(self, out, **options):
        return self.succeeds(*sweep_arguments(**{**SOME_ROUTERS, "out": out, "no_figures": True, "quiet": True, **options}))

    def table(self, out="out"):
        return (self.folder / out / "sweep.csv").read_text()

    def document(self, out="out"):
        return json.loads((self.folder / out / "sweep.json").read_text())

    def files(self, out="out"):
        return sorted(tree_of(self.folder / out))


class Precision(RunnerTest):
    target = 0.01

    def half_widths(self, out="out"):
        return [(float(row["success_high"]) - float(row["success_low"])) / 2 for row in read_csv(self.table(out))]

    def test_every_interval_is_as_narrow_as_was_asked_for(self):
        self.sweep("out", until_ci=self.target, trials=None)
        document = self.document()
        precision = document["precision"]
        self.assertEqual((document["stopped_by"], document["partial"], precision["reached"], precision["target"]), ("precision", False, True, self.target))
        self.assertLessEqual(max(self.half_widths()), self.target * (1 + 1e-9))
        self.assertEqual(document["sweeps"][0]["trials"], precision["look_trials"][precision["look"] - 1])
        self.assertIn("looks at fixed numbers of trials", precision["rule"])

    def test_intervals_have_the_z_of_the_look(self):
        self.sweep("out", until_ci=self.target, trials=None)
        z = self.document()["precision"]["z"]
        self.assertGreater(z, 1.96)
        for row in read_csv(self.table()):
            n, p = int(row["trials"]), float(row["success_ratio"])
            half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
            self.assertAlmostEqual(float(row["success_high"]) - float(row["success_low"]), 2 * half, places=8)
            if float(row["mean_path_length"] or 0) and row["path_low"]:
                self.assertAlmostEqual(float(row["path_low"]) + float(row["path_high"]), 2 * float(row["mean_path_length"]), places=7)

    def test_it_stops_early_where_ratios_are_near_1(self):
        self.sweep("easy", until_ci=.002, trials=None, faults="0,1", fault_model="links:class=cross-links", routers="gns+x-turns+gdl")
        self.sweep("hard", until_ci=.002, trials=None, faults="0,20", routers="shortest")
        easy, hard = self.document("easy"), self.document("hard")
        self.assertEqual(easy["precision"]["look_trials"], hard["precision"]["look_trials"])
        self.assertLess(easy["precision"]["look"], hard["precision"]["look"])
        self.assertLess(easy["sweeps"][0]["trials"], hard["sweeps"][0]["trials"])

    def test_trials_are_an_upper_limit(self):
        self.sweep("out", until_ci=.001, trials=3000)
        document = self.document()
        self.assertEqual((document["stopped_by"], document["precision"]["reached"], document["partial"]), ("trials", False, False))
        self.assertEqual(document["sweeps"][0]["trials"], 3000)
        self.assertEqual(document["precision"]["look_trials"][-1], 3000)

    def test_the_trials_of_a_spec_are_no_limit(self):
        spec = self.spec(trials=5)
        self.succeeds("sweep", spec, "--until-ci", "0.02", "--out", "out", "--no-figures")
        self.assertTrue(self.document()["precision"]["reached"])
        self.assertGreater(self.document()["sweeps"][0]["trials"], 1000)

    def test_all_sweeps_stop_together(self):
        spec = self.spec(sweeps=[{"faults": [0]}, {"topology": "kary-ntree:k=3,n=3", "faults": [9]}], faults=None)
        self.succeeds("sweep", spec, "--until-ci", "0.01", "--out", "out", "--no-figures")
        self.assertEqual(len({sweep["trials"] for sweep in self.document()["sweeps"]}), 1)
        self.assertLessEqual(max(self.half_widths()), .01 * (1 + 1e-9))

    def test_threads_change_nothing(self):
        for threads in (1, 2, 8):
            self.sweep(f"out-{threads}", until_ci=self.target, trials=None, threads=threads)
            self.assertEqual(self.table(f"out-{threads}"), self.table("out-1"))

    def test_a_budget_may_end_it_first(self):
        self.sweep("out", until_ci=1e-6, trials=None, budget="0.3s", threads=2)
        document = self.document()
        self.assertEqual((document["stopped_by"], document["precision"]["reached"]), ("budget", False))
        self.assertGreater(document["precision"]["z"], 2)

    def test_targets_that_make_no_sense(self):
        for target in ("0", "-0.1", "0.5", "7", "1e-9", "nan", "x", ""):
            self.is_refused(sweep_arguments(until_ci=target, trials=None), "--until-ci")


class Budget(RunnerTest):
    def test_the_time_is_kept_and_the_result_is_whole(self):
        before = children_processor_seconds()
        self.sweep("out", trials=FOREVER, budget="1s", threads=2)
        self.assertLess(children_processor_seconds() - before, 2 * (1 + (20 if SANITIZED else 5)))
        document = self.document()
        self.assertEqual((document["stopped_by"], document["partial"]), ("budget", False))
        self.assertGreaterEqual(document["wall_seconds"], 1)
        self.sweep("again", trials=document["sweeps"][0]["trials"], threads=2)
        self.assertEqual(self.table(), self.table("again"))
        self.assertEqual(self.document("again")["stopped_by"], "trials")

    def test_no_sweep_is_left_out(self):
        spec = self.spec(sweeps=[{"topology": f"mikant:k={k},n=3"} for k in (2, 3, 4, 5)], topology=None, trials=FOREVER)
        self.succeeds("sweep", spec, "--budget", "2s", "--out", "out", "--no-figures", "--threads", "1")
        self.assertTrue(all(sweep["trials"] > 0 for sweep in self.document()["sweeps"]))

    def test_enough_time_changes_nothing(self):
        self.sweep("out", trials=1000, budget="2h")
        self.sweep("plain", trials=1000)
        self.assertEqual(self.table(), self.table("plain"))
        self.assertEqual(self.document()["stopped_by"], "trials")
        self.assertEqual(self.files(), ["sweep.csv", "sweep.json"])

    def test_it_goes_on_later(self):
        self.sweep("out", trials=FOREVER, budget="0.3s", threads=2)
        first = self.document()["sweeps"][0]["trials"]
        self.sweep("out", trials=FOREVER, budget="0.3s", threads=2, resume=True)
        document = self.document()
        self.assertGreater(document["sweeps"][0]["trials"], first)
        self.assertGreaterEqual(document["wall_seconds"], .6)
        self.sweep("again", trials=document["sweeps"][0]["trials"], threads=2)
        self.assertEqual(self.table(), self.table("again"))

    def test_times_that_make_no_sense(self):
        for value in ("0", "0s", "-1s", "1d", "s", "", "1 s", "1e99h", "0x1s", "1ss"):
            self.is_refused(sweep_arguments(budget=value), "--budget")
            self.is_refused(sweep_arguments(checkpoint=value, out="out"), "--checkpoint")


class Resume(RunnerTest):
    trials = 60000 if SANITIZED else 400000

    def options(self, **more):
        return {"trials": self.trials, "threads": 2, "checkpoint": "0.01s", "resume": True, **more}

    def start_sweep(self, out, **options):
        return self.start(*sweep_arguments(**{**SOME_ROUTERS, "out": out, "no_figures": True, "quiet": True, **options}))

    def finish_with_kills(self, out, seconds, **options):
        """Kills the run at random moments, at most `seconds` of processor time apart, until it finishes. Returns how often."""
        generator = random.Random(1)
        for kills in range(1000):
            program = self.start_sweep(out, **options)
            if wait_until_it_has_worked(program.process, generator.uniform(0, seconds)):
                program.signal(signal.SIGKILL)
                program.process.wait()
                if "sweep.json" in self.files(out) and "sweep.checkpoint" not in self.files(out):
                    return kills  # it had finished, and was killed while it exited
                continue
            outcome = program.finish()
            self.assertEqual(outcome.code, 0, outcome.err)
            return kills
        self.fail("it never gets to its end")

    def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bytes(self):
        before = children_processor_seconds()
        self.sweep("whole", trials=self.trials, threads=2)
        kills = self.finish_with_kills("out", max(.5, (children_processor_seconds() - before) * .7), **self.options())
        self.assertGreaterEqual(kills, 1)
        self.assertEqual(self.table(), self.table("whole"))
        self.assertEqual(self.document()["sweeps"], self.document("whole")["sweeps"], "paired differences too")
        self.assertEqual(self.files(), ["sweep.csv", "sweep.json"], "the checkpoint is gone, and its leftovers")

    def test_precision_and_several_sweeps_too(self):
        spec = self.spec(sweeps=[{}, {"topology": "kary-ntree:k=3,n=3", "routers": ["shortest", "gdl"]}], faults="0:40:4")
        arguments = ["sweep", spec, "--until-ci", "0.02" if SANITIZED else "0.0015", "--threads", "2", "--no-figures", "--quiet"]
        self.succeeds(*arguments, "--out", "whole")
        generator = random.Random(2)
        for _ in range(4):
            program = self.start(*arguments, "--out", "out", "--resume", "--checkpoint", "0.01s")
            wait_until_it_has_worked(program.process, generator.uniform(.1, .6))
            program.process.kill()
            program.process.wait()
        self.succeeds(*arguments, "--out", "out", "--resume")
        self.assertEqual(self.table(), self.table("whole"))
        self.assertEqual(self.document()["precision"], self.document("whole")["precision"])

    def interrupt(self, out="out", **options):
        program = self.start(*sweep_arguments(**{**SOME_ROUTERS, "out": out, "no_figures": True, **self.options(**options)}))
        program.wait_for_the_first_trials()
        outcome, more = program.signal_and_finish(signal.SIGINT)
        self.assertEqual(outcome.code, 130, outcome.err)
        self.assertLess(more, 10 if SANITIZED else 2)
        return outcome

    def test_after_ctrl_c_it_goes_on_where_it_was(self):
        outcome = self.interrupt(trials=FOREVER)
        self.assertIn("--resume", outcome.err)
        self.assertEqual(self.files(), ["sweep.checkpoint", "sweep.csv", "sweep.json"])
        done = self.document()["sweeps"][0]["trials"]
        self.assertEqual((self.document()["partial"], self.document()["stopped_by"]), (True, "interrupt"))
        self.interrupt(trials=FOREVER)
        more = self.document()["sweeps"][0]["trials"]
        self.assertGreater(more, done)
        self.sweep("again", trials=more, threads=2)
        self.assertEqual(self.table(), self.table("again"))

    def test_without_a_checkpoint_it_just_starts(self):
        self.sweep("out", trials=100, resume=True)
        self.sweep("plain", trials=100)
        self.assertEqual(self.table(), self.table("plain"))

    def test_a_finished_run_is_left_alone(self):
        for name, options in {"plain": {"trials": 100}, "precision": {"trials": None, "until_ci": .05}, "shard": {"trials": 100, "shard": "2/3"}}.items():
            with self.subTest(name):
                self.sweep(name, **options)
                before = tree_of(self.folder / name), os.stat(self.folder / name / "sweep.json").st_mtime_ns
                arguments = {**SOME_ROUTERS, "out": name, "no_figures": True, "resume": True, **options}
                outcome = self.succeeds(*sweep_arguments(**arguments))
                self.assertIn("nothing is left to do", outcome.err)
                self.assertIn(name, outcome.err)
                self.assertEqual(outcome.out, "")
                self.assertEqual(before, (tree_of(self.folder / name), os.stat(self.folder / name / "sweep.json").st_mtime_ns))
                self.assertEqual(self.succeeds(*sweep_arguments(**arguments, quiet=True))[1:], ("", ""))

    def test_another_shard_or_precision_is_not_the_finished_run(self):
        self.sweep("out", trials=100, shard="1/3")
        arguments = {**SOME_ROUTERS, "out": "out", "no_figures": True, "resume": True, "trials": 100}
        self.assertNotIn("nothing is left", self.run_program(*sweep_arguments(**arguments)).err)

    @needs_gnuplot
    def test_a_finished_run_without_its_figures_is_not_finished(self):
        self.sweep("out", trials=100)
        arguments = sweep_arguments(**{**SOME_ROUTERS, "out": "out", "resume": True, "trials": 100})
        self.assertNotIn("nothing is left", self.succeeds(*arguments).err)
        self.assertIn("success-ratio.png", self.files())
        self.assertIn("nothing is left", self.succeeds(*arguments).err)

    def test_results_are_not_overwritten(self):
        self.sweep("out", trials=100)
        self.is_refused(sweep_arguments(**{**SOME_ROUTERS, "out": "out", "resume": True, "no_figures": True}), "'out/sweep.csv'", "--force")

    def test_a_checkpoint_is_not_overwritten(self):
        self.interrupt(trials=FOREVER)
        arguments = {**SOME_ROUTERS, "out": "out", "no_figures": True}
        self.is_refused(sweep_arguments(**arguments), "'out/sweep.checkpoint'", "--resume", "--force")
        self.sweep("out", trials=100, force=True)
        self.assertEqual(self.files(), ["sweep.csv", "sweep.json"])

    def test_a_run_that_overwrites_results_goes_on_over_them(self):
        """It was begun with --force; resuming it needs no --force."""
        self.sweep("out", trials=100)
        program = self.start(*sweep_arguments(**{**SOME_ROUTERS, "out": "out", "no_figures": True, "trials": self.trials, "threads": 2,
                                                 "checkpoint": "0.01s", "force": True}))
        while program.process.poll() is None and not (self.folder / "out/sweep.checkpoint").exists():
            time.sleep(.005)
        program.signal(signal.SIGKILL)
        program.process.wait()
        self.sweep("out", trials=self.trials, threads=2, resume=True)
        self.sweep("plain", trials=self.trials, threads=2)
        self.assertEqual(self.table(), self.table("plain"))

    def test_input_files_that_changed_are_refused(self):
        """A spec's hash covers the contents of the files, not only their names."""
        graph = "4 2 4\n0 4\n1 4\n2 5\n3 5\n4 5\n"
        for topology in ("file:graph", "nd:p=2,net=file:graph"):
            with self.subTest(topology):
                base = {"topology": topology, "routers": "shortest", "faults": "0,1", "out": "out", "no_figures": True, "quiet": True}
                self.path("graph", graph)
                self.interrupt(trials=FOREVER, **{**base, "faults": "0:2:1", "quiet": None})
                arguments = sweep_arguments(**{**base, "faults": "0:2:1", **self.options(trials=FOREVER)})
                self.path("graph", graph.replace("2 5", "2 4"))
                self.is_refused(arguments, "sweep.checkpoint'", "another content of the file", topology)
                self.sweep("part-1", trials=100, shard="1/2", **{key: base[key] for key in ("topology", "routers", "faults")})
                self.path("graph", graph)
                self.is_refused(["merge", "part-1"], "part-1/sweep.json", "as it was then")
                shutil.rmtree(self.folder / "out")
                shutil.rmtree(self.folder / "part-1")
        self.path("faults", "1\n2\n")
        base = {"fault_model": "list:@faults", "faults": "0,1", "out": "list", "no_figures": True, "trials": 100, "quiet": True}
        self.succeeds(*sweep_arguments(**base))
        self.path("faults", "1\n3\n")
        self.is_refused(sweep_arguments(**base, resume=True), "'list/sweep.csv'")

    def test_checkpoints_of_other_runs_are_refused(self):
        self.interrupt(trials=FOREVER)
        base = {**SOME_ROUTERS, "out": "out", "no_figures": True, "quiet": True, **self.options(trials=FOREVER)}
        for change, words in [({"seed": 2}, ["seed 1", "has 2"]), ({"trials": 1000}, [f"trials {FOREVER}", "has 1000"]), ({"faults": "0:135:6"}, ["another experiment"]),
                              ({"routers": "shortest,gns"}, ["another experiment"]), ({"shard": "2/2"}, ["another shard"]),
                              ({"until_ci": .01, "trials": None}, ["trials"])]:
            with self.subTest(change):
                self.is_refused(sweep_arguments(**{**base, **change}), "sweep.checkpoint'", *words)
        document = (self.folder / "out/sweep.checkpoint").read_text()
        self.path("out/sweep.checkpoint", document.replace('"version": "', '"version": "9.'))
        self.is_refused(sweep_arguments(**base), "sweep.checkpoint'", "version 9.")

    def test_damaged_checkpoints_are_refused(self):
        self.interrupt(trials=FOREVER)
        document = (self.folder / "out/sweep.checkpoint").read_text()
        for bad in ("", "{}", document[:len(document) // 2], document.replace('"delivered": [', '"delivered": [1', 1)):
            self.path("out/sweep.checkpoint", bad)
            self.is_refused(sweep_arguments(**{**SOME_ROUTERS, "out": "out", "no_figures": True, **self.options(trials=FOREVER)}), "sweep.checkpoint")

    def test_checkpoints_that_cannot_be_written_do_not_end_the_run(self):
        (self.folder / "out/sweep.checkpoint/in the way").mkdir(parents=True)
        outcome = self.sweep("out", trials=self.trials, threads=2, checkpoint="0.01s", force=True)
        self.assertEqual(outcome.err.count("sweep.checkpoint"), 1, outcome.err)
        self.sweep("plain", trials=self.trials, threads=2)
        self.assertEqual(self.table(), self.table("plain"))

    @unittest.skipIf(SANITIZED, "times mean little under a sanitizer")
    def test_checkpoints_cost_little(self):
        """Uses processor time, which other programs do not change; the bound is generous (measured: below 1%)."""
        def cost(out, **options):
            before = os.times()
            self.sweep(out, trials=self.trials, threads=1, **options)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system
        plain = min(cost(f"plain-{i}", checkpoint="2h") for i in range(2))
        frequent = min(cost(f"frequent-{i}", checkpoint="0.1s") for i in range(2))
        self.assertLess(frequent, plain * 1.3)


class Responsiveness(RunnerTest):
    @unittest.skipIf(SANITIZED, "times mean little under a sanitizer")
    def test_slow_trials_can_be_interrupted(self):
        """A trial of tens of milliseconds: many fault points on a large network."""
        program = self.start(*sweep_arguments(topology="mikant:k=16,n=5", routers="gns+three-turn+x-turns+gdl,adaptive-up+gns+x-turns+gdl", faults=None,
                                              fault_rate="0:1:0.0001", trials=FOREVER, threads=2, out="out", no_figures=True))
        program.wait_for_the_first_trials()
        program.wait_until_it_has_worked(2)
        outcome, more = program.signal_and_finish(signal.SIGINT)
        self.assertEqual(outcome.code, 130)
        self.assertLess(more, 3, "of two threads")

    def test_progress_is_shown_while_it_works(self):
        program = self.start(*sweep_arguments(**{**SOME_ROUTERS, "trials": FOREVER, "threads": 2}))
        for _ in range(5):
            program.seen = b""
            program.wait_for(rb"%")
        program.signal(signal.SIGINT)
        program.finish()


class Combinations(RunnerTest):
    def test_options_that_do_not_go_together(self):
        self.is_refused(sweep_arguments(shard="1/2", until_ci=".01"), "--shard", "--until-ci")
        self.is_refused(sweep_arguments(resume=True), "--resume", "--out")
        self.is_refused(sweep_arguments(checkpoint="1s"), "--checkpoint", "--out")

    def test_help_names_all_of_them(self):
        text = self.succeeds("sweep", "--help").out
        for word in ("--until-ci", "--budget", "--shard", "--resume", "--checkpoint", "mpirun", "merge"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
