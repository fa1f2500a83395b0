"""Bad commands, options, names and numbers: exit code 2, a message that names the value and what
would be valid, nothing on stdout, no file touched."""

import json
import os
import re
import resource
import subprocess
import unittest

from support import HANG, PROGRAM, SANITIZED, ProgramTest, sweep_arguments


class Commands(ProgramTest):
    def test_misspelt_commands_name_the_nearest(self):
        for wrong, right in [("swep", "sweep"), ("sweeps", "sweep"), ("SWEEP", "sweep"), ("lits", "list"), ("lst", "list")]:
            with self.subTest(wrong):
                self.is_refused([wrong], f"'{wrong}'", f"'{right}'")
                self.is_refused(["help", wrong], f"'{wrong}'", f"'{right}'")

    def test_other_commands_point_to_the_help(self):
        for wrong in ["xyzzy", "", "s", "sweep list", "--bogus", "-x"]:
            with self.subTest(wrong):
                self.is_refused([wrong], f"'{wrong}'", "--help")

    def test_what_new_router_makes_is_pointed_out(self):
        self.is_refused(["new-network"], "'new-network'", "faultline new-router NAME --network")
        self.is_refused(["new-rule", "mine"], "'new-rule'", "faultline new-router NAME --rule")

    def test_names_that_a_build_folder_needs_are_no_names_of_plugins(self):
        for name in ("all", "help", "install", "test"):
            self.is_refused(["new-router", name], f"'{name}' cannot be its name", f"'my-{name}'")

    def test_a_limit_has_no_virtual_channels(self):
        for router in ("limit@turns:2", "limit@own", "minimal-limit@one:1"):
            self.is_refused(sweep_arguments(routers=router), f"'{router}'", "sends no packets")

    def test_no_command_shows_the_help_on_stderr(self):
        outcome = self.run_program()
        self.assertEqual((outcome.code, outcome.out), (2, ""))
        self.assertIn("usage: faultline COMMAND", outcome.err)

    def test_unexpected_arguments(self):
        self.is_refused(["list", "xyzzy"], "'xyzzy'", "networks, routers")
        self.is_refused(["list", "netwroks"], "did you mean 'networks'")
        self.is_refused(["sweep", "a.json", "b.json"], "'b.json'")


class TooMuch(ProgramTest):
    """Endless input, and work that does not fit into memory, are refused before the work."""

    def test_inputs_that_are_no_regular_files(self):
        os.mkfifo(self.folder / "pipe")
        for path in ["/dev/zero", str(self.folder / "pipe")]:
            for arguments in (["workload", f"trace:{path}"], ["sweep", path], ["deadlock", "--rules", path],
                              ["topology", f"file:{path}"], ["simulate", "--topology", "torus:k=3,n=2", "--routers", "table",
                                                             "--traffic", f"permutation:{path}"]):
                with self.subTest(arguments):
                    self.assertIn("no regular file", self.run_program(*arguments).err)
                    self.assertEqual(self.run_program(*arguments).code, 2)

    @unittest.skipIf(SANITIZED, "the sanitizers take all addresses there are")
    def test_memory_is_estimated_first(self):
        little = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))}
        for arguments in (["workload", "AA", "--nodes", "20000"], ["workload", "BU", "--nodes", "67108864"],
                          ["topology", "wk:K=2,L=27,r=2"], ["topology", "kary-ntree:k=2,n=24"],
                          ["exact", "--topology", "hypercube:k=16", "--routers", "shortest", "--faults", "1"]):
            with self.subTest(arguments):
                self.is_refused(arguments, "GiB of memory", "ulimit -v", **little)
        # A stored network of 1 GiB, and a search of 3.4 GiB: refused before the network is built.
        less = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))}
        self.is_refused(["topology", "wk:K=2,L=24,r=2"], "and the search in it", "GiB of memory", **less)
        self.is_refused(["exact", "--topology", "mikant:k=2,n=40", "--routers", "gns", "--faults", "1"], "GiB of memory")

    def test_values_are_shown_short_and_without_control_characters(self):
        long = "a\x1b[31m" * 900
        for arguments in (["sweep", "--topology", "mikant:k=3,n=3", "--routers", "gns", "--trials", long], ["choose", "--nodes", long],
                          ["list", "--" + long], ["list", long], [long], ["simulate", "--topology", "mikant:k=3,n=3", "--routers",
                                                                       "gns", "--choice", long]):
            with self.subTest(arguments[0][:20]):
                shown = self.is_refused(arguments).err
                self.assertLess(len(shown), 400)
                self.assertNotIn("\x1b", shown)

    def test_a_permutation_sends_to_every_node_once_at_most(self):
        path = self.path("twice", "1\n1\n-\n2\n3\n4\n5\n6\n7\n")
        self.is_refused(["simulate", "--topology", "torus:k=3,n=2", "--routers", "table", "--traffic", f"permutation:{path}"],
                        "line 2", "node 1", "line 1")

    def test_trials_begin_at_1(self):
        self.is_refused(sweep_arguments(trials="1e300"), "1e300", "from 1 to")

    def test_the_place_of_the_catalogue_is_looked_at_first(self):
        self.is_refused(["catalogue", "--out", "/dev/null"], "/dev/null", "not a folder", timeout=10)


