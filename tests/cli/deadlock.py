"""faultline deadlock from outside: known counts, JSON keys, rules files, and what is refused."""

import json
import re
import signal
import time
import unittest

from support import ROOT, SANITIZED, ProgramTest, pdf_texts

try:
    import jsonschema
except ImportError:
    jsonschema = None

KEYS = {"topology", "router", "scope", "virtual_channels", "vc_assignment", "fault_model", "candidates", "faults", "fault_sets", "cyclic", "sampled", "witness"}
STEP = {"channel", "from", "to", "vc", "source", "destination", "pairs"}
GNS_FAULTS = ["<0,0,00>-<0,1,00>", "<0,1,01>-<1,1,01>", "<0,1,02>-<1,1,12>"]
THREE_TURN_FAULT = "<0,1,00>-<1,1,00>"


def asked(**options):
    """`deadlock` on MiKANT(3,3) with faults between switches; an option that is None is left out, one that is True is a switch."""
    arguments = ["deadlock"]
    for name, value in {"topology": "mikant:k=3,n=3", "routers": "gns", "fault_model": "links:class=switch-links", **options}.items():
        if value is not None:
            arguments.append("--" + name.replace("_", "-"))
            if value is not True:
                arguments.append(str(value))
    return arguments


class Deadlock(ProgramTest):
    def found(self, **options):
        return json.loads(self.succeeds(*asked(json=True, **options)).out)

    def counts(self, **options):
        return [(row["faults"], row["fault_sets"], row["cyclic"]) for row in self.found(**options)]

    def check_cycle(self, cycle):
        for step, following in zip(cycle, cycle[1:] + cycle[:1]):
            self.assertEqual(set(step), STEP)
            self.assertEqual(step["channel"], f"{step['from']} -> {step['to']} vc{step['vc']}")
            self.assertEqual(step["to"], following["from"], "a cycle closes")

    def test_known_counts_of_one_and_two_faults(self):
        self.assertEqual(self.counts(routers="three-turn", faults="0:2"), [(0, 1, 0), (1, 81, 9), (2, 3240, 684)])
        for router in ("shortest", "gns", "gdl", "gns+gdl"):
            self.assertEqual(self.counts(routers=router, faults=2), [(2, 3240, 0)])
        self.assertEqual(self.counts(routers="gns", faults=2, all_candidates=True), [(2, 3240, 216)])

    @unittest.skipIf(SANITIZED, "85,320 sets each: too slow under a sanitizer")
    def test_known_counts_of_three_faults(self):
        for router, cyclic in {"gns": 480, "gdl": 324, "gns+gdl": 2760, "three-turn": 25668}.items():
            self.assertEqual(self.counts(routers=router, faults=3), [(3, 85320, cyclic)])

    def test_one_object_for_every_router_and_fault_count(self):
        rows = self.found(routers="gns,three-turn@phase:2", faults="0,1")
        self.assertEqual([(row["router"], row["faults"]) for row in rows], [("gns", 0), ("gns", 1), ("three-turn", 0), ("three-turn", 1)])
        self.assertEqual([(row["virtual_channels"], row["vc_assignment"]) for row in rows], [(1, "one")] * 2 + [(2, "phase")] * 2)
        for row in rows:
            self.assertEqual(set(row), KEYS)
            self.assertEqual((row["topology"], row["scope"], row["candidates"]), ("mikant:k=3,n=3", "detour", "first"))
            self.assertEqual(row["witness"] is None, row["cyclic"] == 0)

    def test_a_witness_names_its_channels(self):
        [row] = self.found(routers="three-turn", faults=1)
        self.assertEqual(row["witness"]["faults"], [THREE_TURN_FAULT])
        self.assertEqual(len(row["witness"]["cycle"]), 6)
        self.check_cycle(row["witness"]["cycle"])

    def test_a_witness_is_cyclic_when_it_is_asked_about(self):
        [row] = self.found(routers="gns", sample=2000, faults=12, seed=3)
        self.assertGreater(row["cyclic"], 0)
        [again] = self.found(routers="gns", fault_model=None, fail=";".join(row["witness"]["faults"]))
        self.assertEqual((again["fault_sets"], again["cyclic"], again["faults"]), (1, 1, 12))
        self.assertEqual(again["witness"]["cycle"], row["witness"]["cycle"])

    def test_a_list_from_a_file(self):
        self.path("links.txt", "\n".join(GNS_FAULTS) + "\n")
        [row] = self.found(fault_model=None, fail="@links.txt")
        self.assertEqual((row["fault_sets"], row["cyclic"]), (1, 1))

    def test_a_sample_has_an_interval_and_the_same_seed_the_same_sets(self):
        [row] = self.found(routers="three-turn", faults=3, sample=500, seed=5)
        self.assertEqual(set(row), KEYS | {"seed", "cyclic_fraction", "fraction_low", "fraction_high"})
        self.assertTrue(row["sampled"] and row["fraction_low"] < row["cyclic_fraction"] < row["fraction_high"])
        self.assertAlmostEqual(row["cyclic_fraction"], row["cyclic"] / 500)
        self.assertEqual([row], self.found(routers="three-turn", faults=3, sample=500, seed=5))

    def test_where_there_are_fewer_sets_than_drawn_every_one_is_tried(self):
        [row] = self.found(routers="three-turn", faults=1, sample=81)
        self.assertEqual((row["sampled"], row["fault_sets"], row["cyclic"]), (False, 81, 9))

    def test_options_for_routers_without_a_vc_assignment(self):
        rows = self.found(routers="gns,gns@phase:3", vcs=2, vc_assignment="turns")
        self.assertEqual([(row["router"], row["virtual_channels"], row["vc_assignment"]) for row in rows], [("gns", 2, "turns"), ("gns", 3, "phase")])

    def test_the_text_is_written_for_a_person(self):
        text = self.succeeds(*asked(routers="three-turn", faults=1)).out
        self.assertRegex(text, r"three-turn +1 one +1 +81 +9 ")
        self.assertIn("a cycle of 6 channels under 1 fault: <0,1,00>-<1,1,00>", text)
        self.assertIn("<0,1,00> -> <1,1,10> vc0   held by <0,000> to <0,010> and 107 other pairs", text)

    def test_a_proof(self):
        good, bad = self.found(routers="gns@turns:2,gns", prove=True)
        self.assertTrue(good["deadlock_free"] and good["cycle"] is None and good["witness"] is None and good["channels_used"] == 2)
        self.assertFalse(bad["deadlock_free"])
        self.check_cycle(bad["cycle"])
        self.check_cycle(bad["witness"]["cycle"])
        for row in (good, bad):
            self.assertEqual((row["livelock_free"], row["length_bound"], row["length_bound_formula"], row["loop"]), (True, 8, 8, None))

    def test_a_proof_of_the_candidates_that_a_simulation_can_take(self):
        routers = "minimal-adaptive,minimal-adaptive@phase:2,spiral"
        rows = {choice: self.found(routers=routers, prove=True, choice=choice) for choice in ("first", "any-free", "most-free")}
        self.assertEqual(rows["any-free"], rows["most-free"])
        self.assertEqual([row["candidates"] for row in rows["first"]], ["first"] * 3)
        self.assertEqual([row["candidates"] for row in rows["most-free"]], ["all", "all", "first"], "spiral ranks its candidates")
        self.assertEqual([row["deadlock_free"] for row in rows["most-free"]], [False, True, True])
        witness = rows["most-free"][0]["witness"]
        self.assertEqual((witness["faults"], len(witness["cycle"])), ([], 4), "without any fault")
        self.check_cycle(witness["cycle"])
        for choice, cyclic in {"first": 0, "most-free": 1}.items():
            self.assertEqual(self.counts(routers="minimal-adaptive", choice=choice), [(0, 1, cyclic)])
        self.assertEqual([row["candidates"] for row in self.found(routers=routers, prove=True, all_candidates=True)], ["all"] * 3)
        text = self.succeeds(*asked(routers="minimal-adaptive,spiral", prove=True, choice="most-free")).out
        self.assertIn("minimal-adaptive, 1 virtual channel, every candidate", text)
        self.assertIn("spiral, 3 virtual channels (own), the first candidate: they are ranked", text)

    def test_the_fewest_channels_of_every_candidate(self):
        found = self.found(routers="minimal-adaptive", fewest_vcs=True, choice="most-free")
        cells = {cell["vc_assignment"]: cell for cell in found}
        self.assertEqual((cells["phase"]["fewest"], cells["phase"]["candidates"], cells["phase"]["witness"]["faults"]), (2, "all", []))
        text = self.succeeds(*asked(routers="minimal-adaptive", fewest_vcs=True, choice="most-free")).out
        self.assertRegex(text, r"phase.*\n.*minimal-adaptive.*2 \(1: 0 faults\)")
        self.assertIn("every candidate of routers that declare them equivalent", text)

    def test_what_a_proof_does_not_find_is_looked_for(self):
        # By default few faults, as far as that takes seconds: all sets of up to three of 81 links.
        text = self.succeeds(*asked(routers="adaptive-up", prove=True)).out
        self.assertIn("That alone proves nothing, but this is real", text)
        self.assertIn("85320 of 3 faults (6 cyclic)", text)
        text = self.succeeds(*asked(routers="adaptive-up", prove=True, fault_model="links")).out
        self.assertIn("9045 of 2 faults (0 cyclic)", text)
        text = self.succeeds(*asked(routers="adaptive-up", prove=True, faults=1)).out
        self.assertIn("That alone proves nothing: ", text)
        self.assertIn("no fault set was found", text)
        [row] = self.found(routers="adaptive-up", prove=True)
        self.assertEqual([(tried["faults"], tried["cyclic"]) for tried in row["tried"]], [(0, 0), (1, 0), (2, 0), (3, 6)])
        [row] = self.found(routers="adaptive-up", prove=True, faults="1,12", sample=2000)
        self.assertEqual([(tried["faults"], tried["sampled"]) for tried in row["tried"]], [(1, False), (12, True)])
        self.assertEqual(row["witness"], row["tried"][1]["witness"])
        self.check_cycle(row["witness"]["cycle"])

    def test_fewest_channels(self):
        cells = {(cell["router"], cell["vc_assignment"]): cell for cell in self.found(routers="shortest,gns", fewest_vcs=True)}
        self.assertEqual({rule: cells["shortest", rule]["fewest"] for rule in ("one", "phase", "turns")}, {"one": 1, "phase": 1, "turns": 1})
        self.assertEqual(cells["gns", "turns"]["fewest"], 2)
        self.assertEqual((cells["gns", "one"]["fewest"], cells["gns", "one"]["never"]), (None, True))
        self.check_cycle(cells["gns", "turns"]["witness"]["cycle"])
        text = self.succeeds(*asked(routers="shortest,gns", fewest_vcs=True)).out
        self.assertRegex(text, r"gns +2 +never \(1: 3 faults\)")
        table = self.succeeds(*asked(routers="shortest,gns", fewest_vcs=True, markdown=True)).out
        self.assertTrue(all(line.startswith("| ") or line.startswith("|---") for line in table.splitlines()))

    def test_a_picture_of_the_cycle(self):
        arguments = dict(routers="shortest,three-turn", faults=1, picture="cycle.pdf", quiet=True)
        self.succeeds(*asked(**arguments))
        words = pdf_texts(self.path("cycle.pdf").read_bytes())
        self.assertIn("three-turn on mikant:k=3,n=3: channels that wait for each other", words)
        self.assertIn("under 1 fault: <0,1,00>-<1,1,00>", words)
        self.assertEqual([word for word in words if word.isdigit()], [str(i + 1) for i in range(6)])
        self.is_refused(asked(**arguments), "cycle.pdf")
        self.succeeds(*asked(**arguments, force=True))
        # No cycle is a good result, not a failure, for `make` and CI too.
        nothing = self.succeeds(*asked(**{**arguments, "routers": "shortest", "picture": "none.svg"}))
        self.assertIn("shortest", nothing.out)
        self.assertIn("note: no picture was drawn: no cycle was found", nothing.err)
        self.assertFalse((self.folder / "none.svg").exists())

    def test_out_does_not_overwrite(self):
        self.succeeds(*asked(json=True, out="out"))
        before = (self.folder / "out/deadlock.json").read_text()
        self.is_refused(asked(json=True, out="out"), "out/deadlock.json", "--force")
        self.succeeds(*asked(json=True, faults=1, out="out", force=True))
        self.assertNotEqual((self.folder / "out/deadlock.json").read_text(), before)

    def test_large_numbers_of_sets_are_announced_and_can_be_interrupted(self):
        program = self.start(*asked(faults="1,6"), terminal=False)
        program.wait_for(b"left")
        program.signal(signal.SIGINT)
        outcome = program.finish()
        self.assertEqual(outcome.code, 130)
        self.assertIn("324540216 sets of 6 faults", outcome.err)
        self.assertRegex(outcome.err, r"takes about (\d+ min|\d+ h \d\d min)")
        self.assertIn("ended early", outcome.err)

    def test_the_only_class_of_switch_links_keeps_the_name_that_it_was_given(self):
        for name in ("dimension-0-links", "switch-links"):
            [row] = self.found(topology="torus:k=4,n=1", routers="shortest", fault_model="links:class=" + name)
            self.assertEqual(row["fault_model"], "links:class=" + name)

    def test_times_beyond_all_measure_are_said_in_years(self):
        program = self.start(*asked(routers="shortest", faults=68, fault_model="links"), terminal=False)
        program.wait_for(b"this takes")
        program.signal(signal.SIGINT)
        self.assertRegex(program.finish().err, r"this takes more than [0-9.e+]+ years; --sample")

    def test_proofs_can_be_interrupted(self):
        for switch in ("prove", "fewest_vcs"):
            with self.subTest(switch):
                program = self.start(*asked(topology="mikant:k=6,n=4", routers="gns+x-turns+gdl", **{switch: True}), terminal=False)
                program.wait_until_it_catches(signal.SIGINT)
                program.signal(signal.SIGINT)
                outcome = program.finish()
                self.assertEqual(outcome.code, 130)
                self.assertIn("ended early", outcome.err)

    def test_an_interrupted_table_holds_what_was_found(self):
        """The row of `shortest` takes a tenth of a second, the other one far longer than the test waits."""
        options = {"topology": "mikant:k=4,n=4", "routers": "shortest,gns+x-turns+gdl", "fewest_vcs": True}
        for json_too in (None, True):
            program = self.start(*asked(json=json_too, **options), terminal=False)
            program.wait_until_it_catches(signal.SIGINT)
            program.wait_until_it_has_worked(10 if SANITIZED else 2)
            program.signal(signal.SIGINT)
            outcome = program.finish()
            self.assertEqual(outcome.code, 130)
            self.assertIn("ended early: what was not finished is marked as stopped", outcome.err)
            if json_too:
                cells = {(cell["router"], cell["vc_assignment"]): cell for cell in json.loads(outcome.out)}
                self.assertEqual((cells["shortest", "turns"]["fewest"], cells["shortest", "turns"]["finished"]), (1, True))
                self.assertEqual((cells["gns+x-turns+gdl", "turns"]["fewest"], cells["gns+x-turns+gdl", "turns"]["finished"]), (None, False))
            else:
                rows = {line.split()[0]: line.split()[1:] for line in outcome.out.splitlines()[-2:]}
                self.assertEqual(rows["shortest"], ["1"] * 6)
                self.assertEqual(rows["gns+x-turns+gdl"][-1], "stopped")

    def test_bad_input(self):
        for options, words in (
            ({"routers": None}, ["--topology and --routers"]),
            ({"vcs": 2}, ["--vc-assignment", "detours, phase, escape, turns, dateline, own"]),
            ({"vcs": 0}, ["--vcs 0", "1 to 32"]),
            ({"vcs": 33, "vc_assignment": "phase"}, ["--vcs 33"]),
            ({"vcs": 2, "vc_assignment": "phse"}, ["phse", "phase"]),
            ({"routers": "spiral", "vcs": 1}, ["--vcs 1", "--vc-assignment"]),
            ({"routers": "gns@phase:3", "vcs": 2}, ["--vcs", "no effect"]),
            ({"topology": "kary-ntree:k=64,n=3"}, ["kary-ntree:k=64,n=3", "too large", "GB"]),
            ({"routers": "gns,"}, ["empty name"]),
            ({"routers": "gsn"}, ["gsn", "gns"]),
            ({"routers": "limit"}, ["limit", "not a router"]),
            ({"faults": 82}, ["82", "81"]),
            ({"faults": "3:1"}, ["3:1"]),
            ({"fault_model": "links:class=swich-links"}, ["swich-links"]),
            ({"fault_model": "links:draw=independent"}, ["draw=independent"]),
            ({"fault_class": "cross-links"}, ["--fault-class", "--fault-model links:class="]),
            ({"fault_list": "3"}, ["--fault-list", "'--fail'"]),
            ({"vc_rule": "turns"}, ["--vc-rule", "'--vc-assignment'"]),
            ({"all_ways": True}, ["--all-ways", "'--all-candidates'"]),
            ({"fault_model": None, "fail": "x-y"}, ["x-y"]),
            ({"fail": THREE_TURN_FAULT}, ["--fail", "--fault-model"]),
            ({"fault_model": None, "fail": THREE_TURN_FAULT, "faults": 1}, ["--faults"]),
            ({"sample": 0}, ["--sample 0"]),
            ({"seed": 3}, ["--seed", "--sample"]),
            ({"scope": "globl"}, ["globl"]),
            ({"choice": "most-free", "all_candidates": True}, ["--choice", "--all-candidates"]),
            ({"routers": "shortest,gns,shortest"}, ["'shortest' and 'shortest' are the same"]),
            ({"routers": "gns+gdl,gdl+gns"}, ["'gns+gdl' and 'gdl+gns' are the same"]),
            ({"routers": "gns@phase:2,gns", "vcs": 2, "vc_assignment": "phase"}, ["are the same"]),
            ({"fault_model": "links:class=cross-links+cross-links"}, ["'cross-links' is in the list already"]),
            ({"fault_model": "links:class=switch-links+cross-links"}, ["'cross-links' is in the list already"]),
            ({"choice": "best"}, ["--choice best", "most-free", "first"]),
            ({"prove": True, "fewest_vcs": True}, ["--prove", "--fewest-vcs"]),
            ({"fewest_vcs": True, "routers": "gns@phase:3"}, ["gns@phase:3"]),
            ({"markdown": True}, ["--fewest-vcs"]),
            ({"force": True}, ["--force", "--out"]),
        ):
            with self.subTest(options):
                self.is_refused(asked(**options), *words)


