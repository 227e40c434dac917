"""Replays the recorded first calls over kgctl mcp and compares them with SQL over plain tables.

    replay.py PACKAGE [--all]     PACKAGE: the folder of minecraft-data

A reply answers a question if its rows are those of the statement in gold.jsonl, in their order:
  - each row of gold is in a row of the reply, and each row of the reply has a row of gold;
  - a row of the reply may have further columns; a null of gold may be missing;
  - a number is equal if it is after rounding to the decimals of gold's;
  - a search by name (query) is answered by its first rows, a path by its last node;
  - for the questions in COMPUTED, the reader computes the answer from the reply;
  - for those in UNORDERED, the order does not count.
Every question is answered but those in MISSED.  No call may be an error.  In HINTED the reply
has a call, and this call answers.  The session of compact,sql has at most MOST of SQL's bytes:
the list of tools, the instructions with the schema, calls and texts of replies, beside the
schema, 300 bytes for a tool, statements, and rows with a separator after each value.
"""
import decimal
import json
import os
import re
import sys

import psycopg2

import data

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "test", "memory"))
from reference import Server  # noqa: E402

MOST = 3.0
MISSED = {"compact_sql": set(), "compact": {29, 31, 38}}
HINTED = {"compact_sql": set(), "compact": {29, 31}}
UNORDERED = {"compact_sql": set(), "compact": {40}}  # asc of an enum begins with the value declared last


def wider(reply):
    found = [item["data"] for item in reply["items"]]
    return [mob for mob in found if round(mob["width"] - 1.5 * mob["height"], 6) > 0]


def ratios(reply):
    found = [item["data"] for item in reply["items"]]
    return sorted(([food["name"], food["saturation"] / food["food_points"]] for food in found), key=lambda row: (-row[1], row[0]))[:3]


