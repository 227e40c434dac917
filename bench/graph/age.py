"""Apache AGE as a peer, on the server that bench/graph/prepare started.

The question is the same for both: how many nodes are within k hops of a start,
which AGE counts only when a walk comes back to it.  The counts are compared.
AGE's edges are directed, because its undirected ones do not use its indexes:
R-MAT is asked along its edges.  WordNet's pointers come in pairs (a more general
meaning, a more special one), and kg_graph stores a pair once, so AGE is given
each edge in both directions and kg_graph is asked for both.

AGE has one label of nodes and one of edges, indexes on both ends of edges, the
start by the GIN index of properties, all found best by trial (a start by
id(a) = ... is a sequential scan), and each statement is prepared, as
ours is.  Its best form goes hop by hop and keeps distinct nodes in between (one
more leaves the nodes between out: the better of the two in sum counts); the
other is its variable-length edge, which is given just a few starts.
"""
import os
import statistics

from kgbench import Session, literal

TIMEOUT = 10000  # ms for a call by variable length; others have HOP_TIMEOUT
HOP_TIMEOUT = 30000
FEW = 10
# Where all starts take AGE no more than so many ms, both sides go by turns: the
# machine may have a slow moment.
TURNS, QUICK = 7, 500
NEXT = " WITH DISTINCT %s MATCH (%s)-[:Edge]->(%s:Node)"
ONE = "MATCH (a:Node {id: $id})-[:Edge]->(b:Node)"
TWO = ONE + NEXT % ("b", "b", "c")
THREE = TWO + NEXT % ("c", "c", "d")
# The last of the hops by the edge alone, without its node.
WALK_ONE = "MATCH (a:Node {id: $id})-[e:Edge]->()"
WALK_TWO = "MATCH (a:Node {id: $id})-[:Edge]->()-[e:Edge]->()"
WALK_THREE = ONE + " WITH DISTINCT b MATCH (b)-[:Edge]->()-[e:Edge]->()"


def united(*parts):
    return " UNION ".join("%s RETURN DISTINCT %s" % part for part in parts)


HOP_BY_HOP = {
    1: [united((ONE, "id(b)")), united((WALK_ONE, "end_id(e)"))],
    2: [united((ONE, "id(b)"), (TWO, "id(c)")),
        united((WALK_ONE, "end_id(e)"), (WALK_TWO, "end_id(e)"))],
    3: [united((ONE, "id(b)"), (TWO, "id(c)"), (THREE, "id(d)")),
        united((WALK_ONE, "end_id(e)"), (WALK_TWO, "end_id(e)"),
               (WALK_THREE, "end_id(e)"))],
}
VARIABLE = ("MATCH (a:Node {id: $id})-[:Edge*1..%d]->(b:Node)"
            " RETURN DISTINCT id(b)")


def connect():
    before = {name: os.environ.get(name) for name in ("PGHOST", "PGDATABASE")}
    os.environ.update(PGHOST=os.environ["KG_BENCH_AGE"], PGDATABASE="postgres")
    session = Session()
    os.environ.update({n: v for n, v in before.items() if v is not None})
    session.query("LOAD 'age'; SET search_path = ag_catalog, public")
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
SET client_min_messages = warning;
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
VACUUM ANALYZE""" % {
        "g": name_of(graph), "mirror": MIRROR % {"g": name_of(graph)} if mirrored(graph)
        else "", "file": graph.edges})


def statement(graph, text, of):
    """`of` is the parameter, or nothing where the text has its value."""
    return ("SELECT count(*) FROM cypher('%s', $q$ %s $q$%s) AS (n agtype)"
            % (name_of(graph), text, of))


def measure(session, graph, text, starts, timeout, limit, prepared=True):
    """(count, milliseconds) for each start, in rounds as each() in bench.py
    makes them of ours, and the median; a count of -1: stopped.  No further
    start after `limit` seconds."""
    session.query("SET statement_timeout = 0; DEALLOCATE ALL;"
                  " PREPARE q (agtype) AS " + statement(graph, text, ", $1"))
    call = ("EXECUTE q ('{\"id\": NODE}')" if prepared else
            statement(graph, text.replace("$id", "NODE"), ""))
    session.query("""
CREATE OR REPLACE FUNCTION pg_temp.once(node text) RETURNS text LANGUAGE plpgsql AS $once$
DECLARE
  call text := replace(%s, 'NODE', node); t timestamptz; took float8[] := '{}'; rounds integer := 8; calls integer := 1; n bigint;
BEGIN
  WHILE cardinality(took) < rounds LOOP
    t := clock_timestamp();
    FOR i IN 1..calls LOOP
      EXECUTE call INTO n;
    END LOOP;
    took := took || extract(epoch FROM clock_timestamp() - t)::float8 * 1000 / calls;
    calls := greatest(1, least(100, 1 / greatest(took[1], 0.001)));
    IF took[1] > 500 THEN rounds := 1; ELSIF took[1] > 50 THEN rounds := 4; END IF;
  END LOOP;
  RETURN n || ' ' || (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x)
                        FROM unnest(CASE rounds WHEN 1 THEN took ELSE took[2:] END) x);
