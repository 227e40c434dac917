# A DBA makes objects of every kind on the extension's tables. After a dump, a
# restore and kg_dump_customizations(), all must be there again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'wal_level = logical');
my $tmp = PostgreSQL::Test::Utils::tempdir;
my @at = ('-h', $node->host, '-p', $node->port);
my $space = PostgreSQL::Test::Utils::tempdir;
$node->safe_psql('postgres', "CREATE TABLESPACE elsewhere LOCATION '$space'");
$node->safe_psql('postgres', 'CREATE ROLE cust_role');

sub new_database
{
	my ($db) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	return;
}

# What hangs on our tables and on those that refer to them, a line each.
my @kinds = (
	indexes => q{SELECT pg_get_indexdef(i.indexrelid), i.indisclustered, i.indisreplident, i.indisvalid, obj_description(i.indexrelid, 'pg_class'), x.reltablespace <> 0,
		(SELECT string_agg(attname || ' ' || attstattarget, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = i.indexrelid AND attstattarget >= 0)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid WHERE c.relname ~ '^(kg_|mine|kinds)' ORDER BY x.relname COLLATE "C"},
	constraints => q{SELECT c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid), c.convalidated, obj_description(c.oid, 'pg_constraint') FROM pg_constraint c
		JOIN pg_class t ON t.oid = c.conrelid WHERE t.relname ~ '^(kg_|mine|kinds)' AND c.contype <> 't' ORDER BY t.relname COLLATE "C", c.conname COLLATE "C"},
	policies => q{SELECT polrelid::regclass, polname, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid), polcmd, polpermissive, polroles, obj_description(oid, 'pg_policy') FROM pg_policy ORDER BY polrelid::regclass::text, polname},
	triggers => q{SELECT pg_get_triggerdef(oid), tgenabled, obj_description(oid, 'pg_trigger') FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1},
	tables => q{SELECT c.oid::regclass, c.relacl, (SELECT array_agg(o ORDER BY o) FROM unnest(c.reloptions) o), c.relreplident, t.reloptions, c.relpersistence FROM pg_class c LEFT JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.relname ~ '^kg_' AND c.relkind = 'r' ORDER BY c.relname},
	columns => q{SELECT a.attrelid::regclass, a.attname, a.attacl, a.attstattarget, (SELECT array_agg(o) FROM unnest(a.attoptions) o WHERE o ~ '^n_'), a.attstorage, a.attcompression FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relname ~ '^kg_' AND c.relkind = 'r' AND a.attnum > 0 ORDER BY c.relname, a.attname},
	statistics => q{SELECT pg_get_statisticsobjdef(oid), stxstattarget, obj_description(oid, 'pg_statistic_ext') FROM pg_statistic_ext ORDER BY 1},
	rules => q{SELECT pg_get_ruledef(oid), ev_enabled, obj_description(oid, 'pg_rewrite') FROM pg_rewrite WHERE ev_class::regclass::text ~ '^kg_' ORDER BY 1},
	publications => q{SELECT pubname, tablename, attnames, rowfilter FROM pg_publication_tables ORDER BY pubname, tablename});
my %kinds = @kinds;

sub state
{
	my ($db) = @_;
	return { map { $_ => $node->safe_psql($db, $kinds{$_}) } keys %kinds };
}

