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
is($there->safe_psql('postgres', "SELECT 'alice'::regrole::oid"), $number, 'role alice of the other server has the number of the dropped role');

# Roles go, are renamed and made again; a dump of each state gives nobody a tenant.
$here->safe_psql('source', 'DROP OWNED BY leaver; DROP ROLE leaver; DROP OWNED BY again; DROP ROLE again;
	CREATE ROLE again LOGIN; ALTER ROLE renamed RENAME TO new_name');
is($here->safe_psql('source', q{SELECT string_agg(object, ', ' ORDER BY object) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}),
	join(', ', map { "grant of tenant t_$_ to role $_" } qw(again leaver renamed)), 'kg_check lists grants whose role was dropped, renamed or made again');
dump_to('source', 'orphans');
my ($ok, $err) = restore_from('orphans', 'orphans', '--exit-on-error');
ok($ok, 'a dump with such grants is restored') or diag($err);
is(tenant_of($there, 'orphans', $_), 'nobody', "$_ has no tenant after the restore") foreach qw(alice renamed new_name again);
is(tenant_of($there, 'orphans', 'ben'), 't_ben', 'a valid grant is restored for the role of the same name, which has another number');
is($there->safe_psql('orphans', q{SELECT count(*) FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), '0', 'kg_check lists no differences after the restore');
is($there->safe_psql('orphans', 'SELECT count(*) FROM kg_tenant'), '4', 'all tenants are restored');
is($there->safe_psql('orphans', q{SELECT kg_revoke('t_ben', 'ben'); SELECT has_table_privilege('ben', 'kg_entity', 'SELECT')}),
	"\nf", 'kg_revoke takes back the privileges of a restored grant');

# A dump whose text has a number is warned of: nobody has the grant.
my $text = qx{pg_restore -f - "$tmp/orphans"};
ok($text =~ s/^t_ben\tben\tben\t/t_leaver\t$number\tleaver\t/m, 'the dump has the grant by the name of the role');
open(my $file, '>', "$tmp/numbers.sql") or die $!;
print $file $text;
close($file);
$there->safe_psql('postgres', 'CREATE DATABASE numbers');
my ($out, $errors) = ('', '');
ok(IPC::Run::run([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-h', $there->host, '-p', $there->port, '-d', 'numbers',
			'-f', "$tmp/numbers.sql" ], '>', \$out, '2>', \$errors), 'a dump in which a grant has the number of another role is restored');
like($errors, qr/WARNING: .*grant of tenant "t_leaver" to role "leaver" has no effect/, 'the restore warns of the grant with the number of another role');
is(tenant_of($there, 'numbers', 'alice'), 'nobody', 'the role that has the number has no tenant');
is($there->safe_psql('numbers', q{SELECT object FROM (SELECT upper(kind) AS code, object, got AS message, repair AS hint FROM jsonb_to_recordset(kg_check() -> 'differences') AS d(kind text, object text, got text, repair text)) c}), 'grant of tenant t_leaver to role leaver', 'kg_check lists the grant with the number of another role');
$there->safe_psql('numbers', q{SELECT kg_revoke('t_leaver', 'leaver')});
is($there->safe_psql('numbers', 'SELECT count(*) FROM kg_tenant_role'), '0', 'kg_revoke deletes the grant with the number of another role');

# A role that is missing there: said by name, and nobody has a grant.
$here->safe_psql('postgres', 'CREATE DATABASE missing');
$here->safe_psql('missing', 'CREATE EXTENSION kg_graph');
new_tenant($here, 'missing', $_) foreach qw(ben missing);
dump_to('missing', 'missing');
($ok, $err) = restore_from('missing', 'missing');
ok(!$ok, 'the restore fails if a role with a grant does not exist');
like($err, qr/role "missing" does not exist/, 'the error of the restore names the missing role');
is(tenant_of($there, 'missing', 'ben'), 'nobody', 'no grants are restored if a role does not exist');
$there->safe_psql('postgres', 'CREATE ROLE missing LOGIN');
$there->command_ok([ 'pg_restore', '--data-only', '-t', 'kg_tenant_role', '-t', 'kg_role', '-d', 'missing', "$tmp/missing" ],
	'the grants are restored after the role was created');
is(tenant_of($there, 'missing', $_), "t_$_", "$_ has its tenant after the second restore") foreach qw(ben missing);
# Its privileges failed, too: health says it, and the command of docs/backup.md gives them.
sub health_of { return $there->safe_psql('missing', q{SELECT kg_health() ->> 'status', jsonb_path_query_first(kg_health(), '$.components[*] ? (@.name == "grants").metrics.problems')}) }
like(health_of(), qr/^degraded\|.*role missing lacks a privilege/, 'kg_health reports privileges that the restored role lacks');
is($there->safe_psql('missing', q{SELECT kg_check('{"repair": true}') ->> 'ok'}), 'true', 'kg_check gives the restored role its privileges');
is((call_as($there, 'missing', $_, 'SELECT count(*) FROM kg_entity'))[1], '0', "$_ can read after the repair") foreach qw(ben missing);
like(health_of(), qr/^healthy\|/, 'kg_health reports no problems after the repair');

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
	is($here->safe_psql('emptied', q{SELECT kg_health() ->> 'status'}), 'unhealthy', "kg_health reports: $damage");
	is($here->safe_psql('emptied', q{SELECT kg_check('{"repair": true}') -> 'left'}), '0', "kg_check repairs: $damage");
	dump_to('emptied', "emptied$n");
	($ok, $err) = restore_from("emptied$n", "emptied$n", '--exit-on-error');
	ok($ok, "a dump after the repair is restored: $damage") or diag($err);
	is($there->safe_psql("emptied$n", $rows), $whole, "the restored database has all rows: $damage");
	# It is not packed, nor analyzed.
	isnt($there->safe_psql("emptied$n", q{SELECT kg_health() ->> 'status'}), 'unhealthy', "the restored database is not unhealthy: $damage");
}

$here->stop;
$there->stop;
done_testing();
