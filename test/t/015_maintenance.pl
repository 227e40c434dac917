# A DBA maintains tables while sessions use them. Replies before and after must be
# equal, and every row correct. Also tests what docs/maintenance.md says about roles,
# templates, vacuum and HOT updates.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'fsync = off', 'autovacuum = off');

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'kg', 'ada');
new_tenant($node, 'kg', 'ben');
apply($node, 'kg', $_, bundle_file('iso-codes', 300)) foreach 'ada', 'ben';

# A list by an index, a search with a typing error, a walk, a count.
my $calls = join '', map { "SELECT $_;\n" }
  q{kg_call_tool('list_country', '{"sort": [{"field": "name"}], "limit": 5}') #>> '{structuredContent,items}'},
  q{kg_call_tool('search_entities', '{"query": "Frnce"}') -> 'structuredContent'},
  q{kg_call_tool('explore_neighbors', '{"start_node": {"label": "country", "node_id": "AD"}, "max_hops": 2}') #>> '{structuredContent,nodes}'},
  q{kg_call_tool('aggregate_nodes', '{"node": {"label": "subdivision"}, "group_by": [{"property": "kind"}], "aggregations": [{"fn": "count"}]}') #>> '{structuredContent}'};

# A session that stays open: what it is asked, it answers.
sub session
{
	my ($db, $role) = @_;
	my ($in, $out) = ('', '');
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', $db ],
		'<', \$in, '>', \$out, '2>&1', IPC::Run::timeout(300));
	return sub {
		my ($sql) = @_;
		if (!defined $sql) { $in .= "\\q\n"; $run->finish; return }
		$out = '';
		$in .= "$sql\n\\echo the end\n";
		$run->pump until $out =~ s/the end\n\z//;
		return $out;
	};
}

my $warm = session('kg', 'ada');

sub answers { return $warm->($calls) }

my $before = answers();
like($before, qr/Andorra/, 'a session answers, and so fills its caches');
is(scalar(grep { length > 20 && !/"error":/ } split /\n/, $before), 4, 'the four calls of the session are answered without errors');

my $tables = $node->safe_psql('kg', q{SELECT string_agg(c.oid::regclass::text, ' ' ORDER BY c.relname)
	FROM pg_class c WHERE relkind = 'r' AND relname LIKE 'kg\_%' AND relnamespace = 'public'::regnamespace});
my @done = (
	[ 'VACUUM (FULL, ANALYZE) of all tables' => map { "VACUUM (FULL, ANALYZE) $_" } split ' ', $tables ],
	[ 'CLUSTER by the primary key' => map { "CLUSTER $_ USING ${_}_pkey" } qw(kg_entity kg_edge kg_index_key kg_term kg_adjacency) ],
	[ 'REINDEX DATABASE' => 'REINDEX DATABASE kg' ],
	[ 'REINDEX TABLE CONCURRENTLY' => map { "REINDEX TABLE CONCURRENTLY $_" } qw(kg_entity kg_edge kg_index_key kg_term) ],
	[ 'ANALYZE of no table' => 'DELETE FROM pg_statistic' ],
	[ 'DISCARD ALL in another session' => 'DISCARD ALL' ],
	[ 'kg_pack() of both tenants' => q{SET ROLE ada}, 'SELECT kg_pack()', 'SET ROLE ben', 'SELECT kg_pack()' ]);
for my $done (@done)
{
	my ($what, @statements) = @$done;
	# Each in a transaction of its own, in one session.
	my ($out, $err) = ('', '');
	$node->psql('kg', join(";\n", @statements) . ';', stderr => \$err, on_error_stop => 1);
	is($err =~ s/^NOTICE.*\n//mgr, '', $what);
	is(answers(), $before, "$what: an open session gives the same answers");
}
is($node->safe_psql('kg', q{SELECT kg_check() ->> 'ok'}), 'true', 'kg_check finds no differences');

# A change of data that is no name, key or reference is a HOT update.
my $updates = join ";\n", 'SET ROLE ben', map { qq{UPDATE kg_entity SET data = jsonb_set(data, '{official_name}', '"changed $_"') WHERE entity_type = 'country' AND entity_id = 'FR'} } 1 .. 20;
$node->safe_psql('kg', 'VACUUM kg_entity');
$node->safe_psql('kg', q{SELECT pg_stat_reset_single_table_counters('kg_entity'::regclass)});
$node->safe_psql('kg', $updates);
is($node->safe_psql('kg', q{SELECT n_tup_upd = 20 AND n_tup_hot_upd >= 15 FROM pg_stat_user_tables WHERE relname = 'kg_entity'}),
	't', 'updates of data alone are HOT if the page has space');

# A role with a grant cannot be dropped; after kg_revoke it can, and its name is nobody.
my $err = '';
$node->psql('kg', 'DROP ROLE ben', stderr => \$err);
like($err, qr/cannot be dropped because some objects depend on it/, 'DROP ROLE of a role with a grant fails');
$node->safe_psql('kg', q{SELECT kg_revoke('t_ben', 'ben'); DROP ROLE ben; CREATE ROLE ben LOGIN});
is($node->safe_psql('kg', q{SET ROLE ben; SELECT kg_tenant() IS NULL}), 't', 'a new role with the name of a dropped role has no tenant');
is($node->safe_psql('kg', q{SELECT kg_check() ->> 'ok'}), 'true', 'kg_check finds no remains of the revoked grant');

# DROP OWNED takes the privileges and leaves a grant that does not count.
new_tenant($node, 'kg', 'cem', 'read');
$node->safe_psql('kg', q{DROP OWNED BY cem; DROP ROLE cem});
like($node->safe_psql('kg', q{SELECT d ->> 'kind' FROM jsonb_array_elements(kg_check() -> 'differences') d}), qr/^grant_orphaned$/, 'kg_check reports a grant of a dropped role');
$node->safe_psql('kg', q{SELECT kg_revoke('t_cem', 'cem')});
is($node->safe_psql('kg', q{SELECT kg_check() ->> 'ok'}), 'true', 'kg_revoke deletes the grant of a dropped role by its name');

# A database made of this one.
$warm->();
$node->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE kg');
my $copy = session('copied', 'ada');
is($copy->($calls), $before, 'a copy by TEMPLATE gives the same answers');
$copy->();
is($node->safe_psql('copied', q{SELECT kg_check() ->> 'ok'}), 'true', 'kg_check finds no differences in a copy by TEMPLATE');

done_testing();
