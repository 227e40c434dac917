"""Replies of the extension brought into the form that expected.py answers in,
and compared with it: whole, and page by page."""

import json
from fractions import Fraction

import expected
from model import PERSON, PLACE, order

PAGED = ("kg_find_nodes", "kg_traverse", "kg_neighbors", "kg_bfs")
MOST_BYTES = 4194304  # the ceiling, so that nothing is withheld
CODES = {"22023": "INVALID_INPUT", "P0002": "NOT_FOUND"}


def exact(text):
    return Fraction(text)


def node_of(item):
    return (item["type"], item["id"])


def edge_of(graph):
    """Edges as expected.edge_key() has them; a walk has a depth."""

    def key(edge):
        source, target = node_of(edge["from"]), node_of(edge["to"])
        if "depth" in edge:
            return ("walk", edge["type"], source, target, edge["depth"])
        return ("edge", edge["type"], source, target)

    return key


def difference(tool, ask, args, want, rng, graph):
    """What is wrong with the reply to a call, or None."""
    limited = tool in PAGED + ("kg_paths", "kg_aggregate")
    if tool in ("kg_neighbors", "kg_paths"):
        args = dict(args, edge_columns=["*"])
    reply = ask(tool, dict(args, max_bytes=MOST_BYTES, **({"limit": 1000} if limited else {})))
    if isinstance(reply, dict) and "error" in reply:
        got = CODES.get(reply["error"], reply["error"])
        if got == want.get("error"):
            return None
        return "error %s: %s" % (got, json.dumps(reply, ensure_ascii=False))
    if "error" in want:
        return "no error, but expected %s" % want["error"]
    problem = COMPARE[tool](reply, want, graph, args)
    if problem is None and tool in PAGED:
        problem = pages(tool, ask, args, reply, rng)
    if problem is None and limited:
        problem = counts_alone(tool, ask, args, reply)
    if problem is None and "nodes" in reply:
        problem = told(tool, ask, dict(args, max_bytes=MOST_BYTES), reply, rng, limited)
    return problem


def counts_alone(tool, ask, args, whole):
    """Limit 0: the same numbers, and nothing that is counted."""
    reply = ask(tool, dict(args, limit=0))
    if "error" in reply:
        return "limit 0: %s" % reply
    numbers = ("total", "total_at_least", "counts", "node_count", "edge_count", "schema_summary")
    return first(
        *(differs("limit 0: " + name, reply.get(name), whole.get(name)) for name in numbers),
        *(differs("limit 0: " + name, reply.get(name, []), []) for name in ("nodes", "edges", "paths", "rows")),
        None if "next" not in reply and not reply["truncated"] else "limit 0: %s" % reply,
    )


# what is told of each type, by what is sent
COLUMNS = [
    (["name"], {PERSON: ["name"], PLACE: ["name"]}),
    (["size"], {PERSON: [], PLACE: ["size"]}),
    ([PERSON + ".n", PLACE + ".name", PERSON + ".n"], {PERSON: ["n"], PLACE: ["name"]}),
    (["id", "color"], {PERSON: ["id", "color"], PLACE: ["id"]}),
    (["oracle/%s.tags" % PERSON, "home"], {PERSON: ["tags", "home"], PLACE: []}),
]
EDGE_COLUMNS = [(["w"], ["w"]), (["LIKES.note", "oracle/LIKES.w"], ["note", "w"]), (["provenance", "*"], None)]


def projected(item, names, key):
    """Without the member where nothing of it can be told."""
    if key not in item or names is None:
        return item
    data = {k: v for k, v in item[key].items() if k in names}
    rest = {k: v for k, v in item.items() if k != key}
    return dict(rest, **{key: data}) if names else rest


