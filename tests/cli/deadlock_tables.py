"""Compares the outputs and tables of docs/deadlock.md with those of the commands above them. Of each table, every eighth
router is checked, or all of them with FAULTLINE_FULL=1.

    FAULTLINE=build/faultline python3 tests/cli/deadlock_tables.py --regenerate
rewrites them."""

import re
import shlex
import subprocess
import sys
import unittest

from support import FULL, PROGRAM, ROOT, SANITIZED

PAGE = ROOT / "docs" / "deadlock.md"
# An indented command, over several lines if they end with a backslash, and the table behind it.
TABLE = re.compile(r"^    build/faultline (deadlock (?:[^\n]*\\\n)*[^\n]*)\n\n((?:\|[^\n]*\n)+)", re.M)
# `$ command` and its indented output.
OUTPUT = re.compile(r"^    \$ build/faultline (deadlock [^\n]*)\n((?:    [^\n]*\n|\n(?=    ))+)", re.M)


def run(command):
    words = shlex.split(re.sub(r",\\\n *", ",", command).replace("\\\n", " "))
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, check=True, text=True).stdout


def indented(text):
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def some_rows(command, table, step):
    """The command for every step-th router, and what it is to print."""
    routers = command[command.index("--routers") + len("--routers"):].replace("\\\n", "").replace(" ", "").split(",")
    lines = table.splitlines(keepends=True)
    assert len(lines) == 2 + len(routers), "one row a router"
    words = command[:command.index("--routers")] + "--routers " + ",".join(routers[::step])
    return words, "".join(lines[:2] + lines[2::step])


@unittest.skipIf(SANITIZED, "takes too long under a sanitizer")
class Page(unittest.TestCase):
    maxDiff = None
    step = 1 if FULL else 8

    def test_every_table_is_what_its_command_prints(self):
        found = TABLE.findall(PAGE.read_text())
        self.assertEqual(len(found), 2)
        for command, table in found:
            command, table = some_rows(command, table, self.step)
            self.assertEqual(table, run(command))

    def test_every_output_is_what_its_command_prints(self):
        found = OUTPUT.findall(PAGE.read_text())
        self.assertEqual(len(found), 5)
        for command, output in found:
            self.assertEqual(output, indented(run(command)))


def regenerate():
    text = PAGE.read_text()
    text = TABLE.sub(lambda match: match[0][:match.start(2) - match.start()] + run(match[1]), text)
    text = OUTPUT.sub(lambda match: match[0][:match.start(2) - match.start()] + indented(run(match[1])), text)
    PAGE.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--regenerate"]:
        regenerate()
    else:
        unittest.main()