class Options(ProgramTest):
    commands = ["sweep", "exact"]

    def names(self, with_value):
        """Every command with each of its options."""
        found = []
        for command in self.commands:
            shown = re.findall(r"^  --([a-z-]+)( [A-Z][A-Za-z,.]*)?  +", self.succeeds(command, "--help").out, re.M)
            found += [(command, name) for name, value in shown if bool(value) == with_value]
        self.assertGreater(len(found), 8)
        return found

    def test_misspelt_options_name_the_nearest(self):
        for wrong, right in [("topolgy", "topology"), ("router", "routers"), ("fault-rates", "fault-rate"), ("fault_rate", "fault-rate"), ("thread", "threads"),
                             ("outt", "out"), ("forse", "force"), ("quite", "quiet"), ("scoop", "scope"), ("logy", "log-y"), ("no-figure", "no-figures")]:
            for command in self.commands:
                with self.subTest(command=command, option=wrong):
                    self.is_refused([command, f"--{wrong}", "1"], f"--{wrong}", f"--{right}")
                    self.is_refused([command, f"--{wrong}=1"], f"'--{wrong}'", f"'--{right}'")
        self.is_refused(["sweep", "--trails", "1"], "--trails", "--trials")
        self.is_refused(["list", "--hlep"], "--hlep", "--help")

    def test_the_beginning_of_a_name_is_not_the_name(self):
        for beginning in ["topo", "t", "rout", "fault", "see", "fo", "hel"]:
            with self.subTest(beginning):
                self.is_refused(sweep_arguments() + [f"--{beginning}"], f"--{beginning}")

    def test_other_options_point_to_the_help(self):
        for wrong in ["--xyzzy", "--xyzzy=3", "--" + "x" * 3000, "--=", "--=topology"]:
            with self.subTest(wrong[:40]):
                self.is_refused(sweep_arguments() + [wrong], wrong.split("=")[0][:60], "--help")

    def test_one_dash_is_not_enough(self):
        for wrong in ["-t", "-topology", "-q", "-v"]:
            with self.subTest(wrong):
                self.is_refused(sweep_arguments() + [wrong], f"'{wrong}'", "two dashes")

    def test_a_value_is_missing_at_the_end(self):
        for command, name in self.names(with_value=True):
            with self.subTest(command=command, option=name):
                self.is_refused([command, f"--{name}"], f"--{name}", "value")

    def test_a_value_is_missing_before_another_option(self):
        for command, name in self.names(with_value=True):
            with self.subTest(command=command, option=name):
                self.is_refused([command, f"--{name}", "--force"], f"--{name} ", "value")

    def test_values_that_are_empty(self):
        for command, name in self.names(with_value=True):
            with self.subTest(command=command, option=name):
                others = [f"--{other}={value}" for other, value in (("topology", "mikant:k=3,n=3"), ("routers", "shortest")) if other != name]
                self.is_refused([command, *others, f"--{name}="])

    def test_switches_take_no_value(self):
        for command, name in self.names(with_value=False):
            with self.subTest(command=command, option=name):
                self.is_refused([command, f"--{name}=yes"], f"--{name}", "no value")

    def test_repeated_options(self):
        for command, name in self.names(with_value=True):
            if name == "plugin":  # may be given again
                continue
            with self.subTest(command=command, option=name):
                self.is_refused([command, f"--{name}", "1", f"--{name}", "1"], f"--{name}", "twice")
                self.is_refused([command, f"--{name}=1", f"--{name}", "2"], f"--{name}", "twice")
        for command, name in self.names(with_value=False):
            if name == "help":
                continue
            with self.subTest(command=command, option=name):
                self.is_refused([command, f"--{name}", f"--{name}"], f"--{name}", "twice")

    def test_both_forms_of_a_value_mean_the_same(self):
        arguments = sweep_arguments()
        joined = ["sweep"] + [f"{name}={value}" for name, value in zip(arguments[1::2], arguments[2::2])]
        self.assertEqual(self.succeeds(*arguments).out, self.succeeds(*joined).out)

    def test_nothing_to_do(self):
        for command in self.commands:
            with self.subTest(command):
                self.is_refused([command], "--topology", "--routers")
                self.is_refused([command, "--routers", "shortest"], "--topology")
                self.is_refused([command, "--topology", "mikant:k=3,n=3"], "routers", "shortest")


