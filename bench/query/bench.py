"""Twelve analytic statements by kg_query, beside the same over plain tables with indexes
and row security by tenant: processor time, in turn, of an ordinary role, each reply as
JSON.  And the gate alone: what a call costs beyond a statement over views that finds
nothing."""
import json

from kgbench import (Report, Session, alternate, cpu_calls, grant, literal,
                     make_tenant, scaled)

CUSTOMERS, PRODUCTS, PURCHASES, EDGES = (scaled(n, 20) for n in (10000, 20000, 70000, 15000))
TYPES = {
    "brand": {"id": "text", "name": "text", "country": "text"},
    "product": {"id": "text", "name": "text", "category": "text", "price": "numeric", "brand": "text"},
    "customer": {"id": "text", "name": "text", "city": "text", "tier": "text"},
    "purchase": {"id": "text", "customer": "text", "product": "text", "day": "date", "shipped": "date", "total": "numeric"},
}
INDEXED = {"product": ["category", "price"], "customer": ["tier"], "purchase": ["day"]}
REFS = {"brand": "brand", "customer": "customer", "product": "product"}
# Each as a tenant has it; kg_query and the plain tables get the same text.
STATEMENTS = [
    ("three types, a filter, groups", "SELECT p.category, count(*), sum(o.total) FROM purchase o JOIN customer c ON c.id = o.customer JOIN product p ON p.id = o.product WHERE c.tier = 'top' GROUP BY 1 ORDER BY 1"),
    ("per month", "SELECT date_trunc('month', day) AS month, sum(total) FROM purchase GROUP BY 1 ORDER BY 1"),
    ("HAVING, the first ten", "SELECT product, count(*) AS n FROM purchase GROUP BY 1 HAVING count(*) > 3 ORDER BY 2 DESC, 1 LIMIT 10"),
    ("the first three of each group", "SELECT * FROM (SELECT category, name, price, row_number() OVER (PARTITION BY category ORDER BY price DESC, id) AS n FROM product) x WHERE n <= 3 ORDER BY 1, 4"),
    ("a median of each group, a join", "SELECT p.category, percentile_cont(0.5) WITHIN GROUP (ORDER BY o.total) FROM purchase o JOIN product p ON p.id = o.product GROUP BY 1 ORDER BY 1"),
    ("a share in half a year", "SELECT round(100.0 * count(*) FILTER (WHERE total > 500) / count(*), 2) AS percent FROM purchase WHERE day >= '2024-01-01' AND day < '2024-07-01'"),
    ("a join of a type with itself", "SELECT count(*) FROM product a JOIN product b ON b.brand = a.brand AND b.id > a.id AND b.price = a.price"),
    ("those that have none", "SELECT count(*) FROM customer c WHERE NOT EXISTS (SELECT FROM purchase o WHERE o.customer = c.id)"),
    ("a difference of dates", "SELECT avg(shipped - day) AS days, max(shipped - day) FROM purchase WHERE shipped - day > 5"),
    ("edges of one, a join", "SELECT p.name, l.stars FROM likes l JOIN product p ON p.id = l.\"to\" WHERE l.\"from\" = 'c7' ORDER BY 1, 2"),
    ("a key, two references", "SELECT o.id, c.name, p.name AS product FROM purchase o JOIN customer c ON c.id = o.customer JOIN product p ON p.id = o.product WHERE o.day = '2024-02-03' ORDER BY 1"),
    ("all edges, by a property", "SELECT stars, count(*) FROM likes GROUP BY 1 ORDER BY 1"),
]
GATE = ("SELECT o.id, c.name, p.name AS product FROM %spurchase o JOIN %scustomer c ON c.id = o.customer JOIN %sproduct p ON p.id = o.product WHERE o.id = 'none'")


def rows_of(name):
    """A SELECT with the columns of a type, of numbers from generate_series."""
    return {
        "brand": "SELECT 'b' || n AS id, 'Brand ' || n AS name, (ARRAY['DE', 'SE', 'FR'])[1 + n %% 3] AS country FROM generate_series(1, 200) n",
        "product": "SELECT 'p' || n AS id, 'Product ' || n AS name, 'c' || n %% 12 AS category, (n * 7919 %% 100000) / 100.0 AS price, 'b' || 1 + n * 31 %% 200 AS brand FROM generate_series(1, %d) n" % PRODUCTS,
        "customer": "SELECT 'c' || n AS id, 'Customer ' || n AS name, 'city' || n %% 50 AS city, CASE WHEN n %% 20 = 0 THEN 'top' ELSE 'plain' END AS tier FROM generate_series(1, %d) n" % CUSTOMERS,
        "purchase": "SELECT 'o' || n AS id, 'c' || 1 + n * 7 %% (%d * 9 / 10) AS customer, 'p' || 1 + n * 13 %% %d AS product, date '2023-01-01' + n %% 700 AS day, date '2023-01-01' + n %% 700 + n %% 9 AS shipped, (n * 37 %% 100000) / 100.0 AS total FROM generate_series(1, %d) n" % (CUSTOMERS, PRODUCTS, PURCHASES),
    }[name].replace("%%", "%")


LIKES = 'SELECT %s AS "from", %s AS "to", 1 + n %% 5 AS stars FROM generate_series(1, %d) n'


def schema_of(name):
    kinds = {"text": {"type": "string"}, "numeric": {"type": "number"}, "date": {"type": "string", "format": "date"}}
    properties = {}
    for column, kind in TYPES[name].items():
        properties[column] = dict(kinds[kind])
        if column in INDEXED.get(name, []):
            properties[column]["x-index"] = True
        if column in REFS and column != "id":
            properties[column].update({"x-ref": REFS[column], "x-relation": (name + "_" + column).upper()})
    return {"entity_type": name, "schema": {"type": "object", "x-id-field": "id", "properties": properties}}


