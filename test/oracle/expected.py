"""What each graph tool must answer, found by brute force over a small graph.

Every function takes the graph that the caller sees and the tool's arguments.
It returns the whole answer, without pages, in the form to which replies.py
converts replies: nodes and edges as sets, paths and rows as lists.
"""

import datetime
from fractions import Fraction

from model import COLORS, INDEXED, INVERSES, PERSON, PLACE, SCANNED, compare_text, instant, order, passes

TYPES = (PERSON, PLACE)


def handle(node):
    return "%s:%s" % node


def names_of(value):
    """A relationship type argument: None for all of them."""
    if value is None or value == "*" or value == ["*"]:
        return None
    return value if isinstance(value, list) else [value]


def edge_filter(filters):
    """Only LIKES declares properties: edges of other relations do not match."""
    if not filters:
        return None
    return lambda edge: edge.relation == "LIKES" and passes(("", ""), edge.properties, filters)


def selected(graph, selector):
    """The nodes of {label, ids?, filters?}."""
    ids = selector.get("ids")
    return [
        node
        for node, data in graph.nodes.items()
        if node[0] == selector["label"]
        and (ids is None or node[1] in [str(i) for i in ids])
        and passes(node, data, selector.get("filters"))
        and connected(graph, node, selector)
    ]


def connected(graph, node, selector):
    """related and not_related of a selection."""
    return all(leads(graph, node, chain) for chain in selector.get("related", [])) and not any(
        leads(graph, node, chain) for chain in selector.get("not_related", [])
    )


def leads(graph, node, chain):
    """Does the chain lead somewhere: to as many distinct ends as it says?"""
    if "any" in chain:
        return any(leads(graph, node, one) for one in chain["any"])
    steps = chain if isinstance(chain, list) else [chain]
    ends = {node}
    for step in steps:
        link = Step(graph, step)
        passed = passing(graph, step.get("to", {}))
        ends = {other for end in ends for other in link.ends(end) if other in passed}
    return steps[-1].get("min_count", 1) <= len(ends) <= steps[-1].get("max_count", len(ends))


def passing(graph, test):
    """The nodes that pass {label?, ids?, filters?, related?, not_related?}."""
    return {
        node
        for node in tested(graph, test)
        if ("ids" not in test or node[1] in [str(i) for i in test["ids"]]) and connected(graph, node, test)
    }


def tested(graph, test):
    """The nodes that pass {label?, filters?}."""
    test = test or {}
    return {
        node
        for node, data in graph.nodes.items()
        if test.get("label") in (None, node[0]) and passes_any(node, data, test.get("filters"))
    }


def passes_any(node, data, filters):
    """Filters over several types: a type without the property does not match."""
    have = {kind: INDEXED[kind] + SCANNED[kind] for kind in INDEXED}
    filters = dict(filters or {})
    any_of = filters.pop("any", None)
    return (
        all(name in have[node[0]] for name in filters)
        and passes(node, data, filters)
        and (any_of is None or any(passes_any(node, data, one) for one in any_of))
    )


def edge_key(edge):
    return ("edge", edge.relation, edge.source, edge.target)


# ---- find_nodes ----


def find_nodes(graph, args):
    nodes = selected(graph, {k: v for k, v in args.items() if k in ("ids", "filters", "related", "not_related")} | {"label": args["node_label"]})
    nodes.sort(key=order)
    for key in reversed(args.get("sort", [])):
        nodes = sorted_by(graph, nodes, key["field"], key.get("order", "asc") == "desc")
    return {"total": len(nodes), "list": [handle(node) for node in nodes]}


def sorted_by(graph, nodes, field, descending):
    def rank(value):
        if field == "color":  # declaration order; desc has the first declared first
            return -COLORS.index(value)
        return compare_text(value) if isinstance(value, str) else value

    value = (lambda node: node[1]) if field == "id" else (lambda node: graph.nodes[node].get(field))
    there = [node for node in nodes if value(node) is not None]
    missing = [node for node in nodes if value(node) is None]
    return sorted(there, key=lambda node: rank(value(node)), reverse=descending) + missing


# ---- traverse_relationships ----