class SweepRefuses(ProgramTest):
    """Each case: the value of an option, and the words of the message."""

    def check(self, option, cases):
        for value, *words in cases:
            with self.subTest(value=value[:60]):
                faults = {} if option in ("fault_rate", "fault_model") else {"faults": "0,10"}
                self.is_refused(sweep_arguments(**{"faults": None, **faults, option: value}), *words)


class Networks(SweepRefuses):
    def test_misspelt_names(self):
        self.check("topology", [
            ("mikan:k=3,n=3", "'mikan'", "'mikant'"),
            ("MiKANT:k=3,n=3", "'MiKANT'", "'mikant'"),
            ("kary-n-tree:k=3,n=3", "'kary-n-tree'", "'kary-ntree'"),
            ("k-ary-ntree:k=3,n=3", "'k-ary-ntree'", "'kary-ntree'"),
            ("butter:k=3,n=3", "'butter'", "kary-ntree", "mikant"),
            (":k=3,n=3", "''", "mikant"),
            ("x" * 5000, "xxxx", "191"),
        ])

    def test_parameters(self):
        form = "mikant:k=..,n=.."
        self.check("topology", [
            ("mikant", "needs k", form),
            ("mikant:", form),
            ("mikant:k=3,n=3,", form),
            ("mikant:k=3,,n=3", form),
            ("mikant:k=3", "needs n", form),
            ("mikant:n=3", "needs k", form),
            ("mikant:3,3", "'3'", form),
            ("mikant:k=3,n=3,m=3", "'m'", form),
            ("mikant:K=3,n=3", "'K'", "'k'"),
            ("mikant:k=3,k=3,n=3", "k is given twice"),
        ])

    def test_numbers(self):
        k, n = "from 2 to 16383", "from 1 to 40"
        self.check("topology", [
            ("mikant:k=0,n=3", "k=0", k),
            ("mikant:k=1,n=3", "k=1", k),
            ("mikant:k=-3,n=3", "k=-3", k),
            ("mikant:k=16384,n=3", "k=16384", k),
            ("mikant:k=99999999999999999999999,n=3", "k=99999999999999999999999", k),
            ("mikant:k=18446744073709551618,n=3", "k=18446744073709551618", k),  # 2^64 + 2
            ("mikant:k=3.0,n=3", "k=3.0", k),
            ("mikant:k=three,n=3", "k=three", k),
            ("mikant:k=,n=3", "k=", k),
            ("mikant:k= 3,n=3", "k= 3", k),
            ("mikant:k=+3,n=3", "k=+3", k),
            ("mikant:k=0x3,n=3", "k=0x3", k),
            ("mikant:k=3,n=0", "n=0", n),
            ("mikant:k=3,n=41", "n=41", n),
            ("kary-ntree:k=1,n=3", "k=1", "from 2 to 32767"),
            ("kary-ntree:k=32768,n=1", "k=32768", "from 2 to 32767"),
            ("kary-ntree:k=3,n=0", "n=0", n),
        ])

    def test_sizes_that_overflow(self):
        self.check("topology", [(f"{family}:{numbers}", f"{family}:{numbers}", "too large", "40")
                                for family in ("mikant", "kary-ntree")
                                for numbers in ("k=16383,n=3", "k=3,n=21", "k=3,n=40", "k=1000,n=5", "k=2048,n=4")])

    def test_the_largest_networks_run(self):
        for topology in ["mikant:k=2,n=40", "kary-ntree:k=2,n=40", "mikant:k=1024,n=4", "mikant:k=16383,n=1", "kary-ntree:k=32767,n=2",
                         "mikant:k=2,n=2", "kary-ntree:k=2,n=1"]:
            with self.subTest(topology):
                self.succeeds(*sweep_arguments(topology=topology, faults="0,1"))


