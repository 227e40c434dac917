"""
The options of every test program with random parts: --seed and --rounds.

Two runs with the same seed and number of rounds make the same calls. The defaults of
both options are the values for scripts/check. scripts/explore sets other seeds. The
number of rounds ends a program, never the time.
"""
import argparse
import os
import sys


def parser(doc, rounds, what):
    """Returns a parser; rounds is the number that scripts/check runs, what is one."""
    it = argparse.ArgumentParser(description=doc.strip().splitlines()[0])
    it.add_argument("--seed", type=int, default=1, help="of all random choices (1)")
    it.add_argument("--rounds", type=int, default=rounds, help="%s (%d)" % (what, rounds))
    return it


def parse(it):
    """Returns the options; prints the two that repeat the run, for scripts/explore."""
    options = it.parse_args()
    # The order of a set of strings is the interpreter's own choice otherwise.
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    print("seed %d, %d rounds" % (options.seed, options.rounds), flush=True)
    return options
