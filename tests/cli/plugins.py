"""--plugin: the additions of a good plug-in, and the messages for bad ones. `faultline new-router` is tested in tests/install.

PLUGINS names the folder of the bad plug-ins (tests/plugins), SKELETONS that of the good ones (docs/skeletons)."""

import json
import os
import random
import re
import unittest
from pathlib import Path

from support import ROOT, ProgramTest, read_csv

PLUGINS = Path(os.environ.get("PLUGINS", ROOT / "build" / "tests" / "plugins")).resolve()
SKELETONS = Path(os.environ.get("SKELETONS", ROOT / "build" / "docs" / "skeletons")).resolve()
NETWORK = "mikant:k=3,n=3"


def bad(kind):
    return PLUGINS / f"{kind}.so"


def good(name):
    return SKELETONS / f"{name}.so"


def sweep(plugin, routers="shortest,bad-router", topology=NETWORK, **options):
    arguments = ["sweep", "--topology", topology, "--routers", routers, "--quiet"]
    for plugin in plugin if isinstance(plugin, list) else [plugin]:
        arguments += ["--plugin", plugin]
    for name, value in {"faults": "10,40", "trials": 3000, **options}.items():
        if value is not None:
            arguments += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
    return arguments


TREE = ["--topology", "kary-ntree:k=2,n=3"]
ANALYSES = {
    "sweep": ["sweep", *TREE, "--routers", "ROUTER", "--faults", "0,6", "--trials", "3000", "--quiet"],
    "exact": ["exact", *TREE, "--routers", "ROUTER", "--faults", "2", "--quiet"],
    "deadlock": ["deadlock", *TREE, "--routers", "ROUTER", "--faults", "1", "--quiet"],
    "all candidates": ["deadlock", *TREE, "--routers", "ROUTER", "--faults", "1", "--quiet", "--all-candidates"],
    "proof": ["deadlock", *TREE, "--routers", "ROUTER", "--prove", "--quiet"],
    "trace": ["trace", *TREE, "--router", "ROUTER", "--from", "<000>", "--to", "<011>"],
    "simulation": ["simulate", *TREE, "--routers", "ROUTER", "--steady", "--warmup", "10", "--cycles", "400", "--load", "0.4", "--faults", "3",
                   "--quiet"],
}
# Loops are what these analyses look for, and answers to a request for 512 candidates are not compared with second ones.
FOUND_AS_RESULT = {
    ("LOOPS", "deadlock"): "100.0000%", ("LOOPS", "all candidates"): "100.0000%", ("LOOPS", "proof"): "comes back here",
    ("TOO_MANY_CANDIDATES", "all candidates"): "0.0000%", ("COUNTS", "all candidates"): "0.0000%",
    ("COUNTS_IN_GLOBAL", "all candidates"): "0.0000%",
}


def analyse(analysis, kind, router="bad-router"):
    """The command of an analysis that comes to where a bad plug-in goes wrong."""
    arguments = [router if argument == "ROUTER" else argument for argument in ANALYSES[analysis]]
    if analysis == "trace" and kind in ("DOWN_LINK", "SILENT", "SOURCE_REASON", "RULE_LEADS_OUT"):
        arguments += ["--fail", "<0,00>-<1,01>"]
    if analysis == "simulation" and kind == "LOOPS":  # few packets, so that they do not wait for each other
        long = {"0.4": "0.00005", "400": "100000"}
        arguments = [long.get(argument, argument) for argument in arguments]
    return [*arguments, "--plugin", bad(kind)]


def delivered(outcome):
    """By router and number of faults."""
    return {(row["router"], int(row["faults"])): int(row["delivered"]) for row in read_csv(outcome.out)}


