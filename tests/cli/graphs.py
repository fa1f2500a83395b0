"""The graphs of experiments/graphs: every claimed sum of distances, derived again by a search of its own."""

import json
import shlex
import unittest

from search import plain_sum
from support import ROOT, ProgramTest

GRAPHS = ROOT / "experiments/graphs"
CLAIMS = json.loads((GRAPHS / "graphs.json").read_text())["graphs"]
QUICK = {"128-24.edges", "32-4.edges"}  # searched for again: seconds


class Graphs(ProgramTest):
    def test_all_graphs_are_listed(self):
        self.assertEqual({claim["graph"] for claim in CLAIMS}, {path.name for path in GRAPHS.glob("*.edges")})

    def test_claimed_values(self):
        for claim in CLAIMS:
            text = (GRAPHS / claim["graph"]).read_text()
            hosts, switches, radix = map(int, text.split(None, 3)[:3])
            self.assertEqual(switches, claim["switches"], claim["graph"])
            self.assertEqual(claim["pairs"], hosts * (hosts - 1) // 2)
            self.assertEqual(plain_sum(text), (claim["distance_sum"], claim["diameter"]), claim["graph"])
            self.assertIn(f"--hosts {hosts} --radix {radix} ", claim["command"])

    def test_rotations_map_them_on_themselves(self):
        for claim in CLAIMS:
            if claim["symmetry"] == 1:
                continue
            lines = [tuple(map(int, line.split())) for line in (GRAPHS / claim["graph"]).read_text().splitlines()]
            n, m, _ = lines[0]
            links = {frozenset((u - n, v - n)) for u, v in lines[1:] if u >= n}
            by = m // claim["symmetry"]
            self.assertEqual({frozenset((v + by) % m for v in link) for link in links}, links, claim["graph"])

    def test_commands_find_them(self):
        for claim in CLAIMS:
            if claim["graph"] in QUICK:
                self.succeeds(*shlex.split(claim["command"])[1:], "--quiet", "--force", "--out", "again")
                self.assertEqual((self.folder / "again").read_text(), (GRAPHS / claim["graph"]).read_text(), claim["graph"])


if __name__ == "__main__":
    unittest.main()
