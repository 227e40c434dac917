"""A second tenant, whose data stay as they are while it is changed who sees what of them.

Grants come, go and are lowered, an agent loses its bundles and is dropped, policies and limits come and go, the tenant is
renamed: a call of a role, an agent or a bearer of a token is told of all petals that one of these states
shows, or refused; what a write says is stored, or was undone.  In a third one herbs move from bed to bed
while a gateway asks, round by round, which beds may be seen.
"""
import json

PETALS = json.dumps({"bundle_name": "petals", "version": "1", "schemas": [
    {"entity_type": "petal", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-scope-field": "path", "x-tool-expose": ["list", "get"], "properties": {
        "id": {"type": "string"}, "size": {"type": "integer", "x-index": True}, "name": {"type": "string"}, "path": {"type": "string"}, "next": {"type": "string", "x-ref": "petal", "x-relation": "NEXT"}}}},
    {"entity_type": "leaf", "schema": {"type": "object", "x-id-field": "id", "x-history": True, "x-tool-expose": ["create", "update", "delete"], "properties": {
        "id": {"type": "string"}, "n": {"type": "integer", "x-index": True}}}}], "relations": [{"name": "UNDER", "from": "leaf", "to": "petal"}],
    "entities": [{"entity_type": "petal", "items": [{"id": "p%d" % i, "size": i, "name": "rosy", "path": "1/" if i < 4 else "2/", "next": "p%d" % (i % 5 + 1)} for i in range(1, 6)]}]})
SHED = json.dumps({"bundle_name": "shed", "version": "1", "schemas": [{"entity_type": "spade", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}]})
HERBS = json.dumps({"bundle_name": "herbs", "version": "1", "schemas": [{"entity_type": "herb", "schema": {
    "type": "object", "x-id-field": "id", "x-label-field": "name", "x-authorize": {"ability": "see", "resource_type": "bed", "id": "bed"}, "x-tool-expose": ["list"], "properties": {
        "id": {"type": "string"}, "bed": {"type": "string"}, "n": {"type": "integer", "x-index": True}, "name": {"type": "string"}, "by": {"type": "string", "x-ref": "herb", "x-relation": "BY"}}}}],
    "entities": [{"entity_type": "herb", "items": [{"id": "h%d" % i, "bed": "b%d" % (i % 4), "n": i, "name": "mint", "by": "h%d" % (i % 8 + 1)} for i in range(1, 9)]}]})

