"""The output folder: nothing is overwritten without --force, no run begins that could not write its results, and nothing
is lost when the disk fills up during the run."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import FOREVER, PROGRAM, SANITIZED, ProgramTest, needs_gnuplot, read_csv, sweep_arguments, tree_of


def can_mount():
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20).returncode == 0


MAY_MOUNT = can_mount()
RUN_OF_A_SECOND = 500000 if SANITIZED else 5000000  # trials: long enough to be seen beginning


class FolderTest(ProgramTest):
    def out_is_refused(self, out, *words, preexec_fn=None, **options):
        """Refused before the work: these trials would never end."""
        return self.is_refused(sweep_arguments(out=out, trials=FOREVER, **options), *words, preexec_fn=preexec_fn)


class Folders(FolderTest):
    def test_folders_are_made_with_those_above(self):
        for out in ["a", "b/c/d", "b/c/e/", "./f", "with space", "quote'\"$(x)", "ünïcode-Ω", "new\nline", "percent%s%n", "g/../h"]:
            with self.subTest(out):
                self.succeeds(*sweep_arguments(out=out, no_figures=True))
                self.assertEqual(self.results(out)[1]["partial"], False)

    def test_a_folder_that_is_there_already(self):
        self.path("out").mkdir()
        self.path("out/notes.txt", "mine")
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        self.assertEqual(sorted(tree_of(self.folder / "out")), ["notes.txt", "sweep.csv", "sweep.json"])
        self.assertEqual(self.path("out/notes.txt").read_text(), "mine")

    def test_a_file_in_its_place(self):
        self.path("file", "mine")
        self.out_is_refused("file", "'file'")
        self.out_is_refused("file/out", "'file")
        self.out_is_refused("file/a/b", "'file")

    def test_no_name(self):
        self.out_is_refused("", "--out")

    def test_names_that_cannot_be(self):
        self.out_is_refused("x" * 300, "too long")
        self.out_is_refused("x" * 5000, "xxx")

    def test_folders_on_the_way_to_a_name_that_cannot_be_do_not_stay(self):
        self.out_is_refused("a/b/" + "x" * 300, "too long")

    def test_links_that_lead_nowhere(self):
        self.path("link").symlink_to("nowhere/at/all")
        self.out_is_refused("link", "'link'")

    @unittest.skipUnless(Path("/proc/self").exists(), "there is no /proc")
    def test_places_that_cannot_be_written(self):
        self.out_is_refused("/proc/results", "'/proc/results'")
        self.out_is_refused("/proc/self", "/proc/self")

    @unittest.skipIf(os.geteuid() == 0, "permissions do not stop root")
    def test_permissions(self):
        self.path("out").mkdir(mode=0o555)
        self.out_is_refused("out", "'out", "Permission denied")
        self.out_is_refused("out/deeper", "'out/deeper'", "Permission denied")

    def test_a_bad_sweep_makes_no_folder(self):
        self.is_refused(sweep_arguments(out="out", routers="gsn"), "'gns'")
        self.is_refused(sweep_arguments(out="out", threads="0"), "--threads")

    def test_switches_that_mean_nothing_without_a_folder(self):
        common = ["--topology", "mikant:k=3,n=3", "--routers", "shortest", "--faults", "0,10"]
        self.succeeds(*sweep_arguments(out="old", no_figures=True))
        for command in (["sweep", *common], ["exact", *common], ["merge", "old"]):
            for switch in ("--force", "--no-figures", "--log-y"):
                self.is_refused([*command, switch], switch, "--out")
            self.is_refused([*command, "--out", "out", "--no-figures", "--log-y"], "--no-figures", "--log-y")

    def test_force_and_resume_contradict_each_other(self):
        self.out_is_refused("out", "--force and --resume", force=True, resume=True)
        spec = self.path("curves.json", json.dumps({"topology": "mikant:k=2,n=2", "load": [0.1], "curves": [{"label": "a", "routers": "shortest"}]}))
        self.is_refused(["simulate", spec, "--out", "out", "--force", "--resume"], "--force and --resume")

    def test_a_limit_on_the_size_of_files_is_an_error_and_no_signal(self):
        """ulimit -f: the signal that it sends would end the program without a message."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.out_is_refused("out", "'out/", "File too large", preexec_fn=limit)
        with open(self.path("table.csv"), "wb") as table:
            outcome = self.run_program(*sweep_arguments(faults="0:100:1"), stdout=table, preexec_fn=limit)
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertIn("standard output", outcome.err)


