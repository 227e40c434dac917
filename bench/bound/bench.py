"""Types that read tables, beside SQL written by hand over the same tables, as the same role
under the same policies: customers, five orders each, two lines each.  Processor time of the
backend, in turn, of prepared statements.

  KG_BENCH_SCALE=10 has a million customers, five million orders and ten million lines.
"""
import json

from kgbench import (Client, Report, Session, alternate, grant, literal,
                     make_tenant, scaled)

CUSTOMERS = scaled(100000, 1000)
ORDERS, LINES = CUSTOMERS * 5, CUSTOMERS * 10
REGIONS = max(10, CUSTOMERS // 1000)
COLUMNS = {
    "customer": "customer_id, full_name, region, credit, since",
    "orders": "order_id, customer_id, day, total",
    "line": "line_id, order_id, product, price",
}


def load(admin):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN; CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO PUBLIC")
    make_tenant(admin, "shop", "loader", "admin")
    grant(admin, "shop", "reader", "read")
    admin.query("CREATE TABLE shop.customer (customer_id bigint PRIMARY KEY, company text NOT NULL, full_name text NOT NULL, region text NOT NULL, credit numeric, since date)")
    admin.query("CREATE TABLE shop.orders (order_id bigint PRIMARY KEY, company text NOT NULL, customer_id bigint NOT NULL REFERENCES shop.customer, day date NOT NULL, total numeric)")
    admin.query("CREATE TABLE shop.line (line_id bigint PRIMARY KEY, company text NOT NULL, order_id bigint NOT NULL REFERENCES shop.orders, product integer NOT NULL, price numeric)")
    admin.query("SET session_replication_role = replica")
    admin.query("INSERT INTO shop.customer SELECT n, 'shop', 'Customer ' || n, 'r' || n %% %d, n %% 1000, date '2015-01-01' + (n %% 4000)::integer FROM generate_series(1, %d) n" % (REGIONS, CUSTOMERS))
    admin.query("INSERT INTO shop.orders SELECT n, 'shop', 1 + n %% %d, date '2015-01-01' + (n %% 4000)::integer, n %% 500 FROM generate_series(1, %d) n" % (CUSTOMERS, ORDERS))
    admin.query("INSERT INTO shop.line SELECT n, 'shop', 1 + n %% %d, n %% 20000, n %% 100 FROM generate_series(1, %d) n" % (ORDERS, LINES))
    admin.query("RESET session_replication_role; CREATE INDEX ON shop.customer (region); CREATE INDEX ON shop.orders (customer_id); CREATE INDEX ON shop.line (order_id)")
    for name in COLUMNS:
        admin.query("ALTER TABLE shop.%s ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON shop.%s USING (company = kg_tenant()); GRANT SELECT ON shop.%s TO PUBLIC" % (name, name, name))
    admin.query("VACUUM ANALYZE shop.customer, shop.orders, shop.line")
    loader = Session("loader")
    for name in COLUMNS:
        loader.query("SELECT kg_bind_table('crm', 'shop.%s', '{\"hidden\": [\"company\"]}') ->> 'changed'" % name)
    loader.close()


def load_stored(admin, items):
    """The customers of a few regions as stored entities."""
    loader = Session("loader")
    schema = {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "region": {"type": "string", "x-index": True}}}
    loader.query("SELECT length(kg_apply_bundle(%s)::text)" % literal(json.dumps({"bundle_name": "own", "version": "1", "schemas": [{"entity_type": "person", "schema": schema}]})))
    loader.query("SELECT length(kg_put_entities('person', jsonb_agg(jsonb_build_object('id', 'p' || n, 'name', 'Person ' || n, 'region', 'r' || n %% 100)))::text) FROM generate_series(1, %d) n" % items)
    loader.close()


def compare(report, what, ours, theirs, required, goal, rounds=7, calls=100, faster=False):
    a, b = alternate(lambda: ours.cpu_calls(calls), lambda: theirs.cpu_calls(calls), rounds=rounds)
    report.figure(what, a, "us")
    report.figure("  by hand", b, "us")
    report.ratio("  " + what, a, b, required, goal, faster)


def call(tool, arguments):
    return "SELECT %s(%s)" % (tool, literal(json.dumps(arguments)))


