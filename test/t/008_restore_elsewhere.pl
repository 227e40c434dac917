# A dump is restored in another cluster, where roles have other OIDs or are missing.
# No role may see more there than before.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $here = new_node('here');
my $there = new_node('there');
my $tmp = PostgreSQL::Test::Utils::tempdir;

sub dump_to
{
	my ($db, $file, @more) = @_;
	command_ok([ 'pg_dump', '-h', $here->host, '-p', $here->port, '-Fc', '-f', "$tmp/$file", @more, $db ],
		"pg_dump to $file");
	return;
}

# Into a new database there: (whether it succeeded, its errors).
sub restore_from
{
	my ($file, $db, @more) = @_;
	my ($out, $err) = ('', '');
	$there->safe_psql('postgres', "CREATE DATABASE $db");
	my $ok = IPC::Run::run([ 'pg_restore', '-h', $there->host, '-p', $there->port, '-d', $db, @more, "$tmp/$file" ],
		'>', \$out, '2>', \$err);
	return ($ok, $err);
}

sub tenant_of
{
	my ($node, $db, $role) = @_;
	my ($status, $out, $err) = call_as($node, $db, $role, "SELECT coalesce(kg_tenant(), 'nobody')");
	return $status == 0 ? $out : $err;
}

$here->safe_psql('postgres', 'CREATE DATABASE source');
$here->safe_psql('source', 'CREATE EXTENSION kg_graph');
new_tenant($here, 'source', $_) foreach qw(ben leaver renamed again);
apply($here, 'source', 'leaver', bundle_file('product'));
my $number = $here->safe_psql('source', "SELECT 'leaver'::regrole::oid");

# There, the number that leaver had is alice's.
$there->safe_psql('postgres', 'CREATE ROLE ben LOGIN');
my $made = 0;
until ($made >= $number)
{
	$made = $there->safe_psql('postgres', q{CREATE ROLE alice LOGIN; SELECT 'alice'::regrole::oid; DROP ROLE alice});
	last if $made + 1 == $number;
	BAIL_OUT('numbers of roles have run past') if $made >= $number;
}
$there->safe_psql('postgres', "CREATE ROLE alice LOGIN; CREATE ROLE renamed LOGIN; CREATE ROLE new_name LOGIN; CREATE ROLE again LOGIN");
is($there->safe_psql('postgres', "SELECT 'alice'::regrole::oid"), $number, 'alice has the number there');