class Overwriting(FolderTest):
    def test_results_are_not_overwritten(self):
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        self.out_is_refused("out", "'out/sweep.csv'", "--force")

    def test_half_results_are_not_overwritten(self):
        for name in ["sweep.csv", "sweep.json"]:
            with self.subTest(name):
                self.path("out").mkdir(exist_ok=True)
                path = self.path(f"out/{name}", "mine")
                self.out_is_refused("out", f"'out/{name}'", "--force")
                path.unlink()

    @needs_gnuplot
    def test_figures_are_not_overwritten(self):
        self.path("out").mkdir()
        for name in ["success-ratio.png", "path-length.svg"]:
            with self.subTest(name):
                path = self.path(f"out/{name}", "mine")
                self.is_refused(sweep_arguments(out="out"), f"'out/{name}'", "--force")
                path.unlink()

    def test_force_replaces_them(self):
        self.succeeds(*sweep_arguments(out="out", no_figures=True, seed=1))
        self.succeeds(*sweep_arguments(out="out", no_figures=True, seed=2, force=True))
        self.assertEqual(self.results()[1]["seed"], 2)

    def test_force_spares_old_results_when_the_input_is_bad(self):
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        self.is_refused(sweep_arguments(out="out", force=True, routers="gsn"), "'gns'")
        self.is_refused(sweep_arguments(out="out", force=True, faults="136"), "136")

    @needs_gnuplot
    def test_figures_of_replaced_results_do_not_stay(self):
        usual = {"success-ratio.png", "success-ratio.svg", "path-length.png", "path-length.svg"}
        named = self.spec(figures=[{"name": "mine", "quantity": "success_ratio"}])
        for command, prefix in (("sweep", ""), ("exact", "exact-")):
            with self.subTest(command):
                results = {f"{command}.csv", f"{command}.json", "photo.png"}
                again = [command, "--topology", "mikant:k=3,n=3", "--routers", "shortest", "--faults", "0,20", "--out", command, "--force"]
                self.path(command).mkdir()
                self.path(f"{command}/photo.png", "not ours")
                self.succeeds(command, named, "--out", command)
                self.assertEqual(set(tree_of(self.folder / command)), results | {f"{prefix}mine.png", f"{prefix}mine.svg"})
                self.succeeds(*again)
                self.assertEqual(set(tree_of(self.folder / command)), results | {prefix + name for name in usual})
                self.succeeds(*again, "--no-figures")
                self.assertEqual(set(tree_of(self.folder / command)), results)

    @needs_gnuplot
    def test_limits_are_grey_beside_other_curves_and_have_colours_where_they_are_alone(self):
        grey, dashed, colours = "(140,140,140)", r"rgb\(140, ?140, ?140\)' stroke-dasharray", ["(0,0,0)", "(213,94,0)"]
        sweeps = [{"topology": f"mikant:k=2,n={n}", "routers": ["shortest", "limit"]} for n in (2, 3)]
        figures = [{"name": name, "quantity": "success_ratio", **some} for name, some in (("all", {}), ("limits", {"routers": ["limit"]}))]
        common = {"name": "limits", "fault_rate": "0:0.5:0.1", "trials": 20, "figures": figures}
        for count in (1, 2):
            self.path(f"{count}.json", json.dumps({**common, "sweeps": sweeps[:count]}))
            self.succeeds("sweep", f"{count}.json", "--out", f"out{count}")
            for figure in ("all", "limits"):
                with self.subTest(figure, networks=count):
                    svg = (self.folder / f"out{count}/{figure}.svg").read_text()
                    strokes = [re.sub(" ", "", stroke) for stroke in re.findall(r"stroke='rgb(\([^)]*\))'", svg)]
                    self.assertEqual(grey in strokes, figure == "all" or count == 1)
                    self.assertEqual(re.search(dashed, svg) is not None, figure == "all" and count > 1, "the second limit")
                    alone = figure == "limits" and count > 1
                    self.assertEqual([colour in strokes for colour in colours], [figure == "all" or alone, alone])

    def test_pictures_in_a_folder_without_results_stay(self):
        self.path("out").mkdir()
        self.path("out/success-ratio.png", "mine")
        self.succeeds(*sweep_arguments(out="out", no_figures=True, force=True))
        self.assertEqual(self.path("out/success-ratio.png").read_text(), "mine")

    def test_damaged_old_results_are_replaced_all_the_same(self):
        for content in ("", "{", "[]", '{"figures": 7}', '{"figures": [7, {"name": 7}, {"name": "../keep"}, {"name": "/keep"}]}'):
            self.path("keep.png", "mine")
            self.path("out").mkdir(exist_ok=True)
            self.path("out/sweep.json", content)
            self.succeeds(*sweep_arguments(out="out", no_figures=True, force=True))
            self.assertTrue((self.folder / "keep.png").exists())

    def test_nothing_but_the_results_stays(self):
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        self.assertEqual(sorted(tree_of(self.folder)), ["out", "out/sweep.csv", "out/sweep.json"])


