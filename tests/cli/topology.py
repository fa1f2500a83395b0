"""`faultline topology`: the keys of its JSON, published numbers, and what it refuses."""

import json
import random
import unittest
from fractions import Fraction

from support import ProgramTest

KEYS = {"network", "source", "nodes", "switches", "links", "radix", "diameter", "average_distance_with_self", "average_distance",
        "haspl_sum", "haspl_pairs", "haspl", "haspl_fraction", "bisection_width", "bisection_method", "path_diversity",
        "path_diversity_method", "table_entries", "table_bits", "node_table_entries", "node_table_bits", "edge_connectivity",
        "clustering_coefficient", "linked_pairs", "neighbour_pairs",
        "closed_form", "published", "searches", "switches_with_nodes"}


def max_flow(links, source, target):
    """Paths without a common link, found one by one."""
    left = {}
    for a, b in links:
        left[a, b] = left[b, a] = 1
    found = 0
    while True:
        came_from, queue = {source: None}, [source]
        for here in queue:
            for (a, b), free in left.items():
                if a == here and free and b not in came_from:
                    came_from[b] = a
                    queue.append(b)
        if target not in came_from:
            return found
        found += 1
        here = target
        while here != source:
            left[came_from[here], here] -= 1
            left[here, came_from[here]] += 1
            here = came_from[here]


