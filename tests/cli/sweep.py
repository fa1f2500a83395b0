"""The results of sweeps: the table, the JSON document beside it, what both must agree on, every
fault model, and the figures."""

import json
import math
import os
import struct
import unittest
import xml.etree.ElementTree

from support import COLUMNS, ProgramTest, needs_gnuplot, read_csv, sweep_arguments, tree_of

Z = 1.959963984540054
ROUTERS = "shortest,gns,gns+x-turns+gdl,adaptive-up"
BLOCKED = ("blocked_source", "blocked_destination", "blocked_up", "blocked_cross", "blocked_down")


def wilson(successes, trials):
    p, zz = successes / trials, Z * Z
    centre, half = p + zz / (2 * trials), Z * math.sqrt(p * (1 - p) / trials + zz / (4 * trials**2))
    return [(centre + sign * half) / (1 + zz / trials) for sign in (-1, 1)]


def paired(only_a, only_b, trials):
    """Agresti and Min (2005): half a trial more in each of the four cells."""
    n, a, b = trials + 2, only_a + .5, only_b + .5
    half = Z * math.sqrt(a + b - (b - a)**2 / n) / n
    return (b - a) / n - half, (b - a) / n + half


class Table(ProgramTest):
    def rows(self, **options):
        return read_csv(self.succeeds(*sweep_arguments(**{"routers": ROUTERS, "trials": 500, "faults": "0:135:5", **options})).out)

    def test_the_header(self):
        self.assertEqual(self.succeeds(*sweep_arguments()).out.split("\n")[0], COLUMNS)

    def test_one_row_per_router_and_fault_count_in_the_order_asked_for(self):
        rows = self.rows(faults="0,7,135")
        self.assertEqual([(row["router"], row["faults"]) for row in rows], [(router, faults) for router in ROUTERS.split(",") for faults in ("0", "7", "135")])
        for row in rows:
            self.assertEqual((row["topology"], row["scope"], row["fault_model"], row["trials"]), ("mikant:k=3,n=3", "detour", "links", "500"))
            self.assertAlmostEqual(float(row["fault_rate"]), int(row["faults"]) / 135, places=9)

    def test_every_trial_is_delivered_or_blocked(self):
        for options in [{}, {"scope": "local"}, {"topology": "kary-ntree:k=3,n=3", "routers": "shortest,gns+gdl", "faults": "0:81:3"},
                        {"fault_model": "switches", "faults": "0:36:1"}]:
            for row in self.rows(**options):
                self.assertEqual(int(row["delivered"]) + sum(int(row[reason]) for reason in BLOCKED), 500, row)

    def test_ratios_and_intervals(self):
        for row in self.rows():
            delivered = int(row["delivered"])
            ratio, low, high = (float(row[key]) for key in ("success_ratio", "success_low", "success_high"))
            self.assertAlmostEqual(ratio, delivered / 500, places=9)
            self.assertTrue(0 <= low <= ratio <= high <= 1, row)
            for computed, shown in zip(wilson(delivered, 500), (low, high)):
                self.assertAlmostEqual(computed, shown, places=9)
            if delivered > 1:
                self.assertTrue(2 <= float(row["path_low"]) <= float(row["mean_path_length"]) <= float(row["path_high"]) or delivered < 50, row)

    def test_no_faults_deliver_everything_and_all_faults_nothing(self):
        for row in self.rows(faults="0,135"):
            self.assertEqual(row["delivered"], "500" if row["faults"] == "0" else "0")
            if row["faults"] == "135":
                self.assertEqual((row["mean_path_length"], row["path_low"], row["path_high"]), ("", "", ""))
                self.assertEqual(row["success_low"], "0")

    def test_success_of_the_plain_router_never_rises_with_faults(self):
        rows = [row for row in self.rows() if row["router"] == "shortest"]
        delivered = [int(row["delivered"]) for row in rows]
        self.assertEqual(delivered, sorted(delivered, reverse=True))

    def test_one_trial(self):
        for row in self.rows(trials=1):
            self.assertIn(row["delivered"], ("0", "1"))
            self.assertEqual((row["path_low"], row["path_high"]), ("", ""))

    def test_rates_are_fault_counts_of_the_model(self):
        self.assertEqual(self.rows(faults=None, fault_rate="0,0.2,1"), self.rows(faults="0,27,135"))

    def rows_of(self, router, routers, **options):
        options = {"topology": "mikant:k=3,n=3", "faults": "0:135:5", "trials": 2000, **options}
        return [row for row in read_csv(self.succeeds(*sweep_arguments(routers=routers, **options)).out) if row["router"] == router]

    def test_the_first_router_has_the_numbers_that_it_has_alone(self):
        for options in ({}, {"faults": None, "fault_rate": "0:1:0.05", "fault_model": "switches:draw=independent"}, {"scope": "local"}):
            for first in ROUTERS.split(","):
                with self.subTest(options=options, first=first):
                    others = ",".join(router for router in ROUTERS.split(",") if router != first)
                    self.assertEqual(self.rows_of(first, f"{first},{others},gdl", **options), self.rows_of(first, first, **options))

    def test_the_limits_change_no_router(self):
        for router in ROUTERS.split(","):
            expected = self.rows_of(router, ROUTERS)
            for routers in (f"{ROUTERS},limit,minimal-limit", f"limit,{ROUTERS}", f"minimal-limit,{ROUTERS}"):
                self.assertEqual(self.rows_of(router, routers), expected)

    def test_a_person_at_a_terminal_gets_the_table(self):
        arguments = sweep_arguments(routers="shortest,gns", faults="0,10", trials=100, quiet=None)
        shown = self.shown_at_a_terminal(*arguments)
        self.assertRegex(shown, r"(?m)^ +faults +0 \(0\.0%\) +10 \(7\.4%\)\n +shortest +1\.0000 ")
        self.assertRegex(shown, r"\nas CSV: .*--quiet.*> FILE.*--out DIR\n$")
        self.assertNotIn("topology,router", shown)
        rows = self.succeeds(*arguments).out
        self.assertTrue(rows.startswith("topology,router,"))
        self.assertEqual(self.shown_at_a_terminal(*arguments, "--quiet"), rows)

    def test_the_same_command_gives_the_same_bytes(self):
        arguments = sweep_arguments(routers=ROUTERS, trials=300)
        self.assertEqual(self.succeeds(*arguments).out, self.succeeds(*arguments).out)
        self.assertNotEqual(self.succeeds(*arguments).out, self.succeeds(*arguments, "--seed", "2").out)


