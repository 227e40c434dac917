"""What x-authorize costs: one graph in two tenants, of which one asks.

20,000 nodes with five edges each; a node is seen by its group, of 200, and of
the type "leaf", by its own id.  And WordNet, decided by the file of the
lexicographers, of 45, and in another tenant each meaning by its own id.  The
authorizer is an SQL function over a table and allows all.

And what a record in the log (kg_graph.audit = all) adds to a call, beside
PostgreSQL's own way of writing a line as long.

KG_BENCH_AUTHORIZE names the parts to run: made wordnet (default both).
"""
import functools
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "graph")]
from data import apply_text, wordnet_text  # noqa: E402
from kgbench import Client, Report, Session, alternate, cpu_calls, cpu_statement, literal, scaled  # noqa: E402

PARTS = os.environ.get("KG_BENCH_AUTHORIZE", "made wordnet").split()

NODES = scaled(20000, 2000)
LEAVES = scaled(5000, 500)
WORDNET = {"wn_plain": None, "wn_files": {"ability": "read", "resource_type": "file", "id": "lexname"}, "wn_ids": {"ability": "read"}}
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


def load_wordnet(admin):
    bundle = json.loads(wordnet_text())
    for tenant, authorize in WORDNET.items():
        admin.query("SELECT kg_create_tenant(%s); SELECT kg_grant(%s, current_user, 'admin')" % ((literal(tenant),) * 2))
        if authorize:
            bundle["schemas"][0]["schema"]["x-authorize"] = authorize
        apply_text(admin, tenant, json.dumps(bundle))
        admin.query("SELECT kg_pack(); RESET kg_graph.tenant; SELECT kg_revoke(%s, current_user)" % literal(tenant))


def reader(admin, tenant, asks):
    role = "of_" + tenant
    admin.query("CREATE ROLE %s LOGIN; SELECT kg_grant(%s, %s, 'read')" % (role, literal(tenant), literal(role)))
    if asks:
        admin.query("SELECT kg_set_authorizer(%s, 'may_see(text, text, text[])')" % literal(tenant))
    return Session(role)


def compare(report, plain, asked, rows):
    """Processor time of calls, with and without, in turn."""
    for what, call, calls, required in rows:
        theirs, ours = alternate(lambda: cpu_calls(plain, call, calls, rounds=1), lambda: cpu_calls(asked, call, calls, rounds=1), rounds=5)
        report.figure(what + ", without", theirs, "us")
        report.figure(what + ", with", ours, "us")
        if required:
            report.ratio(what, ours, theirs, required, required)
        else:
            report.note("  %-66s %11.2fx" % (what, ours / theirs))


def count_decisions(report, admin, asked, tenant, call):
    """Each id is asked about once: what an authorizer that counts was asked."""
    admin.query("""CREATE OR REPLACE FUNCTION may_count(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('bench.asked', coalesce(nullif(current_setting('bench.asked', true), ''), '') || array_to_string(ids, ' ') || ' ', false);
  RETURN QUERY SELECT u, true FROM unnest(ids) u;
END $$;
SELECT kg_set_authorizer(%s, 'may_count(text, text, text[])')""" % literal(tenant))
    asked.query("SET bench.asked = ''; SELECT length(%s ->> 'total')" % call.replace("i %", "1 %"))
    n, distinct = asked.value("SELECT count(*), count(DISTINCT a) FROM string_to_table(trim(current_setting('bench.asked')), ' ') a").split("|")
    admin.query("SELECT kg_set_authorizer(%s, 'may_see(text, text, text[])')" % literal(tenant))
    report.figure("ids asked about", int(n), "")
    report.bound("asked about twice", int(n) - int(distinct), 0, "")


def alone(report, admin, asked, tenant, what, call, calls):
    """What the authorizer itself takes of a call: its questions again, in a loop."""
    admin.query("""CREATE OR REPLACE FUNCTION may_note(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('bench.asked', current_setting('bench.asked') || array_to_string(ids, ' ') || '|', false);
  RETURN QUERY SELECT u, true FROM unnest(ids) u;
END $$;
SELECT kg_set_authorizer(%s, 'may_note(text, text, text[])')""" % literal(tenant))
    asked.query("""SET bench.asked = '';
DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM %s; END LOOP; END $$;
CREATE TEMP TABLE question AS SELECT string_to_array(q, ' ') AS ids FROM string_to_table(trim(TRAILING '|' FROM current_setting('bench.asked')), '|') q""" % (calls, call))
    admin.query("SELECT kg_set_authorizer(%s, 'may_see(text, text, text[])')" % literal(tenant))
    took = cpu_statement(asked, "SELECT count(a) FROM question q, may_see('synset', 'read', q.ids) a")
    report.figure(what + ", the authorizer alone", took * 1000 / calls, "us")
    asked.query("DROP TABLE question")


