"""What a filter on a column of a view costs, against the statements that kg_list
runs for it (keys, then the entities by number), against kg_list itself, and
against data ->> 'x' under the same policies: processor time, in turn, of a
reader in prepared statements."""
import json

from kgbench import (Report, Session, alternate, bundle_sql, grant, literal,
                     make_tenant, scaled)

PRODUCTS = scaled(200000, 5000)
CALLS = 5
OF_TYPE = ("e.tenant = 'shop' AND e.bundle = 'bench' AND"
           " e.entity_type = 'product'")
# What is asked; of the view; of the document; of kg_list; the key's bounds.
FILTERS = [
    ("brand = one of 200", "brand = 'br17'", "data ->> 'brand' = 'br17'",
     {"brand": "br17"}, "brand", ["eq"]),
    ("price: a range of a hundredth", "price >= 500 AND price < 510",
     "(data ->> 'price')::numeric >= 500 AND (data ->> 'price')::numeric < 510",
     {"price": {"gte": 500, "lt": 510}}, "price", ["gte", "lt"]),
    ("score = one value", "score = 4711",
     "(data ->> 'score')::bigint = 4711", {"score": 4711}, "score", ["eq"]),
    ("added: a day of 4,000", "added = '2020-02-02'",
     "(data ->> 'added')::date = '2020-02-02'", {"added": "2020-02-02"},
     "added", ["eq"]),
    ("score: a tenth", "score < 1000", "(data ->> 'score')::bigint < 1000",
     {"score": {"lt": 1000}}, "score", ["lt"]),
]
COMPARE = {"eq": "=", "gte": ">=", "lt": "<"}


def load(admin):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN;"
                " CREATE ROLE part LOGIN; CREATE SCHEMA shop AUTHORIZATION loader")
    for tenant in ("shop", "other"):
        make_tenant(admin, tenant, "loader")
        loader = Session("loader")
        loader.query("SET kg_graph.tenant = '%s'; SELECT length(kg_apply_bundle(%s)::text)"
                     % (tenant, bundle_sql(PRODUCTS)))
        loader.close()
    for role in ("reader", "part"):
        grant(admin, "shop", role, "read")
    admin.query("CREATE POLICY part ON kg_entity AS RESTRICTIVE FOR SELECT TO part"
                " USING (entity_id NOT LIKE '%7')")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'shop'; SELECT length(kg_create_views('shop')::text);"
                 " GRANT USAGE ON SCHEMA shop TO reader, part;"
                 " GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader, part")
    loader.close()
    admin.query("VACUUM ANALYZE")


def key_of(admin, field, value):
    """The key of a value, as some entity has it."""
    number = ("(SELECT array_position(key_fields, '%s') FROM kg_entity_type WHERE"
              " tenant = 'shop' AND entity_type = 'product')" % field)
    return admin.value(
        "SELECT kg_packed_key(index_keys, %s) FROM kg_entity e WHERE %s AND %s"
        " ORDER BY data -> '%s', entity_id LIMIT 1" % (number, OF_TYPE, value, field)), number


def by_hand(admin, field, ops, document):
    """kg_list's statements as one: the keys, then the entities by number."""
    parts = [part.replace("data", "e.data") for part in document.split(" AND ")]
    conditions = []
    for op, part in zip(ops, parts):
        value = part if op != "lt" else part.replace("<", ">=")
        key, number = key_of(admin, field, value)
        conditions.append("d.key %s '%s'::bytea" % (COMPARE[op], key))
    type_no = admin.value("SELECT type_no FROM kg_entity_type WHERE tenant = 'shop'"
                          " AND entity_type = 'product'")
    number = admin.value("SELECT %s" % number)
    return ("kg_entity e WHERE e.tenant = 'shop' AND e.node = ANY (ARRAY(SELECT d.node FROM"
            " kg_index_key d WHERE d.tenant = 'shop' AND d.type_no = %s AND d.field_no = %s"
            " AND %s))" % (type_no, number, " AND ".join(conditions)))


def milliseconds(session, query, calls=CALLS):
    """In a loop of PL/pgSQL, which prepares it once."""
    session.query("CREATE OR REPLACE FUNCTION pg_temp.again(n integer) RETURNS void LANGUAGE plpgsql AS"
                  " $$ DECLARE x text; BEGIN FOR i IN 1..n LOOP %s; END LOOP; END $$" % query)
    session.query("SELECT NULL FROM pg_temp.again(6)")
    before = session.cpu()
    session.query("SELECT NULL FROM pg_temp.again(%d)" % calls)
    return (session.cpu() - before) * 1000 / calls


def compare(report, admin, role, session, entry):
    what, column, document, arguments, field, ops = entry
    view = "SELECT count(*) || ' ' || max(name) INTO x FROM shop.product WHERE " + column
    hand = "SELECT count(*) || ' ' || max(e.data ->> 'name') INTO x FROM " + by_hand(admin, field, ops, document)
    raw = ("SELECT count(*) || ' ' || max(data ->> 'name') INTO x FROM kg_entity e WHERE %s AND %s"
           % (OF_TYPE, document))
    listed = "SELECT kg_list('product', %s) INTO x" % literal(json.dumps({"filters": arguments, "limit": 500}))
    matches = int(session.value(view.replace("count(*) || ' ' || max(name) INTO x", "count(*)")))
    if str(matches) != session.value(raw.replace("count(*) || ' ' || max(data ->> 'name') INTO x", "count(*)")):
        report.failed += 1
        report.note("  DIFFERENT: " + what)
    measures = [lambda: milliseconds(session, view), lambda: milliseconds(session, raw, 1),
                lambda: milliseconds(session, listed)]
    if role == "reader":
        measures.append(lambda: milliseconds(session, hand))
    took = alternate(*measures, rounds=5)
    report.figure("%s: %d of %d" % (what, matches, PRODUCTS), took[0], "ms")
    report.figure("  data ->> under the policy", took[1], "ms")
    report.figure("  kg_list, a page of 500", took[2], "ms")
    report.ratio("  the view, times faster than data ->>", took[0], took[1], 1, 10, faster=True)
    if role == "reader":
        report.figure("  kg_list's own statements", took[3], "ms")
        report.ratio("  the view to kg_list's own statements", took[0], took[3], 1.5, 1.2)


def main():
    report = Report("views: %d products in each of two tenants" % PRODUCTS)
    admin = Session()
    load(admin)
    for role, text in (("reader", "who sees all"), ("part", "from whom a policy hides a tenth")):
        session = Session(role)
        report.section(text)
        for entry in FILTERS:
            compare(report, admin, role, session, entry)
        session.close()
    report.section("a page")
    session = Session("reader")
    few, none = alternate(
        lambda: milliseconds(session, "SELECT max(name) INTO x FROM (SELECT name FROM shop.product WHERE score >= 1000 LIMIT 20) y", 20),
        lambda: milliseconds(session, "SELECT max(data ->> 'name') INTO x FROM (SELECT data FROM kg_entity e WHERE %s LIMIT 20) y" % OF_TYPE, 20))
    report.figure("20 of nine tenths, not sorted", few, "ms")
    report.figure("  20 of all entities of the type", none, "ms")
    report.end()


main()
