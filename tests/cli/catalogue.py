"""`faultline catalogue`: the page in its three forms, and what it refuses."""

import re
import shutil
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser

from pathlib import Path

from support import PROGRAM, ProgramTest, ROOT, read_csv

FAST = ("catalogue", "--largest", "3000", "--quiet")


class Page(HTMLParser):
    """Finds tags that are not closed in order, duplicate ids, links without a target, and anything from another site."""

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.ids, self.links, self.rows = [], [], [], [], 0
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.rows += tag == "tr"
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag} at {self.getpos()}")


class Catalogue(ProgramTest):
    @classmethod
    def setUpClass(cls):
        """One catalogue, which takes seconds, for all tests that read it."""
        cls.once = Path(tempfile.mkdtemp(prefix="faultline-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.once, ignore_errors=True)
        cls.shown = subprocess.run([PROGRAM, *FAST, "--out", cls.once / "out"], stdout=subprocess.PIPE, check=True, text=True).stdout

    def written(self):
        folder = self.folder / "out"
        shutil.copytree(self.once / "out", folder)
        return folder

    def test_the_three_files_agree(self):
        folder = self.written()
        self.assertEqual({path.name for path in folder.iterdir()}, {"catalogue.html", "catalogue.md", "catalogue.csv"})
        rows = read_csv((folder / "catalogue.csv").read_text())
        entries = {(row["table"], row["row"], row["column"]) for row in rows}
        self.assertGreater(len(entries), 300)
        self.assertIn(f"at {len(rows)} instances", self.shown)
        markdown, html = (folder / "catalogue.md").read_text(), (folder / "catalogue.html").read_text()
        self.assertEqual(markdown.count("**source differs**"), sum(row["verdict"] == "source differs" for row in rows))
        self.assertEqual(html.count('<tr class="wrong">'), sum(row["verdict"] == "source differs" for row in rows))
        page = Page(html)
        self.assertEqual(page.wrong, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual({link for link in page.links if not link.startswith("#") or link[1:] not in page.ids}, set())
        self.assertGreater(page.rows, len(rows))

    def test_known_errors_of_the_sources_are_found(self):
        rows = read_csv((self.written() / "catalogue.csv").read_text())
        wrong = {(row["table"], row["row"]) for row in rows if row["entry_verdict"] == "source differs"}
        for entry in (("mikant-table-1", "Bisection, even k"), ("wang-table-1", "Average distance"), ("wang-fig-4", "RCP of MiCAT(4,7)"),
                      ("kns-table-4", "Links"), ("yasudo-table-3-1", "Order n"), ("yasudo-table-3-2", "h-ASPL")):
            self.assertIn(entry, wrong)
        for row in rows:
            self.assertEqual(bool(row["derivation"]), row["entry_verdict"] == "source differs", row)
            if row["verdict"] != "source differs" and row["published"] and row["measured"] and row["upper_bound"] == "0" and "bound" not in row["verdict"]:
                published, measured = float(row["published"]), float(row["measured"])
                self.assertLessEqual(abs(published - measured), max(.51, .02 * abs(published)), row)

    def test_what_is_too_large_is_said_to_be(self):
        rows = read_csv((self.written() / "catalogue.csv").read_text())
        large = [row for row in rows if row["table"] == "kns-table-4"]
        self.assertTrue(large)
        for row in large:
            self.assertEqual(row["measured"], "")
            self.assertIn("larger than 3,000 links", row["not_measured"])

    def test_the_page_stands_alone_and_hides_nothing_behind_a_pointer(self):
        folder = self.written()
        html, rows = (folder / "catalogue.html").read_text(), read_csv((folder / "catalogue.csv").read_text())
        for foreign in ("<script", "<link", "<img", "url(", "@import", "http://", "https://"):
            self.assertNotIn(foreign, html)
        for way in ("prefers-color-scheme: dark", "@media print", "max-width"):
            self.assertIn(way, html)
        visible = re.sub(r'title="[^"]*"', "", html)
        for reason in {row["not_measured"].split(": ")[-1] for row in rows} - {""}:
            self.assertIn(reason, visible)
        derived = re.findall(r'<td class="v wrong"[^>]*><a href="#why-', html)
        self.assertEqual(len(derived), sum(row["verdict"] == "source differs" for row in rows))

    def test_formulas_are_set_and_words_are_not(self):
        html = (self.written() / "catalogue.html").read_text()
        self.assertIn("m<sub>opt</sub>", html)
        self.assertIn("N/(N&minus;1)", html)
        self.assertIn("if r mod 2 = 1: ", html)
        self.assertNotRegex(html, r"k&minus;ary|kary&minus;ntree|\bmax\(|\bargmin\(")

    def test_what_is_published_is_in_no_line_of_code(self):
        code = "".join(path.read_text() for path in [*ROOT.glob("experiments/catalogue/*.c"), ROOT / "cli/commands/catalogue.c"])
        for number in ("262114", "262,114", "0.4676", "0.457", "65875", "65,875", "87.11"):
            self.assertNotIn(number, code)

    def test_nothing_is_overwritten_unless_asked(self):
        folder = self.written()
        (folder / "catalogue.md").write_text("mine")
        self.complains("--out", str(folder), names="--force")
        self.assertEqual((folder / "catalogue.md").read_text(), "mine")
        self.succeeds(*FAST, "--out", str(folder), "--force")
        self.assertNotEqual((folder / "catalogue.md").read_text(), "mine")

    def test_bad_input_is_refused(self):
        self.complains("--largest", "0", names="--largest 0")
        self.complains("--largest", "many", names="--largest many")
        self.complains("--all", "--largest", "5", names="contradict")
        self.complains("--force", names="--out")
        self.complains("--out", "", names="--out")
        self.complains("extra", names="extra")

    def complains(self, *options, names):
        outcome = self.run_program("catalogue", *options)
        self.assertEqual(outcome.code, 2, outcome.out)
        self.assertIn(names, outcome.err)


if __name__ == "__main__":
    unittest.main()
