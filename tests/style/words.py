"""The field's words: one for each thing. The words below are old names of things here, and have no other meaning that a text
of this project needs; each is refused in sources, tests, pages and recorded help texts, with the word to write."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

OLD = {
    r"mend(?:s|ed|ing)?": "fix",
    r"outlets?": "output VC, output link",
    r"askers?": "requester",
    r"oversle(?:ep|pt|eps)": "missed wake-up",
    r"census(?:es)?": "conservation check, count",
    r"patience": "time limit",
    r"deeds?": "action",
    r"crews?": "threads, ranks, job queue",
    r"exposures?": "state",
    r"so many": "N, a number of",
    r"channel[ _-]rules?": "VC assignment",
    r"cyclic_share|share_low|share_high": "fraction",
    r"share=\w+": "fraction",
    r"fl_trouble\w*": "fl_detour_context",
    r"whom|nobody|somebody": "which, no one, a person",
    r"tells?|told": "reports, prints, distinguishes",
    r"whoever": "the one that",
    r"keies": "keys",
}
# Where an old word is named to refuse it, or is history.
ALLOWED = {
    "CHANGELOG.md": None,
    "tests/style/words.py": None,
    "cli/commands/deadlock.c": "vc-rule,channel-rule",
    "sim/traffic.c": ",share=",
    "tests/sim/sim.c": "nodes=0.05,share=0.5",
}
SUFFIXES = {".c", ".h", ".cpp", ".py", ".md", ".txt", ".json", ".csv", ".cmake", ".sh", ".css", ".html"}

PATTERN = re.compile(r"(?<![A-Za-z])(?:" + "|".join(f"(?P<w{i}>{old})" for i, old in enumerate(OLD)) + r")(?![A-Za-z])", re.I)


def files():
    """All files of the source tree: those of git, or all where it is not there."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts[:1]]


def faults_of(name, text):
    """The old words in a text, as lines FILE:LINE: WORD."""
    allowed = ALLOWED.get(name, "")
    if allowed is None:
        return []
    found = []
    for match in PATTERN.finditer(text.replace(allowed, "") if allowed else text):
        line = text.count("\n", 0, match.start()) + 1
        word = list(OLD.values())[int(match.lastgroup[1:])]
        found.append(f"{name}:{line}: '{match[0]}': write: {word}")
    return found


def check_itself():
    """A check that finds nothing anywhere would be of no use."""
    for text, count in (("This mends the census.", 2), ("so many links, channel_rule", 2), ("recommended, amended, commend", 0),
                        ("a_census_of_sets", 1), ("shared", 0), ("nodes=0.1,share=0.2", 1)):
        assert len(faults_of("x.c", text)) == count, text


check_itself()
faults = []
for path in sorted(files()):
    if path.suffix in SUFFIXES and path.is_file():
        faults += faults_of(str(path.relative_to(ROOT)), path.read_text(errors="replace"))
print("\n".join(faults) or "ok")
sys.exit(bool(faults))
