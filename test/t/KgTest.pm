# What the TAP tests share: a cluster of their own, the bundles, calls as a role.
package KgTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename qw(dirname);
use File::Spec;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_node root bundle_file new_tenant apply call_as export_of
  state_of members differences has_function run_kgctl start_session kill_backend comes_back hold let_go wait_until);

my $root = File::Spec->rel2abs(dirname(__FILE__) . "/../..");

sub root { return $root; }

# A started server whose databases are in UTF-8.
sub new_node
{
	my ($name, @lines) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
	$node->append_conf('postgresql.conf', $_) foreach @lines;
	$node->start;
	return $node;
}

# The file with a bundle: product, or iso-codes with so many entities a type.
sub bundle_file
{
	my ($name, $limit) = @_;
	my $file;

	return "$root/test/data/product.json" if $name eq 'product';
	$file = "$PostgreSQL::Test::Utils::tmp_check/$name" . ($limit // '') . '.json';
	if (!-e $file)
	{
		my %program = ('iso-codes' => 'iso_bundle', 'wordnet' => 'wordnet_bundle');
		# Another test may make the same at the same time: it appears whole.
		my @command = ('python3', '-B', "$root/scripts/data/$program{$name}.py", '-o', "$file.$$");
		push @command, '--limit', $limit if $limit;
		system(@command) == 0 && rename("$file.$$", $file) or die "cannot make the bundle $name";
	}
	return $file;
}

# A database with the extension, a tenant t_NAME for the role NAME.
sub new_tenant
{
	my ($node, $db, $role, $access) = @_;
	$access //= 'admin';
	$node->safe_psql(
		$db, qq{
		DO \$\$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$role') THEN
				CREATE ROLE $role LOGIN;
			END IF;
		END \$\$;
		SELECT kg_create_tenant('t_$role');
		SELECT kg_grant('t_$role', '$role', '$access');});
	return;
}

# psql as a role: (status, output, errors).
sub call_as
{
	my ($node, $db, $role, $sql, %more) = @_;
	my ($out, $err) = ('', '');
	my $status = $node->psql(
		$db, $sql,
		stdout => \$out,
		stderr => \$err,
		extra_params => [ '-U', $role ],
		%more);
	return ($status, $out, $err);
}

# Apply a bundle from a file; answers the result, or dies with the error.
sub apply
{
	my ($node, $db, $role, $file, $options) = @_;
	$options //= '{}';
	my ($status, $out, $err) = call_as($node, $db, $role,
		"\\set bundle `cat '$file'`\nSELECT kg_apply_bundle(:'bundle'::jsonb, '$options');");
	die "kg_apply_bundle failed: $err" if $status != 0 || $err =~ /ERROR/;
	return $out;
}

# The bytes of an export.
sub export_of
{
	my ($node, $db, $role, $bundle) = @_;
	my ($status, $out, $err) =
	  call_as($node, $db, $role, "SELECT kg_export_bundle('$bundle')::text");
	die "kg_export_bundle failed: $err" if $status != 0;
	return $out;
}

# A fingerprint of everything that is stored, the derived rows too.  Trigrams of
# tokens that no entity has any more may be left over, so only the others count.
sub state_of
{
	my ($node, $db, @without) = @_;
	my $sql = join ' UNION ALL ',
	  map { "SELECT '$_' AS name, count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text COLLATE \"C\")) FROM "
		  # An update adds columns, which are null at first.
		  . ($_ eq 'kg_freed' ? '(SELECT jsonb_strip_nulls(to_jsonb(f)) FROM kg_freed f) t' : "$_ t") }
	  grep { my $table = $_; !grep { $_ eq $table } @without }
	  qw(kg_tenant kg_tenant_role kg_bundle kg_entity_type kg_relation kg_entity
	  kg_edge kg_index_key kg_unique_key kg_term kg_tool kg_tool_version
	  kg_limit kg_idempotency kg_load kg_history kg_freed kg_freed_type);
	$sql .= " UNION ALL SELECT 'kg_trigram', count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text COLLATE \"C\"))"
	  . ' FROM kg_trigram t WHERE EXISTS (SELECT FROM kg_term e WHERE e.tenant = t.tenant AND e.term = t.term)';
	return $node->safe_psql($db, "$sql ORDER BY name");
}

# A query for everything about the members of the extension, in the order of what
# it is about.
sub members
{
	my ($extension) = @_;
	my $sql = q{
	SET search_path = pg_catalog, pg_temp;
	WITH extension AS (
	  SELECT * FROM pg_extension WHERE extname = 'EXTENSION'),
	member AS (
	  SELECT d.classid, d.objid FROM pg_depend d JOIN extension e
	    ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND d.deptype = 'e'),
	relation AS (
	  SELECT c.* FROM pg_class c JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid)
	SELECT 'member', pg_describe_object(classid, objid, 0), NULL, NULL, NULL FROM member
	UNION ALL
	SELECT 'initial privileges', pg_describe_object(i.classoid, i.objoid, i.objsubid), i.privtype::text, i.initprivs::text, NULL
	  FROM pg_init_privs i JOIN member m ON m.classid = i.classoid AND m.objid = i.objoid
	UNION ALL
	SELECT 'dumped', c.tab::regclass::text, c.condition, NULL, NULL FROM extension e, unnest(e.extconfig, e.extcondition) c(tab, condition)
	UNION ALL
	SELECT 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text, obj_description(p.oid, 'pg_proc')
	  FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
	UNION ALL
	SELECT 'relation', oid::regclass::text, format('%s %s %s %s %s %s', relkind, relpersistence, relrowsecurity, relforcerowsecurity, relreplident, reloptions),
	       relacl::text, obj_description(oid, 'pg_class') FROM relation
	UNION ALL
	SELECT 'partition', oid::regclass::text, pg_get_expr(relpartbound, oid), NULL, NULL FROM relation WHERE relispartition
	UNION ALL
	SELECT 'sequence', s.seqrelid::regclass::text, format('%s %s %s %s %s %s %s', seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle), NULL, NULL
	  FROM pg_sequence s JOIN relation r ON r.oid = s.seqrelid
	UNION ALL
	SELECT 'column', format('%s %s', a.attrelid::regclass, a.attnum), format('%s %s %s %s %s %s %s %s', attname, format_type(atttypid, atttypmod), attcollation::regcollation,
	       attnotnull, attstorage, attcompression, attgenerated, pg_get_expr(adbin, adrelid)), a.attacl::text, col_description(a.attrelid, attnum)
	  FROM pg_attribute a JOIN relation r ON r.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum WHERE attnum > 0
	UNION ALL
	SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), NULL, NULL FROM pg_index i JOIN relation r ON r.oid = i.indrelid
	UNION ALL
	SELECT 'constraint', format('%s %s', conrelid::regclass, conname), pg_get_constraintdef(c.oid), convalidated::text, NULL FROM pg_constraint c JOIN relation r ON r.oid = c.conrelid
	UNION ALL
	SELECT 'policy', format('%s %s', polrelid::regclass, polname), format('%s %s %s %s', polcmd, polpermissive, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), polroles::text, NULL
	  FROM pg_policy p JOIN relation r ON r.oid = p.polrelid
	UNION ALL
	SELECT 'trigger', format('%s %s', tgrelid::regclass, tgname), pg_get_triggerdef(t.oid), tgenabled::text, NULL FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid WHERE NOT tgisinternal
	UNION ALL
	SELECT 'trigger of a foreign key', format('%s %s %s', tgrelid::regclass, conname, tgfoid::regproc), tgenabled::text, NULL, NULL
	  FROM pg_trigger t JOIN pg_constraint c ON c.oid = t.tgconstraint JOIN relation r ON r.oid = c.conrelid WHERE tgisinternal
	UNION ALL
	SELECT 'event trigger', evtname, format('%s %s %s', evtevent, evttags, evtfoid::regproc), evtenabled::text, NULL
	  FROM pg_event_trigger t JOIN member m ON m.classid = 'pg_event_trigger'::regclass AND m.objid = t.oid
	ORDER BY 1, 2, 3};
	$sql =~ s/EXTENSION/$extension/;
	return $sql;
}