@unittest.skipUnless(MAY_MOUNT, "only root can mount the small file systems of this test")
class SmallDisks(FolderTest):
    def setUp(self):
        super().setUp()
        self.disk = self.path("disk")
        self.disk.mkdir()
        self.mount("size=128k")
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True, timeout=20)

    def mount(self, options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.disk], check=True, timeout=20)

    def fill(self, leave=0):
        """Leaves this number of bytes free on the small disk."""
        (self.disk / "filler").unlink(missing_ok=True)
        free = os.statvfs(self.disk)
        with open(self.disk / "filler", "wb") as filler:
            filler.write(bytes(free.f_bavail * free.f_frsize - leave))

    def test_a_full_disk_is_noticed_before_the_work(self):
        self.fill()
        self.out_is_refused("disk", "'disk/", "No space left")
        self.fill(leave=4096)
        self.out_is_refused("disk", "'disk/", "No space left")

    def test_a_folder_made_on_a_full_disk_does_not_stay(self):
        self.fill()
        self.out_is_refused("disk/new/out", "No space left")

    def test_old_results_survive_a_full_disk(self):
        self.succeeds(*sweep_arguments(out="disk", no_figures=True))
        self.fill()
        self.out_is_refused("disk", "No space left", force=True)

    def test_a_read_only_disk(self):
        self.succeeds(*sweep_arguments(out="disk/old", no_figures=True))
        self.mount_read_only()
        self.out_is_refused("disk", "disk/", "Read-only")
        self.out_is_refused("disk/new", "disk/new", "Read-only")
        self.out_is_refused("disk/old", "disk/old", "Read-only", force=True)

    def mount_read_only(self):
        subprocess.run(["mount", "-o", "remount,ro", self.disk], check=True, timeout=20)

    def run_while_the_disk_fills_up(self, leave=0, env=None, **options):
        """A run on a disk that fills up after the start; it ends early unless `trials` sets the end."""
        usual = {"out": "disk", "trials": FOREVER, "no_figures": True, "force": True}
        program = self.start(*sweep_arguments(**{**usual, **options}), env=env)
        program.wait_for_the_first_trials()
        self.fill(leave)
        if options.get("trials", FOREVER) == FOREVER:
            program.signal(signal.SIGINT)
        return program.finish()

    def check_rescued(self, outcome, old, partial=True):
        self.assertEqual(outcome.code, 130 if partial else 1, "2 would say that nothing was done")
        self.assertIn("No space left", outcome.err)
        self.assertNotIn("written to disk", outcome.out)
        place = re.search(r"the results are in (\S+)", outcome.err)
        self.assertIsNotNone(place, f"the message does not say where the results are: {outcome.err!r}")
        self.addCleanup(shutil.rmtree, place[1], ignore_errors=True)
        table, document = self.results(place[1])
        self.assertEqual(document["partial"], partial)
        self.assertEqual(int(table[0]["trials"]), document["sweeps"][0]["trials"])
        left = {name: content for name, content in tree_of(self.disk).items() if name not in ("filler", "sweep.checkpoint")}
        self.assertEqual(left, old, "old results were touched")

    def test_the_disk_fills_up_during_the_run(self):
        self.check_rescued(self.run_while_the_disk_fills_up(), {})

    def test_the_disk_fills_up_during_a_run_that_ends_by_itself(self):
        self.check_rescued(self.run_while_the_disk_fills_up(trials=RUN_OF_A_SECOND), {}, partial=False)

    def test_the_disk_fills_up_during_the_run_and_old_results_stay(self):
        self.succeeds(*sweep_arguments(out="disk", no_figures=True))
        old = tree_of(self.disk)
        self.check_rescued(self.run_while_the_disk_fills_up(), old)

    def test_old_results_stay_a_pair_when_only_one_new_file_has_room(self):
        for kilobytes in range(4, 44, 4):
            with self.subTest(kilobytes=kilobytes):
                (self.disk / "filler").unlink(missing_ok=True)
                self.succeeds(*sweep_arguments(out="disk", no_figures=True, force=True))
                old = tree_of(self.disk)
                outcome = self.run_while_the_disk_fills_up(leave=1024 * kilobytes, faults="0:135:1")
                if "No space left" in outcome.err:
                    self.check_rescued(outcome, old)

    def elsewhere(self, outcome):
        """The folder that the results were saved in; the program ended with 1."""
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertIn("No space left", outcome.err)
        self.assertNotIn("written to disk", outcome.out)
        place = re.search(r"the results are in (\S+) instead", outcome.err)
        self.assertIsNotNone(place, outcome.err)
        self.addCleanup(shutil.rmtree, place[1], ignore_errors=True)
        return Path(place[1])

    def test_a_full_disk_at_a_checkpoint_does_not_end_a_simulation(self):
        """It continues, warns once, and the results are saved elsewhere; if there is space at the end they are in their place."""
        spec = self.path("curves.json", json.dumps({"topology": "mikant:k=2,n=3", "steady": True, "warmup": 100, "cycles": 10000, "runs": 5,
                                                     "load": "0.2:0.8:0.2", "curves": [{"label": "a", "routers": "shortest"}]}))
        expected = self.succeeds("simulate", spec, "--quiet").out
        for room_at_the_end in (False, True):
            with self.subTest(room_at_the_end=room_at_the_end):
                program = self.start("simulate", spec, "--out", "disk", "--no-figures", "--threads", 1, terminal=False)
                while not (self.disk / "simulate.checkpoint").exists():
                    self.assertIsNone(program.process.poll())
                    time.sleep(.002)
                self.fill()
                program.wait_for(rb"No space left")
                if room_at_the_end:
                    (self.disk / "filler").unlink()
                outcome = program.finish()
                self.assertEqual(outcome.err.count("it goes on without checkpoints"), 1, outcome.err)
                self.assertEqual(outcome.code, 0 if room_at_the_end else 1, outcome.err)
                place = self.disk if room_at_the_end else Path(re.search(r"the results are in (\S+)", outcome.err)[1])
                self.assertEqual((place / "simulate.csv").read_text(), expected)
                if not room_at_the_end:
                    shutil.rmtree(place)
                    (self.disk / "filler").unlink()
                    self.succeeds("simulate", spec, "--out", "disk", "--no-figures", "--resume")
                    self.assertEqual((self.disk / "simulate.csv").read_text(), expected)
                for file in self.disk.iterdir():
                    file.unlink()

    def test_exact_curves_are_saved_elsewhere_too(self):
        arguments = ["exact", "--topology", "mikant:k=3,n=3", "--routers", "shortest,gns,gdl,three-turn,adaptive-up", "--faults", "0:135:1"]
        expected = self.succeeds(*arguments, "--quiet").out
        self.assertGreater(len(expected), 80 << 10)
        self.fill(leave=72 << 10)  # space for the check before the run, but not for the results
        before = tree_of(self.disk)
        place = self.elsewhere(self.run_program(*arguments, "--out", "disk", "--no-figures"))
        self.assertEqual((place / "exact.csv").read_text(), expected)
        self.assertEqual(json.loads((place / "exact.json").read_text())["partial"], False)
        self.assertEqual(tree_of(self.disk), before)
        lost = self.run_program(*arguments, "--out", "disk", "--no-figures", env={"TMPDIR": str(self.disk)})
        self.assertEqual(lost.code, 1)
        self.assertIn("lost", lost.err)

    def test_merged_results_are_saved_elsewhere_too(self):
        for shard in ("1/2", "2/2"):
            self.succeeds(*sweep_arguments(out=shard[0], shard=shard, no_figures=True, faults="0:135:1", routers="shortest,gns,gdl,three-turn"))
        self.fill(leave=72 << 10)
        place = self.elsewhere(self.run_program("merge", "1", "2", "--out", "disk", "--no-figures"))
        self.succeeds("merge", "1", "2", "--out", "sum", "--no-figures")
        self.assertEqual((place / "sweep.csv").read_text(), (self.folder / "sum/sweep.csv").read_text())

    def test_a_run_whose_results_are_elsewhere_can_be_resumed(self):
        outcome = self.run_while_the_disk_fills_up(trials=RUN_OF_A_SECOND, checkpoint="0.1s", leave=80 << 10, faults="0:135:1", routers="shortest,gns,gdl,three-turn")
        self.elsewhere(outcome)
        self.assertIn("sweep.checkpoint", tree_of(self.disk))

    def test_the_disk_for_temporary_files_is_full_too(self):
        outcome = self.run_while_the_disk_fills_up(env={"TMPDIR": str(self.disk)})
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("No space left", outcome.err)
        self.assertIn("lost", outcome.err)
        self.assertEqual(list(tree_of(self.disk)), ["filler"])

    @needs_gnuplot
    def test_a_disk_with_room_for_the_results_only(self):
        self.fill(leave=80 << 10)
        outcome = self.run_program(*sweep_arguments(out="disk"))
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertIn("No space left", outcome.err)
        table, document = self.results("disk")
        self.assertEqual((len(table), document["partial"]), (2, False))


