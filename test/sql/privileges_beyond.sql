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
DROP FUNCTION beyond_told(); DROP ROLE beyond_role;
