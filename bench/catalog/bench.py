"""kg_get, kg_call_tool and kg_list on 1,000,000 entities in 100 tenants.

The peer of a page is what one would write without the extension: a table with
a jsonb column, a GIN index, a policy, `data @> ...` and count(*) OVER ().

What happens inside the server is measured as processor time of the backend, so
that a ratio says the same on a busy machine; what a client sees by its clock.
"""
import json
import time

from kgbench import (PRODUCT_SQL, Report, Session, alternate, bundle_sql, grant,
                     cpu_calls, cpu_statement, literal, make_tenant, pgbench,
                     scaled, seconds_since)

TENANTS = scaled(100, 2)
ROWS = 10000
SMALL, LARGE = 1000, scaled(100000, 10000)
TENANT = "t%03d" % (TENANTS // 2)
CALLS = scaled(10000, 500)
# Taken in turn with the peer's, over longer than a virtual machine is slow.
ROUNDS = 25


def load(report, admin):
    admin.query("""
CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE big_reader LOGIN;
CREATE ROLE small_reader LOGIN; CREATE ROLE super LOGIN SUPERUSER;
GRANT USAGE, CREATE ON SCHEMA public TO loader;""")
    tenants = ([("t%03d" % i, ROWS) for i in range(1, TENANTS + 1)]
               + [("small", SMALL), ("large", LARGE)])
    for tenant, _ in tenants:
        make_tenant(admin, tenant, "loader")
    grant(admin, TENANT, "reader", "read")
    grant(admin, TENANT, "super", "read")
    grant(admin, "small", "small_reader", "read")
    grant(admin, "large", "big_reader", "read")
    admin.query("CREATE TABLE holder AS SELECT n, b FROM unnest(ARRAY[%d, %d, %d]) n,"
                " LATERAL (SELECT n AS k) k, LATERAL (SELECT %s AS b) b"
                % (ROWS, SMALL, LARGE, bundle_sql(0).replace(
                    "generate_series(1, 0) n", "generate_series(1, k.k) n")))
    admin.query("GRANT SELECT ON holder TO loader")
    loader = Session("loader")
    start = time.monotonic()
    for tenant, rows in tenants:
        loader.query("SET kg_graph.tenant = %s" % literal(tenant))
        loader.query("SELECT length(kg_apply_bundle(b, '{}')::text)"
                     " FROM holder WHERE n = %d" % rows)
    total = int(admin.value("SELECT count(*) FROM kg_entity"))
    report.figure("loaded entities", total, "in %.0f s"
                  % seconds_since(start))
    admin.query("VACUUM ANALYZE")

    admin.query("""
CREATE TABLE plain (tenant text COLLATE "C", bundle text COLLATE "C", type text COLLATE "C",
  id text COLLATE "C", data jsonb NOT NULL, PRIMARY KEY (tenant, bundle, type, id));
INSERT INTO plain SELECT tenant, bundle, entity_type, entity_id, data FROM kg_entity
  WHERE entity_type = 'product';
CREATE INDEX ON plain USING gin (data jsonb_path_ops);
CREATE TABLE bare AS SELECT * FROM plain;
ALTER TABLE bare ADD PRIMARY KEY (tenant, bundle, type, id);
ALTER TABLE plain ENABLE ROW LEVEL SECURITY;
ALTER TABLE plain FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON plain USING (tenant = current_setting('bench.tenant', true));
GRANT SELECT ON plain, bare TO reader, big_reader, small_reader;""")
    admin.query("VACUUM ANALYZE plain, bare")
    for table in ("kg_entity", "kg_edge", "kg_index_key", "kg_term", "plain"):
        report.figure("size of " + table, int(admin.value(
            "SELECT pg_total_relation_size('%s')" % table)) >> 20, "MB")


def batch(session, expression, n):
    """Microseconds a call: n calls in one statement."""
    return cpu_statement(
        session, "SELECT count(%s) FROM unnest((SELECT array_agg((1 + i * 7919"
        " %% %d)::text) FROM generate_series(1, %d) i)) AS id"
        % (expression, ROWS, n), rounds=1) * 1000 / n


def single(report, reader):
    report.section("one entity by id, inside the server (%d calls a statement)"
                   % CALLS)
    key = "tenant = '%s' AND bundle = 'bench' AND" % TENANT
    empty, raw, rls, get, call, built = alternate(*[
        lambda expression=expression: batch(reader, expression, CALLS)
        for expression in (
            "id",
            "(SELECT data FROM bare WHERE %s type = 'product'"
            " AND bare.id = id.id)" % key,
            "(SELECT data FROM kg_entity WHERE bundle = 'bench'"
            " AND entity_type = 'product' AND entity_id = id.id)",
            "kg_get('product', id.id)",
            "kg_call_tool('get_product', jsonb_build_object('id', id.id))",
            "jsonb_build_object('id', id.id)")], rounds=9)
    report.figure("the loop alone", empty, "us")
    report.figure("raw primary-key lookup, no policy", raw, "us")
    report.figure("raw primary-key lookup on kg_entity under RLS", rls, "us")
    report.figure("kg_get(type, id)", get, "us")
    report.figure("kg_call_tool('get_product', {id})", call, "us")
    report.figure("  of it: building the arguments", built - empty, "us")
    report.ratio("kg_get to a raw primary-key lookup", get, raw, 2.0, 1.5)
    report.ratio("kg_call_tool to a raw primary-key lookup", call, raw, 2, 1.7)

    report.section("one entity by id, from a client (pgbench, p50 / p99)")
    head = "\\set id random(1, %d)\n" % ROWS
    ours = head + "SELECT kg_get('product', :id::text);\n"
    theirs = head + ("SELECT data FROM kg_entity WHERE bundle = 'bench' AND"
                     " entity_type = 'product' AND entity_id = :id::text;\n")
    for mode, required, goal in (("prepared", 1.15, 1.05),
                                 ("simple", 0.85, 0.8)):
        took = [[pgbench("reader", script, seconds=2, mode=mode, rounds=1)
                 for script in (ours, theirs)] for _ in range(5)]
        a, b = (sorted(each)[2] for each in zip(*took))
        report.figure("kg_get, %s" % mode, a[0], "us / %.0f us" % a[1])
        report.figure("raw SELECT under RLS, %s" % mode, b[0],
                      "us / %.0f us" % b[1])
        report.ratio("kg_get p50 to a raw %s SELECT" % mode, a[0], b[0],
                     required, goal)


def arguments(**given):
    return literal(json.dumps(given)) + "::jsonb"


PAGES = [
    ("equality, sorted page of 20",
     dict(filters={"brand": "br17"},
          sort=[{"field": "score", "order": "asc"}], limit=20),
     "data @> '{\"brand\": \"br17\"}'", "(data->>'score')::bigint"),
    ("in (3 values), sorted page of 20",
     dict(filters={"brand": {"in": ["br17", "br18", "br19"]}},
          sort=[{"field": "score", "order": "asc"}], limit=20),
     "data->>'brand' = ANY ('{br17,br18,br19}')", "(data->>'score')::bigint"),
    ("range on a number, sorted page of 20",
     dict(filters={"price": {"gte": 500, "lt": 510}},
          sort=[{"field": "score", "order": "asc"}], limit=20),
     "(data->>'price')::numeric >= 500 AND (data->>'price')::numeric < 510",
     "(data->>'score')::bigint"),
    ("enum filter (a third of the rows), sorted page of 20",
     dict(filters={"tier": "premium"},
          sort=[{"field": "score", "order": "asc"}], limit=20),
     "data @> '{\"tier\": \"premium\"}'", "(data->>'score')::bigint"),
    ("enum sort, page of 20",
     dict(sort=[{"field": "tier", "order": "desc"}], limit=20),
     "true", "array_position(ARRAY['premium','standard','basic'], data->>'tier')"),
    ("two filters, sorted page of 20",
     dict(filters={"tier": "premium", "brand": "br17"},
          sort=[{"field": "score", "order": "desc"}], limit=20),
     "data @> '{\"tier\": \"premium\", \"brand\": \"br17\"}'",
     "(data->>'score')::bigint DESC"),
    ("total of an equality (page of 1)",
     dict(filters={"brand": "br17"}, limit=1),
     "data @> '{\"brand\": \"br17\"}'", "id"),
    ("total of an enum value (page of 1)",
     dict(filters={"tier": "premium"}, limit=1),
     "data @> '{\"tier\": \"premium\"}'", "id"),
]


def pages(report, reader, superuser):
    report.section("a filtered and sorted page with its total, ms"
                   " (%d calls)" % scaled(200, 30))
    reader.query("SET bench.tenant = '%s'" % TENANT)
    calls = scaled(200, 30)
    for number, (what, given, where, order) in enumerate(PAGES):
        mine = "kg_list('product', %s)" % arguments(**given)
        peer = ("SELECT id, data, count(*) OVER () FROM plain WHERE"
                " bundle = 'bench' AND type = 'product' AND %s ORDER BY %s, id"
                " LIMIT %d" % (where, order, given["limit"]))
        ours, theirs, su = alternate(
            lambda: cpu_calls(reader, mine, calls, rounds=1) / 1000,
            lambda: cpu_statement(reader, peer, rounds=1),
            lambda: cpu_calls(superuser, mine, calls, rounds=1) / 1000,
            rounds=ROUNDS)
        report.figure("kg_list, " + what, ours, "ms")
        report.figure("  SQL on jsonb under RLS", theirs, "ms")
        if number == 0:
            report.figure("  kg_list as a superuser with that tenant", su, "ms")
            report.ratio("kg_list page to `data @>` under RLS", ours, theirs,
                         30, 40, faster=True)
            report.ratio("the same to itself as superuser", ours, su, 1.5, 1.1)
        else:
            report.raw(what="kg_list faster, " + what, ratio=theirs / ours)


def growth(report):
    report.section("the same page in tenants of different size")
    calls = scaled(200, 30)
    small, large = Session("small_reader"), Session("big_reader")
    for what, given in (
            ("sorted, no filter", dict(
                sort=[{"field": "score", "order": "asc"}], limit=50)),
            ("enum filter, sorted", dict(
                filters={"tier": "premium"},
                sort=[{"field": "score", "order": "asc"}], limit=50)),
            ("narrow range, sorted by it", dict(
                filters={"score": {"gte": 100}},
                sort=[{"field": "score", "order": "asc"}], limit=50))):
        # A total is a plan of its own and grows with what it counts: it is
        # told apart by a cursor's page, which does not count again.
        call = "kg_list('product', %s)" % arguments(**given)
        a = cpu_calls(small, call, calls) / 1000
        b = cpu_calls(large, call, calls) / 1000
        report.figure("%s: %d rows, page and total" % (what, SMALL), a, "ms")
        report.figure("%s: %d rows, page and total" % (what, LARGE), b, "ms")
        page = {}
        for session, name in ((small, "small"), (large, "large")):
            following = session.value("SELECT %s -> 'next'" % call)
            page[name] = "kg_list('product', %s::jsonb)" % literal(following)
        page["small"], page["large"] = alternate(
            lambda: cpu_calls(small, page["small"], calls, rounds=1) / 1000,
            lambda: cpu_calls(large, page["large"], calls, rounds=1) / 1000,
            rounds=ROUNDS)
        report.figure("%s: page 2 by cursor, %d rows" % (what, SMALL),
                      page["small"], "ms")
        report.figure("%s: page 2 by cursor, %d rows" % (what, LARGE),
                      page["large"], "ms")
        report.ratio("page time from %d to %d rows, %s" % (SMALL, LARGE, what),
                     page["large"], page["small"], 1.5, 1.2)

    report.section("page 500 by cursor to page 1 (%d rows)" % LARGE)
    size = max(1, LARGE // 1000)
    first = dict(sort=[{"field": "score", "order": "asc"}], limit=size)
    deep = large.value("""
DO $$ DECLARE a jsonb := %s; BEGIN
  FOR i IN 2..500 LOOP a := kg_list('product', a) -> 'next'; END LOOP;
  PERFORM set_config('bench.next', a::text, false);
END $$;
SELECT current_setting('bench.next')""" % arguments(**first))
    second = large.value("SELECT kg_list('product', %s) -> 'next'"
                         % arguments(**first))
    one = cpu_calls(large, "kg_list('product', %s)" % arguments(**first),
                    calls) / 1000
    two = cpu_calls(large, "kg_list('product', %s::jsonb)" % literal(second),
                    calls) / 1000
    last = cpu_calls(large, "kg_list('product', %s::jsonb)" % literal(deep),
                     calls) / 1000
    offset = cpu_calls(large, "kg_list('product', %s)" % arguments(
        offset=499 * size, **first), max(5, calls // 10)) / 1000
    report.figure("page 1 (with its total)", one, "ms")
    report.figure("page 2 by cursor", two, "ms")
    report.figure("page 500 by cursor", last, "ms")
    report.figure("page 500 by offset", offset, "ms")
    report.ratio("cursor page 500 to page 2", last, two, 1.5, 1.2)
    report.ratio("cursor page 500 to page 1", last, one, 1.5, 1.2)
    report.note("  (a page by cursor repeats the total that page 1 counted)")


def main():
    report = Report("catalog: %d tenants of %d entities, one of %d, one of %d"
                    % (TENANTS, ROWS, SMALL, LARGE))
    admin = Session()
    load(report, admin)
    reader, superuser = Session("reader"), Session("super")
    single(report, reader)
    pages(report, reader, superuser)
    growth(report)
    report.end()


if __name__ == "__main__":
    main()
