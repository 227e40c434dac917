# Dump and restore with data present: every format, the same bytes afterwards.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main');
my $tmp = PostgreSQL::Test::Utils::tempdir;

# What an agent is told about each tenant, and what is stored.
my @questions = (
	[ 'alice', q{kg_export_bundle('iso-codes')} ],
	[ 'alice', q{kg_export_bundle('product')} ],
	[ 'bob', q{kg_export_bundle('product')} ],
	[ 'alice', q{kg_list('subdivision', '{"filters":{"country":"AF"},"sort":[{"field":"name","order":"desc"}],"limit":500}')} ],
	[ 'alice', q{kg_list('country', '{"search":"afganistan"}')} ],
	[ 'alice', q{kg_get('country', ARRAY['AF','XX','AL'])} ],
	[ 'bob', q{kg_list('known_issue', '{"filters":{"severity":"blocker"}}')} ],
	[ 'alice', q{kg_traverse('{"from":{"label":"subdivision","ids":["AF-BAL"]},"relationships":[{"type":"IN_COUNTRY"}]}')} ],
	[ 'alice', q{kg_list_tools()} ],
	[ 'alice', q{kg_limits()} ],
	[ 'alice', q{kg_refresh_views()} ],
	[ 'bob', q{(SELECT jsonb_agg(x ORDER BY id) FROM t_bob.known_issue x WHERE severity = 'blocker' OR reports > 90)} ],
	[ 'bob', q{(SELECT jsonb_object_agg(relname, obj_description(oid)) FROM pg_class WHERE relnamespace = 't_bob'::regnamespace)} ],
	[ 'alice', q{(SELECT jsonb_object_agg(quota, used) FROM (SELECT quota, sum(used) AS used FROM kg_quota GROUP BY quota) q)} ]);

sub answers
{
	my ($db, $set) = @_;
	my @answers;
	foreach my $question (@questions)
	{
		next if $question->[1] =~ /^(kg_\w+)/ && !has_function($node, $db, $1);
		my ($status, $out, $err) =
		  call_as($node, $db, $question->[0], "$set SELECT $question->[1]");
		is($status, 0, "$db: $question->[1]") or diag($err);
		push @answers, $out;
	}
	return @answers;
}

sub make_views
{
	my ($db) = @_;

	foreach my $role (qw(alice bob))
	{
		$node->safe_psql($db, "GRANT CREATE ON DATABASE $db TO $role");
		call_as($node, $db, $role, q{SELECT kg_create_views()});
	}
	return;
}

sub load
{
	my ($db, $set) = @_;
	new_tenant($node, $db, 'alice');
	new_tenant($node, $db, 'bob');
	apply($node, $db, 'alice', bundle_file('iso-codes', 300));
	apply($node, $db, 'alice', bundle_file('product'));
	apply($node, $db, 'bob', bundle_file('product'));
	call_as($node, $db, 'bob', q{SELECT kg_put_entities('known_issue', '[{"id": "none"}]', '{"idempotency_key": "once"}')});
	call_as($node, $db, 'alice',
		q{SELECT kg_set_limits('t_alice', '*', '{"max_rows": 400, "entities": 5000, "bytes": 10000000}'),
		  kg_set_limits('t_alice', 'role:alice', '{"max_call_time": "1 min", "concurrent_calls": null}')});
	$node->safe_psql($db, q{SELECT kg_set_limits('t_alice', '*', '{"edges": 20000}')});
	make_views($db);
	# Not only what an apply wrote: versions, gaps and explicit edges.
	call_as($node, $db, 'bob',
		q{UPDATE kg_entity SET data = data || '{"reports": 99}' WHERE entity_id = 'KI-104';
		  DELETE FROM kg_entity WHERE entity_id = 'KI-105';});
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', 'CREATE EXTENSION kg_graph');
load('source');

my @before = answers('source', '');
my $state = state_of($node, 'source');
like($before[0], qr/"AF-BAL"/, 'the answers of the source database have its data');

my %dump = (
	custom => [ '-Fc', '-f', "$tmp/custom" ],
	plain => [ '-Fp', '-f', "$tmp/plain" ],
	directory => [ '-Fd', '-j2', '-f', "$tmp/directory" ]);
my %restore = (
	custom => [ 'pg_restore', '--exit-on-error', "$tmp/custom" ],
	plain => [ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-f', "$tmp/plain" ],
	directory => [ 'pg_restore', '--exit-on-error', "$tmp/directory" ]);

foreach my $format (qw(custom plain directory))
{
	my $db = "restored_$format";
	command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port,
			@{ $dump{$format} }, 'source' ], "pg_dump, format $format");
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	my ($program, @arguments) = @{ $restore{$format} };
	command_ok([ $program, '-h', $node->host, '-p', $node->port, '-d', $db, @arguments ],
		"restore from $format");
	is_deeply([ answers($db, '') ], \@before, "$format: the restored database gives the same answers, byte for byte");
	is(state_of($node, $db), $state, "$format: all restored rows are the same, also derived ones");
}

