# A pooler in transaction mode. 100 clients of ten tenants share six connections of
# the gateway's role, and of a role with several grants. Each client must see only
# its own tenant, whichever client used the connection before, also after errors and
# while bundles change. Prepared statements work if the pooler supports them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use JSON::PP ();
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($pgbouncer) = grep { -x } map { "$_/pgbouncer" } '/usr/sbin', '/usr/bin';
plan skip_all => 'pgbouncer is not installed' unless $pgbouncer;
my ($major, $minor) = `$pgbouncer --version` =~ /PgBouncer (\d+)\.(\d+)/;
my $prepares = $major > 1 || $minor >= 21;

my $TENANTS = 10;
my $CLIENTS = 100;
my $POOL = 6;
my $json = JSON::PP->new->canonical;
my $node = new_node('main', 'fsync = off', 'max_connections = 50', 'log_min_error_statement = panic',
	"shared_preload_libraries = 'kg_graph'");
my $dir = PostgreSQL::Test::Utils::tempdir_short();
my $port = PostgreSQL::Test::Cluster::get_free_port();

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');

# Tenant n has n brands, each of whose names says whose it is.
sub bundle
{
	my ($n, $version) = @_;
	return $json->encode({ bundle_name => 'shop', version => "$version",
		schemas => [ { entity_type => 'brand', schema => { type => 'object', 'x-id-field' => 'id', 'x-label-field' => 'name',
			properties => { id => { type => 'string' }, name => { type => 'string', 'x-index' => JSON::PP::true },
				"extra_$version" => { type => 'string' } } } } ],
		entities => [ { entity_type => 'brand', items => [ map { { id => "b$_", name => "of t_w$n, $_" } } 1 .. $n ] } ] });
}

for my $n (1 .. $TENANTS)
{
	new_tenant($node, 'kg', "w$n", 'admin');
	my (undef, undef, $err) = call_as($node, 'kg', "w$n", "SELECT kg_apply_bundle('" . bundle($n, 1) . "')");
	is($err, '', "tenant $n has its bundle") if $n == 1 || $err;
}
$node->safe_psql('kg', qq{
	CREATE ROLE gw LOGIN; SELECT kg_grant_gateway('gw');
	CREATE ROLE many LOGIN;
	SELECT kg_grant('t_w' || n, 'many', 'read') FROM generate_series(1, $TENANTS) n;
	INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience)
	VALUES ('https://issuer.example', 'k1', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg');
	CREATE TABLE token AS SELECT n, kg_issue_token(jsonb_build_object('tenant', 't_w' || n, 'sub', 'ada'), 'k1', '1 hour') AS token
	  FROM generate_series(1, $TENANTS) n;
	GRANT SELECT ON token TO gw});

my $ini = "$dir/pgbouncer.ini";
append_to_file("$dir/users", join '', map { qq("$_" ""\n) } 'gw', 'many', map { "w$_" } 1 .. $TENANTS);
append_to_file($ini, "[databases]\nkg = host=" . $node->host . ' port=' . $node->port . "\n[pgbouncer]\n"
	  . "listen_addr =\nlisten_port = $port\nunix_socket_dir = $dir\nauth_type = trust\nauth_file = $dir/users\n"
	  . "pool_mode = transaction\ndefault_pool_size = $POOL\nmax_client_conn = 300\nlogfile = $dir/log\npidfile = $dir/pid\n"
	  . "ignore_startup_parameters = extra_float_digits\n" . ($prepares ? "max_prepared_statements = 50\n" : ''));
system_or_bail($pgbouncer, '-d', '-q', $ini);
ok(wait_until(sub { -S "$dir/.s.PGSQL.$port" && -s "$dir/pid" }), 'the pooler listens on its socket');

END
{
	if (defined $dir && -s "$dir/pid") { my $status = $?; kill 'INT', slurp_file("$dir/pid") + 0; $? = $status; }
}

