#!/usr/bin/env python3
"""Compare the lists that C keeps beside the tools' schemas and the annotations.

- Each tool in src/tools/schemas has a row in a table of tools, and each row
  has its template.
- Each member of a reply that is not a list or an object, and each member that
  reply.c writes, has its position in the order of reply_text.c.
- Each tool that returns lists without "returned" has one of them in the lists
  that audit.c counts.
- Each annotation is read by a file besides the list of names.
"""
import glob
import json
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDER = "src/tools/schemas/"
# Members that follow the lists of a reply, in the order of jsonb.
AFTER_LISTS = {"dry_run", "limit", "offset", "replayed", "residual", "success"}
# One description, whatever its lists contain.
ONE_ROW = {"get_graph_schema"}
bad = []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def strings(path, begin):
    """Return the strings from a line of a file to the next "};"."""
    text = read(path)
    text = text[text.index(begin):]
    return set(re.findall(r'"([^"]+)"', text[:text.index("};")]))


parts = json.loads(read(FOLDER + "parts.json"))


def resolve(schema):
    """Return the part that a schema names, or the schema itself."""
    while isinstance(schema, str):
        schema = parts.get(schema.strip("<>").partition("@")[0], {})
    return schema


def members(properties):
    """Yield name and type of the members, those of included parts, too."""
    for name, schema in properties.items():
        if name == "...":
            for part in schema if isinstance(schema, list) else [schema]:
                yield from members(resolve(part))
        elif not name.startswith("$"):
            yield name.lstrip("!?"), resolve(schema).get("type", "object")


ordered = strings("src/tools/reply/reply_text.c", "KgMemberName names[]")
counted = strings("src/auth/audit.c", "const char *const lists[]")
rows = set()
for path in glob.glob("src/tools/*/*tools.c"):
    rows.update(re.findall(r'^[^"\n]*\{"(\w+)",', read(path), re.M))

written = read("src/tools/reply/reply.c")
for function in re.findall(
        r"^write_(?:envelope|truncated)\(.*?^}", written, re.M | re.S):
    for name in re.findall(r'kg_jw_k\w+\(\s*w,\s*"(\w+)"', function):
        if name not in ordered:
            bad.append("reply.c writes %s, which reply_text.c does not order"
                       % name)

templates = set()
for path in sorted(glob.glob(FOLDER + "*.json")):
    if path.endswith("parts.json"):
        continue
    for tool, template in json.loads(read(path)).items():
        output = resolve(template.get("output", {}))
        found = dict(members(output.get("properties", {})))
        lists = {n for n, kind in found.items() if kind == "array"}
        if not path.endswith("catalog.json"):
            templates.add(tool)
        for name, kind in found.items():
            if kind in ("integer", "number", "boolean") \
                    and name not in ordered | AFTER_LISTS:
                bad.append("%s returns %s, which reply_text.c does not order"
                           % (tool, name))
        if lists and "returned" not in found and not lists & counted \
                and tool not in ONE_ROW:
            bad.append("%s returns %s, which audit.c does not count"
                       % (tool, ", ".join(sorted(lists))))
for tool in sorted(templates ^ rows):
    bad.append("%s has a row and a template: one is missing" % tool)

code = "".join(read(path) for path in glob.glob("src/**/*.c", recursive=True))
for name in re.findall(r"X\((KG_X_\w+),", read("src/model/annotation_names.h")):
    if not re.search(r"\b%s\b" % name, code):
        bad.append("no file reads %s" % name)

print("\n".join(bad) if bad else "%d tools, %d members in order"
      % (len(templates), len(ordered)))
sys.exit(bool(bad))