GOOD = {"topology": "mikant:k=3,n=3", "router": "gns", "fault_model": "links:class=switch-links", "faults": 1, "expect": "acyclic"}


class Rules(ProgramTest):
    def rules(self, *rules, **more):
        return self.path("rules.json", json.dumps({"rules": list(rules), **more}))

    def rule(self, **keys):
        return {key: value for key, value in {**GOOD, **keys}.items() if value is not None}

    def check(self, *rules):
        return self.run_program("deadlock", "--rules", self.rules(*rules))

    def is_broken(self, rule, *words):
        outcome = self.check(rule)
        self.assertEqual(outcome.code, 1, outcome.out + outcome.err)
        self.assertIn("BROKEN 1", outcome.out)
        self.assertIn("expected:", outcome.out)
        for word in words:
            self.assertIn(word, outcome.out)

    def holds(self, rule):
        outcome = self.check(rule)
        self.assertEqual(outcome.code, 0, outcome.out + outcome.err)
        self.assertRegex(outcome.out, r"^ok 1 ")

    def test_rules_that_hold(self):
        for keys in ({}, {"faults": 0}, {"vcs": 2, "vc_assignment": "turns", "faults": "any", "length_bound": 8}, {"router": "gns@turns:2", "faults": "any"},
                     {"router": "three-turn", "expect": "cyclic"}, {"router": "three-turn", "expect": "cyclic", "cyclic_sets": 9},
                     {"router": "three-turn", "expect": "cyclic", "faults": None, "witness": {"faults": [THREE_TURN_FAULT]}},
                     {"router": "three-turn", "expect": "cyclic", "faults": 3, "witness": {"faults": [THREE_TURN_FAULT]}},
                     {"router": "three-turn", "expect": "cyclic", "faults": "any"}, {"scope": "local"}, {"comment": "a comment"},
                     {"fault_model": "switches"}, {"expect": "cyclic", "faults": 2, "all_candidates": True}, {"length_bound": 100},
                     {"router": "minimal-adaptive", "faults": 0}, {"router": "minimal-adaptive", "faults": 0, "all_candidates": True, "expect": "cyclic"},
                     {"router": "minimal-adaptive", "faults": "any", "all_candidates": True, "expect": "cyclic", "length_bound": 6},
                     {"router": "minimal-adaptive@phase:2", "faults": "any", "all_candidates": True, "length_bound": 6}):
            with self.subTest(keys):
                self.holds(self.rule(**keys))

    def test_rules_that_are_broken(self):
        self.is_broken(self.rule(router="three-turn"), "9 of 81 sets of 1 fault are cyclic", THREE_TURN_FAULT, "held by")
        self.is_broken(self.rule(expect="cyclic"), "none under any of 82")
        self.is_broken(self.rule(router="three-turn", expect="cyclic", cyclic_sets=8), "8 cyclic sets", "9 of 81")
        self.is_broken(self.rule(expect="cyclic", faults=None, witness={"faults": [THREE_TURN_FAULT]}), "a cycle under the given faults", "none")
        self.is_broken(self.rule(faults="any"), "deadlock-free for every fault set", "a cycle of 4 channels under 3 faults", "held by")
        self.is_broken(self.rule(expect="cyclic", faults="any", vcs=2, vc_assignment="turns"), "deadlock-free for every fault set")
        self.is_broken(self.rule(length_bound=7), "at most 7 links", "up to 8")

    def test_a_broken_bound_of_the_length_names_a_packet(self):
        for keys, length in (({"router": "gns"}, 8), ({"router": "gns", "all_candidates": True}, 8), ({"router": "gns+x-turns+gdl"}, 12),
                             ({"topology": "hypercube:k=3", "router": "adaptive-ecube"}, 9)):
            with self.subTest(keys):
                rule = self.rule(**{"faults": None, "expect": None, "length_bound": 2, **keys})
                found = re.search(r"found: +up to (\d+): the packet from (\S+) to (\S+) under \d+ faults?: (.*)", self.check(rule).out)
                self.assertEqual(int(found[1]), length)
                traced = json.loads(self.succeeds("trace", "--topology", rule["topology"], "--router", rule["router"], "--from", found[2],
                                                  "--to", found[3], "--fail", found[4].replace("; ", ";"), "--json").out)
                self.assertEqual((traced["delivered"], traced["length"]), (True, length))

    def test_the_first_that_is_broken_ends_it(self):
        outcome = self.check(GOOD, self.rule(expect="cyclic"), self.rule(router="three-turn"))
        self.assertEqual(outcome.code, 1)
        self.assertEqual(re.findall(r"^(ok|BROKEN) (\d)", outcome.out, re.M), [("ok", "1"), ("BROKEN", "2")])

    def test_quiet_says_only_what_is_broken(self):
        outcome = self.succeeds("deadlock", "--rules", self.rules(GOOD), "--quiet")
        self.assertEqual((outcome.out, outcome.err), ("", ""))

    def refused_rules(self):
        for keys, words in (
            ({"x": 1}, ["'x'"]), ({"fault_clas": "x"}, ["fault_clas", "valid keys are"]), ({"topology": None}, ["topology"]), ({"router": None}, ["router"]),
            ({"router": "gsn"}, ["gsn", "gns"]), ({"router": "limit"}, ["limit"]), ({"router": 1}, ["router"]), ({"faults": None}, ["faults"]),
            ({"faults": "all"}, ["any"]), ({"faults": -1}, ["faults"]), ({"faults": 1.5}, ["faults"]), ({"faults": 82}, ["0 to 81"]),
            ({"router": "spiral", "vcs": 1}, ["vc_assignment"]),
            ({"expect": None}, ["expect"]), ({"expect": "acylic"}, ["acylic", "acyclic"]), ({"vcs": 2}, ["vc_assignment"]), ({"vc_assignment": "phase"}, ["vcs"]),
            ({"vcs": 33, "vc_assignment": "phase"}, ["1 to 32"]), ({"vcs": 2, "vc_assignment": "phse"}, ["phase"]), ({"router": "gns@phase:2", "vcs": 2}, ["itself"]),
            ({"fault_model": "links:class=x"}, ["x"]), ({"fault_class": "cross-links"}, ["fault_model"]), ({"vc_rule": "turns"}, ["vc_assignment"]), ({"all_ways": True}, ["all_candidates"]), ({"scope": "x"}, ["x"]),
            ({"fault_model": "links:draw=independent"}, ["draw=independent"]),
            ({"cyclic_sets": 3}, ["cyclic"]), ({"expect": "cyclic", "cyclic_sets": 0}, ["cyclic_sets"]), ({"expect": "cyclic", "cyclic_sets": 3, "faults": "any"}, ["faults"]),
            ({"witness": {"faults": [THREE_TURN_FAULT]}}, ["witness"]), ({"expect": "cyclic", "witness": {}}, ["faults"]),
            ({"expect": "cyclic", "witness": {"faults": ["x"]}}, ["witness", "x"]), ({"expect": "cyclic", "witness": {"fault": []}}, ["faults"]),
            ({"expect": "cyclic", "witness": {"faults": GNS_FAULTS}}, ["3", "1"]), ({"expect": "cyclic", "witness": {"faults": ["@/etc/passwd"]}}, ["link"]),
            ({"length_bound": 0}, ["length_bound"]), ({"all_candidates": "yes"}, ["all_candidates"]),
        ):
            yield self.rule(**keys), words

    def test_bad_rules(self):
        for rule, words in self.refused_rules():
            with self.subTest(rule):
                self.is_refused(["deadlock", "--rules", self.rules(GOOD, rule)], "rules.json", "rule 2", *words)

    def test_a_bound_of_the_length_is_a_rule_of_its_own(self):
        rule = {"topology": "mikant:k=3,n=3", "router": "gns", "fault_model": "links:class=switch-links", "length_bound": 8}
        out = self.succeeds("deadlock", "--rules", self.rules(rule)).out
        self.assertIn("links:class=switch-links: under any faults, at most 8 links (at most 8 links)", out)
        outcome = self.run_program("deadlock", "--rules", self.rules({**rule, "length_bound": 7}))
        self.assertEqual(outcome.code, 1)
        self.is_refused(["deadlock", "--rules", self.rules({**rule, "faults": 1})], "'faults' needs 'expect'")

    def test_keep_going(self):
        bad = self.rule(expect="cyclic", faults=0)
        for more, lines in (([], ["BROKEN 1"]), (["--keep-going"], ["BROKEN 1", "ok 2", "BROKEN 3"])):
            outcome = self.run_program("deadlock", "--rules", self.rules(bad, GOOD, bad), *more)
            self.assertEqual(outcome.code, 1)
            self.assertEqual([line.split("  ")[0] for line in outcome.out.splitlines() if line[0] != " "], lines)
        self.is_refused(asked(keep_going=True), "--keep-going belongs to --rules")

    def test_a_comma_too_many(self):
        for text in ('{"rules": [1,]}', '{"rules": [], }'):
            self.is_refused(["deadlock", "--rules", self.path("rules.json", text)], "a comma behind the last one")

    def test_bad_files(self):
        for text in ("", "[]", "{}", '{"rules": []}', '{"rules": {}}', '{"rules": [1]}', '{"rules": [], "rules": []}', '{"rule": []}', '{"rules": [{}]}'):
            with self.subTest(text):
                self.is_refused(["deadlock", "--rules", self.path("rules.json", text)], "rules.json")
        self.is_refused(["deadlock", "--rules", "missing.json"], "missing.json")
        self.is_refused(["deadlock", "--rules", self.rules(GOOD), "--markdown"], "--markdown", "--rules")

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_the_schema(self):
        schema = json.loads((ROOT / "experiments/deadlock.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        validator.validate(json.loads((ROOT / "experiments/deadlock-rules.json").read_text()))
        validator.validate({"rules": [GOOD]})
        wrong = [{"x": 1}, {"faults": "all"}, {"expect": "x"}, {"vcs": 0}, {"cyclic_sets": 1}, {"faults": None}, {"witness": {"faults": []}}]
        for keys in wrong:
            self.assertFalse(validator.is_valid({"rules": [self.rule(**keys)]}), keys)


if __name__ == "__main__":
    unittest.main()