def told(tool, ask, args, whole, rng, limited):
    """columns, edge_columns and ids_only change what is told, and nothing else."""
    args = dict(args, **({"limit": 1000} if limited else {}))
    bfs = tool in ("kg_bfs", "kg_intersect")
    key = "metadata" if bfs else "properties"
    name = lambda node: node["id"] if bfs else expected.handle(node_of(node))
    same = lambda got, want: expected.frozen(got) == expected.frozen(want)
    reply = ask(tool, dict(args, ids_only=True))
    if "error" in reply or not same(reply["nodes"], [name(n) for n in whole["nodes"]]):
        return "ids_only: %s" % reply
    # Of one type only what it has can be named.
    sent, names = COLUMNS[0] if tool == "kg_find_nodes" else rng.choice(COLUMNS)
    reply = ask(tool, dict(args, columns=sent))
    want = [projected(n, names[n["entity_type" if bfs else "type"]], key) for n in whole["nodes"]]
    if "error" in reply or not same(reply["nodes"], want):
        return "columns %s: got %s, expected %s" % (sent, reply, want)
    # A hint's call has the arguments of the call that it is about.
    hint = lambda h: {k: v for k, v in h.items() if k != "call"}
    rest = lambda r: {k: [hint(h) for h in v] if k == "hints" else v for k, v in r.items() if k != "nodes"}
    if not same(rest(reply), rest(whole)):
        return "columns %s: got %s, else %s" % (sent, rest(reply), rest(whole))
    if tool not in ("kg_traverse", "kg_neighbors"):
        return None
    sent, names = rng.choice(EDGE_COLUMNS)
    reply = ask(tool, dict(args, edge_columns=sent))
    want = [projected(e, names, key) for e in whole["edges"]]
    want = [{k: v for k, v in e.items() if v != {}} for e in want]
    if "error" in reply or not same(reply["edges"], want):
        return "edge_columns %s: got %s, expected %s" % (sent, reply, want)
    return None


def differs(what, got, want):
    if got == want:
        return None
    if isinstance(got, (set, frozenset)):
        return "%s: unexpected %s, missing %s" % (what, sorted(got - want, key=str), sorted(want - got, key=str))
    return "%s: got %s, expected %s" % (what, got, want)


def first(*problems):
    return next((p for p in problems if p is not None), None)


def properties(reply, graph):
    """Every node carries its whole document."""
    for node in reply["nodes"]:
        data = graph.nodes.get(node_of(node))
        if data is None or expected.frozen(data) != expected.frozen(node["properties"]):
            return "properties of %s: got %s, expected %s" % (node_of(node), node.get("properties"), data)
    return None


def edge_properties(reply, graph):
    stored = {e.triple: e.properties for e in graph.edges}
    for edge in reply["edges"]:
        if "depth" in edge:
            continue
        want = stored.get((edge["type"], node_of(edge["from"]), node_of(edge["to"])))
        if expected.frozen(want or {}) != expected.frozen(edge.get("properties", {})):
            return "properties of edge %s, expected %s" % (edge, want)
    return None


def unique(name, items):
    keys = [json.dumps(item, sort_keys=True, default=str) for item in items]
    return None if len(keys) == len(set(keys)) else "%s has duplicates" % name


def compare_find(reply, want, graph, args):
    return first(
        differs("total", reply["total"], want["total"]),
        differs("nodes", [expected.handle(node_of(n)) for n in reply["nodes"]], want["list"]),
        properties(reply, graph),
    )


def compare_graph(reply, want, graph, args):
    depth = lambda node: node.get("depth")
    return first(
        differs("total", reply["total"], want["total"]),
        differs("nodes", {(node_of(n), depth(n)) for n in reply["nodes"]}, want["nodes"]),
        differs("edges", {edge_of(graph)(e) for e in reply["edges"]}, want["edges"]),
        unique("nodes", reply["nodes"]),
        unique("edges", reply["edges"]),
        properties(reply, graph),
        edge_properties(reply, graph),
        differs("counts", reply.get("counts"), want["counts"]) if "counts" in want else None,
        differs("complete", reply.get("complete"), want["complete"]) if "complete" in want else None,
        differs("order", [expected.handle(node_of(n)) for n in reply["nodes"]], want["order"]) if "order" in want else None,
    )


def compare_paths(reply, want, graph, args):
    key = edge_of(graph)
    got = [
        {
            "nodes": path["path"][0::2],
            "edges": [key(e) for e in path["path"][1::2]],
            "cost": path["weight"] if "weight" in args else path["length"],
        }
        for path in reply["paths"]
    ]
    handles = {handle for path in got for handle in path["nodes"]}
    return first(
        differs("total", reply["total"], want["total"]),
        differs("paths", got, want["paths"][: len(got)]),
        None if len(got) == min(1000, want["total"]) else "%d paths" % len(got),
        differs("nodes", {expected.handle(node_of(n)) for n in reply["nodes"]}, handles),
        properties(reply, graph),
    )


def compare_rows(reply, want, graph, args):
    def number(value):
        return Fraction(str(value)) if isinstance(value, (int, float, Fraction)) else value

    def rows(table):
        return sorted(([number(v) for v in row] for row in table), key=str)

    got, wanted = rows(reply["rows"]), rows(want["rows"])
    problem = differs("total", reply["total"], want["total"])
    if problem is None and len(got) == len(wanted):
        for a, b in zip(got, wanted):
            if len(a) != len(b) or any(not same(x, y) for x, y in zip(a, b)):
                return "rows: got %s, expected %s" % (got, wanted)
        return None
    return problem or "rows: got %s, expected %s" % (got, wanted)


