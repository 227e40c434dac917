"""
Random SELECTs over typed tables, in the manner of sqlsmith: each expression has the
type that its position requires. Every statement sorts its rows by all columns, so every
correct plan gives the same result.
"""

NUMBERS = ["0", "1", "2", "3", "7", "1.5", "-4", "1000000", "250", "NULL::numeric"]
TEXTS = ["'a'", "''", "'queue'", "'shown'", "'%e%'", "'hid1'", "'Ä'", "'i1'", "NULL::text", "'zqxj'"]
CONSTANTS = {
    "numeric": NUMBERS, "text": TEXTS,
    "bigint": ["0::bigint", "3::bigint", "12::bigint", "-1::bigint"], "integer": ["0", "2", "5", "-3"],
    "boolean": ["true", "false", "NULL::boolean"],
    "date": ["date '2024-02-29'", "date '2020-01-01'", "NULL::date"],
    "timestamptz": ["timestamptz '2024-02-29 12:00+00'", "NULL::timestamptz"],
    "interval": ["interval '1 day'", "interval '2 months'"],
    "text[]": ["ARRAY['a', 'b']", "'{}'::text[]", "ARRAY[NULL, 'all']"],
    "jsonb": ["'{\"w\": 1}'::jsonb", "'[1, \"a\"]'::jsonb"],
}
# What is written between or around expressions: a result, and a form with types for its places.
FORMS = [
    ("boolean", "({boolean} AND {boolean})"), ("boolean", "({boolean} OR {boolean})"), ("boolean", "(NOT {boolean})"),
    ("boolean", "({numeric} < {numeric})"), ("boolean", "({text} = {text})"), ("boolean", "({text} < {text})"), ("boolean", "({date} >= {date})"),
    ("boolean", "({text} LIKE {text})"), ("boolean", "({numeric} IS NULL)"), ("boolean", "({text} IS DISTINCT FROM {text})"),
    ("boolean", "({text} IN ({text}, {text}))"), ("boolean", "({numeric} BETWEEN {numeric} AND {numeric})"), ("boolean", "({text} = ANY ({text[]}))"),
    ("boolean", "({text[]} && {text[]})"), ("boolean", "({jsonb} @> {jsonb})"), ("boolean", "({boolean} IS NOT TRUE)"),
    ("numeric", "({numeric} + {numeric})"), ("numeric", "({numeric} * {numeric})"), ("numeric", "({numeric} - {numeric})"),
    ("numeric", "({numeric} / nullif({numeric}, 0))"), ("numeric", "({numeric} / {numeric})"), ("numeric", "round({numeric}, 2)"), ("numeric", "abs({numeric})"),
    ("numeric", "length({text})::numeric"), ("numeric", "coalesce({numeric}, {numeric})"), ("numeric", "extract(year FROM {date})"),
    ("numeric", "CASE WHEN {boolean} THEN {numeric} ELSE {numeric} END"), ("numeric", "greatest({numeric}, {numeric})"), ("numeric", "{bigint}::numeric"),
    ("numeric", "({date} - {date})::numeric"), ("numeric", "cardinality({text[]})::numeric"),
    ("text", "({text} || {text})"), ("text", "upper({text})"), ("text", "substr({text}, 1, 3)"), ("text", "coalesce({text}, {text})"), ("text", "{numeric}::text"),
    ("text", "replace({text}, 'e', 'i')"), ("text", "to_char({date}, 'YYYY-MM')"), ("text", "{jsonb}::text"), ("text", "split_part({text}, ' ', 1)"), ("text", "{text} COLLATE \"C\""),
    ("text", "CASE {text} WHEN {text} THEN {text} END"), ("text", "({jsonb} ->> 'w')"), ("text", "({text[]})[1]"), ("text", "lpad({text}, 4, '-')"), ("text", "trim({text})"),
    ("date", "({date} + 30)"), ("date", "{timestamptz}::date"), ("date", "coalesce({date}, {date})"),
    ("timestamptz", "date_trunc('month', {timestamptz})"), ("timestamptz", "({timestamptz} + {interval})"),
    ("text[]", "({text[]} || {text})"), ("text[]", "string_to_array({text}, 'e')"), ("jsonb", "to_jsonb({text})"), ("jsonb", "jsonb_build_object('a', {numeric}, 'b', {text})"),
    ("bigint", "({bigint} + {bigint})"), ("integer", "({integer} + {integer})"), ("interval", "({interval} * 2)"),
]
AGGREGATES = [
    ("numeric", "count(*)::numeric"), ("numeric", "count(DISTINCT {text})::numeric"), ("numeric", "sum({numeric})"), ("numeric", "max({numeric})"), ("numeric", "min({numeric})"),
    ("text", "max({text})"), ("text", "min({text})"), ("date", "max({date})"), ("boolean", "bool_or({boolean})"), ("boolean", "every({boolean})"),
    ("numeric", "(count(*) FILTER (WHERE {boolean}))::numeric"), ("text", "string_agg({text}, ',' ORDER BY {same})"),
    ("numeric", "(percentile_disc(0.5) WITHIN GROUP (ORDER BY {numeric}))"),
]
TYPES = ["text", "text", "numeric", "numeric", "boolean", "date", "timestamptz", "text[]", "jsonb", "bigint"]


