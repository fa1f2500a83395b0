"""No two files call each other, directly or through others. What a file calls is in its object; tables that
list types are data, and not calls."""

import re
import subprocess
import sys
from collections import defaultdict

nm, objects = sys.argv[1:]
with open(objects) as file:
    paths = file.read().split()

defined, wanted = {}, defaultdict(set)
for path in paths:
    name = re.sub(r"^.*?\.dir/|\.o(bj)?$", "", path)
    for line in subprocess.run([nm, "-P", path], capture_output=True, text=True, check=True).stdout.splitlines():
        symbol, kind = line.split()[:2]
        if kind == "T":
            defined[symbol] = name
        elif kind == "U":
            wanted[name].add(symbol)
calls = {name: {defined[s] for s in symbols if s in defined} - {name} for name, symbols in wanted.items()}
assert len(calls) > 150 and sum(map(len, calls.values())) > 500, "the objects were not read"

# Tarjan, 1972: strongly connected components
index, low, stack, circles = {}, {}, [], []


def visit(name):
    index[name] = low[name] = len(index)
    stack.append(name)
    for other in calls.get(name, ()):
        if other not in index:
            visit(other)
            low[name] = min(low[name], low[other])
        elif other in stack:
            low[name] = min(low[name], index[other])
    if low[name] == index[name]:
        members = stack[stack.index(name):]
        del stack[stack.index(name):]
        if len(members) > 1:
            circles.append(sorted(members))


sys.setrecursionlimit(10000)
for name in sorted(calls):
    if name not in index:
        visit(name)
for members in sorted(circles):
    print(f"{len(members)} files in a circle: {' '.join(members)}")
    for name in members:
        for other in sorted(calls[name] & set(members)):
            print(f"  {name} -> {other}: {', '.join(sorted(s for s in wanted[name] if defined.get(s) == other))}")
print(f"{len(circles)} circles")
sys.exit(bool(circles))
