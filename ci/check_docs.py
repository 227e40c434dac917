#!/usr/bin/env python3
"""TAP: the documentation names every function, table, setting and error code
that there is, and its links lead somewhere.  Needs a database with the
extension (PGHOST, PGPORT, PGDATABASE).  With --fix it needs none: it writes
the table of operators anew."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(
    os.path.abspath(__file__)), ".."))
count = failures = 0


def ok(condition, what):
    global count, failures
    count += 1
    failures += not condition
    print("%sok %d - %s" % ("" if condition else "not ", count, what))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def rows(sql):
    return subprocess.run(["psql", "-XAtq", "-c", sql], check=True,
                          capture_output=True, text=True).stdout.splitlines()


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)", text, re.M)}


def operators():
    """The table of docs/tools.md that src/query/filter/operators.c stands for."""
    subjects = {
        "ALL": "all",
        "ORDERED": "numbers, dates, date-times, strings without enum",
        "TEXT": "strings", "PROPERTY": "all but the id", "ARRAY": "arrays"}
    return "| operator | on | meaning |\n|---|---|---|\n" + "".join(
        "| `%s` | %s | %s |\n" % (name, subjects[on], " ".join(means.split()))
        for means, name, on in re.findall(
            r'/\*([^{}]*?)\*/\s+\{"([a-z_]+)",\s*KG_OPERAND_[A-Z]+,'
            r'\s*KG_ON_([A-Z]+)', read("src/query/filter/operators.c")))


TABLE = re.compile(r"\| operator \| on .*\n(\|.*\n)+")
if sys.argv[1:] == ["--fix"]:
    fixed = TABLE.sub(lambda found: operators(), read("docs/tools.md"))
    with open(os.path.join(ROOT, "docs/tools.md"), "w",
              encoding="utf-8") as file:
        file.write(fixed)
    sys.exit()
ok(TABLE.search(read("docs/tools.md")).group() == operators(),
   "docs/tools.md has the operators of src/query/filter/operators.c")
reference = read("docs/sql-reference.md")
MEMBERS = """SELECT %s FROM %s x JOIN pg_depend d ON d.classid = '%s'::regclass
 AND d.objid = x.oid AND d.deptype = 'e' JOIN pg_extension e
 ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
 WHERE e.extname = 'kg_graph' AND %s ORDER BY 1"""
# Functions are written with their arguments, except those of a row that gives
# them for the first.
for name in rows(MEMBERS % (
        "x.proname || '(' || pg_get_function_arguments(x.oid) || ')'",
        "pg_proc", "pg_proc", "prorettype <> 'trigger'::regtype")):
    written = re.sub(r"::[a-z]+(\[\])?", "", name).replace(
        "timestamp with time zone", "timestamptz").replace('"', "")
    ok("`%s`" % written in reference.replace('"', "")
       or "`%s(...)`" % written.split("(")[0] in reference,
       "docs/sql-reference.md has function " + written)
for name in rows(MEMBERS % ("relname", "pg_class", "pg_class",
                            "relkind = 'r'")):
    ok("`%s`" % name in reference, "docs/sql-reference.md has table " + name)
settings = read("docs/settings.md")
# LOAD makes the settings known to the session.
for row in rows("LOAD 'kg_graph'; SELECT name, coalesce(nullif("
                "current_setting(name), ''), 'none') FROM pg_settings"
                " WHERE name LIKE 'kg\\_graph.%' ORDER BY 1"):
    name, default = row.split("|")
    ok("\n| `%s` | %s | " % (name, default) in settings,
       "docs/settings.md has setting %s with default %s"
       % (name, default))
errors = read("docs/errors.md")
for code in re.findall(r'^\t\{"([A-Z_]+)", ERRCODE', read("src/base/error.c"),
                       re.M):
    ok("`%s`" % code in errors, "docs/errors.md has code " + code)
annotations = read("docs/schema-annotations.md")
for name in re.findall(r'X\(\w+, "(x-[a-z-]+)"\)',
                       read("src/model/annotation_names.h")):
    ok("`%s`" % name in annotations,
       "docs/schema-annotations.md has " + name)
# The table of parameters: a row names its tool, or goes on with the one before.
documented, bounds = {}, {}
statements = {}
FUNCTION = {
    "get_graph_schema": "kg_graph_schema", "find_nodes": "kg_find_nodes",
    "traverse_relationships": "kg_traverse",
    "explore_neighbors": "kg_neighbors", "find_paths": "kg_paths",
    "aggregate_nodes": "kg_aggregate",
    "describe_schema": "kg_describe_schema", "search_entities": "kg_search",
    "bfs_query": "kg_bfs", "describe_entity": "kg_describe",
    "describe_entities": "kg_describe_many",
    "intersect_subgraphs": "kg_intersect", "rank_related": "kg_rank",
    "analyze": "kg_analyze",
    "verify_claims": "kg_verify"}


def tested(tool, parameter):
    """Return whether a statement of test/sql calls the tool with it."""
    if tool not in statements:
        call = re.compile(r"\b%s\(|'%s'|\bfound\(" % (FUNCTION[tool], tool))
        statements[tool] = [s for s in tests if call.search(s)]
    # One statement of graph_budget sends the budgets of all tools.
    if parameter in ("max_bytes", "max_tokens") and "'%s'" % tool in budgets:
        return True
    used = re.compile("""["']%s["']""" % parameter)
    return any(used.search(s) for s in statements[tool])


budgets = read("test/sql/graph_budget.sql")
tests = [statement for path in glob.glob(os.path.join(ROOT, "test/sql/*.sql"))
         for statement in read(path).split(";\n")]
for line in read("docs/tool-parameters.md").splitlines():
    cells = line.split("|")
    if len(cells) == 6 and "`" in cells[2]:
        tool = cells[1].strip(" `") or tool
        documented.setdefault(tool, "")
        documented[tool] += line
        for parameter in re.findall(r"`([a-z_]+)(?:\[\]\.([a-z_]+))?`",
                                    cells[2]):
            for name in filter(None, parameter):
                bounds.setdefault((tool, name), []).extend(
                    re.findall(r"\b\d+\.\.\d+(?:, \d+)?", cells[4]))
        for parameter in re.findall(r"`(?:[a-z_]+\[\]\.)?([a-z_]+)`",
                                    cells[2]):
            ok(tested(tool, parameter), "docs/tool-parameters.md: %s of %s is"
               " tested" % (parameter, tool))
for row in rows("""BEGIN;
SELECT FROM kg_create_tenant('check_docs'),
  kg_grant('check_docs', current_user::text, 'read');
SET LOCAL kg_graph.tenant = 'check_docs';
SELECT t ->> 'name', p, coalesce(a ->> 'minimum', a ->> 'minItems', '0'),
       coalesce(a ->> 'maximum', a ->> 'maxItems'), a ->> 'default'
  FROM jsonb_array_elements(kg_list_tools()) t,
  LATERAL (SELECT * FROM jsonb_each(t #> '{inputSchema,properties}')
    UNION SELECT x.* FROM jsonb_each(t #> '{inputSchema,properties}') e (k, a),
      jsonb_each(a -> 'items' -> 'properties') x
     WHERE a -> 'items' ? 'properties' AND k <> 'sort'
       AND (k, t ->> 'name') <> ('relationships', 'aggregate_nodes')) x (p, a)
 ORDER BY 1, 2;
ROLLBACK"""):
    if row.count("|") == 4:
        tool, parameter, least, most, default = row.split("|")
        ok(re.search(r"[`.]%s(`|\[)" % parameter, documented.get(tool, "")),
           "docs/tool-parameters.md has %s of %s" % (parameter, tool))
        written = bounds.get((tool, parameter), [])
        if most and written:
            published = "%s..%s" % (least, most)
            ok(any(b in (published, "%s, %s" % (published, default))
                   for b in written),
               "docs/tool-parameters.md: %s of %s is published as %s, not %s"
               % (parameter, tool, published, " ".join(written)))
for path in sorted(glob.glob(os.path.join(ROOT, "*.md"))
                   + glob.glob(os.path.join(ROOT, "docs/*.md"))):
    name = os.path.relpath(path, ROOT)
    broken = [link for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)",
                                          read(name))
              if not os.path.exists(os.path.join(os.path.dirname(path), link))]
    broken += [link + "#" + anchor for link, anchor in
               re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", read(name))
               if (link.endswith(".md") or not link) and link not in broken
               and anchor not in anchors(os.path.join(os.path.dirname(path),
                                                      link) if link else path)]
    ok(not broken, "%s: links lead somewhere %s" % (name, broken or ""))
print("1..%d" % count)
sys.exit(failures > 0)
