#!/usr/bin/env python3
"""Report cycles between the files of src/ and compare them with ci/cycles.txt.

Two files depend on each other if each needs a symbol that the other defines,
directly or through further files.  The symbols are those of the object files,
so build first.  ci/cycles.txt lists the groups that are allowed, each with its
reason.  A group that is not listed, or a listed file that left its group,
fails: the list may only get shorter.

  ci/check_cycles.py          compare
  ci/check_cycles.py --print  print the groups as they are
"""
import collections
import os
import subprocess
import sys

LISTED = "ci/cycles.txt"


def objects():
    """Yield each object file of the module and of kgctl."""
    for folder, _, files in os.walk("src"):
        for name in sorted(files):
            source = os.path.join(folder, name[:-2] + ".c")
            if name.endswith(".o") and os.path.exists(source):
                yield os.path.join(folder, name)


def symbols(paths):
    """Yield (path, symbol, whether it is needed) of all object files."""
    out = subprocess.run(["nm", "-g", "-A"] + paths, capture_output=True,
                         text=True, check=True).stdout
    for line in out.splitlines():
        path, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        yield path, name, kind == "U"


def graph():
    """Return for each file the files of the same program that it needs."""
    owner, needs = {}, {}
    paths = list(objects())
    for path, symbol, needed in symbols(paths):
        program = path.startswith("src/kgctl/")
        name = path[len("src/"):-2]
        if needed:
            needs.setdefault(name, set()).add((program, symbol))
        else:
            owner[program, symbol] = name
    return {path[len("src/"):-2]:
            {owner[s] for s in needs.get(path[len("src/"):-2], ())
             if s in owner} - {path[len("src/"):-2]} for path in paths}


def groups(edges):
    """Return the strongly connected groups of two files or more (Tarjan)."""
    sys.setrecursionlimit(10000)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def listed():
    """Return the allowed groups: a line of files, after comments."""
    with open(LISTED, encoding="utf-8") as lines:
        return [frozenset(line.split()) for line in lines
                if line.strip() and not line.startswith("#")]


def main():
    if not list(objects()):
        print("no object files: build first")
        return 1
    found = sorted(groups(graph()), key=lambda g: (-len(g), sorted(g)))
    if "--print" in sys.argv:
        for group in found:
            print(" ".join(sorted(group)))
        return 0
    bad = 0
    allowed = listed()
    for group in found:
        if group not in allowed:
            print("cycle that is not in %s: %s" %
                  (LISTED, " ".join(sorted(group))))
            bad = 1
    for group in allowed:
        if group not in found:
            print("%s lists a group that is no cycle any more: %s" %
                  (LISTED, " ".join(sorted(group))))
            bad = 1
    print("%d cycles, the largest of %d files" %
          (len(found), max(map(len, found), default=0)))
    return bad


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main())