class Routers(SweepRefuses):
    def test_misspelt_names(self):
        self.check("routers", [
            ("shortst", "'shortst'", "'shortest'"),
            ("GNS", "'GNS'", "'gns'"),
            ("gsn", "'gsn'", "'gns'"),
            ("gns+gld", "'gld'", "'gdl'"),
            ("gns+x-turn", "'x-turn'", "'x-turns'"),
            ("threeturn", "'threeturn'", "'three-turn'"),
            ("shortest,adaptive", "'adaptive'", "adaptive-up"),
            ("dijkstra", "'dijkstra'", "shortest", "gns", "gdl", "three-turn", "x-turns", "adaptive-up"),
            ("gns gdl", "'gns gdl'", "+"),
            ("", "''", "shortest"),
            ("shortest,", "''", "shortest"),
            (",shortest", "''", "shortest"),
            ("shortest,,gns", "''", "shortest"),
            ("gns+", "''", "gns"),
            ("+gns", "''", "gns"),
            ("gns+" * 2000, "too long"),
        ])

    def test_combinations_that_make_no_sense(self):
        self.check("routers", [
            ("x-turns", "x-turns", "gns+x-turns"),
            ("x-turns+gdl", "x-turns", "gns+x-turns"),
            ("shortest+gns", "shortest+gns", "by itself"),
            ("gns+gns", "gns+gns", "twice"),
            ("gns,gns", "'gns'", "same"),
            ("gns+gdl,gdl+gns", "'gns+gdl'", "'gdl+gns'", "same"),
            (",".join(["shortest"] * 65), "64"),
        ])

    def test_rules_that_the_network_cannot_have(self):
        for topology, routers, rule, reason in [("mikant:k=3,n=2", "gns", "gns", "n must be at least 3"),
                                                ("mikant:k=3,n=2", "gns+x-turns", "gns", "n must be at least 3"),
                                                ("kary-ntree:k=3,n=3", "gns+x-turns", "x-turns", "two groups")]:
            with self.subTest(routers=routers, topology=topology):
                self.is_refused(sweep_arguments(topology=topology, routers=routers), rule, topology, reason)


class Scope(SweepRefuses):
    def test_misspelt_names(self):
        self.check("scope", [("detuor", "--scope detuor", "'detour'"), ("Local", "--scope Local", "'local'"), ("global", "--scope global", "'local'"),
                             ("", "scope", "detour", "local")])
        self.assertIn("--scope Local: expected detour or local; did you mean 'local'?", self.run_program(*sweep_arguments(scope="Local")).err)