# The restored database is alive: numbers go on, references are enforced.
my $db = 'restored_custom';
my ($status, $out, $err) = call_as($node, $db, 'bob',
	q{INSERT INTO kg_entity (bundle, entity_type, data)
	  VALUES ('product', 'release', '{"build":"b2000","number":"4.0.0","released":"2026-11-01","long_term":false}')
	  RETURNING entity_id});
is($out, 'b2000', 'an insert works after a restore') or diag($err);
($status, $out, $err) = call_as($node, $db, 'bob',
	q{DELETE FROM kg_entity WHERE entity_type = 'release' AND entity_id = 'b1003'});
isnt($status, 0, 'a referenced entity cannot be deleted after a restore');
like($err, qr/REFERENCE_MISSING/, 'the error of that deletion has the code REFERENCE_MISSING');
$out = apply($node, $db, 'alice', bundle_file('iso-codes', 300));
unlike($out, qr/"(created|updated|deleted)": *[1-9]/, 'applying the same bundle again changes nothing');

# Restores only the data, into a database that already has another tenant. pg_restore
# sets the sequences to their values in the dump, as it does for any table.
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '--data-only', '-Fc',
		'-f', "$tmp/data", 'source' ], 'pg_dump --data-only');
$node->safe_psql('postgres', 'CREATE DATABASE occupied');
$node->safe_psql('occupied', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'occupied', 'carol');
apply($node, 'occupied', 'carol', bundle_file('product'));
my $carol = export_of($node, 'occupied', 'carol', 'product');
$node->safe_psql('occupied', q{SELECT setval('kg_node_seq', 1000000)});
command_ok([ 'pg_restore', '--exit-on-error', '--single-transaction', '-h', $node->host,
		'-p', $node->port, '-d', 'occupied', "$tmp/data" ],
	'the data of a dump are restored beside those of another tenant');
# Privileges on tables are no data.
$node->safe_psql('occupied', q{SELECT kg_grant(tenant, role_name, access) FROM kg_tenant_role});
# Nor are views.
make_views('occupied');
is_deeply([ answers('occupied', '') ], \@before, 'data only: the restored tenants give the same answers');
is(export_of($node, 'occupied', 'carol', 'product'), $carol, 'data only: the tenant that was there before is unchanged');
$node->safe_psql('occupied', q{
	SELECT setval('kg_node_seq', (SELECT max(node) FROM kg_entity));
	SELECT setval('kg_type_seq', (SELECT max(type_no) FROM kg_entity_type));
	SELECT setval('kg_relation_seq', (SELECT max(relation_no) FROM kg_relation))});
foreach my $role (qw(alice bob carol))
{
	($status, $out, $err) = call_as($node, 'occupied', $role,
		q{INSERT INTO kg_entity (bundle, entity_type, data)
		  VALUES ('product', 'release', '{"build":"b2000","number":"4.0.0","released":"2026-11-01","long_term":false}')
		  RETURNING entity_id});
	is($out, 'b2000', "data only: $role can insert an entity after the restore") or diag($err);
}

