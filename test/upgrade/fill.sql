-- The ISO codes, with history, agents, views and things of a DBA's own, as
-- scripts/check-upgrade takes them from major to major.  Run by a superuser with
-- -v file=THE BUNDLE.
\set QUIET on
\set ON_ERROR_STOP on
\o /dev/null
\set bundle `cat :'file'`
CREATE EXTENSION kg_graph;
CREATE ROLE upgrade_admin;
CREATE ROLE upgrade_reader;
CREATE ROLE upgrade_analyst;
SELECT kg_create_tenant('iso'), kg_grant('iso', 'upgrade_admin', 'admin'), kg_grant('iso', 'upgrade_reader', 'read'), kg_grant('iso', 'upgrade_analyst', 'read');
SELECT format('GRANT CREATE ON DATABASE %I TO upgrade_admin', current_database()) \gexec
SET ROLE upgrade_admin;
SELECT kg_apply_bundle(b || jsonb_build_object('schemas', (SELECT jsonb_agg(s || jsonb_build_object('schema', s -> 'schema' || '{"x-history": true, "x-search": ["name"]}')) FROM jsonb_array_elements(b -> 'schemas') s)))
  FROM (SELECT :'bundle'::jsonb AS b) x;
SELECT kg_put_entities('country', jsonb_build_array(kg_get('country', 'CZ') - 'subdivision_count' || '{"common_name": "Czechia"}', kg_get('country', 'TR') - 'subdivision_count' || '{"name": "Turkey"}'), '{"reason": "as it was"}');
SELECT kg_put_entities('country', jsonb_build_array(kg_get('country', 'TR') - 'subdivision_count' || '{"name": "Türkiye"}'), '{"idempotency_key": "named", "reason": "as it is"}');
SELECT kg_delete_entities('language', ARRAY['aaf', 'aai']);
SELECT kg_create_agent('geographer', '{"description": "places alone", "bundles": ["iso-codes"], "tools": ["list_country", "get_country"]}'), kg_create_agent('nobody', '{"toolsets": []}');
SELECT kg_register_tool('{"name": "in_country", "version": "1.0.0", "kind": "query", "description": "A query.", "input_schema": {"properties": {"country": {"type": "string"}}, "required": ["country"]}, "operation": {"tool": "list_subdivision", "arguments": {"filters": {"country": {"$arg": "country"}}, "limit": 3}}}');
SELECT kg_pack();
SELECT kg_create_views('iso');
GRANT USAGE ON SCHEMA iso TO upgrade_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA iso TO upgrade_analyst;
RESET ROLE;
SELECT kg_add_policy('own_living', 'kg_entity', $$entity_type <> 'language' OR data ->> 'type' IS DISTINCT FROM 'extinct'$$, command => 'SELECT', roles => '{upgrade_reader,upgrade_analyst}');
CREATE INDEX own_idx ON kg_entity (tenant, updated_at);
CREATE TABLE public.note (country text, said text);
CREATE FUNCTION public.own_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.note VALUES (NEW.entity_id, NEW.data ->> 'name'); RETURN NULL; END $$;
GRANT INSERT ON public.note TO PUBLIC;
CREATE TRIGGER own_trigger AFTER UPDATE ON kg_entity FOR EACH ROW WHEN (NEW.entity_type = 'country') EXECUTE FUNCTION public.own_trigger();
ANALYZE;
