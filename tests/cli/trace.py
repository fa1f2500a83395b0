"""`trace` and `draw`: what they write, where, and what they refuse. Their texts are in golden.py."""

import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

from support import ProgramTest, pdf_texts, tree_of

SVG = "{http://www.w3.org/2000/svg}"
CROSS = "<0,1,01>-<1,1,11>"
TRACE_KEYS = ["topology", "router", "scope", "virtual_channels", "source", "destination", "faulty", "hops", "delivered", "length",
              "blocked", "shortest"]
HOP_KEYS = ["from", "port", "to", "link", "virtual_channel", "rule", "turn", "avoids", "asked"]
QUESTION_KEYS = ["from", "port", "to", "link", "up"]


def trace(*more, topology="mikant:k=3,n=3", router="gns+x-turns+gdl", source="<0,000>", destination="<1,111>"):
    return ["trace", "--topology", topology, "--router", router, "--from", source, "--to", destination, *map(str, more)]


def draw(*more, topology="mikant:k=3,n=3"):
    return ["draw", "--topology", topology, *map(str, more)]


class Pictures(ProgramTest):
    def check_png(self, name):
        content = self.path(name).read_bytes()
        self.assertTrue(content.startswith(b"\x89PNG\r\n") and content.endswith(b"IEND\xaeB`\x82"), name)

    def check_svg(self, name):
        """It must be well-formed."""
        root = ElementTree.parse(self.path(name)).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        return root

    def words(self, name):
        content = self.path(name).read_bytes()
        self.assertTrue(content.startswith(b"%PDF-") and content.endswith(b"%%EOF\n"), name)
        return pdf_texts(content)

    def test_every_vertex_of_a_network_is_named_once(self):
        self.succeeds(*draw("--picture", "net.pdf"))
        labels = [word for word in self.words("net.pdf") if re.fullmatch("<[0-9,]+>", word)]
        nodes = [f"<{g},{a}{b}{c}>" for g in (0, 1) for a in range(3) for b in range(3) for c in range(3)]
        switches = [f"<{g},{level},{a}{b}>" for g in (0, 1) for level in (0, 1) for a in range(3) for b in range(3)]
        self.assertEqual(sorted(labels), sorted(nodes + switches))

    def test_faulty_links_are_dashed(self):
        def dashed(*more):
            self.succeeds(*draw("--picture", "net.svg", "--force", *more))
            return sum("stroke-dasharray" in str(path.attrib) for path in self.check_svg("net.svg").iter(SVG + "path"))
        self.assertEqual(dashed(), 0)
        self.assertEqual(dashed("--fail", CROSS), 1 + 1)  # and one in the legend
        self.assertEqual(dashed("--faults", "25"), 25 + 1)

    def test_a_trace_numbers_its_hops(self):
        self.succeeds(*trace("--fail", CROSS, "--picture", "route.pdf"))
        words = self.words("route.pdf")
        self.assertEqual([word for word in words if word.isdigit()], [str(i + 1) for i in range(7)])
        for word in ("source <0,000>", "<1,111> destination", "path taken", "shortest path left", "link that a detour avoids"):
            self.assertIn(word, words)
        self.assertNotIn("blocking link", words)

    def test_a_blocked_packet_shows_the_blocking_link(self):
        self.succeeds(*trace("--fail", CROSS, "--picture", "route.pdf", router="shortest"))
        words = self.words("route.pdf")
        self.assertIn("blocking link", words)
        self.assertTrue(any("blocked at <0,1,01> after 2 links (blocked_cross)" in word for word in words), words)

    def test_channels_are_written_on_the_hops(self):
        self.succeeds(*trace("--fail", "<1,33>-<2,33>;<1,33>-<0,33>", "--picture", "route.pdf", topology="kary-ntree:k=4,n=3",
                             router="gns+gdl@phase:3", source="<000>", destination="<333>"))
        words = self.words("route.pdf")
        self.assertIn("1:vc0", words)
        self.assertIn("10:vc2", words)

    def test_of_a_large_network_the_part_in_question_is_shown_and_said_so(self):
        self.succeeds(*trace("--picture", "route.pdf", topology="mikant:k=4,n=4", router="gns", source="0", destination="400"))
        words = self.words("route.pdf")
        self.assertTrue(any("A part of mikant:k=4,n=4: 6 of 384 switches and 2 of 512 nodes" in word for word in words), words)
        self.succeeds(*draw("--show", "all", "--picture", "all.pdf", topology="mikant:k=4,n=4"))
        self.assertEqual(sum(word.startswith("<") for word in self.words("all.pdf")), 384 + 512)

    def test_the_ending_chooses_the_format(self):
        for name, check in (("a.png", self.check_png), ("b.svg", self.check_svg), ("c.pdf", self.words), ("d.PDF", self.words)):
            out = self.succeeds(*trace("--fail", CROSS, "--picture", name)).out
            self.assertTrue(out.endswith(f"written to {name}\n"), out)
            check(name)
        self.assertEqual(set(tree_of(self.folder)), {"a.png", "b.svg", "c.pdf", "d.PDF"})

    def test_the_same_question_gives_the_same_bytes(self):
        for suffix in ("svg", "pdf", "png"):
            for name in ("a", "b"):
                self.succeeds(*trace("--faults", 30, "--trial", 8, "--picture", f"{name}.{suffix}"))
            self.assertEqual(self.path(f"a.{suffix}").read_bytes(), self.path(f"b.{suffix}").read_bytes())

    def test_a_file_that_cannot_be_written(self):
        name = 300 * "x" + ".svg"
        self.is_refused(draw("--picture", name), f"cannot write '{name}'")
        outcome = self.run_program(*trace("--picture", name))
        self.assertEqual(outcome.code, 1)
        self.assertIn("delivered over 5 links", outcome.out)
        self.assertIn(f"no picture: cannot write '{name}'", outcome.err)
        self.assertEqual(tree_of(self.folder), {})

    def test_no_program_is_needed_to_draw(self):
        for name in ("x.svg", "x.pdf", "x.png"):
            self.succeeds(*draw("--picture", name), env={"PATH": str(self.folder)})

    def test_nothing_is_overwritten_unless_asked(self):
        for command in (trace("--fail", CROSS), draw()):
            for name in ("x.svg", "x.png"):
                path = self.path(name, "mine")
                self.is_refused([*command, "--picture", name], f"'{name}' is there already", "--force")
                path.unlink()
        self.path("x.svg", "mine")
        self.succeeds(*draw("--picture", "x.svg", "--force"))
        self.check_svg("x.svg")

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        for command in (trace(), draw()):
            self.is_refused([*command, "--picture", "no/such/x.svg"], "no folder 'no/such'")
            self.is_refused([*command, "--picture", "folder/"], "--picture")
            self.is_refused([*command, "--picture", ""], "--picture")

