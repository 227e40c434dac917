"""What x-authorize costs: one graph in two tenants, of which one asks.

20,000 nodes with five edges each; a node is seen by its group, of 200, and of
the type "leaf", by its own id.  The authorizer is an SQL function over a table
and allows all.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from kgbench import Report, Session, alternate, cpu_calls, literal, scaled  # noqa: E402

NODES = scaled(20000, 2000)
LEAVES = scaled(5000, 500)
AUTHORIZE = {"node": {"ability": "see", "resource_type": "group", "id": "group"}, "leaf": {"ability": "see"}}


def bundle(authorized):
    schemas = []
    for name in ("node", "leaf"):
        schema = {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get"],
                  "properties": {"id": {"type": "string"}, "group": {"type": "string", "x-index": True}}}
        if authorized:
            schema["x-authorize"] = AUTHORIZE[name]
        schemas.append({"entity_type": name, "schema": schema})
    return {"bundle_name": "graph", "version": "1", "schemas": schemas,
            "relations": [{"name": "NEXT", "from": "node", "to": "node"}], "entities": []}


def load(admin, tenant, authorized):
    admin.query("SELECT kg_create_tenant(%s); SELECT kg_grant(%s, current_user, 'admin'); SET kg_graph.tenant = %s;" % ((literal(tenant),) * 3))
    made = """SELECT NULL FROM kg_apply_bundle(%s::jsonb || jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('entity_type', 'node', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || n, 'group', 'g' || n %% 200)) FROM generate_series(0, %d) n)),
  jsonb_build_object('entity_type', 'leaf', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'l' || n, 'group', 'g' || n %% 200)) FROM generate_series(0, %d) n))),
  'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'NEXT', 'from', 'n' || n, 'to', 'n' || (n * 7919 + e * 104729 + 13) %% %d))
     FROM generate_series(0, %d) n, generate_series(1, 5) e)))""" % (literal(json.dumps(bundle(authorized))), NODES - 1, LEAVES - 1, NODES, NODES - 1)
    admin.query(made)
    admin.query("SELECT kg_pack(); RESET kg_graph.tenant; SELECT kg_revoke(%s, current_user)" % literal(tenant))


def main():
    admin = Session()
    report = Report("authorize")
    for tenant in ("plain", "asked", "outside"):
        load(admin, tenant, tenant != "plain")
    admin.query("""CREATE TABLE may(id text PRIMARY KEY);
