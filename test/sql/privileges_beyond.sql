-- What GRANT ALL gives beyond reading and writing, and what is taken from PUBLIC.
SET client_min_messages = warning;
CREATE ROLE beyond_role;
CREATE FUNCTION beyond_told() RETURNS TABLE (status text, told jsonb) LANGUAGE sql AS $$
  SELECT kg_health() ->> 'status', (SELECT jsonb_agg(d - 'repair' ORDER BY d::text) FROM jsonb_array_elements(kg_check() -> 'differences') d WHERE d ->> 'kind' IN ('not_ours', 'definition_wrong')) $$;
BEGIN; GRANT ALL ON kg_entity, kg_edge TO beyond_role; GRANT ALL ON SEQUENCE kg_node_seq TO PUBLIC; SELECT * FROM beyond_told(); ROLLBACK;
BEGIN; CREATE FUNCTION beyond_spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; ALTER FUNCTION beyond_spy() OWNER TO beyond_role;
CREATE TRIGGER kg_mine BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION beyond_spy(); SELECT * FROM beyond_told(); ROLLBACK;
BEGIN; REVOKE EXECUTE ON FUNCTION kg_own_tenant(text) FROM PUBLIC; SELECT * FROM beyond_told();
SELECT kg_check('{"repair": true}') -> 'left' AS left; SELECT has_function_privilege('beyond_role', 'kg_own_tenant(text)', 'EXECUTE'); ROLLBACK;
-- views that read as a superuser, unless they compare the tenant
BEGIN; CREATE VIEW beyond_all AS SELECT * FROM kg_entity; CREATE MATERIALIZED VIEW beyond_copy AS SELECT entity_id, (SELECT count(*) FROM kg_edge) FROM kg_entity; CREATE VIEW beyond_own AS SELECT * FROM kg_entity WHERE tenant = kg_tenant();
SELECT * FROM beyond_told(); GRANT SELECT ON beyond_all, beyond_copy, beyond_own TO beyond_role; SELECT regexp_replace(told::text, '(as role) [^,]*,', '\1 OWNER,', 'g') FROM beyond_told();
ALTER VIEW beyond_all SET (security_invoker); REVOKE SELECT ON beyond_copy FROM beyond_role; SELECT * FROM beyond_told(); ROLLBACK;
DROP FUNCTION beyond_told(); DROP ROLE beyond_role;
