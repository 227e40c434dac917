-- Our triggers of entities and edges off, and on as they were installed: not even session_replication_role does that.
CREATE OR REPLACE FUNCTION pg_temp.triggers(enabled boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT tgname, tgrelid::regclass AS name FROM pg_trigger WHERE tgrelid IN ('kg_entity'::regclass, 'kg_edge'::regclass) AND NOT tgisinternal AND tgname ~ '^kg_' LOOP
    EXECUTE format('ALTER TABLE %s %s TRIGGER %I', t.name, CASE WHEN NOT enabled THEN 'DISABLE' WHEN t.tgname = 'kg_no_replication' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, t.tgname);
  END LOOP;
END
$$;
