"""The same statement through kg_query and over plain tables.

A statement with LIMIT or DISTINCT ON may leave the order open.  Then it is asked with the
columns of its answer after those of its ORDER BY, which leaves only equal rows open.
"""
import collections
import json
import re

import psycopg2


def connect(user=None):
    connection = psycopg2.connect(user=user) if user else psycopg2.connect("")
    connection.autocommit = True
    return connection


def rows(connection, sql, *args):
    with connection.cursor() as cursor:
        cursor.execute(sql, args or None)
        return cursor.fetchall() if cursor.description else []


def plain(reader, sql):
    """The rows as JSON, or the error."""
    try:
        with reader.cursor() as cursor:
            cursor.execute(sql)
            names = ", ".join("c%d" % i for i in range(len(cursor.description)))
        return rows(reader, "SELECT coalesce(jsonb_agg(r), '[]') FROM (SELECT jsonb_build_array(%s) FROM (%s) AS t(%s)) AS z(r)" % (names, sql, names))[0][0], None
    except psycopg2.Error as error:
        return None, str(error)


def queried(reader, sql):
    try:
        return rows(reader, "SELECT kg_query(%s)", json.dumps({"sql": sql, "limit": 1000, "max_bytes": 4000000}))[0][0]["rows"], None
    except psycopg2.Error as error:
        return None, str(error)


def key(answer):
    return sorted(json.dumps([round(v, 6) if isinstance(v, float) else v for v in row], sort_keys=True) for row in answer)


def columns(reader, sql):
    """The number of columns of the answer."""
    with reader.cursor() as cursor:
        cursor.execute(sql)
        return len(cursor.description)


def is_ordered(before):
    """Does the select that text before a LIMIT belongs to end with ORDER BY?"""
    depth, words = 0, ""
    for c in reversed(before):
        depth += (c == ")") - (c == "(")
        if depth < 0:
            break
        words = (c if depth == 0 else " ") + words
    return re.search(r"\bORDER\s+BY\b", words, re.I)


def settled(reader, sql):
    """The statement with a total order, if it leaves the order open; or None."""
    places = [m.start() for m in re.finditer(r"\bLIMIT\s+\d", sql, re.I)]
    if re.search("DISTINCT ON", sql, re.I):
        places.append(len(sql))
    if not places:
        return None
    for place in reversed(places):
        # A sub-select has one column, or the others are what it orders by.
        outer = sql[place:].count("(") == sql[place:].count(")")
        all_of = ", ".join(str(n + 1) for n in range(columns(reader, sql) if outer else 1))
        sql = sql[:place] + (", " if is_ordered(sql[:place]) else " ORDER BY ") + all_of + " " + sql[place:]
    return sql


def exact(answer):
    """The rows in order, with numbers as both have them."""
    return [json.dumps([round(v, 6) if isinstance(v, float) else v for v in row], sort_keys=True) for row in answer]


def verdict(reader, sql, expected, got):
    if expected is None:
        return "refused by both" if got is None else "refused by plain SQL only"
    if got is None:
        return "refused"
    total = settled(reader, sql)
    if total is not None:
        expected, error = plain(reader, total)
        got, refused = queried(reader, total)
        if expected is None or got is None:
            return "not settled: %s" % (error or refused)
        same = exact(expected) == exact(got) or key(expected) == key(got) and not is_ordered(total)
    else:
        same = key(expected) == key(got)
    if not same:
        return "different"
    return ("same" if got else "same, no rows") + (", in a total order" if total else "")


def first_line(error):
    return (error or "answered").split("\n")[0][:200]


class Tally:
    """Counts of verdicts, of which those that are not "same" are printed."""

    def __init__(self):
        self.counts = collections.Counter()

    def judge(self, reader, name, sql):
        """Asks a statement both ways; returns plain SQL's rows, or None."""
        expected, error = plain(reader, sql)
        got, refused = queried(reader, sql)
        said = verdict(reader, sql, expected, got)
        self.counts[said] += 1
        if not said.startswith("same"):
            print("%s: %s: %s\n    plain SQL: %s\n    kg_query: %s" % (said, name, " ".join(sql.split())[:300], first_line(error), first_line(refused)))
        return expected

    def report(self):
        """Prints the counts; returns the numbers of all statements, of accepted ones, and of those with plain SQL's rows."""
        total = sum(self.counts.values())
        same = sum(n for said, n in self.counts.items() if said.startswith("same"))
        accepted = total - sum(n for said, n in self.counts.items() if said in ("refused", "refused by both"))
        print(", ".join("%d %s" % (n, said) for said, n in self.counts.most_common()))
        print("%d of %d accepted (%.1f %%), %d of these with plain SQL's rows" % (accepted, total, 100 * accepted / total, same))
        return total, accepted, same