# A dump with one statement for each row. A reference to a later row is checked at
# the end, as any deferrable constraint can be.
$node->safe_psql('postgres', 'CREATE DATABASE small');
$node->safe_psql('small', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'small', 'bob');
apply($node, 'small', 'bob', bundle_file('product'));
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '--inserts', '-f', "$tmp/inserts", 'small' ],
	'pg_dump --inserts');
$node->safe_psql('postgres', 'CREATE DATABASE inserted');
command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-d', 'inserted',
		'--single-transaction', '-c', 'SET CONSTRAINTS ALL DEFERRED', '-f', "$tmp/inserts" ],
	'a dump of INSERTs is restored with deferred constraints');
is(state_of($node, 'inserted'), state_of($node, 'small'), 'a dump of INSERTs: all restored rows are the same');

# A schema, with the extension in it or without, and a materialized view.
$node->safe_psql('small', q{GRANT CREATE ON SCHEMA public TO bob; SET ROLE bob;
	CREATE MATERIALIZED VIEW report AS SELECT count(*) FROM kg_entity});
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-Fc', '-n', 'public', '-e', 'kg_graph',
		'--exclude-table-data=report', '-f', "$tmp/public", 'small' ], 'pg_dump -n public -e kg_graph');
$node->safe_psql('postgres', 'CREATE DATABASE public_again');
$node->safe_psql('public_again', 'DROP SCHEMA public');
command_ok([ 'pg_restore', '--exit-on-error', '-h', $node->host, '-p', $node->port,
		'-d', 'public_again', "$tmp/public" ], 'a dump of a schema with the extension is restored');
is(state_of($node, 'public_again'), state_of($node, 'small'), 'a dump of a schema: all restored rows are the same');
my $report = q{GRANT USAGE ON SCHEMA public TO bob; SET ROLE bob; REFRESH MATERIALIZED VIEW report; SELECT * FROM report};
is($node->safe_psql('public_again', $report), $node->safe_psql('small', $report), 'a restored materialized view has the same rows after a refresh');
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-n', 'public', '-T', 'public.kg_*', '-f', "$tmp/ours", 'small' ],
	'pg_dump of a schema without the tables of kg_graph');
unlike(slurp_file("$tmp/ours"), qr/kg_entity_type/, 'a dump without the tables of kg_graph does not name them');

# pg_restore -j does not keep the order of tables: what comes before its tenant says so.
$node->safe_psql('postgres', 'CREATE DATABASE disordered');
$node->safe_psql('disordered', 'CREATE EXTENSION kg_graph');
$node->command_fails_like([ 'pg_restore', '--exit-on-error', '--data-only', '-t', 'kg_bundle', '-d', 'disordered', "$tmp/public" ],
	qr/tenant "t_bob" does not exist: .* loads its rows before the tenant.*pg_restore -j/s, 'rows that are restored before their tenant are refused, and the error names the cause');
command_ok([ 'pg_restore', '--exit-on-error', '-h', $node->host, '-p', $node->port, '--section=data', '-d', 'disordered', "$tmp/public" ], 'the rows are restored in the order of the dump');

# The same in a schema of its own, with no search_path to help.
$node->safe_psql('postgres', 'CREATE DATABASE source_kg');
$node->safe_psql('source_kg', 'CREATE SCHEMA kg; CREATE EXTENSION kg_graph SCHEMA kg;
	ALTER DATABASE source_kg SET search_path = kg, public;');
load('source_kg');
@before = answers('source_kg', '');
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-Fc', '-f', "$tmp/kg", 'source_kg' ],
	'pg_dump of an extension in another schema');
$node->safe_psql('postgres', 'CREATE DATABASE restored_kg');
command_ok([ 'pg_restore', '--exit-on-error', '-h', $node->host, '-p', $node->port,
		'-d', 'restored_kg', "$tmp/kg" ], 'a dump of an extension in another schema is restored');
is_deeply([ answers('restored_kg', 'SET search_path = kg, public;') ], \@before,
	'another schema: the restored database gives the same answers');

$node->stop;
done_testing();
