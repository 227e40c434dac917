-- kg_mark_moved(): callers of a tenant that has moved are told to try again.
\i test/data/prelude.sql
\set VERBOSITY default
CALL test.tenant('moved', 'regress_moved write', 'regress_both read');
CALL test.tenant('stays', 'regress_both read');
-- a frozen tenant, by the owner
SELECT kg_mark_moved('moved');
SELECT kg_mark_moved('none');
SELECT kg_freeze_tenant('moved');
SET ROLE regress_moved;
SELECT kg_mark_moved('moved');
SELECT kg_tenant();
RESET ROLE;
SELECT kg_mark_moved('moved');
SELECT name, roles FROM kg_moved_tenant;
-- its role, whatever it asks, and what is asked of the tenant
SET ROLE regress_moved;
SELECT kg_tenant();
SELECT kg_graph_schema();
SELECT kg_put_entities('thing', '[]');
SET kg_graph.tenant = 'moved';
SELECT kg_graph_schema();
SET kg_graph.tenant = 'stays';
SELECT kg_graph_schema();
RESET kg_graph.tenant;
RESET ROLE;
SELECT kg_grant('moved', 'regress_moved', 'read');
SELECT kg_mark_moved('moved');
SELECT kg_tenant_size('moved');
-- a role that has another one here: where it meant the one that moved
SET ROLE regress_both;
SELECT kg_tenant();
SET kg_graph.tenant = 'moved';
SELECT kg_graph_schema();
RESET kg_graph.tenant;
-- a role that never had it
RESET ROLE;
CREATE ROLE regress_nobody;
SET ROLE regress_nobody;
SELECT kg_graph_schema();
SET kg_graph.tenant = 'moved';
SELECT kg_graph_schema();
RESET kg_graph.tenant;
RESET ROLE;
-- when the rest is gone, too, and until a tenant gets the name
SELECT kg_drop_tenant('moved', 1000);
SET ROLE regress_moved;
SELECT kg_graph_schema();
RESET ROLE;
SELECT kg_create_tenant('moved');
SELECT name, roles FROM kg_moved_tenant;
SET ROLE regress_moved;
SELECT kg_graph_schema();
RESET ROLE;
DROP OWNED BY regress_nobody;
CALL test.drop('moved', 'stays');
DROP ROLE regress_nobody;
