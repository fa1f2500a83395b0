"""Ranks: the same results from mpirun. Skipped where there is no mpirun, or the program knows no MPI."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import (FOREVER, FULL, HANG, PROGRAM, ROOT, SANITIZED, SANITIZER_REPORT, Outcome, ProgramTest, processor_seconds, sweep_arguments)

OPTIONS = {"routers": "shortest,gns,gns+gdl", "faults": "0:135:5", "trials": 30001, "no_figures": True, "quiet": True}
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def environment(changes=None):
    """MPI itself leaks memory, which is not the subject of these tests."""
    return {**{key: value for key, value in os.environ.items() if key != "TMPDIR"}, "LSAN_OPTIONS": "detect_leaks=0", **(changes or {})}


def reason_to_skip():
    if not shutil.which("mpirun"):
        return "mpirun is not installed (Debian, Ubuntu: openmpi-bin)"
    done = subprocess.run([*MPIRUN, "-n", "2", PROGRAM, "sweep", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), timeout=HANG)
    if b"built without MPI" in done.stdout:
        return "the program was built without MPI (Debian, Ubuntu: libopenmpi-dev)"
    return None if done.returncode == 0 else f"mpirun does not work here: {done.stdout.decode()[:500]}"


REASON = reason_to_skip()
PLUGINS = Path(os.environ.get("PLUGINS", ROOT / "build" / "tests" / "plugins")).resolve()


@unittest.skipIf(REASON, REASON)
class MpiTest(ProgramTest):
    def command(self, ranks, arguments):
        return [*MPIRUN, "-n", str(ranks), PROGRAM, *map(str, arguments)]

    def run_ranks(self, ranks, arguments, env=None):
        done = subprocess.run(self.command(ranks, arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              env=environment(env), timeout=HANG)
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))
        self.assertIsNone(SANITIZER_REPORT.search(outcome.err), outcome.err)
        return outcome

    def sweep(self, ranks, out, **options):
        arguments = sweep_arguments(**{**OPTIONS, "out": out, **options})
        outcome = self.run_ranks(ranks, arguments) if ranks else self.run_program(*arguments)
        self.assertEqual(outcome.code, 0, outcome.err)
        return outcome

    def start_ranks(self, ranks, **options):
        process = subprocess.Popen(self.command(ranks, sweep_arguments(**{**OPTIONS, "out": "out", **options})), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment(), start_new_session=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.stdout.close(), process.stderr.close()))
        return process

    def wait_for_checkpoint(self, process):
        """False if the process ended before it wrote one."""
        end = time.monotonic() + HANG
        while not (self.folder / "out/sweep.checkpoint").exists():
            if process.poll() is not None:
                return False
            self.assertLess(time.monotonic(), end, "no checkpoint was written")
            time.sleep(.02)
        return True

    def ranks_of(self, process):
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], stdout=subprocess.PIPE, timeout=HANG).stdout
        return [int(pid) for pid in children.split()]

    def wait_until_ranks_work(self, process, count):
        """Waits until each has used half a second of processor time, which is more than the start takes."""
        end = time.monotonic() + HANG
        while True:
            ranks = self.ranks_of(process)
            if len(ranks) == count and min(map(processor_seconds, ranks)) > .5:
                return
            self.assertIsNone(process.poll(), "ended before")
            self.assertLess(time.monotonic(), end, "never began")
            time.sleep(.05)

    def signal_ranks(self, process, number):
        """Signals the ranks directly: mpirun kills them one second of wall-clock time after it has passed a signal on."""
        for rank in self.ranks_of(process):
            try:
                os.kill(rank, number)
            except ProcessLookupError:
                pass

    def kill(self, process, ranks):
        if ranks:
            self.signal_ranks(process, signal.SIGKILL)
        else:
            process.kill()
        process.communicate(timeout=HANG)

    def table(self, out="out"):
        return (self.folder / out / "sweep.csv").read_text()

    def document(self, out="out"):
        return json.loads((self.folder / out / "sweep.json").read_text())


class SameResults(MpiTest):
    def test_of_1_2_and_4_ranks(self):
        self.sweep(0, "alone")
        for ranks, threads in ((1, 2), (2, 2), (4, 1)):
            self.sweep(ranks, f"ranks-{ranks}", threads=threads)
            self.assertEqual(self.table(f"ranks-{ranks}"), self.table("alone"))
            self.assertEqual(self.document(f"ranks-{ranks}")["sweeps"], self.document("alone")["sweeps"])
            self.assertEqual(self.document(f"ranks-{ranks}")["ranks"], ranks)

    def test_of_several_sweeps_with_precision(self):
        spec = self.spec(sweeps=[{}, {"topology": "kary-ntree:k=3,n=3", "routers": ["shortest", "gdl"]}], faults="0:40:8")
        arguments = ["sweep", spec, "--until-ci", "0.005", "--no-figures", "--quiet"]
        self.succeeds(*arguments, "--out", "alone")
        for ranks in (2, 4):
            outcome = self.run_ranks(ranks, [*arguments, "--out", f"ranks-{ranks}"])
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertEqual(self.table(f"ranks-{ranks}"), self.table("alone"))
            self.assertEqual(self.document(f"ranks-{ranks}")["precision"], self.document("alone")["precision"])

    def test_of_a_shard_and_of_few_trials(self):
        self.sweep(0, "alone", trials=5, shard="2/3")
        self.sweep(4, "ranks", trials=5, shard="2/3")
        self.assertEqual(self.table("ranks"), self.table("alone"))

    def test_standard_output_has_one_table(self):
        arguments = sweep_arguments(**{**OPTIONS, "trials": 100, "no_figures": None})
        self.assertEqual(self.run_ranks(2, arguments).out, self.succeeds(*arguments).out)

    def test_without_threads_ranks_share_the_processors(self):
        self.sweep(2, "out", threads=None, trials=100)
        self.assertLessEqual(self.document()["threads"], max(1, os.cpu_count() // 2))


class Simulations(MpiTest):
    USUAL = ["simulate", "--topology", "mikant:k=3,n=3", "--steady", "--warmup", "200", "--cycles", "1000", "--quiet"]

    def same(self, *arguments, ranks=(2, 4)):
        """Checks that one process and several ranks give the same output, and returns it."""
        alone = self.succeeds(*self.USUAL, *arguments).out
        for count in ranks:
            outcome = self.run_ranks(count, [*self.USUAL, *arguments])
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertEqual(self.without_run(outcome.out), self.without_run(alone))
        return alone

    @staticmethod
    def without_run(out):
        """The results without the description of the run: when, how long, on how many processors."""
        return re.sub(r'"(started|wall_seconds|threads|ranks|host)":.*', "", out)

    def test_loads_and_seeds(self):
        self.assertEqual(len(self.same("--routers", "shortest", "--load", "0.1,0.3", "--runs", "3", "--threads", "1").splitlines()), 7)

    def test_a_search(self):
        """Its first load is a single run for four ranks."""
        self.same("--routers", "shortest", "--find-saturation", ranks=(4,))

    def test_time_series_and_deadlocks_of_other_ranks(self):
        out = self.same("--routers", "three-turn", "--fail", "<0,1,00>-<1,1,00>", "--load", "0.1,1", "--series", "100", "--json", ranks=(2,))
        self.assertTrue(json.loads(out)["results"][1]["deadlock"]["cycle"])

    def test_a_folder_is_the_first_ranks_business(self):
        arguments = [*self.USUAL, "--routers", "shortest", "--load", "0.1,0.2", "--no-figures", "--out", "out"]
        self.assertEqual(self.run_ranks(2, arguments).code, 0)
        self.assertEqual(json.loads((self.folder / "out/simulate.json").read_text())["ranks"], 2)
        outcome = self.run_ranks(2, arguments)
        self.assertEqual((outcome.code, outcome.out, len(re.findall("^faultline: ", outcome.err, re.M))), (2, "", 1), outcome.err)
        self.assertIn("out/simulate.csv", outcome.err)

    def test_ctrl_c_ends_all(self):
        process = subprocess.Popen(self.command(2, [*self.USUAL[:-4], "1000", "--cycles", "100000000", "--routers", "shortest", "--load", "0.1,0.3",
                                                    "--quiet", "--out", "out"]),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment(),
                                   start_new_session=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.stdout.close(), process.stderr.close()))
        self.wait_until_ranks_work(process, 2)
        self.signal_ranks(process, signal.SIGINT)
        err = process.communicate(timeout=HANG)[1].decode(errors="replace")
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(err.count("ended early"), 1, err)
        self.assertTrue(json.loads((self.folder / "out/simulate.json").read_text())["partial"])


class Specs(MpiTest):
    """Specs of several curves, and of workloads on several networks: runs of very different length, assigned one at a time."""

    RUN = ("started", "wall_seconds", "threads", "ranks", "host", "runs_taken_up")  # describe the run, not the network
    NETWORKS = {"large": "kary-ntree:k=4,n=4", "small": "mikant:k=2,n=2", "middle": "mikant:k=3,n=3"}

    def curves(self, name="curves.json", **keys):
        usual = {"name": "curves", "preset": "mikant2018", "steady": True, "warmup": 100, "cycles": 300 if SANITIZED else 2000,
                 "load": [0.1, 0.3], "runs": 2, "series": 100,
                 "curves": [{"label": label, "topology": network, "routers": "d-mod-k"} for label, network in self.NETWORKS.items()]}
        self.path(name, json.dumps({key: value for key, value in {**usual, **keys}.items() if value is not None}))
        return name

    def makespans(self):
        self.path("times.json", json.dumps({"name": "times", "preset": "thintree", "router": "minimal-adaptive", "runs": 2,
                                            "networks": ["kary-ntree:k=4,n=2", "thintree:k=4,up=2,n=2"],
                                            "workloads": ["BI:bytes=500", "BU:bytes=100", "W2:bytes=300"]}))
        return "times.json"

    def run_spec(self, ranks, spec, *options, command="simulate"):
        arguments = [command, spec, "--no-figures", "--quiet", *options]
        outcome = self.run_ranks(ranks, arguments) if ranks else self.run_program(*arguments)
        self.assertEqual(outcome.code, 0, outcome.err)

    def results_of(self, out, command="simulate"):
        """The bytes of the CSV; the JSON without the description of the run; the number of ranks."""
        document = json.loads((self.folder / out / f"{command}.json").read_text())
        return (self.folder / out / f"{command}.csv").read_text(), {key: document[key] for key in document if key not in self.RUN}, document["ranks"]

    def check_ranks(self, spec, command):
        self.run_spec(0, spec, "--out", "alone", "--threads", 1, command=command)
        self.run_spec(0, spec, "--out", "threads", "--threads", 8, command=command)
        expected = self.results_of("alone", command)
        self.assertEqual(self.results_of("threads", command), expected)
        for ranks, threads in ((1, 2), (2, 2), (4, 1)):
            self.run_spec(ranks, spec, "--out", f"ranks-{ranks}", "--threads", threads, command=command)
            self.assertEqual(self.results_of(f"ranks-{ranks}", command), (*expected[:2], ranks))

    def test_curves_of_1_2_and_4_ranks(self):
        self.check_ranks(self.curves(), "simulate")

    def test_times_of_1_2_and_4_ranks(self):
        self.check_ranks(self.makespans(), "makespan")

    def test_more_ranks_than_runs(self):
        spec = self.curves(load=0.1, runs=1, curves=[{"label": "a", "topology": "mikant:k=2,n=2", "routers": "shortest"}])
        self.assertEqual(self.run_ranks(4, ["simulate", spec, "--quiet"]).out, self.succeeds("simulate", spec, "--quiet").out)

    def test_faults_and_deadlocks_of_other_ranks(self):
        """Runs with lists of their own; --fail is of one curve."""
        curves = [{"label": "a", "routers": "shortest"}, {"label": "b", "routers": "three-turn", "fail": "<0,1,00>-<1,1,00>"}]
        spec = self.curves(topology="mikant:k=3,n=3", load=[0.3, 1], runs=1, cycles=1000, curves=curves)
        outcome = self.run_ranks(2, ["simulate", spec, "--json", "--quiet"])
        self.assertEqual(outcome.code, 0, outcome.err)
        alone = json.loads(self.succeeds("simulate", spec, "--json", "--quiet").out)
        self.assertTrue(alone["curves"][1]["results"][1]["deadlock"]["cycle"])
        self.assertEqual(json.loads(outcome.out)["curves"], alone["curves"])

    # ---- ends ----

    def start_spec(self, ranks, *arguments):
        command = self.command(ranks, arguments) if ranks else [PROGRAM, *map(str, arguments)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env=environment(), start_new_session=True)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.stdout.close(), process.stderr.close()))
        return process

    def started_and_begun(self, ranks, runs=5 if SANITIZED else 50):
        """A run of many runs, some of which are in the checkpoint; its spec and its process. A fast machine gets more. 0 ranks: without
        mpirun. Each run is short, because signals are checked only every few thousand cycles."""
        curves = [{"label": label, "topology": self.NETWORKS[label], "routers": "d-mod-k"} for label in ("small", "middle")]
        while True:
            runs *= 2
            spec = self.curves(curves=curves, runs=min(runs, 1000), cycles=500 if runs <= 1000 else runs)
            process = self.start_spec(ranks, "simulate", spec, "--out", "out", "--threads", 1, "--no-figures", "--quiet", "--force")
            checkpoint, end = self.folder / "out/simulate.checkpoint", time.monotonic() + HANG
            while process.poll() is None:
                self.assertLess(time.monotonic(), end, "no run came to its end")
                if checkpoint.exists() and checkpoint.stat().st_size > 5000:
                    return spec, process
                time.sleep(.005)
            self.assertEqual(process.returncode, 0, process.communicate()[1])

    def goes_on(self, ranks, spec):
        """... to the bytes of an uninterrupted run."""
        self.run_spec(ranks, spec, "--out", "out", "--threads", 2, "--resume")
        self.run_spec(0, spec, "--out", "alone")
        self.assertEqual(self.results_of("out")[:2], self.results_of("alone")[:2])
        self.assertFalse((self.folder / "out/simulate.checkpoint").exists())
        taken_up = json.loads((self.folder / "out/simulate.json").read_text())["runs_taken_up"]
        self.assertGreater(taken_up, 0)

    def test_killed_ranks_and_going_on_with_others(self):
        for before, after in ((2, 4), (4, 0), (0, 2)):
            with self.subTest(before=before, after=after):
                spec, process = self.started_and_begun(before)
                self.kill(process, before)
                self.assertFalse((self.folder / "out/simulate.csv").exists())
                self.goes_on(after, spec)
                shutil.rmtree(self.folder / "out")
                shutil.rmtree(self.folder / "alone")

    def test_ctrl_c_and_going_on(self):
        for attempt in range(12):  # repeated until the signal comes before the end
            spec, process = self.started_and_begun(4, 50 << attempt)
            self.signal_ranks(process, signal.SIGINT)
            err = process.communicate(timeout=HANG)[1].decode(errors="replace")
            if (self.folder / "out/simulate.checkpoint").exists():
                break
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(err.count("ended early"), 1, err)
        self.assertTrue(json.loads((self.folder / "out/simulate.json").read_text())["partial"])
        self.goes_on(2, spec)

    def test_ctrl_c_ends_makespan(self):
        self.path("long.json", json.dumps({"name": "long", "preset": "thintree", "router": "minimal-adaptive", "networks": ["kary-ntree:k=4,n=3"],
                                           "workloads": ["BI:bytes=1000000", "W2:bytes=10000000"]}))
        process = self.start_spec(2, "makespan", "long.json", "--threads", "1", "--out", "out")
        self.wait_until_ranks_work(process, 2)
        self.signal_ranks(process, signal.SIGINT)
        err = process.communicate(timeout=HANG)[1].decode(errors="replace")
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(err.count("ended early"), 1, err)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["makespan.checkpoint", "makespan.csv", "makespan.json"])
        self.assertTrue(json.loads((self.folder / "out/makespan.json").read_text())["partial"])

    # ---- errors ----

    def refused(self, outcome, code, *words):
        self.assertEqual((outcome.code, outcome.out, len(re.findall("^faultline: ", outcome.err, re.M))), (code, "", 1), outcome.err)
        for word in words:
            self.assertIn(word, outcome.err)

    def test_bad_input_is_refused_once(self):
        self.refused(self.run_ranks(2, ["simulate", self.curves(preset="nonsense")]), 2, "nonsense")
        self.refused(self.run_ranks(2, ["makespan", "missing.json"]), 2, "missing.json")
        self.run_spec(2, self.curves(), "--out", "out")
        self.refused(self.run_ranks(2, ["simulate", self.curves(), "--out", "out"]), 2, "out/simulate.csv")

    def test_what_is_no_checkpoint_is_refused_once(self):
        """Only rank 0 reads it."""
        (self.folder / "out").mkdir()
        self.path("out/simulate.checkpoint", b"something else" * 100)
        self.refused(self.run_ranks(2, ["simulate", self.curves(), "--out", "out", "--resume", "--no-figures"]), 2, "is no checkpoint")

    def test_ranks_with_different_specs_are_refused(self):
        one, other = self.curves(), self.curves("other.json", load=[0.1, 0.2, 0.3])
        command = [*MPIRUN, "-n", "1", PROGRAM, "simulate", one, ":", "-n", "1", PROGRAM, "simulate", other]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment(),
                              timeout=HANG)
        self.refused(Outcome(done.returncode, done.stdout.decode(), done.stderr.decode()), 2, "rank 1 was asked for something else than rank 0", " runs, hash ")

    def test_a_router_that_fails_in_one_rank_ends_all(self):
        """The second run, assigned to rank 1, fails during the first run of rank 0, which would take minutes. The failed run is not in the checkpoint."""
        curves = [{"label": "long", "routers": "shortest", "cycles": 4 * 10**8}, {"label": "bad", "routers": "bad-router", "cycles": 1000}]
        spec = self.curves(topology="mikant:k=2,n=2", load=0.1, runs=1, warmup=0, series=None, cycles=None, curves=curves)
        outcome = self.run_ranks(2, ["simulate", spec, "--plugin", PLUGINS / "HIGH_PORT.so", "--threads", 1, "--out", "out", "--no-figures", "--quiet"])
        self.refused(outcome, 1, "'bad-router'", "offers a port")
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["simulate.checkpoint"])
        self.assertLess((self.folder / "out/simulate.checkpoint").stat().st_size, 200)

    def each_rank_its_own(self, *commands):
        """Ranks that were started with different arguments."""
        command = list(MPIRUN)
        for i, arguments in enumerate(commands):
            command += [":"] * (i > 0) + ["-n", "1", PROGRAM, *map(str, arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment(), timeout=HANG)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))

    def test_ranks_that_were_asked_for_different_things_say_in_what(self):
        graph = "4 2 4\n0 4\n1 4\n2 5\n3 5\n4 5\n"
        for folder, text in (("a", graph), ("b", graph.replace("2 5", "2 4"))):
            self.path(folder).mkdir()
            self.path(folder + "/g", text)
            self.path(folder + "/spec.json", json.dumps({"topology": "mikant:k=2,n=2", "load": [0.1], "steady": True, "cycles": 100, "warmup": 10,
                                                         "curves": [{"label": "a", "routers": "shortest", "packet": 4 if folder == "a" else 8}]}))
            self.path(folder + "/makespan.json", json.dumps({"name": "m", "networks": ["mikant:k=2,n=2"], "router": "shortest",
                                                             "workloads": ["AA:bytes=" + ("4" if folder == "a" else "8")]}))
        sweep = ["sweep", "--topology", "mikant:k=2,n=3", "--faults", "0,1", "--trials", 100, "--out", "out", "--routers"]
        simulate = ["simulate", "--topology", "mikant:k=2,n=2", "--routers", "shortest", "--load", "0.1", "--out", "out", "--seed"]
        for first, second, words in (
                ([*sweep, "gns"], [*sweep, "shortest"], ["--routers shortest", "--routers gns"]),
                ([*sweep, "gns"], [*sweep, "gns", "--shard", "1/2"], ["--shard 1/2"]),
                ([*sweep, "gns"], [*simulate, 1], ["faultline simulate", "faultline sweep"]),
                ([*simulate, 1], [*simulate, 2], ["--seed 2", "--seed 1"]),
                ([*simulate, 1], ["simulate", "a/spec.json", "--out", "out"], ["simulate SPEC"]),
                (["simulate", "a/spec.json", "--out", "out"], ["simulate", "b/spec.json", "--out", "out"], ["packet_flits"]),
                (["makespan", "a/makespan.json", "--out", "out"], ["makespan", "b/makespan.json", "--out", "out"], ["AA:bytes=8", "AA:bytes=4"]),
                ([*sweep, "gns"], ["sweep", "--nonsense"], ["--nonsense"]),
                ([*sweep, "gns"], ["sweep", "--help"], ["ended before the work"]))[::1 if FULL else 4]:
            with self.subTest(second=second):
                outcome = self.each_rank_its_own(first, second)
                self.assertEqual((outcome.code, outcome.out), (2, ""), outcome.err)
                self.assertIn("rank 1", outcome.err)
                self.assertEqual(len(re.findall("^faultline: ", outcome.err, re.M)), 1, outcome.err)
                for word in words:
                    self.assertIn(word, outcome.err)
                self.assertFalse(self.path("out").exists(), "nothing is written")
        ranks = [["-n", "1", "sh", "-c", f"cd {folder} && exec {PROGRAM} sweep --topology file:g --routers shortest --faults 0 --trials 10 --out ../out"]
                 for folder in ("a", "b")]
        done = subprocess.run([*MPIRUN, *ranks[0], ":", *ranks[1]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, env=environment(), timeout=HANG)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertIn(b"topology_hash", done.stderr)
        self.assertFalse(self.path("out").exists(), "nothing is written")

    def test_help_is_printed_once(self):
        self.assertEqual(self.run_ranks(2, ["makespan", "--help"]).out, self.succeeds("makespan", "--help").out)


class Ends(MpiTest):
    def test_a_budget(self):
        self.sweep(2, "out", trials=FOREVER, budget="1s", threads=1)
        document = self.document()
        self.assertEqual((document["stopped_by"], document["partial"]), ("budget", False))
        sweep = document["sweeps"][0]
        self.assertEqual(sweep["trials"], sum(beyond - first for first, beyond in sweep["trial_ranges"]))
        self.sweep(2, "out", trials=FOREVER, budget="1s", threads=1, resume=True)
        self.assertGreater(self.document()["sweeps"][0]["trials"], sweep["trials"])

    def interrupt(self, number, trials):
        """False if all was done before the signal came."""
        process = self.start_ranks(4, trials=trials, threads=1, checkpoint="0.05s", force=True)
        if not self.wait_for_checkpoint(process):
            return False
        self.signal_ranks(process, number)
        err = process.communicate(timeout=HANG)[1].decode(errors="replace")
        if process.returncode == 0:
            return False
        self.assertEqual(err.count("ended early"), 1, err)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["sweep.checkpoint", "sweep.csv", "sweep.json"])
        document = self.document()
        self.assertEqual((document["partial"], document["stopped_by"]), (True, "interrupt"))
        sweep = document["sweeps"][0]
        self.assertEqual(sweep["trials"], sum(beyond - first for first, beyond in sweep["trial_ranges"]))
        return True

    def test_ctrl_c_and_going_on_with_other_ranks(self):
        trials = 15000 if SANITIZED else 500000
        while not self.interrupt(signal.SIGINT, trials):  # a fast machine gets more
            trials *= 2
        self.sweep(2, "out", trials=trials, threads=1, resume=True)
        self.sweep(0, "alone", trials=trials, threads=2)
        self.assertEqual(self.table(), self.table("alone"))
        self.assertEqual(self.document()["sweeps"], self.document("alone")["sweeps"])

    def test_sigterm(self):
        self.assertTrue(self.interrupt(signal.SIGTERM, FOREVER))

    def test_killed_ranks_and_going_on_with_one_process(self):
        trials = 15000 if SANITIZED else 300000
        seen = False
        while not seen:  # a fast machine is done before there is a checkpoint to see
            trials *= 2
            process = self.start_ranks(2, trials=trials, threads=1, checkpoint="0.05s", force=True)
            seen = self.wait_for_checkpoint(process)
        self.kill(process, 2)
        self.sweep(0, "out", trials=trials, threads=2, resume=True)
        self.sweep(0, "alone", trials=trials, threads=2)
        self.assertEqual(self.table(), self.table("alone"))


class Errors(MpiTest):
    def refused(self, arguments, *words, ranks=2):
        outcome = self.run_ranks(ranks, arguments)
        self.assertEqual(outcome.code, 2, outcome.err)
        self.assertEqual(outcome.out, "")
        self.assertEqual(len(re.findall("^faultline: ", outcome.err, re.M)), 1, outcome.err)
        for word in words:
            self.assertIn(word, outcome.err)

    def test_bad_input_is_refused_once(self):
        self.refused(sweep_arguments(routers="gsn"), "'gns'", ranks=4)
        self.refused(["sweep", "--nonsense"], "--nonsense")

    def test_the_folder_is_the_first_ranks_business(self):
        self.sweep(0, "out", trials=10)
        self.refused(sweep_arguments(**{**OPTIONS, "out": "out"}), "'out/sweep.csv'", "--force")
        self.path("out/sweep.checkpoint", "{}")
        self.refused(sweep_arguments(**{**OPTIONS, "out": "out", "resume": True}), "sweep.checkpoint")

    def test_a_rank_that_is_not_ready_says_so(self):
        """Each rank reads its own spec here; that of rank 1 is missing."""
        spec = self.spec()
        command = [*MPIRUN, "-n", "1", PROGRAM, "sweep", str(spec), ":", "-n", "1", PROGRAM, "sweep", "missing.json"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=environment(), timeout=HANG)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"faultline: rank 1: cannot read 'missing.json'", done.stderr)

    def test_help_is_printed_once(self):
        self.assertEqual(self.run_ranks(2, ["sweep", "--help"]).out, self.succeeds("sweep", "--help").out)


if __name__ == "__main__":
    unittest.main()
