#!/usr/bin/env python3
"""Count words that make comments, messages and pages hard to read.

CONTRIBUTING.md ("Language") has the table of the words and of those to write
instead.  ci/words.txt holds the count of each file that has some.  A file may
not have more than its count; a smaller count is written there with --update.

  ci/check_words.py           compare with ci/words.txt
  ci/check_words.py --update  write the counts, if none has grown
  ci/check_words.py --all     print each place
"""
import glob
import os
import re
import sys

COUNTS = "ci/words.txt"

# Word, pattern, what to write instead.
WORDS = [
    ("what ... as a noun",
     r"\b[Ww]hat (?:is|was|are|were|has|have|had|it|they|we|a|the|one|"
     r"others?|each|he|she|nobody|some)\b", "the thing: value, row, result"),
    ("where as a condition",
     r"\b[Ww]here (?:there|it|they|one|none|no|a|an|all|that|this|nothing|"
     r"somebody|some|each|the \w+ (?:is|are|has|have|does|do|was|were))\b",
     "if, when"),
    ("The same", r"(?:^|[.;:] )The same\b", "name the thing"),
    ("of which, of whom", r"\bof wh(?:ich|om)\b", "a clause of its own"),
    ("who as a noun",
     r"\b(?:(?:for|by|of|to|from|as) who(?:ever)? |[Ww]hoever\b|"
     r"\b[Ww]ho (?:sees|may|calls|asks|writes|reads|has)\b)",
     "the caller, the role, a user that"),
    ("nobody, somebody", r"\b(?:[Nn]obody|[Ss]omebody|[Ee]verybody)\b",
     "no caller, another user, PUBLIC"),
    ("told, tell", r"\b(?:told|tells?)\b", "return, report, include"),
    ("asked", r"\b(?:is|are|was|were|be|been) asked\b",
     "request, query, call, check"),
    ("is none", r"\b(?:is|are|has|have|be) none\b", "is not a, has no"),
    ("ours", r"\bours\b", "kg_graph's, the extension's"),
    ("so many", r"\b[Ss]o many\b", "the number of"),
]


def comments(text):
    """Yield (line, text) of each C comment, and of strings as they are not."""
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/',
                         re.S)
    for match in pattern.finditer(text):
        if match.group().startswith("/*"):
            lines = match.group()[2:-2].split("\n")
            words = " ".join(line.strip().lstrip("*").strip()
                             for line in lines)
            yield text.count("\n", 0, match.start()) + 1, words.strip()


def paragraphs(text):
    """Yield (line, text) of each line of prose of a Markdown page.

    The table of the words themselves stands between <!-- words --> marks.
    """
    fenced = False
    text = re.sub(r"<!-- words -->.*?<!-- /words -->",
                  lambda found: "\n" * found.group().count("\n"), text,
                  flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "X", line)


def places(path):
    """Yield (line, word, sentence) of each place of a file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line, words in (paragraphs if path.endswith(".md") else comments)(text):
        for name, pattern, _ in WORDS:
            for _ in re.finditer(pattern, words):
                yield line, name, words


def files():
    return sorted(glob.glob("src/**/*.[ch]", recursive=True) +
                  glob.glob("docs/**/*.md", recursive=True) +
                  glob.glob("examples/**/*.md", recursive=True) +
                  ["README.md", "CONTRIBUTING.md", "SECURITY.md"])


def stored():
    counts = {}
    if os.path.exists(COUNTS):
        with open(COUNTS, encoding="utf-8") as lines:
            for line in lines:
                path, n = line.split()
                counts[path] = int(n)
    return counts


def main():
    counts = {}
    for path in files():
        found = list(places(path))
        if "--all" in sys.argv:
            for line, name, words in found:
                print("%s:%d: %s: %s" % (path, line, name, words[:90]))
        if found:
            counts[path] = len(found)
    allowed = stored()
    bad = 0
    if os.path.exists(COUNTS):
        for path, n in counts.items():
            if n > allowed.get(path, 0):
                bad = 1
                print("%s: %d words of CONTRIBUTING's table, %d allowed" %
                      (path, n, allowed.get(path, 0)))
                for line, name, words in places(path):
                    print("  %d: %s: %s" % (line, name, words[:70]))
    if "--update" in sys.argv and not bad:
        with open(COUNTS, "w", encoding="utf-8") as out:
            for path in sorted(counts):
                out.write("%s %d\n" % (path, counts[path]))
    print("%d such words in %d files" % (sum(counts.values()), len(counts)))
    return bad


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main())