class Locks(FolderTest):
    """Two runs do not write into one folder."""

    def hold(self, out):
        """A run that holds the folder until it is signalled to end."""
        program = self.start(*sweep_arguments(out=out, trials=FOREVER, no_figures=True))
        program.wait_for_the_first_trials()
        return program

    def commands(self):
        curves = self.path("curves.json", json.dumps({"topology": "mikant:k=2,n=2", "load": [0.1], "curves": [{"label": "a", "routers": "shortest"}]}))
        makespan = self.path("makespan.json", json.dumps({"name": "m", "networks": ["mikant:k=2,n=2"], "router": "shortest", "workloads": ["AA"]}))
        network = ["--topology", "mikant:k=2,n=2"]
        self.succeeds(*sweep_arguments(out="old", no_figures=True))
        return (["sweep", *network, "--routers", "shortest"], ["exact", *network, "--routers", "shortest", "--faults", "1"], ["merge", "old"],
                ["simulate", *network, "--routers", "shortest"], ["simulate", curves], ["makespan", makespan], ["catalogue"])

    def test_a_second_run_is_refused_by_the_name_of_the_first(self):
        commands = self.commands()
        program = self.hold("out")
        for command in commands:
            for more in ([], ["--force"], ["--resume"] if command[0] == "sweep" or "curves.json" in str(command[-1]) else []):
                with self.subTest(command=command, more=more):
                    outcome = self.run_program(*command, "--out", "out/../out", *more)
                    self.assertEqual((outcome.code, outcome.out), (2, ""), outcome.err)
                    self.assertIn(f"process {program.process.pid} on ", outcome.err)
        program.signal(signal.SIGINT)
        self.assertEqual(program.finish().code, 130)
        self.assertTrue(self.results()[1]["partial"], "they are as they were")

    def test_the_lock_ends_with_its_holder(self):
        program = self.hold("out")
        program.signal(signal.SIGKILL)
        program.process.wait()
        self.assertTrue(self.path("out/.faultline-lock").exists(), "a killed program leaves the file")
        self.succeeds(*sweep_arguments(out="out", no_figures=True, force=True))
        self.assertEqual(sorted(tree_of(self.folder / "out")), ["sweep.csv", "sweep.json"])

    def test_files_that_say_they_are_locks_lock_nothing(self):
        self.path("out").mkdir()
        self.path("out/.faultline-lock", "process 1 on elsewhere, since ever")
        self.succeeds(*sweep_arguments(out="out", no_figures=True))
        self.path("victim", "mine")
        os.symlink("../victim", self.path("out/.faultline-lock"))
        self.out_is_refused("out", ".faultline-lock'", force=True)
        self.assertEqual(self.path("victim").read_text(), "mine")

    def test_only_one_of_many_at_once(self):
        """All begin at the same time; all but one find a lock, or finished results."""
        command = [PROGRAM, *map(str, sweep_arguments(out="out", no_figures=True, trials=20000, quiet=True))]
        runs = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
        codes = []
        for run in runs:
            _, err = run.communicate(timeout=60)
            codes.append(run.returncode)
            self.assertTrue(run.returncode == 0 or b"another run writes" in err or b"there already" in err or b"unfinished" in err, err)
        self.assertEqual(sorted(codes), [0] + [2] * 7)
        self.assertEqual(sorted(tree_of(self.folder / "out")), ["sweep.csv", "sweep.json"])