SETUP = r"""
DO $$ BEGIN CREATE ROLE readers_guest; CREATE ROLE readers_guarded; CREATE ROLE readers_gate; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
SELECT FROM kg_create_tenant('readers_rights');
SELECT FROM kg_create_tenant('readers_herbs');
SELECT FROM kg_grant('readers_rights', current_user::text, 'admin');
SELECT FROM kg_grant('readers_herbs', current_user::text, 'admin');
SELECT FROM kg_grant_gateway('readers_gate', true);
SELECT kg_grant('readers_rights', role, 'write') FROM unnest('{readers_guest,readers_guarded}'::text[]) role;
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience, access) VALUES ('readers', 'readers', 'HS256', 'a secret of more than 32 bytes, for the test', 'kg', 'write');
SET kg_graph.tenant = 'readers_herbs';
SELECT FROM kg_apply_bundle('HERBS');
SET kg_graph.tenant = 'readers_rights';
SELECT FROM kg_apply_bundle('SHED');
SELECT FROM kg_apply_bundle('PETALS');
SELECT FROM kg_create_agent('gardener');
SELECT FROM kg_create_views('readers_petals');
GRANT USAGE ON SCHEMA readers_petals TO readers_guest, readers_guarded; GRANT SELECT ON ALL TABLES IN SCHEMA readers_petals TO readers_guest, readers_guarded;
SELECT FROM kg_add_policy('readers_waits', 'kg_entity', 'public.readers_delay()', NULL, 'SELECT', '{readers_guarded}');
CREATE TABLE readers_token AS SELECT name, kg_issue_token(claims::jsonb, 'readers', '1 hour') AS token FROM (VALUES ('all', '{"tenant": "readers_rights"}'), ('path', '{"tenant": "readers_rights", "traversal_ids": ["1/"]}'),
  ('agent', '{"tenant": "readers_rights", "agent": "gardener"}'), ('herbs', '{"tenant": "readers_herbs", "sub": "ann"}')) x(name, claims);
GRANT SELECT ON readers_token TO readers_gate;
-- The tenant has one of two names.
CREATE FUNCTION readers_change(kind text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  was text := (SELECT tenant FROM kg_tenant WHERE tenant ~ '^readers_(rights|renamed)$');
  becomes text := CASE was WHEN 'readers_rights' THEN 'readers_renamed' ELSE 'readers_rights' END;
  whose text := (ARRAY['readers_guest', 'readers_guarded'])[1 + (random() * 1000)::int % 2];
BEGIN
  PERFORM set_config('kg_graph.tenant', was, true);
  CASE kind
    WHEN 'revoke' THEN PERFORM kg_revoke(was, whose) FROM kg_tenant_role WHERE tenant = was AND role_name = whose;
    WHEN 'read', 'write', 'admin' THEN PERFORM kg_grant(was, whose, kind);
    WHEN 'agent' THEN PERFORM kg_alter_agent('gardener', jsonb_build_object('bundles', ('["shed"]'::jsonb || CASE WHEN random() < 0.5 THEN '["petals"]' ELSE '[]' END::jsonb)));
    WHEN 'only' THEN PERFORM kg_alter_agent('gardener', '{"bundles": ["petals"]}');
    WHEN 'drop' THEN PERFORM kg_drop_agent('gardener'); PERFORM kg_create_agent('gardener', '{"bundles": ["shed"]}');
    WHEN 'hide' THEN PERFORM kg_drop_policy(policy) FROM kg_policy WHERE policy = 'readers_hides'; PERFORM kg_add_policy('readers_hides', 'kg_entity', '(data ->> ''size'' = ''5'') IS NOT TRUE', NULL, 'SELECT', '{readers_guest,readers_guarded}');
    WHEN 'show' THEN PERFORM kg_drop_policy(policy) FROM kg_policy WHERE policy = 'readers_hides';
    WHEN 'limit' THEN PERFORM kg_set_limits(was, 'role:' || whose, (ARRAY['{"max_rows": 2}', '{"max_reply_bytes": 1024}', '{"concurrent_calls": 1}', '{"max_rows": 0}'])[1 + (random() * 1000)::int % 4]::jsonb);
    WHEN 'unlimit' THEN PERFORM kg_set_limits(was, 'role:' || r, '{"max_rows": null, "max_reply_bytes": null, "concurrent_calls": null}') FROM unnest(ARRAY['readers_guest', 'readers_guarded']) r WHERE EXISTS (SELECT FROM kg_tenant_role WHERE tenant = was AND role_name = r);
    WHEN 'rename' THEN PERFORM kg_freeze_tenant(was); PERFORM kg_rename_tenant(was, becomes); PERFORM kg_free_tenant_name(was); PERFORM kg_thaw_tenant(becomes);
  END CASE;
  RETURN NULL;
END $$;
-- What is stored, whoever sees it, and who wrote it last.
CREATE FUNCTION readers_leaf(id text) RETURNS TABLE (data jsonb, role text, agent text) STABLE SECURITY DEFINER LANGUAGE sql AS $$
  SELECT e.data, h.role, h.agent FROM kg_entity e LEFT JOIN LATERAL (SELECT role, agent FROM kg_history h WHERE h.tenant = e.tenant AND h.type_no = e.type_no AND h.entity_id = e.entity_id ORDER BY change DESC LIMIT 1) h ON true
   WHERE tenant ~ '^readers_(rights|renamed)$' AND entity_type = 'leaf' AND entity_id = $1 $$;
CREATE FUNCTION readers_under(leaf text, petal text) RETURNS boolean STABLE SECURITY DEFINER LANGUAGE sql AS $$
  SELECT EXISTS (SELECT FROM kg_entity a JOIN kg_edge e ON e.tenant = a.tenant AND e.source = a.node JOIN kg_entity b ON b.tenant = a.tenant AND b.node = e.target
    WHERE a.tenant ~ '^readers_(rights|renamed)$' AND a.entity_type = 'leaf' AND a.entity_id = leaf AND b.entity_id = petal) $$;
-- All that one of the states shows: five petals, four where the fifth is hidden, three on the path of the token.
CREATE FUNCTION readers_told(reply jsonb) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$ SELECT coalesce(reply -> 'items', reply -> 'entities', reply -> 'rows', reply -> 'nodes') $$;
CREATE FUNCTION readers_petals(kind int, how text, shown int[], hides boolean) RETURNS text STABLE LANGUAGE plpgsql AS $$
DECLARE
  calls jsonb := '[["list_petal", {"filters": {"size": {"gte": 1}}}], ["list_petal", {}], ["list_petal", {"search": "rosy"}], ["find_nodes", {"node_label": "petal", "filters": {"size": {"gte": 1}}}],
    ["search_entities", {"query": "rosy"}], ["aggregate_nodes", {"node": {"label": "petal", "filters": {"size": {"gte": 1}}}, "aggregations": [{"fn": "count"}]}], ["get_petal", {"ids": ["p1", "p2", "p3", "p4", "p5"]}],
    ["describe_entities", {"ids": ["petal:p1", "petal:p2", "petal:p3", "petal:p4", "petal:p5"]}], ["bfs_query", {"seeds": ["petal:p1"], "max_hops": 5, "walk_predicates": ["NEXT"]}], ["traverse_relationships", {"from": {"label": "petal"}, "relationships": [{"type": "NEXT"}], "to": {"label": "petal"}}]]';
  call jsonb := calls -> (kind % 10);
  reply jsonb;
  page jsonb;
  told int;
BEGIN
  IF how = 'sql' THEN
    EXECUTE (ARRAY['SELECT count(*) FROM kg_entity WHERE entity_type = ''petal''', 'SELECT count(*) FROM readers_petals.petal WHERE size >= 1', 'SELECT count(*) FROM readers_petals.petal'])[1 + kind % 3] INTO told;
    RETURN CASE WHEN told = 0 OR told = ANY (shown) THEN 'ok' ELSE format('wrong: plain SQL %s tells of %s', kind % 3, told) END;
  END IF;
  reply := kg_call_tool(call ->> 0, call -> 1) -> 'structuredContent';
  page := reply;
  WHILE page ? 'next' LOOP
    page := kg_call_tool(call ->> 0, coalesce(page #> '{next,arguments}', page -> 'next')) -> 'structuredContent';
    IF page ? 'error' THEN RETURN 'ok'; END IF;
    reply := jsonb_set(reply, ARRAY[CASE WHEN reply ? 'items' THEN 'items' WHEN reply ? 'rows' THEN 'rows' ELSE 'nodes' END], readers_told(reply) || readers_told(page));
  END LOOP;
  IF reply ? 'error' OR reply IS NULL THEN
    RETURN CASE WHEN reply #>> '{error,code}' IN ('CONFLICT', 'FORBIDDEN', 'NO_TENANT', 'LIMIT_EXCEEDED', 'UNKNOWN_TOOL', 'UNKNOWN_TYPE', 'INVALID_INPUT', 'NOT_FOUND') THEN 'ok' ELSE format('wrong: %s: %s', call, reply) END;
  END IF;
  IF reply::text ~ '(herb|tree|bird|flower)[":]' THEN RETURN format('wrong: of another tenant: %s: %s', call, reply); END IF;
  told := CASE call ->> 0 WHEN 'aggregate_nodes' THEN (reply #>> '{rows,0,0}')::int WHEN 'bfs_query' THEN (reply ->> 'node_count')::int ELSE jsonb_array_length(readers_told(reply)) END;
  -- A step to or from a hidden petal is not told of; of five all have one.
  IF call ->> 0 = 'traverse_relationships' THEN shown := ARRAY(SELECT CASE n WHEN 5 THEN 5 ELSE n - 1 END FROM unnest(shown) n); END IF;
  -- Who names no type is told that there is nothing, of a bundle that the agent has not.
  IF call ->> 0 IN ('search_entities', 'describe_entities') AND hides THEN shown := shown || 0; END IF;
  RETURN CASE WHEN reply -> 'truncated' = 'true' AND (call ->> 0) IN ('bfs_query', 'get_petal') THEN 'ok'
    WHEN told = ANY (shown) AND (reply ? 'next' OR NOT reply ? 'total' OR call ->> 0 = 'aggregate_nodes' OR reply -> 'total' = to_jsonb(told)) THEN 'ok' ELSE format('wrong: %s tells of %s: %s', call, told, reply) END;
END $$;
-- What a write says it did is stored, as its caller's, whatever right was taken meanwhile.
CREATE FUNCTION readers_wrote(kind text, k int) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
DECLARE
  item jsonb := format('{"id": "l%s", "n": %s}', k % 4, (random() * 1000)::int);
  edge jsonb := format('[{"relation": "UNDER", "from": "leaf:l%s", "to": "petal:p%s"}]', k % 4, 1 + k % 4);
  agent text := nullif(current_setting('kg_graph.agent', true), '');
  wrote text := current_user;
  reply jsonb;
  verdict text;
  leaf record;
BEGIN
  BEGIN
    reply := CASE kind WHEN 'create' THEN kg_call_tool('create_leaf', jsonb_build_object('items', jsonb_build_array(item))) -> 'structuredContent'
      WHEN 'update' THEN kg_call_tool('update_leaf', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', item -> 'id', 'set', item - 'id')))) -> 'structuredContent'
      WHEN 'delete' THEN kg_call_tool('delete_leaf', jsonb_build_object('ids', jsonb_build_array(item -> 'id'))) -> 'structuredContent'
      WHEN 'link' THEN kg_put_edges(edge) WHEN 'unlink' THEN kg_delete_edges(edge) ELSE kg_put_entities('leaf', jsonb_build_array(item)) END;
  EXCEPTION WHEN insufficient_privilege OR invalid_authorization_specification OR undefined_object OR undefined_table OR no_data_found OR program_limit_exceeded OR configuration_limit_exceeded THEN
    RETURN 'ok';
  END;
  IF kind ~ 'link' THEN
    verdict := (SELECT string_agg(key, ' ') FROM jsonb_each(reply -> 'counts') WHERE value <> '0');
    RETURN CASE WHEN verdict IN ('created', 'updated', 'unchanged') AND NOT readers_under(item ->> 'id', 'p' || 1 + k % 4) OR verdict = 'deleted' AND readers_under(item ->> 'id', 'p' || 1 + k % 4) THEN format('wrong: %s: %s', edge, reply) ELSE 'ok' END;
  END IF;
  verdict := coalesce(reply #>> '{items,0,verdict}', reply #>> '{error,code}', (SELECT string_agg(key, ' ') FROM jsonb_each(reply -> 'counts') WHERE value <> '0'));
  SELECT * INTO leaf FROM readers_leaf(item ->> 'id');
  RETURN CASE WHEN verdict IN ('created', 'updated') AND (leaf.data @> item AND leaf.role = wrote AND leaf.agent IS NOT DISTINCT FROM agent) IS NOT TRUE OR verdict = 'unchanged' AND (leaf.data @> item) IS NOT TRUE OR verdict = 'deleted' AND leaf.data IS NOT NULL
    THEN format('wrong: %s %s by %s, %s: %s, but %s', kind, item, wrote, agent, reply, leaf) ELSE 'ok' END;
END $$;
-- What may be seen when the last round is answered: herbs in b0 and b1, whatever was decided before.
CREATE FUNCTION readers_herbs() RETURNS jsonb STABLE SECURITY DEFINER LANGUAGE sql AS $$
  SELECT coalesce(jsonb_agg(entity_id ORDER BY entity_id), '[]') FROM kg_entity WHERE tenant = 'readers_herbs' AND data ->> 'bed' IN ('b0', 'b1') $$;
CREATE FUNCTION readers_rounds(kind int) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
DECLARE
  calls jsonb := '[["list_herb", {"filters": {"n": {"gte": 1}}}], ["list_herb", {"search": "mint"}], ["find_nodes", {"node_label": "herb"}], ["search_entities", {"query": "mint"}], ["aggregate_nodes", {"node": {"label": "herb"}, "aggregations": [{"fn": "count"}]}], ["list_herb", {"sort": [{"field": "n"}]}]]';
  call jsonb := calls -> (kind % 6);
  bearer text := (SELECT token FROM readers_token WHERE name = 'herbs');
  told jsonb := '[]';
  seal text;
  reply jsonb;
  want jsonb;
  got jsonb;
BEGIN
  FOR round IN 1 .. 20 LOOP
    SELECT kg_call_authorized(call ->> 0, call -> 1, told, seal, bearer), readers_herbs() INTO reply, want;
    EXIT WHEN reply ->> 'state' = 'result';
    seal := reply ->> 'exchange';
    told := told || (SELECT jsonb_agg(jsonb_build_object('resource_type', r -> 'resource_type', 'ability', r -> 'ability', 'id', i, 'allowed', i IN ('b0', 'b1'))) FROM jsonb_array_elements(reply -> 'resources') r, jsonb_array_elements_text(r -> 'ids') i);
    PERFORM pg_sleep(0.003);
  END LOOP;
  reply := reply #> '{result,structuredContent}';
  IF reply ? 'error' OR reply IS NULL THEN RETURN format('wrong: an exchange, %s: %s', call, reply); END IF;
  IF call ->> 0 = 'aggregate_nodes' THEN
    RETURN CASE WHEN reply #> '{rows,0,0}' = to_jsonb(jsonb_array_length(want)) THEN 'ok' ELSE format('wrong: an exchange, %s: %s, not %s', call, reply, want) END;
  END IF;
  got := (SELECT coalesce(jsonb_agg(i ORDER BY i), '[]') FROM (SELECT regexp_replace(jsonb_array_elements(coalesce(reply -> 'items', reply -> 'nodes')) ->> 'id', '^herb:', '') i) x);
  RETURN CASE WHEN got = want THEN 'ok' ELSE format('wrong: an exchange, %s: %s, not %s: %s', call, got, want, reply) END;
END $$;
GRANT EXECUTE ON FUNCTION readers_petals(int, text, int[], boolean), readers_wrote(text, int) TO readers_guest, readers_guarded, readers_gate;
RESET kg_graph.tenant;
""".replace("HERBS", HERBS).replace("SHED", SHED).replace("PETALS", PETALS)

