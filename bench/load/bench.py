"""kg_apply_bundle: 100,000 entities to a plain INSERT ... SELECT, and the
backend's memory for a bundle of 100 MB."""
import json

from kgbench import (BRANDS, BUNDLE, MemoryPeak, PRODUCT_SQL, Report, Session,
                     literal, make_tenant, scaled, time_statement)

ROWS = scaled(100000, 1000)


def bundle_sql(products):
    """The bundle of the other benchmarks with three indexed fields and a
    reference, and without names to search by."""
    bundle = json.loads(json.dumps(BUNDLE))
    for entry in bundle["schemas"]:
        del entry["schema"]["x-label-field"]
    fields = bundle["schemas"][1]["schema"]["properties"]
    for name in ("brand", "added"):
        del fields[name]["x-index"]
    return """%s::jsonb || jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('entity_type', 'brand', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'br' || b, 'name', 'Brand ' || b))
       FROM generate_series(0, %d) b)),
  jsonb_build_object('entity_type', 'product', 'items',
    (SELECT jsonb_agg(%s ORDER BY n) FROM generate_series(1, %d) n))))""" % (
        literal(json.dumps(bundle)), BRANDS - 1, PRODUCT_SQL, products)


def speed(report, admin, loader):
    report.section("%d validated entities, 3 indexed fields and a reference"
                   " each" % ROWS)
    admin.query("CREATE TABLE holder AS SELECT %s AS b" % bundle_sql(ROWS))
    admin.query("CREATE TABLE bare (id text COLLATE \"C\" PRIMARY KEY, data jsonb)")
    admin.query("GRANT SELECT ON holder TO loader; GRANT ALL ON bare TO loader")
    report.figure("size of the bundle", int(admin.value(
        "SELECT length(b::text) FROM holder")), "bytes")
    bare = time_statement(
        loader, "INSERT INTO bare SELECT item ->> 'id', item FROM holder,"
        " jsonb_array_elements(b #> '{entities,1,items}') item",
        rounds=5, before="DELETE FROM bare")
    ours = []
    for name in ("one", "two", "three"):
        make_tenant(admin, name, "loader")
        loader.query("SET kg_graph.tenant = '%s'" % name)
        ours.append(time_statement(
            loader, "SELECT kg_apply_bundle(b, '{}') FROM holder", rounds=1))
    again = time_statement(
        loader, "SELECT kg_apply_bundle(b, '{}') FROM holder", rounds=3)
    dry = time_statement(
        loader, "SELECT kg_apply_bundle(b, '{\"dry_run\": true}') FROM holder",
        rounds=3)
    report.figure("INSERT ... SELECT into a bare table, primary key", bare, "ms")
    ours.sort()
    report.figure("kg_apply_bundle, empty tenant", ours[1], "ms")
    report.figure("kg_apply_bundle, nothing changed", again, "ms")
    report.figure("kg_apply_bundle, dry run", dry, "ms")
    report.ratio("kg_apply_bundle to INSERT ... SELECT", ours[1], bare, 8, 4)
    report.ratio("kg_apply_bundle, nothing changed, to the first time",
                 again, ours[1], 1, 0.2)
    admin.query("DROP TABLE holder, bare")


def memory(report, admin):
    rows = scaled(460000, 1000)
    report.section("memory of a backend that applies a bundle of 100 MB")
    admin.query("CREATE TABLE holder AS SELECT %s AS b" % bundle_sql(rows))
    admin.query("GRANT SELECT ON holder TO loader")
    report.figure("size of the bundle, %d entities" % rows, int(admin.value(
        "SELECT length(b::text) FROM holder")) >> 20, "MB")
    make_tenant(admin, "large", "loader")
    session = Session("loader")
    session.query("SET kg_graph.tenant = 'large'")
    with MemoryPeak(session) as peak:
        took = time_statement(
            session, "SELECT kg_apply_bundle(b, '{}') FROM holder", rounds=1)
    report.figure("time", took / 1000, "s")
    report.bound("highest private memory of the backend (RssAnon)",
                 peak.peak >> 20, 1024, "MB")
    report.figure("highest resident memory, shared buffers too (VmHWM)",
                  session.memory("VmHWM") >> 20, "MB")


def main():
    report = Report("load")
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN")
    loader = Session("loader")
    speed(report, admin, loader)
    memory(report, admin)
    report.end()


main()
