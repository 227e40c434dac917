# A front: three databases in one cluster. Two of them have kg_graph and a tenant
# each, and one has kg_front. The replies through the front must be equal to those of
# the shard, byte for byte. The front refuses a call for which it finds no shard.
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

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'PL/Proxy is not installed (Debian: postgresql-NN-plproxy)' unless -e "$sharedir/extension/plproxy.control";

my $json = JSON::PP->new->canonical;
my $node = new_node('front', 'fsync = off', 'log_min_error_statement = panic');
my %shard = (ada => 'one', ben => 'two');
my %number = (one => 1, two => 2);

sub dsn { return 'host=' . $node->host . ' port=' . $node->port . " dbname=$_[0]" }

foreach my $db ('one', 'two')
{
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, "CREATE EXTENSION kg_graph; SELECT kg_set_shard($number{$db})");
}
$node->safe_psql('postgres', 'CREATE DATABASE front');
$node->safe_psql('front', 'CREATE EXTENSION plproxy; CREATE EXTENSION kg_front');
$node->safe_psql('front', "INSERT INTO kg_shard(shard, name, dsn) VALUES ($number{$_}, '$_', '" . dsn($_) . "')") foreach 'one', 'two';

# ---- the functions are kg_graph's ----

my $signatures = q{SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ') ' || pg_get_function_result(p.oid) || ' ' || p.proisstrict || ' ' || p.proretset
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname IN ('kg_graph', 'kg_front') AND p.proname = ANY ('{NAMES}') ORDER BY 1};
my $names = q{SELECT string_agg(DISTINCT p.proname, ',') FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname IN ('kg_graph', 'kg_front')};
my %there = map { $_ => 1 } split /,/, $node->safe_psql('one', $names);
my @both = grep { $there{$_} } split /,/, $node->safe_psql('front', $names);
cmp_ok(scalar @both, '>', 60, 'the front has the functions of kg_graph: ' . scalar @both);
my $of_both = $signatures =~ s/NAMES/join ',', @both/er;
is($node->safe_psql('front', $of_both), $node->safe_psql('one', $of_both), 'functions of the front have the same arguments, defaults and results');
is($node->safe_psql('front', q{SELECT default_version FROM pg_available_extensions WHERE name IN ('kg_graph', 'kg_front') GROUP BY 1}),
	$node->safe_psql('one', q{SELECT extversion FROM pg_extension WHERE extname = 'kg_graph'}), 'both extensions have the same version');
is($node->safe_psql('front', q{SELECT string_agg(m[1], ',' ORDER BY m[1]) FROM pg_proc, regexp_matches(prosrc, '(kg_graph[.][a-z_]+)''', 'g') m WHERE proname = 'kg_carried'}),
	$node->safe_psql('one', q{SELECT kg_tenant(); SELECT string_agg(name, ',' ORDER BY name) FROM pg_settings WHERE name LIKE 'kg_graph.%' AND context = 'user' AND name NOT IN ('kg_graph.progress', 'kg_graph.mcp_server')}) =~ s/^\n//r,
	'the front passes on all settings of callers except kg_graph.progress and kg_graph.mcp_server');

# ---- two tenants, granted through the front ----

foreach my $role ('ada', 'ben')
{
	$node->safe_psql('front', "CREATE ROLE $role LOGIN");
	$node->safe_psql($shard{$role}, "SELECT kg_create_tenant('t_$role')");
	$node->safe_psql('front', "INSERT INTO kg_place(tenant, shard) VALUES ('t_$role', $number{$shard{$role}}); SELECT kg_grant('t_$role', '$role', 'admin')");
	apply($node, 'front', $role, bundle_file('product'));
}
is(call('front', 'ada', 'SELECT kg_tenant()')->{out}, 't_ada', 'calls of ada go to her tenant');
is(call('front', 'ben', 'SELECT kg_tenant()')->{out}, 't_ben', 'calls of ben go to his tenant');
is($node->safe_psql('two', 'SELECT count(*) FROM kg_entity'), $node->safe_psql('one', 'SELECT count(*) FROM kg_entity'), 'each shard has the bundle that was applied through the front');

