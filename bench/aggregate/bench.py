"""Aggregates over many entities, beside GROUP BY over the documents of the same
table, as the same role under the same policies: processor time, in turn."""
import json

from kgbench import Report, Session, alternate, literal, make_tenant, scaled

SALES = scaled(1000000, 1000)
PACKAGES = scaled(68000, 500)
BATCH = 50000
BUNDLE = {"bundle_name": "shop", "version": "1", "schemas": [
    {"entity_type": "sale", "schema": {
        "type": "object", "x-id-field": "id", "properties": {
            "id": {"type": "string"}, "note": {"type": "string"},
            "state": {"enum": ["new", "paid", "sent", "gone"], "x-index": True},
            "city": {"type": "string", "x-index": True},
            "cents": {"type": "integer", "x-index": True}}}},
    {"entity_type": "maintainer", "schema": {
        "type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
    {"entity_type": "package", "schema": {
        "type": "object", "x-id-field": "id", "properties": {
            "id": {"type": "string"}, "by": {"type": "string", "x-ref": "maintainer", "x-relation": "MAINTAINED_BY"}}}}],
    "entities": [{"entity_type": "maintainer", "items": [{"id": "m%d" % n} for n in range(1000)]}]}
SALE = """jsonb_build_object('id', n::text, 'state', (ARRAY['new', 'paid', 'sent', 'gone'])[1 + n % 4], 'city', 'c' || n::bigint * 7919 % 300,
  'cents', n::bigint * 2654435761 % 100003, 'note', repeat('lorem ipsum ', 1 + n % 12))"""
PACKAGE = "jsonb_build_object('id', 'p' || n, 'by', 'm' || sqrt(n::bigint * 7919 % 1000000)::int % 1000)"
# The same counts by hand, over the edges.
BY_MAINTAINER = """SELECT m.entity_id, count(*) FROM kg_entity e JOIN kg_edge x ON x.tenant = e.tenant AND x.source = e.node
  JOIN kg_entity m ON m.tenant = x.tenant AND m.node = x.target
  WHERE e.tenant = 'shop' AND e.bundle = 'shop' AND e.entity_type = 'package' AND x.relation_no = (SELECT min(relation_no) FROM kg_relation WHERE relation = 'MAINTAINED_BY') GROUP BY 1"""


def load(admin):
    make_tenant(admin, "shop", "loader")
    loader = Session("loader")
    loader.query("SELECT NULL FROM kg_apply_bundle(%s)" % literal(json.dumps(BUNDLE)))
    for kind, item, n in (("sale", SALE, SALES), ("package", PACKAGE, PACKAGES)):
        for first in range(0, n, BATCH):
            loader.query("INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'shop', '%s', %s FROM generate_series(%d, %d) n"
                         % (kind, item, first, min(first + BATCH, n) - 1))
    loader.query("SELECT kg_pack()")
    loader.close()
    admin.query("VACUUM ANALYZE")


def milliseconds(session, sql):
    before = session.cpu()
    session.query(sql + "\n\\g /dev/null\n")
    return (session.cpu() - before) * 1000


def by_hand(columns, keys):
    return "SELECT %s FROM kg_entity WHERE tenant = 'shop' AND bundle = 'shop' AND entity_type = 'sale' GROUP BY %s" % (columns, keys)


def compare(report, agent, what, arguments, sql, bound, faster=None):
    call = "kg_aggregate(%s)" % literal(json.dumps(dict(arguments, limit=1000)))
    ours = sorted(json.loads(agent.value("SELECT %s -> 'rows'" % call)), key=str)
    theirs = sorted((json.loads(r) for r in agent.query("SELECT jsonb_path_query(to_jsonb(x), '$') FROM (SELECT jsonb_build_array(%s) FROM (%s) y) z(x)"
                                                       % (", ".join("y.c%d" % i for i in range(len(ours[0]))), sql))), key=str)
    if ours != theirs:
        report.failed += 1
        report.note("  DIFFERENT: %s: %s, %s" % (what, ours[:3], theirs[:3]))
    mine, other = alternate(lambda: milliseconds(agent, "SELECT " + call), lambda: milliseconds(agent, sql), rounds=5)
    report.bound("%s: %d groups" % (what, len(ours)), mine, bound, "ms")
    report.figure("  by hand", other, "ms")
    if faster:
        report.ratio("  faster than by hand", mine, other, faster, faster, faster=True)


def main():
    report = Report("aggregate: %d sales, %d packages" % (SALES, PACKAGES))
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE agent LOGIN")
    load(admin)
    admin.query("SELECT NULL FROM kg_grant('shop', 'agent', 'read')")
    agent = Session("agent")
    sale = {"node": {"label": "sale"}}
    count = [{"fn": "count"}]
    for key, bound in (("state", 500), ("city", 500)):
        compare(report, agent, "count by " + key, dict(sale, aggregations=count, group_by=[{"property": key}]),
                by_hand("data ->> '%s' AS c0, count(*) AS c1" % key, "1"), bound, 3)
    compare(report, agent, "sum, min, max by state",
            dict(sale, aggregations=[{"fn": fn, "property": "cents"} for fn in ("sum", "min", "max")], group_by=[{"property": "state"}]),
            by_hand("data ->> 'state' AS c0, sum((data ->> 'cents')::numeric) AS c1, min((data ->> 'cents')::numeric) AS c2, max((data ->> 'cents')::numeric) AS c3", "1"), 1000)
    compare(report, agent, "sum by city",
            dict(sale, aggregations=[{"fn": "sum", "property": "cents"}], group_by=[{"property": "city"}]),
            by_hand("data ->> 'city' AS c0, sum((data ->> 'cents')::numeric) AS c1", "1"), 1000)
    compare(report, agent, "count by maintainer",
            {"node": {"label": "package"}, "aggregations": count, "group_by": [{"relationship": "MAINTAINED_BY", "label": "maintainer"}]},
            BY_MAINTAINER.replace("m.entity_id, count(*)", "m.entity_id AS c0, count(*) AS c1"), 300)
    report.end()


main()
