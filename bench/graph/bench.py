"""Searches of the graph against what one would write without the extension,
and against two arrays in memory.

KG_BENCH_GRAPH names the parts to run (default all):
  wordnet rmat   k hops and shortest paths against their peers
  fixed          the fixed cost of a call
  reply          a whole reply of bfs_query against hand-written SQL
  storage        rows alone, packed rows, and what writing costs
  large          10 M edges (KG_BENCH_LARGE_SCALE: 20): load, growth, memory
  huge           100 M edges (KG_BENCH_HUGE_SCALE: 22), not part of all: growth;
                 an hour, 60 GB of disk while it loads
"""
import glob
import json
import os
import statistics
import subprocess

from data import (CSR, FIXED, PEERS, add_fixed, apply_text, compile_csr, csr_lines,
                  export_edges, file_of, finish_peers, make_rmat_entities,
                  run, wordnet_text, write_edges)
from kgbench import (SCALE, MemoryPeak, Report, Session, grant, literal,
                     make_tenant, scaled, time_calls, time_statement)

PARTS = os.environ.get(
    "KG_BENCH_GRAPH", "wordnet rmat fixed reply storage large").split()
RANDOM, HUBS, PAIRS, SEED = 40, 10, 100, 7
# 2^20 nodes and ten times as many edges; less where there is not the time.
LARGE_SCALE = int(os.environ.get("KG_BENCH_LARGE_SCALE",
                                 "20" if SCALE >= 1 else "14"))
HUGE_SCALE = int(os.environ.get("KG_BENCH_HUGE_SCALE",
                                "22" if SCALE >= 1 else "14"))
RMAT_SCALE, RMAT_FACTOR, RMAT_SEED = (17 if SCALE >= 1 else 13), 8, 42


def each(session, expression, kind, items, rounds=7, limit=240):
    """An expression of `item`, for each item: (results, microseconds).  The
    median of rounds after one that does not count; three rounds where one
    takes longer than 50 ms, and just the first where that takes longer than
    500 ms.  A round is as many calls as take a millisecond, at most 100: the
    clock counts microseconds.  No further item after `limit` seconds: fewer
    results than items."""
    session.query("""
CREATE OR REPLACE FUNCTION pg_temp.each(items %s[], rounds integer)
RETURNS TABLE (result text, us float8) LANGUAGE plpgsql AS $each$
DECLARE
  item %s; t timestamptz; took float8[]; n integer; calls integer; began timestamptz := clock_timestamp();
BEGIN
  FOREACH item IN ARRAY items LOOP
    EXIT WHEN clock_timestamp() - began > interval '%d s';
    took := '{}';
    n := rounds + 1;
    calls := 1;
    WHILE cardinality(took) < n LOOP
      t := clock_timestamp();
      FOR i IN 1..calls LOOP
        result := %s;
      END LOOP;
      took := took || extract(epoch FROM clock_timestamp() - t)::float8 * 1e6 / calls;
      calls := greatest(1, least(100, 1000 / greatest(took[1], 1)));
      IF took[1] > 500000 THEN n := 1; ELSIF took[1] > 50000 THEN n := 4; END IF;
    END LOOP;
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) INTO us
      FROM unnest(CASE n WHEN 1 THEN took ELSE took[2:] END) x;
    RETURN NEXT;
  END LOOP;
END $each$""" % (kind, kind, limit, expression))
    rows = session.query(
        "SELECT result, us FROM pg_temp.each(ARRAY[%s]::%s[], %d)"
        % (", ".join(literal(str(item)) for item in items), kind, rounds))
    results, took = [], []
    for row in rows:
        result, _, us = row.rpartition("|")
        results.append(result)
        took.append(float(us))
    return results, took


