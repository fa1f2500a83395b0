"""File names that JSON and CSV have to quote, and those that they cannot contain."""

import csv
import io
import json
import os
import unittest

from support import ProgramTest

GRAPH = "4 2 4\n0 4\n1 4\n2 5\n3 5\n4 5\n"
HOSTILE = ['"quoted", with a \\backslash; and %s%n', "tab\tnew\nline\x01\x1b[31m\x7f", "ünïcode-Ω-😀<script>", "=1+2"]
NOT_UTF8 = [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\xaf"]


class Hostile(ProgramTest):
    def each(self):
        for name in HOSTILE:
            with self.subTest(name):
                self.path(name, GRAPH)
                yield name, "file:" + name

    def json_of(self, *arguments):
        return json.loads(self.succeeds(*arguments).out)

    def test_every_json_names_the_network_as_it_is(self):
        short = ["--steady", "--cycles", "100", "--warmup", "10", "--load", "0.1"]
        for _, network in self.each():
            of = ["--topology", network]
            self.assertEqual(self.json_of("topology", network, "--json")["network"], network)
            self.assertEqual(self.json_of("trace", *of, "--router", "shortest", "--from", 0, "--to", 2, "--json")["topology"], network)
            self.assertEqual(self.json_of("simulate", *of, "--routers", "shortest", *short, "--json")["topology"], network)
            proof = self.json_of("deadlock", *of, "--routers", "shortest", "--faults", 1, "--json")
            self.assertEqual((proof[0] if isinstance(proof, list) else proof)["topology"], network)
            for command in ("sweep", "exact"):
                self.succeeds(command, *of, "--routers", "shortest", "--faults", "0,1", "--out", "out", "--no-figures", "--force")
                document = json.loads(self.path(f"out/{command}.json").read_text())
                self.assertEqual((document["sweeps"][0]["topology"], document["spec"]["sweeps"][0]["topology"]), (network, network))

    def test_shards_and_checkpoints_are_read_back(self):
        for _, network in self.each():
            options = ["--topology", network, "--routers", "shortest", "--faults", "0,1", "--trials", 100, "--no-figures", "--quiet"]
            for shard in (1, 2):
                self.succeeds("sweep", *options, "--shard", f"{shard}/2", "--out", f"s{shard}", "--force")
            self.succeeds("merge", "s1", "s2", "--out", "sum", "--no-figures", "--force")
            self.succeeds("sweep", *options, "--out", "whole", "--force")
            self.assertEqual(self.path("sum/sweep.csv").read_text(), self.path("whole/sweep.csv").read_text())
            self.succeeds("sweep", *options, "--resume", "--out", "whole")

    def test_cells_of_tables_are_the_names(self):
        def cells(text, column):
            return {row[column] for row in csv.DictReader(io.StringIO(text, newline=""))}
        for name, network in self.each():
            out = self.run_bytes("sweep", "--topology", network, "--routers", "shortest", "--faults", "0", "--trials", 10)
            self.assertEqual(cells(out, "topology"), {network})
            self.path(name, "1\n0\n3\n2\n")
            out = self.run_bytes("simulate", "--topology", "mikant:k=2,n=1", "--routers", "shortest", "--traffic", "permutation:" + name,
                                 "--steady", "--cycles", "100", "--warmup", "10", "--load", "0.1")
            self.assertEqual(cells(out, "traffic"), {"permutation:" + name})

    def run_bytes(self, *arguments):
        """Standard output byte for byte: line ends inside cells included."""
        with open(self.path("stdout"), "wb") as out:
            self.succeeds(*arguments, stdout=out)
        return self.path("stdout").read_bytes().decode()


class Refused(ProgramTest):
    def test_names_that_are_no_text(self):
        """Results are UTF-8, and a file named in them can be read again by that name."""
        for name in NOT_UTF8:
            with self.subTest(name):
                self.path(os.fsdecode(name), GRAPH)
                network = os.fsdecode(b"file:" + name)
                for command in (["sweep", "--routers", "shortest"], ["exact", "--routers", "shortest"], ["deadlock", "--routers", "shortest", "--faults", "1"],
                                ["simulate", "--routers", "shortest"], ["trace", "--router", "shortest", "--from", "0", "--to", "1"]):
                    self.is_refused([*command, "--topology", network], "not UTF-8")
                self.is_refused(["topology", network], "not UTF-8")
                simulate = ["simulate", "--topology", "mikant:k=2,n=2", "--routers", "shortest"]
                self.is_refused([*simulate, "--traffic", os.fsdecode(b"permutation:" + name)], "not UTF-8")
                self.is_refused([*simulate, "--workload", os.fsdecode(b"trace:" + name)], "not UTF-8")

    def test_labels_that_a_spreadsheet_would_run(self):
        for label, word in (("=1+1", "'='"), ("+x", "'+'"), ("-x", "'-'"), ("@SUM(A1)", "'@'"), ("\t=1", "control character"), ("a\nb", "control character")):
            with self.subTest(label):
                spec = {"topology": "mikant:k=2,n=2", "curves": [{"label": label, "routers": "shortest"}]}
                self.is_refused(["simulate", self.path("curves.json", json.dumps(spec))], "curve 1", "label", word)
                spec = {"name": "m", "networks": [{"topology": "mikant:k=2,n=2", "label": label}], "router": "shortest", "workloads": ["AA"]}
                self.is_refused(["makespan", self.path("makespan.json", json.dumps(spec))], "network 1", "label", word)
        self.path("trace", "faultline workload 1\nname =1+1\nprocesses 2\n0 0 1 5\n")
        self.is_refused(["simulate", "--topology", "mikant:k=2,n=2", "--routers", "shortest", "--workload", "trace:trace"], "line 2", "formula")


if __name__ == "__main__":
    unittest.main()