# What a role is answered, and the error as the shard raised it.
sub call
{
	my ($db, $role, $sql) = @_;
	my (undef, $out, $err) = call_as($node, $db, $role, "\\set VERBOSITY verbose\n$sql", on_error_stop => 0);
	$err = join "\n", grep { !/^(LOCATION|CONTEXT|psql:\S+ (NOTICE|WARNING)):/ } split /\n/, $err;
	$err =~ s/^psql:\S+ //mg;
	my $through = $err =~ s/\w+[.]\w+\(\d+\): \[\w+\] REMOTE ERROR: //g;
	$err =~ s/^(DETAIL|HINT):  Remote (detail|hint): /$1:  /mg;
	# What the remote context has in further lines is told nowhere else.
	$err =~ s/^Remote context:.*//ms;
	$err =~ s/^(SQL statement|PL\/pgSQL).*\n?//mg;
	return { out => $out, err => $err =~ s/\s+$//r, through => $through };
}

sub same
{
	my ($role, $sql, $what) = @_;
	my ($front, $direct) = map { call($_, $role, $sql) } 'front', $shard{$role};
	my $equal = $front->{out} eq $direct->{out} && $front->{err} eq $direct->{err};
	ok($equal, $what // substr($sql, 0, 100));
	diag("front:  $front->{out}$front->{err}\ndirect: $direct->{out}$direct->{err}") unless $equal;
	return $front->{out};
}

# ---- every tool ----

my @tools = map { $_->{name} } @{ $json->decode(same('ada', 'SELECT kg_list_tools()', 'the tools that are listed')) };
my %arguments = (find_nodes => { node => { id => 'n', entity => 'module' } }, search_entities => { query => 'cache' });
foreach my $tool (@tools)
{
	same('ada', "SELECT kg_call_tool('$tool', '{}')", "kg_call_tool $tool, without arguments");
	same('ben', "SELECT kg_call_tool('$tool', '" . $json->encode($arguments{$tool}) . "')", "kg_call_tool $tool") if $arguments{$tool};
}
same('ben', "SELECT $_") foreach (
	q{kg_list('module', '{"limit": 3}')}, q{kg_list_ids('module')}, q{kg_get('module', 'scheduler')}, q{kg_get('module', ARRAY['scheduler', 'nothing'])},
	q{kg_get('module', 'nothing')}, q{kg_list('known_issue', '{"filters": {"severity": "blocker"}, "sort": "-reported_at"}')},
	q{kg_search('{"query": "cache"}')}, q{kg_find_nodes('{"node": {"id": "m", "entity": "module"}}')}, q{kg_graph_schema()}, q{kg_describe_schema()},
	q{kg_neighbors('{"node": {"entity": "module", "node_ids": ["scheduler"]}}')}, q{kg_bfs('{"seeds": ["scheduler"], "max_hops": 2}')},
	q{kg_describe('{"id": "scheduler"}')}, q{kg_export_bundle('product')}, q{part, name FROM kg_export_bundle_parts('product')}, q{kg_registered_tools()}, q{kg_limits()},
	q{kg_validate('1', '{"type": "string"}')}, q{kg_validation_errors('1', '{"type": "string"}')}, q{kg_agent()}, q{kg_tenant('admin')},
	q{kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')}, q{kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_entities", "arguments": {"query": "cache"}}}')},
	q{kg_to_mermaid(kg_graph_schema())}, q{kg_put_entities('module', '[]')}, q{kg_list('module', NULL)});
# What tells how far a statement is stays in front.
{
	my ($status, $out, $err) = call_as($node, 'front', 'ben', q{SET kg_graph.progress = 0; SELECT kg_apply_bundle(kg_export_bundle('product'), '{"dry_run": true}') ->> 'changed'});
	is("$status $out $err", '0 false ', 'kg_graph.progress set at the front has no effect');
}
# NULL, of what is written by hand there, too.
like(call('front', 'ben', "SELECT $_")->{err}, qr/must not be null|NOT_FOUND|FORBIDDEN/, "an error says that an argument is NULL: $_") foreach (
	q{kg_put_entities('module', NULL)}, q{kg_call_tool(NULL)}, q{kg_grant('t_ben', 'ben', NULL)}, q{kg_grant(NULL, 'ben', 'read')}, q{kg_revoke('t_ben', NULL)}, q{kg_call_with_token(NULL, 'list_module')});
# Errors, with DETAIL and SQLSTATE.
same('ben', "SELECT $_") foreach (
	q{kg_list('modul')}, q{kg_list('module', '{"limit": "many"}')}, q{kg_find_nodes('{"node": {"id": "m", "entity": "modules"}}')},
	q{kg_get('release', ARRAY[]::text[])}, q{kg_drop_bundle('none')}, q{kg_bind_agent('none', 'product')}, q{kg_explain('search_entities')},
	q{kg_apply_bundle('{"bundle_name": 1}')}, q{kg_schema_check('{"type": "text"}')});
ok(call('front', 'ben', q{SELECT kg_list('modul')})->{through}, 'an error of a shard is marked as remote');

# Pages: what one gives, the other goes on from.
{
	my ($from, @page) = ('{"limit": 4}');
	my $seen = 0;
	for (my $n = 0; $from && $n < 9; $n++)
	{
		my $page = $json->decode(same('ada', "SELECT kg_list('module', '$from')", "page $n is the same, its cursor too"));
		$seen += @{ $page->{items} };
		$from = $page->{next} ? $json->encode($page->{next}) : undef;
	}
	is($seen, 11, 'the pages have all entities once');
}

# A write through the front is there at once, and one that fails leaves nothing.
like(call('front', 'ada', q{SELECT kg_put_entities('module', jsonb_build_array(kg_get('module', 'queue') - 'issue_count' || '{"id": "new-one", "name": "New"}'))})->{out}, qr/created/, 'a write through the front is acknowledged');
is(call('one', 'ada', q{SELECT kg_get('module', 'new-one') ->> 'name'})->{out}, 'New', 'the shard of the tenant has the write');
is(call('two', 'ben', q{SELECT kg_get('module', 'new-one')})->{out}, '', 'the other shard does not have the write');

# ---- who is nobody, and settings ----

$node->safe_psql('front', 'CREATE ROLE nobody LOGIN');
foreach my $sql (q{SELECT kg_list('module')}, q{SELECT kg_graph_schema()})
{
	my ($front, $direct) = map { call($_, 'nobody', $sql) } 'front', 'one';
	is($front->{err}, $direct->{err}, 'a role without a tenant gets the same error as from a shard');
	like($front->{err}, qr/28000/, 'the error of a role without a tenant has the SQLSTATE 28000');
}
$node->safe_psql('one', q{SELECT kg_create_tenant('t_second')});
$node->safe_psql('front', qq{INSERT INTO kg_place(tenant, shard) VALUES ('t_second', 1); CREATE ROLE several LOGIN;
	SELECT kg_grant('t_second', 'several', 'read'), kg_grant('t_ben', 'several', 'read')});
like(call('front', 'several', q{SELECT kg_list('module')})->{err}, qr/28000: role "several" is granted several tenants\nDETAIL:  .*"allowed": \["t_ben", "t_second"\]/, 'a role with several tenants gets an error that lists them');
is(call('front', 'several', q{SET kg_graph.tenant = 't_ben'; SELECT kg_list('module', '{"limit": 1}') ->> 'total'})->{out}, '11', 'kg_graph.tenant selects one of several tenants');
like(call('front', 'several', q{SET kg_graph.tenant = 't_ada'; SELECT kg_list('module')})->{err}, qr/28000: role "several" is not granted the tenant/, 'kg_graph.tenant cannot select a tenant that is not granted');
$node->safe_psql('front', q{SELECT kg_revoke('t_ben', 'several')});
is(call('front', 'several', 'SELECT kg_tenant()')->{out}, 't_second', 'the directory forgets a revoked grant');

call('front', 'ada', q{SELECT kg_create_agent('blind')});
is(call('front', 'ada', q{SET kg_graph.agent = 'blind'; SELECT kg_agent()})->{out}, 'blind', 'the front passes on kg_graph.agent');
same('ada', q{SET kg_graph.agent = 'blind'; SELECT kg_list('module')}, 'an agent without bundles sees nothing through the front');
like(call('front', 'ada', q{SET kg_graph.agent = 'blind'; SELECT kg_list('module')})->{err}, qr/ERROR/, 'an agent without bundles gets an error through the front');
same('ada', q{SET kg_graph.agent = 'no such'' agent\ '; SELECT kg_list('module')}, 'an unknown agent is refused as by the shard');
same('ada', q{SET kg_graph.toolsets = 'graph'; SELECT kg_list_tools()}, 'the front passes on kg_graph.toolsets');
same('ada', q{SET kg_graph.toolsets = 'graph, catalog'; SELECT kg_list_tools()}, 'the front passes on several toolsets with a space between them');
like(call('front', 'ada', q{SET kg_graph.toolsets = 'gr aph'; SELECT kg_list_tools()})->{err}, qr/22023: invalid value for parameter "kg_graph.toolsets"/, 'the front refuses an invalid value of kg_graph.toolsets');
like(call('front', 'ada', q{SET kg_graph.confirm_more = 'maybe'; SELECT kg_list_tools()})->{err}, qr/22023/, 'the front refuses an invalid value of kg_graph.confirm_more');
same('ada', q{SET kg_graph.mcp_text = off; SELECT kg_call_tool('search_entities', '{"query": "cache"}')}, 'the front passes on kg_graph.mcp_text');
is(call('front', 'ada', q{BEGIN; SET LOCAL kg_graph.agent = 'blind'; COMMIT; SELECT kg_list('module', '{"limit": 1}') ->> 'total'})->{out}, '12', 'a setting of a transaction ends with the transaction');

# No setting of PostgreSQL changes what is carried: backslashes, dates, who may only read.
{
	my $off = $node->pg_version < 19 ? "SET standard_conforming_strings = off; SET escape_string_warning = off;\n" : '';
	my $agent = "SET kg_graph.agent = 'none -c kg_graph.agent=blind -c statement_timeout=1';\n";
	same('ada', "$off SELECT kg_list('module', '{\"limit\": 1}') -> 'total'", 'a call works with standard_conforming_strings = off');
	is(call('front', 'ada', "SELECT kg_tenant(); $off $agent SELECT kg_connect()")->{out} =~ s/^t_ada\n//r, call('front', 'ada', "$agent SELECT kg_connect()")->{out}, 'a setting with blanks is passed on the same with standard_conforming_strings = off');
	same('ada', "SELECT kg_tenant(); $off $agent SELECT kg_agent()", 'a setting with blanks and options is passed on as one value');

	$node->safe_psql('one', q{ALTER TABLE kg_history DISABLE TRIGGER USER; UPDATE kg_history SET at = '2026-05-01 00:00+00' WHERE tenant = 't_ada'; SELECT kg_check('{"repair": true}')});
	my $forget = sub { return join '; ', map { "SELECT kg_prune_history('$_ 00:00+00'::timestamptz)" } '2026-03-10', '2026-01-13' };
	foreach my $set ("DateStyle = 'SQL, DMY'", "DateStyle = 'German'", "DateStyle = 'Postgres, MDY'; SET TimeZone = 'Asia/Kolkata'", "IntervalStyle = sql_standard")
	{
		is(call('front', 'ada', "SET $set; " . $forget->())->{out}, "0\n0", "kg_prune_history through the front deletes no newer changes: $set");
		my $tools = "SELECT sum(calls) FROM kg_stat_tools('-1 year 1 day -00:00:01')";
		same('ada', "SET $set; $tools", "an interval is the same through the front: $set");
	}
	$node->safe_psql('one', q{ALTER DATABASE one SET DateStyle = 'SQL, DMY'; ALTER DATABASE one SET IntervalStyle = iso_8601; ALTER DATABASE one SET array_nulls = off});
	is(call('front', 'ada', $forget->())->{out}, "0\n0", 'kg_prune_history deletes no newer changes with other date settings of the shard');
	same('ada', q{SELECT kg_get('module', ARRAY['scheduler', NULL])}, 'a NULL in an array stays NULL with array_nulls = off at the shard');
	$node->safe_psql('one', "ALTER DATABASE one RESET ALL");
	is(call('front', 'postgres', q{SELECT count(*) FROM pg_proc WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'plproxy') AND NOT coalesce(proconfig::text, '') ~ 'DateStyle' AND EXISTS (SELECT FROM unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) t
		WHERE t IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype, 'interval'::regtype, 'time'::regtype, 'float8'::regtype, 'float4'::regtype))})->{out}, '0', 'each PL/Proxy function with dates or floats fixes DateStyle');

	my $put = q{SELECT kg_put_entities('module', jsonb_build_array(kg_get('module', 'queue') - 'issue_count' || '{"id": "ro", "name": "ro"}')) -> 'counts'};
	same('ada', "BEGIN READ ONLY; $put", 'a write in a read-only transaction fails as at the shard');
	same('ada', "SET default_transaction_read_only = on; SELECT kg_call_tool('$_', '{}')", "the tool $_ in a read-only transaction answers as at the shard") foreach @tools;
	like(call('front', 'ada', "BEGIN READ ONLY; $put")->{err}, qr/ERROR:  25006/, 'a write in a read-only transaction fails with 25006');
	is(call('front', 'ada', "BEGIN READ ONLY; SELECT kg_list('module', '{\"limit\": 1}') ->> 'total'; COMMIT; SELECT kg_get('module', 'ro') IS NULL")->{out}, "12\nt", 'a read-only transaction reads through the front, and has written nothing');
}

