"""
The options that every test program with random parts has: --seed and --rounds.

The same seed and number of rounds make the same calls.  Both have their values for
scripts/check in the program; scripts/explore gives other seeds.  No program looks at
a clock to know when it is done.
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