class Streams(FolderTest):
    def test_no_folder_means_csv_on_stdout_and_no_files(self):
        outcome = self.succeeds(*sweep_arguments())
        self.assertEqual((len(read_csv(outcome.out)), outcome.err), (2, ""))
        self.assertEqual(tree_of(self.folder), {})

    def test_quiet_says_nothing(self):
        self.assertEqual(self.succeeds(*sweep_arguments(out="out", no_figures=True, quiet=True))[1:], ("", ""))

    def test_otherwise_a_table_and_the_place(self):
        shown = self.succeeds(*sweep_arguments(out="out", no_figures=True)).out
        for word in ["mikant:k=3,n=3", "shortest", "95%", "10 trials", "written to out"]:
            self.assertIn(word, shown)

    def test_the_table_has_every_fault_count_once(self):
        for faults, columns in [("0", ["0"]), ("0,10", ["0", "10"]), ("1:5:1", "1 2 3 4 5".split()), ("0:5:1", "0 1 2 3 4".split()),
                                ("0:135:1", "0 7 14 34 68".split())]:
            with self.subTest(faults):
                shown = self.succeeds(*sweep_arguments(out=f"out-{faults}", no_figures=True, faults=faults)).out
                self.assertEqual(re.findall(r"(\d+) \(", shown.splitlines()[1]), columns)


if __name__ == "__main__":
    unittest.main()
