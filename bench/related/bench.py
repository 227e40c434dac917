"""What selections cost that say what nodes are connected to, and alternatives,
against the SQL that one would write by hand, as the same role under the same
policies: processor time, in turn."""
import json

from kgbench import Report, Session, alternate, literal, make_tenant, scaled

PACKAGES = scaled(50000, 1000)
CALLS = 5
BUNDLE = {"bundle_name": "os", "version": "1", "schemas": [
    {"entity_type": "package", "schema": {
        "type": "object", "x-id-field": "id", "properties": {
            "id": {"type": "string"}, "n": {"type": "integer", "x-index": True},
            "section": {"type": "string", "x-index": True}, "text": {"type": "string"}}}}],
    "relations": [{"name": "DEPENDS", "from": "package", "to": "package"},
                  {"name": "RECOMMENDS", "from": "package", "to": "package"}]}
ENTITY = """jsonb_build_object('id', 'p' || n, 'n', n % 1000, 'section', 's' || n % 37,
  'text', repeat('lorem ipsum ', 1 + n % 30))"""


# From one to eight packages that each depends on, and every third recommends one.
EDGE = """jsonb_build_object('relation', '%s', 'from', 'package:p' || i, 'to', 'package:p' || %s)"""
DEPENDS = EDGE % ("DEPENDS", "(i::bigint * k * 7919) %% %d + 1" % PACKAGES)
RECOMMENDS = EDGE % ("RECOMMENDS", "(i::bigint * 31) %% %d + 1" % PACKAGES)


def load(admin):
    make_tenant(admin, "os", "loader")
    loader = Session("loader")
    loader.query("""
SELECT NULL FROM kg_apply_bundle(%s::jsonb || jsonb_build_object(
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'package', 'items', (SELECT jsonb_agg(%s) FROM generate_series(1, %d) n))),
  'edges', (SELECT jsonb_agg(e) FROM (
    SELECT %s AS e FROM generate_series(1, %d) i, generate_series(1, 8) k WHERE i %% 9 < k
    UNION SELECT %s FROM generate_series(1, %d, 3) i) x)))"""
                 % (literal(json.dumps(BUNDLE)), ENTITY, PACKAGES, DEPENDS, PACKAGES, RECOMMENDS, PACKAGES))
    loader.query("SELECT kg_pack()")
    loader.close()
    admin.query("VACUUM ANALYZE")


def milliseconds(session, expression):
    before = session.cpu()
    session.query("DO $$ DECLARE x text; BEGIN FOR i IN 1..%d LOOP x := %s; END LOOP; END $$" % (CALLS, expression))
    return (session.cpu() - before) * 1000 / CALLS


def compare(report, agent, what, arguments, sql):
    """By hand as well with as many ids, in order, as the reply has."""
    page = ", (array_agg(e.entity_id ORDER BY e.entity_id))[1:%d]" % arguments["limit"] if arguments["limit"] else ""
    call = "kg_find_nodes(%s) ->> 'total'" % literal(json.dumps(dict(arguments, node_label="package")))
    hand = "(SELECT concat_ws(' ', count(*)%s) FROM kg_entity e WHERE e.tenant = 'os' AND e.bundle = 'os' AND e.entity_type = 'package' AND %s)" % (page, sql)
    ours, theirs = agent.value("SELECT %s" % call), agent.value("SELECT %s" % hand).split(" ")[0]
    if ours != theirs:
        report.failed += 1
        report.note("  DIFFERENT: %s: %s, %s" % (what, ours, theirs))
    mine, other = alternate(lambda: milliseconds(agent, call), lambda: milliseconds(agent, hand))
    report.figure("%s: %s of %d" % (what, ours, PACKAGES), mine, "ms")
    report.figure("  by hand", other, "ms")
    report.ratio("  to that by hand", mine, other, 2, 1)


def exists(agent, relation, more=""):
    number = agent.value("SELECT min(relation_no) FROM kg_relation WHERE relation = '%s'" % relation)
    return "EXISTS (SELECT FROM kg_edge x WHERE x.tenant = 'os' AND x.source = e.node AND x.relation_no = %s%s)" % (number, more)


def main():
    report = Report("related: %d packages" % PACKAGES)
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE agent LOGIN")
    load(admin)
    admin.query("SELECT NULL FROM kg_grant('os', 'agent', 'read')")
    agent = Session("agent")
    some = {"type": "RECOMMENDS"}
    report.section("counts")
    compare(report, agent, "not_related, a third has it", {"not_related": [some], "limit": 0}, "NOT " + exists(agent, "RECOMMENDS"))
    compare(report, agent, "not_related, most have it", {"not_related": [{"type": "DEPENDS"}], "limit": 0}, "NOT " + exists(agent, "DEPENDS"))
    compare(report, agent, "related and not_related", {"related": [{"type": "DEPENDS"}], "not_related": [some], "limit": 0},
            exists(agent, "DEPENDS") + " AND NOT " + exists(agent, "RECOMMENDS"))
    one = agent.value("SELECT node FROM kg_entity WHERE tenant = 'os' AND bundle = 'os' AND entity_type = 'package' AND entity_id = 'p32'")
    compare(report, agent, "related to one", {"related": [{"type": "DEPENDS", "to": {"ids": ["p32"]}}], "limit": 0}, exists(agent, "DEPENDS", " AND x.target = %s" % one))
    compare(report, agent, "any of two", {"filters": {"any": [{"n": 7}, {"section": "s3", "n": {"lt": 20}}]}, "limit": 0},
            "((data ->> 'n')::int = 7 OR data ->> 'section' = 's3' AND (data ->> 'n')::int < 20)")
    report.section("pages of 30 ids")
    compare(report, agent, "not_related, a third has it", {"not_related": [some], "limit": 30, "ids_only": True}, "NOT " + exists(agent, "RECOMMENDS"))
    report.end()


main()
