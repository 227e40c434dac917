# kgctl cluster with shards that differ from the directory: they were restored from
# old dumps, or tenants were renamed, created or dropped there. Also tests what the
# command refuses before it changes anything.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'PL/Proxy is not installed (Debian: postgresql-NN-plproxy)' unless -e "$sharedir/extension/plproxy.control";

my $node = new_node('restored', 'fsync = off', 'log_min_error_statement = panic');
my $admin = $node->safe_psql('postgres', 'SELECT current_user');
my $dir = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front', 'one', 'two';
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach 'ada', 'gw';
$ENV{KGCTL_DSN} = dsn('front') . " user=$admin";

sub dsn { return 'host=' . $node->host . ' port=' . $node->port . " dbname=$_[0]" }
sub ask { my ($db, $sql) = @_; return $node->safe_psql($db, $sql) }
sub as_ada { my (undef, $out, $err) = call_as($node, 'front', 'ada', $_[0]); return $out . $err }

# Its exit code, and what it says.
sub cluster
{
	my ($what, $code, $pattern, @words) = @_;
	my $run = run_kgctl({ seconds => 180 }, 'cluster', @words);
	is($run->{code}, $code, "$what: exit code $code") or diag($run->{out} . $run->{err});
	like($run->{out} . $run->{err}, $pattern, "$what: and what it says");
}

