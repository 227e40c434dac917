# Records of calls that cannot be rows of the table: of calls that fail or are rolled
# back, in a read-only transaction, with a locked table, and on a standby. Also a
# dump of the table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$primary->append_conf('postgresql.conf', "kg_graph.audit = 'all'\nkg_graph.audit_to = 'table'\nkg_graph.audit_arguments = 'full'");
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION kg_graph');
new_tenant($primary, 'postgres', 'admin');
$primary->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION kg_login(text, boolean) TO admin');

sub as_admin
{
	my ($node, $sql) = @_;
	my ($status, $out, $err) = call_as($node, 'postgres', 'admin', $sql);
	return $status == 0 ? $out : $err;
}

# What the log has had of records since; each is one line of JSON.
my %seen;

sub logged
{
	my ($node) = @_;
	my $log = slurp_file($node->logfile, $seen{ $node->name } // 0);
	$seen{ $node->name } = -s $node->logfile;
	return map { /LOG:  kg_graph audit: (\{.*\})$/ ? $1 : () } split /\n/, $log;
}

sub has
{
	my ($node, $what, @wanted) = @_;
	my @lines = logged($node);
	my $told = join("\n", @lines);
	is(scalar @lines, scalar @wanted, "$what: " . @wanted . ' records in the log') or diag($told);
	like($lines[$_] // '', $wanted[$_], "$what: record $_ is as expected") foreach 0 .. $#wanted;
	return @lines;
}

as_admin($primary, q{SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}}}}],
	"entities": [{"entity_type": "thing", "items": [{"id": "a"}]}]}')});
logged($primary);
is($primary->safe_psql('postgres', q{SELECT string_agg(tool, ' ' ORDER BY id) FROM kg_audit WHERE tenant <> ''}), 'kg_apply_bundle', 'kg_audit has a row of the call, and the log has no record');
as_admin($primary, q{SELECT kg_get('none', 'a')});
my ($line) = has($primary, 'an error', qr/"role": "admin".*"tool": "kg_get".*"code": "UNKNOWN_TYPE"/);
is($primary->safe_psql('postgres', "SELECT '$line'::jsonb - '{at,session,ms,version,tenant}'::text[]"),
	'{"code": "UNKNOWN_TYPE", "role": "admin", "rows": 0, "tool": "kg_get", "bytes": 0, "edges": 0, "arguments": {"id": "a", "entity_type": "none"}, "decisions": 0}', 'the record in the log is JSON');
as_admin($primary, "SELECT kg_get('thing', E'\\n\"\\\\x')");
is(scalar logged($primary), 0, 'a call that succeeds is not recorded in the log');
as_admin($primary, "SELECT kg_get(E'\\n\"\\\\x', 'a')");
has($primary, 'a name with a line break', qr/\\n\\"/);
as_admin($primary, q{BEGIN READ ONLY; SELECT kg_get('thing', 'a'); COMMIT});
has($primary, 'a read-only transaction', qr/"tool": "kg_get"/);
as_admin($primary, q{SET statement_timeout = 1; SELECT kg_mcp('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]') FROM generate_series(1, 1000000)});
my @last = logged($primary);
ok(@last <= 1, 'a cancelled call leaves at most its own record in the log');
as_admin($primary, q{SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', 'a.b.c')});
($line) = has($primary, 'a token that is not accepted', qr/"tool": "kg_mcp".*"code": "NO_TENANT"/);
unlike($line, qr/a\.b\.c/, 'the record of a call does not have the token');

# A locked table makes nobody wait.
my $locks = $primary->background_psql('postgres');
$locks->query_safe('BEGIN; LOCK TABLE kg_audit');
is(as_admin($primary, q{SELECT kg_get('thing', 'a') ->> 'id'}), 'a', 'a call succeeds while kg_audit is locked');
has($primary, 'a locked table', qr/"tool": "kg_get"/);
$locks->query_safe('ROLLBACK');
$locks->quit;

# To the log, whatever becomes of the transaction.
$primary->append_conf('postgresql.conf', "kg_graph.audit_to = 'log'");
$primary->reload;
as_admin($primary, q{BEGIN; SELECT kg_put_entities('thing', '[{"id": "b"}]'); SELECT kg_call_tool('none', '{}'); ROLLBACK});
has($primary, 'rolled back', qr/"tool": "kg_put_entities"/, qr/"tool": "none".*"code": "UNKNOWN_TOOL"/);
unlike(as_admin($primary, q{SET client_min_messages = log; SELECT kg_get('thing', 'a')}), qr/audit/, 'the client gets no message about the audit');
logged($primary);
$primary->append_conf('postgresql.conf', "kg_graph.audit_to = 'table'");
$primary->reload;

# A standby.
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);
logged($standby);
is(as_admin($standby, q{SELECT kg_get('thing', 'a') ->> 'id'}), 'a', 'a call on a standby succeeds with audit_to = table');
has($standby, 'a standby', qr/"tool": "kg_get"/);
like($standby->safe_psql('postgres', q{SELECT kg_health() ->> 'status'}), qr/^(healthy|degraded)$/, 'kg_health on a standby returns a status');
like($standby->safe_psql('postgres', q{SELECT kg_health() #>> '{components,0,metrics,standby}'}), qr/^true$/, 'kg_health on a standby reports that the server is a standby');

# Partitions by month come back from a dump, and so do the rows.
$primary->safe_psql('postgres', q{DELETE FROM kg_audit;
	CREATE TABLE kg_audit_2026 (LIKE kg_audit_rest INCLUDING ALL);
	ALTER TABLE kg_audit ATTACH PARTITION kg_audit_2026 FOR VALUES FROM ('2000-01-01') TO ('2100-01-01');
	ALTER TABLE kg_audit_2026 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY});
as_admin($primary, q{SELECT kg_get('thing', 'a')});
$primary->safe_psql('postgres', q{INSERT INTO kg_audit(tenant, at, tool) VALUES ('admin', '1999-01-01', 'old')});
my $rows = q{SELECT string_agg(tableoid::regclass || ' ' || tool, ', ' ORDER BY at) FROM kg_audit};
my $were = $primary->safe_psql('postgres', $rows);
is($were, 'kg_audit_rest old, kg_audit_2026 kg_get', 'rows are in the partitions of their time');
my $dump = $primary->basedir . '/dump';
$primary->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $primary->connstr('postgres') ], 'pg_dump');
$primary->safe_psql('postgres', 'CREATE DATABASE again TEMPLATE template0');
$primary->command_ok([ 'pg_restore', '--exit-on-error', '-d', $primary->connstr('again'), $dump ], 'pg_restore');
is($primary->safe_psql('again', $rows), $were, 'a restored dump has the same rows in the same partitions');
done_testing();
