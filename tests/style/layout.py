"""The folders: which may include which, how many files one holds, and how long a header is."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Each may include those before it.
ROOMS = ["core", "topo", "faults", "routing", "analysis", "sim", "plots", "experiments", "cli"]
FILES_MOST = 20
HEADER_LINES_MOST = 250
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)

faults = []
for room in ROOMS:
    for path in sorted([*(ROOT / room).rglob("*.c"), *(ROOT / room).rglob("*.h")]):
        name = path.relative_to(ROOT)
        text = path.read_text()
        for included in INCLUDE.findall(text):
            target = ROOT / included
            there = included.split("/")[0]
            if not target.exists():
                faults.append(f"{name} includes {included}, which is not there")
            elif there not in ROOMS[:ROOMS.index(room) + 1]:
                faults.append(f"{name} includes {included}: {there} stands above {room}")
            elif there != room and target.read_text().startswith("/* Private"):
                faults.append(f"{name} includes {included}, which is private to {there}")
        if path.suffix == ".h" and text.count("\n") > HEADER_LINES_MOST:
            faults.append(f"{name} has {text.count(chr(10))} lines: a header is one subject, {HEADER_LINES_MOST} lines at most")
    folders = [ROOT / room, *(path for path in (ROOT / room).rglob("*") if path.is_dir())]
    for folder in folders:
        count = sum(path.suffix in (".c", ".h") for path in folder.iterdir())
        if count > FILES_MOST:
            faults.append(f"{folder.relative_to(ROOT)} has {count} files: {FILES_MOST} at most")

# File names in the pages and in comments must exist.
NAME = re.compile(r"(?<![\w/.<-])((?:%s|tests|bench|docs)/[\w/.-]+\.(?:c|h|py|md|json))(?![\w/])" % "|".join(ROOMS))
SUFFIXES = ("*.c", "*.h", "*.md", "*.py", "*.txt", "*.cmake")
TEXTS = [*ROOT.glob("*.md"), *(path for room in [*ROOMS, "tests", "bench", "docs"] for suffix in SUFFIXES
                               for path in (ROOT / room).rglob(suffix))]
for path in TEXTS:
    if path.name == "CHANGELOG.md" or path.name.startswith("add-"): # history; files that the reader makes
        continue
    for name in sorted(set(NAME.findall(path.read_text()))):
        if not (ROOT / name).exists() and not (path.parent / name).exists():
            faults.append(f"{path.relative_to(ROOT)} names {name}, which is not there")

print("\n".join(faults) or "ok")
sys.exit(bool(faults))
