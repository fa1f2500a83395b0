"""faultline layout: tables, files, costs of one's own, refusals."""

import csv
import json
import unittest

from support import ProgramTest, ROOT

COSTS = ROOT / "experiments" / "costs" / "infiniband-fdr10.json"
NET = "torus:k=3,n=2,p=2"


class Layout(ProgramTest):
    def layout(self, *arguments):
        return json.loads(self.succeeds("layout", *arguments, "--json").out)

    def costs(self, **values):
        """A file of costs with some values changed."""
        costs = json.loads(COSTS.read_text())
        for name, value in values.items():
            costs["coefficients"][name]["value"] = value
        return self.path("costs.json", json.dumps(costs))

    def test_the_default_is_the_file(self):
        self.assertEqual(self.layout(NET), self.layout(NET, "--costs", str(COSTS)))

    def test_files_agree_with_the_totals(self):
        found = self.layout(NET, "--cabinet-units", "5", "--out", "floor")
        self.assertEqual(found, json.loads((self.folder / "floor/layout.json").read_text()))
        with open(self.folder / "floor/cables.csv", newline="") as file:
            cables = list(csv.DictReader(file))
        with open(self.folder / "floor/vertices.csv", newline="") as file:
            vertices = list(csv.DictReader(file))
        for kind in ("copper", "fibre"):
            lengths = [float(c["length_m"]) for c in cables if c["kind"] == kind]
            self.assertEqual(len(lengths), found["cables"][kind]["count"])
            self.assertAlmostEqual(sum(lengths), found["cables"][kind]["length_m"], 3)
            self.assertAlmostEqual(max(lengths), found["cables"][kind]["longest_m"], 3)
        where = {v["label"]: v for v in vertices}
        self.assertEqual(len(vertices), found["hosts"] + found["switches"])
        for c in cables:
            a, b = where[c["a"]], where[c["b"]]
            self.assertEqual((c["cabinet_a"], c["cabinet_b"]), (a["cabinet"], b["cabinet"]))
            way = 2.1 * abs(int(a["row"]) - int(b["row"])) + .6 * abs(int(a["column"]) - int(b["column"]))
            self.assertAlmostEqual(float(c["length_m"]), 2 + way if a["cabinet"] != b["cabinet"] else 1, 3)

    def test_costs_are_linear_in_their_coefficients(self):
        base = self.layout(NET)
        twice = self.layout(NET, "--costs", self.costs(bandwidth=80))
        self.assertAlmostEqual(twice["cost"]["copper"], 2 * base["cost"]["copper"], 3)
        self.assertAlmostEqual(twice["cost"]["fibre"], 2 * base["cost"]["fibre"], 3)
        self.assertEqual(twice["cost"]["switches"], base["cost"]["switches"])
        powered = self.layout(NET, "--costs", self.costs(fibre_power=1.5, copper_power=.5))
        self.assertAlmostEqual(powered["power_w"]["total"], base["power_w"]["switches"] + 1.5 * base["cables"]["fibre"]["count"] +
                               .5 * base["cables"]["copper"]["count"], 3)

    def test_power_follows_the_number_of_switches(self):
        """Yasudo thesis, 3.5.5.1: 20 and 24% less, 17% more power than the torus, with 194, 184 and 284 switches of radix 15."""
        torus = self.layout("torus:k=3,n=5,p=5,nodes=1024")["power_w"]["total"]
        for switches, percent in ((194, -20), (184, -24), (284, 17)):
            proposed = self.layout(f"random:n=1024,m={switches},r=15")
            self.assertEqual(proposed["radix"], 15)
            self.assertEqual(round(100 * (proposed["power_w"]["total"] / torus - 1)), percent)

    def test_seeds_and_repetition(self):
        first = self.succeeds("layout", "random:n=40,m=12,r=6", "--cabinet-units", "4").out
        self.assertEqual(first, self.succeeds("layout", "random:n=40,m=12,r=6", "--cabinet-units", "4", "--seed", "1").out)
        self.assertIn("seed 2", self.succeeds("layout", "random:n=40,m=12,r=6", "--cabinet-units", "4", "--seed", "2").out)

    def test_nothing_is_overwritten(self):
        self.layout(NET, "--out", "floor")
        self.is_refused(["layout", NET, "--out", "floor"], "floor", "layout.json", "--force")
        self.layout(NET, "--out", "floor", "--force")
        self.is_refused(["layout", NET, "--force"], "--force", "--out")

    def test_bad_input(self):
        self.is_refused(["layout"], "which network?")
        self.is_refused(["layout", "tours:k=3,n=2"], "tours", "torus")
        self.is_refused(["layout", NET, "--cabinet-units", "0"], "--cabinet-units", "0")
        self.is_refused(["layout", NET, "--seed", "-1"], "--seed", "-1")
        self.is_refused(["layout", NET, "--costs", "none.json"], "none.json")
        self.is_refused(["layout", NET, "--costs", self.path("c.json", "{")], "c.json", "line 1")
        self.is_refused(["layout", NET, "--costs", self.costs(bandwidth=-1)], "bandwidth", "-1", "from 0")
        text = COSTS.read_text().replace('"fibre_power"', '"fibre_powr"')
        self.is_refused(["layout", NET, "--costs", self.path("c.json", text)], "fibre_powr", "did you mean 'fibre_power'")
        text = COSTS.read_text().replace('"unit": "W"', '"unit": "kW"')
        self.is_refused(["layout", NET, "--costs", self.path("c.json", text)], "copper_power", "'kW'", "'W'")
        self.is_refused(["layout", "kary-ntree:k=1000,n=3"], "too large to be clustered")


if __name__ == "__main__":
    unittest.main()