class Graph:
    """One tenant's graph, its starts and pairs."""

    def __init__(self, report, admin, tenant, label, edges):
        self.report, self.tenant, self.label = report, tenant, label
        self.edges = edges
        found = csr_lines("starts", edges, RANDOM, HUBS, SEED)
        # A hub after every four others, so that any first part of them is the
        # like of all of them.
        self.hub, self.starts = found[RANDOM], []
        for i in range(HUBS):
            self.starts += found[4 * i:4 * i + 4] + [found[RANDOM + i]]
        self.pairs = csr_lines("pairs", edges, PAIRS, SEED)
        ids = dict(row.split("|", 1) for row in admin.query(
            "SELECT node, entity_id FROM kg_entity WHERE tenant = %s AND node = ANY ('{%s}')"
            % (literal(tenant), ",".join(self.starts + " ".join(self.pairs).split()))))
        self.id = ids

    def neighbors(self, k, direction="both"):
        return [json.dumps({"start_node": {"label": self.label,
                                           "node_id": self.id[start]},
                            "max_hops": k, "direction": direction, "limit": 1})
                for start in self.starts]

    def paths(self):
        result = []
        for pair in self.pairs:
            a, b = pair.split()
            result.append(json.dumps({
                "from": {"label": self.label, "ids": [self.id[a]]},
                "to": {"label": self.label, "ids": [self.id[b]]},
                "max_hops": 6, "mode": "shortest", "limit": 1}))
        return result

    def show(self, what, took):
        self.report.figure("  %s: median" % what,
                           statistics.median(took) / 1000, "ms")
        self.report.figure("  %s: sum of %d" % (what, len(took)),
                           sum(took) / 1000, "ms")
        self.report.raw(what="%s %s, us each" % (self.tenant, what), each=took)
        return sum(took)


def same(report, what, ours, theirs):
    wrong = sum(a != b for a, b in zip(ours, theirs))
    if wrong or not theirs:
        report.failed += 1
        report.note("  DIFFERENT COUNTS, %s: %d of %d" % (what, wrong, len(ours)))
    if len(theirs) < len(ours):
        report.note("  %s: not reached in the time given to it: %d of %d;"
                    " ratios are of those reached"
                    % (what, len(ours) - len(theirs), len(ours)))


def ratio(report, what, ours, theirs, *bounds):
    """How many times the sum of theirs is ours', of the same items."""
    report.ratio(what, sum(ours[:len(theirs)]), sum(theirs), *bounds,
                 faster=True)


NEIGHBORS = "kg_neighbors(item) ->> 'total'"
REQUIRED = {"wn": {1: (1, 2), 2: (2.5, 6), 3: (2.5, 6)},
            "rm": {1: (1, 2), 2: (4, 10), 3: (4, 10)}}


def hops(report, graph, agent, superuser):
    for k in (1, 2, 3):
        report.section("%s: nodes within %d hops, undirected, %d starts of"
                       " them %d hubs" % (graph.tenant, k, len(graph.starts), HUBS))
        counts, mine = each(agent, NEIGHBORS, "jsonb", graph.neighbors(k))
        ours = graph.show("kg_neighbors", mine)
        report.figure("  nodes found, mean",
                      statistics.mean(map(int, counts)), "")
        _, took = each(superuser, NEIGHBORS, "jsonb", graph.neighbors(k))
        off = graph.show("kg_neighbors without row-level security", took)
        rows = csr_lines("hops", graph.edges, k,
                         given="\n".join(graph.starts) + "\n")
        same(report, "csr", counts, [row.split()[0] for row in rows])
        csr = graph.show("two arrays in memory (csr.c)",
                         [float(row.split()[1]) for row in rows])
        theirs, recursive = each(agent, "peer.recursive(item, %d)" % k, "bigint",
                                 graph.starts)
        same(report, "WITH RECURSIVE", counts, theirs)
        graph.show("WITH RECURSIVE", recursive)
        theirs, plpgsql = each(agent, "peer.hops(item, %d)" % k, "bigint",
                               graph.starts, limit=120)
        same(report, "PL/pgSQL", counts, theirs)
        graph.show("PL/pgSQL, a statement a hop", plpgsql)
        ratio(report, "%s, %d hops: sum to WITH RECURSIVE" % (graph.tenant, k),
              mine, recursive, *REQUIRED[graph.tenant][k])
        report.raw(what="%s %d hops to plpgsql" % (graph.tenant, k),
                   ratio=sum(plpgsql) / sum(mine[:len(plpgsql)]))
        if k > 1:
            report.ratio("%s, %d hops: row-level security on to off"
                         % (graph.tenant, k), ours, off, 1.4, 1.1)
        if k == 3 and graph.tenant == "rm":
            report.ratio("rm, 3 hops: to two arrays in memory", ours, csr, 8, 5)


