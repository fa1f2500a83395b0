"""`faultline choose`: its JSON and its text, and what it refuses."""

import json
import unittest

from support import ProgramTest


class Choose(ProgramTest):
    def chosen(self, *options):
        return json.loads(self.succeeds("choose", "--json", *options).out)

    def test_json_and_text_agree(self):
        found = self.chosen("--nodes", "1024", "--radix-max", "32")
        text = self.succeeds("choose", "--nodes", "1024", "--radix-max", "32").out
        self.assertEqual((found["nodes"], found["within_percent"], found["radix_max"], found["order"]), (1024, 10, 32, "rcp"))
        rows = [line.split() for line in text.splitlines()[2:2 + len(found["networks"])]]
        for row, network in zip(rows, found["networks"]):
            row = row[1:] if row[0] == "*" else row
            self.assertEqual(row[0], network["network"])
            self.assertEqual([int(x) for x in (row[1], row[2], row[3], row[8])],
                             [network[key] for key in ("nodes", "switches", "radix", "link_faults_tolerated")])
            self.assertAlmostEqual(float(row[6]), network["rcp"], 4)
        self.assertIn(f"recommended: {found['recommended']['network']}\n", text)

    def test_the_examples_of_the_sources(self):
        found = {network["network"]: network for network in self.chosen("--nodes", "524288")["networks"]}
        self.assertEqual(round(found["mikant:k=8,n=6"]["rcp"], 3), 0.457)
        self.assertEqual(round(found["micat:k=4,n=7"]["rcp"], 4), 0.4229)
        self.assertEqual(found["mikant:k=8,n=6"]["links_per_node"], 5.5)

    def test_what_is_listed_is_what_topology_measures(self):
        for network in self.chosen("--nodes", "60", "--within", "20")["networks"]:
            measured = json.loads(self.succeeds("topology", network["network"], "--json").out)
            for key in ("nodes", "switches", "links", "radix", "diameter"):
                self.assertEqual(network[key], measured[key], network)
            self.assertAlmostEqual(network["average_distance"], measured["average_distance"], 9)

    def test_none_is_an_answer(self):
        self.assertEqual(self.chosen("--nodes", "3", "--within", "0")["networks"], [])
        self.assertIsNone(self.chosen("--nodes", "3", "--within", "0")["recommended"])
        self.assertIn("there is none", self.succeeds("choose", "--nodes", "1000", "--radix-max", "2").out)

    def test_bad_input_is_refused(self):
        for options, names in (((), "how many nodes"), (("--nodes", "1"), "--nodes 1"), (("--nodes", "x"), "--nodes x"),
                               (("--nodes", "1000000000"), "from 2 to 100000000"), (("--nodes", "9", "--within", "60"), "--within 60"),
                               (("--nodes", "9", "--radix-max", "1"), "--radix-max 1"), (("--nodes", "9", "--sort", "rpc"), "did you mean 'rcp'"),
                               (("--nodes", "9", "--sort", "price-and-colour"), "expected rcp"), (("9",), "9")):
            with self.subTest(options):
                outcome = self.run_program("choose", *options)
                self.assertEqual(outcome.code, 2, outcome.out)
                self.assertIn(names, outcome.err)


if __name__ == "__main__":
    unittest.main()