# Roles go, are renamed and made again; a dump of each state gives nobody a tenant.
$here->safe_psql('source', 'DROP OWNED BY leaver; DROP ROLE leaver; DROP OWNED BY again; DROP ROLE again;
	CREATE ROLE again LOGIN; ALTER ROLE renamed RENAME TO new_name');
is($here->safe_psql('source', q{SELECT string_agg(object, ', ' ORDER BY object) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}),
	join(', ', map { "grant of tenant t_$_ to role $_" } qw(again leaver renamed)), 'kg_check lists what is left of them');
dump_to('source', 'orphans');
my ($ok, $err) = restore_from('orphans', 'orphans', '--exit-on-error');
ok($ok, 'the dump is restored') or diag($err);
is(tenant_of($there, 'orphans', $_), 'nobody', "$_ has no tenant there") foreach qw(alice renamed new_name again);
is(tenant_of($there, 'orphans', 'ben'), 't_ben', 'a grant that counts is restored for a role with another number');
is($there->safe_psql('orphans', q{SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), '0', 'there is nothing to list');
is($there->safe_psql('orphans', 'SELECT count(*) FROM kg_tenant'), '4', 'every tenant is there');
is($there->safe_psql('orphans', q{SELECT kg_revoke('t_ben', 'ben'); SELECT has_table_privilege('ben', 'kg_entity', 'SELECT')}),
	"\nf", 'a revoke there takes back what the grant gave here');

# A dump whose text has a number is warned of: nobody has the grant.
my $text = qx{pg_restore -f - "$tmp/orphans"};
ok($text =~ s/^t_ben\tben\tben\t/t_leaver\t$number\tleaver\t/m, 'the dump has the grant by name');
open(my $file, '>', "$tmp/numbers.sql") or die $!;
print $file $text;
close($file);
$there->safe_psql('postgres', 'CREATE DATABASE numbers');
my ($out, $errors) = ('', '');
ok(IPC::Run::run([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-h', $there->host, '-p', $there->port, '-d', 'numbers',
			'-f', "$tmp/numbers.sql" ], '>', \$out, '2>', \$errors), 'a dump with a number is restored');
like($errors, qr/WARNING: .*grant of tenant "t_leaver" to role "leaver" has no effect/, '... with a warning');
is(tenant_of($there, 'numbers', 'alice'), 'nobody', '... and who has the number has no tenant');
is($there->safe_psql('numbers', q{SELECT object FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), 'grant of tenant t_leaver to role leaver', '... and kg_check lists it');
$there->safe_psql('numbers', q{SELECT kg_revoke('t_leaver', 'leaver')});
is($there->safe_psql('numbers', 'SELECT count(*) FROM kg_tenant_role'), '0', '... and kg_revoke takes it away');

# A role that is missing there: said by name, and nobody has a grant.
$here->safe_psql('postgres', 'CREATE DATABASE missing');
$here->safe_psql('missing', 'CREATE EXTENSION kg_graph');
new_tenant($here, 'missing', $_) foreach qw(ben missing);
dump_to('missing', 'missing');
($ok, $err) = restore_from('missing', 'missing');
ok(!$ok, 'a restore without the role fails');
like($err, qr/role "missing" does not exist/, '... and names it');
is(tenant_of($there, 'missing', 'ben'), 'nobody', '... and nobody has a grant');
$there->safe_psql('postgres', 'CREATE ROLE missing LOGIN');
$there->command_ok([ 'pg_restore', '--data-only', '-t', 'kg_tenant_role', '-t', 'kg_role', '-d', 'missing', "$tmp/missing" ],
	'the grants are restored once it is there');
is(tenant_of($there, 'missing', $_), "t_$_", "$_ has its tenant") foreach qw(ben missing);
# Its privileges failed, too: health says it, and the command of docs/backup.md gives them.
sub health_of { return $there->safe_psql('missing', q{SELECT kg_health() ->> 'status', jsonb_path_query_first(kg_health(), '$.components[*] ? (@.name == "grants").metrics.problems')}) }
like(health_of(), qr/^degraded\|.*role missing lacks a privilege/, 'kg_health tells that it may not read');
is($there->safe_psql('missing', q{SELECT kg_check('{"repair": true}') ->> 'ok'}), 'true', 'kg_check gives what it lacks');
is((call_as($there, 'missing', $_, 'SELECT count(*) FROM kg_entity'))[1], '0', "$_ reads") foreach qw(ben missing);
like(health_of(), qr/^healthy\|/, 'kg_health has nothing to tell');

# A backup that would be empty is not healthy; it is mended, and then is whole.
$here->safe_psql('postgres', 'CREATE DATABASE emptied');
$here->safe_psql('emptied', 'CREATE EXTENSION kg_graph');
new_tenant($here, 'emptied', 'ben');
apply($here, 'emptied', 'ben', bundle_file('product'));
my $rows = 'SELECT count(*) FROM kg_entity UNION ALL SELECT count(*) FROM kg_history';
my $whole = $here->safe_psql('emptied', $rows);
my $n = 0;
foreach my $damage ('ALTER EXTENSION kg_graph DROP TABLE kg_entity; ALTER EXTENSION kg_graph ADD TABLE kg_entity', "UPDATE pg_extension SET extconfig = NULL WHERE extname = 'kg_graph'", 'ALTER EXTENSION kg_graph DROP TABLE kg_history', 'ALTER EXTENSION kg_graph DROP FUNCTION kg_pack()')
{
	$n++;
	$here->safe_psql('emptied', $damage);
	is($here->safe_psql('emptied', q{SELECT kg_health() ->> 'status'}), 'unhealthy', "unhealthy: $damage");
	is($here->safe_psql('emptied', q{SELECT kg_check('{"repair": true}') -> 'left'}), '0', '... and mended');
	dump_to('emptied', "emptied$n");
	($ok, $err) = restore_from("emptied$n", "emptied$n", '--exit-on-error');
	ok($ok, '... and the dump is restored') or diag($err);
	is($there->safe_psql("emptied$n", $rows), $whole, '... with every row');
	# It is not packed, nor analyzed.
	isnt($there->safe_psql("emptied$n", q{SELECT kg_health() ->> 'status'}), 'unhealthy', '... sound');
}

$here->stop;
$there->stop;
done_testing();
