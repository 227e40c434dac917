"""Random calls of what agents write with, of registered tools, of the memory's, of claims and of history."""
import json

from product import FILTERS, IDS, RELATIONS, WORDS, aggregate, random_call
from sessions import quoted as literal

TYPES = ["module", "release", "known_issue", "resolution"]
EXPOSED = ["merge", "list", "get", "list_ids", "history", "create", "update", "delete"]
# Of all that is remembered: those that are hidden, and those that nothing hidden is related to.
HIDDEN_NAMES = ["Hidden Ada", "Hidden zqxj"]
FREE_NAMES = ["Ann", "Ben", "Cid", "Dot"]
NAMES = FREE_NAMES + ["Eve", "Nobody"]


def memory(scoped):
    text = {"type": "string"}
    entity = {"type": "object", "additionalProperties": False, "x-history": True, "x-id-field": "name", "x-label-field": "name", "x-alias-fields": ["entityType", "parts"],
              "properties": {"name": text, "entityType": text, "parts": {"type": "array", "items": text}, "stub": {"type": "boolean"}}}
    if scoped:
        entity["x-scope-field"] = "entityType"
    observation = {"type": "object", "additionalProperties": False, "x-history": True, "x-id-field": "id", "x-label-field": "content", "x-alias-fields": ["parts"], "required": ["id", "entity", "n", "content"],
                   "properties": {"id": text, "entity": {"type": "string", "x-ref": "entity", "x-relation": "ABOUT", "x-on-delete": "cascade"}, "n": {"type": "integer"}, "content": text,
                                  "parts": {"type": "array", "items": text}}}
    return {"bundle_name": "memory", "version": "1", "schemas": [{"entity_type": "entity", "schema": entity}, {"entity_type": "observation", "schema": observation}],
            "relations": [{"name": "RELATES", "from": "entity", "to": "entity", "key": ["relationType"], "history": True,
                           "schema": {"type": "object", "required": ["relationType"], "properties": {"relationType": text}}}]}


def remembered(names, place, observed=True):
    """What makes the memory know the names; place stands for their type."""
    entities = [{"name": n, "entityType": place, "observations": ["%s likes tea" % n, "seen with %s" % ("zqxj-of-tenant-b" if n in HIDDEN_NAMES else "others")] if observed else []} for n in names]
    return "SELECT kg_call_tool('create_entities', %s);" % literal(json.dumps({"entities": entities}))


def related(pairs):
    relations = [{"from": a, "to": b, "relationType": t} for a, b, t in pairs]
    return "SELECT kg_call_tool('create_relations', %s);" % literal(json.dumps({"relations": relations}))


def registered():
    """Definitions of every kind, over tools that read and that write."""
    text, one = {"type": "string"}, lambda properties, required=(): {"type": "object", "required": list(required), "properties": properties}
    arg, result = lambda name: {"$arg": name}, lambda name, path: {"$result": name, "path": path}
    return [
        {"name": "issues_of", "kind": "query", "description": "A query.", "input_schema": one({"status": {"enum": ["open", "resolved"]}, "cursor": text}),
         "operation": {"tool": "list_known_issue", "arguments": {"filters": {"status": arg("status")}, "limit": 2, "cursor": arg("cursor")}}},
        {"name": "nearby", "kind": "query", "description": "A query.", "input_schema": one({"id": text}, ["id"]),
         "operation": {"tool": "explore_neighbors", "arguments": {"start_node": {"label": "release", "node_id": arg("id")}, "max_hops": 2}}},
        {"name": "one_module", "kind": "composite", "description": "A composite.", "select": arg("what"), "input_schema": one({"what": {"enum": ["get", "then", "gone"]}, "id": text}, ["what", "id"]),
         "operations": {"get": {"tool": "get_module", "arguments": {"id": arg("id"), "citations": True}}, "then": {"tool": "history_module", "arguments": {"id": arg("id")}},
                        "gone": {"tool": "delete_module", "arguments": {"ids": [arg("id")]}}}},
        {"name": "fix_and_read", "kind": "sequence", "description": "A sequence.", "input_schema": one({"id": text, "name": text, "other": text}, ["id", "name", "other"]),
         "operations": [{"name": "fixed", "tool": "update_module", "arguments": {"items": [{"id": arg("id"), "set": {"name": arg("name"), "depends_on": [arg("other")]}}]}},
                        {"name": "near", "tool": "describe_entity", "arguments": {"id": arg("other")}},
                        {"name": "read", "tool": "get_module", "arguments": {"id": result("fixed", "/items/0/id")}},
                        {"name": "all", "tool": "find_nodes", "arguments": {"node_label": "known_issue", "limit": 3}}]},
        {"name": "gone_all", "kind": "sequence", "description": "A sequence.", "input_schema": one({"a": text, "b": text}, ["a", "b"]),
         "operations": [{"name": "first", "tool": "delete_known_issue", "arguments": {"ids": [arg("a")]}}, {"name": "second", "tool": "delete_module", "arguments": {"ids": [arg("b")]}}]},
        {"name": "checked", "kind": "query", "description": "A query.", "input_schema": one({"id": text, "n": {"type": "integer"}}, ["id", "n"]),
         "operation": {"tool": "verify_claims", "arguments": {"claims": [{"entity": arg("id")}, {"count": {"tool": "list_module", "arguments": {}}, "is": arg("n")}]}}}]


