"""Every source is in the form that .clang-format gives it. Fix: clang-format -i FILE..."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "topo", "faults", "routing", "analysis", "sim", "plots", "experiments", "cli", "tests", "bench", "docs")

formatter = sys.argv[1]
version = subprocess.run([formatter, "--version"], capture_output=True, text=True, check=True).stdout
if "version 14." not in version:
    print(f"skipped: other versions than 14 break lines elsewhere; this is {version.strip()}")
    sys.exit(77)
sources = [path for folder in FOLDERS for suffix in ("*.c", "*.h", "*.cpp") for path in sorted((ROOT / folder).rglob(suffix))]
assert len(sources) > 250, sources
done = subprocess.run([formatter, "--dry-run", "--Werror", str(ROOT / "faultline.h"), *map(str, sources)], capture_output=True, text=True, cwd=ROOT)
sys.stderr.write(done.stderr[:4000])
if done.returncode:
    print("fix with: clang-format -i FILE...")
sys.exit(done.returncode != 0)
