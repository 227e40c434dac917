-- examples/issue-tracker, as a reader runs it.
\getenv srcdir PG_ABS_SRCDIR
\set file :srcdir '/../examples/issue-tracker/tools.sql'
\pset format unaligned
\pset tuples_only on
\i :file
SELECT kg_drop_tenant('tracker');
DROP ROLE tracker_admin;