class Document(ProgramTest):
    def run_both(self, **options):
        self.succeeds(*sweep_arguments(**{"routers": ROUTERS, "trials": 400, "faults": "0:135:15", "out": "out", "no_figures": True, "force": True, **options}))
        return self.results()

    def test_what_it_says_about_the_run(self):
        document = self.run_both(seed=7, threads=2)[1]
        self.assertEqual((document["seed"], document["partial"], document["threads"], document["confidence"]), (7, False, 2, .95))
        self.assertIn(f'faultline {document["version"]}\n', self.succeeds("--version").out)
        self.assertRegex(document["started"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(document["spec_hash"], r"^[0-9a-f]{16}$")
        self.assertGreaterEqual(document["wall_seconds"], 0)
        self.assertEqual(document["host"]["name"], os.uname().nodename)
        sweep = document["sweeps"][0]
        self.assertEqual((sweep["topology"], sweep["scope"], sweep["fault_model"]), ("mikant:k=3,n=3", "detour", "links"))
        self.assertEqual((sweep["nodes"], sweep["switches"], sweep["links"], sweep["parts_that_can_fail"]), (54, 36, 135, 135))
        self.assertEqual((sweep["first_trial"], sweep["trials"]), (0, 400))

    def test_its_counts_are_those_of_the_table(self):
        table, document = self.run_both()
        sweep, rows = document["sweeps"][0], iter(table)
        for router in sweep["routers"]:
            for level, faults in enumerate(sweep["faults"]):
                row = next(rows)
                self.assertEqual((row["router"], int(row["faults"])), (router["router"], faults))
                self.assertAlmostEqual(float(row["fault_rate"]), sweep["fault_rate"][level], places=9)
                for key in ("delivered", *BLOCKED):
                    self.assertEqual(int(row[key]), router[key][level])
                self.check_lengths(row, router["delivered"][level], router["length_sum"][level], router["length_squares"][level])
        self.assertIsNone(next(rows, None))

    def check_lengths(self, row, n, total, squares):
        if n > 0:
            self.assertAlmostEqual(float(row["mean_path_length"]), total / n, places=8)
        if n > 1:
            half = Z * math.sqrt(max(squares - total * total / n, 0) / (n - 1) / n)
            self.assertAlmostEqual(float(row["path_high"]) - float(row["mean_path_length"]), half, places=6)
            self.assertAlmostEqual(float(row["mean_path_length"]) - float(row["path_low"]), half, places=6)

    def test_paired_differences(self):
        sweep = self.run_both()[1]["sweeps"][0]
        delivered = {router["router"]: router["delivered"] for router in sweep["routers"]}
        pairs = {frozenset((pair["a"], pair["b"])) for pair in sweep["paired_differences"]}
        self.assertEqual(len(pairs), 6)
        for pair in sweep["paired_differences"]:
            for level in range(len(sweep["faults"])):
                a, b, only_a, only_b = delivered[pair["a"]][level], delivered[pair["b"]][level], pair["only_a"][level], pair["only_b"][level]
                self.assertEqual(b - a, only_b - only_a)
                self.assertTrue(0 <= only_a <= a and 0 <= only_b <= b and only_a + min(a - only_a, b) + only_b <= 400)
                self.assertAlmostEqual(pair["difference"][level], (b - a) / 400, places=9)
                self.assertTrue(pair["low"][level] <= pair["difference"][level] <= pair["high"][level])
                for computed, shown in zip(paired(only_a, only_b, 400), (pair["low"][level], pair["high"][level])):
                    self.assertAlmostEqual(computed, shown, places=9)

    def test_a_detour_rule_never_loses_what_the_plain_router_delivers(self):
        for pair in self.run_both()[1]["sweeps"][0]["paired_differences"]:
            if pair["a"] == "shortest" and pair["b"] in ("gns", "adaptive-up"):
                self.assertEqual(set(pair["only_a"]), {0}, pair["b"])

    def test_one_router_has_no_pairs(self):
        self.assertEqual(self.run_both(routers="shortest")[1]["sweeps"][0]["paired_differences"], [])

    def test_names_with_quotes_stay_whole(self):
        name = 'a "quoted", ünïcode\tname'
        self.succeeds("sweep", self.spec(name=name), "--out", "out", "--no-figures")
        self.assertEqual(self.results()[1]["name"], name)


class CanonicalSpec(ProgramTest):
    """Equal experiments have equal hashes, different ones have different hashes."""

    base = {"topology": "mikant:k=3,n=3", "routers": ["shortest", "gns+gdl"], "faults": [0, 5, 10], "fault_model": "links", "scope": "detour",
            "trials": 10, "seed": 1}

    def canonical(self, spec, *options):
        self.succeeds("sweep", self.path("spec.json", json.dumps(spec)), "--out", "out", "--no-figures", "--force", "--threads", "1", *options)
        document = self.results()[1]
        return document["spec"], document["spec_hash"]

    def test_the_spelling_does_not_matter(self):
        expected = self.canonical(self.base)
        for changes in [{"faults": "0:10:5"}, {"faults": "0,5,10"}, {"faults": [0.0, 5.0, 1e1]},
                        {"topology": "mikant:n=3,k=3"}, {"topology": "mikant:k=03,n=3"},
                        {"trials": 1e1}, {"name": "other", "title": "Other", "source": "other"}, {"sweeps": [{}]},
                        {"figures": [{"name": "a", "quantity": "success_ratio"}]}]:
            with self.subTest(changes):
                self.assertEqual(self.canonical({**self.base, **changes}), expected)

    def test_the_order_of_keys_does_not_matter(self):
        self.assertEqual(self.canonical(dict(reversed(self.base.items()))), self.canonical(self.base))

    def test_what_is_left_out_is_the_default(self):
        self.assertEqual(self.canonical({key: self.base[key] for key in ("topology", "routers", "faults", "trials")}), self.canonical(self.base))

    def test_the_spelling_of_fault_models_does_not_matter(self):
        self.path("links.txt", "<0,0,00>-<0,1,00>\n7\n")
        for one, other in [("links", "links:draw=exact"),
                           ("bundles:size=2,draw=exact", "bundles:size=02"),
                           ("links:class=node-links+cross-links", "links:class=cross-links+node-links"),
                           ("list:<0,0,00>-<0,1,00>;7", "list:@links.txt"),
                           ("list:<0,0,00>-<0,1,00>", "list: <0,1,00> <0,0,00>")]:
            with self.subTest(other):
                base = {**self.base, "faults": [0, 1]}
                self.assertEqual(self.canonical({**base, "fault_model": one}), self.canonical({**base, "fault_model": other}))

    def test_the_order_of_rules_does_not_matter(self):
        self.assertEqual(self.canonical({**self.base, "routers": ["shortest", "gdl+gns"]}), self.canonical(self.base))

    def test_rates_that_mean_the_same_counts(self):
        counts = {**self.base, "faults": [0, 27, 135]}
        rates = {**{key: value for key, value in self.base.items() if key != "faults"}, "fault_rate": [0, .2, 1]}
        self.assertEqual(self.canonical(rates), self.canonical(counts))

    def test_options_and_keys_mean_the_same(self):
        self.assertEqual(self.canonical({"topology": "mikant:k=2,n=3", "routers": ["gdl"], "fault_rate": .5}, "--topology", "mikant:k=3,n=3", "--routers",
                                        "shortest,gns+gdl", "--faults", "0,5,10", "--trials", "10", "--scope", "detour", "--seed", "1"),
                         self.canonical(self.base))

    def test_other_experiments_have_other_hashes(self):
        variants = [{}, {"faults": [0, 5]}, {"topology": "mikant:k=4,n=3"}, {"routers": ["shortest"]},
                    {"routers": ["gns+gdl", "shortest"]}, {"seed": 2}, {"trials": 11}, {"scope": "local"},
                    {"fault_model": "switches"}, {"fault_model": "links:class=cross-links"}, {"sweeps": [{}, {"scope": "local"}]}]
        self.assertEqual(len({self.canonical({**self.base, **changes})[1] for changes in variants}), len(variants))

    def test_the_canonical_spec_is_a_spec_and_its_own_canonical_form(self):
        for changes in [{}, {"sweeps": [{}, {"scope": "local", "faults": "0:135:1"}]}, {"fault_model": "switches"}]:
            spec, hash_of_spec = self.canonical({**self.base, **changes})
            self.assertEqual(self.canonical(spec), (spec, hash_of_spec))

    def test_a_list_of_links_counts_by_its_content_and_not_by_its_file(self):
        spec = {**self.base, "fault_model": "list:@links.txt", "faults": [0, 1]}
        self.path("links.txt", "0\n1\n")
        first = self.canonical(spec)
        self.path("links.txt", "5\n6\n")
        self.assertNotEqual(self.canonical(spec), first)


class Specs(ProgramTest):
    """Specs with several sweeps, and options beside a spec."""

    sweeps = [{"topology": "mikant:k=2,n=3"}, {"topology": "kary-ntree:k=3,n=3"}, {"fault_model": "switches"}, {"scope": "local", "routers": ["gns"]}]

    # option, value, column of the table, what it shows then
    replacements = [("topology", "mikant:k=4,n=3", "topology", "mikant:k=4,n=3"), ("routers", "gdl", "router", "gdl"),
                    ("faults", "3", "faults", "3"), ("fault-rate", "1", "fault_rate", "1"),
                    ("fault-model", "switches", "fault_model", "switches"), ("scope", "local", "scope", "local")]

    def test_sweeps_replace_the_defaults(self):
        rows = read_csv(self.succeeds("sweep", self.spec(sweeps=self.sweeps)).out)
        shown = [(row["topology"], row["router"], row["scope"], row["fault_model"]) for row in rows[::2]]
        both = ("shortest", "gns")
        self.assertEqual(shown, [("mikant:k=2,n=3", router, "detour", "links") for router in both] +
                         [("kary-ntree:k=3,n=3", router, "detour", "links") for router in both] +
                         [("mikant:k=3,n=3", router, "detour", "switches") for router in both] +
                         [("mikant:k=3,n=3", "gns", "local", "links")])

    def test_each_sweep_is_as_it_would_be_alone(self):
        together = self.succeeds("sweep", self.spec(sweeps=self.sweeps)).out.split("\n", 1)[1]
        self.assertEqual(together, "".join(self.succeeds("sweep", self.spec(**sweep)).out.split("\n", 1)[1] for sweep in self.sweeps))

    def test_options_replace_values_of_a_spec(self):
        for option, value, column, shown in self.replacements + [("trials", "7", "trials", "7")]:
            with self.subTest(option):
                rows = read_csv(self.succeeds("sweep", self.spec(), f"--{option}", value).out)
                self.assertEqual({row[column] for row in rows}, {shown})

    def test_options_replace_values_of_every_sweep_or_are_refused(self):
        """An option must not do nothing."""
        own = {"topology": "mikant:k=2,n=3", "routers": ["gns"], "faults": [1], "fault_model": "links", "scope": "detour"}
        path = self.spec(sweeps=[own, own])
        for option, value, column, shown in self.replacements:
            with self.subTest(option):
                outcome = self.run_program("sweep", path, f"--{option}", value)
                if outcome.code == 0:
                    self.assertEqual({row[column] for row in read_csv(outcome.out)}, {shown})
                else:
                    self.assertEqual((outcome.code, f"--{option}" in outcome.err), (2, True), outcome.err)


class FaultModels(ProgramTest):
    def rows(self, model, **options):
        usual = {"routers": "shortest,gns+gdl", "trials": 300, "faults": "0:3:1", "fault_model": model}
        return read_csv(self.succeeds(*sweep_arguments(**{**usual, **options})).out)

    def test_each_runs_and_faults_do_harm(self):
        self.path("links.txt", "# the first switch\n<0,000>-<0,0,00>\n<0,100>-<0,0,00>\n\n<0,0,00>-<0,1,00>\r\n")
        for model in ["links", "links:class=node-links", "links:class=level-0-links", "links:class=cross-links", "links:class=switch-links",
                      "links:class=node-links+cross-links", "switches", "bundles:size=2", "bundles:size=3,class=cross-links", "neighbours:size=2",
                      "neighbours:size=3,class=switch-links", "list:0;1;2", "list:<0,000>-<0,0,00>;<0,0,00>-<0,1,00>;<0,1,00>-<1,1,00>", "list:@links.txt"]:
            with self.subTest(model):
                rows = self.rows(model)
                self.assertEqual({row["fault_model"].split(":")[0] for row in rows}, {model.split(":")[0]})
                self.assertEqual(rows[0]["delivered"], "300")
                self.assertLess(int(rows[3]["delivered"]), 300)

    def test_independent_draws(self):
        for model in ["links:draw=independent", "links:class=cross-links,draw=independent", "switches:draw=independent", "bundles:size=2,draw=independent",
                      "neighbours:size=2,draw=independent"]:
            with self.subTest(model):
                rows = self.rows(model, faults=None, fault_rate="0,0.1,1")
                self.assertEqual([(row["faults"], row["fault_rate"]) for row in rows[:3]], [("", "0"), ("", "0.1"), ("", "1")])
                self.assertEqual(rows[0]["delivered"], "300")
                self.assertLess(int(rows[1]["delivered"]), 300)
                if "cross" not in model:
                    self.assertEqual(rows[2]["delivered"], "0")

    def test_the_largest_count_takes_every_part(self):
        for model, parts in [("links", 135), ("switches", 36), ("bundles:size=3", 45), ("links:class=node-links", 54)]:
            with self.subTest(model):
                self.assertEqual({row["delivered"] for row in self.rows(model, faults=parts)}, {"0"})

    def test_links_of_another_class_do_no_harm(self):
        """A packet to the other group needs one of the 27 cross links; a packet within a block of a group needs none."""
        rows = self.rows("links:class=cross-links", faults="27", routers="shortest")
        self.assertEqual(sum(int(rows[0][reason]) for reason in ("blocked_source", "blocked_destination", "blocked_up", "blocked_down")), 0)
        self.assertGreater(int(rows[0]["blocked_cross"]), 0)
        self.assertGreater(int(rows[0]["delivered"]), 0)

    def test_a_list_fails_in_its_order(self):
        rows = self.rows("list:<0,000>-<0,0,00>", faults="0,1", trials=3000)
        harmed = {reason: int(rows[1][reason]) for reason in BLOCKED}
        self.assertEqual(int(rows[1]["delivered"]) + harmed["blocked_source"] + harmed["blocked_destination"], 3000)
        self.assertGreater(min(harmed["blocked_source"], harmed["blocked_destination"]), 0)
        self.assertEqual(sum(harmed.values()), harmed["blocked_source"] + harmed["blocked_destination"])

    def test_lists_from_another_system(self):
        self.path("links.txt", "0\r\n 7 \r\n\t<0,0,00>-<0,1,00>\t\r\n")
        for model in ["list:@links.txt", "list:0; 7 ; <0,0,00> - <0,1,00> "]:
            with self.subTest(model):
                self.assertEqual([row["delivered"] for row in self.rows(model)],
                                 [row["delivered"] for row in self.rows("list:0;7;<0,0,00>-<0,1,00>")])

    def test_a_link_has_two_names(self):
        self.assertEqual([row["delivered"] for row in self.rows("list:<0,0,00>-<0,1,00>", faults="0,1", trials=2000)],
                         [row["delivered"] for row in self.rows("list:<0,1,00> <0,0,00>", faults="0,1", trials=2000)])


class Scopes(ProgramTest):
    def test_a_switch_that_knows_less_delivers_no_more(self):
        tables = {scope: read_csv(self.succeeds(*sweep_arguments(routers="shortest,gns,three-turn,gns+x-turns+gdl", faults="20,40", trials=3000, scope=scope)).out)
                  for scope in ("detour", "local")}
        for detour, local in zip(tables["detour"], tables["local"]):
            self.assertEqual((detour["scope"], local["scope"]), ("detour", "local"))
            if detour["router"] == "shortest":
                self.assertEqual(detour["delivered"], local["delivered"])
            else:
                self.assertGreater(int(detour["delivered"]), int(local["delivered"]), detour["router"])

    def test_every_set_of_rules_runs_in_both_scopes(self):
        for scope in ("detour", "local"):
            for rules in ("gns", "gdl", "three-turn", "gns+x-turns", "gns+three-turn+x-turns+gdl"):
                self.succeeds(*sweep_arguments(routers=f"{rules},adaptive-up+{rules}", scope=scope, faults="0:135:9", trials=100))


class Notes(ProgramTest):
    """Rules that never apply are allowed, and reported as idle."""

    def test_idle_rules_are_reported(self):
        for topology, routers, rule in [("mikant:k=3,n=2", "gdl", "gdl"), ("mikant:k=3,n=2", "shortest,three-turn+gdl", "gdl"),
                                        ("kary-ntree:k=3,n=2", "gns", "gns"), ("kary-ntree:k=3,n=1", "three-turn", "three-turn")]:
            with self.subTest(topology=topology, routers=routers):
                outcome = self.succeeds(*sweep_arguments(topology=topology, routers=routers, faults="0,1"))
                self.assertRegex(outcome.err, rf"^note: .*{rule} never applies on {topology}: .+\n$")

    def test_quiet_is_quiet_and_others_have_no_notes(self):
        self.assertEqual(self.succeeds(*sweep_arguments(topology="mikant:k=3,n=2", routers="gdl", quiet=True)).err, "")
        self.assertEqual(self.succeeds(*sweep_arguments(routers="gdl,gns")).err, "")


class Figures(ProgramTest):
    usual = ["path-length.png", "path-length.svg", "success-ratio.png", "success-ratio.svg"]

    def check_figures(self, names, folder="out"):
        folder = self.folder / folder
        self.assertEqual(sorted(tree_of(folder)), sorted([*names, "sweep.csv", "sweep.json"]))
        for name in names:
            content = (folder / name).read_bytes()
            if name.endswith(".png"):
                self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
                self.assertEqual(struct.unpack(">II", content[16:24]), (1600, 1000))
                self.assertGreater(len(content), 10000)
            else:
                self.assertEqual(xml.etree.ElementTree.fromstring(content).tag, "{http://www.w3.org/2000/svg}svg")

    def texts(self, name):
        return [text.strip() for text in xml.etree.ElementTree.parse(self.folder / "out" / name).getroot().itertext() if text.strip()]

    def run_figures(self, spec=None, env=None, **options):
        usual = {"out": "out", "trials": 300, "force": True}
        if spec is None:
            usual.update(routers="shortest,gns+gdl", faults="0:135:5")
        return self.run_program(*sweep_arguments(spec, **{**usual, **options}), env=env)

    def fake_gnuplot(self, script):
        (self.folder / "bin").mkdir(exist_ok=True)
        fake = self.path("bin/gnuplot")
        fake.write_text("#!/bin/sh\n" + script)
        fake.chmod(0o755)
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}

    def check_no_figures(self, outcome, *words):
        self.assertEqual(outcome.code, 1, outcome.err)
        for word in ("gnuplot", "sweep.csv", *words):
            self.assertIn(word, outcome.err)
        table, document = self.results()
        self.assertEqual((len(table), document["partial"]), (56, False))
        self.assertEqual(sorted(tree_of(self.folder / "out")), ["sweep.csv", "sweep.json"])

    @needs_gnuplot
    def test_two_by_default(self):
        outcome = self.run_figures()
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.check_figures(self.usual)
        shown = self.texts("success-ratio.svg")
        for word in ["shortest", "gns+gdl", "success ratio", "fault rate", "100%"]:
            self.assertIn(word, shown)
        self.assertIn("mikant:k=3,n=3", " ".join(shown))

    @needs_gnuplot
    def test_a_logarithmic_axis(self):
        self.run_figures()
        linear = self.texts("success-ratio.svg")
        self.assertEqual(self.run_figures(log_y=True).code, 0)
        self.check_figures(self.usual)
        self.assertNotEqual(self.texts("success-ratio.svg"), linear)

    @needs_gnuplot
    def test_those_of_a_spec(self):
        figures = [{"name": "all of them", "quantity": "success_ratio", "title": "Ünïcode & <markup> 'quoted' @{_}^ \\n"},
                   {"name": "one", "quantity": "mean_path_length", "log_y": True, "routers": ["gns"]}]
        outcome = self.run_figures(self.spec(figures=figures, faults="0:135:5"))
        self.assertEqual(outcome.code, 0, outcome.err)
        self.check_figures(["all of them.png", "all of them.svg", "one.png", "one.svg"])
        self.assertIn("Ünïcode & <markup> 'quoted' @{_}^ \\n", " ".join(self.texts("all of them.svg")))
        self.assertNotIn("shortest", self.texts("one.svg"))

    @needs_gnuplot
    def test_extreme_data(self):
        for options in [{"faults": "0"}, {"faults": "135"}, {"faults": "135", "log_y": True}, {"trials": 1}, {"trials": 1, "log_y": True},
                        {"faults": None, "fault_model": "links:draw=independent", "fault_rate": "0.5"}]:
            with self.subTest(options):
                outcome = self.run_figures(**options)
                self.assertEqual(outcome.code, 0, outcome.err)
                self.check_figures(self.usual)

    @needs_gnuplot
    def test_the_same_results_give_the_same_svg(self):
        self.run_figures()
        self.run_figures(out="again")
        self.assertEqual((self.folder / "out/path-length.svg").read_bytes(), (self.folder / "again/path-length.svg").read_bytes())

    def test_none_if_not_wanted(self):
        self.assertEqual(self.run_figures(no_figures=True, env={"PATH": ""}).code, 0)
        self.check_figures([])

    def test_no_gnuplot(self):
        empty = self.path("empty")
        empty.mkdir()
        self.check_no_figures(self.run_figures(env={"PATH": str(empty)}), "gnuplot-nox", "PATH")
        self.check_no_figures(self.run_figures(env={"PATH": str(empty)}, quiet=True), "gnuplot-nox", "PATH")

    def test_a_gnuplot_that_fails(self):
        self.check_no_figures(self.run_figures(env=self.fake_gnuplot("echo 'unknown terminal type' >&2; exit 3\n")), "unknown terminal type")
        self.check_no_figures(self.run_figures(env=self.fake_gnuplot("kill -9 $$\n")), "signal 9")
        self.check_no_figures(self.run_figures(env=self.fake_gnuplot("exit 0\n")), "part of")


if __name__ == "__main__":
    unittest.main()
