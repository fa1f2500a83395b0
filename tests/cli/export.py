"""`export`: the files of each format, read by a program of its own, and what is refused."""

import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

from support import ProgramTest


class Platform:
    """Routes of a SimGrid platform, as SimGrid finds them: in one zone, or between two of zones in one."""

    def __init__(self, path):
        world = ElementTree.parse(path).getroot().find("zone")
        self.properties = {prop.get("id"): prop.get("value") for prop in world.findall("prop")}
        self.links = {link.get("id"): link for link in world.iter("link")}
        self.zone_of, self.routes, self.between = {}, {}, {}
        for zone in [world, *world.findall("zone")]:
            for host in zone.findall("host"):
                self.zone_of[host.get("id")] = zone.get("id")
            for route in zone.findall("route"):
                assert route.get("symmetrical") == "NO"
                self.routes[route.get("src"), route.get("dst")] = self.steps(route)
            for route in zone.findall("zoneRoute"):
                self.between[route.get("src"), route.get("dst")] = route.get("gw_src"), self.steps(route), route.get("gw_dst")

    def steps(self, route):
        steps = [(step.get("id"), step.get("direction")) for step in route.findall("link_ctn")]
        assert all(name in self.links for name, _ in steps)
        return steps

    def route(self, a, b):
        """The links from host to host; None: there is no route."""
        if self.zone_of[a] == self.zone_of[b]:
            return self.routes.get((a, b))
        if (self.zone_of[a], self.zone_of[b]) not in self.between:
            return None
        start, steps, end = self.between[self.zone_of[a], self.zone_of[b]]
        return self.routes[a, start] + steps + self.routes[end, b]

    def latency(self, steps):
        return sum(float(re.fullmatch(r"([\d.]+)ns", self.links[name].get("latency"))[1]) for name, _ in steps)