def shortest(report, graph, agent):
    report.section("%s: a shortest path of at most 6 hops, %d pairs"
                   % (graph.tenant, len(graph.pairs)))
    length = "coalesce(kg_paths(item) #>> '{paths,0,length}', '-1')"
    lengths, mine = each(agent, length, "jsonb", graph.paths())
    graph.show("kg_paths", mine)
    rows = csr_lines("path", graph.edges, 6, given="\n".join(graph.pairs) + "\n")
    same(report, "csr", lengths, [row.split()[0] for row in rows])
    graph.show("two arrays in memory (csr.c)",
               [float(row.split()[1]) for row in rows])
    pairs = ["{%s}" % pair.replace(" ", ",") for pair in graph.pairs]
    items = "peer.%s((item::bigint[])[1], (item::bigint[])[2], 6)"
    theirs, took = each(agent, "coalesce(%s, -1)" % items % "both_ends",
                        "text", pairs, rounds=3, limit=60)
    same(report, "both ends", lengths, theirs)
    graph.show("PL/pgSQL from both ends", took)
    ratio(report, "%s, path: to PL/pgSQL from both ends" % graph.tenant,
          mine, took, 10, 15)
    theirs, took = each(agent, "coalesce(%s, -1)" % items % "recursive_path",
                        "text", pairs[:40], rounds=1, limit=120)
    same(report, "WITH RECURSIVE", lengths[:40], theirs)
    graph.show("WITH RECURSIVE ... LIMIT 1", took)
    ratio(report, "%s, path: to WITH RECURSIVE" % graph.tenant, mine, took,
          50, 200)


def age(report, graph, agent):
    """Against Apache AGE, where bench/graph/prepare found or made one."""
    import age as peer
    peer.compare(report, graph, agent, each, NEIGHBORS)


def load_wordnet(report, admin):
    make_tenant(admin, "wn", "loader")
    text = wordnet_text()
    loader = Session("loader")
    with MemoryPeak(loader) as peak:
        took = apply_text(loader, "wn", text)
    report.section("WordNet")
    report.figure("the bundle", len(text.encode()) >> 20, "MB")
    report.figure("kg_apply_bundle", took, "s")
    report.figure("highest private memory of its backend", peak.peak >> 20, "MB")
    after_load(report, admin, loader, "wn")
    loader.close()


def load_rmat(report, admin):
    report.section("R-MAT, scale %d, edge factor %d, seed %d"
                   % (RMAT_SCALE, RMAT_FACTOR, RMAT_SEED))
    draw("rm", RMAT_SCALE, RMAT_FACTOR)
    report.figure("entities", make_rmat_entities(admin, "rm", 1 << RMAT_SCALE),
                  "s")
    edges = write_edges(admin, "rm", file_of("rm.drawn"))
    report.figure("COPY kg_edge", copy_edges(admin, "rm", edges) / 1000, "s")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'rm'")
    after_load(report, admin, loader, "rm")
    loader.close()


def draw(tenant, scale, factor):
    """The edges of an R-MAT graph in a file, by entity id."""
    with open(file_of(tenant + ".drawn"), "w") as out:
        subprocess.run([CSR, "rmat", str(scale), str(factor), str(RMAT_SEED)],
                       stdout=out, check=True)


