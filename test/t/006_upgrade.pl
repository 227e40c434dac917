# Updates every released version to the current one. The result must be the same as a
# fresh installation, in its catalog and in its replies. The current version must
# also read a dump and an export that the released version made.
#
# An update path is a script sql/kg_graph--A--B.sql. The released versions are those
# whose install script is in sql/released/. scripts/freeze stored their dumps and
# exports in test/t/released/: VERSION.dump, VERSION.export.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $kept = "$FindBin::Bin/released";
my @from = map { m{kg_graph--([0-9.]+)\.sql$} ? $1 : () } glob root() . '/sql/released/kg_graph--*.sql';
my $present = slurp_file(root() . '/kg_graph.control') =~ /default_version = '([^']+)'/ ? $1 : '';
# What was kept with a released version is as old as it is.
my $node = new_node('main', 'fsync = off', "kg_graph.idempotency_time = '20000d'", "kg_graph.load_time = '20000d'");

my $catalog = members('kg_graph');
# What is told to be ours (sql/48_policies.sql).
my $manifest = q{SELECT on_table, kind, name, major, definition FROM kg_manifest ORDER BY 1, 2, 3};

sub database
{
	my ($db, @sql) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, $_) foreach @sql;
	return $db;
}

sub run_file
{
	my ($db, $file) = @_;
	my ($out, $err) = ('', '');
	my $status = $node->psql($db, slurp_file($file), stdout => \$out, stderr => \$err);
	die "$file in $db: $err" if $status != 0;
	return $out;
}

database('fresh', 'CREATE EXTENSION kg_graph');
my $fresh = $node->safe_psql('fresh', $catalog);
my $fresh_manifest = $node->safe_psql('fresh', $manifest);
run_file('fresh', "$kept/fill.sql");
my $answers = run_file('fresh', "$kept/answers.sql");
like($answers, qr/"brand:north".*true\|\[\]$/s, 'a fresh installation gives all answers');
like(slurp_file(root() . '/META.json'), qr/"version": "\Q$present\E",\n   "maintainer"/, 'META.json has the version of the control file');

# What a script forgets is found: each change of one thing is a difference.
foreach my $change (
	"ALTER FUNCTION kg_pack() VOLATILE PARALLEL SAFE",
	"GRANT EXECUTE ON FUNCTION kg_drop_tenant(text) TO PUBLIC",
	"COMMENT ON FUNCTION kg_pack() IS 'other'",
	"ALTER FUNCTION kg_export_tenant(text, jsonb) RESET ALL",
	"ALTER TABLE kg_entity ADD COLUMN more text",
	"ALTER TABLE kg_bundle ALTER version DROP NOT NULL",
	"ALTER TABLE kg_bundle ALTER revision SET DEFAULT 2",
	"ALTER TABLE kg_adjacency ALTER outgoing SET STORAGE MAIN",
	"COMMENT ON TABLE kg_entity IS NULL",
	"COMMENT ON COLUMN kg_entity_type.type_no IS NULL",
	"ALTER TABLE kg_entity RESET (autovacuum_vacuum_scale_factor)",
	"ALTER TABLE kg_entity NO FORCE ROW LEVEL SECURITY",
	"GRANT SELECT ON kg_secret TO PUBLIC",
	"DROP INDEX kg_term_node_idx",
	"ALTER TABLE kg_tenant DROP CONSTRAINT kg_tenant_tenant_check",
	"ALTER POLICY kg_entity_select ON kg_entity USING (true)",
	"ALTER TABLE kg_entity DISABLE TRIGGER kg_entity_before",
	"ALTER TABLE kg_entity ENABLE TRIGGER kg_entity_before",
	"DROP TRIGGER kg_hold_tenant ON kg_load",
	"ALTER SEQUENCE kg_node_seq CACHE 1",
	"ALTER EXTENSION kg_graph DROP FUNCTION kg_pack()",
	"UPDATE pg_extension SET extcondition[1] = 'WHERE false' WHERE extname = 'kg_graph'")
{
	my $now = $node->safe_psql('fresh', "BEGIN; SET LOCAL client_min_messages = error; $change; $catalog; ROLLBACK");
	isnt($now, $fresh, "the comparison of catalogs finds: $change");
}

