-- A research graph with provenance: see README.md.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
\o /dev/null
SELECT kg_create_tenant('research');
CREATE ROLE research_writer;
CREATE ROLE research_reader;
SELECT kg_grant('research', 'research_writer', 'write');
SELECT kg_grant('research', 'research_reader', 'read');
SET ROLE research_writer;

-- Where it is said belongs to the edge, so that each fact has its source.
SELECT kg_apply_bundle('{"bundle_name": "research", "version": "1.0.0", "schemas": [
  {"entity_type": "author", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "required": ["id", "name"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "paper", "schema": {"type": "object", "x-id-field": "doi", "x-label-field": "title", "x-summary-fields": ["year"], "x-search": ["abstract"], "required": ["doi", "title", "year"],
    "properties": {"doi": {"type": "string"}, "title": {"type": "string"}, "year": {"type": "integer", "x-index": true}, "abstract": {"type": "string", "x-untrusted": true},
      "authors": {"type": "array", "items": {"type": "string", "x-ref": "author", "x-relation": "WRITTEN_BY"}},
      "cites": {"type": "array", "items": {"type": "string", "x-ref": "paper", "x-relation": "CITES"}}}}},
  {"entity_type": "claim", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "text", "required": ["id", "text"],
    "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}}],
  "relations": [
  {"name": "SUPPORTS", "from": "paper", "to": "claim", "schema": {"type": "object", "required": ["page", "quote"], "x-valid-from": "since",
    "properties": {"page": {"type": "integer"}, "quote": {"type": "string"}, "since": {"type": "string", "format": "date"}}}},
  {"name": "DISPUTES", "from": "paper", "to": "claim", "schema": {"type": "object", "required": ["page", "quote"], "x-valid-from": "since",
    "properties": {"page": {"type": "integer"}, "quote": {"type": "string"}, "since": {"type": "string", "format": "date"}}}}],
  "entities": [
  {"entity_type": "author", "items": [{"id": "marshall", "name": "Barry Marshall"}, {"id": "warren", "name": "Robin Warren"}, {"id": "palmer", "name": "Eddy Palmer"}]},
  {"entity_type": "paper", "items": [
    {"doi": "palmer-1954", "title": "Investigation of the gastric mucosa spirochetes of the human", "year": 1954, "authors": ["palmer"], "abstract": "Biopsies of 1,180 stomachs showed no spirochetes."},
    {"doi": "marshall-warren-1984", "title": "Unidentified curved bacilli in the stomach of patients with gastritis and peptic ulceration", "year": 1984, "authors": ["marshall", "warren"], "cites": ["palmer-1954"],
      "abstract": "Curved bacilli were found in 58 of 100 patients, in nearly all with gastritis or ulcers."},
    {"doi": "marshall-1985", "title": "Attempt to fulfil Koch''s postulates for pyloric Campylobacter", "year": 1985, "authors": ["marshall", "warren"], "cites": ["marshall-warren-1984"],
      "abstract": "A volunteer swallowed the bacteria and developed gastritis."}]},
  {"entity_type": "claim", "items": [{"id": "bacteria", "text": "Bacteria in the stomach cause gastritis"}, {"id": "sterile", "text": "The stomach is sterile"}]}],
  "edges": [
  {"relation": "SUPPORTS", "from": "paper:palmer-1954", "to": "claim:sterile", "properties": {"page": 218, "quote": "no spirochetes were found", "since": "1954-08-01"}},
  {"relation": "DISPUTES", "from": "paper:marshall-warren-1984", "to": "claim:sterile", "properties": {"page": 1311, "quote": "present in 58 patients", "since": "1984-06-16"}},
  {"relation": "SUPPORTS", "from": "paper:marshall-warren-1984", "to": "claim:bacteria", "properties": {"page": 1314, "quote": "may have a part in the aetiology", "since": "1984-06-16"}},
  {"relation": "SUPPORTS", "from": "paper:marshall-1985", "to": "claim:bacteria", "properties": {"page": 437, "quote": "the disorder was produced", "since": "1985-04-15"}}]}') IS NOT NULL;

SET ROLE research_reader;
\o
\echo '-- Who supports or disputes that the stomach is sterile, and where they say so:'
SELECT jsonb_pretty(jsonb_path_query_array(kg_neighbors('{"start_node": {"label": "claim", "node_id": "sterile"}, "max_hops": 1, "edge_columns": ["*"]}'), '$.edges[*]'));
\echo '-- What was known in 1960: one edge.'
SELECT kg_neighbors('{"start_node": {"label": "claim", "node_id": "sterile"}, "max_hops": 1, "valid_at": "1960-01-01T00:00:00Z"}') -> 'edges';
\echo '-- By the words of abstracts:'
SELECT e ->> 'id' AS id, e ->> 'score' AS score FROM jsonb_array_elements(kg_search('{"query": "curved bacilli gastritis", "mode": "text"}') -> 'items') e;

\echo '-- A draft, sentence by sentence: "Marshall and Warren, in 1983, found bacteria; Palmer had cited them; they support that bacteria cause gastritis; so does Doll (1956). Two papers support it."'
SELECT c ->> 'id' AS sentence, c ->> 'verdict' AS verdict, coalesce(c ->> 'reason', '') AS reason, coalesce(c ->> 'correction', '') AS correction
  FROM jsonb_array_elements(kg_verify('{"claims": [
    {"id": "a year", "entity": "paper:marshall-warren-1984", "property": "year", "is": 1983},
    {"id": "who cites whom", "from": "paper:palmer-1954", "relation": "CITES", "to": "paper:marshall-warren-1984"},
    {"id": "support", "from": "paper:marshall-warren-1984", "relation": "SUPPORTS", "to": "claim:bacteria", "properties": {"page": 1314}},
    {"id": "made up", "entity": "paper:doll-1956"},
    {"id": "how many", "count": {"tool": "traverse_relationships", "arguments": {"from": {"label": "claim", "ids": ["bacteria"]}, "relationships": [{"type": "SUPPORTS", "direction": "incoming"}]}}, "is": 2}]}') -> 'claims') c;
RESET ROLE;
