"""Apache AGE as a peer, on the server that bench/graph/prepare started.

Its best form goes hop by hop and keeps distinct nodes in between; the other is
its variable-length edge.  Both are directed: AGE's undirected edge does not use
its indexes.  WordNet's edges point to the more general meaning, where there is
little to walk, so there AGE is given each edge in both directions and asked for
what is asked of kg_neighbors undirected.  What AGE counts are the nodes at the end of walks of exactly k
hops (by hops) or of one to k (variable length), which is less than what
kg_neighbors is asked for, so only times are compared.
"""
import os
import statistics

from kgbench import Session

STARTS = 12
TIMEOUT = 10000  # ms
HOP_BY_HOP = {
    1: "MATCH (a:Node {id: $id})-[:Edge]->(b:Node) RETURN count(DISTINCT id(b))",
    2: "MATCH (a:Node {id: $id})-[:Edge]->(b:Node) WITH DISTINCT b "
       "MATCH (b)-[:Edge]->(c:Node) RETURN count(DISTINCT id(c))",
    3: "MATCH (a:Node {id: $id})-[:Edge]->(b:Node) WITH DISTINCT b "
       "MATCH (b)-[:Edge]->(c:Node) WITH DISTINCT c "
       "MATCH (c)-[:Edge]->(d:Node) RETURN count(DISTINCT id(d))",
}
VARIABLE = ("MATCH (a:Node {id: $id})-[:Edge*1..%d]->(b:Node)"
            " RETURN count(DISTINCT id(b))")


def connect():
    before = {name: os.environ.get(name) for name in ("PGHOST", "PGDATABASE")}
    os.environ.update(PGHOST=os.environ["KG_BENCH_AGE"], PGDATABASE="postgres")
    session = Session()
    os.environ.update({n: v for n, v in before.items() if v is not None})
    session.query("LOAD 'age'; SET search_path = ag_catalog, public;"
                  " SET statement_timeout = %d" % TIMEOUT)
    return session


MIRROR = """INSERT INTO %(g)s."Edge" (start_id, end_id, properties)
  SELECT end_id, start_id, properties FROM %(g)s."Edge";"""


def mirrored(graph):
    return graph.tenant == "wn"


def name_of(graph):
    # A graph's name has at least three letters.
    return "graph_" + graph.tenant


def load(session, graph):
    """The edges of a file as a graph; the number of a node is its id's."""
    session.query("""
SET statement_timeout = 0; SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS age;
SET search_path = ag_catalog, public;
SELECT NULL FROM create_graph('%(g)s');
SELECT NULL FROM create_vlabel('%(g)s', 'Node');
SELECT NULL FROM create_elabel('%(g)s', 'Edge');
CREATE TEMP TABLE drawn (source bigint, target bigint, relation integer);
\\copy drawn FROM '%(file)s'
INSERT INTO %(g)s."Node" (id, properties)
  SELECT _graphid(l.id, n), agtype_build_map('id', n)
    FROM (SELECT source AS n FROM drawn UNION SELECT target FROM drawn) x,
         ag_label l WHERE l.name = 'Node' AND l.graph = (SELECT graphid FROM ag_graph WHERE name = '%(g)s');
INSERT INTO %(g)s."Edge" (start_id, end_id, properties)
  SELECT _graphid(l.id, source), _graphid(l.id, target), agtype_build_map('relation', drawn.relation)
    FROM drawn, ag_label l
   WHERE l.name = 'Node' AND l.graph = (SELECT graphid FROM ag_graph WHERE name = '%(g)s');
%(mirror)s
CREATE UNIQUE INDEX ON %(g)s."Node" (id);
CREATE INDEX ON %(g)s."Node" USING gin (properties);
CREATE INDEX ON %(g)s."Edge" (start_id);
CREATE INDEX ON %(g)s."Edge" (end_id);
CREATE INDEX ON %(g)s."Edge" (id);
DROP TABLE drawn;
VACUUM ANALYZE;
SET statement_timeout = %(timeout)d""" % {
        "g": name_of(graph), "mirror": MIRROR % {"g": name_of(graph)} if mirrored(graph)
        else "", "file": graph.edges, "timeout": TIMEOUT})


def measure(session, graph, text, starts):
    """Milliseconds for each start, the better of two runs; None: timeout."""
    session.query("DEALLOCATE ALL; PREPARE q (agtype) AS SELECT * FROM"
                  " cypher('%s', $q$ %s $q$, $1) AS (n agtype)"
                  % (name_of(graph), text))
    session.query("""
CREATE OR REPLACE FUNCTION pg_temp.once(node bigint) RETURNS float8 LANGUAGE plpgsql AS $once$
DECLARE
  t timestamptz; best float8;
BEGIN
  FOR i IN 1..2 LOOP
    t := clock_timestamp();
    EXECUTE format('EXECUTE q (%%L)', '{"id": ' || node || '}');
    best := least(best, extract(epoch FROM clock_timestamp() - t)::float8 * 1000);
  END LOOP;
  RETURN best;
EXCEPTION WHEN query_canceled THEN
  RETURN NULL;
END $once$""".replace("%%", "%"))
    result = []
    for start in starts:
        row = session.value("SELECT coalesce(pg_temp.once(%s), -1)" % start)
        result.append(None if float(row) < 0 else float(row))
    return result


def summary(took):
    done = [t for t in took if t is not None]
    return "%s, %d of %d timed out at %d s" % (
        "median %.1f ms" % statistics.median(done) if done else "none ended",
        len(took) - len(done), len(took), TIMEOUT // 1000)


def compare(report, graph, agent, each):
    direction = "both" if mirrored(graph) else "outgoing"
    report.section("%s: Apache AGE, direction %s, %d starts"
                   % (graph.tenant, direction, STARTS))
    if not os.environ.get("KG_BENCH_AGE"):
        report.note("  SKIPPED: %s" % os.environ.get(
            "KG_BENCH_AGE_SKIPPED", "no server with AGE"))
        return
    session = connect()
    load(session, graph)
    report.note("  " + session.value(
        "SELECT 'AGE ' || extversion || ' on PostgreSQL ' || current_setting('server_version')"
        " FROM pg_extension WHERE extname = 'age'"))
    # Typical starts and hubs in the proportion of all 50.
    chosen = list(range(0, 40, 4)) + [40, 45]
    starts = [graph.starts[i] for i in chosen]
    for k in (1, 2, 3):
        arguments = graph.neighbors(k, direction)
        _, took = each(agent, "kg_neighbors(item) ->> 'total'", "jsonb",
                       [arguments[i] for i in chosen])
        ours = [t / 1000 for t in took]
        for name, text, required in (
                ("hop by hop", HOP_BY_HOP[k], 25),
                ("variable length", VARIABLE % k, 300)):
            theirs = measure(session, graph, text, starts)
            report.figure("  AGE %s, %d hops: %s" % (name, k, summary(theirs)),
                          sum(t if t is not None else TIMEOUT for t in theirs),
                          "ms together")
            report.raw(what="%s AGE %s %d" % (graph.tenant, name, k), each=theirs)
            if any(t is not None for t in theirs):
                # One that was stopped counts as if it had ended then.
                report.ratio("%s, %d hops: to AGE %s" % (graph.tenant, k, name),
                             sum(ours), sum(t if t is not None else TIMEOUT
                                            for t in theirs),
                             required, required, faster=True)
    session.close()