def main():
    report = Report("bound: %d customers, %d orders, %d lines" % (CUSTOMERS, ORDERS, LINES))
    admin = Session()
    load(admin)
    load_stored(admin, scaled(5000, 500))
    admin.query("ALTER ROLE reader SET max_parallel_workers_per_gather = 0")
    report.section("one row")
    one = CUSTOMERS // 2
    by_id = Client("reader", "SELECT kg_get('customer', '%d')" % one)
    by_hand = Client("reader", "SELECT to_jsonb(x) FROM (SELECT %s FROM shop.customer WHERE customer_id = %d) x" % (COLUMNS["customer"], one))
    compare(report, "get by id", by_id, by_hand, 1.5, 1.2, calls=1000)
    order = Client("reader", "SELECT kg_get('orders', '%d')" % one)
    hand = Client("reader", "SELECT to_jsonb(x) FROM (SELECT o.order_id, c.customer_id, o.day, o.total FROM shop.orders o LEFT JOIN shop.customer c USING (customer_id) WHERE order_id = %d) x" % one)
    compare(report, "get with a reference", order, hand, 1.5, 1.2, calls=1000)
    report.section("a page")
    page = Client("reader", call("kg_find_nodes", {"node_label": "customer", "filters": {"region": "r7"}, "sort": [{"field": "full_name"}], "limit": 50}))
    where = "FROM shop.customer WHERE region = 'r7'"
    hand = Client("reader", "SELECT jsonb_agg(to_jsonb(x)), (SELECT count(*) %s) FROM (SELECT %s %s ORDER BY full_name, customer_id LIMIT 51) x" % (where, COLUMNS["customer"], where))
    compare(report, "filtered and sorted, with its count", page, hand, 1.3, 1.1)
    report.section("two hops from 50 starts")
    ids = [str(one + i) for i in range(50)]
    walk = Client("reader", call("kg_traverse", {"from": {"label": "customer", "ids": ids}, "relationships": [{"type": "CUSTOMER", "direction": "incoming"}, {"type": "ORDER", "direction": "incoming"}], "ids_only": True, "limit": 1000}))
    starts = "'{%s}'::bigint[]" % ",".join(ids)
    admin.query("""CREATE FUNCTION public.two_hops(starts bigint[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  seen bigint[] := (SELECT array_agg(customer_id) FROM shop.customer WHERE customer_id = ANY (starts));
  orders bigint[]; owners bigint[]; reply jsonb;
BEGIN
  SELECT array_agg(order_id), array_agg(customer_id) INTO orders, owners FROM shop.orders WHERE customer_id = ANY (seen);
  SELECT jsonb_agg(jsonb_build_array('customer:' || owners[array_position(orders, order_id)], 'orders:' || order_id, 'line:' || line_id)) INTO reply FROM shop.line WHERE order_id = ANY (orders);
  RETURN reply;
END $$""")
    hand = Client("reader", "SELECT public.two_hops(%s)" % starts)
    compare(report, "= ANY for each hop", walk, hand, 1.5, 1.2, calls=20)
    # Each step reads one index entry for each edge, as = ANY does: to be faster than this statement by a factor is impossible.
    start = "walk AS (SELECT %s, 0 AS depth FROM shop.customer WHERE customer_id = ANY (" + starts + ") UNION SELECT %s, w.depth + 1 FROM walk w JOIN edges e ON %s WHERE w.depth < 2)"
    edges = "WITH RECURSIVE edges AS (SELECT %s FROM shop.orders UNION ALL SELECT %s FROM shop.line), "
    typed = Client("reader", edges % ("'orders' AS kind, order_id AS id, 'customer' AS to_kind, customer_id AS to_id", "'line', line_id, 'orders', order_id")
                   + start % ("'customer' AS kind, customer_id AS id", "e.kind, e.id", "e.to_kind = w.kind AND e.to_id = w.id") + " SELECT jsonb_agg(jsonb_build_array(kind, id)) FROM walk WHERE depth = 2")
    compare(report, "WITH RECURSIVE by the indexes of the keys", walk, typed, 0.8, 1, calls=20, faster=True)
    # As a graph is usually walked in SQL: a list of edges between nodes with one id each.
    listed = Client("reader", edges % ("'orders:' || order_id AS id, 'customer:' || customer_id AS to_id", "'line:' || line_id, 'orders:' || order_id")
                    + start % ("'customer:' || customer_id AS id", "e.id", "e.to_id = w.id") + " SELECT jsonb_agg(id) FROM walk WHERE depth = 2", warm=0)
    compare(report, "WITH RECURSIVE over a list of edges", walk, listed, 3, 5, rounds=3, calls=2, faster=True)
    report.section("stored types beside bound ones")
    calls = [("get", "SELECT kg_get('person', 'p77')", 1000), ("page", call("kg_find_nodes", {"node_label": "person", "filters": {"region": "r7"}, "limit": 20}), 200),
             ("traverse", call("kg_traverse", {"from": {"label": "person", "ids": ["p7", "p8"]}, "relationships": [{"type": "*"}]}), 200)]
    for what, sql, n in calls:
        report.figure(what, alternate(lambda c=Client("reader", sql): c.cpu_calls(n))[0], "us")
    report.end()


main()