class Traces(ProgramTest):
    def read(self, *more, **ends):
        return json.loads(self.succeeds(*trace("--json", *more, **ends)).out)

    def check_questions(self, questions, faulty):
        for question in questions:
            self.assertEqual(list(question), QUESTION_KEYS)
            self.assertEqual(question["up"], question["link"] not in faulty, question)

    def check(self, answer):
        """Properties of every output."""
        self.assertEqual(list(answer), TRACE_KEYS)
        faulty = {link["link"] for link in answer["faulty"]}
        at = answer["source"]
        for hop in answer["hops"]:
            self.assertEqual(list(hop), HOP_KEYS)
            self.assertEqual(hop["from"], at)
            self.assertNotIn(hop["link"], faulty)
            self.assertTrue(0 <= hop["virtual_channel"] < answer["virtual_channels"])
            self.check_questions(hop["asked"], faulty)
            if hop["avoids"]:
                self.assertIn(hop["avoids"]["link"], faulty)
            at = hop["to"]
        if answer["delivered"]:
            self.assertEqual((at, len(answer["hops"]), answer["blocked"]), (answer["destination"], answer["length"], None))
            self.assertGreaterEqual(answer["length"], answer["shortest"]["length"])
        else:
            self.assertEqual((at, answer["length"]), (answer["blocked"]["at"], None))
            self.assertIn(answer["blocked"]["blocking"]["link"], faulty)
            self.check_questions(answer["blocked"]["asked"], faulty)
        path = answer["shortest"]["path"]
        if path:
            self.assertEqual((path[0], path[-1], len(path)), (answer["source"], answer["destination"], answer["shortest"]["length"] + 1))

    def test_json_is_true_to_itself(self):
        reasons = set()
        for trial in range(20):
            answer = self.read("--faults", 40, "--trial", trial)
            self.check(answer)
            self.assertEqual(len(answer["faulty"]), 40)
            reasons.add(answer["blocked"]["reason"] if answer["blocked"] else "delivered")
        self.assertGreater(len(reasons), 2, reasons)

    def test_text_and_json_agree(self):
        answer, text = self.read("--fail", CROSS), self.succeeds(*trace("--fail", CROSS)).out
        hops = re.findall(r"^ *(\d+)  (<\S+>) +(\d+)  (<\S+>) +(\d+) +(\d+)  ", text, re.M)
        self.assertEqual([[h["from"], h["port"], h["to"], h["link"], h["virtual_channel"]] for h in answer["hops"]],
                         [[h[1], int(h[2]), h[3], int(h[4]), int(h[5])] for h in hops])

    def test_faults_do_not_depend_on_the_router(self):
        sets = [self.read("--faults", 20, "--seed", 5, "--trial", 2, router=router)["faulty"] for router in ("shortest", "gns+gdl")]
        self.assertEqual(*sets)
        self.assertNotEqual(sets[0], self.read("--faults", 20, "--seed", 5, "--trial", 3)["faulty"])
        self.assertNotEqual(sets[0], self.read("--faults", 20, "--seed", 6, "--trial", 2)["faulty"])

    def test_links_that_were_drawn_are_printed_as_fail_takes_them(self):
        for command in (trace, draw):
            drawn = self.succeeds(*command("--faults", 20, "--trial", 3, "--picture", "a.svg", "--force")).out
            [links] = re.findall(r"^drawn: --fail '(.*)'$", drawn, re.M)
            self.assertEqual(links.count(";"), 19)
            again = self.succeeds(*command("--fail", links, "--picture", "b.svg", "--force")).out
            self.assertNotIn("drawn:", again)
            self.assertEqual(self.path("a.svg").read_bytes(), self.path("b.svg").read_bytes())

    def test_links_come_from_a_file_too(self):
        self.path("faults.txt", f"# cross\n{CROSS}\n112\n".replace("112", "3"))
        self.assertEqual(self.read("--fail", "@faults.txt")["faulty"], self.read("--fail", f"3;{CROSS}")["faulty"])

    def test_a_file_of_links_is_recognised(self):
        self.path("faults.txt", "3\n")
        self.is_refused(trace("--fail", "faults.txt"), "write @faults.txt")

    def test_endings_may_be_capital(self):
        self.succeeds(*draw("--picture", "f.SVG"))
        self.assertEqual(set(tree_of(self.folder)), {"f.SVG"})

    def test_nodes_have_numbers(self):
        self.assertEqual(self.read(source="0", destination="40"), self.read(source="<0,000>", destination="<1,111>"))

    def test_questions_are_all_asked_for(self):
        for left_out in ("--topology", "--router", "--from", "--to"):
            arguments = trace()
            at = arguments.index(left_out)
            self.is_refused(arguments[:at] + arguments[at + 2:], left_out)
        self.is_refused(draw(), "--picture")

    def test_bad_values_are_named(self):
        for arguments, *words in (
            (trace(source="<0,00>"), "--from", "<0,00>", "<0,000> to <1,222>"),
            (trace(destination="54"), "--to", "54", "0 to 53"),
            (trace(source="010"), "--from", "'010' looks like the digits of a label: write '<0,010>', or a node number without leading zeros"),
            (trace(destination="01"), "--to", "'01'", "<0,000> to <1,222>", "without leading zeros"),
            (trace(source="010", destination="1", topology="kary-ntree:k=2,n=3", router="gns"), "'<010>'"),
            (trace(router="gsn"), "gsn", "gns"),
            (trace(router="gns,gdl"), "--router gns,gdl", "one router", "joined by '+'"),
            (trace(router="zebra-cake"), "zebra-cake", "Load it with --plugin FILE.so"),
            (["trace", "--routers", "gns"], "'--routers': it is '--router' here"),
            (["deadlock", "--fault-list", "3"], "'--fault-list': it is '--fail' here"),
            (["draw", "mikant:k=3,n=3", "--out", "x.svg"], "'--out': it is '--picture' here"),
            (trace(router="gns@phse:3"), "phse", "phase"),
            (trace("--fail", "135"), "135", "0 to 134"),
            (trace("--fail", ""), "must not be empty"),
            (trace("--fail", "<0,1,01>-<1,1,11>,<0,1,00>-<1,1,11>"), "separate links by ';'"),
            (trace("--fail", "3,4"), "separate links by ';'"),
            (trace("--fail", "<0,3,01>-<1,1,11>"), "there is no '<0,3,01>'"),
            (trace("--fail", "<1,1,11>-<0,3,01>"), "there is no '<0,3,01>'"),
            (trace("--fail", "<0,1,01>-<1,1,12>"), "<0,1,01> is linked to <0,0,00>, <0,0,01>, <0,0,02>, <1,1,01>, <1,1,11>, <1,1,21>"),
            (draw("--picture", "x.svg", topology="MiKANT(3,3)"), "did you mean 'mikant:k=3,n=3'?"),
            (draw("--picture", "x.svg", topology="MiKANT:k=3,n=3"), "did you mean 'mikant'?"),
            (["draw", "mikant:k=3,n=3", "mikant:k=2,n=2", "--picture", "x.svg"], "unexpected argument 'mikant:k=2,n=2'", "mikant:k=3,n=3' already"),
            (["choose", "networks"], "unexpected argument 'networks'", "options only"),
            (draw("--picture", "x.gif"), "--picture: 'x.gif'", "FILE.svg, FILE.pdf or FILE.png"),
            (draw("--picture", "x"), "--picture: 'x'", "FILE.svg, FILE.pdf or FILE.png"),
            (draw("--picture", ".png"), "no name before the ending, as in picture.png"),
            (draw("--picture", "."), "folder"),
            (draw("--picture", "x.svg", "--faults", "3", "--fault-model", "links:class=switch-link"), "did you mean 'switch-links'"),
            (draw("--picture", "x.svg", "--faults", "3", "--fault-model", "links:class=nods"), "node-links", "and switch-links (all but node links)"),
            (trace("--fail", "@missing"), "missing"),
            (trace("--faults", "136"), "136"),
            (trace("--faults", "x"), "--faults x"),
            (trace("--fault-rate", "1.5"), "--fault-rate 1.5"),
            (trace("--fault-rate", "0.1", "--faults", "3"), "not both"),
            (trace("--trial", "1"), "--trial"),
            (trace("--faults", "3", "--seed", "-1"), "--seed"),
            (trace("--scope", "global"), "global"),
            (trace("--picture", "x.svg", "--show", "some"), "some", "auto, all or part"),
            (trace("--show", "all"), "--picture"),
            (draw("--faults", "3", "--fault-model", "lnks", "--picture", "x.svg"), "lnks", "links"),
        ):
            with self.subTest(arguments):
                self.is_refused(arguments, *words)


if __name__ == "__main__":
    unittest.main()
