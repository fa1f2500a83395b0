"""MPI programs on exported networks: SimGrid runs the kernels of experiments/mpi. Skipped where SimGrid is not installed."""

import json
import os
import re
import shutil
import subprocess
import unittest

from support import HANG, PROGRAM, ROOT, ProgramTest

KERNELS = {"alltoall": ["64", "2"], "allreduce": ["100", "2"], "stencil": ["3", "4", "3"], "cg": ["20", "4"]}
# Results that must not verify: a change of each kernel.
MUTATIONS = {"alltoall": ("byte_of(from, k.rank, round, i);", "byte_of(k.rank, from, round, i);"),
             "allreduce": ("MPI_SUM, MPI_COMM", "MPI_MAX, MPI_COMM"),
             "stencil": ("g->next[cell] = sum", "g->next[cell] = g->now[cell] + 0 * sum"),
             "cg": ("a->lower[i] + a->upper[i]", "2 * a->lower[i]")}
OPTIONS = ["--log=root.thres:error", "--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:1", "--cfg=network/crosstraffic:0",
           "--cfg=surf/precision:1e-12", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", "--cfg=smpi/coll-selector:mvapich2"]
HEADER_BYTES = 16  # that SimGrid adds to every message
NS_PER_BYTE = 0.8  # at 10 Gbit/s
REASON = next((f"{tool} is not installed (Debian, Ubuntu: libsimgrid-dev)" for tool in ("smpirun", "smpicc") if not shutil.which(tool)), None)


def build(compiler, source, binary, options=()):
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", *options, f"-I{ROOT}", str(source), "-o", str(binary), "-lm"], check=True, timeout=HANG)


class KernelTest(ProgramTest):
    def output_of(self, command, good=True):
        # The root user of a container may run mpirun, too.
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              timeout=HANG, env={**os.environ, **allowed}, check=False)
        if good:
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
        return done.stdout.decode()


