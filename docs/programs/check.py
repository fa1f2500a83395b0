"""Each program of the page prints what the page shows, and the page shows the program as it is."""

import re
import subprocess
import sys
from pathlib import Path

page, built = Path(sys.argv[1]), Path(sys.argv[2])
text = page.read_text()
shown = re.findall(r"^    \$ \./(\w+)\n((?:    .*\n)+)", text, re.M)
assert {name for name, _ in shown} == {path.stem for path in Path(__file__).parent.glob("*.c")}, shown
for name, output in shown:
    done = subprocess.run([built / name], capture_output=True, text=True, check=True)
    expected = re.sub(r"^    ", "", output, flags=re.M)
    assert done.stdout == expected, f"{name} prints\n{done.stdout}\nand the page shows\n{expected}"
    source = re.sub(r"^(?=.)", "    ", (Path(__file__).parent / f"{name}.c").read_text(), flags=re.M)
    for excerpt in re.findall(rf"^From `{name}\.c`:\n\n((?:(?:    (?!\$).*)?\n)+)", text, re.M):
        assert excerpt.strip("\n") in source, f"{name}.c does not hold\n{excerpt}"
print("ok")