class FaultModel(SweepRefuses):
    def test_misspelt_names(self):
        self.check("fault_model", [
            ("lnks", "'lnks'", "'links'"),
            ("Switches", "'Switches'", "'switches'"),
            ("bundle:size=2", "'bundle'", "'bundles'"),
            ("neighbors:size=2", "'neighbors'", "'neighbours'"),
            ("nodes", "'nodes'", "links", "switches", "bundles", "neighbours", "list"),
        ])

    def test_options(self):
        self.check("fault_model", [
            ("links:clas=node-links", "'clas'", "'class'"),
            ("links:drow=exact", "'drow'", "'draw'"),
            ("links:foo", "'foo'", "size, class, draw"),
            ("links:draw=maybe", "draw=maybe", "exact", "independent"),
            ("links:draw", "draw", "exact", "independent"),
            ("links:size=2", "size=", "bundles", "neighbours"),
            ("bundles", "size="),
            ("bundles:size=0", "size=0", "1 to 6"),
            ("bundles:size=4", "size=4", "1 to 3"),
            ("bundles:size=two", "size=two", "1 to 6"),
            ("neighbours:size=7", "size=7", "1 to 6"),
            ("neighbours:size=-1", "size=-1", "1 to 6"),
            ("switches:class=node-links", "class=", "switches"),
        ])

    def test_options_given_twice(self):
        self.check("fault_model", [
            ("links:draw=exact,draw=independent", "draw", "twice"),
            ("links:class=node-links,class=cross-links", "class", "twice"),
            ("bundles:size=1,size=2", "size", "twice"),
        ])

    def test_link_classes(self):
        known = ["node-links", "level-0-links", "cross-links"]
        self.check("fault_model", [
            ("links:class=cros-links", "'cros-links'", *known),
            ("links:class=node-links+cros-links", "'cros-links'", *known),
            ("links:class=level-1-links", "'level-1-links'", *known),
            ("links:class=", "''", *known),
            ("links:class=node-links+", "''", *known),
        ])
        self.is_refused(sweep_arguments(topology="kary-ntree:k=3,n=3", fault_model="links:class=cross-links"), "'cross-links'", "level-1-links")

    def test_classes_without_links(self):
        self.is_refused(sweep_arguments(topology="kary-ntree:k=3,n=1", fault_model="links:class=switch-links"), "switch-links")

    def test_times_of_exact(self):
        arguments = ["exact", "--topology", "mikant:k=2,n=2", "--routers", "shortest", "--faults", "1", "--quiet"]
        expected = self.succeeds(*arguments).out
        for budget in ("60", "0", "1.5", "60s", "5m", "2h"):
            self.assertEqual(self.succeeds(*arguments, "--budget", budget).out, expected)
        for budget in ("-1", "1d", "", "s", "-1s", "many"):
            self.is_refused([*arguments, "--budget", budget], f"--budget {budget}", "60s")

    def test_texts_read_well(self):
        for options, text in [({"faults": "1.5"}, "faultline: --faults: '1.5': expected fault counts"),
                              ({"faults": "1,1.5"}, "faultline: --faults: '1.5' in '1,1.5': expected fault counts"),
                              ({"fault_model": "switches:draw=x;sise=2"}, "draw="),
                              ({"fault_model": "links:clas=node-links"}, "unknown fault model option 'clas'; did you mean 'class'?")]:
            with self.subTest(options):
                self.assertIn(text, self.is_refused(sweep_arguments(**options), "faultline: ").err)

    def test_a_note_names_the_router_once(self):
        arguments = {"topology": "mikant:k=3,n=2", "faults": "0,1"}
        self.assertIn("note: gdl never applies on", self.succeeds(*sweep_arguments(routers="gdl", **arguments)).err)
        self.assertIn("note: gdl+three-turn: gdl never applies on", self.succeeds(*sweep_arguments(routers="gdl+three-turn", **arguments)).err)

    def test_lists_of_links(self):
        self.path("broken.txt", "0\n<0,0,00>\n")
        self.path("empty.txt", "# nothing\n\n")
        self.check("fault_model", [
            ("list", "no link"),
            ("list:", "no link"),
            ("list:135", "135", "0 to 134"),
            ("list:99999999999999999999999", "99999999999999999999999"),
            ("list:-1", "'-1'"),
            ("list:0;0", "'0'", "twice"),
            ("list:<0,0,00>", "<0,0,00>"),
            ("list:<0,0,00>-<0,0,01>", "<0,0,00>", "<0,0,01>", "not linked"),
            ("list:<0,0,00>-<9,9,99>", "<9,9,99>", "mikant:k=3,n=3"),
            ("list:<" + "0" * 5000 + ">", "'<000"),
            ("list:@missing.txt", "'missing.txt'"),
            ("list:@", "''"),
            ("list:@.", "'.'"),
            ("list:@broken.txt", "<0,0,00>"),
            ("list:@empty.txt", "@empty.txt", "no link"),
        ])

    def test_independent_draws_need_rates(self):
        self.is_refused(sweep_arguments(fault_model="links:draw=independent", faults="0,1"), "draw=independent", "rate")


