"""Workloads: `simulate --workload`, `workload` and `makespan`. Their numbers are tested in tests/sim/workloads.c."""

import csv
import io
import json
import signal
import subprocess
import time
import unittest

from support import PROGRAM, ProgramTest, needs_gnuplot, tree_of

NETWORK = ["--topology", "thintree:k=4,up=2,n=3", "--routers", "minimal-adaptive", "--preset", "thintree"]
SPEC = {"name": "small", "preset": "thintree", "router": "minimal-adaptive", "networks": ["kary-ntree:k=4,n=2", "thintree:k=4,up=1,n=2"],
        "workloads": ["BU:bytes=300", "BI:bytes=100"]}


def simulate(workload, *more):
    return ["simulate", *NETWORK, "--workload", workload, *map(str, more)]


class Workloads(ProgramTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_a_written_trace_gives_the_same_bytes(self):
        for workload in ("BU:bytes=200", "R2:messages=500,wave=20", "W3:bytes=99", "AA:bytes=20"):
            self.succeeds("workload", workload, "--nodes", 64, "--out", "x", "--force")
            direct, read = (self.succeeds(*simulate(w, "--quiet")).out for w in (workload, "trace:x/workload.trace"))
            self.assertEqual(direct, read)
        again = self.succeeds("workload", "trace:x/workload.trace").out
        with open(self.path("x/workload.trace"), encoding="utf-8") as file:
            self.assertEqual(file.read(), again)

    def test_the_bytes_do_not_depend_on_threads(self):
        one, four = (self.succeeds(*simulate("R1:messages=300", "--runs", 4, "--threads", n, "--quiet")).out for n in (1, 4))
        self.assertEqual(one, four)
        self.assertEqual(len({row["completion_cycles"] for row in csv.DictReader(io.StringIO(one))}), 4)

    def test_a_trace_is_not_overwritten(self):
        path = self.write("workload.trace", "mine")
        self.is_refused(["workload", "BI", "--nodes", 8, "--out", "."], "workload.trace")
        self.is_refused(["workload", "BI", "--processes", 8], "'--processes': it is '--nodes'")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_lost_messages_are_explained(self):
        self.write("x.trace", "faultline workload 1\nprocesses 3\n5 0 1 100\n6 1 2 100 after 5\n7 2 0 100 after 6\n8 2 1 100\n")
        arguments = simulate("trace:x.trace", "--fail", "0")
        run = json.loads(self.succeeds(*arguments, "--json", "--quiet").out)["results"][0]
        self.assertEqual(run["workload"]["first_lost"], [{"id": 5, "cycle": 0, "reason": "blocked_source"}])
        self.assertEqual([run["workload"][key] for key in ("complete", "stalled", "arrived", "lost", "never_ready")], [False, True, 1, 1, 2])
        self.assertFalse(run["deadlocked"])
        summary = self.succeeds(*arguments, "--out", "results").out
        self.assertIn("without a deadlock: 1 lost a packet, 2 never became ready", summary)
        self.assertIn("message 5 (<000> to <100>) lost a packet in cycle 0 (blocked_source); 2 messages wait for it", summary)
        self.assertEqual(set(tree_of(self.path("results"))), {"simulate.csv", "simulate.json"})

    def test_retried_packets_are_reported(self):
        links = ";".join(f"20:{link}" for link in range(64, 72))
        arguments = simulate("AA:bytes=100", "--fail-at", links, "--on-failure", "retry")
        summary = self.succeeds(*arguments, "--out", "results").out
        with open(self.path("results/simulate.json"), encoding="utf-8") as file:
            retried = json.load(file)["results"][0]["retried"]
        self.assertGreater(retried, 0)
        self.assertIn(f"    {retried} retried: ", summary)
        self.assertIn(", 0 faulty links, 8 fail during the run\n", summary)

    def test_a_node_link_that_fails_under_a_worm(self):
        """Its source has nothing to send then until the next message is ready."""
        row, = csv.DictReader(io.StringIO(self.succeeds(
            "simulate", "--topology", "random:n=8,m=5,r=5", "--routers", "table", "--preset", "cat2022", "--switching", "wormhole", "--packet", 5,
            "--input-fifo", 2, "--output-fifo", 0, "--arbitration", "oldest", "--choice", "first", "--routing-delay", 0, "--link-latency", 3,
            "--credit-delay", 3, "--source-queue", 1, "--workload", "BI:bytes=200,processes=8", "--cycles", 8000, "--fail-at", "136:1",
            "--seed", 89, "--quiet").out))
        self.assertEqual(row["stalled"], "yes")
        self.assertEqual(row["lost_on_link"], "1")

    def test_mistakes_are_named(self):
        self.write("x.trace", "faultline workload 1\nprocesses 3\n5 0 1 100\n6 1 3 100 after 5\n")
        self.is_refused(simulate("trace:x.trace"), "x.trace, line 4: the destination must be a whole number from 0 to 2, not '3'")
        self.is_refused(simulate("BU:processes=60"), "60")
        self.is_refused(simulate("BU", "--load", "0.1"), "--load")
        self.is_refused(simulate("BU", "--traffic", "uniform"), "--traffic")
        self.is_refused(simulate("BU", "--steady"), "--steady")
        self.is_refused(simulate("BU", "--series", 10), "--cycles")
        self.is_refused(simulate("BU", "--placement", "random"), "switches or numbers")
        self.is_refused(["simulate", *NETWORK, "--flit-bytes", "8"], "--workload")
        self.is_refused(["workload", "BU"], "--nodes")
        self.is_refused(["workload", "--nodes", 8], "which workload")
        self.is_refused(["workload", "BU", "--nodes", 9], "9")
        self.is_refused(["makespan"], "spec")

    def test_a_trace_for_more_processes_than_nodes(self):
        self.write("x.trace", "faultline workload 1\nprocesses 99\n0 0 1 1\n")
        words = "x.trace is for 99 processes; the network has 64 nodes"
        self.is_refused(simulate("trace:x.trace"), words)
        self.write("x.json", json.dumps({**SPEC, "networks": ["thintree:k=4,up=2,n=3"], "workloads": ["BU", "trace:x.trace"]}))
        self.is_refused(["makespan", "x.json"], words)

    def test_mistakes_in_a_trace_have_its_lines(self):
        for text, words in (("", "x.trace, line 1: it is empty"), ("faultline workload 1\nprocesses 4\n", "x.trace, line 2: it has no messages"),
                            ("faultline workload 1\nprocesses 4", "x.trace, line 2: it has no messages"),
                            ("faultline workload 1\nname # none\n", "x.trace, line 2: the name has 0 bytes")):
            with self.subTest(text):
                self.write("x.trace", text)
                self.is_refused(simulate("trace:x.trace"), words)
        self.is_refused(simulate("trace:none"), "trace file: cannot read 'none'")
        self.is_refused(["workload", "trace:none"], "trace file: cannot read 'none'")
        self.is_refused(["simulate", *NETWORK, "--traffic", "permutation:none"], "permutation file: cannot read 'none'")

    def test_a_comment_is_not_in_the_name(self):
        for name, read in (("ring # of four", "ring"), ("ring#4  ", "ring#4"), ("a b\t#", "a b")):
            self.write("x.trace", f"faultline workload 1\nname {name}\nprocesses 4\n0 0 1 1\n")
            self.assertEqual(self.succeeds("workload", "trace:x.trace").out.splitlines()[1], f"name {read}")

    def test_mistakes_in_a_spec_are_named(self):
        for change, names in (({"networks": []}, "networks"), ({"networks": ["mikant:k=3"]}, "network 1"), ({"router": None}, "router"),
                              ({"workloads": ["BV"]}, "BV"), ({"workloads": [3]}, "workloads"), ({"runs": 0}, "runs"), ({"preset": "thin"}, "thin"),
                              ({"placement": "near"}, "near"), ({"published": {"cost": [1, 1]}}, "cost"), ({"sede": 1}, "seed"),
                              ({"published": {"performance": [1]}}, "performance"), ({"name": None}, "name")):
            spec = {key: value for key, value in {**SPEC, **change}.items() if value is not None}
            self.write("x.json", json.dumps(spec))
            self.is_refused(["makespan", "x.json", "--out", "results"], names)
        self.write("x.json", json.dumps(SPEC))
        self.is_refused(["makespan", "x.json", "--workloads", "BU"], "'BU'; it has BU:bytes=300; BI:bytes=100")

    @needs_gnuplot
    def test_times_on_several_networks(self):
        self.write("x.json", json.dumps(SPEC))
        summary = self.succeeds("makespan", "x.json", "--out", "results", "--quiet").out
        names = {f"makespan-{name}.{suffix}" for name in ("times", "levels") for suffix in ("png", "svg")}
        self.assertEqual(set(tree_of(self.path("results"))), {"makespan.csv", "makespan.json"} | names)
        self.assertEqual(summary, "")
        with open(self.path("results/makespan.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual([run["workload"]["complete"] for run in result["results"]], [True] * 4)
        self.assertEqual(result["networks"][1]["cost_constant"], 0.625)
        some = self.succeeds("makespan", "x.json", "--workloads", "BI:bytes=100", "--quiet").out
        self.assertEqual([row["time"] for row in csv.DictReader(io.StringIO(some))], ["1", "1"])

    def test_resume_goes_on_with_interrupted_times(self):
        """Of two runs the second takes a hundred times as long: the signal comes before its end."""
        spec = {**SPEC, "networks": ["kary-ntree:k=4,n=2"], "workloads": ["BI:bytes=1000", "BI:bytes=300000"]}
        self.write("x.json", json.dumps(spec))
        expected = self.succeeds("makespan", "x.json", "--quiet").out
        slow = ["makespan", "x.json", "--out", "results", "--no-figures", "--threads", "1", "--quiet"]
        checkpoint = self.path("results/makespan.checkpoint")
        with subprocess.Popen([PROGRAM, *slow], cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_size > 500):
                time.sleep(.002)
            process.send_signal(signal.SIGINT)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(json.loads(self.path("results/makespan.json").read_text())["partial"])
        self.is_refused(slow, "--resume goes on with it")
        self.is_refused([*slow, "--resume", "--workloads", "BI:bytes=1000"], "another spec")
        self.succeeds(*slow, "--resume")
        self.assertEqual(self.path("results/makespan.csv").read_text(), expected)
        self.assertFalse(checkpoint.exists())
        self.is_refused([*slow, "--resume"], "makespan.csv")

    def test_published_performance_stands_beside_the_full_set_only(self):
        published = {"performance": [1, 0.5], "cost_constant": [1, 0.6], "efficiency_constant": [1, 0.8]}
        self.write("x.json", json.dumps({**SPEC, "published": published}))
        for more, names in (([], set(published)), (["--workloads", "BI:bytes=100"], {"cost_constant"})):
            found = json.loads(self.succeeds("makespan", "x.json", "--json", "--quiet", *more).out)["networks"][1]
            self.assertEqual({key for key in published if found[f"published_{key}"] is not None}, names)

    def test_the_published_set_ups_can_be_read(self):
        """All of it is checked before anything runs, so an existing folder is refused then."""
        from support import ROOT
        self.write("taken", "")
        for spec in sorted((ROOT / "experiments/makespans").glob("*.json")):
            self.is_refused(["makespan", str(spec), "--workloads", "BI", "--out", "taken"], "taken")


if __name__ == "__main__":
    unittest.main()
