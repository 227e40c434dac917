"""The same calls in one of 1,000 tenants of 1,000 entities and in one tenant of
1,000,000, side by side in the same tables: what many tenants cost, and what a
large one does.

A page is one by cursor, because a total grows with what it counts, and the search
is for a brand, of which all tenants have the same 200.  Processor time of
the backend, in turn.
"""
import time

from kgbench import (BRANDS, Report, Session, alternate, bundle_sql, cpu_calls,
                     grant, literal, make_tenant, scaled, seconds_since)

TENANTS, ROWS = scaled(1000, 10), 1000 - BRANDS
LARGE = scaled(1000000, 20000) - BRANDS
CNAMES, ROUNDS = 200, 25
PAGE = """kg_list('product', '{"sort": [{"field": "score"}], "limit": 20}')"""
NAME = "t%04d"


def load(report, admin):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE small LOGIN; CREATE ROLE large LOGIN;"
                "CREATE ROLE gateway LOGIN")
    tenants = [(NAME % i, ROWS) for i in range(TENANTS)] + [("large", LARGE)]
    for tenant, _ in tenants:
        make_tenant(admin, tenant, "loader")
        if tenant != "large":
            grant(admin, tenant, "gateway", "read")
    grant(admin, NAME % (TENANTS // 2), "small", "read")
    grant(admin, "large", "large", "read")
    # A bundle of a million is made in pieces, which merge.
    start, piece = time.monotonic(), 100000
    loader = Session("loader")
    admin.query("CREATE TABLE holder AS SELECT %s AS b" % bundle_sql(ROWS))
    admin.query("GRANT SELECT ON holder TO loader")
    for tenant, _ in tenants[:-1]:
        loader.query("SET kg_graph.tenant = %s" % literal(tenant))
        loader.query("SELECT length(kg_apply_bundle(b, '{}')::text), kg_pack() FROM holder")
    loader.query("SET kg_graph.tenant = 'large'")
    for first in range(1, LARGE + 1, piece):
        last = min(LARGE, first + piece - 1)
        loader.query("SELECT length(kg_apply_bundle(%s, '{\"mode\": \"merge\"}')::text)"
                     % bundle_sql(last).replace("generate_series(1, %d) n" % last,
                                                "generate_series(%d, %d) n" % (first, last)))
    report.figure("loaded entities", int(admin.value("SELECT count(*) FROM kg_entity")),
                  "in %.0f s" % seconds_since(start))
    loader.query("SELECT kg_pack()")
    admin.query("VACUUM ANALYZE")


def main():
    report = Report("tenants: %d of 1,000 entities, and one of %d" % (TENANTS, LARGE + BRANDS))
    admin = Session()
    load(report, admin)
    small, large = Session("small"), Session("large")

    report.section("a call in one of many tenants and in a large one")
    calls = [
        ("get of one", lambda s: "kg_get('product', (1 + i * 7919 %% %d)::text)" % ROWS),
        ("a page of 20 by cursor", lambda s: "kg_list('product', %s::jsonb)" % literal(
            s.value("SELECT %s -> 'next'" % PAGE))),
        ("a search", lambda s: "kg_search(jsonb_build_object('query', 'Brand 1' || i % 100, 'limit', 5))"),
        ("one hop", lambda s: "kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label', 'product',"
                              " 'node_id', (1 + i * 7919 %% %d)::text), 'max_hops', 1, 'direction', 'outgoing'))" % ROWS)]
    for what, call in calls:
        a, b = alternate(*[lambda s=s, text=call(s): cpu_calls(s, text, CNAMES, rounds=1)
                           for s in (small, large)], rounds=ROUNDS)
        report.figure("%s: of %d tenants" % (what, TENANTS), a, "us")
        report.figure("%s: of a million" % what, b, "us")
        report.ratio("%s, many tenants to one" % what, a, b, 1.1, 1.05)

    report.section("a session whose tenant changes with every call")
    gateway = Session("gateway")
    get = "kg_get('product', (1 + i * 7919 %% %d)::text)" % ROWS
    for n in (1, 10, min(100, TENANTS), TENANTS):
        gateway.query("SET kg_graph.tenant = %s" % literal(NAME % 0))
        took = cpu_calls(gateway, "set_config('kg_graph.tenant', 't' || lpad((i %% %d)::text, 4, '0'), false)"
                                  " || %s::text" % (n, get), max(CNAMES, 2 * n))
        report.figure("get, %d tenants in turn" % n, took, "us")
    report.end()


if __name__ == "__main__":
    main()