class FaultNumbers(SweepRefuses):
    def test_counts(self):
        example = "0:135:1"
        self.check("faults", [
            ("136", "136", "135"),
            ("0:136:1", "136", "135"),
            ("0:18446744073709551615:1", "18446744073709551615"),
            ("99999999999999999999", "99999999999999999999", example),
            ("9007199254740993", "900719925474099", "135"),
            ("-1", "'-1'", example),
            ("0:-1:1", "'-1'", example),
            ("5,3", "'5,3'", "rise"),
            ("3,3", "'3,3'", "rise"),
            ("5:1:1", "'5:1:1'", "rise"),
            ("0:10:0", "'0:10:0'", "step"),
            ("0:10:-1", "'-1'", example),
            ("0:1:2:3", "'0:1:2:3'", "first:last:step"),
            ("0,1:3", "'0,1:3'", example),
            ("1.5", "'1.5'", example),
            ("many", "'many'", example),
            ("", ""),
            ("1,,2", "''", example),
            ("1,2,", "''", example),
            ("1 2", "'1 2'", example),
            ("5:", "''", example),
            ("0:135:0.5", "'0.5'", example),
            ("0:9007199254740992:1", "0:9007199254740992:1"),
        ])

    def test_rates(self):
        example = "0:1:0.05"
        self.check("fault_rate", [
            ("1.5", "'1.5'", "0 to 1", example),
            ("-0.1", "'-0.1'", "0 to 1", example),
            ("0:1.5:0.1", "'1.5'", "0 to 1", example),
            ("0:2:0.1", "'2'", "0 to 1", example),
            ("1.0000000000000002", "'1.0000000000000002'", "0 to 1"),
            ("1e999", "'1e999'", "0 to 1"),
            ("nan", "'nan'", "0 to 1"),
            ("inf", "'inf'", "0 to 1"),
            ("-inf", "'-inf'", "0 to 1"),
            ("0x1", "'0x1'", "0 to 1"),
            ("50%", "'50%'", "0 to 1"),
            ("0,5", "'5'", "0 to 1"),
            ("0.5,0.1", "'0.5,0.1'", "rise"),
            ("0.1,0.1", "'0.1,0.1'", "rise"),
            ("0.5:0.1:0.1", "rise"),
            ("0:1", "step", example),
            ("0:1:0", "step"),
            ("0:1:-0.1", "'-0.1'"),
            ("0:1:1e-300", "0:1:1e-300"),
            ("half", "'half'", "0 to 1"),
            (".", "'.'", "0 to 1"),
            ("-", "'-'", "0 to 1"),
        ])

    def test_both(self):
        self.is_refused(sweep_arguments(faults="0", fault_rate="0"), "--faults", "--fault-rate")

    def test_too_many_for_the_model(self):
        for model, parts in [("links:class=cross-links", 27), ("switches", 36), ("bundles:size=2", 90), ("list:0;1;2", 3)]:
            with self.subTest(model):
                self.is_refused(sweep_arguments(fault_model=model, faults=parts + 1), str(parts + 1), str(parts))
                self.succeeds(*sweep_arguments(fault_model=model, faults=parts))


