"""The small bundle test/data/product.json, copies of its entities, and random calls of tools about them."""
import json
import os

from sessions import quoted as literal
from statements import Statements

# In every text of what must not be seen; what is asked for has parts of it.
SECRET = "zqxj-of-tenant-b"


def whole():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "product.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def new_id(entity_type, i):
    """The property that has the id, and the id of the i-th entity that is added."""
    return {"module": ("id", "module-%d" % i), "release": ("build", "b9%03d" % i),
            "known_issue": ("key", "KI-9%03d" % i), "resolution": ("id", "R-9%03d" % i)}[entity_type]


def add(entities, count):
    """Mark what there is with the secret, and add copies under ids of their own."""
    items = entities["items"]
    for item in items:
        for key in ("name", "title", "summary", "notes", "symptom"):
            if key in item:
                item[key] += " " + SECRET
    for i in range(count):
        new = dict(items[i % len(items)])
        key, new[key] = new_id(entities["entity_type"], i)
        if entities["entity_type"] == "release":
            new["number"] = "9.9.%d" % i
        items.append(new)


# Names as somebody may ask for them, each with two typing errors.
MISSPELT = ["shcedulre", "atrifcat", "mteadaat", "sadnbxo", "biuld wokrer"]


def crowd(word, count):
    """So many texts that differ from one by a letter: nearer to it than the name that was meant."""
    texts = [word[:i] + c + word[i + 1:] for c in "abcdefghijklmnopqrstuvwxyz" for i in range(1, len(word))]
    texts = sorted(set(texts) - {word})
    return texts[::len(texts) // count][:count]


def crowding(each):
    """Modules with the names that crowd the neighbourhood of misspelt words."""
    return [{"id": "near-%d" % i, "name": name, "tier": "core", "owner": {"team": SECRET}, "depends_on": [], "since": "2026-01-01"}
            for i, name in enumerate(text for word in MISSPELT for text in crowd(word, each))]


# What there is to ask about.
LABELS = ["module", "release", "known_issue", "resolution", "product/module", "modul", "person"]
IDS = ["queue", "worker", "scheduler", "b1001", "b1003", "KI-101", "KI-104", "R-1", "R-2",
       "nobody", "module-3", "KI-9001", "b9001"]
RELATIONS = ["AFFECTS", "DEPENDS_ON", "FIXED_BY", "FOUND_IN", "TALKS_TO", "REGRESSES",
             "REGRESSED_BY", "SHIPS_WITH", "SUPERSEDES", "RESOLVES", "AFFECT"]
FILTERS = [{"tier": "core"}, {"severity": {"in": ["blocker", "minor"]}}, {"reports": {"gte": 3}},
           {"name": {"contains": "e"}}, {"number": {"starts_with": "9"}}, {"tags": "stateful"},
           {"status": "open", "reports": {"lt": 50}}, {"severity": "Blocker"}, {"id": "queue"},
           {"since": {"gt": "2020-01-01"}}, {"resolution": {"is_null": True}}, {"tier": "kore"},
           {"any": [{"tier": "core"}, {"name": {"starts_with": "q"}}]}, {"any": [{"severity": "minor"}, {"reports": {"gte": 9}}, {"id": "KI-101"}], "status": "open"},
           {"any": [{"number": "9.9.1"}, {"kind": {"is_null": True}}]}, {"found_in": "9.9.3"}, {"reports": {"gt": 9, "lt": 3}}]
WORDS = ["queue", "que", "zqxj", "qeue", "of-tenant-b", "1", "worker pool", "KI-9001", "scheduler", "x",] + MISSPELT


# Properties by which there is something to group, and edges to what has some.
GROUPS = {"module": ["tier", "depends_on", "tags", "name"], "release": ["long_term", "number"], "known_issue": ["severity", "status", "tags"], "resolution": ["kind"]}
EDGES = [("TALKS_TO", "module"), ("DEPENDS_ON", "module"), ("AFFECTS", "module"), ("REGRESSES", "known_issue"), ("FIXED_BY", "resolution"), ("FOUND_IN", "release")]


def aggregate(r, label, ids):
    """The arguments of an aggregate over entities of a type, of some of which the ids are given."""
    some = lambda **kw: {k: v for k, v in kw.items() if r.random() < .4}
    relation, other = r.choice(EDGES)
    step = {"type": relation, "direction": r.choice(["outgoing", "incoming"])}
    group = r.choice([{"property": r.choice(GROUPS.get(label, ["name"]))}, {"relationship": relation, "direction": step["direction"], "label": other, "property": r.choice(GROUPS[other] + ["id"])}])
    node = dict({"label": label}, **r.choice([{}, {}, {"ids": r.sample(ids, min(3, len(ids)))}, {"filters": r.choice(FILTERS)}]))
    functions = [{"fn": "count"}, {"fn": "count_distinct", "property": r.choice(GROUPS.get(label, ["name"]))}, {"fn": r.choice(["sum", "max", "avg"]), "property": "reports"}]
    return dict({"node": node, "aggregations": r.choice([functions[:1], functions[:1], functions[:2], functions[2:]])}, **some(group_by=[group], relationships=[step]))


def compact_call(r, of):
    """A call of one of the compact tools; of are the random parts of calls."""
    label, handle, relation, some, direction, selector, step, chain, ids = (
        of[k] for k in ("label", "handle", "relation", "some", "direction", "selector", "step", "chain", "ids"))
    ends = lambda: r.choice([handle, lambda: [handle(), handle()], selector])()
    limit = lambda: r.choice([0, 1, 2, 5, 30])
    related = lambda: some(related=[chain()], not_related=[chain()])
    fields = lambda: r.choice([["name"], ["*"], ["title", "tier"], ["nam"]])
    name, arguments = r.choice([
        lambda: ("find", dict({"type": label()}, **some(ids=ids(), filters=r.choice(FILTERS), query=r.choice(WORDS), sort=[{"field": "id", "order": "desc"}], limit=limit(), citations=True), **related())),
        lambda: ("find", dict({"query": r.choice(WORDS)}, **some(type=label(), limit=limit()))),
        lambda: ("get", dict({"handles": [handle() for _ in range(r.randint(1, 3))]}, **some(fields=fields()))),
        lambda: ("schema", some(type=label())),
        lambda: ("follow", dict({"from": ends(), "steps": [step() for _ in range(r.randint(1, 2))]}, **some(limit=limit(), fields=fields(), edge_columns=["*"]))),
        lambda: ("around", dict({"handle": handle()}, **some(max_hops=r.choice([1, 2, 3, "all"]), direction=direction(), relations=[relation()], types=[label()], fields=fields(), limit=limit()))),
        lambda: ("connect", dict({"from": ends(), "to": ends()}, **some(max_hops=r.randint(1, 4), mode=r.choice(["shortest", "all_shortest", "simple", "walks"]), relations=[relation()], types=[label()], limit=limit()))),
        lambda: ("connect", dict({"from": [handle(), handle()], "within": r.randint(1, 3)}, **some(fields=fields()))),
        lambda: ("count", dict({"node": {"label": label()}, "steps": [step(), step()], "group_by": [dict({"step": r.randint(1, 2)}, **some(property=r.choice(["name", "tier", "severity", "number"]), label=label()))]}, **some(limit=limit()), **related())),
        lambda: ("count", dict({"node": r.choice([{"label": label()}, selector()])}, **some(group_by=[{"property": r.choice(["tier", "severity", "status"])}]), **related())),
        lambda: ("verify", {"claims": [r.choice([{"entity": handle()}, {"from": handle(), "relation": relation(), "to": handle()}, {"from": handle(), "to": handle(), "within": r.randint(1, 3)}, {"name": r.choice(WORDS)},
                                                 {"count": {"tool": "find", "arguments": {"type": label()}}, "is": r.choice([4, 11, {"gte": 12}])}, {"none": {"tool": "around", "arguments": {"handle": handle()}}}]) for _ in range(r.randint(1, 3))]}),
    ])()
    # but for the clock, which the revision has too
    return "(kg_call_tool(%s, %s) -> 'structuredContent') - 'checked_at' - 'revision'" % (literal(name), literal(json.dumps(arguments)))


# The tables of a query, of the types and relations that a writer of SQL sees.
TEXT, NUMBER, FLAG, DAY, TEXTS = "text", "numeric", "boolean", "date", "text[]"
TABLES = {"module": {"id": TEXT, "name": TEXT, "tier": TEXT, "tags": TEXTS, "depends_on": TEXTS, "since": DAY, "deprecated": FLAG, "owner": "jsonb"},
          "release": {"id": TEXT, "number": TEXT, "released": DAY, "long_term": FLAG, "supersedes": TEXT, "notes": TEXT},
          "known_issue": {"id": TEXT, "title": TEXT, "severity": TEXT, "status": TEXT, "tags": TEXTS},
          "resolution": {"id": TEXT, "kind": TEXT},
          "AFFECTS": {"from": TEXT, "to": TEXT, "from_type": TEXT}, "DEPENDS_ON": {"from": TEXT, "to": TEXT}, "FOUND_IN": {"from": TEXT, "to": TEXT}, "REGRESSES": {"from": TEXT, "to": TEXT}}
CALLS = ["neighbors('module:queue', 2)", "neighbors('known_issue:' || {text}, 1, 'AFFECTS')", "reach('module', 'worker', 'DEPENDS_ON', 'both', 3)", "path('known_issue:KI-101', 'module:worker', 4)",
         "path('module:' || {text}, 'module:queue', 2)", "search('queue')", "search('qeue', 'module', 3)", "search('zqxj')"]


def random_query(r):
    """A SELECT, some of which are wrong, and have errors with names that are near."""
    sql = Statements(r, TABLES, calls=CALLS).statement(1)
    if r.random() < .15:
        sql = sql.replace(r.choice(["module", "name", "AFFECTS", "tier", "id", "upper("]), r.choice(["modul", "nam", "no_such", "kg_entity", "person"]), 1)
    return "kg_query(%s)" % literal(json.dumps(dict({"sql": sql}, **r.choice([{}, {}, {"limit": r.choice([1, 3, 50])}, {"max_bytes": r.choice([400, 2000])}]))))


def random_call(r):
    if r.random() < .33:
        return random_query(r)
    label = lambda: r.choice(LABELS[:4] if r.random() < .85 else LABELS)
    ids = lambda: r.sample(IDS, r.randint(1, 3))
    handle = lambda: "%s:%s" % (label(), r.choice(IDS)) if r.random() < .8 else r.choice(IDS)
    relation = lambda: r.choice(RELATIONS) if r.random() < .7 else "*"
    some = lambda **kw: {k: v for k, v in kw.items() if r.random() < .5}
    direction = lambda: r.choice(["outgoing", "incoming", "both"])
    end = lambda: some(to=r.choice([{"ids": ids()}, {"label": label()}, {"filters": r.choice(FILTERS)}, {"not_related": [{"type": relation(), "direction": direction()}]}]))
    hop = lambda: dict({"type": relation()}, **some(direction=direction()), **end())
    chain = lambda: r.choice([hop, lambda: [hop(), hop()], lambda: dict(hop(), min_count=r.randint(1, 3))])()
    connected = lambda: r.choice([{"related": [chain()]}, {"not_related": [chain()]}, {}, {}])
    selector = lambda: dict({"label": label()}, **r.choice([{"ids": ids()}, {"filters": r.choice(FILTERS)}, {}]), **connected())
    limit = lambda: r.choice([0, 1, 2, 5, 30])
    told = lambda: r.choice([{}, {}, {"ids_only": True}, {"columns": r.choice([["name"], ["*"], ["known_issue.title", "tier"], ["kind", "number"], ["nam"]])}, {"edge_columns": ["*"]}])
    step = lambda: dict({"type": relation()}, **some(
        direction=r.choice(["outgoing", "incoming", "both"]), max_hops=r.randint(1, 3),
        to=r.choice([{"label": label()}, {"filters": r.choice(FILTERS)}])))
    tool = r.randrange(26)
    if tool >= 20:
        return compact_call(r, dict(label=label, handle=handle, relation=relation, some=some, direction=direction, selector=selector, step=step, chain=chain, ids=ids))
    if tool == 0:
        return "kg_get(%s, %s)" % (literal(label()), literal(r.choice(IDS)))
    if tool == 1:
        return "kg_get(%s, ARRAY[%s])" % (literal(label()), ",".join(map(literal, ids())))
    if tool in (2, 3, 4):
        arguments = some(filters=r.choice(FILTERS), search=r.choice(WORDS), limit=limit(), offset=r.choice([0, 1, 7]),
                         sort=[{"field": r.choice(["name", "reports", "severity", "number", "id"]), "order": r.choice(["asc", "desc"])}],
                         max_bytes=r.choice([256, 600, 4000]), **connected())
        name = r.choice(["kg_list", "kg_list", "kg_list_ids"])
        return "%s(%s, %s)" % (name, literal(label()), literal(json.dumps(arguments)))
    if tool == 5:
        return "kg_call_tool(%s, %s)" % (
            literal(r.choice(["list_module", "get_module", "list_known_issue_ids", "list_nothing", "find_nodes", "search_entities"])),
            literal(json.dumps(some(limit=limit(), ids=ids(), query=r.choice(WORDS), search=r.choice(WORDS)))))
    if tool == 6 and r.random() < .5:
        return "kg_duplicates(%s, %s)" % (literal(label()), literal(json.dumps(dict(
            {"min_score": r.choice([0.05, 0.2]), "limit": limit()}, **some(ids=ids(), relations=[relation()], min_similarity=.3, offset=r.choice([0, 2]))))))
    if tool == 6:
        return r.choice(["kg_list_tools()", "kg_export_bundle('product')", "kg_export_bundle('produkt')"])
    name, arguments = [
        ("kg_graph_schema", some(expand_nodes=[label()], expand_schema=True)),
        ("kg_find_nodes", dict(node_label=label(), **some(filters=r.choice(FILTERS), ids=ids(), limit=limit(), search=r.choice(WORDS)), **connected(), **told())),
        ("kg_traverse", dict({"from": selector(), "relationships": [step() for _ in range(r.randint(1, 3))], "limit": limit()}, **told())),
        ("kg_neighbors", dict(start_node={"label": label(), "node_id": r.choice(IDS)}, **some(
            max_hops=r.choice([1, 2, 3, 5, "all"]), direction=r.choice(["outgoing", "incoming", "both"]), limit=limit(), relationship_types=[relation()]), **told())),
        ("kg_paths", dict({"from": selector(), "to": selector()}, **told(), **some(
            max_hops=r.randint(1, 4), mode=r.choice(["shortest", "all_shortest", "simple", "walks", "trails"]), limit=limit(), between={"filters": r.choice(FILTERS)}, weight="calls_per_second"))),
        ("kg_aggregate", aggregate(r, label(), IDS) if r.random() < .5 else dict(node=selector(), aggregations=[r.choice([{"fn": "count"}, {"fn": "max", "property": "reports"}])], **some(
            group_by=[{"property": r.choice(["tier", "severity", "status", "kind"])}]))),
        ("kg_describe_schema", {}),
        ("kg_search", dict(query=r.choice(WORDS), **some(limit=limit(), node_types=[label()]))),
        ("kg_bfs", dict(seeds=[handle() for _ in range(r.randint(1, 3))], **some(max_hops=r.randint(1, 3), topology_only=True, limit=limit(), walk_predicates=[relation()], direction=r.choice(["outgoing", "incoming"])))),
        ("kg_describe", {"id": handle()}),
        ("kg_describe_many", {"ids": [handle(), handle()]}),
        ("kg_intersect", dict(seeds=[handle(), handle()], **some(k=r.randint(1, 3)))),
        ("kg_rank", dict(seeds=[handle(), {"id": handle(), "weight": 2}], **some(damping=.5, direction="outgoing", limit=r.randint(1, 50)))),
        ("kg_analyze", r.choice([
            dict(measure=r.choice(["degree", "pagerank", "betweenness", "k_core", "components", "communities"]), **some(types=[label()], limit=limit(), relations=[relation()])),
            dict(measure="jaccard", nodes=[handle(), handle()])])),
    ][r.randrange(14)]
    return "%s(%s)" % (name, literal(json.dumps(arguments)))
