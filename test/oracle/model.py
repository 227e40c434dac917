"""A graph in plain dictionaries, and walks over it, as tools.md describes them.

Nothing here is clever: every answer is found by trying everything, so that
it can be believed without reading the extension.
"""

import datetime

PERSON, PLACE = "Person", "Place"
COLORS = ["red", "green", "blue"]
# What is filtered by; of the second no index knows.
INDEXED = {PERSON: ["id", "name", "n", "color", "tags", "liked", "twins"], PLACE: ["id", "name", "n", "size", "liked", "homes"]}
SCANNED = {PERSON: ["total_mentions", "hidden", "home", "knows"], PLACE: ["hidden"]}

# name: (variants, symmetric, inverse name)
RELATIONS = {
    "KNOWS": ([(PERSON, PERSON)], False, None),
    "LIVES_IN": ([(PERSON, PLACE)], False, None),
    "LIKES": ([(PERSON, PERSON), (PERSON, PLACE)], False, "LIKED_BY"),
    "TWIN": ([(PERSON, PERSON)], True, None),
}
# Counts of edges: (relation, direction).
COUNTED = {
    PERSON: {"liked": ("LIKES", "incoming"), "twins": ("TWIN", "both")},
    PLACE: {"liked": ("LIKES", "incoming"), "homes": ("LIVES_IN", "incoming")},
}
INVERSES = {inverse: name for name, (_, _, inverse) in RELATIONS.items() if inverse}


def instant(text):
    """A date-time, or where a date begins in UTC."""
    if len(text) == len("2020-01-01"):
        text += "T00:00:00Z"
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def holds(data, period, at):
    """Whether what has these properties holds at an instant; period names two of
    them, or None."""
    begin, end = (data.get(name) if name else None for name in period)
    return (begin is None or instant(begin) <= instant(at)) and (end is None or instant(at) < instant(end))


class Edge:
    """A stored edge; two edges are the same when their triples are."""

    def __init__(self, relation, source, target, properties=None):
        self.relation = relation
        self.source = source
        self.target = target
        self.properties = properties or {}

    @property
    def triple(self):
        return (self.relation, self.source, self.target)

    def __repr__(self):
        return "%s-%s->%s" % (self.source, self.relation, self.target)


class Graph:
    """Nodes are (type, id) with their documents, edges a list."""

    def __init__(self):
        self.nodes = {}
        self.edges = []

    def visible(self, sees):
        """The graph without the nodes that sees(node, document) hides."""
        view = Graph()
        view.nodes = {node: data for node, data in self.nodes.items() if sees(node, data)}
        view.edges = [e for e in self.edges if e.source in view.nodes and e.target in view.nodes]
        return view

    def at(self, instant, periods):
        """The graph of what holds at an instant; periods by type and relation."""
        view = self.visible(lambda node, data: holds(data, periods[node[0]], instant))
        view.edges = [e for e in view.edges if holds(e.properties, periods.get(e.relation, (None, None)), instant)]
        return view

    def counted(self):
        """The graph with what its types count, of the edges that are in it."""
        view = Graph()
        view.edges = self.edges
        for node, data in self.nodes.items():
            counts = {name: len(self.steps(node, [relation], direction)) for name, (relation, direction) in COUNTED[node[0]].items()}
            view.nodes[node] = dict(data, **counts)
        return view

    def steps(self, node, names=None, direction="both", keep=None):
        """The edges that lead from a node, each with the node at its other end.

        names: relations or inverse names, None for all; keep(edge) is a filter.
        An edge is there once, also when both directions would take it.
        """
        found = []
        for edge in self.edges:
            if keep is not None and not keep(edge):
                continue
            forward = backward = False
            for name in names if names is not None else RELATIONS:
                stored = INVERSES.get(name, name)
                if stored != edge.relation:
                    continue
                out = direction in ("outgoing", "both")
                back = direction in ("incoming", "both")
                if RELATIONS[stored][1]:
                    out = back = True
                elif name in INVERSES:
                    out, back = back, out
                forward = forward or out
                backward = backward or back
            if forward and edge.source == node:
                found.append((edge, edge.target))
            elif backward and edge.target == node:
                found.append((edge, edge.source))
        return found

    def distances(self, starts, hops, **how):
        """{node: distance} of what lies within so many hops of any start."""
        depth = {node: 0 for node in starts}
        for hop in range(1, hops + 1):
            for node in [n for n, d in depth.items() if d == hop - 1]:
                for _, other in self.steps(node, **how):
                    depth.setdefault(other, hop)
        return depth

    def walk_ends(self, start, low, high, **how):
        """{end: the shortest length in low..high of a walk that ends there}."""
        ends, front = {start: 0} if low == 0 else {}, {start}
        for length in range(1, high + 1):
            front = {other for node in front for _, other in self.steps(node, **how)}
            if length >= low:
                for end in front:
                    ends.setdefault(end, length)
        return ends

    def walks(self, start, hops, **how):
        """All walks of 1..hops edges from a node: ([nodes], [edges])."""
        front = [([start], [])]
        for _ in range(hops):
            front = [
                (nodes + [other], edges + [edge])
                for nodes, edges in front
                for edge, other in self.steps(nodes[-1], **how)
            ]
            yield from front


def compare_text(value):
    """Text compares by code point, as COLLATE "C" does on UTF-8."""
    return value.encode()


def order(node):
    return (compare_text(node[0]), compare_text(node[1]))


def matches(value, condition):
    """A filter condition on a property's value (None: missing or null)."""
    if isinstance(condition, list):
        return all(matches(value, one) for one in condition)
    if not isinstance(condition, dict):
        condition = {"eq": condition}
    return all(matches_one(value, op, arg) for op, arg in condition.items())


def matches_one(value, op, arg):
    if op == "is_null":
        return (value is None) == arg
    if op == "is_not_null":
        return (value is not None) == arg
    if value is None:
        return False
    members = value if isinstance(value, list) else [value]
    key = compare_text if members and isinstance(members[0], str) else (lambda v: v)
    if op == "eq":
        return arg in members
    if op == "ne":
        return arg not in members
    if op == "in":
        return any(m in arg for m in members)
    if op == "contains_any":
        return any(a in members for a in arg)
    if op == "contains_all":
        return all(a in members for a in arg)
    if op == "gt":
        return any(key(m) > key(arg) for m in members)
    if op == "gte":
        return any(key(m) >= key(arg) for m in members)
    if op == "lt":
        return any(key(m) < key(arg) for m in members)
    if op == "lte":
        return any(key(m) <= key(arg) for m in members)
    if op == "contains":
        return any(arg in m for m in members)
    if op == "starts_with":
        return any(m.startswith(arg) for m in members)
    if op == "ends_with":
        return any(m.endswith(arg) for m in members)
    raise ValueError(op)


def passes(node, data, filters):
    """Whether a node passes filters; id is the entity's own."""
    return all(
        any(passes(node, data, one) for one in condition)
        if name == "any"
        else matches(node[1] if name == "id" else data.get(name), condition)
        for name, condition in (filters or {}).items()
    )
