"""What the writing tools cost: beside an UPDATE by key of the same rows, which
the same triggers check and derive from; history beside none; a registered tool
beside the one that it calls.

Processor time of the backend, taken by turns.
"""
import json

from kgbench import (BRANDS, BUNDLE, PRODUCT_SQL, Report, Session, alternate,
                     cpu_calls, literal, make_tenant, scaled)

PRODUCTS = scaled(10000, 1000)
CALLS = scaled(1000, 100)
AT_ONCE = 100
BATCHES = scaled(20, 5)
LOADED = scaled(10000, 1000)
ROUNDS = 9

TEXT = "jsonb_build_object('text', md5(random()::text))"
SCORE = "jsonb_build_object('score', floor(random() * 10000)::integer)"
ROW = "(1 + n %% %d)::text" % PRODUCTS
MANY = "(1 + (n * %d + k) %% %d)::text" % (AT_ONCE, PRODUCTS)
PLAIN = """UPDATE %s SET data = data || %s
  WHERE bundle = 'bench' AND entity_type = 'product' AND entity_id = """
REGISTERED = {
    "name": "products_of_brand", "version": "1.0.0", "kind": "query", "description": "Products of a brand.",
    "input_schema": {"type": "object", "required": ["brand"], "properties": {"brand": {"type": "string"}}},
    "operation": {"tool": "list_product", "arguments": {"filters": {"brand": {"$arg": "brand"}}, "limit": 20}}}


def bundle(history=False):
    schemas = json.loads(json.dumps(BUNDLE["schemas"]))
    schemas[1]["schema"].update({"x-tool-expose": ["list", "get", "create", "update", "delete"], "x-history": history})
    brands = [{"id": "br%d" % b, "name": "Brand %d" % b} for b in range(BRANDS)]
    return {**BUNDLE, "schemas": schemas, "entities": [{"entity_type": "brand", "items": brands}]}


def made(first, last):
    return "(SELECT jsonb_agg(%s) FROM generate_series(%s, %s) n)" % (PRODUCT_SQL, first, last)


def writer(admin, tenant, history=False):
    admin.query("CREATE ROLE %s LOGIN; GRANT CREATE ON SCHEMA public TO %s" % (tenant, tenant))
    make_tenant(admin, tenant, tenant, "admin")
    session = Session(tenant)
    session.query("SELECT length(kg_apply_bundle(%s)::text)" % literal(json.dumps(bundle(history))))
    return session


def copy_bare(admin):
    """The same rows under the same keys and policies, without triggers."""
    admin.query("""CREATE TABLE bare (LIKE kg_entity INCLUDING ALL); INSERT INTO bare SELECT * FROM kg_entity;
ALTER TABLE bare ENABLE ROW LEVEL SECURITY; GRANT SELECT, UPDATE ON bare TO writer;
SELECT format('CREATE POLICY %I ON bare AS %s FOR %s USING (%s)', policyname, permissive, cmd, qual) FROM pg_policies WHERE tablename = 'kg_entity' AND cmd IN ('ALL', 'SELECT', 'UPDATE') \\gexec""")


def item(value, row=ROW):
    return "jsonb_build_object('id', %s, 'set', %s)" % (row, value)


def tool(items):
    return "kg_call_tool('update_product', jsonb_build_object('items', %s))" % items


def wrapped(session, name, statement):
    """A statement as an expression; its n is another row each time."""
    session.query("CREATE OR REPLACE FUNCTION pg_temp.%s(n integer) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r jsonb; BEGIN %s; RETURN r; END $$" % (name, statement))
    return "pg_temp.%s(i)" % name


def by_turns(session, calls, *expressions):
    return alternate(*[lambda e=e: cpu_calls(session, e, calls, rounds=1) for e in expressions], rounds=ROUNDS)


def check(session, expression, verdict):
    session.query("DO $$ DECLARE r jsonb; BEGIN r := %s; IF r #>> '{isError}' = 'true' OR NOT coalesce(r -> 'structuredContent', r) -> 'counts' ? '%s' THEN RAISE '%%', r; END IF; END $$"
                  % (expression.replace("(i)", "(7)"), verdict))


