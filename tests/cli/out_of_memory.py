"""Every allocation of a small run of every command fails once: alone, and with all that follow it.

A run that lacks memory ends with exit code 1 and one line on standard error that reports it. It prints nothing and leaves no
file of results, or complete ones in a folder that the line names; if only a picture lacks memory, all other files are complete
and the line names the missing one. It may end with exit code 0 only if its output and files are those of a run with enough
memory: some allocations, such as those of libc for its buffers, only make things faster.

The default test tries some allocations of every run, spread evenly; --every tries all. The program runs under
fail_allocations.so, which the environment variable FAIL_ALLOCATIONS names. Arguments are the names of runs (default: all)."""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

from support import PROGRAM, ROOT, tree_of

SHIM = os.environ.get("FAIL_ALLOCATIONS", "")
ELSEWHERE = "elsewhere"  # the folder for results that cannot be written to the requested folder
TIME_LIMIT = 100  # seconds of CPU time for a run that takes milliseconds
TRIES = 12        # for each run and kind of failure, without --every
NET = ["--topology", "mikant:k=2,n=3"]
TORUS = ["--topology", "torus:k=3,n=2"]
ONE = ["--threads", "1"]
SWEEP = ["sweep", *NET, "--routers", "shortest,gns+gdl", "--faults", "0,2", "--trials", "20", *ONE]
DOR = ["--routers", "dimension-order"]
SIMULATE = ["simulate", *TORUS, "--load", "0.1", "--steady", "--cycles", "50", "--warmup", "5", *ONE]

# Files that lie in the folder of a run.
FILES = {
    "sweep.json": '{"name": "two", "title": "two", "seed": 3, "trials": 10, "sweeps": [{"topology": "mikant:k=2,n=3",'
                  ' "routers": ["shortest", "gns+gdl"], "faults": [0, 2]}, {"topology": "torus:k=3,n=2", "routers":'
                  ' ["dimension-order"], "fault_rate": "0:0.1:0.1", "fault_model": "links:draw=independent"}]}',
    "load.json": '{"name": "curves", "title": "two", "topology": "torus:k=3,n=2", "steady": true, "warmup": 5, "cycles": 50,'
                 ' "load": "0.1,0.2", "curves": [{"label": "a", "routers": "dimension-order"}, {"label": "b", "routers": "table",'
                 ' "traffic": "tornado"}]}',
    "times.json": '{"name": "times", "title": "times", "preset": "thintree", "router": "minimal-adaptive", "networks":'
                  ' [{"label": "a", "topology": "kary-ntree:k=2,n=2"}, {"label": "b", "topology": "thintree:k=2,up=1,n=2"}],'
                  ' "workloads": ["BI:bytes=64", "AA:bytes=64"]}',
    "rules.json": '{"rules": [{"topology": "mikant:k=2,n=3", "router": "gns", "fault_model": "links:class=switch-links", "faults": 1,'
                  ' "expect": "acyclic"}, {"topology": "torus:k=3,n=2", "router": "table", "faults": 0, "expect": "acyclic"}]}',
    "graph.txt": "4 4 4\n0 4\n1 5\n2 6\n3 7\n4 5\n5 6\n6 7\n7 4\n4 6\n",
    "links.txt": "<0,0,00>-<0,1,00>\n",
    "order.txt": "".join(f"{(i + 1) % 9}\n" for i in range(9)),
    "messages.trace": "",  # written by the program, see prepare()
    "costs.json": (ROOT / "experiments" / "costs" / "infiniband-fdr10.json").read_text(),
    "part-1": SWEEP + ["--shard", "1/2", "--out", "part-1", "--no-figures"],
    "part-2": SWEEP + ["--shard", "2/2", "--out", "part-2", "--no-figures"],
}

Run = namedtuple("Run", "arguments streams", defaults=[False])  # streams: prints each line when it is computed

