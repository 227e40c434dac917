# A DBA's own policies after a restore: nobody sees more than before.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'wal_level = logical', 'max_wal_senders = 4', 'max_replication_slots = 4');
my $tmp = PostgreSQL::Test::Utils::tempdir;
my @at = ('-h', $node->host, '-p', $node->port);

sub seen
{
	my ($db, $role) = @_;
	my ($status, $out, $err) = call_as($node, $db, $role,
		q{SELECT count(*) FROM kg_entity; SELECT kg_list('note') ->> 'total'});
	return $status == 0 ? $out : $err;
}

sub new_database
{
	my ($db) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	return;
}

new_database('source');
$node->safe_psql('source', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'source', 'ada', 'write');
$node->safe_psql('source', q{
	CREATE ROLE ben LOGIN; SELECT kg_grant('t_ada', 'ben', 'read');
	CREATE TABLE public.hidden (id text PRIMARY KEY); INSERT INTO public.hidden VALUES ('secret'); GRANT SELECT ON public.hidden TO PUBLIC;
	CREATE FUNCTION public.is_open(id text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
	  AS 'SELECT NOT EXISTS (SELECT FROM public.hidden h WHERE h.id = $1)';
	SELECT kg_add_policy('hide', 'kg_entity', 'public.is_open(entity_id)', command => 'SELECT', roles => '{ben}');
	CREATE INDEX by_time ON kg_entity (tenant, updated_at)});
call_as($node, 'source', 'ada', q{SELECT kg_apply_bundle('{"bundle_name": "notes", "version": "1", "schemas": [{"entity_type": "note",
	"schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}], "entities": [{"entity_type": "note", "items": [{"id": "open"}, {"id": "secret"}]}]}')});
is(seen('source', 'ada'), "2\n2", 'a role that the policy does not name sees all rows');
is(seen('source', 'ben'), "1\n1", 'a role that the policy names sees only the rows that it permits');

my %how = (
	custom => [ [ '-Fc' ], [ [ 'pg_restore', '--exit-on-error' ] ] ],
	plain => [ [ '-Fp' ], undef ],
	directory => [ [ '-Fd' ], [ [ 'pg_restore', '--exit-on-error' ] ] ],
	parallel => [ [ '-Fd', '-j2' ], [ map { [ 'pg_restore', '--exit-on-error', "--section=$_", $_ eq 'post-data' ? '-j2' : () ] } qw(pre-data data post-data) ] ]);
foreach my $name (sort keys %how)
{
	my ($dump, $restore) = @{ $how{$name} };
	command_ok([ 'pg_dump', @at, @$dump, '-f', "$tmp/$name", 'source' ], "$name: dump");
	new_database($name);
	if ($restore)
	{
		command_ok([ @$_, @at, '-d', $name, "$tmp/$name" ], "$name: restore") foreach @$restore;
	}
	else
	{
		command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', @at, '-d', $name, '-f', "$tmp/$name" ], "$name: restore");
	}
	is(seen($name, 'ada'), "2\n2", "$name: a role that the policy does not name sees all rows after the restore");
	is(seen($name, 'ben'), "1\n1", "$name: a role that the policy names sees the same rows after the restore");
	is($node->safe_psql($name, q{SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), '0', "$name: kg_check lists no differences after the restore");
	$node->safe_psql($name, $node->safe_psql('source', 'SELECT kg_dump_customizations()'));
	is($node->safe_psql($name, q{SELECT count(*) FROM pg_indexes WHERE indexname = 'by_time'}), '1', "$name: the statements of kg_dump_customizations() make the DBA's index");
}

# A policy that cannot be made, because what it asks is not there: closed.
new_database('broken');
$node->safe_psql('broken', 'CREATE EXTENSION kg_graph');
my ($out, $err) = ('', '');
IPC::Run::run([ 'pg_restore', @at, '--data-only', '-d', 'broken', "$tmp/custom" ], '>', \$out, '2>', \$err);
like($err . $node->safe_psql('broken', q{SELECT message FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), qr/is_open/, 'an error or kg_check names the function that a restored policy lacks');
like(seen('broken', 'ben'), qr/FORBIDDEN|permission denied/, 'a role that the broken policy names sees no rows');
$node->safe_psql('broken', q{SELECT kg_grant(tenant, role_name, access) FROM kg_tenant_role});
like(seen('broken', 'ben'), qr/registered policy "hide" for role "ben" is missing, altered or disabled/, 'a role that the broken policy names gets an error even with a grant');
is(seen('broken', 'ada'), "2\n2", 'a role that the broken policy does not name sees all rows');

# A role with BYPASSRLS that owns nothing restores as well, into an extension that is there.
$node->safe_psql('postgres', 'CREATE ROLE restorer LOGIN BYPASSRLS');
new_database('by_restorer');
$node->safe_psql('by_restorer', q{CREATE EXTENSION kg_graph; CREATE TABLE public.hidden (id text PRIMARY KEY); GRANT ALL ON public.hidden TO PUBLIC;
	CREATE FUNCTION public.is_open(id text) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
	  AS 'SELECT NOT EXISTS (SELECT FROM public.hidden h WHERE h.id = $1)';
	GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO restorer; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO restorer});
IPC::Run::run([ 'pg_restore', @at, '-U', 'restorer', '--data-only', '-d', 'by_restorer', "$tmp/custom" ], '>', \$out, '2>', \$err);
$node->safe_psql('by_restorer', q{SELECT kg_grant(tenant, role_name, access) FROM kg_tenant_role});
unlike(seen('by_restorer', 'ben'), qr/^2/, 'a restore by a role with BYPASSRLS shows no hidden rows');
$node->safe_psql('by_restorer', q{SELECT kg_add_policy(policy, on_table, using_expr, check_expr, command, roles) FROM kg_policy});
is(seen('by_restorer', 'ben'), "1\n1", 'kg_add_policy() makes the policy from its restored row') or diag($err);

# A copy by TEMPLATE has its policies, and cursors of its own.
my ($status, $cursor) = call_as($node, 'source', 'ada', q{SELECT kg_list('note', '{"limit": 1}') #>> '{next,cursor}'});
$node->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE source');
is(seen('copied', 'ben'), "1\n1", 'a copy by TEMPLATE hides the same rows');
($status, $out, $err) = call_as($node, 'copied', 'ada', qq{SELECT kg_list('note', '{"limit": 1, "cursor": "$cursor"}')});
like($err, qr/cursor does not belong/, 'a copy by TEMPLATE refuses a cursor of the other database');

# Logical replication into our tables is refused, by name.
$node->safe_psql('source', 'CREATE PUBLICATION all_of_it FOR TABLE kg_tenant; SELECT pg_create_logical_replication_slot(\'to_it\', \'pgoutput\')');
new_database('subscriber');
$node->safe_psql('subscriber', 'CREATE EXTENSION kg_graph');
$node->safe_psql('subscriber', sprintf(
	q{CREATE SUBSCRIPTION s CONNECTION 'host=%s port=%s dbname=source' PUBLICATION all_of_it WITH (create_slot = false, slot_name = 'to_it')}, $node->host, $node->port));
ok(wait_until(sub { slurp_file($node->logfile) =~ /table "kg_tenant" of kg_graph cannot be a target of logical replication/ }), 'logical replication into a table of kg_graph is refused, and the log names the table');
is($node->safe_psql('subscriber', 'SELECT count(*) FROM kg_tenant'), '0', 'logical replication writes no rows into a table of kg_graph');
$node->safe_psql('subscriber', 'ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s');

$node->stop;
done_testing();