WALK = """kg_traverse(jsonb_build_object('from', jsonb_build_object('label', %s, 'ids', jsonb_build_array(%s)),
  'relationships', jsonb_build_array(jsonb_build_object('type', %s, 'direction', %s, 'max_hops', %d))))"""
NEAR = "kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', %s, 'node_id', %s), 'max_hops', %d))"


def exchange(report, admin, outside, plain, arguments, starts, tenant):
    """The rounds of calls, and of each its slowest round against the same call
    without the exchange, in processor time.  The calls are compared one by one:
    those that need most rounds are the largest."""
    token = admin.value("SELECT kg_issue_token(%s, valid => '1 hour')" % literal(json.dumps({"tenant": tenant, "sub": "s"})))
    outside.query("""CREATE OR REPLACE FUNCTION pg_temp.round(times int, arguments jsonb, told jsonb, seal text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE r jsonb; BEGIN FOR i IN 1..times LOOP r := kg_call_authorized('traverse_relationships', arguments, told, seal, %s); END LOOP; RETURN r; END $$""" % literal(token))
    plain.query("""CREATE OR REPLACE FUNCTION pg_temp.plain(times int, arguments jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN FOR i IN 1..times LOOP PERFORM kg_call_tool('traverse_relationships', arguments); END LOOP; END $$""")
    most, slowest = 0, []
    for i in range(starts):
        this = arguments.replace("i %", "%d %%" % i).replace("|| i", "|| %d" % i)
        theirs = cpu_of(plain, "SELECT NULL FROM pg_temp.plain(TIMES, %s)" % this)[0]
        told, seal, rounds = [], "NULL", []
        while True:
            took, reply = cpu_of(outside, "SELECT pg_temp.round(TIMES, %s, %s, %s)" % (this, literal(json.dumps(told)), seal))
            rounds.append(took)
            reply = json.loads(reply)
            if reply["state"] == "result":
                break
            seal = literal(reply["exchange"])
            told += [{**each, "allowed": True} for each in reply["resources"]]
        most = max(most, len(rounds) - 1)
        slowest.append(max(rounds) / theirs)
    report.figure("calls", starts, "")
    report.bound("rounds before the result, at most", most, 5, "rounds")
    report.ratio("the slowest round of a call to the plain call, the median", statistics.median(slowest), 1, 1.2, 1.2)


def cpu_of(session, sql, times=5):
    """Processor time of something repeated, and what it answers."""
    session.query(sql.replace("TIMES", "1"))
    before = session.cpu()
    answer = session.value(sql.replace("TIMES", str(times)))
    return (session.cpu() - before) * 1e6 / times, answer


def made(report, admin):
    for tenant in ("plain", "asked", "outside"):
        load(admin, tenant, tenant != "plain")
    admin.query("""INSERT INTO may SELECT 'g' || n FROM generate_series(0, 199) n UNION ALL SELECT 'l' || n FROM generate_series(0, %d) n;
ANALYZE may; ANALYZE kg_entity""" % (LEAVES - 1))
    plain, asked = reader(admin, "plain", False), reader(admin, "asked", True)
    report.section("a graph of groups, an authorizer that allows all")
    start = ("'node'", "'n' || i")
    walk = WALK % (*start, "'NEXT'", "'outgoing'", 3)
    compare(report, plain, asked, [
        ("traverse, 1 hop", WALK % (*start, "'NEXT'", "'outgoing'", 1), 200, 2), ("traverse, 3 hops", walk, 20, 2),
        ("neighbors, 1 hop", NEAR % (*start, 1), 200, 2), ("neighbors, 2 hops", NEAR % (*start, 2), 50, 2),
        ("list page of 20, decided by 200 groups", "kg_list('node', '{\"limit\": 20}')", 20, 1.5),
        ("list page of 20 in a filter, decided by a group", "kg_list('node', jsonb_build_object('limit', 20, 'filters', jsonb_build_object('group', 'g' || i % 200)))", 50, 1.5),
        ("get", "kg_get('node', 'n' || i)", 500, None), ("list page of 20, %d ids decided one by one" % LEAVES, "kg_list('leaf', '{\"limit\": 20}')", 5, None)])
    report.section("a record in the log of each call, and none")
    audited(report, admin, plain, [
        ("audited: get", "kg_get('node', 'n' || i)", 2000, None), ("audited: list page of 20", "kg_list('node', '{\"limit\": 20}')", 200, None),
        ("audited: traverse, 1 hop", WALK % (*start, "'NEXT'", "'outgoing'", 1), 200, None)])
    report.section("the exchange, a traverse of 3 hops")
    exchange(report, admin, Session("of_outside"), plain, argument(walk), 20, "outside")


