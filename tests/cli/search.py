"""faultline search: options, the graph that comes out, interruptions, threads and ranks."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import HANG, PROGRAM, SANITIZED, Outcome, ProgramTest

SMALL = ["search", "--hosts", "48", "--radix", "6", "--steps", "3000", "--quiet"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def plain_sum(text):
    """The sum of distances between hosts, and the diameter, of a graph in the competition's format: by search from every switch."""
    lines = [list(map(int, line.split())) for line in text.splitlines()]
    n, m, r = lines[0]
    hosts, near, ports = [0] * m, [[] for _ in range(m)], [0] * m
    for u, v in lines[1:]:
        for end in (u, v):
            if end >= n:
                ports[end - n] += 1
        if u < n:
            hosts[v - n] += 1
        else:
            near[u - n].append(v - n)
            near[v - n].append(u - n)
    assert sum(hosts) == n and max(ports) <= r, "hosts or ports"
    total, diameter = 0, 0
    for start in range(m):
        distance, queue = {start: 0}, [start]
        for v in queue:
            for u in near[v]:
                if u not in distance:
                    distance[u] = distance[v] + 1
                    queue.append(u)
        assert len(distance) == m, "not connected"
        for v in range(m):
            pairs = hosts[start] * hosts[v] if v != start else hosts[v] * (hosts[v] - 1)
            total += pairs * (distance[v] + 2)
            diameter = max(diameter, distance[v] + 2 if pairs else 0)
    return total // 2, diameter


