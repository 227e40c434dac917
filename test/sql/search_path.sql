-- Code that runs as the extension's owner does not use objects that its caller has
-- created.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('path', 'path_mallory admin');
GRANT CREATE ON DATABASE :"DBNAME" TO path_mallory;
\c - path_mallory
CREATE SCHEMA path_evil;
SET search_path = path_evil, pg_catalog, public;
CREATE FUNCTION path_evil.eq(regrole, regrole) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN RAISE WARNING 'evil code runs as %', current_user; RETURN true; END $$;
CREATE FUNCTION path_evil.eq(text, text) RETURNS boolean LANGUAGE plpgsql AS
  $$ BEGIN RAISE WARNING 'evil code runs as %', current_user; RETURN true; END $$;
CREATE FUNCTION path_evil.get(jsonb, text) RETURNS jsonb LANGUAGE plpgsql AS
  $$ BEGIN RAISE WARNING 'evil code runs as %', current_user; RETURN '[]'; END $$;
CREATE FUNCTION path_evil.jsonb_typeof(jsonb) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN RAISE WARNING 'evil code runs as %', current_user; RETURN 'array'; END $$;
CREATE OPERATOR path_evil.= (leftarg = regrole, rightarg = regrole, function = path_evil.eq);
CREATE OPERATOR path_evil.= (leftarg = text, rightarg = text, function = path_evil.eq);
CREATE OPERATOR path_evil.-> (leftarg = jsonb, rightarg = text, function = path_evil.get);
\c - path_mallory
SET search_path = path_evil, pg_catalog, public;
SELECT kg_tenant();
SELECT kg_create_agent('bot', '{"title": "t", "tools": ["x"]}');
SELECT kg_alter_agent('bot', '{"tools": null}');
SET kg_graph.agent = 'bot';
SELECT kg_agent();
SELECT count(*) FROM kg_entity;
SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}');
SELECT kg_grant('path', 'path_mallory', 'admin');
-- the path of the caller is what it was
SHOW search_path;
RESET kg_graph.agent;
SELECT kg_apply_bundle('{"bundle_name": "path", "version": "1", "schemas": [{"entity_type": "node", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
  "entities": [{"entity_type": "node", "items": [{"id": "n1"}, {"id": "n2"}]}], "relations": [{"name": "LINKS", "from": "node", "to": "node"}], "edges": [{"relation": "LINKS", "from": "node:n1", "to": "node:n2"}]}') ? 'revision' AS applied;
SELECT kg_pack();
SELECT kg_rebuild() IS NOT NULL AS rebuilt;
SELECT kg_drop_agent('bot');
\c - :owner
DROP OWNED BY path_mallory CASCADE;
CALL test.drop('path');