new_database('source');
$node->safe_psql('source', 'CREATE EXTENSION kg_graph');
my $plain = state('source');
new_tenant($node, 'source', 'ada', 'write');
call_as($node, 'source', 'ada', q{SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note",
	"schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "next": {"type": "string", "x-ref": "note"}}}}], "entities": [{"entity_type": "note", "items": [{"id": "a", "next": "b"}, {"id": "b"}]}]}')});
my $own = q{
	CREATE FUNCTION public.fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE INDEX c_expression ON kg_entity (lower(entity_id) COLLATE "C" text_pattern_ops DESC NULLS LAST) INCLUDE (node) WITH (fillfactor = 70) WHERE version > 1;
	CREATE INDEX c_gin ON kg_entity USING gin (data jsonb_path_ops) WITH (fastupdate = off);
	CREATE INDEX c_expression2 ON kg_entity ((data ->> 'a'), (data ->> 'b'));
	ALTER INDEX c_expression2 ALTER COLUMN 1 SET STATISTICS 700;
	CREATE UNIQUE INDEX c_identity ON kg_entity (node) ;
	COMMENT ON INDEX c_gin IS 'mine';
	COMMENT ON INDEX kg_edge_target_idx IS 'mine of theirs';
	CREATE POLICY c_policy ON kg_entity AS RESTRICTIVE FOR UPDATE TO cust_role USING (entity_id <> 'x') WITH CHECK (version > 0);
	COMMENT ON POLICY c_policy ON kg_entity IS 'mine';
	CREATE TRIGGER c_trigger AFTER UPDATE OF data ON kg_entity FOR EACH ROW WHEN (new.version > 1) EXECUTE FUNCTION public.fired();
	COMMENT ON TRIGGER c_trigger ON kg_entity IS 'mine';
	CREATE CONSTRAINT TRIGGER c_constraint_trigger AFTER INSERT ON kg_edge DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.fired();
	CREATE TRIGGER c_disabled BEFORE INSERT ON kg_edge FOR EACH STATEMENT EXECUTE FUNCTION public.fired();
	ALTER TABLE kg_edge DISABLE TRIGGER c_disabled;
	ALTER TABLE kg_edge DISABLE TRIGGER c_constraint_trigger;
	GRANT SELECT (tenant, entity_id) ON kg_entity TO cust_role;
	GRANT INSERT ON kg_history TO cust_role;
	ALTER TABLE kg_entity ALTER entity_id SET STATISTICS 500, ALTER data SET (n_distinct = -0.5);
	ALTER TABLE kg_entity SET (fillfactor = 90, autovacuum_enabled = false, toast.autovacuum_enabled = off, parallel_workers = 2);
	ALTER TABLE kg_term ALTER term SET STORAGE MAIN;
	ALTER TABLE kg_entity REPLICA IDENTITY USING INDEX c_identity;
	ALTER TABLE kg_edge REPLICA IDENTITY FULL;
	ALTER TABLE kg_entity CLUSTER ON c_identity;
	ALTER TABLE kg_edge CLUSTER ON kg_edge_target_idx;
	CREATE PUBLICATION c_publication FOR TABLE kg_entity (tenant, entity_id, node) WHERE (node > 1), kg_edge;
	CREATE PUBLICATION c_all FOR TABLES IN SCHEMA public;
	ALTER TABLE kg_edge ADD CONSTRAINT c_check CHECK (source > 0) NOT VALID;
	ALTER TABLE kg_entity ADD CONSTRAINT c_check CHECK (version > 0) NO INHERIT, ADD CONSTRAINT c_unique UNIQUE NULLS NOT DISTINCT (tenant, type_no, entity_id) WITH (fillfactor = 80) DEFERRABLE INITIALLY DEFERRED;
	COMMENT ON CONSTRAINT c_check ON kg_edge IS 'mine';
	ALTER TABLE kg_entity ADD CONSTRAINT c_exclude EXCLUDE USING btree (node WITH =) WHERE (version > 5);
	CREATE TABLE public.mine (tenant text COLLATE "C", node bigint, CONSTRAINT c_of FOREIGN KEY (tenant, node) REFERENCES kg_entity (tenant, node) ON DELETE SET NULL DEFERRABLE);
	CREATE TABLE public.mine2 (node bigint, CONSTRAINT c_of2 FOREIGN KEY (node) REFERENCES kg_entity (node));
	CREATE TABLE public.kinds (name text COLLATE "C" PRIMARY KEY);
	INSERT INTO kinds SELECT DISTINCT relation FROM kg_relation;
	ALTER TABLE kg_relation ADD CONSTRAINT c_kind FOREIGN KEY (relation) REFERENCES public.kinds (name) ON UPDATE CASCADE;
	CREATE STATISTICS public.c_statistics (dependencies, ndistinct) ON tenant, type_no FROM kg_entity;
	ALTER STATISTICS public.c_statistics SET STATISTICS 300;
	COMMENT ON STATISTICS public.c_statistics IS 'mine';
	CREATE RULE c_rule AS ON DELETE TO kg_limit WHERE old.subject = 'x' DO INSTEAD NOTHING;
	COMMENT ON RULE c_rule ON kg_limit IS 'mine';
	ALTER INDEX c_gin SET TABLESPACE elsewhere;
	ALTER TABLE kg_limit ENABLE ALWAYS RULE c_rule;
	INSERT INTO public.mine SELECT tenant, node FROM kg_entity;
};
$node->safe_psql('source', $own);
my $made = state('source');
isnt($made->{$_}, $plain->{$_}, "$_: the DBA made changes") foreach sort keys %kinds;
my $statements = $node->safe_psql('source', 'SELECT kg_dump_customizations()');

command_ok([ 'pg_dump', @at, '-Fc', '-f', "$tmp/dump", 'source' ], 'dump');
new_database('copy');
# A foreign key that goes by an index of the DBA's has none yet.
my ($out, $err) = ('', '');
IPC::Run::run([ 'pg_restore', @at, '-d', 'copy', "$tmp/dump" ], '>', \$out, '2>', \$err);
my @failed = $err =~ /could not execute query: ERROR: +(.*)/g;
is(join("\n", @failed), 'there is no unique constraint matching given keys for referenced table "kg_entity"', 'the restore fails only for a foreign key that needs an index of the DBA');
$node->safe_psql('copy', $statements);
my $restored = state('copy');
is(differences($restored->{$_}, $made->{$_}), '', "$_: kg_dump_customizations() makes the changes again") foreach sort keys %kinds;
is($node->safe_psql('copy', 'SELECT kg_dump_customizations()'), $statements, 'kg_dump_customizations() returns the same statements in the copy');
is($node->safe_psql('copy', q{SELECT kg_health() ->> 'status'}), $node->safe_psql('source', q{SELECT kg_health() ->> 'status'}), 'kg_health() returns the same status in the copy');

# Without the DBA's there is nothing to tell.
new_database('clean');
$node->safe_psql('clean', 'CREATE EXTENSION kg_graph');
is($node->safe_psql('clean', 'SELECT kg_dump_customizations()'), '', 'kg_dump_customizations() returns nothing for a fresh installation');

# Where CREATE EXTENSION puts our tables is no difference.
new_database('spaced');
$node->safe_psql('spaced', "SET default_tablespace = 'elsewhere'; CREATE EXTENSION kg_graph");
is($node->safe_psql('spaced', q{SELECT kg_check() -> 'differences', kg_health() ->> 'status', count(s) FROM kg_dump_customizations() s}),
	'[]|healthy|0', 'kg_check() reports no difference for a default tablespace');

$node->stop;
done_testing();