class Search(ProgramTest):
    def search(self, *more, out="g.edges", run=None):
        """The graph and the result without its time."""
        arguments = [*SMALL, *more, "--json", *(["--out", out] if out else [])]
        outcome = (run or self.succeeds)(*arguments)
        result = json.loads(outcome.out)
        result.pop("seconds")
        return (self.folder / out).read_text() if out else None, result

    def test_the_graph_is_what_the_result_says(self):
        for more in [[], ["--switches", "16"], ["--symmetry", "0"], ["--symmetry", "4", "--switches", "16"], ["--chains", "1"],
                     ["--seed", "18446744073709551615"]]:
            graph, result = self.search(*more, "--force")
            total, diameter = plain_sum(graph)
            self.assertEqual([result["distance_sum"], result["diameter"], result["pairs"]], [total, diameter, 48 * 47 // 2], more)
            self.assertAlmostEqual(result["h_aspl"], total / (48 * 47 / 2), 12)
            self.assertGreaterEqual(result["h_aspl"], result["h_aspl_bound"])
            self.assertFalse((self.folder / "g.edges.checkpoint").exists())
            self.assertFalse(result["partial"])

    def test_one_switch_is_enough(self):
        result = json.loads(self.succeeds("search", "--hosts", "48", "--radix", "60", "--steps", "100", "--json").out)
        self.assertEqual([result["switches"], result["h_aspl"], result["diameter"]], [1, 2, 2])

    def test_the_graph_is_a_network(self):
        _, result = self.search()
        shown = json.loads(self.succeeds("topology", "file:g.edges", "--json").out)
        self.assertIn(f'{result["h_aspl"]:.6f}'[:8], json.dumps(shown))

    def test_a_seed_is_a_result(self):
        first = self.search(out="a")
        self.assertEqual(first, self.search(out="b"))
        self.assertEqual(first, self.search("--threads", "1", out="c"))
        self.assertEqual(first, self.search("--threads", "8", out="d"))
        self.assertNotEqual(first[0], self.search("--seed", "2", out="e")[0])

    def test_symmetry_is_kept(self):
        graph, result = self.search("--symmetry", "4", "--switches", "16")
        self.assertEqual(result["symmetry"], 4)
        n = 48
        edges = {tuple(sorted(map(int, line.split()))) for line in graph.splitlines()[1:]}
        links = {(u - n, v - n) for u, v in edges if u >= n}
        self.assertEqual({tuple(sorted(((u + 4) % 16, (v + 4) % 16))) for u, v in links}, links)

    def test_a_graph_to_begin_with(self):
        """That of the polarity network of 1295 nodes, with 1281 hosts: the Moore bound."""
        result = json.loads(self.succeeds("search", "--hosts", "1281", "--radix", "21", "--start", "polarity:q=13,r=21", "--steps", "200", "--json").out)
        self.assertEqual([result["switches"], result["distance_sum"]], [183, 3208905])
        graph, first = self.search(out="first")
        again = json.loads(self.succeeds(*SMALL, "--start", "file:first", "--json").out)
        self.assertLessEqual(again["h_aspl"], first["h_aspl"])

    def test_words_for_people(self):
        shown = self.succeeds(*SMALL).out
        self.assertIn("h-ASPL", shown)
        self.assertIn("(exact: ", shown)
        self.assertIn("lower bound", shown)

    def test_time(self):
        result = json.loads(self.succeeds("search", "--hosts", "48", "--radix", "6", "--time", "0.3s", "--json").out)
        self.assertGreater(result["steps"], 0)
        self.assertEqual(result["search"]["seconds"], .3)


class BadInput(ProgramTest):
    def test_sizes(self):
        self.is_refused(["search"], "--hosts", "--radix")
        self.is_refused(["search", "--hosts", "10"], "--radix")
        self.is_refused(["search", "--hosts", "1", "--radix", "6"], "--hosts", "1")
        self.is_refused(["search", "--hosts", "10", "--radix", "2"], "--radix", "2")
        self.is_refused(["search", "--hosts", "100", "--radix", "6", "--switches", "10"], "10 switches", "100")
        self.is_refused(["search", "--hosts", "48", "--radix", "6", "--symmetry", "5"], "5", "48")
        self.is_refused(["search", "--hosts", "48", "--radix", "6", "--symmetry", "4", "--switches", "18"], "4", "18")
        self.is_refused(["search", "--hosts", "48", "--radix", "6", "--chains", "0"], "--chains")
        self.is_refused(["search", "--hosts", "48", "--radix", "6", "--coldest", "9"], "--coldest", "9")

    def test_pairs(self):
        self.is_refused([*SMALL, "--time", "1s"], "--steps", "--time")
        self.is_refused([*SMALL, "--resume"], "--resume", "--out")
        self.is_refused([*SMALL, "--force"], "--force", "--out")
        self.is_refused([*SMALL, "--start", "polarity:q=3,r=6", "--symmetry", "2"], "--start", "--symmetry")
        self.is_refused([*SMALL, "--start", "polarity:q=3,r=6", "--switches", "9"], "--start", "--switches")

    def test_graphs_to_begin_with(self):
        self.is_refused([*SMALL, "--start", "nothing"], "nothing")
        self.is_refused([*SMALL, "--start", "kary-ntree:k=2,n=2"], "4 switches")
        self.is_refused([*SMALL, "--start", "polarity:q=7,r=12", "--out", "g"], "polarity:q=7,r=12", "6")
        self.is_refused([*SMALL, "--start", "nd:p=2,net=torus:k=3,n=2"], "one")

    def test_files(self):
        self.path("g.edges", "mine")
        self.is_refused([*SMALL, "--out", "g.edges"], "g.edges", "--force")
        self.is_refused([*SMALL, "--out", "no/such/folder/g"], "no/such/folder")
        self.path("h.edges.checkpoint", "")
        self.is_refused([*SMALL, "--out", "h.edges"], "--resume", "--force")

    def test_bad_checkpoints(self):
        good = self.checkpoint()
        for content in [good[:100], good[:-1], good[:-9] + b"x" + good[-8:], b"x" * 1000]:
            self.path("g.edges.checkpoint", content)
            self.is_refused([*SMALL, "--out", "g.edges", "--resume"], "g.edges.checkpoint", "--resume")
        self.path("g.edges.checkpoint", good)
        self.is_refused([*SMALL, "--out", "g.edges", "--resume", "--seed", "2"], "other options")

    def checkpoint(self):
        """That of a search which was killed, and would have gone on for minutes."""
        arguments = ["search", "--hosts", "512", "--radix", "12", "--steps", "2e6" if SANITIZED else "4e7", "--chains", "2", "--quiet", "--out", "k.edges"]
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.folder / "k.edges.checkpoint", process)
        process.kill()
        process.wait()
        return (self.folder / "k.edges.checkpoint").read_bytes()


def wait_for(path, process):
    """Until there is something in the checkpoint, or the process has ended."""
    end = time.monotonic() + HANG
    while process.poll() is None and not (path.exists() and path.stat().st_size > 0):
        assert time.monotonic() < end, "no checkpoint was written"
        time.sleep(.02)


class Interrupted(ProgramTest):
    LONG = ["search", "--hosts", "512", "--radix", "12", "--steps", "60000" if SANITIZED else "400000", "--chains", "3", "--quiet", "--json"]

    def result(self, *more):
        """The graph, and the result without what differs between runs."""
        outcome = self.succeeds(*self.LONG, *more)
        return outcome.out

    def without_time(self, text):
        result = json.loads(text)
        result.pop("seconds")
        return result

    def test_kill_and_resume(self):
        whole = self.without_time(self.succeeds(*self.LONG, "--out", "whole").out)
        for end in (signal.SIGKILL, signal.SIGINT):
            process = subprocess.Popen([PROGRAM, *self.LONG, "--out", "g", "--force"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            wait_for(self.folder / "g.checkpoint", process)
            process.send_signal(end)
            code = process.wait()
            if code == 0:  # it was faster
                continue
            self.assertEqual(code, -signal.SIGKILL if end == signal.SIGKILL else 130)
            again = self.without_time(self.succeeds(*self.LONG, "--out", "g", "--resume").out)
            self.assertEqual(again, whole)
            self.assertEqual((self.folder / "g").read_bytes(), (self.folder / "whole").read_bytes())
            self.assertFalse((self.folder / "g.checkpoint").exists())
            done = self.succeeds(*[a for a in self.LONG if a != "--quiet"], "--out", "g", "--resume")
            self.assertIn("nothing is left to do", done.err)

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed (Debian, Ubuntu: openmpi-bin)")
    def test_ranks(self):
        expected = self.without_time(self.succeeds(*SMALL, "--chains", "5", "--symmetry", "0", "--json", "--out", "one").out)
        environment = {**os.environ, "LSAN_OPTIONS": "detect_leaks=0"}
        for ranks in (2, 4):
            done = subprocess.run([*MPIRUN, "-n", str(ranks), PROGRAM, *SMALL, "--chains", "5", "--symmetry", "0", "--json", "--out", f"of{ranks}"],
                                  cwd=self.folder, capture_output=True, env=environment, timeout=HANG)
            outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
            if "built without MPI" in outcome.err:
                self.skipTest("the program was built without MPI")
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertEqual(self.without_time(outcome.out), expected)
            self.assertEqual((self.folder / f"of{ranks}").read_bytes(), (self.folder / "one").read_bytes())


if __name__ == "__main__":
    unittest.main()