class GoodPlugins(ProgramTest):
    def test_a_router_by_a_plugin_routes_as_it_should(self):
        # Source-digit routing takes other paths than shortest, of the same lengths: one exact curve for both.
        outcome = self.succeeds("exact", "--plugin", good("source-digit"), "--topology", NETWORK, "--routers", "shortest,source-digit",
                                "--faults", "0:40:10", "--quiet")
        rows = [[value for key, value in row.items() if key != "router"] for row in read_csv(outcome.out)]
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[:5], rows[5:])

    def test_a_router_of_a_plugin_stands_beside_others_without_changing_them(self):
        alone = delivered(self.succeeds(*sweep([], routers="shortest,gns,limit")))
        both = delivered(self.succeeds(*sweep(good("source-digit"), routers="shortest,gns,source-digit,limit")))
        for faults in (10, 40):
            for router in ("shortest", "gns"):
                # Other questions change the random places of links: equal only if no router asked in between.
                self.assertLess(abs(alone[router, faults] - both[router, faults]), 200)
            self.assertLessEqual(both["source-digit", faults], both["limit", faults])

    def test_threads_change_nothing(self):
        for plugin, routers in ((good("source-digit"), "source-digit,gns"), (good("gdl-twice"), "gdl,gdl+gdl-twice")):
            one, more = (self.succeeds(*sweep(plugin, routers=routers, threads=threads)).out for threads in (1, 3))
            self.assertEqual(one, more)

    def test_a_rule_of_a_plugin_adds_a_little(self):
        counts = delivered(self.succeeds(*sweep(good("gdl-twice"), routers="gdl,gdl+gdl-twice", faults="40", trials=100000)))
        gained = counts["gdl+gdl-twice", 40] - counts["gdl", 40]
        self.assertTrue(80 < gained < 160, gained)  # 0.00118 of a hundred thousand (docs/add-a-router.md); its 95% interval is 90 to 150

    def test_a_rule_of_a_plugin_obeys_what_it_says_it_needs(self):
        self.is_refused(sweep(good("gdl-twice"), routers="gdl-twice"), "only be used together with gdl")
        self.is_refused(sweep(good("gdl-twice"), routers="gdl+gdl-twice", topology="mikant:k=2,n=3"), "k must be at least 3")

    def test_a_network_of_a_plugin_is_swept(self):
        counts = delivered(self.succeeds(*sweep(good("ring"), topology="ring:k=8", routers="turn-back,limit", faults="0:2",
                                                fault_model="links:class=ring-links", trials=20000)))
        self.assertEqual([counts["turn-back", 0], counts["turn-back", 1]], [20000, 20000])
        self.assertEqual(counts["turn-back", 2], counts["limit", 2])
        self.assertLess(abs(counts["limit", 2] / 20000 - 4 / 7), .02)  # six standard deviations

    def test_a_network_of_stages_has_base_routing_and_rules_like_its_twin_in_the_tree(self):
        # XGFT(3; 4, 4, 4; 1, 3, 3) is the thin tree 4:3-ary, n = 3, link by link: every trial has the same outcome.
        numbers = []
        for topology in ("xgft3:m1=4,m2=4,m3=4,w2=3,w3=3", "thintree:k=4,up=3,n=3"):
            outcome = self.succeeds(*sweep(good("xgft3"), topology=topology, routers="shortest,gns,gdl,gns+gdl,d-mod-k,limit",
                                           faults="0:24:8"))
            numbers.append([[value for key, value in row.items() if key != "topology"] for row in read_csv(outcome.out)])
        self.assertEqual(len(numbers[0]), 24)
        self.assertEqual(numbers[0], numbers[1])
        counts = delivered(outcome)
        for faults in (8, 16, 24):
            for rule in ("gns", "gdl"):
                self.assertLess(counts["shortest", faults], counts[rule, faults])
                self.assertLess(counts[rule, faults], counts["gns+gdl", faults])
            self.assertLess(counts["gns+gdl", faults], counts["limit", faults])

    def test_a_network_of_stages_has_every_analysis(self):
        network = ["--plugin", good("xgft3"), "--topology", "xgft3:m1=1,m2=2,m3=3,w2=2,w3=2"]
        exact = self.succeeds("exact", *network, "--routers", "shortest,gns+gdl", "--faults", "0,2,4", "--quiet")
        ratio = {(row["router"], row["faults"]): float(row["success_ratio"]) for row in read_csv(exact.out)}
        self.assertEqual(ratio["shortest", "0"], 1)
        for faults in ("2", "4"):
            self.assertLess(ratio["shortest", faults], ratio["gns+gdl", faults])
        sampled = self.succeeds(*sweep(good("xgft3"), topology=network[3], routers="gns+gdl", faults="2,4", trials=20000))
        for row in read_csv(sampled.out):  # eight standard deviations at most
            self.assertLess(abs(float(row["success_ratio"]) - ratio["gns+gdl", row["faults"]]), .03)
        proof = self.succeeds("deadlock", *network, "--routers", "shortest,gns+gdl@turns:3", "--prove", "--quiet").out
        self.assertEqual(proof.count("deadlock-free for every fault set"), 2)
        load = read_csv(self.succeeds("simulate", *network, "--routers", "gns+gdl@turns:3", "--load", "0.1", "--cycles", "2000",
                                      "--quiet").out)[0]
        self.assertEqual((load["deadlocked"], load["blocked_up"], load["steady"]), ("no", "0", "yes"))

    def test_list_shows_what_they_add_and_where_from(self):
        plugins = [good("source-digit"), good("gdl-twice"), good("ring")]
        shown = self.succeeds("list", *[f"--plugin={plugin}" for plugin in plugins]).out
        for text in ("ring:k=..", "source-digit ", "gdl-twice ", "turn-back ", "version 0.1, file hash ", *map(str, plugins)):
            self.assertIn(text, shown)
        self.assertNotIn("plug-ins", self.succeeds("list").out)

    def test_names_of_plugins_are_suggested(self):
        self.is_refused(sweep(good("source-digit"), routers="source-digt"), "did you mean 'source-digit'?")
        self.is_refused(sweep(good("ring"), topology="rings:k=8"), "did you mean 'ring'?")
        self.is_refused(sweep([], routers="source-digit"), "unknown router or detour rule 'source-digit'", "Load it with --plugin FILE.so")

    def test_a_name_without_a_slash_is_a_file_here(self):
        self.path("mine.so", good("source-digit").read_bytes())
        self.succeeds(*sweep("mine.so", routers="source-digit"))