foreach my $version (@from)
{
	(my $db = "from_$version") =~ tr/./_/;

	# What a DBA made beside it stays the DBA's own.
	my $own = q{SELECT kg_add_policy('own', 'kg_edge', 'true'); CREATE INDEX own_idx ON kg_entity (tenant, updated_at); ALTER TABLE kg_term SET (fillfactor = 90);
		ALTER TABLE kg_entity REPLICA IDENTITY USING INDEX kg_entity_node_idx;
		CREATE TABLE own_note (tenant text COLLATE "C", node bigint, CONSTRAINT own_of FOREIGN KEY (tenant, node) REFERENCES kg_entity (tenant, node) ON DELETE SET NULL DEFERRABLE);
		INSERT INTO own_note SELECT tenant, node FROM kg_entity;
		COMMENT ON CONSTRAINT own_of ON own_note IS 'own';
		CREATE TABLE own_late (LIKE own_note, CONSTRAINT own_late_of FOREIGN KEY (tenant, node) REFERENCES kg_entity (tenant, node));
		INSERT INTO own_late VALUES (NULL, 1);
		ALTER TABLE own_late DISABLE TRIGGER ALL;
		INSERT INTO own_late VALUES ('nobody', 1);
		CREATE TABLE own_parts (LIKE own_note, CONSTRAINT own_part_of FOREIGN KEY (tenant, node) REFERENCES kg_entity (tenant, node)) PARTITION BY LIST (tenant);
		CREATE TABLE own_part PARTITION OF own_parts DEFAULT;
		INSERT INTO own_parts SELECT tenant, node FROM kg_entity};
	my $references = q{SELECT c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid), c.convalidated, obj_description(c.oid, 'pg_constraint'), string_agg(t.tgrelid::regclass || ' ' || t.tgfoid::regproc || ' ' || t.tgenabled::text, ', ' ORDER BY t.tgrelid::regclass::text, t.tgfoid)
		FROM pg_constraint c JOIN pg_trigger t ON t.tgconstraint = c.oid WHERE c.confrelid = 'kg_entity'::regclass GROUP BY c.oid ORDER BY c.conrelid::regclass::text};
	database($db, "CREATE EXTENSION kg_graph VERSION '$version'");
	run_file($db, "$kept/fill.sql");
	is(differences(run_file($db, "$kept/answers.sql"), $answers), '', "$version: the present library gives the same answers before ALTER EXTENSION");
	my $state = state_of($node, $db);
	$node->safe_psql($db, $own);
	my $customized = $node->safe_psql($db, 'SELECT kg_dump_customizations()');
	my $referring = $node->safe_psql($db, $references);
	$node->safe_psql($db, 'ALTER EXTENSION kg_graph UPDATE');
	is($node->safe_psql($db, q{SELECT extversion FROM pg_extension WHERE extname = 'kg_graph'}), $present, "$version: ALTER EXTENSION updates it to $present");
	is($node->safe_psql($db, 'SELECT kg_dump_customizations()'), $customized, "$version: kg_dump_customizations() returns the same after the update");
	is($node->safe_psql($db, $references), $referring, "$version: foreign keys of other tables that refer to kg_entity are unchanged");
	is(state_of($node, $db), $state, "$version: the stored rows are unchanged");
	$node->safe_psql($db, q{SELECT kg_drop_policy('own'); DROP INDEX own_idx; ALTER TABLE kg_term RESET (fillfactor);
		ALTER TABLE kg_entity REPLICA IDENTITY DEFAULT; DROP TABLE own_note, own_late, own_parts});
	is(differences(run_file($db, "$kept/answers.sql"), $answers), '', "$version: the updated database gives the same answers as a fresh one");

	# The owner of the extension is no superuser any more, so another role updates it.
	my $owned = "owned_$db";
	my $owners = q{SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') FROM pg_extension e
		JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
		LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
		WHERE e.extname = 'kg_graph' AND coalesce(c.relowner, p.proowner) <> e.extowner};
	my $index = q{SELECT x.reloptions, s.spcname, i.indisclustered, obj_description(x.oid, 'pg_class') FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
		JOIN pg_tablespace s ON s.oid = x.reltablespace WHERE x.relname = 'kg_entity_node_idx'};
	my $wrong = q{SELECT d ->> 'object' FROM jsonb_array_elements(kg_check() -> 'differences') d ORDER BY 1};
	database($owned, 'CREATE ROLE released_owner SUPERUSER', "SET ROLE released_owner; CREATE EXTENSION kg_graph VERSION '$version'");
	run_file($owned, "$kept/fill.sql");
	$node->safe_psql($owned, q{ALTER ROLE released_owner NOSUPERUSER; SET allow_in_place_tablespaces = on; CREATE TABLESPACE own LOCATION ''});
	$node->safe_psql($owned, q{SELECT kg_import_tenant(ARRAY(SELECT kg_export_tenant('second')), '{"name": "leaving"}'), kg_set_limits('leaving', '*', '{"entities": 1000}')});
	is($node->safe_psql($owned, q{SELECT kg_drop_tenant('leaving', 10)}), 'f', "$version: the dropping of a tenant has begun");
	# Of names that are gone 0.1.0 kept the pieces.
	$node->safe_psql($owned, q{INSERT INTO kg_trigram(tenant, trigram, term) VALUES ('first', ':4:1:gon', 'gone')});
	$node->safe_psql($owned, q{ALTER INDEX kg_entity_node_idx SET (fillfactor = 70); ALTER INDEX kg_entity_node_idx SET TABLESPACE own; ALTER TABLE kg_entity CLUSTER ON kg_entity_node_idx;
		COMMENT ON INDEX kg_entity_node_idx IS 'own'; ALTER TABLE kg_freed ADD own integer; ALTER POLICY kg_entity_delete ON kg_entity TO released_admin; ALTER POLICY kg_tool_select ON kg_tool TO released_admin});
	my $chosen = $node->safe_psql($owned, $index);
	$node->safe_psql($owned, 'ALTER EXTENSION kg_graph UPDATE');
	is($node->safe_psql($owned, $owners), '', "$version: objects that the update made belong to the owner of the extension");
	is($node->safe_psql($owned, $index), $chosen, "$version: an index that the update made again has the settings of the DBA");
	is($node->safe_psql($owned, $wrong), join("\n", 'ALTER INDEX public.kg_entity_node_idx SET TABLESPACE own;', q{COMMENT ON INDEX public.kg_entity_node_idx IS 'own';}, 'column own of kg_freed',
		'index kg_entity_node_idx of kg_entity', 'policy kg_entity_delete of kg_entity', 'policy kg_tool_select of kg_tool'), "$version: kg_check() reports the changes of a DBA also after the update");
	$node->safe_psql($owned, q{ALTER INDEX kg_entity_node_idx RESET (fillfactor); ALTER INDEX kg_entity_node_idx SET TABLESPACE pg_default; ALTER TABLE kg_entity SET WITHOUT CLUSTER;
		SELECT kg_drop_tenant('leaving'); COMMENT ON INDEX kg_entity_node_idx IS NULL; ALTER TABLE kg_freed DROP own; ALTER POLICY kg_entity_delete ON kg_entity TO PUBLIC; ALTER POLICY kg_tool_select ON kg_tool TO PUBLIC});
	is(differences(run_file($owned, "$kept/answers.sql"), $answers), '', "$version: the updated database of another owner gives the same answers");
	my $since = $node->safe_psql($owned, q{SET ROLE released_admin; SELECT kg_changes() ->> 'position'});
	$node->safe_psql($owned, q{SET ROLE released_admin; SELECT kg_put_entities('brand', '[{"id": "late"}]')});
	my $late = sub { $node->safe_psql($owned, "SET ROLE released_admin; SELECT jsonb_path_query_array(kg_changes('$since'), '\$.changes[*].id')") eq '["late"]' };
	ok(wait_until($late), "$version: kg_changes() returns changes after the update");

	# Without data, too, and in another schema: the catalog.
	foreach my $schema ('public', 'Kg s')
	{
		my $in = qq{CREATE SCHEMA IF NOT EXISTS "$schema"; CREATE EXTENSION kg_graph SCHEMA "$schema"};
		my $path = qq{SET search_path = "$schema"};
		my ($wanted, $wanted_manifest) = ($fresh, $fresh_manifest);
		my $name = 'empty_' . $db . ($schema eq 'public' ? '' : '_elsewhere');
		database($name, "$in VERSION '$version'; ALTER EXTENSION kg_graph UPDATE");
		if ($schema ne 'public')
		{
			database("fresh_$db", $in);
			$wanted = $node->safe_psql("fresh_$db", $catalog);
			$wanted_manifest = $node->safe_psql("fresh_$db", "$path; $manifest");
		}
		is(differences($node->safe_psql($name, $catalog), $wanted), '', "$version: the updated catalog in schema $schema is that of a fresh installation");
		is(differences($node->safe_psql($name, "$path; $manifest"), $wanted_manifest), '', "$version: the updated manifest in schema $schema is that of a fresh installation");
	}

	# What was made with it.
	database("dump_$db");
	run_file("dump_$db", "$kept/$version.dump");
	is(differences(run_file("dump_$db", "$kept/answers.sql"), $answers), '', "$version: its restored dump gives the same answers as a fresh installation");
	database("export_$db", 'CREATE EXTENSION kg_graph',
		q{SELECT kg_add_policy('released_secret', 'kg_entity', 'entity_id <> ''secret''', roles => ARRAY['released_reader'])});
	foreach my $tenant (qw(first second frozen))
	{
		my $lines = join ', ', map { "\$line\$$_\$line\$" } split /\n/, slurp_file("$kept/$version.$tenant.export");
		my $options = $tenant eq 'frozen' ? '{"frozen": true}' : '{}';
		$node->safe_psql("export_$db", "SELECT kg_import_tenant(ARRAY[$lines], '$options')");
	}
	is(differences(run_file("export_$db", "$kept/answers.sql"), $answers), '', "$version: its imported export gives the same answers as a fresh installation");
}

$node->stop;
done_testing();
