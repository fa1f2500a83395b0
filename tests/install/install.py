"""Installs the build into a scratch folder and uses it from outside, with CMake and with pkg-config.

BUILD names the build tree, CC the compiler, CONSUMER_FLAGS what the library was instrumented with."""

import csv
import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
CC = os.environ.get("CC", "cc")
FLAGS = os.environ.get("CONSUMER_FLAGS", "").split()
CONSUMER = HERE / "consumer"
HANG = 1800  # seconds

needs_pkg_config = unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")


# Without make, CMake needs to know about Ninja, which built the project.
if not shutil.which("make"):
    os.environ.setdefault("CMAKE_GENERATOR", "Ninja")


def run(*command, env=None, cwd=None):
    """Its standard output. PKG_CONFIG_PATH and similar variables come from the test alone."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PKG_CONFIG", "CMAKE_PREFIX", "DESTDIR"))}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=HANG, cwd=cwd, env={**kept, **(env or {})})
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="faultline-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch, ignore_errors=True)
        first = cls.scratch / "installed here"
        run("cmake", "--install", BUILD, "--prefix", first)
        # Used from another folder than it was installed to: nothing may refer to the first.
        cls.prefix = first.rename(cls.scratch / "moved")

    def one(self, pattern):
        found = list(self.prefix.rglob(pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "faultline", env={"PKG_CONFIG_PATH": str(self.one("faultline.pc").parent)}).split()

    def check_consumer(self, program):
        """The program links, runs, and prints what the installed program prints."""
        common = ["--topology", "mikant:k=3,n=3", "--routers", "shortest,gns+gdl", "--faults", "0,10", "--quiet"]
        faultline = self.prefix / "bin" / "faultline"
        expected = run(faultline, "sweep", *common, "--trials", 1000, "--seed", 5) + run(faultline, "exact", *common)
        self.assertEqual(run(program), expected)

    def test_every_public_header_is_there(self):
        rooms = ("core", "topo", "faults", "routing", "analysis", "sim", "plots", "experiments")
        public = {str(path.relative_to(ROOT)) for room in rooms for path in (ROOT / room).rglob("*.h")
                  if not path.read_text().startswith("/* Private")} | {"faultline.h"}
        self.assertGreaterEqual(len(public), 40)
        installed = {str(path.relative_to(self.prefix / "include" / "faultline")) for path in (self.prefix / "include").rglob("*.h")}
        self.assertEqual(installed, public)

    def test_the_headers_need_nothing_that_is_not_installed(self):
        for header in sorted((self.prefix / "include" / "faultline").rglob("*.h")):
            run(CC, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", self.prefix / "include" / "faultline",
                "-x", "c", header)

    def test_every_spec_and_the_schema_are_there(self):
        share = self.prefix / "share" / "faultline"
        for folder in "specs", "makespans":
            written, installed = ({str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*.json")}
                                  for top in (ROOT / "experiments" / folder, share / folder))
            self.assertGreater(len(written), 0)
            self.assertEqual(installed, written)
        for schema in "experiment.schema.json", "simulation.schema.json", "makespan.schema.json", "deadlock.schema.json":
            self.assertEqual((share / schema).read_bytes(), (ROOT / "experiments" / schema).read_bytes())

    def test_an_installed_spec_runs_with_the_installed_program(self):
        spec = self.prefix / "share" / "faultline" / "specs" / "wang-2022-fig8-9.json"
        out = run(self.prefix / "bin" / "faultline", "sweep", spec, "--trials", 10, "--quiet")
        self.assertGreater(len(out.splitlines()), 1000)

    def test_licence_readme_and_pages_are_there(self):
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "docs/index.md"):
            self.one(f"share/doc/*/{name}")

    def test_links_between_the_pages_lead_somewhere(self):
        home = self.one("share/doc/*/README.md").parent
        pages = [*home.glob("*.md"), *home.glob("docs/*.md")]
        links = [(page, link) for page in pages for link in re.findall(r'\]\(([^)#\s]+)[^)]*\)|src="([^"]+)"', page.read_text())]
        self.assertGreater(len(links), 50)
        for page, (link, picture) in links:
            target = link or picture
            if "://" not in target and not target.startswith("mailto:"):
                self.assertTrue((page.parent / target).exists(), f"{page.relative_to(home)}: {target}")

    def test_nothing_points_to_the_source_or_build_tree_or_the_first_place(self):
        for path in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.pc"), *self.prefix.rglob("*.h")]:
            text = path.read_text()
            for place in (ROOT, BUILD, self.scratch):
                self.assertNotRegex(text, re.escape(str(place)) + r"(?=[/;\"\s]|$)", f"{path} names {place}")

    def test_a_consumer_builds_with_find_package(self):
        tree = self.scratch / "consumer"
        flags = " ".join(FLAGS)
        run("cmake", "-S", CONSUMER, "-B", tree, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}",
            f"-DCMAKE_C_FLAGS={flags}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        self.assertIn(str(self.prefix), (tree / "CMakeCache.txt").read_text())
        run("cmake", "--build", tree)
        self.check_consumer(tree / "consumer")

    @needs_pkg_config
    def test_a_consumer_builds_with_pkg_config(self):
        # The library is a static one only, so that it must link with and without --static.
        for number, extra in enumerate([[], ["--static"]]):
            program = self.scratch / f"with-pkg-config-{number}"
            run(CC, *FLAGS, "-std=c17", *self.pkg_config("--cflags"), CONSUMER / "consumer.c", "-o", program, *self.pkg_config("--libs", *extra))
            self.check_consumer(program)

    @needs_pkg_config
    def test_pkg_config_knows_the_version_of_the_program(self):
        self.assertEqual("faultline " + self.pkg_config("--modversion")[0], run(self.prefix / "bin" / "faultline", "--version").split("\n")[0])

    # ---- faultline new-router: from the installed program to a curve, outside of the tree ----

    def faultline(self, *arguments, cwd=None):
        return run(self.prefix / "bin" / "faultline", *arguments, cwd=cwd)

    def is_refused(self, *arguments, word):
        done = subprocess.run([str(self.prefix / "bin" / "faultline"), "new-router", *map(str, arguments)], capture_output=True,
                              text=True, timeout=HANG, cwd=self.scratch)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(word, done.stderr)

    def make(self, folder, *arguments):
        """The commands that new-router prints, run word for word."""
        home = self.scratch / folder
        home.mkdir()
        lines = self.faultline("new-router", *arguments, cwd=home).splitlines()
        files, commands = lines[:lines.index("")], lines[lines.index("next:") + 1:]
        self.assertEqual(sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()), sorted(files))
        self.assertEqual(len(commands), 3, commands)
        flags = f"-DCMAKE_C_COMPILER={CC} -DCMAKE_C_FLAGS='-Wpedantic -Werror'"
        commands[1] = commands[1].replace("cmake -B build", f"cmake -B build {flags}", 1)
        run("sh", "-ec", "\n".join(commands), cwd=home)
        return home / arguments[0]

    def delivered(self, text):
        counts = {}
        for row in csv.DictReader(io.StringIO(text)):
            counts.setdefault(row["router"], []).append(int(row["delivered"]))
        return counts

    def test_a_new_router_is_built_and_swept_as_the_program_says(self):
        place = self.make("for a router", "my-router_2")
        counts = self.delivered((place / "results" / "sweep.csv").read_text())
        self.assertEqual(list(counts), ["shortest", "gns", "gdl", "three-turn", "gns+x-turns+gdl", "my-router_2", "limit"])
        # The same curve as shortest: five standard deviations of a difference of 100000 trials, at every fault count.
        for mine, theirs in zip(counts["my-router_2"], counts["shortest"]):
            self.assertLess(abs(mine - theirs), 1120)
        exact = self.faultline("exact", "--plugin", place / "build" / "my-router_2.so", "--topology", "mikant:k=3,n=3", "--routers",
                               "my-router_2,shortest", "--faults", "1,10,40", "--quiet")
        rows = [row.split(",", 3)[3] for row in exact.splitlines()[1:]]
        self.assertEqual(rows[:3], rows[3:])

    def test_a_new_rule_is_built_and_swept_as_the_program_says(self):
        place = self.make("for a rule", "my-rule", "--rule")
        counts = self.delivered((place / "results" / "sweep.csv").read_text())
        self.assertTrue(all(more >= less for more, less in zip(counts["gdl+my-rule"], counts["gdl"])))
        self.assertGreater(sum(counts["gdl+my-rule"]), sum(counts["gdl"]) + 1000)

    def test_a_new_network_is_built_and_swept_as_the_program_says(self):
        place = self.make("for a network", "my-net", "--network")
        counts = self.delivered((place / "results" / "sweep.csv").read_text())
        self.assertEqual(counts["my-net-turn-back"][:2], [100000, 100000])
        self.assertEqual(counts["my-net-turn-back"], counts["limit"])

    @needs_pkg_config
    def test_a_new_router_builds_without_cmake_as_its_readme_says(self):
        self.faultline("new-router", "by-hand", cwd=self.scratch)
        place = self.scratch / "by-hand"
        command = re.search(r"^    cc (.*)$", (place / "README.md").read_text(), re.M)[1]
        self.assertIn(f"{self.prefix}/lib", (place / "README.md").read_text())
        run("sh", "-ec", f"{CC} {command}", cwd=place, env={"PKG_CONFIG_PATH": str(self.one("faultline.pc").parent)})
        self.assertIn("by-hand", self.faultline("list", "--plugin", "by-hand.so", cwd=place))

    def test_a_plugin_is_linked_to_nothing(self):
        self.faultline("new-router", "lean", cwd=self.scratch)
        run("cmake", "-B", "build", f"-DCMAKE_C_COMPILER={CC}", cwd=self.scratch / "lean")
        run("cmake", "--build", "build", cwd=self.scratch / "lean")
        self.assertLess((self.scratch / "lean" / "build" / "lean.so").stat().st_size, 64 << 10)

    def test_new_router_overwrites_nothing_and_takes_no_name_that_cannot_be_one(self):
        self.faultline("new-router", "taken", "--out", "made for it/by it", cwd=self.scratch)
        before = {path: path.read_bytes() for path in (self.scratch / "made for it").rglob("*") if path.is_file()}
        self.assertEqual(len(before), 3)
        for extra in ([], ["--rule"], ["--network"]):
            self.is_refused("taken", "--out", "made for it/by it", *extra, word="'made for it/by it/taken' is there already")
        self.assertEqual({path: path.read_bytes() for path in (self.scratch / "made for it").rglob("*") if path.is_file()}, before)
        for name in ("", "a b", "9lives", "-x", "Router", "a/b", "../up", "a.b", "a+b", "a,b", "x" * 31, "é"):
            self.is_refused(name, word="option" if name.startswith("-") else "cannot be its name")
        for name in ("all", "help", "install", "test", "clean"):
            self.is_refused(name, word=f"CMake has a target of this name; try 'my-{name}'")
        for name in ("shortest", "gns", "mikant", "limit"):
            self.is_refused(name, word="there is one already")
        self.is_refused(word="what should it be called?")
        self.is_refused("x", "--rule", "--network", word="not both")
        self.is_refused("x", "y", word="unexpected argument 'y'")


if __name__ == "__main__":
    unittest.main()