def load(admin):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN; CREATE SCHEMA plain; CREATE SCHEMA shop AUTHORIZATION loader")
    make_tenant(admin, "shop", "loader")
    grant(admin, "shop", "reader", "read")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'shop'; SET timezone = 'UTC'")
    bundle = {"bundle_name": "shop", "version": "1", "schemas": [schema_of(name) for name in TYPES],
              "relations": [{"name": "LIKES", "from": "customer", "to": "product", "schema": {"type": "object", "properties": {"stars": {"type": "integer"}}}}]}
    loader.query("SELECT length(kg_apply_bundle(%s, '{\"mode\": \"merge\"}')::text)" % literal(json.dumps(bundle)))
    for name in TYPES:
        loader.query("SELECT sum(length(kg_put_entities('%s', items)::text)) FROM (SELECT jsonb_agg(to_jsonb(x)) AS items FROM (%s) x GROUP BY hashtext(id) %% 20) y" % (name, rows_of(name)))
    ends = ("'c' || 1 + n * 11 % {0}".format(CUSTOMERS), "'p' || 1 + n * 17 % {0}".format(PRODUCTS))
    loader.query("SELECT sum(length(kg_put_edges(items)::text)) FROM (SELECT jsonb_agg(jsonb_build_object('relation', 'LIKES', 'from', 'customer:' || \"from\", 'to', 'product:' || \"to\", 'properties', jsonb_build_object('stars', stars))) AS items FROM (%s) x GROUP BY hashtext(\"from\") %% 10) y" % (LIKES % (ends[0], ends[1], EDGES)))
    loader.query("SELECT length(kg_create_views('shop')::text); GRANT USAGE ON SCHEMA shop TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader")
    loader.close()
    for name in list(TYPES) + ["likes"]:
        rows = rows_of(name) if name in TYPES else LIKES % (ends[0], ends[1], EDGES)
        admin.query("CREATE TABLE plain.%s AS SELECT 'shop'::text COLLATE \"C\" AS tenant, x.* FROM (%s) x" % (name, rows))
        keys = ["id"] + INDEXED.get(name, []) + [c for c in TYPES[name] if c in REFS and c != "id"] if name in TYPES else ['"from"', '"to"']
        for key in dict.fromkeys(keys):
            admin.query("CREATE INDEX ON plain.%s (tenant, %s)" % (name, key))
        admin.query("ALTER TABLE plain.%s ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON plain.%s USING (tenant = current_setting('plain.tenant')); GRANT SELECT ON plain.%s TO reader" % (name, name, name))
    admin.query("GRANT USAGE ON SCHEMA plain TO reader")
    admin.query("VACUUM ANALYZE")


def milliseconds(session, expression):
    before = session.cpu()
    session.query("SELECT length((%s)::text)" % expression)
    return (session.cpu() - before) * 1000


def main():
    report = Report("query: %d entities, %d edges" % (200 + CUSTOMERS + PRODUCTS + PURCHASES, EDGES))
    admin = Session()
    load(admin)
    asked, plain = Session("reader"), Session("reader")
    plain.query("SET plain.tenant = 'shop'; SET search_path = plain, pg_catalog; SET timezone = 'UTC'; SET max_parallel_workers_per_gather = 0; SET work_mem = '64MB'")
    asked.query("SET timezone = 'UTC'")
    report.section("statements")
    for what, sql in STATEMENTS:
        by_query = "kg_query(%s) -> 'rows'" % literal(json.dumps({"sql": sql, "limit": 500}))
        by_table = "SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]') FROM (%s) x" % sql
        names = len(json.loads(asked.value("SELECT kg_query(%s) -> 'columns'" % literal(json.dumps({"sql": sql})))))
        same = "SELECT coalesce(jsonb_agg(jsonb_build_array(%s)), '[]') FROM (%s) x(%s)" % (", ".join("c%d" % i for i in range(names)), sql, ", ".join("c%d" % i for i in range(names)))
        if json.loads(asked.value("SELECT " + by_query)) != json.loads(plain.value(same)):
            report.failed += 1
            report.note("  DIFFERENT: " + what)
        ours, theirs = alternate(lambda: milliseconds(asked, by_query), lambda: milliseconds(plain, by_table), rounds=5)
        report.figure(what, ours, "ms")
        report.figure("  plain tables", theirs, "ms")
        report.ratio("  to plain tables: " + what, ours, theirs, 3, 1.5)
    report.section("the gate")
    asked.query("SET search_path = public, pg_catalog")
    call = "kg_query(%s)" % literal(json.dumps({"sql": GATE % ("", "", "")}))
    views = "pg_temp.over_views()"
    asked.query("CREATE FUNCTION pg_temp.over_views() RETURNS text LANGUAGE plpgsql AS $$ DECLARE x text; BEGIN EXECUTE %s INTO x; RETURN x; END $$"
                % literal("SELECT count(*) FROM (%s) x" % (GATE % ("shop.", "shop.", "shop."))))
    ours, theirs = alternate(lambda: cpu_calls(asked, call, 200, 2), lambda: cpu_calls(asked, views, 200, 2), rounds=5)
    report.figure("a three-way join that finds nothing, kg_query", ours, "us")
    report.figure("  over views, by EXECUTE", theirs, "us")
    report.bound("  beyond that: the gate and the reply", ours - theirs, 300, "us")
    report.end()


main()
