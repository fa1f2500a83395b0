"""Installs the build into a scratch folder and uses it from outside, with CMake and with pkg-config.

BUILD names the build tree, CC the compiler, CONSUMER_FLAGS what the library was instrumented with."""

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
PATIENCE = 300

needs_pkg_config = unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")


def run(*command, env=None):
    """What it prints. PKG_CONFIG_PATH and the like come from the test alone."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PKG_CONFIG", "CMAKE_PREFIX", "DESTDIR"))}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=PATIENCE, env={**kept, **(env or {})})
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
        # Used from another place than it was installed to: nothing may point back.
        cls.prefix = first.rename(cls.scratch / "moved")

    def one(self, pattern):
        found = list(self.prefix.rglob(pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "faultline", env={"PKG_CONFIG_PATH": str(self.one("faultline.pc").parent)}).split()

    def check_consumer(self, program):
        """It links, runs, and says what the installed program says."""
        common = ["--topology", "mikant:k=3,n=3", "--routers", "shortest,gns+gdl", "--faults", "0,10", "--quiet"]
        faultline = self.prefix / "bin" / "faultline"
        expected = run(faultline, "sweep", *common, "--trials", 1000, "--seed", 5) + run(faultline, "exact", *common)
        self.assertEqual(run(program), expected)

    def test_every_public_header_is_there(self):
        rooms = {path.parent.name for path in ROOT.glob("*/*.h") if path.stem == path.parent.name} - {"cli"}
        self.assertGreaterEqual(len(rooms), 6)
        installed = {str(path.relative_to(self.prefix / "include" / "faultline")) for path in self.prefix.rglob("*.h")}
        self.assertEqual(installed, {f"{room}/{room}.h" for room in rooms})

    def test_the_headers_need_nothing_that_is_not_installed(self):
        for header in sorted((self.prefix / "include" / "faultline").rglob("*.h")):
            run(CC, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", self.prefix / "include" / "faultline",
                "-x", "c", header)

    def test_every_spec_and_the_schema_are_there(self):
        share = self.prefix / "share" / "faultline"
        specs = {path.name: path.read_bytes() for path in (ROOT / "experiments" / "specs").glob("*.json")}
        self.assertEqual({path.name: path.read_bytes() for path in (share / "specs").iterdir()}, specs)
        schema = "experiment.schema.json"
        self.assertEqual((share / schema).read_bytes(), (ROOT / "experiments" / schema).read_bytes())

    def test_an_installed_spec_runs_with_the_installed_program(self):
        spec = self.prefix / "share" / "faultline" / "specs" / "wang-2022-fig8-9.json"
        out = run(self.prefix / "bin" / "faultline", "sweep", spec, "--trials", 10, "--quiet")
        self.assertGreater(len(out.splitlines()), 1000)

    def test_licence_readme_and_pages_are_there(self):
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "docs/index.md"):
            self.one(f"share/doc/*/{name}")

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


if __name__ == "__main__":
    unittest.main()
