-- kg_to_mermaid and kg_to_dot: every shape, and labels that try to get out.
\pset format unaligned
\pset tuples_only on
-- a bundle: types, references, declared relations
SELECT kg_to_mermaid('{"bundle_name": "shop", "schemas": [
  {"entity_type": "product", "schema": {"properties": {
     "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"},
     "parts": {"type": "array", "items": {"type": "string", "x-ref": "product"}},
     "size": {"type": "object", "properties": {"unit": {"x-ref": "units/unit"}}}}}},
  {"entity_type": "brand", "schema": {"allOf": [{"properties": {"owner": {"x-ref": "brand"}}}]}}],
  "relations": [{"name": "RIVAL", "from": "brand", "to": "brand", "symmetric": true}]}');
-- what get_graph_schema and describe_schema answer
SELECT kg_to_dot('{"node_types": [{"name": "a"}, {"name": "b"}],
  "relationship_types": [{"name": "R", "from": "a", "to": "b"}, {"name": "S", "from": "b", "to": "b", "symmetric": true}]}');
SELECT kg_to_mermaid('{"entity_types": ["a", "b"], "predicates": ["R"]}', '{"direction": "TB"}');
-- nodes and edges of the one vocabulary and of the other; an end that is on another page
SELECT kg_to_mermaid('{"nodes": [{"type": "t", "id": "1", "properties": {"name": "One"}}, {"type": "t", "id": "2", "properties": {}}],
  "edges": [{"type": "R", "from": {"type": "t", "id": "1"}, "to": {"type": "t", "id": "3"}},
            {"type": "R", "from": {"type": "t", "id": "1"}, "to": {"type": "t", "id": "3"}},
            {"type": "Q", "from": {"type": "t", "id": "1"}, "to": {"type": "t", "id": "1"}}]}');
SELECT kg_to_dot('{"nodes": [{"id": "t:1", "entity_type": "t", "metadata": {"label": "One"}}, {"id": "t:2", "entity_type": "t"}],
  "edges": [{"subject": "t:1", "predicate": "R", "object": "t:2", "metadata": {}}]}');
-- paths; an MCP result around a reply; items; one entity
SELECT kg_to_mermaid('{"paths": [
  {"length": 1, "path": ["t:1", {"type": "R", "from": {"type": "t", "id": "1"}, "to": {"type": "t", "id": "2"}}, "t:2"]},
  {"length": 1, "path": ["t:1", {"type": "S", "from": {"type": "t", "id": "2"}, "to": {"type": "t", "id": "1"}}, "t:2"]}]}');
SELECT kg_to_mermaid('{"content": [], "isError": false, "structuredContent": {"items": [{"id": "x", "data": {"title": "X"}}]}}');
SELECT kg_to_mermaid('{"id": "t:1", "entity_type": "t", "metadata": {"name": "One"}}');
-- nothing found is an empty picture
SELECT kg_to_mermaid('{"nodes": [], "edges": []}');
SELECT kg_to_dot('{"paths": []}');

-- labels with quotes, brackets, backslashes, markup, line ends, other scripts
CREATE TEMP TABLE hostile AS SELECT jsonb_build_object('nodes', jsonb_build_array(
  jsonb_build_object('type', 't', 'id', E'a"]; click n1 "javascript:x" [', 'properties',
    jsonb_build_object('name', E'`**b**` <script>alert(1)</script> &amp; #35; \\"\n\tsecond\u007f; }')),
  jsonb_build_object('type', 't', 'id', E'back\\', 'properties', jsonb_build_object('name', 'Žluťoučký kůň 馬'))),
  'edges', jsonb_build_array(jsonb_build_object('type', E'R"| n9\n', 'from', jsonb_build_object('type', 't', 'id', E'back\\'),
    'to', jsonb_build_object('type', 't', 'id', E'end"')))) AS reply;
SELECT kg_to_mermaid(reply) FROM hostile;
SELECT kg_to_dot(reply) FROM hostile;
-- whatever a label has, it adds no line and no unescaped quote
SELECT bool_and(line ~ '^(flowchart LR|  n\d+\["[^"`<>\\&]*(<br/>[^"`<>\\&]*)?"\]|  n\d+ -->\|"[^"`<>\\&]*"\| n\d+)$')
  FROM hostile, regexp_split_to_table(rtrim(kg_to_mermaid(reply), E'\n'), E'\n') line;
SELECT bool_and(line ~ '^(digraph \{|  rankdir=LR;|  node \[shape=box\];|  n\d+( -> n\d+)? \[label="([^"\\]|\\.)*"\];|\})$')
  FROM hostile, regexp_split_to_table(rtrim(kg_to_dot(reply), E'\n'), E'\n') line;
-- every character of one byte, one after the other
SELECT n, out FROM generate_series(1, 127) n,
  LATERAL (SELECT kg_to_mermaid(jsonb_build_object('nodes', jsonb_build_array(
    jsonb_build_object('id', 'x' || chr(n) || 'y')))) AS out) o
 WHERE out !~ '^flowchart LR\n  n1\["x[^"`<>\\&\n]+y"\]\n$';
SELECT n, out FROM generate_series(1, 127) n,
  LATERAL (SELECT kg_to_dot(jsonb_build_object('nodes', jsonb_build_array(
    jsonb_build_object('id', 'x' || chr(n) || 'y')))) AS out) o
 WHERE out !~ '  n1 \[label="x([^"\\\n&]|\\["\\]|&amp;)y"\];\n\}\n$';
-- long labels are cut by character
SELECT kg_to_mermaid(jsonb_build_object('nodes', jsonb_build_array(jsonb_build_object('id', repeat('ž', 1000)))), '{"max_label": 5}');
SELECT length(kg_to_dot(jsonb_build_object('nodes', jsonb_build_array(jsonb_build_object('id', repeat('"', 100000))))));
-- more nodes and edges than the tables start with
SELECT count(*), count(DISTINCT line) FROM regexp_split_to_table(kg_to_mermaid((
  SELECT jsonb_build_object('edges', jsonb_agg(jsonb_build_object('subject', 'n' || i % 500, 'predicate', 'R', 'object', 'n' || i % 700)))
    FROM generate_series(1, 20000) i)), E'\n') line;
-- what is left out of a reply does not hurt; what is no graph is an error
SELECT kg_to_mermaid('{"nodes": [1, {"type": "t"}, {"id": 5}, {"id": "x", "type": 7}], "edges": [{}, {"type": "R", "from": "a", "to": "b"},
  {"predicate": "R", "subject": 1, "object": "b"}], "paths": [{"path": 1}, {"path": [7, {}]}, []]}');
\set VERBOSITY terse
SELECT kg_to_mermaid('{"total": 0}');
SELECT kg_to_mermaid('[]');
SELECT kg_to_dot('"x"');
SELECT kg_to_dot('{"nodes": []}', '{"direction": "XX"}');
SELECT kg_to_dot('{"nodes": []}', '{"max_label": 0}');
SELECT kg_to_dot('{"nodes": []}', '{"colour": "red"}');
SELECT kg_to_mermaid(NULL) IS NULL;