RUNS = {
    "list": Run(["list"]),
    "new-router": Run(["new-router", "mine"]),
    "sweep": Run(SWEEP),
    "sweep-precise": Run([*SWEEP, "--until-ci", "0.3", "--fault-model", "links:class=switch-links"]),
    "sweep-folder": Run(["sweep", "sweep.json", *ONE, "--out", "out", "--no-figures", "--quiet"]),
    "sweep-limits": Run(["sweep", *NET, "--routers", "limit,minimal-limit,spiral", "--fault-rate", "0.1", "--trials", "5", *ONE]),
    "merge": Run(["merge", "part-1", "part-2"]),
    "exact": Run(["exact", *NET, "--routers", "gns", "--faults", "0,2", *ONE]),
    "exact-limits": Run(["exact", "--topology", "mikant:k=2,n=2", "--routers", "shortest,limit,minimal-limit", "--faults", "0,2",
                         *ONE]),
    "exact-folder": Run(["exact", "--topology", "clos:k=2,n=2", "--routers", "tree-cube", "--fault-rate", "0,0.1", "--fault-model",
                         "links:draw=independent", *ONE, "--out", "out", "--no-figures", "--quiet"]),
    "deadlock": Run(["deadlock", *NET, "--routers", "gns,shortest@turns:2", "--fault-model", "links:class=switch-links", "--faults", "0,1"]),
    "deadlock-json": Run(["deadlock", "--topology", "torus:k=3,n=1", "--routers", "table", "--faults", "0", "--json",
                          "--picture", "cycle.svg"]),
    "deadlock-prove": Run(["deadlock", *NET, "--routers", "shortest", "--prove"]),
    "deadlock-fewest": Run(["deadlock", "--topology", "torus:k=3,n=1", "--routers", "table", "--fewest-vcs", "--markdown"]),
    "deadlock-rules": Run(["deadlock", "--rules", "rules.json"], streams=True),
    "topology": Run(["topology", "kary-ntree:k=2,n=2", "--seeds", "2"]),
    "topology-json": Run(["topology", "dragonfly:a=2", "--json", "--seeds", "2"]),
    "topology-file": Run(["topology", "file:graph.txt", "--seeds", "2"]),
    "topology-random": Run(["topology", "random:n=12,m=6,r=6", "--seeds", "2"]),
    "topology-ports": Run(["topology", "wk:K=2,L=3,r=2", "--seeds", "2"]),
    "choose": Run(["choose", "--nodes", "16", "--within", "0"]),
    "choose-json": Run(["choose", "--nodes", "8", "--within", "0", "--json"]),
    "search": Run(["search", "--hosts", "12", "--radix", "6", "--switches", "4", "--steps", "400", "--chains", "2", "--json", *ONE]),
    "search-folder": Run(["search", "--hosts", "12", "--radix", "6", "--symmetry", "0", "--steps", "400", "--chains", "2", "--json", *ONE, "--out", "g"]),
    "layout": Run(["layout", "kary-ntree:k=2,n=2", "--cabinet-units", "3"]),
    "layout-folder": Run(["layout", "torus:k=3,n=1,p=1", "--cabinet-units", "2", "--costs", "costs.json", "--json", "--out", "floor"]),
    "trace": Run(["trace", *NET, "--router", "gns+gdl", "--from", "0", "--to", "15", "--fail", "@links.txt"]),
    "trace-json": Run(["trace", *NET, "--router", "shortest", "--from", "0", "--to", "5", "--faults", "2", "--json", "--picture",
                       "route.svg"]),
    "export": Run(["export", *NET, "--format", "simgrid", "--out", "net.xml"]),
    "export-by-node": Run(["export", *NET, "--router", "d-mod-k", "--faults", "3", "--format", "simgrid", "--out", "net.xml", "--json"]),
    "draw": Run(["draw", *NET, "--faults", "3", "--picture", "net.svg"]),
    "workload": Run(["workload", "BU", "--nodes", "8"]),
    "workload-trace": Run(["workload", "trace:messages.trace", "--out", "again"]),
    "workload-random": Run(["workload", "R2:messages=10,wave=3", "--nodes", "8"]),
    "simulate": Run([*SIMULATE, *DOR]),
    "simulate-faults": Run(["simulate", *NET, "--routers", "gns+gdl@turns:3", "--load", "0.1", "--preset", "cat2022", "--faults", "2",
                            "--steady", "--cycles", "40", "--fail-at", "10:<0,0,00>-<0,1,00>", "--on-failure", "retry",
                            "--series", "10", *ONE, "--json"]),
    "simulate-permutation": Run([*SIMULATE, *DOR, "--traffic", "permutation:order.txt"]),
    "simulate-saturation": Run(["simulate", *TORUS, "--routers", "dimension-order", "--find-saturation", "--steady", "--cycles", "40",
                                "--warmup", "0", *ONE]),
    "simulate-workload": Run(["simulate", *NET, "--routers", "shortest", "--workload", "W2:sides=4x4,bytes=64", *ONE]),
    "simulate-trace": Run(["simulate", *NET, "--routers", "shortest", "--workload", "trace:messages.trace", *ONE]),
    "simulate-wormhole": Run([*SIMULATE, "--switching", "wormhole", "--packet", "4", "--routers", "dimension-order@dateline:2"]),
    "simulate-folder": Run([*SIMULATE, *DOR, "--out", "out", "--no-figures", "--quiet"]),
    "simulate-spec": Run(["simulate", "load.json", *ONE]),
    "simulate-spec-folder": Run(["simulate", "load.json", *ONE, "--out", "out", "--no-figures", "--quiet"]),
    "makespan": Run(["makespan", "times.json", *ONE]),
    "makespan-folder": Run(["makespan", "times.json", *ONE, "--out", "out", "--no-figures", "--quiet"]),
    "catalogue": Run(["catalogue", "--largest", "1", "--quiet"]),
}
LONG = {"catalogue"}  # tens of thousands of allocations: each class of them once, with --every too

Outcome = namedtuple("Outcome", "code out err files")
MEMORY = re.compile(r"memory", re.I)
NO_COMPLAINT = ("note: ", "   Current memory used:", "   Maximum memory used:", "***Memory allocation failed for ")  # the last are METIS's