COMPUTED = {
    "compact_sql": {37: lambda reply: [[sum(row[2] for row in reply["rows"])]]},
    "compact": {
        32: lambda reply: [[path["length"] // 2] for path in reply["paths"]],  # two edges of a recipe are a step
        33: wider,
        34: ratios,
        37: lambda reply: [[sum(row[1] for row in reply["rows"])]]}}

passed = failed = 0


def check(condition, what, more=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    print("%sok - %s%s" % ("" if condition else "not ", what, "" if condition else "\n    " + str(more)[:1000]))


def recorded(name):
    with open(os.path.join(HERE, name + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def size(value):
    """Returns the bytes of a text, or of a value as JSON without blanks."""
    return len((value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)).encode())


# ---- the data ----

def load(connection, package):
    """Loads the tables into the schema plain, and the bundle into a tenant of the role first_calls."""
    rows = data.tables(package)
    with connection.cursor() as cursor, open(os.path.join(HERE, "tables.txt"), encoding="utf-8") as file:
        cursor.execute("CREATE SCHEMA plain")
        for table, columns, count in re.findall(r"^(\w+)\((.*)\): (\d+) rows$", file.read(), re.M):
            cursor.execute("CREATE TABLE plain.%s (%s)" % (table, columns))
            cursor.execute("INSERT INTO plain.%s SELECT * FROM jsonb_to_recordset(%%s) x(%s)" % (table, columns), (json.dumps(rows[table]),))
            check(cursor.rowcount == int(count), "the table %s has %s rows" % (table, count), cursor.rowcount)
        cursor.execute("DROP ROLE IF EXISTS first_calls; CREATE ROLE first_calls LOGIN; SELECT kg_create_tenant('first_calls'), kg_grant('first_calls', 'first_calls', 'write')")
    with psycopg2.connect(user="first_calls") as writer, writer.cursor() as cursor:
        cursor.execute("SELECT kg_apply_bundle(%s)", (json.dumps(data.bundle(rows)),))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE; SET search_path = plain")


def gold(connection, sql):
    """Returns the rows of a statement over the plain tables, as lists."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(json_agg(array(SELECT value FROM json_each(row_to_json(q)))), '[]')::text FROM (%s) q" % sql)
        return json.loads(cursor.fetchone()[0], parse_float=decimal.Decimal)


# ---- answers ----

def leaves(value):
    """Yields the values in a value."""
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def facts(entity):
    """Returns the id and the properties of an entity."""
    return list(leaves([entity["id"], entity.get("data", entity.get("properties"))]))


def handle(end):
    return "%s:%s" % (end["type"], end["id"])


def rows_of(reply):
    """Returns the values of each row of a reply."""
    if "items" in reply:  # none and a total: limit 0, which counts
        return [facts(item) for item in reply["items"]] or [[reply["total"]]][:reply["total"]]
    if "columns" in reply:
        return reply["rows"]
    nodes = {handle(node): facts(node) for node in reply.get("nodes", [])}
    if "paths" in reply:
        return [nodes[path["path"][-1]] for path in reply["paths"]]
    if "rows" in reply:  # of follow: nodes, and the edges between them
        edges = {frozenset((handle(edge["from"]), handle(edge["to"]))): list(leaves(edge.get("properties"))) for edge in reply["edges"]}
        return [sum([nodes[name] for name in row] + [edges[frozenset(pair)] for pair in zip(row, row[1:])], []) for row in reply["rows"]]
    return list(nodes.values())[1:]  # of around, which begins with its start


def equal(value, expected):
    """Returns whether a value is gold's, rounded to the decimals of gold's."""
    number = (int, float, decimal.Decimal)
    if isinstance(expected, bool) or not isinstance(expected, number):
        return value == expected
    if isinstance(value, bool) or not isinstance(value, number):
        return False
    value, expected = decimal.Decimal(str(value)), decimal.Decimal(expected)
    if expected.as_tuple().exponent < 0:
        value = value.quantize(expected, decimal.ROUND_HALF_UP)
    return value == expected


def has(row, expected):
    """Returns whether a row has all values of a row of gold."""
    return all(wanted is None or any(equal(value, wanted) for value in row) for wanted in expected)


def answered(rows, expected, ordered):
    found = [next((i for i, wanted in enumerate(expected) if has(row, wanted)), None) for row in rows]
    return None not in found and all(any(has(row, wanted) for row in rows) for wanted in expected) and (not ordered or found == sorted(found))


def rows_read(name, call, reply, expected):
    """Returns the rows that a reader takes from a reply."""
    compute = COMPUTED[name].get(call["q"])
    rows = [list(leaves(row)) for row in compute(reply)] if compute else rows_of(reply)
    return rows[:len(expected) or 1] if "query" in call["arguments"] and call["tool"] == "find" else rows


# ---- a session ----

def replay(name, golds, every):
    """Replays the calls of a file; returns the bytes of the session."""
    server = Server([os.path.join(ROOT, "src", "kgctl", "kgctl"), "mcp", "--log-level", "error", "--toolsets", name.replace("_", ",")], {"PGUSER": "first_calls"})
    tools, page = [], {}
    while page is not None:
        listed = server.request("tools/list", page)["result"]
        tools += listed["tools"]
        page = {"cursor": listed["nextCursor"]} if "nextCursor" in listed else None
    instructions = server.initialized["result"]["instructions"]
    check("\nrecipe 1607:" in instructions, "%s: the instructions have the schema" % name, instructions)
    sent = read = right = 0
    for call in recorded(name):
        q, expected = call["q"], golds[call["q"]][1]
        result = server.call(call["tool"], call["arguments"])
        text = "\n".join(part["text"] for part in result["content"])
        sent, read = sent + size(call["tool"]) + size(call["arguments"]), read + size(text)
        if every:
            print("# %s %d: %s\n#   %s %s\n#   %s\n#   SQL: %s" % (name, q, call["question"], call["tool"], json.dumps(call["arguments"]), text, expected))
        reply = result.get("structuredContent", {})
        is_right = not result.get("isError") and answered(rows_read(name, call, reply, expected), expected, q not in UNORDERED[name])
        right += is_right
        if q in MISSED[name]:
            check(not result.get("isError"), "%s %d: no error" % (name, q), text)
        else:
            check(is_right, "%s %d: %s" % (name, q, call["question"]), "%s\n    SQL: %s" % (text, expected))
        if q in HINTED[name]:
            hint = next((hint["call"] for hint in reply.get("hints", []) if "call" in hint), {"tool": "", "arguments": {}})
            corrected = server.call(hint["tool"], hint["arguments"])
            check(answered(rows_of(corrected.get("structuredContent", {})), expected, False), "%s %d: the call of its hint answers" % (name, q), corrected)
    server.close()
    lean = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    parts = {"list": size(tools), "instructions and schema": size(instructions), "calls": sent, "replies": read}
    print("%s: %d of %d answered by the first call" % (name, right, len(golds)))
    print("    %s = %d bytes" % (", ".join("%s %d" % part for part in parts.items()), sum(parts.values())))
    return sum(parts.values()), sum(parts.values()) - size(tools) + size(lean)


def main():
    owner = psycopg2.connect("")
    owner.autocommit = True
    load(owner, sys.argv[1])
    golds = {row["q"]: (row["sql"], gold(owner, row["sql"])) for row in recorded("gold")}
    schema = os.path.getsize(os.path.join(HERE, "tables.txt")) + 300
    statements = sum(size(sql) for sql, _ in golds.values())
    replies = sum(len("|".join("" if value is None else str(value) for value in row)) + 1 for _, rows in golds.values() for row in rows)
    theirs = schema + statements + replies
    print("SQL: schema and tool %d, statements %d, replies %d = %d bytes" % (schema, statements, replies, theirs))
    for name in ("compact_sql", "compact"):
        ours, lean = replay(name, golds, "--all" in sys.argv)
        print("    %.2fx of SQL's bytes, %.2fx without annotations" % (ours / theirs, lean / theirs))
        check(name == "compact" or ours <= MOST * theirs, "%s: at most %.1fx of SQL's bytes" % (name, MOST), ours / theirs)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
