"""The graphs of bench/graph: WordNet, and R-MAT graphs of any size."""
import json
import os
import subprocess
import sys
import time

from kgbench import (SCALE, TEMP, Session, literal, make_tenant, scaled,
                     seconds_since)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
CSR = os.path.join(TEMP, "csr")

RMAT = {
    "bundle_name": "rmat",
    "version": "1",
    "schemas": [{"entity_type": "node", "schema": {
        "type": "object", "x-id-field": "id",
        "properties": {"id": {"type": "string"},
                       "group": {"type": "integer", "x-index": True}},
        "required": ["id", "group"], "additionalProperties": False}}],
    "relations": [{"name": "R%d" % i, "from": "node", "to": "node"}
                  for i in range(5)],
}


def file_of(name):
    return os.path.join(TEMP, name)


def run(*command, given=None):
    return subprocess.run(command, check=True, text=True, input=given,
                          capture_output=True).stdout


def compile_csr():
    run("cc", "-std=c99", "-O2", "-o", CSR, os.path.join(HERE, "csr.c"))


def csr_lines(*arguments, given=None):
    return run(CSR, *map(str, arguments), given=given).split("\n")[:-1]


def apply_text(session, tenant, text):
    """A bundle in a file of the server's machine, as a tenant's writer."""
    name = file_of(tenant + ".json")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    session.query("SET kg_graph.tenant = %s" % literal(tenant))
    start = time.monotonic()
    session.query("\\set bundle `cat %s`\n"
                  "SELECT length(kg_apply_bundle(:'bundle'::jsonb)::text)"
                  % name)
    os.unlink(name)
    return seconds_since(start)


def wordnet_text():
    return run(sys.executable, "-B",
               os.path.join(ROOT, "scripts/data/wordnet_bundle.py"),
               *(["--limit", str(scaled(117659))] if SCALE < 1 else []))


def make_rmat_entities(admin, tenant, nodes):
    """The nodes of an R-MAT graph as entities, applied in pieces."""
    make_tenant(admin, tenant, "loader")
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = %s" % literal(tenant))
    start = time.monotonic()
    loader.query("SELECT length(kg_apply_bundle(%s::jsonb)::text)"
                 % literal(json.dumps(RMAT)))
    piece = 250000
    for first in range(0, nodes, piece):
        loader.query("""
SELECT length(kg_apply_bundle(%s::jsonb || jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('entity_type', 'node', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', n::text, 'group', n %% 100))
       FROM generate_series(%d, %d) n)))), '{"mode": "merge"}')::text)"""
                     % (literal(json.dumps(RMAT)), first,
                        min(first + piece, nodes) - 1))
    loader.close()
    return seconds_since(start)


FIXED = 3000


def add_fixed(tenant):
    """A small graph of its own in a tenant, the same whatever else is there:
    FIXED nodes of degree 6 or so.  Not timed."""
    loader = Session("loader")
    loader.query("SET kg_graph.tenant = %s" % literal(tenant))
    loader.query("""
SELECT length(kg_apply_bundle(%s::jsonb || jsonb_build_object(
  'entities', jsonb_build_array(jsonb_build_object('entity_type', 'node', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'f' || n, 'group', 0))
       FROM generate_series(0, %d) n))),
  'edges', (SELECT jsonb_agg(DISTINCT jsonb_build_object('relation', 'R0',
      'from', 'node:f' || n, 'to', 'node:f' || (n * m + 1) %% %d))
     FROM generate_series(0, %d) n, unnest(ARRAY[7, 11, 13]) m)), '{"mode": "merge"}')::text)"""
                 % (literal(json.dumps(RMAT)), FIXED - 1, FIXED, FIXED - 1))
    loader.close()


def write_edges(admin, tenant, source,
                order="hashint8(s.node * 2654435761 + t.node)"):
    """Edges by entity id (a file of csr) as rows of kg_edge, in a file; in no
    order of nodes unless told."""
    name = file_of(tenant + ".edges")
    admin.query("""
CREATE TEMP TABLE drawn (source bigint, target bigint, relation integer);
COPY drawn FROM %s;
CREATE TEMP TABLE number AS SELECT entity_id::bigint AS id, node FROM kg_entity WHERE tenant = %s
  AND entity_id ~ '^[0-9]+$';
CREATE UNIQUE INDEX ON number (id) INCLUDE (node);
ANALYZE number; ANALYZE drawn;
COPY (SELECT s.node, t.node, r.relation_no FROM drawn d
        JOIN number s ON s.id = d.source JOIN number t ON t.id = d.target
        JOIN (SELECT DISTINCT relation, relation_no FROM kg_relation WHERE tenant = %s) r
          ON r.relation = 'R' || d.relation
       ORDER BY %s) TO %s;
DROP TABLE drawn, number;"""
                % (literal(source), literal(tenant), literal(tenant), order,
                   literal(name)))
    return name