def prepare(folder):
    """The files that runs read."""
    for name, content in FILES.items():
        if isinstance(content, list):
            subprocess.run([PROGRAM, *content, "--quiet"], cwd=folder, check=True, capture_output=True)
        else:
            (folder / name).write_text(content)
    trace = subprocess.run([PROGRAM, "workload", "BU:bytes=64", "--nodes", "8"], check=True, capture_output=True).stdout
    (folder / "messages.trace").write_bytes(trace)
    (folder / ELSEWHERE).mkdir()


def without_times(content):
    """The content of a file that two runs with the same input have in common."""
    return re.sub(rb'"[a-z_]*(seconds|started|ended|created|time|date)[a-z_]*": ("[^"]*"|[0-9.e+-]+)', b"", content)


def run(name, folder, given, **failures):
    """Runs the program in `folder`, and restores the contents of the folder afterwards."""
    environment = {**os.environ, "TMPDIR": str(folder / ELSEWHERE), "LD_PRELOAD": SHIM, "GLIBC_TUNABLES": "glibc.malloc.perturb=165", **failures}
    try:
        done = subprocess.run([PROGRAM, *RUNS[name].arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return Outcome(None, b"", "", {})
    files = {}
    for path in sorted(folder.rglob("*")):
        place = str(path.relative_to(folder))
        if place not in given and path.is_file() and path.suffix != ".checkpoint":  # which a next run takes up
            files[place] = without_times(path.read_bytes())
    for path in [*folder.iterdir(), *(folder / ELSEWHERE).iterdir()]:
        if path.name not in given:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return Outcome(done.returncode, without_times(done.stdout), done.stderr.decode(errors="replace"), files)


def what_is_wrong(name, outcome, full):
    """None, or a description of how a run that lacked memory misbehaved."""
    if outcome.code is None:
        return "does not end"
    if outcome.code == 0:
        if outcome.out != full.out:
            return "exit code 0 with other output"
        return None if outcome.files == full.files else f"exit code 0 with other files: {sorted(outcome.files)}"
    if outcome.code != 1:
        return f"exit code {outcome.code}"
    complaints = [line for line in outcome.err.splitlines() if not line.startswith(NO_COMPLAINT) and "goes on without checkpoints" not in line]
    if len(complaints) != 1 or not complaints[0].startswith("faultline: ") or not MEMORY.search(complaints[0]):
        return "no single line that says why"
    if re.match("faultline: no picture: |faultline: no figures: ", complaints[0]):
        return None if full.out.startswith(outcome.out) and not set(outcome.files) - set(full.files) else "other output"
    if RUNS[name].streams and full.out.startswith(outcome.out) and outcome.out != full.out:
        return None
    if outcome.out:
        return "output was printed"
    saved = {re.sub(ELSEWHERE + "/[^/]*", "out", place): content for place, content in outcome.files.items()}
    if saved == full.files and "the results are in" in complaints[0]:
        return None
    return f"files are left: {sorted(outcome.files)}" if outcome.files else None


def try_run(name, every):
    """The failures of one run, with the allocations that cause them; and the number of allocations tried."""
    folder = Path(tempfile.mkdtemp(prefix="faultline-test-"))
    try:
        prepare(folder)
        given = set(tree_of(folder))
        count_file = folder.parent / (folder.name + ".count")
        full = run(name, folder, given, FAIL_COUNT=str(count_file))
        count = int(count_file.read_text())
        count_file.unlink()
        if full.code != 0:
            return {f"{name}: fails with enough memory, too: {full.err}": [""]}, 0
        step = 1 if every and name not in LONG else max(1, count // (TRIES if not every else 40 * TRIES))
        wrong = {}
        for way in ("FAIL_AT", "FAIL_FROM"):
            for number in range(1, count + 1, step):
                outcome = run(name, folder, given, **{way: str(number)})
                problem = what_is_wrong(name, outcome, full)
                if problem:
                    shown = f"{name}: {problem}; exit code {outcome.code}, stderr {outcome.err[-300:]!r}"
                    wrong.setdefault(shown, []).append(f"{way}={number}")
        return wrong, 2 * len(range(1, count + 1, step))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", help="names of runs (default: all)")
    parser.add_argument("--every", action="store_true", help="try every allocation")
    parser.add_argument("--verbose", action="store_true", help="say how many allocations each run has")
    arguments = parser.parse_args()
    names = arguments.runs or list(RUNS)
    wrong, tried = {}, 0
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for name, (problems, count) in zip(names, pool.map(lambda name: try_run(name, arguments.every), names)):
            wrong.update(problems)
            tried += count
            if arguments.verbose:
                print(f"{name}: {count} failures tried, {sum(map(len, problems.values()))} handled badly", flush=True)
    for problem, where in wrong.items():
        print(f"{problem}\n  {' '.join(where[:6])}{' ...' if len(where) > 6 else ''}")
    print(f"{tried} failed allocations tried, {sum(map(len, wrong.values()))} handled badly")
    sys.exit(1 if wrong or tried == 0 else 0)


if __name__ == "__main__":
    main()