class Topology(ProgramTest):
    def measure(self, spec, *options):
        return json.loads(self.succeeds("topology", spec, "--json", *options).out)

    def test_json_has_the_keys_and_nothing_else(self):
        for spec in ("mikant:k=3,n=3", "dragonfly:a=4", "torus:k=4,n=2", "nd:p=2,net=torus:k=4,n=2"):
            self.assertEqual(set(self.measure(spec)), KEYS)

    def test_mikant_3_3(self):
        found = self.measure("mikant:k=3,n=3")
        self.assertEqual((found["nodes"], found["switches"], found["links"], found["radix"], found["diameter"]), (54, 36, 135, 6, 6))
        self.assertEqual(Fraction(found["haspl_fraction"]), Fraction(271, 53))
        self.assertEqual(Fraction(found["haspl_sum"], found["haspl_pairs"]), Fraction(271, 53))
        self.assertAlmostEqual(found["average_distance_with_self"], 5.018518518, 8)
        self.assertEqual(found["published"]["links"], 135)

    def test_nodes_of_several_ports(self):
        found = self.measure("pp:p=3,net=torus:k=4,n=2,p=3")
        self.assertEqual((found["nodes"], found["switches"], found["links"], found["edge_connectivity"]), (112, 112, 560, 1))
        self.assertEqual((found["table_entries"], found["table_bits"]), (112 * 48, 112 * 48 * 3))
        self.assertEqual((found["node_table_entries"], found["node_table_bits"]), (112 * (15 + 6), 112 * (15 + 6) * 2))
        self.assertEqual(Fraction(found["haspl_fraction"]), Fraction(446, 111))
        self.assertIn("searched from 112 of 112 nodes", self.succeeds("topology", "pp:p=3,net=torus:k=4,n=2,p=3").out)
        self.complains("topology", "pp:p=7,net=torus:k=4,n=2,p=7", names="prime power")
        self.complains("simulate", "--topology", "nd:p=2,net=star:r=3", "--routers", "table", names="its nodes have 2 ports")

    def test_published_values_differ_from_measured_ones_where_the_source_is_wrong(self):
        found = self.measure("cat:k=3,n=3")
        self.assertAlmostEqual(found["average_distance_with_self"], 8.311413, 6)
        self.assertAlmostEqual(found["closed_form"]["average_distance_with_self"], 8.311413, 6)
        self.assertAlmostEqual(found["published"]["average_distance_with_self"], 9.4444, 4)

    def test_exact_fractions_and_bisections_of_the_yasudo_thesis(self):
        found = self.measure("fattree3:K=16")
        self.assertEqual((found["haspl_sum"], found["haspl_pairs"], found["bisection_width"]), (3070976, 523776, 512))
        found = self.measure("dragonfly:a=8,nodes=1024")
        self.assertEqual((found["haspl_sum"], found["haspl_pairs"]), (2453584, 523776))

    def test_symmetry_saves_searches_and_changes_nothing(self):
        one, all_of_them = self.measure("kns:k=8,n=2,s=3,sub=fattree"), self.measure("kns:k=8,n=2,s=3,sub=fattree", "--every-source")
        self.assertEqual((one.pop("searches"), all_of_them.pop("searches")), (1, 64))
        one["path_diversity"], all_of_them["path_diversity"] = (round(found["path_diversity"], 12) for found in (one, all_of_them))
        self.assertEqual(one, all_of_them)

    def test_one_way_networks_have_distances_and_connectivity_and_no_bisection(self):
        found = self.measure("kns:k=4,n=2,s=2,sub=ruft")
        self.assertEqual(found["diameter"], 8)
        self.assertIsNone(found["bisection_width"])
        self.assertEqual(found["edge_connectivity"], 2)
        self.assertEqual(self.measure("kns:k=4,n=1,s=2,sub=ruft")["edge_connectivity"], 1)

    def write(self, text):
        path = self.folder / "graph.txt"
        path.write_text(text)
        return f"file:{path}"

    def test_a_graph_from_a_file(self):
        spec = self.write("# two switches\n4 2 3\n0 4\n\n1 4\n5 2\n3 5\n4 5\n")
        found = self.measure(spec)
        self.assertEqual((found["nodes"], found["switches"], found["links"], found["radix"], found["diameter"]), (4, 2, 5, 3, 3))
        self.assertEqual((found["haspl_sum"], found["haspl_pairs"], found["bisection_width"], found["edge_connectivity"]), (16, 6, 1, 1))
        swept = self.succeeds("sweep", "--topology", spec, "--routers", "shortest,limit", "--faults", "0,5", "--trials", "10", "--quiet")
        self.assertEqual(len(swept.out.splitlines()), 5)

    def test_edge_connectivity_is_the_least_flow_of_all_pairs(self):
        """Two dense halves with few links between them, some switches without nodes: the fewest links are rarely those of one switch."""
        draws, beyond_degree = random.Random(3), 0
        for _ in range(12):
            switches, nodes = 12, draws.randint(3, 8)
            links = {(0, 6)} | {(a, b) for a in range(12) for b in range(a) if draws.random() < (.7 if (a < 6) == (b < 6) else .04)}
            links |= {(a, a + 1) for a in range(11) if a != 5}
            links = {tuple(sorted(link)) for link in links}
            homes = draws.sample(range(switches), nodes)
            lines = [f"{node} {nodes + home}" for node, home in enumerate(homes)] + [f"{nodes + a} {nodes + b}" for a, b in links]
            least = min(max_flow(links, a, b) for a in homes for b in homes if a < b)
            beyond_degree += least < min(sum(home in link for link in links) for home in homes)
            spec = self.write("\n".join([f"{nodes} {switches} 20", *lines, ""]))
            self.assertEqual(self.measure(spec, "--seeds", "1")["edge_connectivity"], least)
        self.assertGreater(beyond_degree, 3)

    def test_large_networks_have_all_that_can_be_had(self):
        for spec, connectivity, method in (("kary-ntree:k=8,n=4", 8, "search"), ("torus:k=64,n=2", 4, "search"), ("kns:k=64,n=2", 2, "search"),
                                           ("mesh:k=200,n=2", 2, "closed form")):
            found = self.measure(spec, "--seeds", "1")
            self.assertEqual((found["edge_connectivity"], found["path_diversity_method"]), (connectivity, method), spec)
            self.assertAlmostEqual(found["path_diversity"] / found["closed_form"]["path_diversity"], 1, 9)

    def test_files_that_are_no_graphs_are_refused_with_the_line(self):
        for text, names in (("", "line 1: expected 'n m r'"), ("4 2\n", "line 1: expected 'n m r'"), ("a b c\n", "line 1: expected 'n m r'"),
                            ("0 2 3\n", "line 1: expected"), ("1 1 99999\n0 1\n", "line 1: expected"),
                            ("4000000000 2 3\n0 4\n", "fewer lines than nodes"),
                            ("2 1 3\n0 2\n", "node 1 has no link"), ("2 1 3\n0 2\n0 2\n", "line 3: a node has a second link"),
                            ("2 1 3\n0 1\n", "line 2: two nodes"), ("2 1 3\n0 3\n", "line 2: a number is beyond"),
                            ("2 1 3\n0 2 1\n", "line 2: expected a link"), ("2 1 3\n0 x\n", "line 2: expected a link"),
                            ("2 2 3\n0 2\n1 3\n", "not connected"), ("2 2 3\n0 2\n1 3\n2 3\n3 2\n", "linked twice"),
                            ("2 1 4\n0 2\n1 2\n2 2\n", "linked to itself"), ("3 1 2\n0 3\n1 3\n2 3\n", "switch 0 has 3 links; its radix is 2")):
            with self.subTest(text):
                self.complains("topology", self.write(text), names=names)
        self.complains("topology", "file:", names="needs PATH")
        self.complains("topology", "file:missing.txt", names="missing.txt")

    def test_bad_input_is_refused(self):
        self.complains("topology", names="which network")
        self.complains("topology", "tours:k=4,n=2", names="did you mean 'torus'")
        self.complains("topology", "kns:k=4,n=2,s=2", names="a crossbar has one stage")
        self.complains("topology", "kns:k=6,n=2,s=2,sub=fattree", names="s-th power")
        self.complains("topology", "mesh:k=3,n=2,nodes=1", names="has 1 node")
        self.complains("topology", "polarity:q=6,r=9", names="not a prime power")
        self.complains("topology", "clique:m=9,r=5", names="at least m = 9")
        self.complains("topology", "xyclique:m=5,r=9", names="must be a square, such as 4 or 9")
        self.complains("topology", "random:n=100,m=3,r=9", names="cannot hold 100 nodes")
        self.complains("topology", "fattree3:K=5", names="must be even")
        self.complains("topology", "mesh:k=3,n=2", "--seeds", "0", names="--seeds")
        self.complains("topology", "hypercube:k=40", names="too large")

    def complains(self, *arguments, names):
        outcome = self.run_program(*arguments)
        self.assertEqual(outcome.code, 2, outcome.out)
        self.assertIn(names, outcome.err)


if __name__ == "__main__":
    unittest.main()
