"""Random small graphs as bundles, and random calls on them."""

from model import COLORS, COUNTED, INDEXED, INVERSES, PERSON, PLACE, RELATIONS, SCANNED, Edge, Graph, instant, order

IDS = ["a", "b", "c", "d", "e", "f", "g", "A", "10", "2", "é", "a:b", "x y", "%", "_"]
TAGS = ["t", "u", "v", "T"]
NUMBERS = [-3, 0, 1, 2, 10, 0.1, 0.2, 2.5, 1e10]
TYPES = [PERSON, PLACE]
# Some of them are the same instant.
DATES = ["2020-01-01", "2020-01-02", "2020-01-03"]
INSTANTS = [
    "2019-12-31T23:59:59.999999Z",
    "2020-01-01T00:00:00Z",
    "2020-01-01T01:00:00+01:00",
    "2020-01-01T23:59:59Z",
    "2020-01-01T19:00:00-05:00",
    "2020-01-02T00:00:00.000Z",
    "2020-01-02T00:00:00.5Z",
    "2020-01-02T12:00:00Z",
    "2020-01-03T05:30:00+05:30",
]


def counts(kind):
    return {
        name: {"type": "integer", "x-derived": {"count": relation, **({} if direction == "both" else {"direction": direction})}, "x-index": True}
        for name, (relation, direction) in COUNTED[kind].items()
    }


BUNDLE = {
    "bundle_name": "oracle",
    "version": "1",
    "description": "a random graph",
    "schemas": [
        {
            "entity_type": PERSON,
            "schema": {
                "type": "object",
                "x-id-field": "id",
                "x-label-field": "name",
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string", "x-index": True},
                    "n": {"type": ["integer", "null"], "x-index": True},
                    "color": {"enum": COLORS, "type": "string", "x-index": True},
                    "tags": {"type": "array", "items": {"type": "string"}, "x-index": True},
                    "total_mentions": {"type": ["integer", "null"]},
                    "hidden": {"type": "boolean"},
                    "begin": {"type": ["string", "null"], "format": "date-time"},
                    "end": {"type": "string", "format": "date"},
                    "knows": {"type": "array", "items": {"type": "string", "x-ref": PERSON}},
                    "home": {"type": ["string", "null"], "x-ref": PLACE, "x-relation": "LIVES_IN"},
                    **counts(PERSON),
                },
                "required": ["id", "name"],
            },
        },
        {
            "entity_type": PLACE,
            "schema": {
                "type": "object",
                "x-id-field": "id",
                "x-label-field": "name",
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string"},
                    "name": {"type": "string", "x-index": True},
                    "n": {"type": "number", "x-index": True},
                    "size": {"type": "integer", "x-index": True},
                    "hidden": {"type": "boolean"},
                    "begin": {"type": "string", "format": "date", "x-index": True},
                    "end": {"type": "string", "format": "date-time"},
                    **counts(PLACE),
                },
                "required": ["id"],
            },
        },
    ],
    "relations": [
        {
            "name": "LIKES",
            "from": PERSON,
            "to": to,
            "inverse": "LIKED_BY",
            "schema": {
                "type": "object",
                "properties": {
                    "w": {"type": "number", "x-index": True},
                    "note": {"type": "string", "x-detail": True},
                    "provenance": {"type": "string"},
                    "begin": {"type": "string", "format": "date-time"},
                    "end": {"type": "string", "format": "date-time"},
                },
            },
        }
        for to in TYPES
    ]
    + [{"name": "TWIN", "from": PERSON, "to": PERSON, "symmetric": True}],
}