def traverse(graph, args):
    steps = [dict(step) for step in args["relationships"]]
    allowed = [tested(graph, step.get("to")) for step in steps]
    if "to" in args:
        allowed[-1] &= {node for node in tested(graph, args["to"]) if connected(graph, node, args["to"])}
    links = [Step(graph, step) for step in steps]
    depths = {(node,): () for node in selected(graph, args["from"])}
    if args.get("unique", "none") == "none":
        for link, ends in zip(links, allowed):
            depths = {
                row + (end,): past + (depth,)
                for row, past in depths.items()
                for end, depth in link.ends(row[-1]).items()
                if end in ends
            }
    else:
        depths = unique_rows(graph, depths, links, allowed, args["unique"])
    rows = sorted(depths)
    nodes = {node for row in rows for node in row}
    edges = set()
    for row in rows:
        for i, link in enumerate(links):
            edges |= link.edges(row[i], row[i + 1], depths[row][i])
    return {"total": len(rows), "nodes": {(node, None) for node in nodes}, "edges": edges}


def unique_rows(graph, starts, links, allowed, unique):
    """The rows of walks that repeat no edge or no node, with the least depths."""
    walks = {(row, (), tuple(row), ()) for row in starts}
    for link, ends in zip(links, allowed):
        longer = set()
        for row, depths, nodes, edges in walks:
            front = [(nodes, edges)]
            for depth in range(link.high + 1):
                if depth > 0:
                    front = [
                        (walked + (other,), used + (edge_key(edge),))
                        for walked, used in front
                        for edge, other in graph.steps(walked[-1], **link.how)
                        if (other not in walked if unique == "nodes" else edge_key(edge) not in used)
                    ]
                if depth >= link.low:
                    longer |= {(row + (w[-1],), depths + (depth,), w, u) for w, u in front if w[-1] in ends}
        walks = longer
    rows = {}
    for row, depths, _, _ in walks:
        rows[row] = min(depths, rows.get(row, depths))
    return rows


class Step:
    """One step: which ends it has, and which edges stand for it."""

    def __init__(self, graph, step):
        self.graph = graph
        self.low = step.get("min_hops", 1)
        self.high = step.get("max_hops", 1)
        names = names_of(step["type"])
        self.how = {
            "names": names,
            "direction": step.get("direction", "outgoing"),
            "keep": edge_filter(step.get("filters")),
        }
        stored = {INVERSES.get(name, name) for name in names or ()}
        self.type = stored.pop() if len(stored) == 1 else "*"
        self.memory = {}

    def ends(self, start):
        if start not in self.memory:
            self.memory[start] = self.graph.walk_ends(start, self.low, self.high, **self.how)
        return self.memory[start]

    def edges(self, start, end, depth):
        if depth == 0:
            return set()
        if self.high == 1:
            return {edge_key(e) for e, other in self.graph.steps(start, **self.how) if other == end}
        return {("walk", self.type, start, end, depth)}


# ---- explore_neighbors ----


def neighbors(graph, args):
    start = (args["start_node"]["label"], str(args["start_node"]["node_id"]))
    hops = args.get("max_hops", 2)
    hops = len(graph.nodes) if hops == "all" else hops
    how = {"names": names_of(args.get("relationship_types")), "direction": args.get("direction", "both")}
    if start not in graph.nodes:
        return {"total": 0, "nodes": set(), "edges": set()}
    complete = len(graph.distances([start], hops, **how)) == len(graph.distances([start], hops + 1, **how))
    depth = graph.distances([start], hops, **how)
    labels = args.get("node_labels") or TYPES
    kept = {
        node
        for node in depth
        if node == start or (node[0] in labels and passes_any(node, graph.nodes[node], args.get("filters")))
    }
    edges = {
        edge_key(edge)
        for node in depth
        if depth[node] < hops
        for edge, other in graph.steps(node, **how)
        if node in kept and other in kept
    }
    by_type, by_depth, by_both = {}, {}, {}
    for node in kept:
        by_both[(depth[node], node[0])] = by_both.get((depth[node], node[0]), 0) + 1
        by_type[node[0]] = by_type.get(node[0], 0) + 1
        by_depth[str(depth[node])] = by_depth.get(str(depth[node]), 0) + 1
    return {
        "total": len(kept),
        "nodes": {(node, depth[node]) for node in kept},
        "edges": edges,
        "complete": complete,
        "counts": {
            "by_depth_and_type": [
                {"depth": d, "type": t, "nodes": n}
                for (d, t), n in sorted(by_both.items(), key=lambda b: (b[0][0], compare_text(b[0][1])))
            ],
            "by_type": by_type, "by_depth": by_depth, "others": sum(by_type.values()) - 1,
            "note": "including the start, except in others",
        },
        "order": [handle(n) for n in sorted(kept, key=lambda n: (depth[n],) + order(n))],
    }


