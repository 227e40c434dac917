-- The last part of the script: stores what the script has made on the extension's
-- tables (sql/48_policies.sql).
INSERT INTO @extschema@.kg_manifest(on_table, kind, name, major, definition)
SELECT d.on_table, d.kind, d.name, pg_catalog.current_setting('server_version_num')::integer / 10000, @extschema@.kg_manifest_text(d.definition)
  FROM (SELECT place, kind, on_table, name, definition FROM @extschema@.kg_definitions() UNION ALL SELECT place, kind, on_table, name, definition FROM @extschema@.kg_more_definitions()
        UNION ALL SELECT * FROM @extschema@.kg_table_settings()) d
 WHERE d.definition IS NOT NULL;