def graph(rng):
    """A graph of at most 9 nodes, and the bundle that makes it."""
    g = Graph()
    people = rng.sample(IDS, rng.randint(1, 6))
    places = rng.sample(IDS, rng.randint(0, 3))
    for one in people:
        g.nodes[(PERSON, one)] = person(rng, one, people, places)
    for one in places:
        g.nodes[(PLACE, one)] = place(rng, one)
    for node, data in g.nodes.items():
        for friend in data.get("knows", []):
            g.edges.append(Edge("KNOWS", node, (PERSON, friend)))
        if data.get("home") is not None:
            g.edges.append(Edge("LIVES_IN", node, (PLACE, data["home"])))
    explicit = explicit_edges(rng, [(PERSON, p) for p in people], list(g.nodes))
    g.edges += explicit
    bundle = dict(BUNDLE)
    bundle["entities"] = [
        {"entity_type": kind, "items": [d for (t, _), d in g.nodes.items() if t == kind]} for kind in TYPES
    ]
    bundle["edges"] = [
        {
            "relation": e.relation,
            "from": "%s:%s" % e.source,
            "to": "%s:%s" % e.target,
            **({"properties": e.properties} if e.properties else {}),
        }
        for e in explicit
    ]
    return g, bundle


def period(rng, data, begins, ends):
    """A period that has some time in it, or a part of one."""
    if rng.random() < 0.5:
        return
    begin, end = rng.choice(begins), rng.choice(ends)
    if instant(begin) < instant(end):
        data.update(begin=begin, end=end)
    elif rng.random() < 0.5:
        data.update(begin=begin)
    else:
        data.update(end=end)


def periods(rng, bundle):
    """The bundle, where what is of some types and relations holds for a time; and
    their two properties, by name."""
    names = {}

    def draw(kind, schema):
        if kind not in names:
            names[kind] = rng.choice([("begin", "end"), ("begin", "end"), ("begin", None), (None, "end"), (None, None)])
        begin, end = names[kind]
        return dict(schema, **({"x-valid-from": begin} if begin else {}), **({"x-valid-to": end} if end else {}))

    drawn = dict(
        bundle,
        schemas=[dict(one, schema=draw(one["entity_type"], one["schema"])) for one in bundle["schemas"]],
        relations=[dict(one, schema=draw(one["name"], one["schema"])) if "schema" in one else one for one in bundle["relations"]],
    )
    return drawn, names


# What x-authorize may say of a type, beside its ability: the entity's own id, or
# a property, which need not have a value.
RESOURCES = {
    PERSON: [{}, {"resource_type": "user"}, {"id": "color"}, {"id": "n", "resource_type": PLACE}, {"id": "home", "resource_type": PLACE}],
    PLACE: [{}, {"id": "size"}, {"id": "name", "resource_type": PERSON}],
}
ABILITIES = ["see", "read"]


def authorize(rng, schemas):
    """The schemas, of which some have x-authorize."""
    if rng.random() < 0.5:
        return schemas
    drawn = []
    for one in schemas:
        kind = one["entity_type"]
        if rng.random() < 0.6:
            says = {"ability": rng.choice(ABILITIES), **rng.choice(RESOURCES[kind])}
            one = dict(one, schema=dict(one["schema"], **{"x-authorize": says}))
        drawn.append(one)
    return drawn


def authorized(bundle):
    return any("x-authorize" in one["schema"] for one in bundle["schemas"])


def denied(rng):
    """A random third of all questions: (resource type, ability, id)."""
    ids = IDS + COLORS + [str(n) for n in range(-1, 11)] + ["Paris", "paris", "Rome"]
    return {
        (kind, ability, one)
        for kind in [PERSON, PLACE, "user"]
        for ability in ABILITIES
        for one in sorted(set(ids))
        if rng.random() < 0.3
    }


def decider(bundle, no):
    """Whether an entity is seen, by the annotations and what is denied."""
    says = {one["entity_type"]: one["schema"].get("x-authorize") for one in bundle["schemas"]}

    def may(node, data):
        kind, own_id = node
        if says[kind] is None:
            return True
        value = data.get(says[kind]["id"]) if "id" in says[kind] else own_id
        if value is None:
            return False
        return (says[kind].get("resource_type", kind), says[kind]["ability"], str(value)) not in no

    return may


def changed(rng, g, bundle):
    """The same graph without one of its explicit edges, as a bundle again."""
    gone = rng.randrange(len(bundle["edges"]))
    explicit = [e for e in g.edges if e.relation not in ("KNOWS", "LIVES_IN")]
    g.edges.remove(explicit[gone])
    return dict(bundle, edges=bundle["edges"][:gone] + bundle["edges"][gone + 1 :])