def audited(report, admin, plain, rows):
    """With and without a record, in a loop and as a driver calls; the line alone
    is the difference to a function that writes none.  Without its statement and
    its context, which are lines of their own."""
    admin.query("""CREATE ROLE of_audited LOGIN; SELECT kg_grant('plain', 'of_audited', 'read'); ALTER ROLE of_audited SET kg_graph.audit = 'all';
CREATE ROLE of_bare LOGIN; ALTER ROLE of_bare SET log_min_error_statement = panic; ALTER ROLE of_bare SET log_error_verbosity = terse;
CREATE FUNCTION bare_line(text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF $1 <> '' THEN RAISE LOG '%', $1; END IF; END $$""")
    recorded = Session("of_audited")
    compare(report, plain, recorded, rows)
    get, bare = "SELECT kg_get('node', 'n7')", "SELECT bare_line(%s)"
    clients = [Client("of_plain", get), Client("of_audited", get), Client("of_bare", bare % "''"), Client("of_bare", bare % "repeat('x', 400)")]
    off, on, none, one = alternate(*[functools.partial(client.cpu_calls, 500) for client in clients], rounds=21)
    report.figure("get by a driver, without", off, "us")
    report.figure("get by a driver, with", on, "us")
    report.ratio("audited: get by a driver", on, off, 1.3, 1.3)
    report.figure("a bare line of 400 bytes in the log", one - none, "us")


def argument(call):
    return call[call.index("(") + 1:-1]


def wordnet(report, admin):
    load_wordnet(admin)
    admin.query("""INSERT INTO may SELECT entity_id FROM kg_entity WHERE tenant = 'wn_ids' UNION SELECT data ->> 'lexname' FROM kg_entity WHERE tenant = 'wn_ids';
VACUUM ANALYZE""")
    starts = admin.query("SELECT entity_id FROM kg_entity WHERE tenant = 'wn_plain' ORDER BY md5(entity_id) LIMIT 100")
    start = ("'synset'", "(%s::text[])[1 + i %% 100]" % literal("{%s}" % ",".join(json.dumps(each) for each in starts)))
    walk = [WALK % (*start, "'*'", "'both'", hops) for hops in (1, 2, 3)]
    near = [NEAR % (*start, hops) for hops in (1, 2, 3)]
    files = "jsonb_build_object('limit', 20, 'filters', jsonb_build_object('lexname', 'noun.body'))"
    plain = reader(admin, "wn_plain", False)
    for tenant, by, required in (("wn_files", "45 files", 1.5), ("wn_ids", "its own id", None)):
        asked = reader(admin, tenant, True)
        report.section("WordNet, an authorizer that allows all, decided by " + by)
        compare(report, plain, asked, [
            *[("traverse, %d hops" % (n + 1), walk[n], (100, 60, 20)[n], 2) for n in range(3)],
            *[("neighbors, %d hops" % (n + 1), near[n], (100, 60, 20)[n], 2) for n in range(3)],
            ("list page of 20", "kg_list('synset', '{\"limit\": 20}')", 2, required),
            ("list page of 20 in a filter by file", "kg_list('synset', %s)" % files, 20, required)])
        count_decisions(report, admin, asked, tenant, walk[2])
        for n in range(3 if tenant == "wn_ids" else 0):
            alone(report, admin, asked, tenant, "neighbors, %d hops" % (n + 1), near[n], (100, 60, 20)[n])
        admin.query("SELECT kg_set_authorizer(%s, NULL)" % literal(tenant))
        report.section("WordNet, the exchange, a traverse of 3 hops, decided by " + by)
        exchange(report, admin, Session("of_outside"), plain, argument(walk[2]), 40, tenant)


def main():
    admin = Session()
    report = Report("authorize")
    admin.query("""CREATE TABLE may(id text PRIMARY KEY); GRANT SELECT ON may TO PUBLIC;
CREATE FUNCTION may_see(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
  $$ SELECT m.id, true FROM public.may m WHERE m.id = ANY (ids) $$;
CREATE ROLE of_outside LOGIN; SELECT kg_grant_gateway('of_outside', exchange => true);
INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience) VALUES ('bench', 'k', 'HS256', 'a secret of more than 32 bytes, for the bench', 'kg')""")
    for name, part in (("made", made), ("wordnet", wordnet)):
        if name in PARTS:
            part(report, admin)
    report.end()


main()
