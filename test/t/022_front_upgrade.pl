# Updates every released kg_front to the current version. The result must be the same
# as a fresh installation, and keep its directory.
#
# An update path is a script sql/kg_front--A--B.sql. The released versions are those
# whose install script scripts/freeze stored in sql/released/. A version made up from
# the current one tests that an update keeps the directory.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
plan skip_all => 'PL/Proxy is not installed (Debian: postgresql-NN-plproxy)' unless -e "$sharedir/extension/plproxy.control";

my $present = slurp_file(root() . '/kg_front.control') =~ /default_version = '([^']+)'/ ? $1 : '';
my @kept = map { m{kg_graph--([0-9.]+)\.sql$} ? $1 : () } glob root() . '/sql/released/kg_graph--*.sql';
my @from = map { m{kg_front--([0-9.]+)\.sql$} ? $1 : () } glob root() . '/sql/released/kg_front--*.sql';
is("@from", join(' ', grep { $_ ne '0.1.0' } @kept), 'each version since 0.2.0 is kept with its kg_front');

my $node = new_node('front_upgrade', 'fsync = off');
my $members = members('kg_front');
$node->safe_psql('postgres', 'CREATE ROLE front_ada LOGIN; CREATE ROLE front_gate LOGIN');

sub database
{
	my ($db, @sql) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, $_) foreach 'CREATE EXTENSION plproxy', @sql;
	return $db;
}

# A directory with something in each of its tables, and who asks it.
my $fill = q{
	INSERT INTO kg_shard VALUES (1, 'one', 'dbname=one'), (7, 'two', 'host=second dbname=two');
	INSERT INTO kg_place VALUES ('t_ada', 1, DEFAULT, NULL, '2026-11-01Z'), ('t_ben', 7, 'moving', 1, '2026-11-02Z');
	INSERT INTO kg_place_role VALUES ('front_ada', 'front_ada', 't_ada');
	INSERT INTO kg_key_route VALUES ('issuer', 'k', 'tenant', NULL);
	INSERT INTO kg_gateway VALUES ('front_gate', 'front_gate', true);};

sub directory
{
	my ($db) = @_;
	my @tables = split /\n/, $node->safe_psql($db, q{SELECT c::regclass FROM pg_extension e, unnest(e.extconfig) c WHERE extname = 'kg_front' ORDER BY c::regclass::text COLLATE "C"});
	my $rows = join "\n", map { ("$_:", $node->safe_psql($db, "SELECT to_jsonb(t) FROM $_ t ORDER BY t::text COLLATE \"C\"")) } @tables;
	my @asked = map { (call_as($node, $db, @$_))[1] } [ 'front_ada', 'SELECT kg_connect()' ], [ 'front_gate', q{SELECT tenant, dsn FROM kg_gateway_place ORDER BY 1} ];
	return join "\n", $rows, @asked;
}

database('fresh', 'CREATE EXTENSION kg_front');
my $fresh = $node->safe_psql('fresh', $members);
$node->safe_psql('fresh', $fill);
my $directory = directory('fresh');
like($directory, qr/^kg_gateway:\n\{.*^kg_key_route:\n\{.*^kg_place:\n\{.*^kg_place_role:\n\{.*^kg_shard:\n\{.*dbname=one user='front_ada'.*t_ben[|]host=second/ms, 'the directory has rows in each table') or diag($directory);

sub updates
{
	my ($version) = @_;
	(my $db = "front_$version") =~ tr/./_/;
	database($db, "CREATE EXTENSION kg_front VERSION '$version'", $fill, 'ALTER EXTENSION kg_front UPDATE');
	is($node->safe_psql($db, q{SELECT extversion FROM pg_extension WHERE extname = 'kg_front'}), $present, "$version: ALTER EXTENSION updates it to $present");
	is(differences($node->safe_psql($db, $members), $fresh), '', "$version: the updated catalog is that of a fresh installation");
	is(differences(directory($db), $directory), '', "$version: the directory is unchanged");
	$node->safe_psql('postgres', "DROP DATABASE $db");
	return;
}
updates($_) foreach @from;

# ---- what is kept ----

my $dir = PostgreSQL::Test::Utils::tempdir();
is(system(root() . '/scripts/freeze', '--scripts', $dir), 0, 'scripts/freeze writes the scripts');
foreach my $extension ('kg_graph', 'kg_front')
{
	my $file = "$extension--$present.sql";
	ok(-e "$dir/$file" && slurp_file("$dir/$file") eq slurp_file("$sharedir/extension/$file"), "the written script of $extension is the installed one");
}

# Today's, as if it were one that was released and is not any more as it was.
my @made_up = map { "$sharedir/extension/kg_front--$_.sql" } '0.0.1', "0.0.1--$present";
END { my $status = $?; unlink @made_up; $? = $status }
SKIP:
{
	skip 'the server\'s files cannot be written', 1 unless -w "$sharedir/extension";
	my $script = slurp_file("$dir/kg_front--$present.sql");
	my ($comment) = $script =~ /^(COMMENT ON TABLE \@extschema\@\.kg_shard .*;)$/m;
	my %changed = (
		'as it was' => [ q{COMMENT ON TABLE @extschema@.kg_shard IS 'as it was'}, $comment ],
		'kg_place_shard_idx' => [ 'DROP INDEX @extschema@.kg_place_shard_idx', 'CREATE INDEX kg_place_shard_idx ON @extschema@.kg_place (shard)' ],
		'=r/' => [ 'REVOKE SELECT ON @extschema@.kg_my_place FROM PUBLIC', 'GRANT SELECT ON @extschema@.kg_my_place TO PUBLIC' ],
		'kg_key_route 4' => [ q{ALTER TABLE @extschema@.kg_key_route ALTER tenant SET DEFAULT ''}, 'ALTER TABLE @extschema@.kg_key_route ALTER tenant DROP DEFAULT' ],
		'PARALLEL SAFE' => [ 'ALTER FUNCTION @extschema@.kg_connect() PARALLEL SAFE', 'ALTER FUNCTION @extschema@.kg_connect() PARALLEL UNSAFE' ]);
	append_to_file($made_up[0], join ";\n", $script, map { $_->[0] } values %changed);
	append_to_file($made_up[1], '');
	database('forgot', q{CREATE EXTENSION kg_front VERSION '0.0.1'}, 'ALTER EXTENSION kg_front UPDATE');
	my $told = differences($node->safe_psql('forgot', $members), $fresh);
	like($told, qr/\Q$_\E/, "the comparison finds a change that the update omits: $_") foreach sort keys %changed;
	append_to_file($made_up[1], join ";\n", map { $_->[1] } values %changed);
	updates('0.0.1');
}

$node->stop;
done_testing();