def person(rng, one, people, places):
    data = {"id": one, "name": rng.choice(["Ann", "Bob", "ann", "Cy %", "Dé"])}
    maybe(rng, data, "n", lambda: rng.choice([None, -1, 0, 1, 2, 10]))
    maybe(rng, data, "color", lambda: rng.choice(COLORS))
    maybe(rng, data, "tags", lambda: rng.sample(TAGS, rng.randint(0, 3)))
    maybe(rng, data, "total_mentions", lambda: rng.choice([None, 0, 1, 2, 5]), 0.3)
    maybe(rng, data, "hidden", lambda: True, 0.2)
    period(rng, data, INSTANTS, DATES)
    maybe(rng, data, "knows", lambda: rng.sample(people, rng.randint(0, min(3, len(people)))), 0.7)
    if places:
        maybe(rng, data, "home", lambda: rng.choice(places + [None]))
    return data


def place(rng, one):
    data = {"id": one}
    maybe(rng, data, "name", lambda: rng.choice(["Paris", "paris", "Rome"]))
    maybe(rng, data, "n", lambda: rng.choice(NUMBERS))
    maybe(rng, data, "size", lambda: rng.randint(0, 3))
    maybe(rng, data, "hidden", lambda: True, 0.2)
    period(rng, data, DATES, INSTANTS)
    return data


def maybe(rng, data, name, value, chance=0.6):
    if rng.random() < chance:
        data[name] = value()


def explicit_edges(rng, people, nodes):
    """Edges of the declared relations; the same triple only once."""
    edges, seen = [], set()
    for _ in range(rng.randint(0, 9)):
        relation = rng.choice(["LIKES", "LIKES", "TWIN"])
        source = rng.choice(people)
        target = rng.choice(nodes if relation == "LIKES" else people)
        if relation == "TWIN" and order(source) > order(target):
            # Replacing keeps a stored symmetric edge the way round it is.
            source, target = target, source
        if (relation, source, target) in seen:
            continue
        seen.add((relation, source, target))
        properties = {}
        if relation == "LIKES":
            maybe(rng, properties, "w", lambda: rng.choice([0, 1, 2, 0.1, 0.2, 0.3, 5]))
            maybe(rng, properties, "note", lambda: "n", 0.2)
            maybe(rng, properties, "provenance", lambda: "p", 0.2)
            period(rng, properties, INSTANTS, INSTANTS)
        edges.append(Edge(relation, source, target, properties))
    return edges


# ---- calls ----


def some(rng, args, name, value, chance=0.5):
    if rng.random() < chance:
        args[name] = value()


def direction(rng):
    return rng.choice(["outgoing", "incoming", "both"])


def relation_names(rng):
    return rng.sample(list(RELATIONS) + list(INVERSES), rng.randint(1, 3))


def condition(rng, name):
    if name == "color":
        return rng.choice(
            [
                rng.choice(COLORS),
                {"in": rng.sample(COLORS, 2)},
                {"ne": rng.choice(COLORS)},
                {"is_null": rng.random() < 0.5},
            ]
        )
    if name == "tags":
        return rng.choice(
            [
                rng.choice(TAGS),
                {"contains_any": rng.sample(TAGS, 2)},
                {"contains_all": rng.sample(TAGS, 2)},
                {"in": rng.sample(TAGS, 2)},
                {"ne": rng.choice(TAGS)},
            ]
        )
    if name == "hidden":
        return rng.choice([True, False, {"ne": False}, {"is_null": rng.random() < 0.5}])
    if name in ("n", "size", "w", "total_mentions", "liked", "twins", "homes"):
        low = rng.choice([-1, 0, 1])
        return rng.choice(
            [
                rng.choice([0, 1, 2]),
                {"gte": low, "lt": low + rng.choice([1, 2, 10])},
                [{"gt": low}, {"lte": low + 3}],
                {"lte": 1},
                {"ne": 1},
                {"is_not_null": rng.random() < 0.5},
            ]
        )
    text = ["Ann", "ann", "Paris"] if name == "name" else IDS
    return rng.choice(
        [
            rng.choice(text),
            {"in": rng.sample(text, 3)},
            {"starts_with": rng.choice(["A", "a", "P", "%", "é"])},
            {"contains": rng.choice(["n", "a", "%", "_", ":"])},
            {"ends_with": rng.choice(["n", "b", "y", "%"])},
            {"gt": "B"},
        ]
    )