sub dump_of { my ($db) = @_; $node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/$db", '-h', $node->host, '-p', $node->port, $db ], "a dump of $db") }

sub restore
{
	my ($db, $from) = @_;
	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $db WITH (FORCE)");
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'pg_restore', '-h', $node->host, '-p', $node->port, '-d', $db, "$dir/" . ($from // $db) ], "and $db from it");
}

cluster('init', 0, qr/is a front/, 'init');
cluster("add-shard $_", 0, qr/exists/, 'add-shard', $_, dsn($_)) foreach 'one', 'two';
cluster('the front itself', 6, qr/the database "front" is a front, which cannot be a shard/, 'add-shard', 'three', dsn('front'));
cluster('status of a cluster without tenants', 0, qr/shard two: number 2, \w+, tenants: 0/, 'status');

# ---- place and move refuse before they write ----

my $place = q{SELECT count(*) FROM kg_place};
foreach my $name ("a\tb", '', 'x' x 300)
{
	cluster('place of no name', 6, qr/tenant/, 'place', $name, 'two');
	is(ask('front', $place), '0', 'is not written down');
}
cluster('and status says so', 0, qr/shard/, 'status');
cluster('place', 0, qr/is placed/, 'place', 't', 'one');
ask('front', q{SELECT kg_grant('t', 'ada', 'admin')});
apply($node, 'front', 'ada', bundle_file('product'));
is(as_ada('SELECT kg_tenant()'), 't', 'ada is there');

# ---- a move to where functions of the tenant are not ----

ask('one', q{CREATE FUNCTION public.rep(jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT '{"x": 1}'::jsonb $$;
	CREATE FUNCTION public.may(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT unnest(ids), true $$;
	SELECT kg_set_authorizer('t', 'public.may(text,text,text[])')} . qq{; SELECT kg_grant('t', '$admin', 'admin')});
ask('one', q{SELECT kg_register_tool('{"name": "rep", "version": "1.0.0", "kind": "function", "description": "x", "input_schema": {"type": "object", "properties": {}}, "operation": "public.rep(jsonb)"}')});
cluster('without functions', 6, qr/shard two has no function public[.]may\(\S+\), public[.]rep\(\S+\), .*--without-functions/, 'move', 't', 'two');
is(ask('front', 'SELECT shard, state FROM kg_place'), '1|here', 'nothing is begun');
ask('two', q{CREATE FUNCTION public.rep(jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT '{"x": 1}'::jsonb $$});
cluster('without one', 6, qr/shard two has no function public[.]may\(\S+\), which/, 'move', 't', 'two');
dump_of($_) foreach 'one', 'two';
cluster('a move that is meant', 0, qr/is moved/, '--without-functions', 'move', 't', 'two');
like(as_ada(q{SELECT kg_call_tool('rep')}), qr/"x": 1/, 'has the tool whose function is there');

# ---- shards restored from dumps of before the move ----

restore('one');
cluster('a tenant that has left and is there again', 1, qr/tenant t: is at shard one, too, and its calls go to shard two; kg_drop_tenant\(\)/, $_) foreach 'status', 'sync';
restore('two');
cluster('a tenant that had come and is not', 1, qr/tenant t: is not at shard two, where its calls go; kgctl cluster place leads them to shard one/, $_) foreach 'status', 'sync';
cluster('place where it is not', 6, qr/"t" is not at shard two/, 'place', 't', 'two');
cluster('move to where it is not', 6, qr/"t" is not at shard two/, 'move', 't', 'two');
is(ask('two', 'SELECT count(*) FROM kg_tenant'), '0', 'makes no empty one');
cluster('place where it is', 0, qr/is placed/, 'place', 't', 'one');
cluster('status', 0, qr/shard one: number 1, \w+, tenants: 1/, 'status');
is(as_ada('SELECT kg_tenant()'), 't', 'and calls go there');
cluster('place elsewhere', 6, qr/is at shard one; kgctl cluster move moves it/, 'place', 't', 'two');

# ---- renamed and dropped at the shard ----

ask('one', q{SELECT kg_freeze_tenant('t'); SELECT kg_rename_tenant('t', 'new'); SELECT kg_thaw_tenant('new')});
cluster('a tenant of another name', 1, qr/tenant new: is at shard one, and no call goes there; kgctl cluster place .*\ntenant t: is not at shard one.*; .*kg_drop_tenant\(\) at the front forgets it/, $_) foreach 'status', 'sync';
cluster('place of the new one', 0, qr/is placed/, 'place', 'new', 'one');
ask('front', q{SELECT kg_drop_tenant('t')});
cluster('and all is well', 0, qr/agrees with its shards/, 'sync');
is(as_ada('SELECT kg_tenant()'), 'new', 'calls go by the new name');
ask('one', q{SELECT kg_drop_tenant('new')});
cluster('one that was dropped there', 1, qr/tenant new: is not at shard one/, 'status');
ask('front', q{SELECT kg_drop_tenant('new')});

# ---- the first shard, restored: no dump has the secrets ----

cluster('a tenant at the second', 0, qr/is placed/, 'place', 'u', 'two');
ask('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write'), ('i', 'other', 'HS256', decode(repeat('5b', 32), 'hex'), 'kg', 'write')});
ask('front', q{SELECT kg_grant_gateway('gw')});
cluster('sync', 0, qr/agrees with/, 'sync');
my $keys = q{SELECT string_agg(kid, ',' ORDER BY kid) FROM kg_auth_key};
my $secrets = q{SELECT name, md5(secret::text) FROM kg_secret WHERE name = 'cluster'};
my $cluster_secret = ask('two', $secrets);
is(ask('two', $keys), 'k,other', 'keys are everywhere');
dump_of('one');
restore('one_again', 'one');
cluster('the first shard elsewhere, without its keys', 6, qr/shard one, whose keys all shards use, lacks keys with shared secrets of shard two: i k, i other; .*--delete-keys/, 'add-shard', 'one', dsn('one_again'));
is(ask('two', $keys), 'k,other', 'they are where they were');
is(ask('two', $secrets), $cluster_secret, 'and cursors are signed as before');
is(ask('one_again', $secrets), $cluster_secret, 'at the first shard, too');
cluster('sync, too', 6, qr/i k, i other/, 'sync');
my $copy = q{COPY (SELECT * FROM kg_auth_key WHERE tenant IS NULL AND secret IS NOT NULL) TO STDOUT};
my ($rows) = $node->psql('two', $copy, stdout => \my $text);
$node->psql('one_again', "COPY kg_auth_key FROM STDIN;\n$text\n\\.\n", on_error_die => 1);
cluster('with its keys put back', 0, qr/exists/, 'add-shard', 'one', dsn('one_again'));
is(ask($_, $keys), 'k,other', "keys of $_") foreach 'one_again', 'two';
ask('one_again', q{DELETE FROM kg_auth_key WHERE kid = 'k'});
cluster('a key that is deleted', 6, qr/i k; /, 'sync');
cluster('with consent', 0, qr/agrees with/, '--delete-keys', 'sync');
is(ask('two', $keys), 'other', 'is gone everywhere');

# ---- in a schema of its own ----

$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front_kg', 'one_kg';
my (undef, undef, $err) = $node->psql('front_kg', 'CREATE EXTENSION plproxy; CREATE SCHEMA "Kg"; CREATE EXTENSION kg_front SCHEMA "Kg"');
like($err, qr/kg_front cannot be in a schema whose name needs quotes/, 'a name that PL/Proxy does not read');
ask('front_kg', 'CREATE SCHEMA kg; CREATE EXTENSION kg_front SCHEMA kg');
$ENV{KGCTL_DSN} = dsn('front_kg') . " user=$admin";
cluster('a shard of it', 0, qr/exists/, 'add-shard', 'one', dsn('one_kg'));
cluster('place', 0, qr/is placed/, 'place', 't', 'one');
like(($node->psql('front_kg', "SELECT kg.$_"))[2], qr/may not use the schema of the front's functions.*GRANT USAGE ON SCHEMA kg TO ada, at the front/s, "no use in $_") foreach q{kg_grant('t', 'ada', 'read')}, q{kg_grant_gateway('ada')};
is(ask('one_kg', 'SELECT count(*) FROM kg.kg_tenant_role'), '0', 'nothing was granted');
ask('front_kg', q{GRANT USAGE ON SCHEMA kg TO ada; SELECT kg.kg_grant('t', 'ada', 'read')});
is((call_as($node, 'front_kg', 'ada', 'SELECT kg.kg_tenant()'))[1], 't', 'with it, all is well');

done_testing();