class Results(ProgramTest):
    """Results name the plug-ins that they need, and results of different code are not added up."""

    def setUp(self):
        super().setUp()
        self.used = sweep([good("ring"), good("source-digit")], routers="shortest,source-digit")

    def test_results_name_the_plugins_that_they_used_and_no_others(self):
        self.succeeds(*self.used, "--out", "out", "--no-figures")
        spec = self.results()[1]["spec"]
        self.assertEqual([(entry["name"], entry["version"], len(entry["hash"])) for entry in spec["plugins"]], [("source-digit", "0.1", 16)])
        self.assertIn(spec["plugins"][0]["hash"], self.succeeds("list", "--plugin", good("source-digit")).out)

    def test_simulations_name_them_too(self):
        usual = ["simulate", "--topology", NETWORK, "--steady", "--warmup", "10", "--cycles", "100", "--load", "0.1", "--json", "--quiet"]
        used = json.loads(self.succeeds(*usual, "--routers", "source-digit", "--plugin", good("source-digit")).out)
        self.assertEqual([(entry["name"], entry["version"], len(entry["hash"])) for entry in used["plugins"]], [("source-digit", "0.1", 16)])
        self.assertNotIn("plugins", json.loads(self.succeeds(*usual, "--routers", "shortest", "--plugin", good("source-digit")).out))

    def test_without_use_a_plugin_leaves_no_trace(self):
        self.succeeds(*sweep([], routers="shortest,gns"), "--out", "without", "--no-figures")
        self.succeeds(*sweep(good("ring"), routers="shortest,gns"), "--out", "with", "--no-figures")
        self.assertEqual(self.results("without")[1]["spec_hash"], self.results("with")[1]["spec_hash"])

    def test_merging_needs_the_same_plugin(self):
        for shard in (1, 2):
            self.succeeds(*self.used, "--shard", f"{shard}/2", "--out", f"part-{shard}", "--no-figures")
        self.is_refused(["merge", "part-1", "part-2"], "part-1/sweep.json", "'source-digit' 0.1 is needed", "--plugin")
        merged = self.succeeds("merge", "part-1", "part-2", "--plugin", good("source-digit")).out
        self.assertEqual(merged, self.succeeds(*self.used).out)

    def test_another_file_of_the_same_name_is_another_plugin(self):
        self.succeeds(*self.used, "--out", "out", "--no-figures")
        self.path("other.so", good("source-digit").read_bytes() + b"\n")
        self.is_refused(["merge", "out", "--plugin", "other.so"], "file hash", "other.so")

    def test_an_unfinished_run_is_not_resumed_with_other_code(self):
        self.path("other.so", good("source-digit").read_bytes() + b"\n")
        run = sweep(good("source-digit"), routers="source-digit", trials=10**12)
        self.assertEqual(self.run_program(*run, "--budget", "1s", "--out", "out", "--no-figures").code, 0)
        other = sweep("other.so", routers="source-digit", trials=10**12)
        self.is_refused([*other, "--resume", "--budget", "1s", "--out", "out", "--no-figures"], "out")

    def test_a_spec_may_say_which_plugins_it_needs(self):
        path = self.spec(routers=["source-digit"], plugins=[{"name": "source-digit", "version": "0.1"}])
        self.is_refused(["sweep", path], "the plug-in 'source-digit' 0.1 is needed: give its file with --plugin")
        self.succeeds("sweep", path, "--plugin", good("source-digit"))
        for plugins, word in (([{"name": "source-digit", "version": "9"}], "version 9"), ([], "1 to"), (["source-digit"], "objects"),
                              ([{"name": "source-digit", "hash": "0" * 16}], "file hash"), ([{"version": "1"}], "'name'"),
                              ([{"name": "source-digit", "file": "x"}], "file")):
            path.write_text(json.dumps({**json.loads(path.read_text()), "plugins": plugins}))
            self.is_refused(["sweep", path, "--plugin", good("source-digit")], word)