@unittest.skipIf(REASON, REASON)
class SimgridTest(KernelTest):
    def platform(self, network, router="shortest", *more):
        name = f"net{len(list(self.folder.glob('*.xml')))}"
        outcome = self.run_program("export", network, "--router", router, "--format", "simgrid", "--out", f"{name}.xml", *more)
        self.assertEqual(outcome.code, 0, outcome.err)
        return name

    def kernel(self, name):
        if not (self.folder / name).exists():
            build("smpicc", ROOT / "experiments" / "mpi" / f"{name}.c", self.folder / name)
        return f"./{name}"

    def smpirun(self, platform, ranks, *command, good=True):
        return self.output_of(["smpirun", "-np", ranks, "-platform", f"{platform}.xml", "-hostfile", f"{platform}.hosts", *OPTIONS, *command], good)

    def run_kernel(self, platform, ranks, name):
        out = self.smpirun(platform, ranks, self.kernel(name), *KERNELS[name])
        found = re.fullmatch(rf"{name}(?:3d)? ranks={ranks} seconds=([\d.]+) verified=yes\n", out)
        self.assertTrue(found, out)
        return float(found[1])

    def check_latency(self, network, router, pairs, *faults):
        platform = self.platform(network, router, *faults)
        nodes = json.loads(self.run_program("topology", network, "--json").out)["nodes"]
        for source, destination, size in pairs:
            trace = json.loads(self.run_program("trace", network, "--router", router, "--from", str(source), "--to", str(destination), *faults, "--json").out)
            links = trace["length"]
            out = self.smpirun(platform, nodes, self.kernel("latency"), source, destination, size)
            expected = 36 * links + 60 * (links - 1) + NS_PER_BYTE * (size + HEADER_BYTES)
            self.assertAlmostEqual(float(re.search(r"one_way=([\d.]+)", out)[1]) * 1e9, expected, delta=0.01)

    def test_a_message_takes_its_links_and_switches(self):
        self.check_latency("torus:k=4,n=2", "shortest", [(0, 1, 0), (0, 10, 0), (3, 12, 1000)])
        self.check_latency("fattree3:K=4", "shortest", [(0, 1, 0), (0, 2, 500), (0, 15, 0)])

    def test_a_message_takes_detours_where_links_are_down(self):
        self.check_latency("mikant:k=2,n=3", "spiral", [(0, 2, 0), (0, 15, 0), (9, 0, 100)], "--fail", "<0,0,00>-<0,1,00>")

    def test_a_pair_without_a_route_ends_the_program(self):
        platform = self.platform("torus:k=5,n=1", "shortest", "--fail", "<0>-<1>")
        self.assertNotIn("verified=yes", self.smpirun(platform, 5, self.kernel("latency"), 0, 1, good=False))

    def test_kernels_verify_and_take_the_same_time_again(self):
        for network in "torus:k=4,n=2", "random:n=16,m=8,r=5":
            platform = self.platform(network)
            for name in KERNELS:
                seconds = self.run_kernel(platform, 16, name)
                self.assertGreater(seconds, 0)
                self.assertEqual(seconds, self.run_kernel(platform, 16, name))

    def test_wrong_results_do_not_verify(self):
        platform = self.platform("torus:k=4,n=2")
        for name, (right, wrong) in MUTATIONS.items():
            text = (ROOT / "experiments" / "mpi" / f"{name}.c").read_text()
            self.assertIn(right, text)
            (self.folder / "wrong.c").write_text(text.replace(right, wrong))
            build("smpicc", self.folder / "wrong.c", self.folder / "wrong")
            self.assertIn("verified=no", self.smpirun(platform, 8, "./wrong", *KERNELS[name], good=False))

    def test_times_are_ordered_as_the_networks(self):
        """Every link is one of the other network's, faster; and spread routes beat those that share one path."""
        slow, fast = self.platform("fattree3:K=4"), self.platform("fattree3:K=4", "shortest", "--bandwidth", "20", "--switch-latency", "30")
        one_path = self.platform("fattree3:K=4", "table")
        for name in KERNELS:
            self.assertLess(self.run_kernel(fast, 16, name), self.run_kernel(slow, 16, name))
        self.assertLess(self.run_kernel(slow, 16, "alltoall"), self.run_kernel(one_path, 16, "alltoall"))

    def test_comparison(self):
        def compare(*arguments):
            command = ["sh", ROOT / "experiments" / "mpi" / "compare.sh", "-n", "8", "-o", "out", *arguments]
            return self.output_of(["env", f"FAULTLINE={PROGRAM}", *command])
        networks = ["torus:k=4,n=2", "fattree3:K=4 table"]
        table = compare("-k", "alltoall:64 stencil:2:4:2", *networks)
        self.assertRegex(table, r"(?s)^\| network \| router \| alltoall:64 \| stencil:2:4:2 \| speed-up \|\n.*"
                                r"\| torus:k=4,n=2 \| shortest \| [\d.]+ \| [\d.]+ \| 1\.000 \|\n\| fattree3:K=4 \| table \| [\d.]+ \| [\d.]+ \| 0\.\d+ \|\n$")
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "out").iterdir()}
        self.assertEqual(compare("-k", "alltoall:64 stencil:2:4:2", *networks), table)
        self.assertEqual({path: path.stat().st_mtime_ns for path in (self.folder / "out").iterdir()}, before)
        self.assertNotEqual(compare("-s", "2", "-k", "alltoall:64", *networks), compare("-k", "alltoall:64", *networks))
        self.assertRegex(compare("-p", f"{self.folder}/out/alltoall 64", *networks), r"\| torus:k=4,n=2 \| shortest \| [\d.]+ \| 1\.000 \|\n")


@unittest.skipUnless(shutil.which("mpicc") and shutil.which("mpirun"), "mpicc or mpirun is not installed (Debian, Ubuntu: libopenmpi-dev openmpi-bin)")
class MachineTest(KernelTest):
    def test_kernels_verify_on_a_machine(self):
        for name, arguments in {**KERNELS, "latency": ["0", "1", "100"]}.items():
            build("mpicc", ROOT / "experiments" / "mpi" / f"{name}.c", self.folder / name, ["-std=c17", "-Wconversion", "-Wshadow"])
            self.assertIn(" ranks=3 ", self.output_of(["mpirun", "--oversubscribe", "-n", "3", f"./{name}", *arguments]))


if __name__ == "__main__":
    unittest.main()
