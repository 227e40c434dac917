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
	like($run->{out} . $run->{err}, $pattern, "$what: the output is as expected");
}

sub dump_of { my ($db) = @_; $node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/$db", '-h', $node->host, '-p', $node->port, $db ], "a dump of $db") }

sub restore
{
	my ($db, $from) = @_;
	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $db WITH (FORCE)");
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'pg_restore', '-h', $node->host, '-p', $node->port, '-d', $db, "$dir/" . ($from // $db) ], "$db is restored from a dump");
}

cluster('init', 0, qr/is a front/, 'init');
cluster("add-shard $_", 0, qr/exists/, 'add-shard', $_, dsn($_)) foreach 'one', 'two';
cluster('add-shard of the front', 6, qr/the database "front" is a front, which cannot be a shard/, 'add-shard', 'three', dsn('front'));
cluster('status of a cluster without tenants', 0, qr/shard two: number 2, \w+, tenants: 0/, 'status');

# ---- place and move refuse before they write ----

my $place = q{SELECT count(*) FROM kg_place};
foreach my $name ("a\tb", '', 'x' x 300)
{
	cluster('place of an invalid name', 6, qr/tenant/, 'place', $name, 'two');
	is(ask('front', $place), '0', 'a refused place writes nothing to the directory');
}
cluster('status after the refused places', 0, qr/shard/, 'status');
cluster('place', 0, qr/is placed/, 'place', 't', 'one');
ask('front', q{SELECT kg_grant('t', 'ada', 'admin')});
apply($node, 'front', 'ada', bundle_file('product'));
is(as_ada('SELECT kg_tenant()'), 't', 'ada has her tenant at the shard');

# ---- a move to where functions of the tenant are not ----

ask('one', q{CREATE FUNCTION public.rep(jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT '{"x": 1}'::jsonb $$;
	CREATE FUNCTION public.may(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS $$ SELECT unnest(ids), true $$;
	SELECT kg_set_authorizer('t', 'public.may(text,text,text[])')} . qq{; SELECT kg_grant('t', '$admin', 'admin')});
ask('one', q{SELECT kg_register_tool('{"name": "rep", "version": "1.0.0", "kind": "function", "description": "x", "input_schema": {"type": "object", "properties": {}}, "operation": "public.rep(jsonb)"}')});
cluster('a move to a shard that lacks two functions', 6, qr/shard two has no function public[.]may\(\S+\), public[.]rep\(\S+\), .*--without-functions/, 'move', 't', 'two');
is(ask('front', 'SELECT shard, state FROM kg_place'), '1|here', 'a refused move leaves the directory unchanged');
ask('two', q{CREATE FUNCTION public.rep(jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT '{"x": 1}'::jsonb $$});
cluster('a move to a shard that lacks one function', 6, qr/shard two has no function public[.]may\(\S+\), which/, 'move', 't', 'two');
dump_of($_) foreach 'one', 'two';
cluster('a move with --without-functions', 0, qr/is moved/, '--without-functions', 'move', 't', 'two');
like(as_ada(q{SELECT kg_call_tool('rep')}), qr/"x": 1/, 'a tool works after the move if the new shard has its function');

# ---- shards restored from dumps of before the move ----

restore('one');
cluster('a tenant is at two shards', 1, qr/tenant t: is at shard one, too, and its calls go to shard two; kg_drop_tenant\(\)/, $_) foreach 'status', 'sync';
restore('two');
cluster('a tenant is at its former shard only', 1, qr/tenant t: is not at shard two, where its calls go; kgctl cluster place leads them to shard one/, $_) foreach 'status', 'sync';
cluster('place at a shard that does not have the tenant', 6, qr/"t" is not at shard two/, 'place', 't', 'two');
cluster('move to the shard that the directory names, but that does not have the tenant', 6, qr/"t" is not at shard two/, 'move', 't', 'two');
is(ask('two', 'SELECT count(*) FROM kg_tenant'), '0', 'a refused place or move makes no tenant');
cluster('place at the shard that has the tenant', 0, qr/is placed/, 'place', 't', 'one');
cluster('status', 0, qr/shard one: number 1, \w+, tenants: 1/, 'status');
is(as_ada('SELECT kg_tenant()'), 't', 'calls go to the shard that place named');
cluster('place at another shard', 6, qr/is at shard one; kgctl cluster move moves it/, 'place', 't', 'two');

# ---- renamed and dropped at the shard ----

ask('one', q{SELECT kg_freeze_tenant('t'); SELECT kg_rename_tenant('t', 'new'); SELECT kg_thaw_tenant('new')});
cluster('a tenant was renamed at its shard', 1, qr/tenant new: is at shard one, and no call goes there; kgctl cluster place .*\ntenant t: is not at shard one.*; .*kg_drop_tenant\(\) at the front forgets it/, $_) foreach 'status', 'sync';
cluster('place of the renamed tenant', 0, qr/is placed/, 'place', 'new', 'one');
ask('front', q{SELECT kg_drop_tenant('t')});
cluster('sync after the renaming', 0, qr/agrees with its shards/, 'sync');
is(as_ada('SELECT kg_tenant()'), 'new', 'calls go to the renamed tenant');
ask('one', q{SELECT kg_drop_tenant('new')});
cluster('status after the tenant was dropped at its shard', 1, qr/tenant new: is not at shard one/, 'status');
ask('front', q{SELECT kg_drop_tenant('new')});

# ---- the first shard, restored: no dump has the secrets ----

cluster('place of another tenant at the second shard', 0, qr/is placed/, 'place', 'u', 'two');
ask('one', q{INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience, access) VALUES ('i', 'k', 'HS256', decode(repeat('5a', 32), 'hex'), 'kg', 'write'), ('i', 'other', 'HS256', decode(repeat('5b', 32), 'hex'), 'kg', 'write')});
ask('front', q{SELECT kg_grant_gateway('gw')});
cluster('sync', 0, qr/agrees with/, 'sync');
my $keys = q{SELECT string_agg(kid, ',' ORDER BY kid) FROM kg_auth_key};
my $secrets = q{SELECT name, md5(secret::text) FROM kg_secret WHERE name = 'cluster'};
my $cluster_secret = ask('two', $secrets);
is(ask('two', $keys), 'k,other', 'sync copies all keys to the second shard');
dump_of('one');
restore('one_again', 'one');
cluster('add-shard of the restored first shard, which lacks keys', 6, qr/shard one, whose keys all shards use, lacks keys with shared secrets of shard two: i k, i other; .*--delete-keys/, 'add-shard', 'one', dsn('one_again'));
is(ask('two', $keys), 'k,other', 'a refused add-shard leaves the keys of the second shard');
is(ask('two', $secrets), $cluster_secret, 'a refused add-shard leaves the secret for cursors');
is(ask('one_again', $secrets), $cluster_secret, 'the restored first shard gets the secret for cursors');
cluster('sync with the restored first shard, which lacks keys', 6, qr/i k, i other/, 'sync');
my $copy = q{COPY (SELECT * FROM kg_auth_key WHERE tenant IS NULL AND secret IS NOT NULL) TO STDOUT};
my ($rows) = $node->psql('two', $copy, stdout => \my $text);
$node->psql('one_again', "COPY kg_auth_key FROM STDIN;\n$text\n\\.\n", on_error_die => 1);
cluster('add-shard of the restored first shard with its keys', 0, qr/exists/, 'add-shard', 'one', dsn('one_again'));
is(ask($_, $keys), 'k,other', "$_ has both keys") foreach 'one_again', 'two';
ask('one_again', q{DELETE FROM kg_auth_key WHERE kid = 'k'});
cluster('sync after a key was deleted', 6, qr/i k; /, 'sync');
cluster('sync --delete-keys', 0, qr/agrees with/, '--delete-keys', 'sync');
is(ask('two', $keys), 'other', 'sync --delete-keys deletes the key on the second shard');

# ---- in a schema of its own ----

$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'front_kg', 'one_kg';
my (undef, undef, $err) = $node->psql('front_kg', 'CREATE EXTENSION plproxy; CREATE SCHEMA "Kg"; CREATE EXTENSION kg_front SCHEMA "Kg"');
like($err, qr/kg_front cannot be in a schema whose name needs quotes/, 'kg_front refuses a schema whose name PL/Proxy does not accept');
ask('front_kg', 'CREATE SCHEMA kg; CREATE EXTENSION kg_front SCHEMA kg');
$ENV{KGCTL_DSN} = dsn('front_kg') . " user=$admin";
cluster('add-shard to a front in a schema of its own', 0, qr/exists/, 'add-shard', 'one', dsn('one_kg'));
cluster('place', 0, qr/is placed/, 'place', 't', 'one');
like(($node->psql('front_kg', "SELECT kg.$_"))[2], qr/may not use the schema of the front's functions.*GRANT USAGE ON SCHEMA kg TO ada, at the front/s, "without USAGE on the schema a grant is refused: $_") foreach q{kg_grant('t', 'ada', 'read')}, q{kg_grant_gateway('ada')};
is(ask('one_kg', 'SELECT count(*) FROM kg.kg_tenant_role'), '0', 'the refused grants write nothing at the shard');
ask('front_kg', q{GRANT USAGE ON SCHEMA kg TO ada; SELECT kg.kg_grant('t', 'ada', 'read')});
is((call_as($node, 'front_kg', 'ada', 'SELECT kg.kg_tenant()'))[1], 't', 'with USAGE on the schema the role has its tenant');

done_testing();