TEARDOWN = """
DROP SCHEMA readers_petals CASCADE; SELECT kg_drop_policy(policy) FROM kg_policy WHERE policy IN ('readers_waits', 'readers_hides'); SELECT kg_drop_tenant(tenant) FROM kg_tenant WHERE tenant ~ '^readers_(rights|renamed|herbs)$'; DELETE FROM kg_auth_key WHERE issuer = 'readers';
DELETE FROM kg_former_name WHERE name ~ '^readers_'; DROP FUNCTION readers_change(text), readers_told(jsonb), readers_leaf(text), readers_under(text, text), readers_petals(int, text, int[], boolean), readers_wrote(text, int), readers_herbs(), readers_rounds(int); DROP TABLE readers_token;
DROP OWNED BY readers_guest, readers_guarded, readers_gate; SELECT kg_revoke_gateway('readers_gate'); DROP ROLE readers_guest, readers_guarded, readers_gate;
"""

# To who has no grant any more, or a token of a tenant that was renamed, and where two who lock meet.
ALLOWED = ("42501", "28000")
LEVELS = ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]


def change(r):
    kind = r.choice(["revoke", "read", "write", "write", "write", "agent", "agent", "only", "drop", "hide", "show", "show", "limit", "unlimit", "unlimit", "rename"])
    statement = "SELECT readers_change('%s');" % kind
    if r.random() < 0.5:
        # Whoever is in the middle of a call waits, and meets the change when it goes on.
        table = r.choice(["kg_entity", "kg_index_key", "kg_edge", "kg_term", "kg_adjacency", "kg_history", "kg_bundle", "kg_unique_key"])
        statement = "BEGIN; LOCK TABLE %s IN ACCESS EXCLUSIVE MODE; SELECT FROM pg_sleep(0.004); %s COMMIT;" % (table, statement)
    return statement