INSERT INTO may SELECT 'g' || n FROM generate_series(0, 199) n UNION ALL SELECT 'l' || n FROM generate_series(0, %d) n;
GRANT SELECT ON may TO PUBLIC; ANALYZE may; ANALYZE kg_entity;
CREATE FUNCTION may_see(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, true FROM public.may m WHERE m.id = ANY (ids) $$;
CREATE ROLE of_plain LOGIN; CREATE ROLE of_asked LOGIN; CREATE ROLE of_outside LOGIN;
SELECT kg_grant('plain', 'of_plain', 'read'), kg_grant('asked', 'of_asked', 'read');
SELECT kg_grant_gateway('of_outside', exchange => true);
SELECT kg_set_authorizer('asked', 'may_see(text, text, text[])');
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('bench', 'k', 'HS256', 'a secret of more than 32 bytes, for the bench', 'kg');""" % (LEAVES - 1))
    plain, asked = Session("of_plain"), Session("of_asked")
    report.section("an authorizer that allows all")
    walk = "kg_traverse(jsonb_build_object('from', jsonb_build_object('label', 'node', 'ids', jsonb_build_array('n' || i)), 'relationships', '[{\"type\": \"NEXT\", \"max_hops\": %d}]'::jsonb))"
    near = "kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'node', 'node_id', 'n' || i), 'max_hops', %d))"
    rows = [("traverse, 1 hop", walk % 1, 200, 2), ("traverse, 3 hops", walk % 3, 20, 2), ("neighbors, 1 hop", near % 1, 200, 2), ("neighbors, 2 hops", near % 2, 50, 2),
            ("list page of 20, decided by 200 groups", "kg_list('node', '{\"limit\": 20}')", 20, 1.5),
            ("list page of 20 in a filter, decided by a group", "kg_list('node', jsonb_build_object('limit', 20, 'filters', jsonb_build_object('group', 'g' || i % 200)))", 50, 1.5),
            ("get", "kg_get('node', 'n' || i)", 500, None), ("list page of 20, %d ids decided one by one" % LEAVES, "kg_list('leaf', '{\"limit\": 20}')", 5, None)]
    for what, call, calls, required in rows:
        theirs, ours = alternate(lambda: cpu_calls(plain, call, calls, rounds=1), lambda: cpu_calls(asked, call, calls, rounds=1), rounds=5)
        report.figure(what + ", without", theirs, "us")
        report.figure(what + ", with", ours, "us")
        if required:
            report.ratio(what, ours, theirs, required, required)
        else:
            report.note("  %-66s %11.2fx" % (what, ours / theirs))
    report.section("the exchange, a traverse of 3 hops")
    token = admin.value("SELECT kg_issue_token('{\"tenant\": \"outside\", \"sub\": \"s\"}', valid => '1 hour')")
    outside = Session("of_outside")
    outside.query("""CREATE FUNCTION pg_temp.exchange(arguments jsonb, OUT rounds int, OUT worst float8) LANGUAGE plpgsql AS $$
DECLARE told jsonb := '[]'; seal text; r jsonb; t timestamptz;
BEGIN
  rounds := 0; worst := 0;
  LOOP
    t := clock_timestamp();
    r := kg_call_authorized('traverse_relationships', arguments, told, seal, %s);
    worst := greatest(worst, extract(epoch FROM clock_timestamp() - t) * 1e6);
    rounds := rounds + 1;
    EXIT WHEN r ->> 'state' = 'result';
    seal := r ->> 'exchange';
    told := told || (SELECT jsonb_agg(e || '{"allowed": true}') FROM jsonb_array_elements(r -> 'resources') e);
  END LOOP;
END $$""" % literal(token))
    arguments = "jsonb_build_object('from', jsonb_build_object('label', 'node', 'ids', jsonb_build_array('n' || i)), 'relationships', '[{\"type\": \"NEXT\", \"max_hops\": 3}]'::jsonb)"
    sql = "SELECT max(rounds), percentile_cont(0.5) WITHIN GROUP (ORDER BY worst) FROM generate_series(1, 30) i, pg_temp.exchange(%s)" % arguments
    outside.query(sql)
    rounds, worst = outside.value(sql).split("|")
    plain.query("""CREATE FUNCTION pg_temp.once(arguments jsonb) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE t timestamptz := clock_timestamp(); BEGIN PERFORM kg_call_tool('traverse_relationships', arguments); RETURN extract(epoch FROM clock_timestamp() - t) * 1e6; END $$""")
    theirs = float(plain.value("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY pg_temp.once(%s)) FROM generate_series(1, 60) i" % arguments))
    report.bound("rounds before the result", int(rounds) - 1, 5, "rounds")
    report.ratio("the slowest of its calls to the plain one", float(worst), theirs, 1.2, 1.2)
    audit(report, admin, plain)
    report.end()


def audit(report, admin, caller):
    """Records of calls in the server's log, which is a file.  Where a call takes
    3 us, the line alone takes longer: PL/pgSQL's RAISE LOG of as many bytes is
    measured beside it."""
    report.section("kg_graph.audit = all, to the log")
    admin.query("GRANT SET ON PARAMETER kg_graph.audit, log_error_verbosity TO of_plain")
    caller.query("SET log_error_verbosity = terse")
    caller.query("""CREATE FUNCTION pg_temp.line() RETURNS text LANGUAGE plpgsql AS $$
BEGIN RAISE LOG 'kg_graph audit: %%', repeat('x', 330); RETURN NULL; END $$;
CREATE FUNCTION pg_temp.no_line() RETURNS text LANGUAGE plpgsql AS $$
DECLARE x text := repeat('x', 330); BEGIN RETURN NULL; END $$""".replace("%%", "%"))

    def measure(value, call, calls):
        def take():
            caller.query("SET kg_graph.audit = '%s'" % value)
            return cpu_calls(caller, call, calls, rounds=1)
        return take
    line, none = alternate(measure("off", "pg_temp.line()", 2000), measure("off", "pg_temp.no_line()", 2000), rounds=5)
    report.figure("a line of the log by itself", line - none, "us")
    for what, call, calls, required in (("get", "kg_get('node', 'n' || i)", 5000, None), ("list page of 20", "kg_list('node', '{\"limit\": 20}')", 200, 1.3),
                                        ("traverse, 1 hop", "kg_traverse(jsonb_build_object('from', jsonb_build_object('label', 'node', 'ids', jsonb_build_array('n' || i)), 'relationships', '[{\"type\": \"NEXT\"}]'::jsonb))", 500, 1.3)):
        off, on = alternate(measure("off", call, calls), measure("all", call, calls), rounds=7)
        report.figure(what + ", audit off", off, "us")
        report.figure(what + ", audit all", on, "us")
        if required:
            report.ratio(what, on, off, required, required)
        else:
            report.note("  %-66s %11.2fx, of which the line %.2f" % (what, on / off, (line - none) / off))


main()
