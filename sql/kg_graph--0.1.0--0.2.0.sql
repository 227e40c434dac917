\echo Use "ALTER EXTENSION kg_graph UPDATE TO '0.2.0'" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;
