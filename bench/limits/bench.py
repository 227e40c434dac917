"""What limits cost: a kg_get of one entity, in processor time, with and without
limits of the caller and of others; an insert with and without a quota."""
import statistics

from kgbench import Report, Session, bundle_sql, cpu_calls, make_tenant, scaled

PRODUCTS = scaled(2000, 200)
CALLS = scaled(40000, 2000)
ROUNDS = scaled(9, 3)


def limits(admin, tenant, value):
    admin.query("SELECT kg_set_limits('%s', '*', '%s')" % (tenant, value))


def main():
    report = Report("limits: %d products" % PRODUCTS)
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN; GRANT USAGE, CREATE ON SCHEMA public TO loader;"
                "SELECT kg_create_tenant('other')")
    make_tenant(admin, "shop", "loader")
    admin.query("CREATE TABLE holder AS SELECT %s AS b; GRANT SELECT ON holder TO loader"
                % bundle_sql(PRODUCTS))
    loader = Session("loader")
    loader.query("SELECT length(kg_apply_bundle(b)::text) FROM holder")
    admin.query("VACUUM ANALYZE")
    first = loader.value("SELECT entity_id FROM kg_entity WHERE entity_type = 'product' LIMIT 1")
    get = "kg_get('product', '%s')" % first
    states = [("no limits", "{}", "{}"),
              ("limits of another tenant", "{}", '{"max_rows": 100}'),
              ("max_rows", '{"max_rows": 100}', "{}"),
              ("concurrent_calls 4", '{"concurrent_calls": 4}', "{}"),
              ("concurrent_calls 100", '{"concurrent_calls": 100}', "{}")]
    took = {name: [] for name, _, _ in states}
    for _ in range(ROUNDS):
        for name, own, others in states:
            limits(admin, "shop", own)
            limits(admin, "other", others)
            took[name].append(cpu_calls(loader, get, CALLS // ROUNDS, rounds=3))
    report.section("a call")
    plain = statistics.median(took["no limits"])
    for name, each in took.items():
        report.figure(get + ", " + name, statistics.median(each), "us")
    report.bound("what concurrent_calls adds",
                 statistics.median(took["concurrent_calls 4"]) - plain, 3, "us")
    report.section("an insert of one entity")
    limits(admin, "other", "{}")
    loader.query("CREATE TEMP SEQUENCE n START 1000000")
    insert = ("kg_put_entities('product', jsonb_build_array((SELECT data || jsonb_build_object("
              "'id', nextval('n')::text) FROM kg_entity WHERE entity_id = '%s'"
              " AND entity_type = 'product'))) #> '{counts,created}'" % first)
    assert loader.value("SELECT " + insert) == "1"
    calls = scaled(1000, 100)
    cpu_calls(loader, insert, calls)
    took = {}
    for _ in range(ROUNDS):
        for name, own in (("no quota", "{}"),
                          ("entities and edges", '{"entities": 100000000, "edges": 100000000}'),
                          ("bytes", '{"bytes": 100000000000}')):
            limits(admin, "shop", own)
            took.setdefault(name, []).append(cpu_calls(loader, insert, calls, rounds=3))
    for name, each in took.items():
        report.figure("kg_put_entities, " + name, statistics.median(each), "us")
    report.end()


if __name__ == "__main__":
    main()