class Numbers(SweepRefuses):
    def test_trials(self):
        self.check("trials", [(value, f"{value}", "whole number") for value in
                              ("-5", "many", "1e-6", "1.5e0", "1.5", "+1", " 1", "1 ", "0x10", "9007199254740993", "99999999999999999999999")])
        self.check("trials", [("0", "from 1 to 2^53 - 1"), ("", "--trials")])

    def test_seed(self):
        self.check("seed", [(value, f"--seed {value}", "2^53") for value in ("-1", "x", "1.5", "", "18446744073709551615", "9007199254740993")])

    def test_seeds_that_json_cannot_carry(self):
        """Results name the seed; above 2^53 - 1 a reader of JSON may see another one."""
        most, network = 2**53 - 1, ["--topology", "mikant:k=2,n=2"]
        simulate = ["simulate", *network, "--routers", "shortest", "--load", "0.1", "--steady", "--cycles", "100", "--warmup", "10"]
        for value in (most + 1, 2**64 - 1):
            self.is_refused([*simulate, "--seed", value], f"--seed {value}", "2^53 - 1")
            self.is_refused([*simulate, "--faults", 1, "--fault-seed", value], f"--fault-seed {value}", "2^53 - 1")
            self.is_refused(["deadlock", *network, "--routers", "shortest", "--faults", 1, "--sample", 5, "--seed", value], f"--seed {value}")
            self.is_refused(["trace", *network, "--router", "shortest", "--from", 0, "--to", 1, "--faults", 1, "--seed", value], f"--seed {value}")
        self.is_refused([*simulate, "--seed", most, "--runs", 2], f"--seed {most}", "2 runs")
        runs = json.loads(self.succeeds(*simulate, "--seed", most - 1, "--runs", 2, "--json").out)["results"]
        self.assertEqual([run["seed"] for run in runs], [most - 1, most])
        makespan = {"name": "m", "networks": [network[1]], "router": "shortest", "workloads": ["AA"], "seed": most, "runs": 2}
        self.is_refused(["makespan", self.path("makespan.json", json.dumps(makespan))], f"--seed {most}", "2 runs")

    def test_threads(self):
        self.check("threads", [(value, f"--threads {value}", "1 to 1024") for value in ("0", "-1", "1025", "two", "", "1.5", "99999999999999999999")])

    def test_seed_0_and_the_largest_seed_are_seeds_like_any_other(self):
        seeds = (0, 1, 2**53 - 2, 2**53 - 1)
        self.assertEqual(len({self.succeeds(*sweep_arguments(seed=seed, trials=200)).out for seed in seeds}), len(seeds))

    def test_large_numbers_arrive_whole(self):
        for number in (2**53 - 1, 2**53 - 3, 2**53 - 101, 1234567890123457):
            with self.subTest(number):
                self.succeeds(*sweep_arguments(seed=number, out="out", no_figures=True, force=True))
                self.assertEqual(self.results()[1]["seed"], number)
                self.succeeds("sweep", self.spec(seed=number), "--out", "out", "--no-figures", "--force")
                self.assertEqual(self.results()[1]["seed"], number)


class StandardStreams(ProgramTest):
    """Output that cannot be written is a failure."""

    talk = [["--help"], ["--version"], ["list"], ["list", "--help"], ["sweep", "--help"], ["help", "sweep"], sweep_arguments(),
            ["exact", "--help"], ["exact", "--topology", "mikant:k=2,n=2", "--routers", "shortest", "--threads", "1"]]

    def run_closed(self, arguments, *closed):
        def close():
            for number in closed:
                os.close(number)
        streams = {"stdin": 0, "stdout": 1, "stderr": 2}
        pipes = {name: None if number in closed else subprocess.DEVNULL if number == 0 else subprocess.PIPE for name, number in streams.items()}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, timeout=HANG, preexec_fn=close, **pipes)

    def test_stdout_is_full(self):
        for arguments in self.talk:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                outcome = self.run_program(*arguments, stdout=full)
                self.assertEqual(outcome.code, 1, "2 would say that the input was bad")
                self.assertIn("standard output", outcome.err)

    def test_stdout_is_closed(self):
        for arguments in self.talk:
            with self.subTest(arguments):
                done = self.run_closed(arguments, 1)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(b"standard output", done.stderr)

    def test_stdin_is_closed(self):
        self.assertEqual(self.run_closed(sweep_arguments(), 0).stdout.decode(), self.succeeds(*sweep_arguments()).out)

    def test_files_are_right_when_every_stream_is_closed(self):
        arguments = sweep_arguments(out="out", quiet=True)
        self.assertEqual(self.run_closed(arguments, 0, 1, 2).returncode, 0)
        self.assertEqual((self.folder / "out/sweep.csv").read_text(), self.succeeds(*sweep_arguments()).out)
        self.assertEqual(self.results()[1]["partial"], False)


if __name__ == "__main__":
    unittest.main()
