"""kg_apply_bundle: 100,000 entities to a plain INSERT ... SELECT, and the
memory of the backend and of kgctl for bundles of 100 MB."""
import json
import os
import subprocess
import time

from kgbench import (BRANDS, BUNDLE, TEMP, MemoryPeak, PRODUCT_SQL, Report,
                     Session, cpu_statement, literal, make_tenant, scaled,
                     time_statement)

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
    # An entity has seven index entries, a row of the bare table has one.
    report.ratio("kg_apply_bundle to INSERT ... SELECT", ours[1], bare, 6, 5)
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


def edges_sql(nodes, edges):
    """A bundle of entities with explicit edges, about 230 bytes an edge."""
    bundle = {
        "bundle_name": "packages", "version": "1",
        "schemas": [{"entity_type": "package", "schema": {
            "type": "object", "x-id-field": "id",
            "properties": {"id": {"type": "string"}}}}],
        "relations": [{"name": name, "from": "package", "to": "package",
                       "schema": {"type": "object", "properties": {
                           "constraint": {"type": "string"},
                           "note": {"type": "string"}}}}
                      for name in ("DEPENDS", "RECOMMENDS", "SUGGESTS")]}
    return """%s::jsonb || jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('entity_type', 'package', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'package-' || i))
       FROM generate_series(0, %d) i))), 'edges',
  (SELECT jsonb_agg(jsonb_build_object(
     'relation', (ARRAY['DEPENDS', 'RECOMMENDS', 'SUGGESTS'])[1 + i %% 3],
     'from', 'package:package-' || i::bigint * 7919 %% %d,
     'to', 'package:package-' || (i / %d * 104729 + i::bigint * 31) %% %d,
     'properties', jsonb_build_object('constraint', '>= 1.' || i %% 100,
       'note', repeat('lorem ipsum ', 5 + i %% 3))))
   FROM generate_series(0, %d) i))""" % (
        literal(json.dumps(bundle)), nodes - 1, nodes, nodes, nodes, edges - 1)


def resident(pid):
    """RssAnon of a process that may be gone, bytes."""
    try:
        with open("/proc/%d/status" % pid) as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def kgctl_peaks(admin, command, file):
    """The highest RssAnon of kgctl and of its backend, bytes."""
    process = subprocess.Popen(
        ["kgctl", command, file],
        stdout=subprocess.DEVNULL,
        env=dict(os.environ, PGUSER="loader", KGCTL_TENANT="packages"))
    peak = backend_peak = 0
    backend = None
    while process.poll() is None:
        backend = backend or admin.value(
            "SELECT pid FROM pg_stat_activity"
            " WHERE application_name = 'kgctl'")
        peak = max(peak, resident(process.pid))
        if backend:
            backend_peak = max(backend_peak, resident(int(backend)))
        time.sleep(0.01)
    if process.returncode != 0:
        raise SystemExit("kgctl %s: exit status %d"
                         % (command, process.returncode))
    return peak, backend_peak


def edges(report, admin):
    report.section("a bundle of 100 MB with explicit edges")
    count = scaled(478000, 1000)
    admin.query("CREATE TABLE linked AS SELECT %s AS b"
                % edges_sql(scaled(68820, 200), count))
    admin.query("GRANT SELECT ON linked TO loader")
    report.figure("size of the bundle, %d edges" % count, int(admin.value(
        "SELECT length(b::text) FROM linked")) >> 20, "MB")
    make_tenant(admin, "packages", "loader")
    session = Session("loader")
    session.query("SET kg_graph.tenant = 'packages'")
    apply = "SELECT kg_apply_bundle(b, '{}') FROM linked"
    with MemoryPeak(session) as peak:
        first = cpu_statement(session, apply, rounds=1)
    admin.query("VACUUM ANALYZE")
    again = cpu_statement(session, apply, rounds=3)
    report.figure("processor time, empty tenant", first, "ms")
    report.figure("processor time, nothing changed", again, "ms")
    report.ratio("nothing changed, to the first time", again, first, 0.1, 0.07)
    report.bound("highest private memory of the backend (RssAnon)",
                 peak.peak >> 20, 400, "MB")
    file = os.path.join(TEMP, "linked.json")
    with open(file, "w") as out:
        subprocess.run(["psql", "-XAtq", "-c", "SELECT b FROM linked"],
                       stdout=out, check=True)
    for command in ("apply", "diff"):
        ours, backend = kgctl_peaks(admin, command, file)
        report.bound("highest private memory of kgctl %s (RssAnon)" % command,
                     ours >> 20, 200, "MB")
        report.bound("and of the backend that it calls", backend >> 20,
                     400, "MB")
    os.unlink(file)


def main():
    report = Report("load")
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN")
    loader = Session("loader")
    speed(report, admin, loader)
    memory(report, admin)
    edges(report, admin)
    report.end()


if __name__ == "__main__":
    main()