class ExportTest(ProgramTest):
    def export(self, *arguments, code=0):
        outcome = self.run_program("export", *arguments, "--format", "simgrid", "--out", "net.xml", "--force")
        self.assertEqual(outcome.code, code, outcome.err)
        return outcome

    def trace(self, network, router, source, destination, *more):
        return json.loads(self.run_program("trace", network, "--router", router, "--from", str(source), "--to", str(destination), *more, "--json").out)

    def check_route(self, platform, trace, source, destination):
        """The platform's route has the links of the trace, in its order; it takes h links and h - 1 switches."""
        steps = platform.route(f"n{source}", f"n{destination}")
        if not trace["delivered"]:
            self.assertIsNone(steps)
            return
        self.assertEqual([int(name[1:]) for name, _ in steps], [hop["link"] for hop in trace["hops"]])
        self.assertEqual(platform.latency(steps), 36 * len(steps) + 60 * (len(steps) - 1))

    def check_routes(self, network, router="shortest", zones=True, faults=()):
        self.export(network, "--router", router, *faults)
        platform = Platform(self.folder / "net.xml")
        hosts = (self.folder / "net.hosts").read_text().split()
        self.assertEqual(sorted(platform.zone_of), sorted(hosts))
        self.assertEqual(len(set(platform.zone_of.values())) > 1, zones)
        self.assertEqual(platform.properties["network"], json.loads(self.run_program("topology", network, "--json").out)["network"])
        nodes = [int(host[1:]) for host in hosts]
        for source in nodes[:: len(nodes) // 5]:
            for destination in nodes[1 :: len(nodes) // 7]:
                if source != destination:
                    self.check_route(platform, self.trace(network, router, source, destination, *faults), source, destination)
        for host in hosts:
            (name, _), = platform.route(host, host)
            self.assertEqual(platform.links[name].get("sharing_policy"), "FATPIPE")
        return platform

    def test_routes_are_those_of_the_router(self):
        self.check_routes("torus:k=3,n=2,p=2")
        self.check_routes("random:n=24,m=8,r=7")
        self.check_routes("mikant:k=2,n=3")
        self.check_routes("fattree3:K=4", router="table")

    def test_routes_by_node_have_one_zone(self):
        self.check_routes("fattree3:K=4", zones=False)

    def test_nodes_of_several_ports(self):
        self.check_routes("pp:p=2,net=torus:k=3,n=1,p=2", zones=False)

    def test_both_ways_of_a_link_are_apart(self):
        platform = self.check_routes("torus:k=3,n=2,p=1")
        there, back = platform.route("n0", "n1"), platform.route("n1", "n0")
        flipped = {"UP": "DOWN", "DOWN": "UP"}
        self.assertEqual([(name, flipped[way]) for name, way in reversed(there)], back)

    def test_faults(self):
        whole = self.check_routes("mikant:k=2,n=3", router="gns+gdl")
        some = self.check_routes("mikant:k=2,n=3", router="gns+gdl", faults=("--faults", "6", "--seed", "3"))
        self.assertEqual(len(some.links) + 6, len(whole.links))
        self.assertIn("faults", some.properties)

    def test_a_node_that_is_cut_off_is_left_out(self):
        outcome = self.export("torus:k=3,n=1", "--fail", "<0,0>-<0>", "--json")
        counts = json.loads(outcome.out)
        self.assertEqual((counts["nodes"], counts["nodes_left_out"], counts["pairs"], counts["pairs_cut"]), (2, 1, 2, 0))
        self.assertEqual((self.folder / "net.hosts").read_text(), "n1\nn2\n")
        self.assertIn("1 nodes are left out", outcome.err)

    def test_pairs_without_a_route_are_counted(self):
        outcome = self.export("torus:k=3,n=1", "--fail", "<0>-<1>", "--json")
        counts = json.loads(outcome.out)
        self.assertEqual((counts["pairs"], counts["pairs_cut"]), (4, 2))
        self.assertIn("note: 2 of 6 pairs have no route: shortest does not deliver between them", outcome.err)
        self.assertIsNone(Platform(self.folder / "net.xml").route("n0", "n1"))

    def test_lengths_are_those_of_the_topology(self):
        for network in "random:n=60,m=20,r=8", "mesh:k=4,n=2,p=2":
            counts = json.loads(self.export(network, "--json").out)
            measured = json.loads(self.run_program("topology", network, "--json").out)
            self.assertEqual((counts["length_sum"], counts["pairs"]), (2 * measured["haspl_sum"], 2 * measured["haspl_pairs"]))

    def test_speeds(self):
        self.export("torus:k=3,n=1", "--bandwidth", "2.5", "--link-latency", "10", "--switch-latency", "7", "--speed", "3", "--loopback-latency", "5",
                    "--loopback-bandwidth", "40")
        text = (self.folder / "net.xml").read_text()
        self.assertEqual(set(re.findall(r'<link id="l\d+" (.*) sharing', text)),
                         {'bandwidth="2.5Gbps" latency="13.5ns"', 'bandwidth="2.5Gbps" latency="17ns"'})
        self.assertIn('bandwidth="40Gbps" latency="5ns" sharing_policy="FATPIPE"', text)
        self.assertIn('speed="3Gf"', text)

    def test_same_bytes_again(self):
        self.export("random:n=24,m=8,r=7")
        first = (self.folder / "net.xml").read_bytes()
        self.export("random:n=24,m=8,r=7")
        self.assertEqual(first, (self.folder / "net.xml").read_bytes())

    def test_refused(self):
        for arguments, text in (
                (["torus:k=3,n=1"], "which format?"),
                (["torus:k=3,n=1", "--format", "simgird", "--out", "a.xml"], "simgrid"),
                (["torus:k=3,n=1", "--format", "simgrid"], "Give --out FILE"),
                (["--format", "simgrid", "--out", "a.xml"], "which network?"),
                (["torus:k=3,n=1", "--format", "simgrid", "--out", "no/a.xml"], "there is no folder 'no'"),
                (["torus:k=3,n=1", "--format", "simgrid", "--out", "a.xml", "--router", "limit"], "it has no routes"),
                (["torus:k=3,n=1", "--format", "simgrid", "--out", "a.xml", "--router", "shortest,table"], "one router"),
                (["torus:k=3,n=1", "--format", "simgrid", "--out", "a.xml", "--bandwidth", "0"], "--bandwidth 0"),
                (["torus:k=3,n=1", "--format", "simgrid", "--out", "a.xml", "--link-latency", "-1"], "--link-latency -1"),
                (["hypercube:k=13", "--format", "simgrid", "--out", "a.xml"], "at most 4096")):
            outcome = self.run_program("export", *arguments)
            self.assertEqual(outcome.code, 2, arguments)
            self.assertIn(text, outcome.err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_is_overwritten(self):
        (self.folder / "a.hosts").write_text("mine")
        outcome = self.run_program("export", "torus:k=3,n=1", "--format", "simgrid", "--out", "a.xml")
        self.assertEqual(outcome.code, 2)
        self.assertIn("'a.hosts' is there already", outcome.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.hosts"])


if __name__ == "__main__":
    unittest.main()
