"""One backend calls every tool 100,000 times and may not grow by 16 MB."""

from kgbench import Report, Session, bundle_sql, make_tenant, scaled

CALLS = scaled(100000, 1000)

# (function, arguments as SQL); i is the number of the call.
TOOLS = [
    ("kg_get", "'product', (1 + i % 1000)::text"),
    ("kg_get", "'product', ARRAY[(1 + i % 1000)::text, 'none']"),
    ("kg_list", """'product', '{"filters":{"brand":"br17"},"sort":[{"field":"score","order":"desc"}],"limit":5}'"""),
    ("kg_list", """'product', jsonb_build_object('filters', jsonb_build_object('score', jsonb_build_object('gte', i % 5000)), 'limit', 3)"""),
    ("kg_list", """'brand', '{"search":"brnd 17","limit":3}'"""),
    ("kg_list_ids", "'brand', '{\"limit\":5}'"),
    ("kg_traverse", """jsonb_build_object('from', jsonb_build_object('label', 'product', 'ids', jsonb_build_array((1 + i % 1000)::text)), 'relationships', '[{"type":"MADE_BY"}]'::jsonb)"""),
    ("kg_call_tool", "'list_brand', '{\"limit\":2}'"),
    ("kg_call_tool", "'get_brand', '{\"id\":\"br3\"}'"),
    ("kg_call_tool", "'list_brand', '{\"limit\":-2}'"),
    ("kg_call_tool", "'no_such_tool', '{}'"),
    ("kg_list_tools", ""),
    ("kg_graph_schema", "'{}'"),
    ("kg_find_nodes", """'{"node_label":"brand","limit":2}'"""),
    ("kg_neighbors", """'{"start_node":{"label":"product","node_id":"7"},"max_hops":1,"limit":5}'"""),
    ("kg_paths", """'{"from":{"label":"product","ids":["1"]},"to":{"label":"product","ids":["2"]},"max_hops":2,"limit":1}'"""),
    ("kg_aggregate", """'{"node":{"label":"brand"},"aggregations":[{"fn":"count"}]}'"""),
    ("kg_describe_schema", "'{}'"),
    ("kg_search", """'{"query":"brand 17"}'"""),
    ("kg_bfs", """'{"seeds":["product:7"],"max_hops":1}'"""),
    ("kg_describe", """'{"id":"brand:br3"}'"""),
    ("kg_describe_many", """'{"ids":["brand:br3","brand:br4"]}'"""),
    ("kg_intersect", """'{"seeds":["product:7","product:8"],"max_hops":1}'"""),
    ("kg_mcp", """'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'"""),
    ("kg_mcp", """'{"jsonrpc":"2.0","id":1,"method":"ping"}'"""),
    ("kg_mcp", """'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_brand","arguments":{"id":"br3"}}}'"""),
    ("kg_call_tool", """'find_nodes', '{"node_label":"brand","limit":2}'"""),
    ("kg_call_tool", """'search_entities', '{"query":"brand 17"}'"""),
]


def main():
    report = Report("memory: %d calls of each tool in one backend" % CALLS)
    admin = Session()
    admin.query("CREATE ROLE agent LOGIN")
    make_tenant(admin, "t", "agent")
    agent = Session("agent")
    agent.query("SELECT length(kg_apply_bundle(%s, '{}')::text)"
                % bundle_sql(1000))
    admin.query("VACUUM ANALYZE")
    have = set(admin.query("SELECT DISTINCT proname FROM pg_proc"
                           " WHERE proname LIKE 'kg\\_%'"))
    tools = [tool for tool in TOOLS if tool[0] in have]
    missing = sorted({tool[0] for tool in TOOLS} - have)
    if missing:
        report.note("not there yet: " + ", ".join(missing))

    def call(tool, times):
        # A faulty call is part of it: a tool answers it, SQL raises it.
        agent.query("""
DO $$ DECLARE x bigint := 0; BEGIN
  FOR i IN 1..%d LOOP
    BEGIN
      x := x + length(%s(%s)::text);
    EXCEPTION WHEN invalid_parameter_value OR no_data_found THEN
      IF i = 1 THEN RAISE NOTICE '%%', SQLERRM; END IF;
    END;
  END LOOP;
END $$""" % (times, tool[0], tool[1]))

    for tool in tools:
        call(tool, 100)
    start = agent.memory()
    for tool in tools:
        before = agent.memory()
        took = time_statement_of(agent, lambda: call(tool, CALLS))
        report.figure("%s(%s)" % (tool[0], tool[1][:50]),
                      (agent.memory() - before) >> 10,
                      "KB in %.1f s" % took)
    report.figure("the backend at the start", start >> 10, "KB")
    report.bound("growth over %d calls" % (CALLS * len(tools)),
                 (agent.memory() - start) >> 10, 16 * 1024, "KB")
    report.end()


def time_statement_of(session, call):
    begin = float(session.value("SELECT extract(epoch FROM clock_timestamp())"))
    call()
    return float(session.value(
        "SELECT extract(epoch FROM clock_timestamp())")) - begin


main()