def one_property(report, session, what, value):
    report.section("one property of one entity, " + what)
    plain = wrapped(session, "plain", PLAIN % ("kg_entity", value) + ROW)
    bare = wrapped(session, "bare", PLAIN % ("bare", value) + ROW)
    call = wrapped(session, "tool", "r := " + tool("jsonb_build_array(%s)" % item(value)))
    function = wrapped(session, "entities", "r := kg_update_entities('product', jsonb_build_array(%s))" % item(value))
    for each in (call, function):
        check(session, each + "::jsonb", "updated")
    off, theirs, ours, sql = by_turns(session, CALLS, bare, plain, call, function)
    report.figure("UPDATE by key, no triggers", off, "us")
    report.figure("UPDATE by key, the same triggers", theirs, "us")
    report.figure("kg_update_entities", sql, "us")
    report.figure("kg_call_tool('update_product')", ours, "us")
    report.ratio("the tool to the UPDATE without triggers", ours, off, 3, 3)
    report.ratio("the tool to the UPDATE with the same triggers", ours, theirs, 3, 3)


def many(report, session, what, value):
    report.section("%d entities, %s" % (AT_ONCE, what))
    rows = "(SELECT jsonb_agg(%s) FROM generate_series(0, %d) k)" % (item(value, MANY), AT_ONCE - 1)
    plain = wrapped(session, "plain", "FOR k IN 0 .. %d LOOP %s; END LOOP" % (AT_ONCE - 1, PLAIN % ("kg_entity", value) + MANY))
    bare = wrapped(session, "bare", "FOR k IN 0 .. %d LOOP %s; END LOOP" % (AT_ONCE - 1, PLAIN % ("bare", value) + MANY))
    call = wrapped(session, "tool", "r := " + tool(rows))
    check(session, call + "::jsonb", "updated")
    off, theirs, ours = by_turns(session, BATCHES, bare, plain, call)
    report.figure("an UPDATE each, no triggers", off / AT_ONCE, "us an entity")
    report.figure("an UPDATE each, the same triggers", theirs / AT_ONCE, "us an entity")
    report.figure("kg_call_tool('update_product')", ours / AT_ONCE, "us an entity")
    report.ratio("the tool to the UPDATEs without triggers", ours, off, 1.5, 1.5)
    report.ratio("the tool to the UPDATEs with the same triggers", ours, theirs, 1.5, 1.5)


def load(session):
    """Processor time of a load, which is taken back."""
    session.query("CREATE OR REPLACE FUNCTION pg_temp.made() RETURNS jsonb LANGUAGE sql AS $$ SELECT %s $$" % made(1, LOADED))
    session.query("CREATE TEMP TABLE IF NOT EXISTS holder AS SELECT pg_temp.made() items")
    before = session.cpu()
    session.query("BEGIN; SELECT length(kg_put_entities('product', items)::text) FROM holder; ROLLBACK")
    return (session.cpu() - before) * 1e6 / LOADED


def history(report, admin):
    report.section("history, a load of %d entities" % LOADED)
    with_it, without = writer(admin, "kept", True), writer(admin, "unkept")
    theirs, ours = alternate(lambda: load(without), lambda: load(with_it), rounds=ROUNDS)
    report.figure("without history", theirs, "us an entity")
    report.figure("with history", ours, "us an entity")
    report.ratio("history to none", ours, theirs, 1.5, 1.5)


def registered(report, session):
    report.section("a registered query")
    session.query("SELECT kg_register_tool(%s)" % literal(json.dumps(REGISTERED)))
    brand = "'br' || i %% %d" % BRANDS
    theirs, ours = by_turns(
        session, CALLS,
        "kg_call_tool('list_product', jsonb_build_object('filters', jsonb_build_object('brand', %s), 'limit', 20))" % brand,
        "kg_call_tool('products_of_brand', jsonb_build_object('brand', %s))" % brand)
    report.figure("list_product", theirs, "us")
    report.figure("products_of_brand, which calls it", ours, "us")
    report.ratio("the registered tool to the one that it calls", ours, theirs, 1.15, 1.15)


def main():
    admin = Session()
    report = Report("write: %d products" % PRODUCTS)
    session = writer(admin, "writer")
    session.query("SELECT length(kg_put_entities('product', %s)::text)" % made(1, PRODUCTS))
    copy_bare(admin)
    admin.query("VACUUM ANALYZE")
    one_property(report, session, "not indexed", TEXT)
    one_property(report, session, "indexed", SCORE)
    many(report, session, "a property that is not indexed", TEXT)
    many(report, session, "an indexed property", SCORE)
    history(report, admin)
    registered(report, session)
    report.end()


if __name__ == "__main__":
    main()
