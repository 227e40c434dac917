#!/usr/bin/env python3
"""TAP: the bundles that scripts/data makes, and those of test/data, hold
together: no id twice, no reference or edge without its target, the same bytes
on each run."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
count = failures = 0


def ok(condition, what):
    global count, failures
    count += 1
    failures += not condition
    print("%sok %d - %s" % ("" if condition else "not ", count, what))


def generate(name, *arguments):
    return subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "scripts/data", name),
         *arguments], check=True, capture_output=True,
        env=dict(os.environ, PYTHONHASHSEED="random")).stdout


def references(schema):
    """(property, type, field) of every x-ref; looks through items."""
    for part in [schema] + schema.get("allOf", []):
        for name, prop in part.get("properties", {}).items():
            for where in (prop, prop.get("items", {})
                          if isinstance(prop, dict) else {}):
                if isinstance(where, dict) and "x-ref" in where:
                    yield name, where["x-ref"], where.get("x-ref-field")


def check(bundle, name):
    schemas = {s["entity_type"]: s["schema"] for s in bundle["schemas"]}
    items = {e["entity_type"]: e["items"] for e in bundle["entities"]}
    ids = {t: [item[schemas[t]["x-id-field"]] for item in items[t]]
           for t in items}
    ok(all(len(set(ids[t])) == len(ids[t]) for t in ids), name + ": ids are unique")
    dangling = []
    for t, schema in schemas.items():
        for prop, target, field in references(schema):
            known = (set(ids[target]) if field is None
                     else {item[field] for item in items[target]})
            for item in items[t]:
                values = item.get(prop)
                for value in values if isinstance(values, list) else [values]:
                    if value is not None and value not in known:
                        dangling.append((t, prop, value))
    ok(not dangling, name + ": every reference has its target %s" % dangling[:3])
    handles = {t + ":" + i for t in ids for i in ids[t]}
    edges = bundle.get("edges", [])
    ok(all(e["from"] in handles and e["to"] in handles for e in edges)
       and len({(e["relation"], e["from"], e["to"]) for e in edges})
       == len(edges), name + ": edges join entities, each once")
    return {t: len(items[t]) for t in items}


iso = generate("iso_bundle.py")
counts = check(json.loads(iso), "iso-codes")
ok(counts["country"] >= 249 and counts["subdivision"] >= 5000
   and counts["language"] >= 7900 and counts["script"] >= 180
   and counts["currency"] >= 180, "iso-codes: the standards are whole %s" % counts)
ok(generate("iso_bundle.py") == iso, "iso-codes: the same bytes again")
counts = check(json.loads(generate("iso_bundle.py", "--limit", "20")),
               "iso-codes --limit 20")
ok(max(counts.values()) == 20, "iso-codes --limit 20: at most 20 a type")
wordnet = generate("wordnet_bundle.py")
counts = check(json.loads(wordnet), "wordnet")
ok(counts["synset"] == 117659, "wordnet: 117659 synsets")
small = generate("wordnet_bundle.py", "--limit", "300")
ok(generate("wordnet_bundle.py", "--limit", "300") == small,
   "wordnet --limit 300: the same bytes again")
counts = check(json.loads(small), "wordnet --limit 300")
ok(counts["synset"] == 300, "wordnet --limit 300: 300 synsets")
for script, package in (("iso_bundle.py", "iso-codes"),
                        ("wordnet_bundle.py", "wordnet-base")):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        run = subprocess.run(
            [sys.executable, "-B", os.path.join(ROOT, "scripts/data", script),
             "--folder", folder, "-o", out], capture_output=True, text=True)
        ok(run.returncode == 1 and run.stderr.count("\n") == 1
           and "package %s has it" % package in run.stderr
           and not os.path.exists(out),
           script + ": without its data one line, and no file %r" % run.stderr)
with open(os.path.join(ROOT, "test/data/product.json"), encoding="utf-8") as f:
    check(json.load(f), "product")
print("1..%d" % count)
sys.exit(failures > 0)