def quoted(name):
    return '"%s"' % name.replace('"', '""')


class Statements:
    """Of one random generator: tables are {name: {column: type}}; forms are more of FORMS; calls stand for tables with an id."""

    def __init__(self, r, tables, forms=(), calls=()):
        self.r = r
        self.tables = tables
        self.calls = calls
        self.forms = {}
        for result, form in list(FORMS) + list(forms):
            self.forms.setdefault(result, []).append(form)
        self.aliases = 0

    def alias(self):
        self.aliases += 1
        return "t%d" % self.aliases

    def fill(self, form, scope, depth):
        """The form with an expression at each of its places; {same} repeats the one before."""
        parts, last = [], ""
        while "{" in form:
            before, _, rest = form.partition("{")
            # The braces of literals in JSON have no name of a type.
            kind, _, after = rest.partition("}")
            if kind == "same":
                parts += [before, last]
            elif kind in CONSTANTS:
                last = self.expression(kind, scope, depth - 1)
                parts += [before, last]
            else:
                parts.append(before + "{")
                after = rest
            form = after
        return "".join(parts) + form

    def column(self, kind, scope):
        found = [name for name, of in scope if of == kind]
        return self.r.choice(found) if found else None

    def expression(self, kind, scope, depth=3):
        r = self.r
        column = self.column(kind, scope)
        if depth <= 0 or r.random() < 0.3:
            return column if column and r.random() < 0.75 else r.choice(CONSTANTS[kind])
        if r.random() < 0.06 and kind in ("numeric", "text", "boolean"):
            return self.subselect(kind, scope, depth)
        if kind not in self.forms:
            return r.choice(CONSTANTS[kind])
        return self.fill(r.choice(self.forms[kind]), scope, depth)

    def subselect(self, kind, scope, depth):
        table, inner = self.table(depth - 1)
        inner = inner + scope
        where = self.expression("boolean", inner, depth - 1)
        if kind == "boolean":
            return self.r.choice(["EXISTS (SELECT FROM %s WHERE %s)" % (table, where),
                                  "(%s IN (SELECT %s FROM %s WHERE %s))" % (self.expression("text", scope, 1), self.expression("text", inner, 1), table, where)])
        return "(SELECT %s FROM %s WHERE %s)" % (self.fill({"numeric": "max({numeric})", "text": "min({text})"}[kind], inner, 1), table, where)

    def table(self, depth):
        """An item of FROM, and its columns."""
        r, alias = self.r, self.alias()
        roll = r.random()
        if depth > 1 and roll < 0.12:
            select, columns = self.select(depth - 1)
            return "(%s) %s" % (select, alias), [("%s.%s" % (alias, c), t) for c, t in columns]
        if roll < 0.17:
            return "(VALUES (1::numeric, 'a'), (2, 'i1')) %s(c1, c2)" % alias, [(alias + ".c1", "numeric"), (alias + ".c2", "text")]
        if roll < 0.21:
            return "generate_series(1, 3) %s(c1)" % alias, [(alias + ".c1", "integer")]
        if self.calls and roll < 0.25:
            call = self.fill(r.choice(self.calls), [], 0)
            return "%s %s" % (call, alias), [(alias + ".entity_type", "text"), (alias + ".id", "text")]
        name = r.choice(list(self.tables))
        return "%s %s" % (quoted(name), alias), [("%s.%s" % (alias, quoted(c)), t) for c, t in self.tables[name].items()]

    def join(self, depth):
        text, scope = self.table(depth)
        for _ in range(self.r.choice([0, 0, 0, 1, 1, 2])):
            other, columns = self.table(depth)
            kind = self.r.choice(["JOIN", "LEFT JOIN", "JOIN"])
            left, right = [n for n, t in scope if t == "text"], [n for n, t in columns if t == "text"]
            on = "%s = %s" % (self.r.choice(left), self.r.choice(right)) if left and right else "true"
            scope = scope + columns
            text += " %s %s ON %s" % (kind, other, on)
        return text, scope

    def grouped(self, depth):
        """A SELECT with groups: keys are columns, the rest are aggregates."""
        r = self.r
        text, scope = self.join(depth)
        keys = [k for k in r.sample(scope, min(len(scope), r.randint(0, 2))) if k[1] != "jsonb"]
        outputs = list(keys)
        for _ in range(r.randint(1, 2)):
            kind, form = r.choice(AGGREGATES)
            outputs.append((self.fill(form, scope, 2), kind))
        where = " WHERE " + self.expression("boolean", scope, 2) if r.random() < 0.5 else ""
        group = ""
        if keys:
            how = r.choice(["%s", "%s", "ROLLUP (%s)", "GROUPING SETS ((%s), ())"])
            group = " GROUP BY " + how % ", ".join(k for k, _ in keys)
        having = " HAVING count(*) > %d" % r.randint(0, 2) if group and r.random() < 0.4 else ""
        return text + where + group + having, outputs

    def plain(self, depth):
        r = self.r
        text, scope = self.join(depth)
        outputs = []
        for _ in range(r.randint(1, 4)):
            kind = r.choice(TYPES)
            outputs.append((self.expression(kind, scope), kind))
        if r.random() < 0.12:
            # Of rows that tie in the order each has the same rank.
            outputs.append(("rank() OVER (PARTITION BY %s ORDER BY %s)" % (self.expression("boolean", scope, 1), self.expression("text", scope, 1)), "bigint"))
        where = " WHERE " + self.expression("boolean", scope) if r.random() < 0.7 else ""
        return text + where, outputs

    def select(self, depth=3):
        """A SELECT with columns c1, c2, ..., and these with their types."""
        r = self.r
        text, outputs = self.grouped(depth) if r.random() < 0.3 else self.plain(depth)
        columns = [("c%d" % (i + 1), kind) for i, (_, kind) in enumerate(outputs)]
        select = "SELECT %s%s FROM %s" % (r.choice(["", "", "DISTINCT "]), ", ".join("%s AS c%d" % (e, i + 1) for i, (e, _) in enumerate(outputs)), text)
        order = " ORDER BY " + ", ".join(str(i + 1) for i in range(len(outputs)))
        limit = " LIMIT %d" % r.choice([1, 5, 20]) if r.random() < 0.2 else ""
        return select + order + limit, columns

    def statement(self, depth=3):
        """A whole statement; depth bounds how far sub-selects and joins of them go."""
        r = self.r
        select, columns = self.select(depth)
        roll = r.random()
        if roll < 0.1:
            return "WITH w AS (%s) SELECT * FROM w ORDER BY %s" % (select, ", ".join(c for c, _ in columns))
        if roll < 0.15:
            n = len(columns)
            return "(%s) %s (%s) ORDER BY %s" % (select, r.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]), select, ", ".join(str(i + 1) for i in range(n)))
        if roll < 0.18:
            return "WITH RECURSIVE x(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT w.*, x.n AS c9 FROM x, LATERAL (%s) w ORDER BY %s" % (
                select, ", ".join(str(i + 1) for i in range(len(columns) + 1)))
        return select