FUNCTIONS = r"""
CREATE FUNCTION public.scopes_count(jsonb) RETURNS jsonb STABLE LANGUAGE sql AS $$
  SELECT jsonb_build_object('n', count(*), 'ids', min(entity_id || data::text)) FROM public.kg_entity WHERE entity_type = $1 ->> 'type' $$;
CREATE FUNCTION public.scopes_touch(jsonb) RETURNS jsonb VOLATILE LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN
  UPDATE public.kg_entity SET data = data || '{"name": "touched"}' WHERE entity_type = 'module' AND entity_id ~ ($1 ->> 'id'); GET DIAGNOSTICS n = ROW_COUNT;
  RETURN jsonb_build_object('n', n); END $$;
-- What asks first is called again with what it was told.
CREATE FUNCTION scopes_confirm(tool text, arguments jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE asked jsonb; done jsonb; BEGIN
  PERFORM set_config('kg_graph.confirm_more', 'all', true);
  asked := kg_call_tool(tool, arguments);
  IF asked #> '{structuredContent,confirm}' IS NOT NULL THEN
    done := kg_call_tool(tool, arguments || jsonb_build_object('confirm', asked #> '{structuredContent,confirm}'));
  END IF;
  PERFORM set_config('kg_graph.confirm_more', 'off', true);
  RETURN jsonb_build_array(asked, done); END $$;
-- What was done last to an entity that it knows of is undone.
CREATE FUNCTION scopes_undo(entity_type text, id text, nth int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE changes jsonb := kg_history(entity_type, id) -> 'changes'; BEGIN
  RETURN jsonb_build_array(changes, kg_revert(coalesce(changes -> nth -> 'change', '0'))); END $$;
"""
DROP_FUNCTIONS = "DROP FUNCTION IF EXISTS scopes_count(jsonb), scopes_touch(jsonb), scopes_confirm(text, jsonb), scopes_undo(text, text, int);"
FUNCTION_TOOLS = [{"name": "counted", "kind": "function", "description": "A function.", "operation": "public.scopes_count(jsonb)", "input_schema": {"type": "object", "properties": {"type": {"type": "string"}}}},
                  {"name": "touched", "kind": "function", "description": "A function.", "operation": "public.scopes_touch(jsonb)", "input_schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}]


def register(definitions):
    return "".join("SELECT FROM kg_register_tool(%s);" % literal(json.dumps(dict(d, version="1.0.0", description="Of the test."))) for d in definitions)


def claim(r):
    label = lambda: r.choice(TYPES)
    handle = lambda: "%s:%s" % (label(), r.choice(IDS)) if r.random() < .8 else r.choice(IDS)
    relation = lambda: r.choice(RELATIONS)
    call = lambda: r.choice([{"tool": "list_" + label(), "arguments": r.choice([{}, {"search": r.choice(WORDS)}, {"filters": r.choice(FILTERS)}])}, {"tool": "find_nodes", "arguments": {"node_label": label(), "filters": r.choice(FILTERS)}},
                             {"tool": "search_entities", "arguments": {"query": r.choice(WORDS)}}, {"tool": "bfs_query", "arguments": {"seeds": [handle()], "max_hops": r.randint(1, 3)}},
                             {"tool": "explore_neighbors", "arguments": {"start_node": {"label": label(), "node_id": r.choice(IDS)}, "max_hops": r.randint(1, 3)}}, {"tool": "read_graph", "arguments": {}},
                             {"tool": "issues_of", "arguments": {}}, {"tool": "search_nodes", "arguments": {"query": r.choice(["tea", "zqxj"])}}])
    return r.choice([
        lambda: {"entity": handle(), "version": r.randint(1, 4)}, lambda: {"entity": handle()},
        lambda: {"entity": handle(), "property": r.choice(["name", "tier", "title", "tags", "depends_on", "issue_count", "modules"]), "is": r.choice(["core", "queue", 3, {"gte": 2}, {"text": "WORK QUEUE"}])},
        lambda: {"from": handle(), "relation": relation(), "to": handle()},
        lambda: {"path": [handle(), relation(), handle(), relation(), handle()]},
        lambda: {"from": handle(), "to": handle(), "within": r.randint(1, 4)},
        lambda: {"count": call(), "is": r.choice([0, 1, 11, 19, 24, {"gte": 12}, {"lt": 30}])}, lambda: {"none": call()},
        lambda: dict({"name": r.choice(WORDS + ["Work queue", "Scheduler", "Free"])}, **r.choice([{}, {"type": label()}]))])()


def as_of(r, known):
    """A call about what was when some of what is hidden was otherwise."""
    t = r.choice(TYPES)
    known = lambda t, known=known: [i for i in known(t) if i != "moved"]
    arguments = r.choice([
        lambda: ("get_" + t, {"ids": r.sample(known(t), 3)}), lambda: ("list_" + t, {"filters": r.choice(FILTERS), "limit": 30}), lambda: ("list_" + t, {"search": r.choice(WORDS)}),
        lambda: ("find_nodes", {"node_label": t, "ids": r.sample(known(t), 3)}), lambda: ("describe_entities", {"ids": ["%s:%s" % (t, i) for i in r.sample(known(t), 3)]}),
        lambda: ("traverse_relationships", {"from": {"label": "module", "ids": r.sample(known("module"), 3)}, "relationships": [{"type": r.choice(["TALKS_TO", "DEPENDS_ON", "*"]), "direction": "both", "max_hops": r.randint(1, 2)}]}),
        lambda: ("explore_neighbors", {"start_node": {"label": "module", "node_id": r.choice(known("module"))}, "max_hops": r.randint(1, 2)}),
        lambda: ("aggregate_nodes", aggregate(r, t, known(t))), lambda: ("aggregate_nodes", aggregate(r, t, known(t))),
        lambda: ("find_paths", {"from": {"label": "module", "ids": r.sample(known("module"), 2)}, "to": {"label": "module", "ids": r.sample(known("module"), 2)}, "max_hops": r.randint(1, 3)})])()
    return "kg_call_tool(%s, %s || jsonb_build_object('as_of', (SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM scopes_time WHERE n = %d)))" % (
        literal(arguments[0]), literal(json.dumps(arguments[1])), r.randrange(2))


def read(r, known):
    """A call that reads; known are the ids that a caller may name."""
    if r.random() < .25:
        return as_of(r, known)
    t = r.choice(TYPES)
    called = lambda name, arguments: "kg_call_tool(%s, %s)" % (literal(name), literal(json.dumps(arguments)))
    return r.choice([
        lambda: called("verify_claims", {"claims": [claim(r) for _ in range(r.randint(1, 5))]}),
        lambda: called("verify_claims", {"claims": [claim(r) for _ in range(r.randint(1, 5))]}),
        lambda: called("history_" + t, {"id": r.choice(known(t))}),
        lambda: "kg_history(%s, %s)" % (literal(t), literal(r.choice(known(t)))),
        lambda: "kg_history(%s, %s)" % (literal(r.choice(["TALKS_TO", "REGRESSES", "DEPENDS_ON", "AFFECTS"])), literal(json.dumps({"from": "%s:%s" % (t, r.choice(known(t))), "to": "module:" + r.choice(known("module"))}))),
        lambda: called("issues_of", r.choice([{}, {"status": "open"}, {"status": "closed"}])), lambda: called("nearby", {"id": r.choice(known("release"))}),
        lambda: called("one_module", {"what": r.choice(["get", "then"]), "id": r.choice(known("module"))}), lambda: called("counted", {"type": r.choice(TYPES + ["entity", "person"])}),
        lambda: called("checked", {"id": "module:" + r.choice(known("module")), "n": r.choice([11, 19])}),
        lambda: called("read_graph", r.choice([{}, {"max_bytes": 1024}])), lambda: called("search_nodes", {"query": r.choice(["tea", "zq", "Hidden", "Ada", "seen with", "1/", "e"])}),
        lambda: called("open_nodes", {"names": r.sample(NAMES + HIDDEN_NAMES, 3)}),
        lambda: called("list_" + t, {"citations": True, "limit": r.choice([0, 2, 30]), "valid_at": r.choice(["2018-06-01T00:00:00Z", "2026-02-01T00:00:00Z"]), "filters": r.choice(FILTERS)}),
        lambda: called("get_" + t, {"ids": r.sample(known(t), 2), "as_of": "2020-01-01T00:00:00Z", "citations": True}),
        lambda: called("find_nodes", {"node_label": t, "citations": True, "ids_only": True, "limit": r.choice([0, 3])})])()


def write(r, item, mine, free, known):
    """A call that writes what tells of nothing hidden: see run."""
    t = r.choice(TYPES)
    called = lambda name, arguments: "%s(%s, %s)" % (r.choice(["kg_call_tool"] * 4 + ["scopes_confirm"]), literal(name), literal(json.dumps(arguments)))
    some = lambda **kw: {k: v for k, v in kw.items() if r.random() < .3}
    options = lambda: some(dry_run=True, atomic=r.random() < .5, idempotency_key="key-%d" % r.randint(1, 2), reason="because")

    def change():
        of = r.choice(known(t))
        wanted = {k: v for k, v in item(r, t, mine(t)).items() if k not in ("id", "key", "build", "number")}
        return dict({"id": of, "set": {k: wanted[k] for k in r.sample(sorted(wanted), min(2, len(wanted)))}}, **some(unset=[r.choice(["path", "tags", "notes"])], expected_version=r.randint(1, 3)))

    def fix():
        return {"id": r.choice(known("module")), "name": "Fixed", "other": r.choice(known("module"))}

    def edge():
        return {"from": "module:" + r.choice(free("module")), "to": "module:" + r.choice(known("module")), "properties": {"protocol": r.choice(["http", "grpc"])}}

    kind = r.randrange(16)
    if kind > 13:
        # Not of what something hidden refers to, as for deletions.
        keep, *others = [r.choice(free(t) if r.random() < .95 else ["nobody", "module-3", "KI-9001", "b9001"]) for _ in range(r.randint(2, 4))]
        decided = r.choice([{}, {"prefer": keep}, {"prefer": others[0]}, {"values": item(r, t, mine(t))}, {"prefer": keep, "values": {"path": r.choice(["1/", "2/"])}}])
        if r.random() < .5:
            return called("merge_" + t, dict({"keep": keep, "others": others}, **decided, **some(dry_run=True, expected_versions={keep: 1})))
        return "kg_merge(%s, %s, ARRAY[%s], %s)" % (literal(t), literal(keep), ", ".join(map(literal, others)), literal(json.dumps(decided)))
    if kind < 2:
        return called("create_" + t, dict({"items": [item(r, t, mine(t)) for _ in range(r.randint(1, 3))]}, **options()))
    if kind < 5:
        return called("update_" + t, dict({"items": [change() for _ in range(r.randint(1, 3))]}, **options()))
    if kind == 5:
        return "kg_update_entities(%s, %s)" % (literal(t), literal(json.dumps([change(), change()])))
    if kind == 6:
        ids = r.sample(free(t), 2) + r.sample(["nobody", "module-3", "KI-9001"], 1)
        return called("delete_" + t, dict({"ids": [r.choice([i, {"id": i, "expected_version": r.randint(1, 2)}]) for i in ids]}, **options()))
    if kind == 7:
        link = r.random() < .6
        return called("link_TALKS_TO" if link else "unlink_TALKS_TO", dict({"items": [{k: v for k, v in edge().items() if link or k != "properties"}]}, **options()))
    if kind == 8:
        return called("fix_and_read", fix())
    if kind == 9:
        return r.choice([lambda: called("gone_all", {"a": r.choice(free("known_issue")), "b": r.choice(free("module"))}), lambda: called("one_module", {"what": "gone", "id": r.choice(free("module"))}),
                         lambda: called("touched", {"id": r.choice(["free", "module", "e"])})])()
    if kind == 10:
        return "scopes_undo(%s, %s, %d)" % (literal(t), literal(r.choice(known(t))), r.randrange(2))
    names = lambda: r.sample(NAMES, 2)
    relation = lambda: {"from": r.choice(NAMES), "to": r.choice(NAMES), "relationType": r.choice(["knows", "hides"])}
    return r.choice([
        lambda: called("create_entities", {"entities": [{"name": n, "entityType": "1/2/", "observations": ["x"]} for n in names()]}),
        lambda: called("create_relations", {"relations": [relation(), relation()]}),
        lambda: called("add_observations", {"observations": [{"entityName": r.choice(NAMES + HIDDEN_NAMES), "contents": ["new"]}]}),
        lambda: called("delete_observations", {"deletions": [{"entityName": r.choice(NAMES + HIDDEN_NAMES), "observations": ["Ann likes tea", "Hidden Ada likes tea"]}]}),
        lambda: called("delete_relations", {"relations": [relation(), {"from": "Ann", "to": r.choice(HIDDEN_NAMES), "relationType": "knows"}]}),
        lambda: called("delete_entities", {"entityNames": r.sample(FREE_NAMES, 1) + [r.choice(["Nobody"] + HIDDEN_NAMES)]})])()
