#!/usr/bin/env python3
"""Lay out JSON for reading: what fits on a line stays on one, long arrays are
cut (and say so).  pretty_json.py [--width N] [--items N] < JSON"""
import argparse
import json
import sys


def flat(value):
    return json.dumps(value, ensure_ascii=False)


def lay_out(value, indent, used, width, items):
    text = flat(value)
    if len(text) + indent + used <= width or not isinstance(value, (dict, list)):
        return text if len(text) <= 4 * width else text[:4 * width] + "..."
    pad = " " * (indent + 2)
    lines = []
    if isinstance(value, dict):
        for key, member in value.items():
            name = flat(key) + ": "
            lines.append(pad + name + lay_out(
                member, indent + 2, len(name), width, items))
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    for member in value[:items]:
        lines.append(pad + lay_out(member, indent + 2, 0, width, items))
    if len(value) > items:
        lines.append(pad + "... %d more" % (len(value) - items))
    return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=110)
    parser.add_argument("--items", type=int, default=6)
    arguments = parser.parse_args()
    text = sys.stdin.read()
    try:
        value = json.loads(text)
    except ValueError:
        sys.stdout.write(text)
        return
    print(lay_out(value, 0, 0, arguments.width, arguments.items))


if __name__ == "__main__":
    main()