# ---- how many connections a session makes ----

{
	my $agent = sub { return "SET kg_graph.agent = '$_[0]'; SELECT kg_agent();\n" };
	call('front', 'ada', "SELECT kg_create_agent('a$_')") foreach 1 .. 3;
	my $most = "SET kg_front.max_shards_per_session = 2;\n";
	my $third = call('front', 'ada', $most . $agent->('a1') . $agent->('a2') . $agent->('a3') . $agent->('a1'));
	is($third->{out}, "a1\na2\na1", 'a session may use as many connections as the setting allows, and use them again');
	like($third->{err}, qr/^ERROR:  54000: session has as many connections to shards as kg_front[.]max_shards_per_session allows: 2\nDETAIL:  .*"code": "LIMIT_EXCEEDED"/, 'a further connection is refused, and the error names the setting');
	is(call('front', 'ada', $most . join '', map { 'BEGIN;' . $agent->("a$_") . "ROLLBACK;\n" } 1 .. 3)->{out}, "a1\na2", 'connections of rolled-back transactions count');
	is(call('front', 'ada', $most . join '', map { $agent->("a$_") } (1, 2) x 3)->{out}, "a1\na2\n" x 2 . "a1\na2", 'a connection that is used again counts once');
	is(call('front', 'ada', join '', map { $agent->("a$_") } 1 .. 3)->{out}, "a1\na2\na3", 'a new session starts to count from 0');
	like(call('front', 'ada', "SET kg_front.max_shards_per_session = '$_'; SELECT kg_tenant()")->{err}, qr/22023: invalid value for parameter "kg_front[.]max_shards_per_session": "$_"/, "kg_front.max_shards_per_session cannot be $_") foreach '0', '-1', '2x', '100000';
	like($node->safe_psql('front', q{SET kg_front.max_shards_per_session = 1; SELECT health ->> 'problem' FROM kg_cluster_health() WHERE shard = 'two'}), qr/kg_front[.]max_shards_per_session allows: 1/, 'kg_cluster_health names the setting for a shard that it could not ask');
}