def move(r):
    """Herbs go to another bed, and back."""
    return "UPDATE kg_entity SET data = data || '{\"bed\": \"b%d\"}' WHERE tenant = 'readers_herbs' AND entity_id IN ('h%d', 'h%d'); SELECT FROM pg_sleep(0.001);" % (r.randrange(4), r.randrange(1, 9), r.randrange(1, 9))


def reading(r, statements):
    role = r.choice(["readers_guest", "readers_guarded", "readers_gate"])
    script = "\\set ON_ERROR_ROLLBACK %s\nSET ROLE %s;\n" % (r.choice(["on", "off"]), role)
    while statements > 0:
        shown, agent = "4,5", r.random() < 0.3
        if role == "readers_gate":
            if r.random() < 0.5:
                script += "SELECT readers_rounds(%d);\n" % r.randrange(6)
                statements -= 1
                continue
            script += "BEGIN ISOLATION LEVEL %s;\n" % r.choice(LEVELS)
            bearer = r.choice(["all", "path", "agent"])
            agent = bearer == "agent"
            shown = {"all": "5", "path": "3", "agent": "5"}[bearer]
            script += "SELECT kg_login(token) IS NULL FROM readers_token WHERE name = '%s';\n" % bearer
        else:
            script += "BEGIN ISOLATION LEVEL %s;\n" % r.choice(LEVELS)
            if agent:
                script += "SET LOCAL kg_graph.agent = 'gardener';\n"
        for _ in range(r.randint(1, 6)):
            if role != "readers_gate" and r.random() < 0.3:
                script += "SELECT readers_wrote('%s', %d);\n" % (r.choice(["create", "update", "delete", "put", "link", "unlink"]), r.randrange(12))
            else:
                script += "SELECT readers_petals(%d, '%s', '{%s}', %s);\n" % (r.randrange(30), "sql" if role != "readers_gate" and r.random() < 0.3 else "call", shown, agent)
            statements -= 1
        script += r.choice(["COMMIT;\n", "ROLLBACK;\n"])
    return script