# ---- find_paths ----


def paths(graph, args):
    mode = args.get("mode", "shortest")
    weight = args.get("weight")
    labels = args.get("node_labels") or TYPES
    wanted = edge_filter(args.get("edge_filters"))
    how = {
        "names": names_of(args.get("relationship_types")),
        "direction": args.get("direction", "both"),
        "keep": lambda e: (not weight or weight in e.properties) and (wanted is None or wanted(e)),
    }
    between = passing(graph, args.get("between", {}))
    ends = set(selected(graph, args["to"]))
    found = []
    for start in selected(graph, args["from"]):
        pairs = {}
        for nodes, edges in graph.walks(start, args.get("max_hops", 3), **how):
            if nodes[-1] not in ends or any(n[0] not in labels or n not in between for n in nodes[1:-1]):
                continue
            if mode == "trails" and len(set(map(edge_key, edges))) < len(edges):
                continue
            if mode not in ("walks", "trails") and len(set(nodes)) < len(nodes):
                continue
            pairs.setdefault(nodes[-1], []).append((nodes, edges))
        for pair in pairs.values():
            found += best(pair, mode, weight)
    found.sort(key=lambda path: path_order(path, weight))
    return {"total": len(found), "paths": [shown(path, weight) for path in found]}


def best(pair, mode, weight):
    """The paths of one pair that the mode wants."""
    if mode in ("simple", "trails", "walks"):
        return pair
    cost = [path_weight(p, weight) if weight else len(p[1]) for p in pair]
    least = [p for p, c in zip(pair, cost) if c == min(cost)]
    return least if mode == "all_shortest" else [min(least, key=lambda p: path_order(p, weight))]


def path_weight(path, weight):
    return sum(Fraction(str(edge.properties[weight])) for edge in path[1])


def path_order(path, weight):
    """Weight, if asked for, then length, then handles, then the edges'
    relations, stored orientation along the path first."""
    nodes, edges = path
    cost = (path_weight(path, weight) if weight else 0, len(edges))
    ways = [
        (compare_text(edge.relation), edge.source != node)
        for node, edge in zip(nodes, edges)
    ]
    return (cost, [order(n) for n in nodes], ways)


def shown(path, weight):
    nodes, edges = path
    return {
        "nodes": [handle(n) for n in nodes],
        "edges": [edge_key(e) for e in edges],
        "cost": path_weight(path, weight) if weight else len(edges),
    }


# ---- aggregate_nodes ----


def aggregate(graph, args):
    nodes = selected(graph, args["node"])
    nodes = [n for n in nodes if chain_exists(graph, n, args.get("relationships", []))]
    keys = args.get("group_by", [])
    rows = {}
    by_steps = any("step" in key for key in keys)
    for node in nodes:
        for row in chain_rows(graph, node, args["relationships"]) if by_steps else [()]:
            for group in product([group_values(graph, node, key, row) for key in keys]):
                rows.setdefault(group, set()).add(node)
    if not keys:
        rows.setdefault((), set())
    table = [
        list(group) + [function(graph, members, one) for one in args["aggregations"]]
        for group, members in rows.items()
    ]
    return {"total": len(table), "rows": table}


def chain_exists(graph, node, chain):
    front = {node}
    for step in chain:
        link = Step(graph, step)
        ends = tested(graph, step.get("to"))
        front = {end for one in front for end in link.ends(one) if end in ends}
    return bool(front)


def chain_rows(graph, node, chain):
    """The ends of every step, for each row of the chain from a node."""
    rows = [(node,)]
    for step in chain:
        link = Step(graph, step)
        ends = tested(graph, step.get("to"))
        rows = [row + (end,) for row in rows for end in link.ends(row[-1]) if end in ends]
    return {row[1:] for row in rows}