EXCEPTION WHEN query_canceled THEN
  RETURN '-1 %d';
END $once$; SET statement_timeout = %d""" % (literal(call), timeout, timeout))
    counts, took = [], []
    for start in starts:
        if sum(took) > limit * 1000:
            break
        count, ms = session.value("SELECT pg_temp.once('%s')" % start).split()
        counts.append(int(count))
        took.append(float(ms))
    session.query("SET statement_timeout = 0")
    return counts, took


def check(report, what, ours, theirs):
    """The start is counted by us, and by AGE when a walk returns to it."""
    wrong = sum(b >= 0 and int(a) - b not in (0, 1)
                for a, b in zip(ours, theirs))
    if wrong:
        report.failed += 1
        report.note("  DIFFERENT COUNTS, %s: %d" % (what, wrong))


def by_turns(ours, theirs, mine, took):
    """Both again and again, and of each start the median."""
    mine, took = [mine], [took]
    while len(mine) < TURNS and sum(took[0]) < QUICK:
        mine.append(ours()[1])
        took.append(theirs())
    return [[statistics.median(of_start) for of_start in zip(*turns)]
            for turns in (mine, took)]


def against(report, graph, session, k, name, texts, bounds, ours, **how):
    """The best of the texts; a call that was stopped counts as if it had ended
    then, and starts that were not reached count for neither."""
    counts, mine = ours()
    best = None

    def theirs(text):
        return measure(session, graph, text, graph.starts[:how.get(
            "n", len(graph.starts))], how["timeout"], how["limit"])
    for text in texts:
        found, took = theirs(text)
        check(report, "AGE " + name, counts, found)
        report.raw(what="%s AGE %s %d" % (graph.tenant, name, k), text=text,
                   each=took)
        if best is None or (-len(took), sum(took)) < (-len(best[1]), sum(best[1])):
            best = found, took, text
    found, took, text = best
    mine, took = by_turns(ours, lambda: theirs(text)[1], mine, took)
    report.raw(what="AGE %s best" % name, each=took, stopped=found.count(-1),
               text=text)
    report.figure("  AGE %s: median" % name, statistics.median(took), "ms")
    report.figure("  AGE %s: sum of %d" % (name, len(took)), sum(took),
                  "ms; %d stopped after %d s" % (found.count(-1),
                                                 how["timeout"] // 1000))
    report.ratio("%s, %d hops: to AGE %s" % (graph.tenant, k, name),
                 sum(mine[:len(took)]) / 1000, sum(took), *bounds, faster=True)
    return text, mine


def compare(report, graph, agent, each, neighbors):
    direction = "both" if mirrored(graph) else "outgoing"
    if not os.environ.get("KG_BENCH_AGE"):
        report.section("%s: Apache AGE" % graph.tenant)
        report.note("  SKIPPED: %s" % os.environ.get(
            "KG_BENCH_AGE_SKIPPED", "no server with AGE"))
        return
    agent.query("""
CREATE OR REPLACE FUNCTION pg_temp.by_text(item jsonb) RETURNS text LANGUAGE plpgsql AS $by$
DECLARE n text;
BEGIN
  EXECUTE replace(%s, 'item', quote_literal(item) || '::jsonb') INTO n;
  RETURN n;
END $by$""" % literal("SELECT " + neighbors))
    session = connect()
    load(session, graph)
    # Else what was loaded is written while it is measured.
    session.query("CHECKPOINT")
    version = session.value(
        "SELECT 'AGE ' || extversion || ' on PostgreSQL ' || current_setting('server_version')"
        " FROM pg_extension WHERE extname = 'age'")
    for k in (1, 2, 3):
        report.section("%s: nodes within %d hops, %s, %s" % (
            graph.tenant, k, "undirected" if mirrored(graph) else "outgoing", version))
        arguments = graph.neighbors(k, direction)

        def ours():
            return each(agent, neighbors, "jsonb", arguments)
        text, mine = against(report, graph, session, k, "hop by hop", HOP_BY_HOP[k],
                             (25, 40), ours, timeout=HOP_TIMEOUT, limit=45)
        graph.show("kg_neighbors", mine)
        if k < 3:
            # As text of its own each time: what planning adds to both.
            _, took = measure(session, graph, text, graph.starts, HOP_TIMEOUT,
                              20, prepared=False)
            _, mine = each(agent, "pg_temp.by_text(item)", "jsonb", arguments)
            report.figure("  not prepared: AGE to kg_neighbors",
                          sum(took) * 1000 / sum(mine[:len(took)]), "times as long")
        against(report, graph, session, k, "variable length", [VARIABLE % k], (1, 1),
                ours, timeout=TIMEOUT, limit=40, n=FEW)
    session.close()
