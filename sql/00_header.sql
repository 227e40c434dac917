\echo Use "CREATE EXTENSION kg_graph" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Keys are compared by bytes. Only in UTF-8 is this order the same as the order of
-- code points.
DO $$
BEGIN
  IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'kg_graph needs a database with encoding UTF8'
      USING ERRCODE = 'feature_not_supported',
            HINT = 'Create one with: CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0.';
  END IF;
END
$$;