class BadPlugins(ProgramTest):
    NOT_LOADED = {
        "NO_NEXT": ["'bad-router' must have the functions 'serves' and 'next'"],
        "NO_SERVES": ["'bad-router' must have the functions 'serves' and 'next'"],
        "NO_SUMMARY": ["'bad-router' lacks a summary"],
        "BAD_NAME": ["small letters", "'Bad+Router'"],
        "TAKEN_NAME": ["a router or detour rule 'gns' already, built in"],
        "TWO_ALIKE": ["two routers or rules 'bad-router'"],
        "IS_A_LIMIT": ["be no limit"],
        "EMPTY": ["neither routers nor detour rules nor networks"],
        "NO_VERSION": ["its version must be"],
        "RULE_TURNS": ["'bad-rule' has 8 turns; there must be 1 to 7"],
        "RULE_NEEDS": ["'bad-rule' needs the rule 'no-such-rule', and there is none"],
        "RULE_TAKEN": ["a router or detour rule 'shortest' already, built in"],
        "RULE_FIRST_BACK": ["'bad-rule': its first turn cannot lead back"],
        "NETWORK_HALF": ["'bad-network' lacks the function 'parse_label'"],
        "NETWORK_TAKEN": ["a network 'mikant' already, built in"],
        "OLD_ABI": ["version 0 of the plug-in interface (Faultline 0.0.9)", "this program has version 4", "build it again"],
        "OTHER_SIZE": ["other headers than this program", "has 1 bytes instead of", "build it again"],
        "OTHER_COUNT": ["other headers than this program", "shares 3 structs", "build it again"],
        "OTHER_MAGIC": ["is not a plug-in"],
        "NO_SYMBOL": ["is not a plug-in", "FL_PLUGIN"],
        "UNRESOLVED": ["cannot be loaded", "undefined symbol: fl_there_is_no_such_function"],
    }
    STOPPED = {
        "LOOPS": "never ends: a packet was still under way after 4096 links",
        "NO_PORT": "offers a port where nothing is plugged in",
        "HIGH_PORT": "offers a port where nothing is plugged in",
        "DOWN_LINK": "offers a link that is down",
        "WRONG_END": "offers a candidate that does not end where the router says",
        "WRONG_NODE": "delivered a packet to the wrong node",
        "TOO_MANY_CANDIDATES": "offers more candidates than were wanted",
        "NO_LENGTH": "offers a candidate of no ports, or of more than 7",
        "LONG_CANDIDATE": "offers a candidate of no ports, or of more than 7",
        "NO_REASON": "is blocked for a reason that does not exist",
        "NO_CHANNEL": "offers a virtual channel that does not exist",
        "NO_RULE": "names a detour rule that does not exist",
        "MOVES": "changes the view",
        "BLIND_CANDIDATE": "offers a link that it has not asked about",
        "SILENT": "offers nothing and gives no reason (set decision->reason)",
        "SOURCE_REASON": "gives FL_BLOCKED_SOURCE as its reason, which is never a router's,",
        "WRITES_DESTINATION": "writes to the packet's header, which it may only read",
        "WRITES_HEADER": "writes to the packet's header, which it may only read",
        "COUNTS": "gives two answers to the same question (it must be pure)",
        "COUNTS_IN_GLOBAL": "gives two answers to the same question (it must be pure)",
    }
    ENDED = {"CRASHES": "crashed: it reads or writes where it must not", "DIVIDES": "crashed: it divides by 0",
             "RECURSES": "crashed: its stack is full (a recursion without end?)", "EXITS": "ended the program by exit()",
             "EXITS_QUICKLY": "ended the program by exit()", "ABORTS": "ended the program by abort()",
             "HANGS": "has not come back from one decision for 10 seconds: it was stopped"}
    FINE = ["NOTHING", "GOES_ON_OFFERING", "RANKED_DETOURS", "EQUIVALENT_DETOURS"]
    ELSEWHERE = ["EXITS_EARLY", "ASKS_NO_PORT", "ASKS_ABOVE", "PEEKS", "UNASKED_LINK", "RULE_LEADS_OUT", "NETWORK_ASYMMETRIC"]

    def named(self, kind):
        return f"the router 'bad-router' of plug-in 'bad' ({bad(kind)}) "

    def is_stopped(self, arguments, *words):
        """During the work: exit code 1, a message with all the words, and no results."""
        outcome = self.run_program(*arguments)
        self.assertEqual((outcome.code, outcome.out), (1, ""), f"{arguments}: {outcome}")
        for word in words:
            self.assertIn(word, outcome.err)
        return outcome

    def test_every_bad_plugin_has_its_test(self):
        known = {*self.NOT_LOADED, *self.STOPPED, *self.ENDED, *self.FINE, *self.ELSEWHERE}
        self.assertEqual({path.stem for path in PLUGINS.glob("*.so")}, known)

    def test_what_lacks_something_or_was_built_otherwise_is_not_loaded(self):
        for kind, words in self.NOT_LOADED.items():
            with self.subTest(kind):
                self.is_refused(sweep(bad(kind)), str(bad(kind)), *words)
                self.is_refused(["list", "--plugin", bad(kind)], str(bad(kind)))

    def test_a_router_that_breaks_the_contract_is_stopped_by_the_sweep(self):
        for kind, words in self.STOPPED.items():
            with self.subTest(kind):
                self.is_stopped(sweep(bad(kind)), self.named(kind) + words, " at <", "(trial ")

    def test_a_router_that_breaks_the_contract_is_stopped_by_every_analysis_with_the_same_text(self):
        kinds = {kind: (words, "detour") for kind, words in self.STOPPED.items()}
        kinds |= {"PEEKS": ("asks about a link beyond its scope", "local"),
                  "UNASKED_LINK": ("offers a link that it has not asked about", "detour"),
                  "ASKS_NO_PORT": (re.compile(r"asks about port 10\d, where nothing is plugged in,"), "detour"),
                  "ASKS_ABOVE": (re.compile(r"asks about port 2 of <2,\d\d>, where nothing is plugged in,"), "detour")}
        for kind, (words, scope) in kinds.items():
            named = re.escape(self.named(kind)) + (re.escape(words) if isinstance(words, str) else words.pattern) + r"[^<]* at <[\d,]+>"
            for analysis in ANALYSES:
                if (kind, analysis) not in FOUND_AS_RESULT:
                    with self.subTest(kind, analysis=analysis):
                        outcome = self.is_stopped([*analyse(analysis, kind), "--scope", scope])
                        self.assertRegex(outcome.err, named)
                        self.assertEqual(outcome.err.count("router 'bad-router'"), 1, "it is named once")

    def test_what_is_a_result_of_an_analysis_is_no_error_of_it(self):
        for (kind, analysis), words in FOUND_AS_RESULT.items():
            with self.subTest(kind, analysis=analysis):
                self.assertIn(words, self.succeeds(*analyse(analysis, kind)).out)

    def test_a_rule_that_leads_out_of_the_tree_is_stopped_by_every_analysis(self):
        for analysis in ANALYSES:
            with self.subTest(analysis):
                self.is_stopped(analyse(analysis, "RULE_LEADS_OUT", "bad-rule"), "the router 'bad-rule' of plug-in 'bad'",
                                "has a detour rule that leads down from the lowest level at <")

    def test_a_router_that_peeks_is_stopped_where_it_must_not_look(self):
        self.is_stopped(sweep(bad("PEEKS"), scope="local"), self.named("PEEKS") + "asks about a link beyond its scope at <")
        self.succeeds(*sweep(bad("PEEKS"), scope="detour"))
        self.is_stopped(sweep(bad("BLIND_CANDIDATE"), scope="local"), self.named("BLIND_CANDIDATE") + "offers a link beyond its scope at <")

    def test_a_link_that_was_not_asked_about_is_found_out_even_if_it_is_up(self):
        self.is_stopped(sweep(bad("UNASKED_LINK"), faults="0"), self.named("UNASKED_LINK") + "offers a link that it has not asked about at <")

    def test_a_network_that_contradicts_itself_is_refused(self):
        self.is_refused(sweep(bad("NETWORK_ASYMMETRIC"), topology="bad-network:k=1"), str(bad("NETWORK_ASYMMETRIC")), "bad-network:k=1",
                        "not the same seen from its other end at <s0>")

    def test_a_router_that_crashes_or_hangs_ends_the_program_with_its_name(self):
        for kind, words in self.ENDED.items():
            with self.subTest(kind):
                self.is_stopped(sweep(bad(kind), threads=2), self.named(kind) + words)

    def test_one_that_ends_the_program_outside_of_a_decision_is_reported_too(self):
        self.is_stopped(sweep(bad("EXITS_EARLY")), "faultline: a plug-in ended the program by exit()")

    def test_offering_more_than_is_wanted_is_no_violation(self):
        for kind in self.FINE:
            counts = delivered(self.succeeds(*sweep(bad(kind))))
            for faults in (10, 40):
                self.assertEqual(counts["bad-router", faults], counts["shortest", faults])

    def hops(self, plugin, *arguments):
        """Mean hops without faults, and the text on standard error."""
        outcome = self.succeeds("simulate", "--topology", "kary-ntree:k=4,n=3", "--steady", "--warmup", "100", "--cycles", "2000",
                                "--load", "0.1", "--quiet", "--routers", "bad-router", "--plugin", plugin, *arguments)
        return float(read_csv(outcome.out)[0]["hops_mean"]), outcome.err

    def test_the_simulator_takes_the_first_candidate_unless_they_are_declared_equivalent(self):
        ranked, equivalent = bad("RANKED_DETOURS"), bad("EQUIVALENT_DETOURS")
        shortest = self.hops(bad("NOTHING"))[0]
        self.assertEqual(self.hops(ranked)[0], shortest)
        self.assertEqual(self.hops(equivalent, "--choice", "first")[0], shortest)
        self.assertGreater(self.hops(equivalent)[0], 1.2 * shortest)

    def test_candidates_that_are_declared_equivalent_and_are_not_get_a_warning(self):
        steady = ["--steady", "--warmup", "100", "--cycles", "2000"]
        usual = ["simulate", "--topology", "kary-ntree:k=4,n=3", *steady]

        def note(kind, *arguments, router="bad-router"):
            return self.succeeds(*usual, "--routers", router, "--plugin", bad(kind), *arguments).err

        for traffic in ("uniform", "uniform:self", "complement", "hot-spot:nodes=0.1,fraction=0.2"):
            words = re.findall(r"note: packets took ([\d.]+) hops at load 0\.\d+, (\d+)% more than the ([\d.]+) of the first candidates "
                               "of bad-router, which declares its candidates equivalent", note("EQUIVALENT_DETOURS", "--load", "0.1,0.2",
                                                                                              "--traffic", traffic))
            self.assertEqual(len(words), 1, "once for all loads")
            took, more, first = map(float, words[0])
            self.assertAlmostEqual(took / first, 1 + more / 100, delta=.006)
            self.assertTrue(10 < more < 60)
        # Over all pairs of 64 nodes in 4 groups of 4 switches of 4: 3 nodes at 2 links, 12 at 4 and 48 at 6.
        self.assertIn(" more than the 5.43 of the first candidates", note("EQUIVALENT_DETOURS", "--load", "0.1"))
        self.assertNotIn("candidates", note("RANKED_DETOURS", "--load", "0.1,0.6"))
        self.assertNotIn("candidates", note("EQUIVALENT_DETOURS", "--load", "0.1", "--choice", "first"))
        self.assertNotIn("candidates", note("EQUIVALENT_DETOURS", "--load", "0.1", "--faults", "5"))
        self.assertNotIn("candidates", note("NOTHING", "--load", "0.1,0.6", router="minimal-adaptive"))
        spec = {"name": "two", "preset": "mikant2018", "steady": True, "warmup": 100, "cycles": 1000, "load": "0.1,0.2",
                "topology": "kary-ntree:k=4,n=3", "curves": [{"label": "short", "routers": "minimal-adaptive"},
                                                             {"label": "long", "routers": "bad-router"}]}
        self.path("two.json", json.dumps(spec))
        notes = self.succeeds("simulate", "two.json", "--plugin", bad("EQUIVALENT_DETOURS")).err
        self.assertRegex(notes, "note: long: packets took [67]")
        self.assertEqual(notes.count("candidates equivalent"), 1)

    def test_the_results_of_others_stay_and_a_broken_run_leaves_nothing(self):
        self.succeeds(*sweep([], routers="shortest"), "--out", "out", "--no-figures")
        self.is_refused([*sweep(bad("DOWN_LINK")), "--out", "out"], "out")
        before = (self.folder / "out" / "sweep.csv").read_bytes()
        broken = self.run_program(*sweep(bad("DOWN_LINK")), "--out", "out", "--force")
        self.assertEqual(broken.code, 1)
        self.assertEqual((self.folder / "out" / "sweep.csv").read_bytes(), before)
        self.run_program(*sweep(bad("DOWN_LINK")), "--out", "new")
        self.assertEqual(list((self.folder / "new").glob("*")), [])

    def test_what_is_no_plugin_is_refused(self):
        self.path("empty.so", "")
        self.path("text.so", "not an object\n" * 1000)
        (self.folder / "folder.so").mkdir()
        for name, word in (("missing.so", "no plug-in: cannot read"), ("empty.so", "not a shared object"), ("text.so", "not a shared object"),
                           ("folder.so", "directory")):
            self.is_refused(sweep(name), f"'{name}'", word)
        self.is_refused(["list", "--plugin"], "--plugin needs a value")
        self.is_refused(["list", "--plugin", ""], "no plug-in: cannot read ''")

    def test_one_plugin_cannot_be_loaded_twice(self):
        self.is_refused(sweep([good("ring"), good("ring")]), "plug-in 'ring' already", str(good("ring")))
        self.path("copy.so", bad("NOTHING").read_bytes())
        self.is_refused(sweep([bad("NOTHING"), "copy.so"]), "'copy.so'", "plug-in 'bad' already", str(bad("NOTHING")))

    def test_a_part_of_a_file_is_refused_wherever_it_ends(self):
        whole = good("source-digit").read_bytes()
        lengths = [0, 1, 4, 16, 63, 64, 65, 1000, 4096, len(whole) - 1] + random.Random(1).sample(range(len(whole)), 30)
        for length in lengths:
            self.path("part.so", whole[:length])
            self.is_refused(["list", "--plugin", "part.so"], "'part.so'")

    def test_damaged_headers_are_refused_or_loaded_but_never_end_in_a_crash_of_the_checks(self):
        """Only fields that are checked before the system's loader sees the file: offsets and counts."""
        whole = good("source-digit").read_bytes()
        numbers = random.Random(2)
        for _ in range(60):
            damaged = bytearray(whole)
            at = numbers.choice([*range(0, 6), *range(16, 18), *range(32, 48), *range(54, 58)])  # magic, type, phoff, shoff, phentsize, phnum
            damaged[at] ^= 1 << numbers.randrange(8)
            self.path("damaged.so", bytes(damaged))
            outcome = self.run_program("list", "--plugin", "damaged.so")
            self.assertIn(outcome.code, (0, 2), f"byte {at}: {outcome}")


if __name__ == "__main__":
    unittest.main()