def filters(rng, kind, names=None):
    names = names or INDEXED[kind] + (SCANNED[kind] if rng.random() < 0.3 else [])

    def plain():
        return {name: condition(rng, name) for name in rng.sample(names, rng.randint(1, min(2, len(names))))}

    if rng.random() < 0.7:
        return plain()
    return (plain() if rng.random() < 0.4 else {}) | {"any": [plain() for _ in range(rng.randint(2, 4))]}


def selector(rng, label="label"):
    kind = rng.choice([PERSON, PERSON, PLACE])
    args = {label: kind}
    some(rng, args, "ids", lambda: rng.sample(IDS, rng.randint(1, 8)))
    some(rng, args, "filters", lambda: filters(rng, kind), 0.3)
    return connected(rng, args, 0.2)


def connected(rng, args, likely, nested=True):
    """What it must be connected to, and what not."""
    some(rng, args, "related", lambda: [chains(rng, nested) for _ in range(rng.randint(1, 2))], likely)
    some(rng, args, "not_related", lambda: [chains(rng, nested)], likely)
    return args


def chains(rng, nested):
    """A chain, or alternatives."""
    if rng.random() < 0.8:
        return chain(rng, nested)
    return {"any": [chain(rng, nested) for _ in range(rng.randint(2, 3))]}


def chain(rng, nested):
    """A step, or an array of them; the last may count."""
    steps = [one_hop(rng, nested) for _ in range(rng.choice([1, 1, 2, 3]))]
    some(rng, steps[-1], "min_count", lambda: rng.randint(1, 3), 0.2)
    some(rng, steps[-1], "max_count", lambda: rng.randint(steps[-1].get("min_count", 1), 4), 0.2)
    return steps if len(steps) > 1 or rng.random() < 0.3 else steps[0]


def one_hop(rng, nested):
    args = step(rng)
    if rng.random() < 0.6:
        args.pop("min_hops", None)
        args.pop("max_hops", None)
    if rng.random() < 0.3:
        args["to"] = args.get("to", {}) | {"ids": rng.sample(IDS, rng.randint(1, 4))}
    if nested and rng.random() < 0.2:
        args["to"] = connected(rng, args.get("to", {}), 0.5, False)
    return args


def test(rng):
    args = {}
    some(rng, args, "label", lambda: rng.choice(TYPES))
    some(rng, args, "filters", lambda: filters(rng, args.get("label"), None if "label" in args else ["n", "name", "id", "liked"]), 0.3)
    return args


def step(rng):
    args = {"type": rng.choice([rng.choice(relation_names(rng)), relation_names(rng), "*"])}
    some(rng, args, "direction", lambda: direction(rng), 0.7)
    if rng.random() < 0.4:
        args["min_hops"] = rng.randint(0, 3)
        args["max_hops"] = rng.randint(max(args["min_hops"], 1), 3)
    some(rng, args, "to", lambda: test(rng), 0.4)
    if args["type"] in ("LIKES", "*", "LIKED_BY"):
        some(rng, args, "filters", lambda: {"w": condition(rng, "w")}, 0.3)
    return args


def kg_find_nodes(rng):
    args = selector(rng, "node_label")
    fields = ["id", "name", "n", "color", "liked"] if args["node_label"] == PERSON else ["id", "name", "n", "size", "homes"]
    some(
        rng,
        args,
        "sort",
        lambda: [
            {"field": f, "order": rng.choice(["asc", "desc"])} for f in rng.sample(fields, rng.randint(1, 2))
        ],
    )
    return args


def kg_traverse(rng):
    args = {"from": selector(rng), "relationships": [step(rng) for _ in range(rng.choice([1, 1, 2, 3]))]}
    some(rng, args, "to", lambda: to_test(rng), 0.5)
    some(rng, args, "unique", lambda: rng.choice(["none", "edges", "nodes"]), 0.4)
    return args


def to_test(rng):
    kind = rng.choice(TYPES)
    args = {"label": kind}
    some(rng, args, "filters", lambda: filters(rng, kind), 0.3)
    return connected(rng, args, 0.2)


