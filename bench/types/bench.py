"""What a connection and a backend cost by the number of types of the tenant: the first get, the first walk and the first
kg_list_tools() of a connection with 7 and with 1,000 types, in processor time of the backend; and its private memory
after a list of every type."""
import json
import statistics

from kgbench import Report, Session, cpu_statement, literal, make_tenant, scaled

FEW, MANY = 7, scaled(1000, 50)
ROUNDS = 9


def bundle(name, types):
    properties = {"p%d" % i: {"type": "string", "x-index": True} for i in range(5)}
    schemas = [{"entity_type": "%s_%d" % (name, n), "schema": {"type": "object", "x-id-field": "id", "x-label-field": "p0", "properties": dict(properties, id={"type": "string"})}} for n in range(types)]
    return {"bundle_name": name, "version": "1", "schemas": schemas, "entities": [{"entity_type": name + "_3", "items": [{"id": "a", "p0": "A"}]}]}


def first(role, expression):
    """Milliseconds of the first call of a connection, and MB that its backend has then."""
    session = Session(role)
    before, memory = session.cpu(), session.memory()
    session.query("SELECT length((%s)::text)" % expression)
    spent, memory = (session.cpu() - before) * 1000, session.memory() - memory
    session.close()
    return spent, memory / 1048576


def medians(*calls):
    """The medians of calls taken in turn, a (milliseconds, MB) each."""
    rounds = [[first(*call) for call in calls] for _ in range(ROUNDS)]
    return [[statistics.median(part) for part in zip(*each)] for each in zip(*rounds)]


def main():
    report = Report("types: %d and %d" % (FEW, MANY))
    admin = Session()
    for name, types in (("few", FEW), ("many", MANY)):
        # On a busy machine a call may take longer than the default allows.
        admin.query("CREATE ROLE %s LOGIN; LOAD 'kg_graph'; ALTER ROLE %s SET kg_graph.max_call_time = 0" % (name, name))
        make_tenant(admin, name, name)
        admin.query("SELECT NULL FROM kg_grant('%s', '%s', 'admin')" % (name, name))
        session = Session(name)
        session.query("SELECT NULL FROM kg_apply_bundle(%s)" % literal(json.dumps(bundle(name, types))))
        session.close()
    admin.query("VACUUM ANALYZE")
    report.section("the first call of a connection")
    # The first connection of all reads the server's catalogs into its buffers.
    for role in ("few", "many"):
        first(role, "kg_list_tools()")
    (few, few_memory), (many, many_memory) = medians(("few", "kg_get('few_3', 'a')"), ("many", "kg_get('many_3', 'a')"))
    report.figure("a get, %d types" % FEW, few, "ms")
    report.figure("  memory", few_memory, "MB")
    report.figure("a get, %d types" % MANY, many, "ms")
    report.figure("  memory", many_memory, "MB")
    report.ratio("  to that of %d types" % FEW, many, few, 1.3, 1.1)
    # A walk parses only the schemas of the types that it meets.
    ((walk, walk_memory),) = medians(("many", """kg_call_tool('around', '{"handle": "many_3:a"}')"""))
    report.figure("around, %d types" % MANY, walk, "ms")
    report.bound("  memory of the walk", walk_memory, 8, "MB")
    session = Session("many")
    listed = cpu_statement(session, "SELECT length(kg_list_tools()::text)")
    session.close()
    report.figure("kg_list_tools, %d types, in the cache: conversion to text" % MANY, listed, "ms")
    # Two tools of each type are 6 MB of text, which PostgreSQL alone converts in more than 50 ms.
    report.ratio("  the first of a connection to it", medians(("many", "kg_list_tools()"))[0][0], listed, 3, 2)
    report.section("a backend")
    session = Session("many")
    before = session.memory()
    session.query("DO $$ DECLARE x jsonb; BEGIN FOR n IN 0..%d LOOP x := kg_list('many_' || n, '{\"filters\": {\"p1\": \"x\"}}'); END LOOP; END $$" % (MANY - 1))
    report.bound("private memory after a list of each of %d types" % MANY, (session.memory() - before) / 1048576, 48, "MB")
    # A catalog belongs to an agent, among others.
    session.query("SELECT NULL FROM (SELECT kg_create_agent('a' || n, '{\"bundles\": [\"many\"]}') FROM generate_series(1, 8) n) x")
    for n in range(1, 9):
        session.query("SET kg_graph.agent = 'a%d'" % n)
        session.query("SELECT length(kg_get('many_3', 'a')::text)")
    admin.query("GRANT pg_read_all_stats TO many")
    catalogs = "SELECT round(sum(total_bytes) / 1048576, 1) FROM pg_backend_memory_contexts WHERE ident = 'catalog'"
    report.bound("catalogs of 8 agents", float(session.value(catalogs)), 64, "MB")
    report.end()


main()