def same(x, y):
    """Equal; an average is a numeric cut at some digit."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return abs(x - y) <= abs(y) * Fraction(1, 10**12)
    return x == y


def compare_bfs(reply, want, graph, args):
    nodes = [
        (n["id"], n["entity_type"], expected.frozen(n["metadata"]) if "metadata" in n else None)
        for n in reply["nodes"]
    ]
    edges = [
        (e["subject"], e["predicate"], e["object"], expected.frozen(e["metadata"]) if "metadata" in e else None)
        for e in reply["edges"]
    ]
    summary = reply["schema_summary"]
    return first(
        differs("nodes", nodes, want["list"]),
        differs("edges", set(edges), want["edges"]),
        None if len(set(edges)) == len(edges) else "duplicate edges",
        differs("counts", (reply["node_count"], reply["edge_count"]), want["counts"]),
        differs("summary", (summary["entity_types_found"], summary["predicates_found"]), want["summary"]),
        differs("seeds", reply["seeds"], args["seeds"]),
        differs("unknown", reply.get("unknown_seeds", []), want["unknown"]),
    )


def compare_described(reply, want, graph, args):
    items = reply if isinstance(reply, list) else reply.get("items", [reply])
    return differs("entities", [expected.frozen(item) for item in items], want["list"])


def compare_ranked(reply, want, graph, args):
    """No score is too high, none too low by more than the residual, none left out."""
    scores, residual = want["scores"], float(reply["residual"])
    told = [(r["node"], float(r["score"])) for r in reply["ranked"]]
    order = [(-value, *node.split(":", 1)) for node, value in told]
    wrong = [
        (node, value, scores.get(node))
        for node, value in told
        if node not in scores or not value * (1 - 1e-5) - 1e-9 <= scores[node] <= value * (1 + 1e-5) + residual + 1e-6
    ]
    missing = [(node, value) for node, value in scores.items() if node not in dict(told) and value > residual + 1e-6]
    return first(
        differs("residual", residual <= 0.01, True),
        differs("scores", wrong, []),
        differs("missing", missing, []),
        differs("order", order, sorted(order, key=lambda o: (o[0], o[1].encode(), o[2].encode()))),
    )


def compare_verdicts(reply, want, graph, args):
    return differs("verdicts", [claim["verdict"] for claim in reply["claims"]], want["verdicts"])


COMPARE = {
    "kg_rank": compare_ranked,
    "kg_verify": compare_verdicts,
    "kg_find_nodes": compare_find,
    "kg_traverse": compare_graph,
    "kg_neighbors": compare_graph,
    "kg_paths": compare_paths,
    "kg_aggregate": compare_rows,
    "kg_bfs": compare_bfs,
    "kg_intersect": compare_bfs,
    "kg_describe": compare_described,
    "kg_describe_many": compare_described,
}


def pages(tool, ask, args, whole, rng):
    """Follow next from a small limit on: together the pages are the whole."""
    sent = dict(args, limit=rng.randint(1, 4))
    nodes, edges = [], []
    for _ in range(2000):
        reply = ask(tool, sent)
        if "error" in reply:
            return "page %s: %s" % (sent, reply)
        if reply.get("total") != whole.get("total"):
            return "total of a page: %s, of the whole: %s" % (reply.get("total"), whole.get("total"))
        nodes += reply["nodes"]
        edges += reply.get("edges", [])
        if not reply.get("truncated"):
            break
        if reply.get("next") is None:
            return "a page is truncated and has no next: %s" % reply
        sent = reply["next"]
    key = lambda item: json.dumps(item, sort_keys=True, default=str)
    once = tool != "kg_traverse"  # its unit is a binding: nodes may be on two pages
    for name, got in (("nodes", nodes), ("edges", edges)):
        want = whole.get(name, [])
        if {key(i) for i in got} != {key(i) for i in want}:
            return "%s of the pages together: %s, of the whole: %s" % (name, sorted(map(key, got)), sorted(map(key, want)))
        if once and len(got) != len(want):
            return "%s: %d on the pages, %d in the whole" % (name, len(got), len(want))
    if once and [key(n) for n in nodes] != [key(n) for n in whole["nodes"]]:
        return "the pages have another order than the whole"
    return None