def draw_tree(tenant, scale):
    """Adds a tree of all nodes, two deep."""
    with open(file_of(tenant + ".drawn"), "a") as out:
        for node in range(1, 1 << scale):
            out.write("%d\t%d\t4\n" % (node >> scale // 2, node))


def copy_edges(admin, tenant, name, table="kg_edge",
               columns="source, target, relation_no"):
    admin.query("ALTER TABLE %s ALTER tenant SET DEFAULT %s"
                % (table, literal(tenant)))
    took = time_statement(admin, "COPY %s (%s) FROM %s"
                          % (table, columns, literal(name)), rounds=1)
    admin.query("ALTER TABLE %s ALTER tenant DROP DEFAULT" % table)
    return took


def after_load(report, admin, loader, tenant):
    report.figure("kg_pack", time_statement(loader, "SELECT kg_pack()",
                                            rounds=1) / 1000, "s")
    grant(admin, tenant, "agent", "read")
    grant(admin, tenant, "super", "read")
    for table in ("kg_entity", "kg_edge", "kg_adjacency"):
        report.figure("rows of %s" % table, int(admin.value(
            "SELECT count(*) FROM %s WHERE tenant = '%s'" % (table, tenant))), "")


def searches(report, admin, tenant, label):
    edges = export_edges(admin, tenant)
    admin.query("INSERT INTO peer.edge SELECT tenant, source, target, relation_no"
                " FROM kg_edge WHERE tenant = %s" % literal(tenant))
    return Graph(report, admin, tenant, label, edges)


def fixed(report, admin, agent):
    """What a call costs that has next to nothing to do."""
    report.section("the fixed cost of a call: 1 hop, 1 edge")
    agent.query("SET kg_graph.tenant = 'wn'")
    entity = admin.value("""
SELECT e.entity_id FROM kg_entity e WHERE tenant = 'wn' AND 1 =
  (SELECT count(*) FROM kg_edge x WHERE x.tenant = 'wn' AND (x.source = e.node OR x.target = e.node))
 ORDER BY entity_id COLLATE "C" LIMIT 1""")
    arguments = literal(json.dumps({
        "start_node": {"label": "synset", "node_id": entity},
        "max_hops": 1}))
    admin.query("CREATE FUNCTION peer.empty(arguments jsonb) RETURNS jsonb"
                " LANGUAGE sql STABLE AS 'SELECT NULL::jsonb'")
    calls = scaled(5000, 200)
    declare = "a jsonb := %s;" % arguments
    took = {}
    for name in ("peer.empty", "kg_neighbors", "kg_bfs"):
        if name == "kg_bfs":
            declare = "a jsonb := %s;" % literal(json.dumps(
                {"seeds": ["synset:" + entity], "max_hops": 1}))
        took[name] = time_calls(agent, name + "(a)", calls, declare)
        report.figure("%s, prepared loop: median" % name, took[name][0],
                      "us / %.0f us (p99)" % took[name][1])
    for name in ("kg_neighbors", "kg_bfs"):
        report.bound("%s above an empty SQL function" % name,
                     took[name][0] - took["peer.empty"][0], 150, "us")


# As one would write it best; a generic plan for an unknown number of ids is
# slower.  With json_ in place of jsonb_ it writes text at once.
REPLY = """
CREATE FUNCTION peer.reply(page bigint[], nearer bigint[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN (WITH p AS MATERIALIZED (
      SELECT e.node, e.entity_type, e.entity_type || ':' || e.entity_id AS id, e.data, u.n,
             e.node = ANY (nearer) AS near
        FROM unnest(page) WITH ORDINALITY u (node, n) JOIN kg_entity e ON e.node = u.node)
    SELECT jsonb_build_object(
      'nodes', (SELECT jsonb_agg(jsonb_build_object('id', id, 'entity_type', entity_type,
                  'metadata', data) ORDER BY n) FROM p),
      'edges', (SELECT jsonb_agg(jsonb_build_object('subject', s.id, 'predicate', r.relation,
                  'object', t.id, 'metadata', coalesce(x.properties, '{}')))
                  FROM p s JOIN kg_edge x ON x.source = s.node JOIN p t ON t.node = x.target
                  JOIN kg_relation r ON r.relation_no = x.relation_no
                 WHERE s.near OR t.near)));
END $$;"""


def reply(report, admin, agent):
    """bfs_query against a statement that builds the same JSON of the ids."""
    report.section("a reply of bfs_query: 2 hops, 500 nodes with metadata")
    agent.query("SET kg_graph.tenant = 'wn'")
    seed = admin.value("""
SELECT e.entity_id FROM kg_entity e JOIN (
  SELECT target, count(*) AS n FROM kg_edge WHERE tenant = 'wn' GROUP BY 1) x ON x.target = e.node
 WHERE e.tenant = 'wn' ORDER BY n DESC, entity_id COLLATE "C" LIMIT 1""")
    arguments = literal(json.dumps({"seeds": ["synset:" + seed], "max_hops": 2,
                                    "limit": 500, "max_bytes": 4000000}))
    admin.query("GRANT USAGE ON SCHEMA peer TO agent;" + REPLY
                + REPLY.replace("peer.reply", "peer.reply_text").replace("jsonb_", "json_")
                .replace("RETURNS jsonb", "RETURNS json"))
    ids = agent.query("SELECT n ->> 'id' FROM jsonb_array_elements(kg_bfs(%s) -> 'nodes') n"
                      % arguments)
    one = admin.value("SELECT node FROM kg_entity WHERE tenant = 'wn' AND entity_id = %s"
                      % literal(seed))
    page = dict(row.split("|") for row in admin.query(
        "SELECT 'synset:' || entity_id, node FROM kg_entity WHERE tenant = 'wn'"
        " AND 'synset:' || entity_id = ANY (ARRAY[%s])"
        % ", ".join(map(literal, ids))))
    near = set(admin.query("""
SELECT target FROM kg_edge WHERE tenant = 'wn' AND source = %s
UNION SELECT source FROM kg_edge WHERE tenant = 'wn' AND target = %s
UNION SELECT %s""" % (one, one, one)))
    given = "'{%s}', '{%s}'" % (
        ",".join(page[i] for i in ids),
        ",".join(page[i] for i in ids if page[i] in near))
    ours = json.loads(agent.value("SELECT kg_bfs(%s)" % arguments))

    def edges(of):
        return sorted(json.dumps(edge, sort_keys=True) for edge in of["edges"])
    for name in ("peer.reply", "peer.reply_text"):
        theirs = json.loads(agent.value("SELECT %s(%s)" % (name, given)))
        if ours["nodes"] != theirs["nodes"] or edges(ours) != edges(theirs):
            report.failed += 1
            report.note("  THE TWO REPLIES DIFFER")
    report.figure("nodes", len(ours["nodes"]), "")
    report.figure("edges", len(ours["edges"]), "")
    declare = ("c jsonb := %s; a bigint[] := %s; b bigint[] := %s;"
               % ((arguments,) + tuple(given.split(", "))))
    took = {}
    for what, call in (("kg_bfs", "kg_bfs(c)"), ("kg_bfs, as text", "kg_bfs(c)::text"),
                       ("hand-written SQL from the ids", "peer.reply(a, b)"),
                       ("the same, as text", "peer.reply(a, b)::text"),
                       ("the same with json functions, as text",
                        "peer.reply_text(a, b)::text")):
        took[what] = time_calls(agent, call, scaled(200, 20), declare)[0]
        report.figure(what, took[what] / 1000, "ms")
    report.ratio("bfs_query to hand-written SQL", took["kg_bfs"],
                 took["hand-written SQL from the ids"], 1.5, 1)
    report.ratio("bfs_query to hand-written SQL, as text", took["kg_bfs, as text"],
                 min(took["the same, as text"],
                     took["the same with json functions, as text"]), 1.5, 1)


def storage(report, admin, graph, agent):
    """Rows alone against packed rows."""
    report.section("edge storage: rows alone, and packed beside them (rm)")
    agent.query("SET kg_graph.tenant = 'rm'")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'rm'")
    hub = graph.hub
    packed = {k: sum(each(agent, NEIGHBORS, "jsonb", graph.neighbors(k), 3)[1])
              for k in (1, 2, 3)}

    def write(where):
        """One edge at the largest hub, one at a node of few edges, 20,000."""
        other = graph.starts[0]
        for what, node in (("the largest hub", hub), ("an ordinary node", other)):
            targets = admin.query(
                "SELECT node FROM kg_entity e WHERE tenant = 'rm' AND node <> %s AND NOT EXISTS"
                " (SELECT FROM kg_edge x WHERE x.tenant = 'rm' AND x.source = %s AND x.target = e.node)"
                " ORDER BY hashint8(node) LIMIT 51" % (node, node))
            took = []
            for target in targets:
                took.append(time_statement(
                    admin, "INSERT INTO kg_edge (tenant, source, relation_no, target) SELECT 'rm', %s,"
                    " min(relation_no), %s FROM kg_relation WHERE tenant = 'rm'"
                    % (node, target), rounds=1))
            report.figure("  %s: insert an edge at %s" % (where, what),
                          statistics.median(took), "ms")
        report.figure("  %s: insert 20,000 edges" % where, time_statement(admin, """
INSERT INTO kg_edge (tenant, source, relation_no, target)
SELECT 'rm', s.node, (SELECT min(relation_no) FROM kg_relation WHERE tenant = 'rm'), t.node
  FROM (SELECT node, row_number() OVER (ORDER BY hashint8(node + 1)) AS n FROM kg_entity WHERE tenant = 'rm') s
  JOIN (SELECT node, row_number() OVER (ORDER BY hashint8(node + 2)) AS n FROM kg_entity WHERE tenant = 'rm') t USING (n)
 WHERE n <= 20000 AND s.node <> t.node ON CONFLICT DO NOTHING""", rounds=1), "ms")

    admin.query("CREATE TABLE peer.kept AS SELECT * FROM kg_adjacency WHERE tenant = 'rm';"
                " DELETE FROM kg_adjacency WHERE tenant = 'rm' AND block <> 0; VACUUM kg_adjacency")
    rows = {k: sum(each(agent, NEIGHBORS, "jsonb", graph.neighbors(k), 3)[1])
            for k in (1, 2, 3)}
    for k in (1, 2, 3):
        report.figure("  %d hops, sum of %d: rows alone" % (k, len(graph.starts)),
                      rows[k] / 1000, "ms")
        report.figure("  %d hops, sum of %d: packed" % (k, len(graph.starts)),
                      packed[k] / 1000, "ms")
        report.raw(what="rows alone to packed, %d hops" % k,
                   ratio=rows[k] / packed[k])
    admin.query("BEGIN")
    write("rows alone")
    admin.query("ROLLBACK")
    admin.query("INSERT INTO kg_adjacency SELECT * FROM peer.kept ON CONFLICT DO NOTHING; VACUUM ANALYZE kg_adjacency")
    write("packed")
    report.figure("  kg_pack of the nodes that these changed", time_statement(
        loader, "SELECT kg_pack()", rounds=1), "ms")
    hub_of_100000(report, admin, agent)
    loader.close()


def hub_of_100000(report, admin, agent):
    degree = scaled(100000, 1000)
    report.section("a hub of %d edges" % degree)
    make_rmat_entities(admin, "hub", degree + 200000)
    admin.query("VACUUM ANALYZE")
    grant(admin, "hub", "agent", "read")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'hub'")
    agent.query("SET kg_graph.tenant = 'hub'")
    report.figure("insert its edges", time_statement(admin, """
INSERT INTO kg_edge (tenant, source, relation_no, target)
SELECT 'hub', h.node, (SELECT min(relation_no) FROM kg_relation WHERE tenant = 'hub'), e.node
  FROM kg_entity e, kg_entity h WHERE e.tenant = 'hub' AND e.entity_id::integer BETWEEN 1 AND %d
   AND h.tenant = 'hub' AND h.entity_id = '0'""" % degree, rounds=1), "ms")
    admin.query("VACUUM ANALYZE kg_edge")
    call = "kg_neighbors('%s') ->> 'total'" % json.dumps(
        {"start_node": {"label": "node", "node_id": "0"}, "max_hops": 1,
         "limit": 1})
    report.figure("1 hop from it: rows alone",
                  time_calls(agent, call, 20)[0] / 1000, "ms")
    report.figure("kg_pack", time_statement(loader, "SELECT kg_pack()",
                                            rounds=1), "ms")
    admin.query("VACUUM ANALYZE kg_adjacency")
    report.figure("1 hop from it: packed",
                  time_calls(agent, call, 20)[0] / 1000, "ms")
    report.figure("size of its packed row", int(admin.value(
        "SELECT max(octet_length(outgoing)) FROM kg_adjacency WHERE tenant = 'hub'")), "bytes")
    seconds = max(1, scaled(5))
    insert = ("\\set n random(%d, %d)\n"
              "INSERT INTO kg_edge (tenant, source, relation_no, target)"
              " SELECT 'hub', h.node, (SELECT min(relation_no) FROM kg_relation WHERE tenant = 'hub'), e.node"
              " FROM kg_entity e, kg_entity h WHERE e.tenant = 'hub' AND e.bundle = 'rmat'"
              " AND e.entity_type = 'node' AND e.entity_id = (:n)::text AND h.tenant = 'hub'"
              " AND h.bundle = 'rmat' AND h.entity_type = 'node' AND h.entity_id = '0'"
              " ON CONFLICT DO NOTHING;\n" % (degree + 1, degree + 199999))
    with open(file_of("insert.sql"), "w") as out:
        out.write(insert)
    for clients in (1, 2, 4):
        said = run("pgbench", "-n", "-c", str(clients), "-j", str(clients), "-T",
                   str(seconds), "-M", "prepared", "-f", file_of("insert.sql"),
                   os.environ["PGDATABASE"])
        for line in said.split("\n"):
            if line.startswith("tps"):
                report.figure("inserts of an edge at the hub, %d clients" % clients,
                              float(line.split()[2]), "a second")
    # The packed row went with the first of them, and comes back when asked for.
    report.figure("kg_pack after them", time_statement(
        loader, "SELECT kg_pack()", rounds=1), "ms")
    loader.close()


def draw_grown(report, admin, tenant, size, scale, factor, **order):
    """A graph that is compared with a small one: its entities, the fixed
    neighbourhood, and the file of its edges, which are still to be copied."""
    report.section("a %s graph: R-MAT of scale %d, edge factor %d, and a tree of"
                   " all nodes, two deep" % (size, scale, factor))
    draw(tenant, scale, factor)
    draw_tree(tenant, scale)
    report.figure("%d entities" % (1 << scale),
                  make_rmat_entities(admin, tenant, 1 << scale), "s")
    add_fixed(tenant)
    admin.query("ANALYZE")
    edges = write_edges(admin, tenant, file_of(tenant + ".drawn"), **order)
    os.unlink(file_of(tenant + ".drawn"))
    return edges


def large(report, admin, agent):
    """10 M edges in one go, and what a larger graph costs a search."""
    edges = draw_grown(report, admin, "g10", "large", LARGE_SCALE, 9)
    admin.query("""
CREATE TABLE peer.bare (tenant text COLLATE "C" NOT NULL, source bigint NOT NULL,
  target bigint NOT NULL, relation_no integer NOT NULL,
  PRIMARY KEY (tenant, source, relation_no, target));
CREATE INDEX ON peer.bare (tenant, target, relation_no, source);
CHECKPOINT""")
    bare = copy_edges(admin, "g10", edges, "peer.bare")
    size = int(admin.value("SELECT pg_total_relation_size('peer.bare')"))
    admin.query("DROP TABLE peer.bare; CHECKPOINT")
    before = int(admin.value("SELECT pg_total_relation_size('kg_edge')"))
    with MemoryPeak(admin) as peak:
        ours = copy_edges(admin, "g10", edges)
    report.figure("edges", int(admin.value(
        "SELECT count(*) FROM kg_edge WHERE tenant = 'g10'")), "")
    report.figure("COPY into a bare table with both indexes", bare / 60000,
                  "minutes, %d MB" % (size >> 20))
    report.figure("COPY kg_edge", ours / 60000, "minutes, %d MB" % (
        (int(admin.value("SELECT pg_total_relation_size('kg_edge')")) - before) >> 20))
    report.figure("  highest private memory of its backend", peak.peak >> 20, "MB")
    report.ratio("COPY kg_edge to COPY into a bare table", ours, bare, 4, 4)
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'g10'")
    before = int(admin.value("SELECT pg_total_relation_size('kg_adjacency')"))
    report.figure("kg_pack", time_statement(
        loader, "SELECT kg_pack()", rounds=1) / 60000, "minutes, %d MB" % (
            (int(admin.value("SELECT pg_total_relation_size('kg_adjacency')")) - before) >> 20))
    loader.close()
    grant(admin, "g10", "agent", "read")
    growth(report, admin, agent, "g10")
    memory(report, admin)


def huge(report, admin, agent):
    """What a hundred times as many edges cost a search."""
    edges = draw_grown(report, admin, "g100", "huge", HUGE_SCALE, 24,
                       order="s.node, t.node")
    run("split", "-l", "10000000", edges, edges + ".")
    os.unlink(edges)
    took = []
    for name in sorted(glob.glob(edges + ".*")):
        took.append(copy_edges(admin, "g100", name) / 60000)
        os.unlink(name)
        admin.query("CHECKPOINT")
    count = int(admin.value("SELECT count(*) FROM kg_edge WHERE tenant = 'g100'"))
    report.figure("edges", count, "")
    report.figure("COPY kg_edge, in order of sources, %d pieces" % len(took),
                  sum(took), "minutes, %d MB; the first %.1f, the last %.1f" % (
                      int(admin.value("SELECT pg_total_relation_size('kg_edge')")) >> 20,
                      took[0], took[-1]))
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'g100'")
    with MemoryPeak(loader) as peak:
        packed = time_statement(loader, "SELECT kg_pack()", rounds=1)
    report.figure("kg_pack", packed / 60000, "minutes, %d MB" % (
        int(admin.value("SELECT pg_total_relation_size('kg_adjacency')")) >> 20))
    report.figure("  highest private memory of its backend", peak.peak >> 20, "MB")
    loader.close()
    grant(admin, "g100", "agent", "read")
    growth(report, admin, agent, "g100")
    report.figure("the database", int(admin.value(
        "SELECT pg_database_size(current_database())")) >> 20, "MB")


def growth(report, admin, agent, grown):
    report.section("a fixed neighbourhood in a small and a large graph")
    if not int(admin.value("SELECT count(*) FROM kg_edge WHERE tenant = 'rm'")):
        load_rmat(report, admin)
    add_fixed("rm")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = 'rm'")
    loader.query("SELECT kg_pack()")
    loader.close()
    admin.query("VACUUM ANALYZE")
    for k in (1, 2, 3):
        items = [json.dumps({"start_node": {"label": "node",
                                            "node_id": "f%d" % (i * FIXED // 50)},
                             "max_hops": k, "limit": 1}) for i in range(50)]
        turns = {"rm": [], grown: []}
        for _ in range(7):
            for tenant in turns:
                agent.query("SET kg_graph.tenant = '%s'" % tenant)
                counts, times = each(agent, NEIGHBORS, "jsonb", items)
                turns[tenant].append(times)
        # The machine may have a slow moment: of each start the median turn.
        small, large = (sum(map(statistics.median, zip(*turns[tenant])))
                        for tenant in ("rm", grown))
        report.figure("  %d hops, %.0f nodes: small graph, sum of 50"
                      % (k, statistics.mean(map(int, counts))),
                      small / 1000, "ms")
        report.figure("  %d hops: large graph, sum of 50" % k,
                      large / 1000, "ms")
        report.ratio("fixed neighbourhood, %d hops, large to small" % k,
                     large, small, 1.3, 1.05)


def memory(report, admin):
    report.section("memory of a search that visits a million nodes")
    admin.query("ALTER DATABASE %s SET kg_graph.max_visited = 2000000;"
                "ALTER DATABASE %s SET kg_graph.max_call_time = '120s'"
                % ((os.environ["PGDATABASE"],) * 2))
    for name, arguments in (
            ("kg_neighbors", {"start_node": {"label": "node", "node_id": "0"},
                              "max_hops": 2, "limit": 30}),
            ("kg_bfs", {"seeds": ["node:0"], "max_hops": 2, "limit": 30,
                        "topology_only": True})):
        agent = Session("agent")
        agent.query("SET kg_graph.tenant = 'g10'")
        agent.query("SELECT length(kg_neighbors('{\"start_node\": {\"label\": \"node\","
                    " \"node_id\": \"f1\"}, \"max_hops\": 2, \"limit\": 30}')::text)")
        with MemoryPeak(agent) as peak:
            total = agent.value("SELECT %s(%s) ->> 'total'"
                                % (name, literal(json.dumps(arguments))))
        report.figure("%s: nodes visited" % name, int(total), "")
        report.bound("%s: working memory (growth of RssAnon)" % name,
                     (peak.peak - peak.start) >> 20, 32, "MB")
        agent.close()


def sizes(report, admin):
    report.section("sizes")
    for what in ("kg_entity", "kg_edge", "kg_adjacency", "peer.edge"):
        table, index, toast = admin.value(
            "SELECT pg_relation_size('%s') >> 20, pg_indexes_size('%s') >> 20,"
            " (pg_table_size('%s') - pg_relation_size('%s')) >> 20"
            % ((what,) * 4)).split("|")
        report.figure(what, "%s + %s + %s" % (table, index, toast),
                      "MB (rows, indexes, TOAST and maps)")


def main():
    report = Report("graph: %s" % " ".join(PARTS))
    report.note("R-MAT scale %d; large: scale %d; huge: scale %d" % (
        RMAT_SCALE, LARGE_SCALE, HUGE_SCALE))
    admin = Session()
    compile_csr()
    admin.query("""
CREATE ROLE loader LOGIN; CREATE ROLE agent LOGIN; CREATE ROLE super LOGIN SUPERUSER;
CREATE SCHEMA IF NOT EXISTS bench;""" + PEERS)
    graphs = []
    if "wordnet" in PARTS or {"fixed", "reply"} & set(PARTS):
        load_wordnet(report, admin)
        graphs.append(searches(report, admin, "wn", "synset"))
    if "rmat" in PARTS or "storage" in PARTS:
        load_rmat(report, admin)
        graphs.append(searches(report, admin, "rm", "node"))
    finish_peers(admin, "agent, super")
    admin.query("VACUUM ANALYZE")
    admin.query("CHECKPOINT")
    sizes(report, admin)
    agent, superuser = Session("agent"), Session("super")
    for graph in graphs:
        for session in (agent, superuser):
            session.query("SET kg_graph.tenant = '%s'; SET bench.tenant = '%s'"
                          % (graph.tenant, graph.tenant))
        if {"wn": "wordnet", "rm": "rmat"}[graph.tenant] in PARTS:
            hops(report, graph, agent, superuser)
            shortest(report, graph, agent)
            age(report, graph, agent)
    if "fixed" in PARTS:
        fixed(report, admin, agent)
    if "reply" in PARTS:
        reply(report, admin, agent)
    if "storage" in PARTS:
        storage(report, admin, graphs[-1], agent)
    if "large" in PARTS:
        large(report, admin, agent)
    if "huge" in PARTS:
        huge(report, admin, agent)
    report.end()


main()
