"""Shards and what adds them up."""

import copy
import json
import random
import unittest

from support import SANITIZED, ProgramTest, needs_gnuplot, sweep_arguments, tree_of

OPTIONS = {"routers": "shortest,gns,gns+gdl", "faults": "0:40:10", "trials": 1000, "no_figures": True, "quiet": True}


class MergeTest(ProgramTest):
    def sweep(self, out, **options):
        return self.succeeds(*sweep_arguments(**{**OPTIONS, "out": out, **options}))

    def shards(self, count, **options):
        """Folders s1 .. sN."""
        for i in range(1, count + 1):
            self.sweep(f"s{i}", shard=f"{i}/{count}", **options)
        return [f"s{i}" for i in range(1, count + 1)]

    def merge(self, *inputs, out, **more):
        return self.succeeds("merge", *inputs, "--out", out, "--no-figures", "--quiet", **more)

    def table(self, out):
        return (self.folder / out / "sweep.csv").read_text()

    def document(self, out):
        return json.loads((self.folder / out / "sweep.json").read_text())

    def assert_same_results(self, a, b):
        self.assertEqual(self.table(a), self.table(b))
        self.assertEqual(self.document(a)["sweeps"], self.document(b)["sweeps"])


class Shards(MergeTest):
    def test_all_of_them_make_the_whole(self):
        self.sweep("whole")
        for count in (1, 2, 3, 16):
            self.merge(*self.shards(count, force=True), out=f"sum-{count}")
            self.assert_same_results(f"sum-{count}", "whole")
            document = self.document(f"sum-{count}")
            self.assertEqual((document["partial"], document["stopped_by"]), (False, "trials"))

    def test_in_steps_and_in_any_order(self):
        self.sweep("whole")
        inputs, generator, steps = self.shards(16), random.Random(1), 0
        while len(inputs) > 1:
            generator.shuffle(inputs)
            taken, inputs = inputs[:3], inputs[3:]
            steps += 1
            self.merge(*taken, out=f"step-{steps}")
            inputs.append(f"step-{steps}")
        self.assert_same_results(inputs[0], "whole")

    def test_they_have_all_trials_once(self):
        for trials, count in ((1000, 16), (7, 7), (10, 3)):
            at = 0
            for folder in self.shards(count, trials=trials, force=True):
                sweep = self.document(folder)["sweeps"][0]
                (first, beyond), = sweep["trial_ranges"]
                self.assertEqual((first, beyond - first), (at, sweep["trials"]))
                self.assertEqual(sweep["first_trial"], first)
                self.assertIn(sweep["trials"], (trials // count, trials // count + 1))
                self.assertFalse(self.document(folder)["partial"])
                at = beyond
            self.assertEqual(at, trials)

    def test_of_several_sweeps(self):
        spec = self.spec(sweeps=[{}, {"topology": "kary-ntree:k=2,n=3", "routers": ["shortest"]}], trials=500)
        self.succeeds("sweep", spec, "--out", "whole", "--no-figures")
        for i in (1, 2, 3):
            self.succeeds("sweep", spec, "--out", f"s{i}", "--no-figures", "--shard", f"{i}/3")
        self.merge("s3", "s1", "s2", out="sum")
        self.assert_same_results("sum", "whole")

    def test_of_routers_that_have_several_names(self):
        """Results, like the spec in them, have the canonical name, whatever name was given."""
        for number, (topology, given, canonical) in enumerate((
                ("torus:k=3,n=2", "dimension-order", "shortest"), ("random:n=32,m=16,r=6", "table", "shortest"),
                ("fattree3:K=4", "fat-tree", "shortest"), ("kns:n=2,k=4", "hybrid-dor", "shortest"),
                ("dragonfly:a=4,h=2,p=2", "dragonfly-minimal", "shortest"), ("micat:k=2,n=3", "tree-cube", "shortest"),
                ("mikant:k=3,n=3", "gdl+gns", "gns+gdl"), ("torus:k=3,n=2", "dimension-order@dateline:2", "shortest@dateline:2"))):
            with self.subTest(router=given, topology=topology):
                options = {"topology": topology, "routers": given, "faults": "0,1", "trials": 200}
                self.sweep(f"whole-{number}", **options)
                self.assertEqual({row["router"] for row in self.results(f"whole-{number}")[0]}, {canonical})
                for shard in (1, 2):
                    self.sweep(f"part-{number}-{shard}", shard=f"{shard}/2", **options)
                self.merge(f"part-{number}-1", f"part-{number}-2", out=f"sum-{number}")
                self.assert_same_results(f"sum-{number}", f"whole-{number}")

    def test_with_figures_of_a_router_that_has_several_names(self):
        spec = self.spec(routers=["gdl+gns", "shortest"], figures=[{"name": "one", "quantity": "success_ratio", "routers": ["gdl+gns"]}])
        for shard in (1, 2):
            self.succeeds("sweep", spec, "--out", f"s{shard}", "--no-figures", "--shard", f"{shard}/2")
        self.merge("s1", "s2", out="sum")
        self.assertEqual(self.document("sum")["figures"][0]["routers"], ["gns+gdl"])

    def test_with_rates_independent_faults_and_lists(self):
        for options in ({"faults": None, "fault_rate": "0:1:0.1", "fault_model": "switches:draw=independent"},
                        {"faults": None, "fault_rate": "0.3333333333333333,0.7", "scope": "local"},
                        {"faults": "0,1,2", "fault_model": "list:0;5;7"}):
            self.sweep("whole", force=True, **options)
            self.merge(*self.shards(2, force=True, **options), "--force", out="sum")
            self.assert_same_results("sum", "whole")

    def test_to_standard_output(self):
        self.sweep("whole")
        self.assertEqual(self.succeeds("merge", *self.shards(2)).out, self.table("whole"))

    def test_a_file_is_as_good_as_its_folder(self):
        self.sweep("whole")
        a, b = self.shards(2)
        self.merge(f"{a}/sweep.json", b, out="sum")
        self.assert_same_results("sum", "whole")

    def test_interrupted_shards_are_gaps(self):
        self.sweep("whole", trials=10**12, budget="0.2s", shard="1/2")
        outcome = self.succeeds("merge", "whole", "--out", "sum", "--no-figures")
        self.assertIn("lacks trials", outcome.err)
        self.assertTrue(self.document("sum")["partial"])
        self.assertEqual(self.document("sum")["stopped_by"], "budget")

    def test_gaps_are_named(self):
        s1, _, s3, _ = self.shards(4)
        outcome = self.merge(s1, s3, out="sum")
        self.assertIn("lacks trials 250 to 499, 750 to 999", outcome.err)
        document = self.document("sum")
        self.assertTrue(document["partial"])
        self.assertEqual(document["sweeps"][0]["trial_ranges"], [[0, 250], [500, 750]])
        self.merge("sum", "s2", "s4", out="all")
        self.sweep("whole")
        self.assert_same_results("all", "whole")

    def test_bad_shards(self):
        for shard in ("0/4", "5/4", "1", "1/", "/4", "-1/4", "1/0", "a/b", "1/4/2", "", "1/99999999999999999999", "1/1001", "01x/4"):
            self.is_refused(sweep_arguments(**{**OPTIONS, "no_figures": None, "shard": shard}), "--shard")

    def test_a_shard_resumes(self):
        self.sweep("part", trials=10**12, budget="0.2s", shard="3/5")
        self.sweep("part", trials=10**12, budget="0.2s", shard="3/5", resume=True)
        first = self.document("part")["sweeps"][0]["first_trial"]
        self.assertEqual(first, 4 * 10**11)
        self.is_refused(sweep_arguments(**{**OPTIONS, "out": "part", "trials": 10**12, "shard": "4/5", "resume": True}), "another shard")


class Refusals(MergeTest):
    def refused(self, inputs, *words):
        return self.is_refused(["merge", *inputs, "--out", "sum"], *words)

    def test_overlaps(self):
        s1, s2 = self.shards(2)
        self.refused([s1, s2, s1], "'s1/sweep.json' and 's1/sweep.json'", "0 to 499")
        self.sweep("third", shard="2/3")
        self.refused([s1, "third"], "'s1/sweep.json'", "'third/sweep.json'", "0 to 499", "334 to 666")
        self.merge(s1, s2, out="whole")
        self.refused(["whole", s2], "'whole/sweep.json'", "'s2/sweep.json'", "0 to 999", "500 to 999")

    def test_other_experiments(self):
        self.sweep("a", shard="1/2")
        for change in ({"seed": 2}, {"trials": 1001}, {"faults": "0:40:20"}, {"routers": "shortest,gns"}, {"scope": "local"}, {"topology": "mikant:k=2,n=3"}):
            self.sweep("b", shard="2/2", force=True, **change)
            self.refused(["a", "b"], "'a/sweep.json'", "'b/sweep.json'", "not of one experiment")

    def test_results_that_the_counts_have_ended(self):
        self.sweep("a", until_ci=.02, trials=None)
        self.refused(["a"], "'a/sweep.json'", "precision")

    def test_other_versions(self):
        self.sweep("a", shard="1/2")
        text = (self.folder / "a/sweep.json").read_text()
        self.path("b.json", text.replace('"version": "', '"version": "1'))
        self.refused(["b.json"], "'b.json'", "version")

    def test_files_that_are_none(self):
        self.path("empty", "")
        self.path("folder").mkdir()
        self.path("other.json", '{"format": "something else"}')
        self.path("list.json", "[1, 2]")
        self.path("spec.json", '{"topology": "mikant:k=3,n=3"}')
        self.path("deep.json", "[" * 100000)
        self.path("bytes.json", bytes(range(256)))
        for name in ("empty", "folder", "missing", "other.json", "list.json", "spec.json", "deep.json", "bytes.json"):
            self.refused([name], name)
        self.refused([], "what should be merged")

    def test_results_are_not_overwritten(self):
        s1, s2 = self.shards(2)
        self.merge(s1, out="sum")
        self.refused([s1, s2], "'sum/sweep.csv'", "--force")
        self.merge(s1, s2, "--force", out="sum")
        self.assertFalse(self.document("sum")["partial"])

    def test_its_own_input_can_be_replaced(self):
        self.sweep("whole")
        s1, s2 = self.shards(2)
        self.merge(s1, s2, "--force", out=s1)
        self.assert_same_results(s1, "whole")


class Damage(MergeTest):
    """A changed file is refused, unless the change is in something that does not count."""

    values = (-1, 0.5, 2**60, 1e300, "x", "", None, True, [], {}, [1], 3)

    def setUp(self):
        super().setUp()
        self.sweep("good", shard="2/3", trials=100, faults="0,10,40", routers="shortest,gns")
        self.good = self.document("good")
        self.expected = self.succeeds("merge", "good").out

    def places(self, value, path=()):
        yield path
        if isinstance(value, (dict, list)):
            for key in (value if isinstance(value, dict) else range(len(value))):
                yield from self.places(value[key], (*path, key))

    def changed(self, path, change):
        document = copy.deepcopy(self.good)
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        change(holder, path[-1])
        return document

    def check(self, text, what):
        self.path("bad.json", text)
        outcome = self.run_program("merge", "bad.json")
        if outcome.code == 0:
            self.assertEqual(outcome.out, self.expected, what)
        else:
            self.assertEqual((outcome.code, outcome.out), (2, ""), what)
            self.assertTrue(outcome.err.startswith("faultline: "), what)
        return outcome.code

    def test_numbers_texts_and_lists(self):
        generator = random.Random(1)
        places = [path for path in self.places(self.good) if path]
        def put(value):
            return lambda holder, key: holder.__setitem__(key, value)
        def double(holder, key):
            if isinstance(holder[key], list) and holder[key]:
                holder[key].append(holder[key][-1])
        def shorten(holder, key):
            if isinstance(holder[key], list) and holder[key]:
                holder[key].pop()
        def add_one(holder, key):
            holder[key] = holder[key] + 1 if isinstance(holder[key], int) and not isinstance(holder[key], bool) else holder[key]
        changes = [("put", value, put(value)) for value in self.values]
        changes += [("remove", None, lambda holder, key: holder.__delitem__(key)), ("double", None, double), ("shorten", None, shorten), ("add one", None, add_one)]
        refused = 0
        cases = [(path, change) for path in places for change in changes]
        for path, (name, value, change) in generator.sample(cases, min(len(cases), 100 if SANITIZED else 700)):
            refused += self.check(json.dumps(self.changed(path, change)), f"{path}: {name} {value!r}") == 2
        self.assertGreater(refused, 30)

    def test_every_raw_count_is_checked(self):
        sweep = ("sweeps", 0)
        def add_one(holder, key):
            holder[key] += 1
        for path in self.places(self.good):
            if path[:2] != sweep or not isinstance(path[-1], int) or path[2:3] not in (("routers",), ("paired_differences",)) or len(path) != 6:
                continue
            if path[4] in ("difference", "low", "high"):
                continue
            self.assertEqual(self.check(json.dumps(self.changed(path, add_one)), path), 2, path)

    def test_truncated_files(self):
        text = json.dumps(self.good)
        generator = random.Random(1)
        for length in generator.sample(range(len(text) - 1), 20 if SANITIZED else 100):
            self.assertEqual(self.check(text[:length], length), 2)

    def test_flipped_bytes(self):
        text = (self.folder / "good/sweep.json").read_bytes()
        generator = random.Random(2)
        for _ in range(20 if SANITIZED else 150):
            at = generator.randrange(len(text))
            self.path("bad.json", text[:at] + bytes([generator.randrange(256)]) + text[at + 1:])
            outcome = self.run_program("merge", "bad.json")
            self.assertIn(outcome.code, (0, 2))

    def test_ranges_that_cannot_be(self):
        for ranges in ([[0, 0]], [[5, 1]], [[34, 1000]], [[34, 67], [60, 70]], [[67, 70], [34, 60]], [[34]], [34, 67], [[34, 67, 80]], [[-1, 32]], "x", None):
            document = copy.deepcopy(self.good)
            document["sweeps"][0]["trial_ranges"] = ranges
            self.assertEqual(self.check(json.dumps(document), ranges), 2)

    def test_a_spec_with_a_forged_hash(self):
        document = copy.deepcopy(self.good)
        document["spec"]["seed"] = 99
        self.path("bad.json", json.dumps(document))
        self.is_refused(["merge", "bad.json"], "spec_hash")


@needs_gnuplot
class Figures(MergeTest):
    def test_they_are_those_of_the_whole_run(self):
        figures = [{"name": "ratio", "quantity": "success_ratio", "title": "A title", "log_y": True, "routers": ["gns"]},
                   {"name": "length", "quantity": "mean_path_length"}]
        spec = self.spec(trials=300, title="The experiment", source="A source", figures=figures)
        self.succeeds("sweep", spec, "--out", "whole", "--quiet")
        for i in (1, 2):
            self.succeeds("sweep", spec, "--out", f"s{i}", "--no-figures", "--shard", f"{i}/2", "--quiet")
        self.succeeds("merge", "s1", "s2", "--out", "sum", "--quiet")
        whole, merged = tree_of(self.folder / "whole"), tree_of(self.folder / "sum")
        whole.pop("sweep.json"), merged.pop("sweep.json")
        self.assertEqual(whole, merged)
        self.assertIn("ratio.svg", merged)

    def test_partial_ones_say_so(self):
        self.sweep("s1", shard="1/2")
        self.succeeds("merge", "s1", "--out", "sum", "--quiet")
        self.assertIn("partial", (self.folder / "sum/success-ratio.svg").read_text())


if __name__ == "__main__":
    unittest.main()
