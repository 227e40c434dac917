"""The tables of docs/performance.md's section on searches, from the raw figures
of a run (KG_BENCH_RAW):  tables.py RAW

A cell is "median / sum" of milliseconds.  What the run did not measure is "-".
"""
import json
import re
import statistics
import sys


def read(name):
    figures = {}
    with open(name) as file:
        for line in file:
            entry = json.loads(line)
            figures[entry.get("section", ""), entry["what"]] = entry
    return figures


def number(value):
    if value is None:
        return "-"
    if value >= 100:
        return format(round(value), ",")
    return ("%.3f" % value if value < 1 else "%.2f" % value if value < 10
            else "%.1f" % value)


PLACES = [(tenant, k) for tenant in ("wn", "rm") for k in (1, 2, 3)]
HEADS = ["WordNet 1 hop", "2 hops", "3 hops", "R-MAT 1 hop", "2 hops", "3 hops"]


class Tables:
    def __init__(self, figures):
        self.figures = figures

    def find(self, section, what):
        for (in_section, name), entry in self.figures.items():
            if re.match(section, in_section) and re.search(what, name):
                return entry
        return None

    def cell(self, section, what, unit=1000, of=0):
        entry = self.find(section, what)
        if entry is None or not entry.get("each"):
            return "-"
        each = [value / unit for value in entry["each"]]
        return "%s / %s%s" % (number(statistics.median(each)), number(sum(each)),
                              " (of %d)" % len(each) if len(each) < of else "")

    def ratio(self, section, what):
        entry = self.find(section, what)
        if entry is None:
            return "-"
        return "**%sx**%s (%g, %g)" % (
            number(entry["ratio"]), "" if entry.get("good", True) else " missed",
            entry["required"], entry["goal"])

    def value(self, section, what):
        entry = self.find(section, what)
        return "-" if entry is None else number(entry["value"])

    def row(self, title, cells):
        print("| %s | %s |" % (title, " | ".join(cells)))

    def hops(self):
        sections = ["%s: nodes within %d hops, undirected, .* hubs$" % place
                    for place in PLACES]
        self.row("undirected, ms: median / sum of 50", HEADS)
        print("|" + "---|" * 7)
        self.row("nodes found, mean",
                 [self.value(s, "nodes found, mean") for s in sections])
        for title, what in (
                ("`kg_neighbors`", "kg_neighbors, us each"),
                ("the same without row-level security", "security, us each"),
                ("`WITH RECURSIVE`", "RECURSIVE, us each"),
                ("PL/pgSQL, a statement a hop", "statement a hop, us"),
                ("two arrays in memory (C)", "csr.c., us each")):
            self.row(title, [self.cell(s, what, of=50) for s in sections])
        for title, what in (
                ("to `WITH RECURSIVE`", "sum to WITH RECURSIVE"),
                ("row-level security on to off", "security on to off"),
                ("to two arrays in memory", "hops: to two arrays")):
            self.row(title, [self.ratio(s, what) for s in sections])
        print()

    def paths(self):
        sections = ["%s: a shortest path" % t for t in ("wn", "rm")]
        self.row("a shortest path of at most 6 hops, ms: median / sum of 100",
                 ["WordNet", "R-MAT"])
        print("|" + "---|" * 3)
        for title, what in (
                ("`kg_paths`", "kg_paths, us each"),
                ("PL/pgSQL from both ends, the length only", "both ends, us"),
                ("`WITH RECURSIVE ... LIMIT 1`, 40 pairs", "LIMIT 1, us each"),
                ("two arrays in memory (C)", "csr.c., us each")):
            self.row(title, [self.cell(s, what) for s in sections])
        for title, what in (("to PL/pgSQL from both ends", "path: to PL"),
                            ("to `WITH RECURSIVE`", "path: to WITH")):
            self.row(title, [self.ratio(s, what) for s in sections])
        print()

    def age(self):
        sections = ["%s: nodes within %d hops, .*AGE" % place for place in PLACES]
        self.row("ms: median / sum", HEADS)
        print("|" + "---|" * 7)
        self.row("`kg_neighbors`", [self.cell(s, "kg_neighbors, us each")
                                    for s in sections])
        for title, name in (("hop by hop", "hop by hop"),
                            ("variable length", "variable length")):
            self.row("AGE " + title, [self.cell(s, "AGE %s best" % name, 1)
                                      for s in sections])
            self.row("starts reached; of them stopped", [
                "%d; %d" % (len(e["each"]), e["stopped"]) if e else "-"
                for e in (self.find(s, "AGE %s best" % name) for s in sections)])
            self.row("**ratio**", [self.ratio(s, "to AGE " + name)
                                   for s in sections])
        self.row("neither prepared, hop by hop", [
            self.value(s, "not prepared") + "x" for s in sections])
        print()

    def others(self):
        for section in ("the fixed cost", "a reply of bfs", "a large graph",
                        "a fixed neighbourhood", "memory of a search", "sizes",
                        "WordNet", "R-MAT", "edge storage", "a hub of"):
            for (in_section, name), entry in self.figures.items():
                if not in_section.startswith(section) or "each" in entry:
                    continue
                if "ratio" in entry:
                    says = "%.2fx" % entry["ratio"]
                    if "required" in entry:
                        says += " (%g, %g)" % (entry["required"], entry["goal"])
                else:
                    value = entry["value"]
                    says = "%s %s" % (value if isinstance(value, str)
                                      else number(value), entry["unit"])
                self.row("%s: %s" % (in_section[:40], name.strip()), [says])
        print()


def main():
    tables = Tables(read(sys.argv[1]))
    tables.hops()
    tables.paths()
    tables.age()
    tables.others()


main()