# Names that are full of what a connection string is read by.
my ($odd_role, $odd_tenant) = (q{o'd "d\\ x=y}, q{t'wo  b\\ -c kg_graph.agent=x});
my $ident = '"' . $odd_role =~ s/"/""/gr . '"';
$node->safe_psql('one', "SELECT kg_create_tenant(\$t\$$odd_tenant\$t\$)");
$node->safe_psql('front', "CREATE ROLE $ident LOGIN; INSERT INTO kg_place(tenant, shard) VALUES (\$t\$$odd_tenant\$t\$, 1);"
	  . join '', map { "SELECT kg_grant(\$t\$$_\$t\$, \$t\$$odd_role\$t\$, 'read');" } $odd_tenant, 't_ben');
foreach my $tenant ($odd_tenant, 't_ben')
{
	is($node->safe_psql('front', "SET ROLE $ident; SET kg_graph.tenant = \$t\$$tenant\$t\$; SELECT kg_tenant()"),
		$tenant, "a role and a tenant with quotes, blanks and backslashes: $tenant");
}

# A statement that is cancelled at the front is at the shard, too.
{
	my $held = hold($node, 'one', 'LOCK TABLE kg_entity IN ACCESS EXCLUSIVE MODE');
	my $waits = q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'one' AND wait_event_type = 'Lock'};
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, '-U', 'ada', '-d', 'front', '-c', q{SELECT kg_list('module')} ],
		'<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	ok(wait_until(sub { $node->safe_psql('postgres', $waits) eq '1' }), 'a call through the front waits for a lock at the shard');
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = 'front' AND usename = 'ada' AND state = 'active'});
	$run->finish;
	like($err, qr/57014/, 'the call is cancelled at the front');
	ok(wait_until(sub { $node->safe_psql('postgres', $waits) eq '0' }), 'the call no longer waits at the shard');
	let_go($held);
}