def export_edges(admin, tenant):
    """The rows of kg_edge of a tenant in a file for csr."""
    name = file_of(tenant + ".edges")
    admin.query("COPY (SELECT source, target, relation_no FROM kg_edge WHERE tenant = %s"
                " ORDER BY source, target, relation_no) TO %s"
                % (literal(tenant), literal(name)))
    return name


# ---------------------------------------------------------------- peers

PEERS = """
CREATE SCHEMA peer;
CREATE TABLE peer.edge (tenant text COLLATE "C" NOT NULL, src bigint NOT NULL, dst bigint NOT NULL,
  rel integer NOT NULL);

-- The best of WITH RECURSIVE: both directions by covering indexes, UNION drops
-- what is met twice at one depth.
CREATE FUNCTION peer.recursive(a bigint, k integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (WITH RECURSIVE r(id, d) AS (
      SELECT a, 0
      UNION
      SELECT n.id, r.d + 1 FROM r CROSS JOIN LATERAL (
        SELECT e.dst AS id FROM peer.edge e WHERE e.src = r.id
        UNION ALL
        SELECT e.src FROM peer.edge e WHERE e.dst = r.id) n
      WHERE r.d < k)
    SELECT count(DISTINCT id) FROM r);
END $$;

CREATE FUNCTION peer.recursive_out(a bigint, k integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (WITH RECURSIVE r(id, d) AS (
      SELECT a, 0
      UNION
      SELECT e.dst, r.d + 1 FROM r JOIN peer.edge e ON e.src = r.id WHERE r.d < k)
    SELECT count(DISTINCT id) FROM r);
END $$;

-- A statement a hop.
CREATE FUNCTION peer.hops(a bigint, k integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  frontier bigint[] := ARRAY[a];
  seen bigint[] := ARRAY[a];
BEGIN
  FOR i IN 1..k LOOP
    SELECT array_agg(id) INTO frontier FROM (
      (SELECT dst AS id FROM peer.edge WHERE src = ANY (frontier)
       UNION
       SELECT src FROM peer.edge WHERE dst = ANY (frontier))
      EXCEPT
      SELECT unnest(seen)) n;
    EXIT WHEN frontier IS NULL;
    seen := seen || frontier;
  END LOOP;
  RETURN cardinality(seen);
END $$;

CREATE FUNCTION peer.recursive_path(a bigint, b bigint, k integer) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (WITH RECURSIVE r(id, d) AS (
      SELECT a, 0
      UNION
      SELECT n.id, r.d + 1 FROM r CROSS JOIN LATERAL (
        SELECT e.dst AS id FROM peer.edge e WHERE e.src = r.id
        UNION ALL
        SELECT e.src FROM peer.edge e WHERE e.dst = r.id) n
      WHERE r.d < k)
    SELECT d FROM r WHERE id = b LIMIT 1);
END $$;

-- From both ends, the smaller frontier first; the length only.
CREATE FUNCTION peer.both_ends(a bigint, b bigint, k integer) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
  front_a bigint[] := ARRAY[a];  seen_a bigint[] := ARRAY[a];
  front_b bigint[] := ARRAY[b];  seen_b bigint[] := ARRAY[b];
  next bigint[];
BEGIN
  FOR i IN 1..k LOOP
    IF cardinality(front_a) <= cardinality(front_b) THEN
      SELECT array_agg(id) INTO next FROM (
        (SELECT dst AS id FROM peer.edge WHERE src = ANY (front_a)
         UNION
         SELECT src FROM peer.edge WHERE dst = ANY (front_a))
        EXCEPT
        SELECT unnest(seen_a)) n;
      IF next IS NULL THEN RETURN NULL; END IF;
      front_a := next;  seen_a := seen_a || next;
    ELSE
      SELECT array_agg(id) INTO next FROM (
        (SELECT dst AS id FROM peer.edge WHERE src = ANY (front_b)
         UNION
         SELECT src FROM peer.edge WHERE dst = ANY (front_b))
        EXCEPT
        SELECT unnest(seen_b)) n;
      IF next IS NULL THEN RETURN NULL; END IF;
      front_b := next;  seen_b := seen_b || next;
    END IF;
    PERFORM FROM unnest(front_a) x JOIN unnest(front_b) y ON x = y LIMIT 1;
    IF FOUND THEN RETURN i; END IF;
  END LOOP;
  RETURN NULL;
END $$;
"""


def finish_peers(admin, role):
    """Indexes, policy and rights of the peers' table.  The node leads, as in
    kg_adjacency, because its comparison costs less than the tenant's."""
    admin.query("""
CREATE INDEX IF NOT EXISTS edge_out ON peer.edge (src, tenant, dst) INCLUDE (rel);
CREATE INDEX IF NOT EXISTS edge_in ON peer.edge (dst, tenant, src) INCLUDE (rel);
ALTER TABLE peer.edge ENABLE ROW LEVEL SECURITY;
ALTER TABLE peer.edge FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON peer.edge USING (tenant = current_setting('bench.tenant', true));
GRANT USAGE ON SCHEMA peer TO %s; GRANT SELECT ON peer.edge TO %s;""" % (role, role))
    admin.query("VACUUM ANALYZE peer.edge")
