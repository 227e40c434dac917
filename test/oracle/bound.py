"""The same random graph with types that read tables: places, or everything.

Where only places are rows, people are stored entities whose home is a row.  Edges
that such a graph cannot have are left out: those of TWIN, which is symmetric, where
people are rows, and explicit ones from a stored person to a row.
"""

import datetime
import json

from model import COUNTED, PERSON, PLACE, Edge, Graph, instant

NONE, PLACES, ALL = "none", "places", "all"
MODES = [NONE, NONE, PLACES, ALL]
# What only stored types have.
UNKNOWN = {PLACES: ['"liked"', '"twins"', '"homes"'], ALL: ['"liked"', '"twins"', '"homes"', '"knows"']}
EDGE_COLUMNS = ["w", "note", "provenance", "begin", "end"]
COLUMNS = {
    PERSON: ["id", "name", "n", "color", "tags", "total_mentions", "hidden", "begin", "end", "home"],
    PLACE: ["id", "name", "n", "size", "hidden", "begin", "end"],
}

SET_UP = """
CREATE SCHEMA {0};
GRANT USAGE ON SCHEMA {0} TO PUBLIC;
CREATE TABLE {0}.place (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C", n numeric, size integer, hidden boolean, begin date, "end" timestamptz);
CREATE TABLE {0}.person (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, n integer, color text, tags text[], total_mentions integer,
  hidden boolean, begin timestamptz, "end" date, home text COLLATE "C");
CREATE INDEX ON {0}.person (home);
CREATE TABLE {0}.knows ("from" text COLLATE "C", "to" text COLLATE "C", PRIMARY KEY ("from", "to"));
CREATE INDEX ON {0}.knows ("to");
CREATE TABLE {0}.likes_person ("from" text COLLATE "C", "to" text COLLATE "C", w numeric, note text, provenance text, begin timestamptz, "end" timestamptz, PRIMARY KEY ("from", "to"));
CREATE INDEX ON {0}.likes_person ("to");
CREATE TABLE {0}.likes_place (LIKE {0}.likes_person INCLUDING ALL);
ALTER TABLE {0}.place ENABLE ROW LEVEL SECURITY;
ALTER TABLE {0}.person ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON {0}.place USING (true);
CREATE POLICY all_rows ON {0}.person USING (true);
CREATE POLICY hides ON {0}.place AS RESTRICTIVE TO {0}_some USING (hidden IS NOT TRUE);
CREATE POLICY hides ON {0}.person AS RESTRICTIVE TO {0}_some USING (hidden IS NOT TRUE);
GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO PUBLIC;
"""


def kinds(mode):
    """The types that read tables."""
    return {NONE: [], PLACES: [PLACE], ALL: [PERSON, PLACE]}[mode]


def written(value):
    """An instant as a column of timestamptz is shown."""
    utc = instant(value).astimezone(datetime.timezone.utc)
    text = utc.strftime("%Y-%m-%dT%H:%M:%S")
    return text + (".%06d" % utc.microsecond).rstrip("0").rstrip(".") + "Z"


def row(kind, data):
    """A document as its row shows it: no null, and instants in UTC."""
    own = {k: v for k, v in data.items() if v is not None and k in COLUMNS[kind]}
    at = "begin" if kind == PERSON else "end"
    if at in own:
        own[at] = written(own[at])
    return own


def is_possible(mode, edge):
    if mode == PLACES:
        return edge.relation not in ("LIKES", "TWIN") or edge.target[0] == PERSON
    return edge.relation != "TWIN"


def bind(mode, tenant, g, bundle):
    """The graph and bundle with types that read tables, and the statements that fill them."""
    if mode == NONE:
        return g, bundle, []
    rows = kinds(mode)
    own = Graph()
    own.nodes = {node: row(node[0], data) if node[0] in rows else data for node, data in g.nodes.items()}
    own.edges = [e for e in g.edges if is_possible(mode, e)]
    if mode == ALL:
        for edge in own.edges:
            edge.properties = {k: written(v) if k in ("begin", "end") else v for k, v in edge.properties.items()}
    bundle = dict(
        bundle,
        schemas=[dict(one, schema=schema(mode, tenant, one["entity_type"], one["schema"])) for one in bundle["schemas"]],
        entities=[one for one in bundle["entities"] if one["entity_type"] not in rows],
        relations=relations(mode, tenant, bundle["relations"]),
        edges=[] if mode == ALL else [e for e in bundle["edges"] if e["to"].startswith(PERSON)],
    )
    return own, bundle, list(statements(mode, tenant, own))


def schema(mode, tenant, kind, stored):
    properties = {k: v for k, v in stored["properties"].items() if k not in COUNTED[kind]}
    if kind not in kinds(mode):
        properties["home"] = dict(properties["home"], **{"x-index": True})
        return dict(stored, properties=properties)
    properties.pop("knows", None)
    own = {k: v for k, v in stored.items() if k != "additionalProperties"}
    table = {"name": "%s.%s" % (tenant, kind.lower()), "id": "id", "shared": True}
    return dict(own, properties=properties, **{"x-table": table})


def relations(mode, tenant, stored):
    if mode != ALL:
        return stored

    def joined(name, to, own):
        table = {"name": "%s.%s" % (tenant, name), "from": "from", "to": "to", "shared": True}
        return dict(own, **{"from": PERSON, "to": to, "schema": dict(own.get("schema", {"type": "object"}), **{"x-table": table})})

    likes = {r["to"]: r for r in stored if r["name"] == "LIKES"}
    return [
        joined("knows", PERSON, {"name": "KNOWS"}),
        joined("likes_person", PERSON, likes[PERSON]),
        joined("likes_place", PLACE, likes[PLACE]),
        {"name": "TWIN", "from": PERSON, "to": PERSON, "symmetric": True},
    ]


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "ARRAY[%s]::text[]" % ", ".join(literal(v) for v in value)
    return "'%s'" % str(json.dumps(value) if not isinstance(value, str) else value).replace("'", "''")


def insert(table, columns, values):
    return "INSERT INTO %s(%s) VALUES (%s);" % (table, ", ".join('"%s"' % c for c in columns), ", ".join(literal(v) for v in values))


def statements(mode, tenant, g):
    yield "TRUNCATE %s;" % ", ".join("%s.%s" % (tenant, t) for t in ("place", "person", "knows", "likes_person", "likes_place"))
    for (kind, _), data in g.nodes.items():
        if kind in kinds(mode):
            yield insert("%s.%s" % (tenant, kind.lower()), COLUMNS[kind], [data.get(c) for c in COLUMNS[kind]])
    if mode != ALL:
        return
    for edge in g.edges:
        ends = [edge.source[1], edge.target[1]]
        if edge.relation == "KNOWS":
            yield insert(tenant + ".knows", ["from", "to"], ends)
        elif edge.relation == "LIKES":
            yield insert("%s.likes_%s" % (tenant, edge.target[0].lower()), ["from", "to"] + EDGE_COLUMNS, ends + [edge.properties.get(c) for c in EDGE_COLUMNS])


def seen(mode, graph):
    """The graph without references of rows to rows that are not in it."""
    if mode != ALL:
        return graph
    view = Graph()
    view.edges = graph.edges
    for node, data in graph.nodes.items():
        gone = "home" in data and (PLACE, data["home"]) not in graph.nodes
        view.nodes[node] = {k: v for k, v in data.items() if k != "home" or not gone}
    return view


def can_answer(mode, args):
    text = json.dumps(args)
    return mode == NONE or not any(name in text for name in UNKNOWN[mode])