# Lines of one text that the other has not, and the other way round.
sub differences
{
	my ($got, $expected) = @_;
	my %got = map { $_ => 1 } split /\n/, $got;
	my %expected = map { $_ => 1 } split /\n/, $expected;
	return join "\n", (map { "+ $_" } grep { !$expected{$_} } sort keys %got), (map { "- $_" } grep { !$got{$_} } sort keys %expected);
}

# kgctl, with an input (nothing) and for so many seconds (60) at most.  The input
# is a file: a program that ends before it has read a pipe would end us, too.
sub run_kgctl
{
	my ($given, @command) = @_;
	my ($out, $err) = ('', '');
	my $file = PostgreSQL::Test::Utils::tempdir() . '/standard-input';

	append_to_file($file, $given->{input} // '');
	IPC::Run::run([ 'kgctl', @command ], '<', $file, '>', \$out, '2>', \$err,
		IPC::Run::timeout($given->{seconds} // 60));
	return { code => $? >> 8, signal => $? & 127, out => $out, err => $err };
}

# Start psql on an input, wait until its output matches, and answer what it runs
# with, the match, and where its output and its errors go.  It stays until
# finish() or kill_kill().
sub start_session
{
	my ($node, $db, $role, $in, $pattern) = @_;
	my ($out, $err) = ('', '');
	my @as = defined $role ? ('-U', $role) : ();
	my $run = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-h', $node->host, '-p', $node->port, @as, '-d', $db ],
		'<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	$run->pump until $out =~ $pattern;
	return ($run, $1, \$out, \$err);
}

# kill -9 of a backend.  Its client knows before the postmaster does, which goes on
# to let clients in until then; after it has seen it, it turns them away until all is
# recovered.
sub kill_backend
{
	my ($pid) = @_;
	kill 'KILL', $pid;
	wait_until(sub { !kill 0, $pid }) or die 'the server does not notice that a backend is gone';
	return;
}

# Whether a server that recovers lets clients in again.  The statement is no input:
# who finds no server reads none, and that breaks a pipe, which would end the test.
sub comes_back
{
	my ($node, $db) = @_;
	my @command = ('psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-d', $db, '-c', 'SELECT 1');

	return wait_until(sub { IPC::Run::run([@command], '<', File::Spec->devnull, '>', \my $out, '2>', \my $err, IPC::Run::timeout(180)) });
}

# A session that has taken a lock, and keeps it until let_go(): who needs the
# lock waits for as long as the test wants, however fast the machine is.
sub hold
{
	my ($node, $db, $lock) = @_;
	my ($run) = start_session($node, $db, undef, "BEGIN; $lock; SELECT 'held';\n", qr/held/);
	return $run;
}

sub let_go
{
	my ($run) = @_;
	$run->kill_kill;
	return;
}

# Whether a condition came true within so many seconds.
sub wait_until
{
	my ($condition, $seconds) = @_;
	my $end = time + ($seconds // 60);
	while (time < $end) { return 1 if $condition->(); sleep 0.05 }
	return 0;
}

# Whether there is such a function: some tests call every tool there is.
sub has_function
{
	my ($node, $db, $name) = @_;
	return $node->safe_psql($db, "SELECT count(*) FROM pg_proc WHERE proname = '$name'") > 0;
}

1;
