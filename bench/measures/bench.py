"""The measures of analyze on a graph of a million edges in groups of 100 nodes, packed,
and of keeping a measure in a property: processor time. Components are compared with a union-find in Python."""
import collections
import json

from kgbench import Report, Session, cpu_statement, literal, make_tenant, scaled

NODES = scaled(200000, 1000)
EDGES = scaled(1000000, 5000)
BATCH = 50000
# Seconds that a measure may take at full size.
MEASURES = {"degree": None, "components": 1, "pagerank": 3, "k_core": None, "communities": 15, "betweenness": None}
BUNDLE = {"bundle_name": "graph", "version": "1", "schemas": [
    {"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "properties": {
        "id": {"type": "string"}, "rank": {"type": "number", "x-index": True}}}}],
    "relations": [{"name": "LINKS", "from": "node", "to": "node"}]}
# Seven of ten edges are within a group, and the others lead to some nodes more often.  The last tenth of the nodes has no
# edge.  The numbers of nodes follow each other.
LINKS = """INSERT INTO kg_edge (tenant, source, relation_no, target)
SELECT 'graph', first + source, relation_no, first + CASE WHEN near < 0.7 THEN source / 100 * 100 + (random() * 99)::int ELSE (power(random(), 3) * %(most)d)::int END
FROM (SELECT min(node) AS first FROM kg_entity) n, (SELECT min(relation_no) AS relation_no FROM kg_relation) r,
  (SELECT (random() * %(most)d)::int AS source, random() AS near FROM generate_series(1, %(edges)d)) e ON CONFLICT DO NOTHING"""


def load(admin):
    make_tenant(admin, "graph", "loader", "admin")
    loader = Session("loader")
    loader.query("SELECT NULL FROM kg_apply_bundle(%s)" % literal(json.dumps(BUNDLE)))
    for first in range(0, NODES, BATCH):
        loader.query("INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'graph', 'node', jsonb_build_object('id', 'n' || n) FROM generate_series(%d, %d) n"
                     % (first, min(first + BATCH, NODES) - 1))
    loader.query("SELECT setseed(0.5)")
    loader.query(LINKS % {"most": NODES * 9 // 10 - 100, "edges": EDGES})
    loader.query("SELECT kg_pack()")
    admin.query("VACUUM ANALYZE")
    return loader


def components(admin):
    """The sizes of the components, the largest first."""
    parent = {int(node): int(node) for node in admin.query("SELECT node FROM kg_entity")}

    def root(node):
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row in admin.query("SELECT source || ' ' || target FROM kg_edge"):
        one, two = map(int, row.split())
        parent[root(one)] = root(two)
    return sorted(collections.Counter(map(root, parent)).values(), reverse=True)


def main():
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN; LOAD 'kg_graph'; ALTER ROLE loader SET kg_graph.max_call_time = 0")
    loader = load(admin)
    report = Report("measures: %d nodes, %s edges" % (NODES, admin.value("SELECT count(*) FROM kg_edge")))
    for measure, most in MEASURES.items():
        call = "SELECT kg_analyze(%s)" % literal(json.dumps({"measure": measure, "ids_only": True, "limit": 1}))
        took = cpu_statement(loader, call, rounds=3)
        if most is None:
            report.figure(measure, took, "ms")
        else:
            report.bound(measure, took, most * 1000, "ms")
    reply = json.loads(loader.value("SELECT kg_analyze('{\"measure\": \"components\", \"members\": 0, \"limit\": 1000, \"ids_only\": true}')"))
    sizes = components(admin)
    if [g["size"] for g in reply["groups"]] != sizes[:len(reply["groups"])] or reply["total"] != len(sizes):
        report.failed += 1
        report.note("  DIFFERENT: components of union-find: %s" % sizes[:5])
    keep = "SELECT kg_keep_measure('node', 'rank', '{\"measure\": \"pagerank\"}')"
    report.figure("a kept pagerank", cpu_statement(loader, keep, rounds=1), "ms")
    report.figure("again, nothing changes", cpu_statement(loader, keep, rounds=1), "ms")
    report.end()


main()