def kg_neighbors(rng):
    args = {"start_node": {"label": rng.choice([PERSON, PERSON, PLACE]), "node_id": rng.choice(IDS)}}
    some(rng, args, "max_hops", lambda: rng.choice([1, 2, 3, 5, "all"]))
    some(rng, args, "direction", lambda: direction(rng))
    some(rng, args, "relationship_types", lambda: relation_names(rng))
    some(rng, args, "node_labels", lambda: rng.sample(TYPES, rng.randint(1, 2)), 0.3)
    labels = args.get("node_labels", TYPES)
    some(rng, args, "filters", lambda: filters(rng, labels[0] if len(labels) == 1 else None, None if len(labels) == 1 else ["n", "name", "id", "color", "twins"]), 0.3)
    return args


def kg_paths(rng):
    args = {"from": selector(rng), "to": selector(rng)}
    some(rng, args, "max_hops", lambda: rng.randint(1, 4))
    some(rng, args, "direction", lambda: direction(rng))
    some(rng, args, "relationship_types", lambda: relation_names(rng), 0.4)
    some(rng, args, "node_labels", lambda: [rng.choice(TYPES)], 0.3)
    some(rng, args, "mode", lambda: rng.choice(["shortest", "all_shortest", "simple", "trails", "walks"]), 0.8)
    if args.get("mode") in ("simple", "trails", "walks"):
        args["max_hops"] = min(args.get("max_hops", 3), 3)
    some(rng, args, "between", lambda: between(rng), 0.3)
    if "relationship_types" not in args or {"LIKES", "LIKED_BY"} & set(args["relationship_types"]):
        some(rng, args, "edge_filters", lambda: {"w": condition(rng, "w")}, 0.2)
    if args.get("mode", "shortest") != "all_shortest" and rng.random() < 0.3:
        args["weight"] = "w"
        args["relationship_types"] = ["LIKES"]
        some(rng, args, "limit", lambda: rng.randint(1, 4), 0.3)
    return args


def between(rng):
    args = test(rng)
    some(rng, args, "ids", lambda: rng.sample(IDS, rng.randint(3, 8)), 0.3)
    return connected(rng, args, 0.2)


def kg_aggregate(rng):
    node = selector(rng)
    args = {"node": node, "aggregations": aggregations(rng, node["label"])}
    some(rng, args, "relationships", lambda: [step(rng) for _ in range(rng.choice([1, 2]))], 0.4)
    some(rng, args, "group_by", lambda: groups(rng, node["label"]), 0.6)
    for key in args.get("group_by", []):
        if "relationship" in key:
            some(rng, key, "filters", lambda: filters(rng, key["label"]), 0.3)
    labelled = [i + 1 for i, one in enumerate(args.get("relationships", [])) if "label" in one.get("to", {})]
    if labelled and rng.random() < 0.7:
        steps = [{"step": i} for i in labelled]
        for key in steps:
            some(rng, key, "property", lambda: rng.choice(["name", "n", "liked"]), 0.5)
        args["group_by"] = args.get("group_by", [])[:2] + steps
    return args


def aggregations(rng, kind):
    numbers = ["n", "twins"] if kind == PERSON else ["n", "size", "liked"]
    ordered = numbers + ["name", "id"] + (["color"] if kind == PERSON else [])
    choices = [{"fn": "count"}]
    choices += [{"fn": fn, "property": p} for fn in ("sum", "avg") for p in numbers]
    choices += [{"fn": fn, "property": p} for fn in ("min", "max", "count", "count_distinct") for p in ordered]
    return rng.sample(choices, rng.randint(1, 4))