def group_values(graph, node, key, row):
    """The group keys of one node: none where the relation leads nowhere."""
    if "step" in key:
        end = row[key["step"] - 1]
        return [end[1] if key.get("property") in (None, "id") else graph.nodes[end].get(key["property"])]
    if "relationship" not in key:
        value = graph.nodes[node].get(key["property"]) if key["property"] != "id" else node[1]
        if isinstance(value, list):
            return sorted(set(value)) or [None]
        return [truncated(value, key["truncate"]) if "truncate" in key and value is not None else value]
    how = {"names": [key["relationship"]], "direction": key.get("direction", "outgoing")}
    ends = {other for _, other in graph.steps(node, **how) if other[0] == key["label"]}
    if "filters" in key:
        ends &= tested(graph, {"label": key["label"], "filters": key["filters"]})
    if key.get("property") in (None, "id"):
        return sorted({end[1] for end in ends})
    values = {graph.nodes[end].get(key["property"]) for end in ends}
    return sorted(values, key=lambda v: (v is None, v))


def truncated(value, unit):
    """The start of a unit in UTC: a date of a date, an instant of an instant."""
    at = instant(value).astimezone(datetime.timezone.utc)
    day = at.date()
    if unit == "week":
        day -= datetime.timedelta(days=day.weekday())
    elif unit != "hour":
        day = day.replace(day=1, month={"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}[unit])
    if len(value) == len("2020-01-01"):
        return day.isoformat()
    return "%sT%02d:00:00Z" % (day.isoformat(), at.hour if unit == "hour" else 0)


def product(lists):
    groups = [()]
    for values in lists:
        groups = [group + (value,) for group in groups for value in values]
    return groups


def function(graph, members, one):
    name, prop = one["fn"], one.get("property")
    if prop is None:
        return len(members)
    values = [n[1] if prop == "id" else graph.nodes[n].get(prop) for n in members]
    values = [v for v in values if v is not None]
    if name == "count":
        return len(values)
    if name == "count_distinct":
        return len(set(values))
    if not values:
        return None
    if name in ("sum", "avg"):
        total = sum(Fraction(str(v)) for v in values)
        return total if name == "sum" else total / len(values)
    if prop == "color":
        ranks = [COLORS.index(v) for v in values]
        return COLORS[min(ranks) if name == "max" else max(ranks)]
    key = compare_text if isinstance(values[0], str) else None
    return min(values, key=key) if name == "min" else max(values, key=key)


# ---- BFS-QL ----


def resolve(graph, given):
    """A handle, or a bare id that exactly one node has."""
    kind, _, rest = given.partition(":")
    if (kind, rest) in graph.nodes:
        return (kind, rest)
    if kind in TYPES:
        return None
    same = [node for node in graph.nodes if node[1] == given]
    if len(same) > 1:
        raise Refused("INVALID_INPUT")
    return same[0] if same else None


class Refused(Exception):
    """The code of the error that the tool must answer with."""


def walk_of(args):
    return {"names": names_of(args.get("walk_predicates")), "direction": args.get("direction", "both")}


def bfs(graph, args):
    seeds = [resolve(graph, seed) for seed in args["seeds"]]
    known = [seed for seed in seeds if seed is not None]
    if not known:
        raise Refused("NOT_FOUND")
    hops = args["max_hops"]
    how = walk_of(args)
    depth = graph.distances(set(known), hops, **how)
    edges = {
        edge
        for node in depth
        for edge, other in graph.steps(node, **how)
        if other in depth and (depth[node] < hops or args.get("ring_edges") and depth[other] == hops)
    }
    return bfs_reply(graph, args, seeds, depth, edges)


def intersect(graph, args):
    if not args["seeds"]:
        raise Refused("INVALID_INPUT")
    seeds = [resolve(graph, seed) for seed in args["seeds"]]
    if None in seeds:
        return bfs_reply(graph, args, seeds, {}, set())
    how = walk_of(args)
    around = [graph.distances([seed], args["k"], **how) for seed in seeds]
    common = set.intersection(*[set(d) for d in around])
    depth = {node: min(d[node] for d in around) for node in common}
    edges = {e for node in common for e, other in graph.steps(node, names=how["names"], direction="both") if other in common}
    return bfs_reply(graph, args, seeds, depth, edges)


def bfs_reply(graph, args, seeds, depth, edges):
    excluded = args.get("exclude_node_types") or []
    kept = [n for n in depth if n[0] not in excluded and mentions(graph.nodes[n]) >= args.get("min_mentions", 1)]
    kept.sort(key=lambda n: (depth[n],) + order(n))
    edges = [e for e in edges if e.source in kept and e.target in kept]
    return {
        "total": len(kept),
        "list": [bfs_node(graph, args, node) for node in kept],
        "edges": {bfs_edge(args, edge) for edge in edges},
        "summary": (
            sorted({n[0] for n in kept}, key=compare_text),
            sorted({e.relation for e in edges}, key=compare_text),
        ),
        "counts": (len(kept), len(edges)),
        # each once, in the order asked
        "unknown": list(dict.fromkeys(given for given, node in zip(args["seeds"], seeds) if node is None)),
    }


def mentions(data):
    value = data.get("total_mentions")
    return value if isinstance(value, (int, float)) else float("inf")


def bfs_node(graph, args, node):
    full = not args.get("topology_only") and (args.get("node_types") is None or node[0] in args["node_types"])
    return (handle(node), node[0], frozen(graph.nodes[node]) if full else None)


def bfs_edge(args, edge):
    wanted = args.get("predicates")
    full = not args.get("topology_only") and (
        wanted is None or edge.relation in [INVERSES.get(name, name) for name in wanted]
    )
    properties = {
        k: v
        for k, v in edge.properties.items()
        if args.get("edge_detail") or k not in ("provenance", "note")
    }
    return (handle(edge.source), edge.relation, handle(edge.target), frozen(properties) if full else None)


def frozen(value):
    """A JSON value that can be in a set."""
    if isinstance(value, dict):
        return ("object",) + tuple(sorted((k, frozen(v)) for k, v in value.items()))
    if isinstance(value, list):
        return ("array",) + tuple(frozen(v) for v in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Fraction(str(value))
    return value


def describe_many(graph, args):
    found = [resolve(graph, given) for given in args["ids"]]
    return {"list": [described(graph, node) for node in found if node is not None]}


def describe(graph, args):
    node = resolve(graph, args["id"])
    if node is None:
        raise Refused("NOT_FOUND")
    return {"list": [described(graph, node)]}


def described(graph, node):
    return frozen(dict(graph.nodes[node], id=handle(node), entity_type=node[0]))


# ---- what has most to do with some entities ----


def rank(graph, args):
    """Personalised PageRank by power iteration."""
    seeds = [resolve(graph, seed) for seed in args["seeds"]]
    known = [seed for seed in seeds if seed is not None]
    if not known:
        raise Refused("NOT_FOUND")
    how = {"names": names_of(args.get("relationship_types")), "direction": args.get("direction", "both")}
    ends = {node: [other for _, other in graph.steps(node, **how)] for node in graph.nodes}
    damping = args.get("damping", 0.85)
    begin = {node: known.count(node) / len(known) for node in graph.nodes}
    score = dict(begin)
    for _ in range(600):
        lost = sum(score[node] for node in score if not ends[node])
        fresh = {node: begin[node] * (1 - damping + damping * lost) for node in score}
        for node in score:
            for end in ends[node]:
                fresh[end] += damping * score[node] / len(ends[node])
        score = fresh
    return {"scores": {handle(n): s for n, s in score.items() if n[0] in args.get("node_labels", TYPES)}}


# ---- claims ----


def verify(graph, args):
    return {"verdicts": [verdict(graph, claim) for claim in args["claims"]]}


def verdict(graph, claim):
    if "invalid" in claim:
        return "invalid"
    if "count" in claim:
        return "supported" if len(selected_nodes(graph, claim["count"])) == claim["is"] else "contradicted"
    if "none" in claim:
        return "contradicted" if selected_nodes(graph, claim["none"]) else "supported"
    ends = [tuple(claim[key].split(":", 1)) for key in ("entity", "from", "to") if key in claim]
    if any(end not in graph.nodes for end in ends):
        return "not_found"
    if "entity" in claim:
        return "supported"
    one, other = ends
    if "within" in claim:
        return "supported" if other in graph.distances([one], claim["within"]) else "not_found"
    triples = {edge.triple for edge in graph.edges}
    if (claim["relation"], one, other) in triples:
        return "supported"
    return "contradicted" if (claim["relation"], other, one) in triples else "not_found"


def selected_nodes(graph, call):
    arguments = dict(call["arguments"])
    return selected(graph, dict(arguments, label=arguments.pop("node_label")))