# A division by zero ends the client: what must hold is asked for in SQL.
my $holds = sub { "SELECT 1 / (CASE WHEN $_[0] THEN 1 ELSE 0 END);\n" };
my $choose = "\\set n random(1, $TENANTS)\n";
my $token = '(SELECT token FROM token WHERE n = :n::integer)';
my $own = $holds->(q{kg_list('brand') ->> 'total' = :n::integer::text}
	  . q{ AND NOT EXISTS (SELECT FROM jsonb_array_elements(kg_list('brand') -> 'items') i WHERE i #>> '{data,name}' NOT LIKE 'of t\_w' || :n::integer || ',%')}
	  . q{ AND kg_call_tool('get_brand', '{"ids": ["b1"]}') #>> '{structuredContent,entities,0,data,name}' = 'of t_w' || :n::integer || ', 1'});
my $nobody = $holds->("kg_tenant() IS NULL AND kg_claim('sub') IS NULL");
my $list = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_brand", "arguments": {}}}';
my %script = (
	gateway => "${choose}${nobody}BEGIN;\nSELECT kg_login($token);\n${own}COMMIT;\n$nobody",
	message => $choose . $holds->("kg_mcp('$list', $token) #>> '{result,structuredContent,total}' = :n::integer::text") . $nobody,
	local => "${choose}${nobody}BEGIN;\nSELECT set_config('kg_graph.tenant', 't_w' || :n::integer, true);\n${own}COMMIT;\n$nobody");

# pgbench's exit status and what its clients were told.
sub clients
{
	my ($role, $name, $mode, $each) = @_;
	my $file = "$dir/$name.sql";
	my ($out, $err) = ('', '');

	append_to_file($file, $script{$name}) unless -e $file;
	# While pgbench waits for a statement to be prepared, all clients of its thread
	# wait, also those that hold the connections. So each client gets a thread of its
	# own.
	my $ok = IPC::Run::run([ 'pgbench', '-n', '--random-seed=14', '-h', $dir, '-p', $port, '-U', $role, '-M', $mode, '-c', $CLIENTS, '-j', $mode eq 'prepared' ? $CLIENTS : 2,
			'-t', $each, '-f', $file, 'kg' ], '>', \$out, '2>', \$err, IPC::Run::timeout(600));
	my ($done) = $out =~ /number of transactions actually processed: (\d+)/;
	return ($ok, $done // 0, $err);
}

sub backends
{
	return $node->safe_psql('kg', "SELECT count(*) FROM pg_stat_activity WHERE usename = '$_[0]'");
}

for my $case ([ 'gw', 'gateway' ], [ 'gw', 'message' ], [ 'many', 'local' ])
{
	my ($role, $name) = @$case;
	my @modes = ('simple', 'extended', $prepares ? 'prepared' : ());
	for my $mode (@modes)
	{
		my ($ok, $done, $err) = clients($role, $name, $mode, 5);
		ok($ok && $done == 5 * $CLIENTS && $err !~ /ERROR|abort/, "$name, $mode: $CLIENTS clients, each saw its own tenant")
		  or diag($done, ' ', substr($err, 0, 2000));
	}
	my $backends = backends($role);
	ok($backends > 1 && $backends <= $POOL, "$name: the clients shared $backends connections");
}
note('this pooler carries no prepared statements') unless $prepares;

# Clients whose transactions fail, or who leave in the middle of one.
my @left;
for my $n (1 .. 2 * $POOL)
{
	my ($out, $err) = ('', '');
	my $token = $node->safe_psql('kg', 'SELECT token FROM token WHERE n = ' . (1 + $n % $TENANTS));
	IPC::Run::run([ 'psql', '-XAtq', '-h', $dir, '-p', $port, '-U', 'gw', '-d', 'kg' ],
		'<', \("BEGIN; SELECT kg_login('$token'); SELECT kg_list('brand', '{\"limit\": -1}');" . ($n % 2 ? "\n\\q\n" : "\nROLLBACK;\n")),
		'>', \$out, '2>', \$err);
	push @left, $err unless $err =~ /limit must be/;
}
is("@left", '', 'transactions with errors run, some without an end');
my ($ok, $done, $err) = clients('gw', 'gateway', 'simple', 3);
ok($ok && $done == 3 * $CLIENTS, 'no identity stays in a connection after failed transactions') or diag(substr($err, 0, 2000));

# Schemas change through connections of their own, below the others.
my $changes = '';
for my $version (2 .. 4)
{
	$changes .= "\\c - w$_\nSELECT kg_apply_bundle('" . bundle($_, $version) . "') ->> 'revision';\n" foreach 1 .. $TENANTS;
}
my ($applied, $refused) = ('', '');
my $writer = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-U', 'w1', '-d', 'kg' ],
	'<', \$changes, '>', \$applied, '2>', \$refused);
($ok, $done, $err) = clients('gw', 'gateway', 'extended', 10);
ok($ok && $done == 10 * $CLIENTS, 'each client sees its own tenant while schemas change') or diag(substr($err, 0, 2000));
$writer->finish;
is($refused, '', 'the schemas changed');
is($node->safe_psql('kg', "SELECT kg_check() ->> 'ok'"), 'true', 'kg_check finds no differences');

# What docs/connections.md says of SET without LOCAL: the next client has it.
my ($out) = ('');
IPC::Run::run([ 'psql', '-XAtq', '-h', $dir, '-p', $port, '-U', 'gw', '-d', 'kg' ], '<', \"SET kg_graph.tenant = 't_w1'; SELECT kg_tenant() IS NULL", '>', \$out);
is($out, "t\n", 'the setting kg_graph.tenant gives a gateway no tenant');

done_testing();