def groups(rng, kind):
    keys = [{"property": p} for p in (["name", "color", "n", "tags", "total_mentions", "liked"] if kind == PERSON else ["name", "size", "homes"])]
    units = ["week", "month", "quarter", "year"] + (["hour"] if kind == PERSON else [])
    keys.append({"property": "begin", "truncate": rng.choice(units)})
    if kind == PERSON:
        keys += [
            {"relationship": "LIVES_IN", "direction": "outgoing", "label": PLACE, "property": "name"},
            {"relationship": "KNOWS", "direction": "incoming", "label": PERSON},
            {"relationship": "LIKES", "direction": "outgoing", "label": PLACE},
            {"relationship": "TWIN", "direction": "both", "label": PERSON, "property": "n"},
            {"relationship": "LIVES_IN", "direction": "outgoing", "label": PLACE, "property": "homes"},
            {"relationship": "KNOWS", "direction": "outgoing", "label": PERSON, "property": "liked"},
        ]
    else:
        keys += [{"relationship": "LIKES", "direction": "incoming", "label": PERSON, "property": "name"}]
    return rng.sample(keys, rng.randint(1, 2))


def handle(rng):
    one = rng.choice(IDS)
    return rng.choice(["%s:%s" % (rng.choice([PERSON, PERSON, PLACE]), one), one])


def detail(rng, args):
    some(rng, args, "node_types", lambda: rng.sample(TYPES, rng.randint(1, 2)), 0.3)
    some(rng, args, "exclude_node_types", lambda: rng.sample(TYPES, rng.randint(0, 1)), 0.3)
    some(rng, args, "predicates", lambda: rng.sample(list(RELATIONS), rng.randint(1, 2)), 0.3)
    some(rng, args, "min_mentions", lambda: rng.randint(1, 3), 0.3)
    some(rng, args, "topology_only", lambda: rng.random() < 0.5, 0.2)
    some(rng, args, "edge_detail", lambda: rng.random() < 0.5, 0.2)
    some(rng, args, "walk_predicates", lambda: rng.sample(list(RELATIONS), rng.randint(1, 2)), 0.3)
    some(rng, args, "direction", lambda: direction(rng), 0.3)
    return args


def kg_bfs(rng):
    args = {"seeds": [handle(rng) for _ in range(rng.randint(1, 3))], "max_hops": rng.randint(1, 3)}
    some(rng, args, "ring_edges", lambda: rng.random() < 0.5, 0.3)
    return detail(rng, args)


def kg_intersect(rng):
    args = {"seeds": [handle(rng) for _ in range(rng.randint(1, 3))], "k": rng.randint(1, 3)}
    return detail(rng, args)


def kg_describe(rng):
    return {"id": handle(rng)}


def kg_describe_many(rng):
    return {"ids": [handle(rng) for _ in range(rng.randint(0, 5))]}


def kg_rank(rng):
    args = {"seeds": [handle(rng) for _ in range(rng.randint(1, 3))]}
    some(rng, args, "damping", lambda: rng.choice([0, 0.3, 0.85, 0.95]))
    some(rng, args, "epsilon", lambda: rng.choice([0.0001, 0.01]), 0.3)
    some(rng, args, "direction", lambda: direction(rng))
    some(rng, args, "relationship_types", lambda: relation_names(rng), 0.3)
    some(rng, args, "node_labels", lambda: [rng.choice(TYPES)], 0.3)
    return args


def kg_verify(rng):
    return {"claims": [rng.choice([claim_of_entity, claim_of_edge, claim_of_reach, claim_of_call])(rng) for _ in range(rng.randint(1, 5))]}


def full_handle(rng, kind=None):
    return "%s:%s" % (kind or rng.choice(TYPES), rng.choice(IDS))


def claim_of_entity(rng):
    return {"entity": full_handle(rng)}


def claim_of_edge(rng):
    relation, to = rng.choice([("KNOWS", PERSON), ("LIVES_IN", PLACE), ("LIKES", PERSON), ("LIKES", PLACE)])
    return {"from": full_handle(rng, PERSON), "relation": relation, "to": full_handle(rng, to)}


def claim_of_reach(rng):
    return {"from": full_handle(rng), "to": full_handle(rng), "within": rng.randint(1, 4)}


def claim_of_call(rng):
    call = {"tool": "find_nodes", "arguments": selector(rng, "node_label")}
    return {"none": call} if rng.random() < 0.4 else {"count": call, "is": rng.randint(0, 3)}


CALLS = [kg_find_nodes, kg_traverse, kg_neighbors, kg_paths, kg_aggregate, kg_bfs, kg_intersect, kg_describe, kg_describe_many, kg_rank, kg_verify]
