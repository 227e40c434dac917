\echo Use "CREATE EXTENSION kg_graph" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Keys compare by byte, and by code point only in UTF-8 are the two the same.
DO $$
BEGIN
  IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'kg_graph needs a database with encoding UTF8'
      USING ERRCODE = 'feature_not_supported',
            HINT = 'Create one with: CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0.';
  END IF;
END
$$;

