"""What kg_health() and kg_check() cost at a million entities with three indexed
properties each, a name and a reference; and what a repair of them does."""
import json
import sys

from kgbench import MemoryPeak, Report, Session, cpu_statement, literal, scaled, time_statement

ENTITIES = scaled(1000000, 1000)
BATCH = 50000
BUNDLE = {"bundle_name": "stock", "version": "1", "schemas": [
    {"entity_type": "shelf", "schema": {
        "type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}},
    {"entity_type": "part", "schema": {
        "type": "object", "x-id-field": "id", "x-label-field": "name",
        "properties": {
            "id": {"type": "string", "pattern": "^[0-9]+$"},
            "name": {"type": "string", "minLength": 1},
            "shelf": {"type": "string", "x-ref": "shelf"},
            "tier": {"enum": ["premium", "standard", "basic"], "x-index": True},
            "score": {"type": "integer", "minimum": 0, "x-index": True},
            "added": {"type": "string", "format": "date", "x-index": True}},
        "required": ["id", "name", "tier"], "additionalProperties": False}}],
    "entities": [{"entity_type": "shelf", "items": [{"id": "s%d" % n} for n in range(200)]}]}
PART = """jsonb_build_object('id', n::text, 'name', 'Part ' || n, 'shelf', 's' || n % 200,
  'tier', (ARRAY['premium', 'standard', 'basic'])[1 + n % 3], 'score', n::bigint * 7919 % 10007,
  'added', to_char(date '2015-01-01' + n % 4000, 'YYYY-MM-DD'))"""


def load(admin):
    admin.query("SET client_min_messages = error; SELECT kg_create_tenant('stock'); SELECT kg_grant('stock', current_user, 'admin'); SET kg_graph.tenant = 'stock'")
    admin.query("SELECT NULL FROM kg_apply_bundle(%s)" % literal(json.dumps(BUNDLE)))
    for first in range(0, ENTITIES, BATCH):
        admin.query("INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'stock', 'part', %s FROM generate_series(%d, %d) n"
                    % (PART, first, min(first + BATCH, ENTITIES) - 1))
    admin.query("VACUUM ANALYZE")


def main():
    report = Report("check: %d entities" % ENTITIES)
    admin = Session()
    load(admin)
    keys = int(admin.value("SELECT count(*) FROM kg_index_key"))
    report.figure("keys", keys, "rows")
    report.section("kg_health()")
    first = Session()
    report.bound("kg_health(), the first of a session, processor time", cpu_statement(first, "SELECT kg_health()", rounds=1), 50, "ms")
    report.bound("kg_health(), processor time", cpu_statement(first, "SELECT kg_health()"), 50, "ms")
    report.section("kg_check()")
    checker = Session()
    with MemoryPeak(checker) as peak:
        took = time_statement(checker, "SELECT kg_check()", rounds=1)
    if json.loads(checker.value("SELECT kg_check('{\"tenant\": \"stock\"}')"))["ok"] is not True:
        sys.exit("kg_check() found differences")
    report.bound("kg_check()", took / 1000, 60, "s")
    report.bound("its memory", (peak.peak - peak.start) / 1e6, 200, "MB")
    report.section("kg_check() with repair, a hundredth of the names and of the keys is missing")
    admin.query("DELETE FROM kg_term WHERE tenant = 'stock' AND node % 100 = 0; DELETE FROM kg_index_key WHERE tenant = 'stock' AND node % 100 = 1")
    mender = Session()
    mender.query("SET work_mem = '64MB'")
    with MemoryPeak(mender) as peak:
        before = mender.cpu()
        mended = json.loads(mender.value("SELECT kg_check('{\"repair\": true, \"limit\": 0}')"))
    if mended["ok"] is not True or mended["counts"]["differences"] == 0:
        sys.exit("kg_check() mended %s" % mended)
    report.figure("differences", mended["counts"]["differences"], "")
    report.figure("kg_check() with repair, processor time", mender.cpu() - before, "s")
    report.figure("its memory", (peak.peak - peak.start) / 1e6, "MB")
    report.end()


main()
