"""The same statements on two servers by turns: compare.py BEFORE AFTER, the
folders of their sockets.

A figure is processor time of a backend, the median of rounds; a row that is
over the limit is taken again with three times the rounds before it counts,
because a virtual machine's moments are longer than a round.
"""
import importlib.util
import json
import os
import re
import statistics
import sys

from kgbench import (BUNDLE, Session, TEMP, bundle_sql, human, literal, machine,
                     make_tenant, grant, scaled)

LIMIT = float(os.environ["KG_COMPARE_LIMIT"])
ONLY = re.compile(os.environ["KG_COMPARE_ROWS"])
HERE = os.path.dirname(os.path.abspath(__file__))
PRODUCTS, WRITTEN, EDGES = scaled(20000, 500), scaled(3000, 100), scaled(30000, 300)


def benchmark(name):
    """The benchmark of that name as a module, for what it measures."""
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(HERE, "..", name, "bench.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


catalog, load = benchmark("catalog"), benchmark("load")


class Side:
    """One of the two servers, with its sessions."""

    def __init__(self, socket):
        os.environ["PGHOST"] = socket
        self.admin = admin = Session()
        admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE agent LOGIN; CREATE ROLE keeper LOGIN;"
                    "GRANT USAGE, CREATE ON SCHEMA public TO loader; CREATE SCHEMA seen AUTHORIZATION loader")
        for tenant in ("shop", "again", "linked", "kept", "wn"):
            make_tenant(admin, tenant, "loader")
        grant(admin, "shop", "reader", "read")
        grant(admin, "kept", "keeper", "read")
        grant(admin, "wn", "agent", "read")
        self.seeds = []
        admin.query("CREATE TABLE holder AS SELECT %s AS b; GRANT SELECT ON holder TO loader"
                    % bundle_sql(PRODUCTS))
        admin.query("CREATE TABLE linked AS SELECT %s AS b; GRANT SELECT ON linked TO loader"
                    % load.edges_sql(EDGES // 7, EDGES))
        self.loader, self.reader, self.agent, self.keeper = map(Session, ("loader", "reader", "agent", "keeper"))
        for tenant, table in (("shop", "holder"), ("again", "holder"), ("linked", "linked")):
            self.loader.query("SET kg_graph.tenant = '%s'; SELECT length(kg_apply_bundle(b)::text)"
                              " FROM %s" % (tenant, table))
        self.loader.query("SET kg_graph.tenant = 'shop'; SELECT length(kg_create_views('seen')::text);"
                          " GRANT USAGE ON SCHEMA seen TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA seen TO reader")
        self.past = self.keep()
        admin.query("VACUUM ANALYZE")

    def keep(self):
        """Products with history, changed three times; a time before the last change."""
        self.loader.query("SET kg_graph.tenant = 'kept'; SELECT length(kg_apply_bundle(jsonb_set(%s,"
                          " '{schemas,1,schema,x-history}', 'true'))::text)" % bundle_sql(WRITTEN))
        change = ("UPDATE kg_entity SET data = data || jsonb_build_object('score', %d + length(entity_id))"
                  " WHERE entity_type = 'product'")
        for n in (1, 2):
            self.loader.query(change % n)
        time = self.admin.value("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
        self.loader.query(change % 3)
        return time

    def load_wordnet(self, file):
        self.loader.query("SET kg_graph.tenant = 'wn';\n\\set bundle `cat %s`\n"
                          "SELECT length(kg_apply_bundle(:'bundle'::jsonb)::text); SELECT kg_pack()"
                          % file)
        self.admin.query("VACUUM ANALYZE")
        self.seeds = self.agent.query(
            "SELECT 'synset:' || entity_id FROM kg_entity WHERE entity_type = 'synset'"
            " ORDER BY md5(entity_id) COLLATE \"C\" LIMIT 40")

    def clean(self, sql):
        """
        What was rolled back leaves dead rows, which autovacuum takes away where
        it is on; plans that end with VACUUM are made again by a run before.
        """
        self.admin.query("VACUUM")
        self.loader.query(sql)

    def cpu(self, role, sql):
        session = getattr(self, role)
        before = session.cpu()
        session.query(sql)
        return session.cpu() - before


def loop(expression, times):
    """A statement that evaluates an expression of `i` that often."""
    return ("DO $do$ DECLARE x text; BEGIN FOR i IN 1..%d LOOP x := %s; END LOOP; END $do$"
            % (times, expression))


def over(seeds, expression):
    """An expression of `seed`, for each of the seeds."""
    return ("DO $do$ DECLARE x text; seed text; BEGIN FOREACH seed IN ARRAY ARRAY[%s] LOOP"
            " x := %s; END LOOP; END $do$" % (", ".join(map(literal, seeds)), expression))


def undone(statement, tenant):
    return ("BEGIN; SET LOCAL kg_graph.tenant = '%s'; %s; ROLLBACK" % (tenant, statement))


def reading(side):
    """Of `reader` in the shop: (name, role, statement)."""
    for what, expression, times in (
            ("kg_get", "kg_get('product', (1 + i % 500)::text)", 8000),
            ("kg_get of 20", "kg_get('product', (SELECT array_agg((i % 400 + j)::text)"
             " FROM generate_series(1, 20) j))", 600),
            ("kg_call_tool get", "kg_call_tool('get_product', jsonb_build_object('id', (1 + i % 500)::text))", 5000),
            ("direct SQL by id", "(SELECT data FROM kg_entity WHERE bundle = 'bench' AND"
             " entity_type = 'product' AND entity_id = (1 + i % 500)::text)", 5000),
            ("kg_describe", "kg_describe(jsonb_build_object('id', 'product:' || (1 + i % 500)))", 2000),
            ("kg_list_tools", "kg_list_tools()", 60),
            ("kg_mcp get", "kg_mcp(jsonb_build_object('jsonrpc', '2.0', 'id', 1, 'method', 'tools/call', 'params',"
             " jsonb_build_object('name', 'get_product', 'arguments', jsonb_build_object('id', (1 + i % 500)::text))))", 1000),
            ("kg_validate", "kg_validate(jsonb_build_object('id', i::text, 'name', 'n', 'brand', 'b',"
             " 'tier', 'basic', 'score', i), %s::jsonb)"
             % literal(json.dumps(BUNDLE["schemas"][1]["schema"])), 5000)):
        yield what, "reader", loop(expression, scaled(times, 5))
    for what, given, _, _ in catalog.PAGES:
        yield ("kg_list, " + what, "reader",
               loop("kg_list('product', %s)" % catalog.arguments(**given), scaled(60, 2)))
    cursor = side.reader.value("SELECT kg_list('product', %s) -> 'next'" % catalog.arguments(
        sort=[{"field": "score", "order": "asc"}], limit=50))
    yield "kg_list, page 2 by cursor", "reader", loop(
        "kg_list('product', %s::jsonb)" % literal(cursor), scaled(60, 2))


def counting(side):
    """Totals and views of `reader` in the shop, the past of `keeper`."""
    for what, fn in (("count", {"fn": "count"}), ("sum", {"fn": "sum", "property": "score"})):
        yield "kg_aggregate, %s by an enum" % what, "reader", loop("kg_aggregate(%s)" % catalog.arguments(
            node={"label": "product"}, aggregations=[fn], group_by=[{"property": "tier"}]), scaled(20, 2))
    yield "kg_find_nodes, related to one", "reader", loop("kg_find_nodes(%s)" % catalog.arguments(
        node_label="product", related=[{"type": "MADE_BY", "to": {"ids": ["br1"]}}], limit=20), scaled(60, 2))
    yield "kg_find_nodes, not_related", "reader", loop("kg_find_nodes(%s)" % catalog.arguments(
        node_label="brand", not_related=[{"type": "MADE_BY", "direction": "incoming"}], limit=20), scaled(20, 2))
    for what, condition in (("a range", "score >= 100 AND score < 120"), ("an enum", "tier = 'basic'")):
        yield "a view, " + what, "reader", loop("(SELECT count(*) || max(name) FROM seen.product WHERE %s)" % condition, scaled(20, 2))
    for what, arguments in (("", {}), (" as_of", {"as_of": side.past})):
        yield "get_product%s" % what, "keeper", loop(
            "kg_call_tool('get_product', jsonb_build_object('id', (1 + i %% 500)::text) || %s)" % catalog.arguments(**arguments), scaled(600, 5))
        yield "list_product%s" % what, "keeper", loop("kg_call_tool('list_product', %s)" % catalog.arguments(
            filters={"score": {"gte": 4}}, sort=[{"field": "score", "order": "asc"}], **arguments), scaled(40, 2))


def searching(side):
    """Of `agent` in WordNet."""
    for hops, seeds in ((1, 400), (2, 200), (3, 60)):
        yield "kg_neighbors, %d hops" % hops, "agent", over(
            (side.seeds * 10)[:seeds], "kg_neighbors(jsonb_build_object('start_node', jsonb_build_object('label',"
            " 'synset', 'node_id', substr(seed, 8)), 'max_hops', %d, 'limit', 1))" % hops)
    yield "kg_bfs, 2 hops, 100 nodes with metadata", "agent", over(
        side.seeds, "kg_bfs(jsonb_build_object('seeds', jsonb_build_array(seed), 'max_hops', 2, 'limit', 100))")
    yield "kg_paths, shortest", "agent", over(
        side.seeds, "kg_paths(jsonb_build_object('from', jsonb_build_object('label', 'synset', 'ids',"
        " jsonb_build_array(substr(seed, 8))), 'to', jsonb_build_object('label', 'synset', 'ids',"
        " jsonb_build_array(%s)), 'max_hops', 6, 'mode', 'shortest', 'limit', 1))"
        % literal((side.seeds or [""])[-1][7:]))
    yield "kg_aggregate", "agent", loop(
        "kg_aggregate(%s)" % catalog.arguments(
            node={"label": "synset", "ids": [seed[7:] for seed in side.seeds]},
            relationships=[{"type": "HYPERNYM"}, {"type": "HYPERNYM"}],
            aggregations=[{"fn": "count"}], group_by=[{"property": "pos"}]), 3)
    yield "kg_traverse, two hops", "agent", over(
        side.seeds, "kg_traverse(jsonb_build_object('from', jsonb_build_object('label', 'synset', 'ids', jsonb_build_array(substr(seed, 8))),"
        " 'relationships', '[{\"type\": \"HYPERNYM\"}, {\"type\": \"HYPERNYM\"}]'::jsonb))")
    yield "kg_rank", "agent", over(side.seeds[:8], "kg_rank(jsonb_build_object('seeds', jsonb_build_array(seed), 'limit', 10))")
    for what, query in (("exact", "dog"), ("one edit", "elefant"), ("two words", "domestic animal")):
        yield "kg_search, " + what, "agent", loop(
            "kg_search(%s)" % catalog.arguments(query=query), scaled(40, 2))


def writing(_):
    """Of `loader`, each rolled back."""
    item = ("jsonb_build_object('id', (1000000 + %s)::text, 'name', 'N', 'brand', 'br1', 'tier', 'basic', 'score', 1)")
    schemas = literal(json.dumps(BUNDLE)) + "::jsonb"
    for what, tenant, statement in (
            ("kg_apply_bundle, entities gone before", "again",
             "DELETE FROM kg_entity WHERE entity_type = 'product'; SELECT length(kg_apply_bundle(b)::text) FROM holder"),
            ("kg_apply_bundle, nothing changed", "again", "SELECT length(kg_apply_bundle(b)::text) FROM holder"),
            ("kg_apply_bundle, dry run", "again",
             "SELECT length(kg_apply_bundle(b, '{\"dry_run\": true}')::text) FROM holder"),
            ("kg_apply_bundle of edges gone before", "linked",
             "DELETE FROM kg_edge; SELECT length(kg_apply_bundle(b)::text) FROM linked"),
            ("kg_apply_bundle of edges, nothing changed", "linked",
             "SELECT length(kg_apply_bundle(b)::text) FROM linked"),
            ("INSERT ... SELECT", "shop",
             "INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'bench', 'product', %s"
             " FROM generate_series(1, %d) i" % (item % "i", WRITTEN)),
            ("UPDATE", "shop", "UPDATE kg_entity SET data = data || '{\"score\": 17}' WHERE entity_type = 'product'"
             " AND entity_id < '2'"),
            ("DELETE", "shop", "DELETE FROM kg_entity WHERE entity_type = 'product' AND entity_id < '2'"),
            ("INSERT of one, in a loop", "shop", loop(
                "NULL; INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('bench', 'product', %s)"
                % (item % "i"), scaled(500, 10))),
            ("UPDATE of one, in a loop", "shop", loop(
                "NULL; UPDATE kg_entity SET data = data || jsonb_build_object('score', i + 1) WHERE bundle = 'bench'"
                " AND entity_type = 'product' AND entity_id = i::text", scaled(400, 10))),
            ("kg_put_entities of one, in a loop", "shop", loop(
                "kg_put_entities('product', jsonb_build_array(%s))" % (item % "i"), scaled(300, 5))),
            ("kg_put_entities of many", "shop",
             "SELECT length(kg_put_entities('product', (SELECT jsonb_agg(%s) FROM generate_series(1, %d) i))::text)"
             % (item % "i", WRITTEN)),
            ("kg_delete_entities of many", "shop",
             "SELECT length(kg_delete_entities('product', (SELECT array_agg(i::text)"
             " FROM generate_series(1, %d) i))::text)" % min(WRITTEN, PRODUCTS)),
            ("UPDATE, with history", "kept", "UPDATE kg_entity SET data = data || '{\"score\": 17}' WHERE entity_type = 'product'"),
            ("a schema gains a field", "shop",
             "SELECT length(kg_apply_bundle(jsonb_set(%s, '{schemas,1,schema,properties,extra}',"
             " '{\"type\": \"string\", \"x-index\": true}'), '{\"mode\": \"merge\"}')::text)" % schemas)):
        yield what, "loader", undone(statement, tenant)


def compared(sides, row, rounds):
    """Medians of both sides, taken by turns after one round that does not count."""
    took = [[], []]
    for n in range(rounds + 1):
        for i in ((0, 1), (1, 0))[n % 2]:
            _, role, sql = row[i]
            if role == "loader":
                sides[i].clean(sql)
            seconds = sides[i].cpu(role, sql)
            if n:
                took[i].append(seconds)
    return [statistics.median(each) for each in took]


def load_wordnet(sides):
    from data import wordnet_text
    file = os.path.join(TEMP, "wordnet.json")
    with open(file, "w", encoding="utf-8") as out:
        out.write(wordnet_text())
    for side in sides:
        side.load_wordnet(file)


def main():
    print("== before and after ==\n" + machine(), flush=True)
    sides = [Side(socket) for socket in sys.argv[1:3]]
    if any(ONLY.search(row[0]) for row in searching(sides[0])):
        load_wordnet(sides)
    rows = [[row for part in (reading, counting, searching, writing) for row in part(side)
             if ONLY.search(row[0])] for side in sides]
    slower = 0
    print("  %-50s %12s %12s   after / before" % ("ms of processor time", "before", "after"))
    for row in zip(*rows):
        what, role, _ = row[0]
        rounds = 7 if role == "loader" else 15
        before, after = compared(sides, row, rounds)
        if after / before > LIMIT:
            before, after = compared(sides, row, 3 * rounds)
        slow = after / before > LIMIT
        slower += slow
        print("  %-50s %12s %12s   %.2fx%s" % (what, human(before * 1000), human(after * 1000),
                                               after / before, " SLOWER" if slow else ""), flush=True)
    print("%d rows slower than %gx" % (slower, LIMIT))
    sys.exit(1 if slower else 0)


main()
