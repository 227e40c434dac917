-- Loads in batches (src/load.c), and the progress of each. Dumps include this table,
-- because dumps also include what the loads wrote.
CREATE TABLE @extschema@.kg_load (
  tenant       text COLLATE "C" NOT NULL REFERENCES @extschema@.kg_tenant ON DELETE CASCADE,
  caller       text COLLATE "C" NOT NULL,
  load         text COLLATE "C" NOT NULL,
  batch        bigint NOT NULL,
  position     jsonb NOT NULL,
  updated_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (tenant, caller, load)
);
COMMENT ON TABLE @extschema@.kg_load IS 'positions of loads in batches; for the owner only';
COMMENT ON COLUMN @extschema@.kg_load.batch IS 'number of batches that were written';
COMMENT ON COLUMN @extschema@.kg_load.position IS 'value that the loading client stored with its last batch';
CREATE INDEX kg_load_updated_idx ON @extschema@.kg_load (tenant, updated_at);

SELECT pg_catalog.pg_extension_config_dump('@extschema@.kg_load', '');

ALTER TABLE @extschema@.kg_load ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_load FORCE ROW LEVEL SECURITY;
CREATE POLICY kg_load_nobody ON @extschema@.kg_load FOR ALL
  USING (false);

CREATE FUNCTION @extschema@.kg_load_position(load text) RETURNS jsonb
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_load_position';
COMMENT ON FUNCTION @extschema@.kg_load_position(text) IS
  'position of a load of the caller: {"batch", "position", "updated_at"}, or NULL; needs write access';

CREATE FUNCTION @extschema@.kg_load_batch(load text, batch bigint, "position" jsonb) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'kg_sql_load_batch';
COMMENT ON FUNCTION @extschema@.kg_load_batch(text, bigint, jsonb) IS
  'store the position of a load in the transaction of its batch; batch is 0 at the beginning, then one more than the stored number; needs write access';