# ---- tokens ----

$node->safe_psql($_, q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('https://issuer.example', 'k1', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write')}) foreach 'one', 'two';
$node->safe_psql('front', q{INSERT INTO kg_key_route VALUES ('https://issuer.example', 'k1', 'tenant', NULL); CREATE ROLE gw LOGIN; SELECT kg_grant_gateway('gw')});
my %token = map { $_ => $node->safe_psql('one', "SELECT kg_issue_token('{\"tenant\": \"$_\", \"sub\": \"s\"}', 'k1', '1 hour')") } 't_ada', 't_ben', 't_none';
my $list = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_module", "arguments": {"limit": 2}}}';

sub with_token
{
	my ($db, $token, $message) = @_;
	return call($db, 'gw', "SELECT kg_mcp('$message', '$token')");
}
foreach my $role ('ada', 'ben')
{
	is(with_token('front', $token{"t_$role"}, $list)->{out}, with_token($shard{$role}, $token{"t_$role"}, $list)->{out}, "a token of t_$role goes to its shard");
	like(with_token('front', $token{"t_$role"}, $list)->{out}, qr/"total": 1[12]/, "the token of t_$role is accepted by its shard");
}
like(with_token('two', $token{t_ada}, $list)->{err}, qr/ERROR:  (28000|42501): the token does not allow the call: its tenant does not exist in this database/, 'a token of t_ada is refused at the shard of t_ben');
foreach my $bad ($token{t_none}, 'rubbish', 'a.b.c', $token{t_ada} =~ s/[.][^.]*$/.AAAA/r, $token{t_ada} =~ s/^[^.]*/e30/r, 'e30.e30.e30', '')
{
	my ($front, $direct) = map { with_token($_, $bad, $list) } 'front', 'one';
	is($front->{err}, $direct->{err}, 'a token that is none is refused as by a shard: ' . substr($bad, 0, 12));
	like($front->{err}, qr/ERROR:  (28000|42501)/, 'the error of an invalid token has the SQLSTATE 28000 or 42501');
}
like(call('front', 'gw', "SELECT kg_mcp('$list')")->{err}, qr/28000/, 'a gateway without a token has no tenant');
like(call('front', 'nobody', "SELECT kg_mcp('$list', '$token{t_ada}')")->{err}, qr/28000/, 'a token does not lead a role that is not a gateway to a shard');

# Writing by a token, in one call.
is(call('front', 'gw', "SELECT kg_call_with_token('$token{t_ben}', 'search_entities', '{\"query\": \"cache\"}')")->{out},
	call('two', 'ben', q{SELECT kg_call_tool('search_entities', '{"query": "cache"}')})->{out}, 'kg_call_with_token returns the result of the tool');
like(call('front', 'gw', "SELECT kg_call_with_token('$token{t_ben}', 'no_such_tool')")->{out}, qr/UNKNOWN_TOOL/, 'kg_call_with_token returns the error of the tool');
like(call('two', 'gw', "SELECT kg_call_with_token('x', 'search_entities')")->{err}, qr/28000/, 'kg_call_with_token raises an error for an invalid token');
is(call('two', 'gw', "BEGIN; SELECT kg_call_with_token('$token{t_ben}', 'search_entities', '{\"query\": \"cache\"}') IS NOT NULL; SELECT kg_tenant(); COMMIT")->{out}, "t\nt_ben", 'the transaction acts as the bearer after kg_call_with_token');

# ---- the directory ----

foreach my $bad (q{host=x password=geheim}, q{host=x PASSWORD=geheim}, q{dbname='two'password=geheim}, q{host=x sslpassword=geheim}, q{host=x oauth_client_secret = 'geheim'}, q{host=x scram_client_key=geheim},
	q{user=geheim}, q{host=x options='-c a=geheim'}, q{service=geheim}, q{postgresql://x:geheim@y/z}, q{host=x geheim}, qq{host=a\\ password=geheim}, qq{host=x\xc2\xa0password=geheim}, q{host=x dbname='geheim}, q{host= password=geheim port=}, '  ')
{
	my $said = call('front', 'postgres', "INSERT INTO kg_shard VALUES (9, 'p', \$t\$$bad\$t\$)")->{err};
	like($said, qr/^ERROR:  22023: connection string of shard "p" (may not have|is not read after|is empty)/, "kg_shard refuses the connection string: $bad");
	unlike($said, qr/geheim/, "the error does not repeat the connection string: $bad");
}
like(call('front', 'postgres', "BEGIN; INSERT INTO kg_shard VALUES (9, 'p', \$t\$$_\$t\$) RETURNING 'taken'; ROLLBACK")->{out}, qr/^taken/, "kg_shard accepts the connection string: $_")
  foreach q{host=x dbname=y}, qq{ host = 'a b' \n dbname='it\\'s' passfile=/x/y sslmode=verify-full }, q{dbname='password=none'};
foreach my $table ('kg_place', 'kg_shard', 'kg_key_route', 'kg_place_role', 'kg_gateway')
{
	like(call('front', 'ada', "SELECT * FROM $table")->{err}, qr/42501/, "a role of a tenant may not read $table");
}
is(call('front', 'ada', 'SELECT tenant FROM kg_my_place')->{out}, 't_ada', 'kg_my_place shows a role its own tenant only');
is(call('front', 'ada', 'SELECT count(*) FROM kg_gateway_place')->{out}, '0', 'kg_gateway_place shows a role without rights no tenants');
like(call('front', 'ada', q{SELECT kg_grant('t_ben', 'ada', 'read')})->{err}, qr/42501/, 'an admin cannot grant another tenant');
like(call('front', 'ada', "SELECT $_")->{err}, qr/42501/, "a role of a tenant may not call $_") foreach q{kg_drop_tenant('t_ada')}, q{kg_tenant_size('t_ada')}, q{kg_freeze_tenant('t_ada')}, q{kg_set_limits('t_ben', '*', '{}')}, q{kg_cluster_sizes()}, q{kg_cluster_tenants()}, q{kg_grant_gateway('ada')};
like(call('front', 'ada', q{SELECT kg_note_grants('t_ben')})->{err}, qr/42501/, 'a role of a tenant may not call kg_note_grants');
# Whoever has one noted, it is what the shard says; and of a tenant of nobody's own nothing is told.
sub note_grant { my ($role, $tenant, $whose, $first) = @_; return call('front', $role, ($first // '') . "\\set QUIET off\nUPDATE kg_noted_grant SET role = '$whose' WHERE tenant = '$tenant'") }
is(note_grant('ada', 't_ada', $_)->{out}, 'UPDATE 1', "an UPDATE of kg_noted_grant notes a grant of the own tenant: $_") foreach 'ada', 'ben';
foreach my $role ('ada', 'nobody')
{
	my $none = note_grant($role, 'no_such_tenant', 'ben');
	is_deeply(note_grant($role, $_, 'ben'), $none, "for $role, kg_noted_grant treats $_ as a tenant that does not exist") foreach 't_ben', 't_second';
	is($none->{out} . $none->{err}, 'UPDATE 0', 'an UPDATE of kg_noted_grant for an unknown tenant changes no rows');
}
is($node->safe_psql('front', q{SELECT role_name, tenant FROM kg_place_role WHERE role_name IN ('ada', 'ben') ORDER BY 1}), "ada|t_ada\nben|t_ben", 'kg_place_role is unchanged');
like(call('front', 'ada', 'SELECT kg_note_grant()')->{err}, qr/42501/, 'a role of a tenant may not call kg_note_grant');
is($node->safe_psql('front', q{SELECT string_agg(p.oid::regprocedure::text, ',') FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kg_front' WHERE p.prosecdef AND has_function_privilege('nobody', p.oid, 'EXECUTE')}),
	'', 'PUBLIC may execute no SECURITY DEFINER function of the front');

# A role counts as long as number and name are of one role, also at the shard.
{
	my %knows = (passing => 'kg_my_place', carrying => 'kg_gateway_place');
	my %grant = (passing => q{SELECT kg_grant('t_ada', 'passing', 'read')}, carrying => q{SELECT kg_grant_gateway('carrying')});
	my $others = "SELECT kg_mcp('$list', '$token{t_ada}')";
	my $told = sub { return join ' ', map { call('front', $_[0], "SELECT count(*) > 0 FROM $_")->{out} } 'kg_my_place', 'kg_gateway_place', 'kg_gateway_shard', 'kg_gateway_key' };
	my %all = (passing => 't f f f', carrying => 'f t t t');
	foreach my $role ('passing', 'carrying')
	{
		$node->safe_psql('front', "CREATE ROLE $role LOGIN; $grant{$role}");
		is($told->($role), $all{$role}, "$role sees the rows of the directory that its grant permits");
		my $drop = sub { $node->safe_psql($_, "DROP OWNED BY $role") foreach 'front', 'one', 'two'; $node->safe_psql('front', "DROP ROLE $role") };
		$drop->();
		$node->safe_psql('front', "CREATE ROLE $role LOGIN");
		is($told->($role), 'f f f f', "a new role of the name $role sees no rows of the directory");
		like(call('front', $role, $_)->{err}, qr/28000/, "a new role of the name $role is led to no shard") foreach 'SELECT kg_tenant()', $others;
		unlike($node->safe_psql('front', 'SELECT roles FROM kg_cluster_tenants()'), qr/$role/, "kg_cluster_tenants does not list a new role of the name $role");
		$node->safe_psql('front', q{SELECT kg_note_grants('t_ada')});
		is($told->($role), 'f f f f', "a new role of the name $role sees no rows after kg_note_grants");
		$node->safe_psql('front', $grant{$role});
		is($told->($role), $all{$role}, "a new role of the name $role sees rows after its own grant");
		$node->safe_psql('front', "ALTER ROLE $role RENAME TO passed");
		is($told->('passed'), 'f f f f', "$role sees no rows after it was renamed");
		$node->safe_psql('front', "ALTER ROLE passed RENAME TO $role");
		$drop->();
		like(call('front', 'postgres', $grant{$role})->{err}, qr/P0002: role "$role" does not exist at the front/, "a grant for the missing role $role is refused");
	}
	$node->safe_psql('front', q{SELECT kg_revoke('t_ada', 'passing'), kg_revoke_gateway('carrying')});
	is($node->safe_psql('front', q{SELECT (SELECT count(*) FROM kg_place_role WHERE role_name = 'passing') + (SELECT count(*) FROM kg_gateway WHERE role_name = 'carrying')}), '0', 'a revoke deletes the rows of dropped roles');
}

# ---- for administrators ----

is($node->safe_psql('front', q{SELECT tenant, shard, state, roles[1] FROM kg_cluster_tenants() WHERE tenant IN ('t_ada', 't_ben')}), "t_ada|one|here|ada\nt_ben|two|here|ben", 'kg_cluster_tenants returns the shard of each tenant');
like($node->safe_psql('front', q{SELECT tenant, size ->> 'entities' FROM kg_cluster_sizes()}), qr/t_ada\|\d\d/, 'kg_cluster_sizes returns the size of each tenant');
is($node->safe_psql('front', q{SELECT string_agg(shard, ',') FROM kg_cluster_health()}), 'one,two', 'kg_cluster_health returns each shard');
isnt($node->safe_psql('front', q{SELECT kg_health() ->> 'status'}), 'unhealthy', 'kg_health of the front is not unhealthy');
is(call('front', 'gw', q{SELECT jsonb_array_length(kg_health() -> 'components')})->{out}, '2', 'kg_health of the front shows a gateway all shards');
$node->safe_psql('front', q{SELECT count(*) FROM kg_cluster_audit()});
$node->safe_psql('front', "INSERT INTO kg_shard VALUES (7, 'gone', 'host=" . $node->host . " port=1 dbname=x')");
is($node->safe_psql('front', q{SELECT c ->> 'status', kg_health() ->> 'status' FROM jsonb_array_elements(kg_health() -> 'components') c WHERE c ->> 'name' = 'shard gone'}), 'unreachable|degraded', 'kg_health of the front reports an unreachable shard');
$node->safe_psql('front', "DELETE FROM kg_shard WHERE name = 'gone'");

# ---- who is there while the tenant moves, and who comes after ----

{
	$node->safe_psql('one', q{SELECT kg_create_tenant('t_late')});
	$node->safe_psql('front', q{CREATE ROLE late LOGIN; INSERT INTO kg_place(tenant, shard) VALUES ('t_late', 1); SELECT kg_grant('t_late', 'late', 'admin')});
	apply($node, 'front', 'late', bundle_file('product'));
	$node->safe_psql('one', q{SELECT kg_grant('t_late', current_user, 'read')});
	my $held = hold($node, 'one', 'LOCK TABLE kg_entity IN ACCESS EXCLUSIVE MODE');
	my $err = '';
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, '-U', 'late', '-d', 'front', '-c', q{SELECT kg_list('module')} ],
		'<', \undef, '>', '/dev/null', '2>', \$err, IPC::Run::timeout(180));
	ok(wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE datname = 'one' AND wait_event_type = 'Lock'}) eq '1' }), 'a call of a tenant waits at its shard');
	$node->safe_psql('one', q{SELECT kg_freeze_tenant('t_late'); SELECT kg_mark_moved('t_late')});
	let_go($held);
	$run->finish;
	like($err, qr/40001: .*the tenant of role "late" has moved to another database/, 'the waiting call gets the error to try again after its tenant moved');
	like(call('one', 'late', q{SELECT count(*) FROM kg_entity})->{err}, qr/40001/, 'a direct read gets the error to try again after the tenant moved');
	like($node->safe_psql('one', q{SELECT kg_tenant() IS NULL, kg_health() ->> 'status'}), qr/^t\|\w+$/, 'the owner with a grant on the moved tenant has no tenant, and kg_health works');
	my $has = q{SELECT has_table_privilege('late', 'kg_entity', 'INSERT')};
	is($node->safe_psql('one', $has), 't', 'a role of the moved tenant keeps its privileges');
	$node->safe_psql('one', q{SELECT kg_drop_tenant('t_late'); SELECT kg_create_tenant('t_late')});
	is($node->safe_psql('one', $has), 'f', 'the role loses its privileges when a new tenant gets the name');
	like(call('one', 'late', q{SELECT kg_list('module')})->{err}, qr/28000/, 'the role has no tenant when a new tenant has the name');
	$node->safe_psql('one', q{SELECT kg_drop_tenant('t_late')});
	$node->safe_psql('front', q{DELETE FROM kg_place WHERE tenant = 't_late'});
}

$node->safe_psql('one', q{SELECT kg_freeze_tenant('t_second'); SELECT kg_mark_moved('t_second')});
like(call('front', 'several', q{SET kg_graph.tenant = 't_second'; SELECT kg_list('module')})->{err}, qr/40001: tenant "t_second" has moved to another database\nDETAIL:  .*"retry_after_ms": 1000/, 'a call at the former shard of a moved tenant gets the error to try again');
my $late = $node->safe_psql('one', q{SELECT kg_issue_token('{"tenant": "t_second"}', 'k1', '1 hour')});
like(with_token('front', $late, $list)->{err}, qr/40001/, 'a call with a token at the former shard gets the error to try again');
like(call('front', 'postgres', q{SELECT kg_grant('t_second', 'ada', 'read')})->{err}, qr/40001/, 'a grant at the former shard gets the error to try again');
$node->safe_psql('one', q{DO $$ BEGIN WHILE NOT kg_drop_tenant('t_second', 1000) LOOP NULL; END LOOP; END $$});
like(call('one', 'several', q{SELECT kg_list('module')})->{err}, qr/40001: the tenant of role "several" has moved/, 'a call gets the error to try again also after the rows were deleted');
is($node->safe_psql('one', q{SELECT kg_create_tenant('t_second'); SELECT count(*) FROM kg_moved_tenant}), "\n0", 'kg_moved_tenant has no row when a new tenant has the name');
is($node->safe_psql('front', q{SELECT kg_drop_tenant('t_second', 1000)}) . $node->safe_psql('front', q{SELECT count(*) FROM kg_place WHERE tenant = 't_second'}), 't0', 'kg_drop_tenant through the front deletes the tenant from the directory');

done_testing();
