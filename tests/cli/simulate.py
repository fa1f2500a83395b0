"""`simulate`: its files, and what it refuses. Its texts are in golden.py, its numbers are tested in tests/sim/sim.c."""

import csv
import io
import json
import shutil
import signal
import subprocess
import time
import unittest

from support import HANG, PROGRAM, SANITIZED, ProgramTest, needs_gnuplot, tree_of, wait_until_it_has_worked

FAULT = "<0,1,00>-<1,1,00>"
FIGURES = {f"simulate-{name}.{suffix}" for name in ("latency", "accepted") for suffix in ("png", "svg")}


def simulate(*more, topology="mikant:k=3,n=3", router="shortest", load="0.1,0.2"):
    arguments = ["simulate", "--topology", topology, "--routers", router, "--steady", "--warmup", "200", "--cycles", "1000"]
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

    def figure(self, name):
        return self.path(f"results/simulate-{name}.svg").read_text()

    def figures(self):
        return {name for name in tree_of(self.path("results")) if name.endswith(".png")}

    @needs_gnuplot
    def test_one_load_has_no_figures_but_over_time(self):
        self.assertIn("note: no figures", self.succeeds(*simulate("--out", "results", load="0.1")).err)
        self.assertEqual(set(tree_of(self.path("results"))), {"simulate.csv", "simulate.json"})
        alone = self.succeeds(*simulate("--out", "results", "--force", "--series", 100, load="0.1"))
        self.assertNotIn("note", alone.err)
        self.assertEqual(self.figures(), {"simulate-series-latency.png", "simulate-series-delivered.png"})
        named = json.loads(self.path("results/simulate.json").read_text())["figures"]
        self.assertEqual(named, [{"name": "series-latency"}, {"name": "series-delivered"}])
        self.succeeds(*simulate("--out", "results", "--force"))
        self.assertEqual(set(tree_of(self.path("results"))), {"simulate.csv", "simulate.json"} | FIGURES, "those over time are gone")

    @needs_gnuplot
    def test_failures_are_marked_in_figures_over_time(self):
        at = f"600:{FAULT};600:<0,1,01>-<1,1,11>;900:<0,1,02>-<1,1,02>"
        self.succeeds(*simulate("--out", "results", "--series", 100, "--fail-at", at))
        for name in ("series-latency", "series-delivered", "series-lost"):
            self.assertIn("2 links fail<", self.figure(name))
            self.assertIn("1 link fails<", self.figure(name))
        self.assertNotIn("link fails", self.figure("latency"))

    @needs_gnuplot
    def test_footnotes_say_what_is_missing_and_the_seed(self):
        usual = ["simulate", "--topology", "mikant:k=3,n=3", "--routers", "three-turn", "--steady", "--cycles", "5000", "--out", "results", "--force"]
        self.succeeds(*usual, "--load", "0.1,1", "--fail", FAULT, "--seed", 7)
        self.assertIn("saturated and deadlocked loads have no value", self.figure("latency"))
        self.assertIn("deadlocked loads have no value", self.figure("accepted"))
        self.assertIn("1 run at each load, seed 7: no bands; ", self.figure("accepted"))
        self.assertIn("lost packets have no latency", self.figure("latency"))
        self.assertNotIn("lost packets", self.figure("accepted"))
        self.succeeds(*usual, "--load", "0.1,0.2", "--runs", 2)
        self.assertIn("2 runs at each load, seeds 1 to 2; bands: 95% confidence of the mean over the runs (Student", self.figure("latency"))
        self.assertIn("saturated loads have no value; Faultline", self.figure("latency"))
        self.assertNotIn("deadlocked", self.figure("latency") + self.figure("accepted"))

    @needs_gnuplot
    def test_a_search_is_drawn_to_a_little_beyond_saturation(self):
        self.succeeds("simulate", "--topology", "mikant:k=3,n=3", "--routers", "gns+gdl@phase:3", "--faults", 10, "--steady", "--warmup", 1000,
                      "--cycles", 5000, "--find-saturation", "--out", "results")
        results = json.loads(self.path("results/simulate.json").read_text())
        self.assertTrue(0.2 < results["saturation"]["not_carried"] < 0.4, results["saturation"])
        unsteady = [run for run in results["results"] if not run["steady"] and not run["saturated"]]
        self.assertTrue(unsteady, "else this shows nothing")
        for name in ("latency", "accepted"):
            self.assertIn(">not steady<", self.figure(name))
            self.assertNotIn(">0.5<", self.figure(name), "the axis ends before")

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
        one = json.loads(self.succeeds(*usual, "--routers", "three-turn", "--json", "--quiet").out)
        run = one["results"][0]
        self.assertTrue(run["deadlocked"])
        cycle = run["deadlock"]["cycle"]
        self.assertGreater(len(cycle), 1)
        for held, wanted in zip(cycle, cycle[1:] + cycle[:1]):
            self.assertEqual(held["to"], wanted["from"])
            self.assertNotEqual({held["from"], held["to"]}, set(FAULT.replace(">-<", "> <").split()))
        three = self.rows(*usual, "--routers", "three-turn@turns:3")
        self.assertEqual([row["deadlocked"] for row in three], ["no"])

    def proof(self, *more, note=None, **what):
        outcome = self.succeeds(*simulate("--json", *more, **{"load": "0.05", **what}))
        if note is None:
            self.assertNotIn("deadlock", outcome.err)
        else:
            self.assertIn(note, outcome.err)
        return tuple(json.loads(outcome.out)["deadlock_proof"].values())

    def test_it_says_what_is_proven_of_the_candidates_that_it_takes(self):
        adaptive = {"router": "minimal-adaptive"}
        cycle = "note: minimal-adaptive is deadlock-free under the faults of this run only by the first candidate"
        self.assertEqual(self.proof(**adaptive, note=cycle), ("first candidate only", "all"))
        self.assertEqual(self.proof("--choice", "any-free", **adaptive, note=cycle), ("first candidate only", "all"))
        self.assertEqual(self.proof("--choice", "first", **adaptive), ("deadlock-free", "first"))
        self.assertEqual(self.proof(router="minimal-adaptive@phase:2"), ("deadlock-free", "all"))
        self.assertEqual(self.proof(router="spiral"), ("deadlock-free", "first"))
        not_proven = "is not proven deadlock-free under the faults of this run"
        self.assertEqual(self.proof("--fail", FAULT, router="three-turn", note=not_proven), ("not proven", "all"))
        self.assertEqual(self.proof("--fail-at", f"500:{FAULT}", router="three-turn", note=not_proven), ("not proven", "all"))
        self.assertEqual(self.proof(router="three-turn"), ("deadlock-free", "all"), "without faults there are no detours")
        self.assertEqual(self.proof("--fail", FAULT, router="three-turn@turns:3"), ("deadlock-free", "all"))

    def test_a_proof_that_takes_long_is_left_out(self):
        large = {"topology": "mikant:k=4,n=5", "load": "0.001"}
        adaptive = self.proof(router="minimal-adaptive", **large, note="was not checked")
        self.assertEqual(adaptive, ("not checked", "all"))

    def test_a_saturated_load_has_no_latency(self):
        light, heavy = self.rows(*simulate(load="0.1,1"))
        for row in (light, heavy):
            low, load, high = (float(row[key]) for key in ("accepted_low", "accepted_load", "accepted_high"))
            self.assertTrue(low < load < high < 1.2 * load, row)
        self.assertEqual((light["saturated"], heavy["saturated"]), ("no", "yes"))
        self.assertGreater(float(light["latency_mean"]), 5)
        self.assertEqual(heavy["latency_mean"], "")

    def summary(self, *arguments):
        return self.succeeds(*arguments, "--out", "results", "--force", "--no-figures").out

    def test_the_heading_distinguishes_faults_and_failures(self):
        for more, words in (([], "0 faulty links\n"), (["--faults", 1], "1 faulty link\n"), (["--fail-at", "500:20"], "0 faulty links, 1 fails during the run\n"),
                            (["--fail-at", "500:20;600:21", "--faults", 2], "2 faulty links, 2 fail during the run\n")):
            with self.subTest(more):
                self.assertTrue(self.summary(*simulate(*more)).startswith("mikant:k=3,n=3, shortest, preset mikant2018, traffic uniform, " + words))

    def test_retried_packets_are_reported(self):
        links = ";".join(f"500:{link}" for link in range(30, 50))
        failing = simulate("--fail-at", links, router="gns+gdl@phase:3", load="0.5")
        again = self.summary(*failing, "--on-failure", "retry")
        retried = json.loads(self.path("results/simulate.json").read_text())["results"][0]["retried"]
        self.assertGreater(retried, 0)
        self.assertIn(f"  {retried} retried\n", again)
        self.assertNotIn("retried", self.summary(*failing))

    def test_failures_that_never_came_are_reported(self):
        late = simulate("--fail-at", f"500:20;50000:{FAULT}", load="0.1")
        end = json.loads(self.succeeds(*late, "--json", "--quiet").out)["results"][0]["cycles"]
        note = f"note: the failure of {FAULT} in cycle 50000 never came: the run ended at cycle {end}\n"
        self.assertTrue(self.summary(*late).split("written to")[0].endswith(note))
        for plain in ([], ["--json"]):
            err = self.succeeds(*late, *plain).err
            self.assertIn(note, err)
            self.assertEqual(err.count("never came"), 1)
        self.assertNotIn("never came", self.succeeds(*late, "--quiet").err)
        self.assertIn("never came in 2 of 2 runs: they ended at cycles", self.succeeds(*simulate("--fail-at", "50000:20", load="0.1,0.2")).err)
        self.assertIn(note.replace("50000", str(end)), self.succeeds(*simulate("--fail-at", f"500:20;{end}:{FAULT}", load="0.1")).err)
        self.assertNotIn("never came", self.succeeds(*simulate("--fail-at", f"500:20;{end - 1}:{FAULT}", load="0.1")).err)

    def test_a_link_fails_once(self):
        self.is_refused(simulate("--fail-at", f"5:{FAULT};7:{FAULT}"), f"the link {FAULT} is named twice")
        self.is_refused(simulate("--fail-at", f"5:{FAULT};6:20;5:{FAULT}"), f"the link {FAULT} is named twice")
        self.is_refused(simulate("--fail-at", f"5:20;7:{FAULT}", "--fail", FAULT), f"the link {FAULT} is down from the start", "--fail ")

    def test_a_series_needs_a_place(self):
        self.is_refused(simulate("--series", 10), "--series", "--out or --json")

    def test_a_bracket_of_unsteady_runs_is_marked(self):
        search = ["simulate", "--routers", "minimal-adaptive", "--steady", "--warmup", 0, "--cycles", 500, "--find-saturation"]
        for topology, steady in (("kary-ntree:k=4,n=2", False), ("kary-ntree:k=2,n=1", True)):
            summary = self.summary(*search, "--topology", topology).split("written to")[0]
            rows = csv.DictReader(io.StringIO(self.path("results/simulate.csv").read_text()))
            carried = json.loads(self.path("results/simulate.json").read_text())["saturation"]["carried"]
            self.assertEqual([row["steady"] for row in rows if abs(float(row["load"]) - carried) < 1e-6], ["yes" if steady else "no"])
            note = f"note: the load {carried:.4f} was carried but not steady: this holds for runs of 500 cycles, and longer ones"
            self.assertEqual(summary.splitlines()[-1].startswith(note), not steady, summary)

    def test_an_interrupted_run_is_marked(self):
        process = subprocess.Popen([PROGRAM, "simulate", "--topology", "mikant:k=3,n=3", "--routers", "shortest", "--steady", "--cycles",
                                    "100000000", "--load", "0.3", "--json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_until_it_has_worked(process, .5))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 130)
        self.assertIn("partial", err)
        self.assertTrue(json.loads(out)["partial"])


class SimulateSpec(ProgramTest):
    """Specs of several curves. tests/experiments/load.c also tests how they are read."""

    def curves(self, *labels, **keys):
        usual = {"topology": "mikant:k=2,n=3", "steady": True, "warmup": 100, "cycles": 500, "load": [0.1, 0.2],
                 "curves": [{"label": label, "routers": label} for label in labels or ("shortest", "gns@phase:3")]}
        return self.path("curves.json", json.dumps({key: value for key, value in {**usual, **keys}.items() if value is not None}))

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.succeeds("simulate", *arguments, "--quiet").out)))

    def test_a_curve_is_what_its_options_give_alone(self):
        spec = self.curves(runs=2)
        rows = [row for row in self.rows(spec) if row["curve"] == "shortest"]
        alone = self.rows("--topology", "mikant:k=2,n=3", "--routers", "shortest", "--steady", "--warmup", 100, "--cycles", 500, "--load", "0.1,0.2",
                          "--runs", 2)
        self.assertEqual(len(rows), 4)
        self.assertEqual([{key: row[key] for key in alone[0]} for row in rows], alone)

    def test_the_bytes_do_not_depend_on_threads(self):
        spec = self.curves(fault_rate=[0, 0.05], fault_sets=3, load=0.2)
        one, eight = (self.succeeds("simulate", spec, "--quiet", "--threads", n).out for n in (1, 8))
        self.assertEqual(one, eight)

    def test_sets_of_faults_are_the_same_for_all_curves(self):
        rows = self.rows(self.curves(fault_rate=[0, 0.1], fault_sets=3, load=0.2))
        self.assertEqual([(row["curve"], row["fault_rate"], row["fault_set"]) for row in rows],
                         [(curve, rate, set) for curve in ("shortest", "gns@phase:3") for rate in ("0", "0.1") for set in "123"])
        self.assertEqual([row["faults"] for row in rows], [faults for _ in range(2) for faults in ["0"] * 3 + ["4"] * 3])
        alone = self.rows("--topology", "mikant:k=2,n=3", "--routers", "shortest", "--steady", "--warmup", 100, "--cycles", 500, "--load", "0.2",
                          "--fault-rate", "0.1", "--fault-seed", 3, "--seed", 3)
        self.assertEqual({key: rows[5][key] for key in alone[0]}, alone[0])

    def test_options_beside_a_spec_replace_what_it_says_of_all(self):
        spec = self.curves()
        self.assertEqual({row["load"] for row in self.rows(spec, "--load", "0.3")}, {"0.3"})
        self.is_refused(["simulate", spec, "--routers", "gdl"], "curve 1 (shortest)", "--routers", "its own")
        self.is_refused(["simulate", spec, "--find-saturation"], "--find-saturation")
        self.is_refused(["simulate", spec, "--packet", 0], "--packet 0")
        self.is_refused(["simulate", spec, "--vcs", 2], "curve 1 (shortest)", "--vcs 2")
        self.is_refused(["simulate", self.curves(fault_rate=[0, 0.1], load=0.1), "--faults", 3], "give --faults or --fault-rate, not both")
        self.is_refused(["simulate", self.curves(fault_rates=[0, 0.1])], "'fault_rates': it is 'fault_rate' here")

    def test_every_curve_has_its_proof(self):
        path = self.curves(curves=[{"label": "a", "routers": "minimal-adaptive"}, {"label": "b", "routers": "shortest"}])
        outcome = self.succeeds("simulate", path, "--json")
        verdicts = [curve["deadlock_proof"]["verdict"] for curve in json.loads(outcome.out)["curves"]]
        self.assertEqual(verdicts, ["first candidate only", "deadlock-free"])
        self.assertIn("note: a: minimal-adaptive is deadlock-free", outcome.err)
        self.assertNotIn("note: b:", outcome.err)

    @needs_gnuplot
    def test_resume_of_a_finished_run_keeps_its_results_and_draws_its_figures_anew(self):
        figures = [{"name": "latency", "quantity": "latency", "against": "accepted_load"},
                   {"name": "time", "quantity": "series_latency", "against": "cycle"},
                   {"name": "difference", "quantity": "accepted_load", "difference_to": "shortest"}]
        spec = self.curves(runs=3, load="0.1,0.4,1", series=50, figures=figures)
        again = ["simulate", spec, "--out", "out", "--resume"]
        self.succeeds("simulate", spec, "--out", "out")
        first = tree_of(self.path("out"))
        for name in ("simulate-latency.svg", "simulate-time.png"):
            (self.path("out") / name).unlink()
        self.assertIn("nothing is left to do", self.succeeds(*again).err)
        self.assertEqual(tree_of(self.path("out")), first, "to the byte")
        self.path("out/simulate-time.svg", "old")
        self.succeeds(*again, "--no-figures")
        self.assertEqual(self.path("out/simulate-time.svg").read_text(), "old")
        whole = self.path("out/simulate.json").read_text()
        self.is_refused([*again, "--seed", 5], "simulate.json", "another spec", "--force")
        for damage in ((""", "counted": """, """, "counter": """), ('"partial": false', '"partial": true'), ('"delivered": [', '"delivered": [1,'),
                       ('"retried": [0,', '"retried": [-1,'), ('"saturated": ', '"saturated": 7, "was": '), ('"results": [', '"results": [7,')):
            with self.subTest(damage):
                self.assertIn(damage[0], whole)
                self.path("out/simulate.json", whole.replace(*damage, 1))
                self.is_refused(again, "simulate.json", "--force")

    def test_failures_that_never_came_are_reported_with_their_curve(self):
        spec = self.curves(curves=[{"label": "late", "routers": "shortest", "fail_at": "90000:20"}, {"label": "none", "routers": "shortest"}])
        for note in (self.succeeds("simulate", spec).err, self.succeeds("simulate", spec, "--out", "results", "--no-figures").out):
            self.assertIn("note: late: the failure of ", note)
            self.assertEqual(note.count("never came in 2 of 2 runs"), 1)

    def test_mistakes_are_named_with_their_curve(self):
        good = {"label": "good", "routers": "shortest"}
        for bad, words in (({"routers": "shortst"}, ("curve 2 (bad)", "shortst")), ({"routers": "gns", "packets": 3}, ("curve 2", "packets")),
                           ({"routers": "gns", "load": 2}, ("curve 2 (bad)", "'load' 2")), ({"routers": "gns", "warmup": True}, ("curve 2", "warmup"))):
            with self.subTest(bad):
                self.is_refused(["simulate", self.curves(curves=[good, {"label": "bad", **bad}], warmup=None)], *words)
        self.is_refused(["simulate", "missing.json"], "missing.json")
        self.is_refused(["simulate", self.curves(figures=[{"name": "f", "quantity": "series_lost", "against": "cycle"}])], "'series'")
        self.is_refused(["simulate", self.curves(fault_rate="0:0.1:0.1")], "curve 1", "one 'load'")
        figure = {"name": "f", "quantity": "latency", "against": "offered_load", "curves": ["zz"]}
        self.is_refused(["simulate", self.curves(figures=[figure])], "there is no curve 'zz'; there are 'shortest', 'gns@phase:3'")
        self.is_refused(["simulate", self.curves(), "--series", 10], "--series", "--out or --json")
        self.is_refused(simulate("--resume"), "--resume")

    @needs_gnuplot
    def test_a_folder_gets_what_the_spec_names(self):
        figures = [{"name": "a", "quantity": "latency", "against": "accepted_load"}, {"name": "b", "quantity": "series_delivered", "against": "cycle"}]
        spec = self.curves(figures=figures, series=50, load=[0.1, 1])
        self.succeeds("simulate", spec, "--out", "results")
        names = {"simulate.csv", "simulate.json"} | {f"simulate-{name}.{suffix}" for name in "ab" for suffix in ("png", "svg")}
        self.assertEqual(set(tree_of(self.path("results"))), names)
        before = tree_of(self.path("results"))
        self.is_refused(["simulate", spec, "--out", "results"], "is there already")
        self.assertEqual(tree_of(self.path("results")), before)
        self.succeeds("simulate", spec, "--out", "results", "--force", "--no-figures")
        self.assertEqual(set(tree_of(self.path("results"))), {"simulate.csv", "simulate.json"}, "figures of replaced results go")

    def test_the_summary_says_why_a_value_is_missing(self):
        spec = self.curves("shortest", load=[0.8, 0.9])
        out = self.succeeds("simulate", spec, "--out", "results", "--no-figures").out
        self.assertRegex(out, r"(?m)^  shortest +saturated +none +0\.\d+ \+-")

    def test_ctrl_c_loses_nothing_and_resume_goes_on(self):
        spec = self.curves(load=[0.1, 0.2, 0.3], runs=3, cycles=600 if SANITIZED else 4000)
        expected = self.succeeds("simulate", spec, "--quiet").out
        slow = ["simulate", str(spec), "--out", "results", "--no-figures", "--threads", "1", "--quiet"]
        process = subprocess.Popen([PROGRAM, *slow], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (self.path("results/simulate.checkpoint").exists() and
                                              self.path("results/simulate.checkpoint").stat().st_size > 1500):
            time.sleep(.002)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG)
        if process.returncode == 130:
            rows = self.path("results/simulate.csv").read_text().splitlines()
            self.assertGreater(len(rows), 1)
            self.assertLessEqual(set(rows), set(expected.splitlines()), "what was finished is in the table")
            self.assertTrue(json.loads(self.path("results/simulate.json").read_text())["partial"])
            self.is_refused(slow, "--resume goes on with it")
            self.is_refused([*slow, "--resume", "--seed", "5"], "another spec")
            self.succeeds(*slow, "--resume")
            self.assertGreater(json.loads(self.path("results/simulate.json").read_text())["runs_taken_up"], 0)
        self.assertEqual(self.path("results/simulate.csv").read_text(), expected)
        self.assertFalse(self.path("results/simulate.checkpoint").exists())

    def interrupted(self, spec):
        """A folder with the checkpoint of a run that was killed."""
        arguments = ["simulate", str(spec), "--out", "cut", "--no-figures", "--threads", "1", "--quiet"]
        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder) as process:
            while process.poll() is None and not (self.path("cut/simulate.checkpoint").exists() and
                                                  self.path("cut/simulate.checkpoint").stat().st_size > 100):
                time.sleep(.002)
            process.kill()
        self.assertTrue(self.path("cut/simulate.checkpoint").exists(), "the run was over too soon")
        self.path("cut/.faultline-lock").unlink()  # which locks nothing any more
        return [*arguments, "--resume"]

    def test_input_files_that_changed_are_refused(self):
        targets, graph = "1\n0\n3\n2\n", "4 2 4\n0 4\n1 4\n2 5\n3 5\n4 5\n"
        for name, text, other in (("targets", targets, "2\n3\n0\n1\n"), ("graph", graph, graph.replace("2 5", "2 4")), ("faults", "0\n", "1\n")):
            with self.subTest(name):
                self.path("targets", targets)
                self.path("graph", graph)
                self.path("faults", "0\n")
                resume = self.interrupted(self.curves("shortest", topology="file:graph", traffic="permutation:targets", fail="@faults",
                                                      load=[0.1, 0.2, 0.3], runs=9, cycles=200000))
                self.path(name, other)
                self.is_refused(resume, "other options or input files")
                self.path(name, text)
                shutil.rmtree(self.folder / "cut")

    def test_torn_checkpoints_are_taken_up_as_far_as_they_are_whole(self):
        """Every length and every bit of one: tests/experiments/load.c, and tests/fuzz/checkpoint.c."""
        spec = self.curves(load=[0.1, 0.2, 0.3], runs=3, cycles=4000)
        expected = self.succeeds("simulate", spec, "--quiet").out
        resume = self.interrupted(spec)
        data = self.path("cut/simulate.checkpoint").read_bytes()
        for length in {0, 1, 71, 72, 73, 80, 88, 96, len(data) // 2, len(data) - 1, len(data)}:
            with self.subTest(length):
                shutil.rmtree(self.folder / "cut")
                self.path("cut").mkdir()
                self.path("cut/simulate.checkpoint", data[:length])
                self.succeeds(*resume)
                self.assertEqual(self.path("cut/simulate.csv").read_text(), expected)


if __name__ == "__main__":
    unittest.main()
