# A physical standby. Tools reply as on the primary. Catalog and data are of one
# snapshot while the primary changes schemas. Calls that write are refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION kg_graph');
new_tenant($primary, 'postgres', 'reader');
$primary->safe_psql('postgres', q{
	CREATE FUNCTION bundle(indexed boolean, VARIADIC types text[]) RETURNS jsonb LANGUAGE sql AS $$
		SELECT jsonb_build_object('bundle_name', 'shop', 'version', '1', 'schemas', (SELECT jsonb_agg(jsonb_build_object('entity_type', t, 'schema',
			format('{"type": "object", "x-id-field": "id", "x-label-field": "name", "x-tool-expose": ["list"], "properties": {"id": {"type": "string"}, "name": {"type": "string"},
				"size": {"type": "integer", "x-index": %s}, "next": {"type": "string", "x-ref": "%s"}}}', indexed::text, t)::jsonb) ORDER BY n) FROM unnest(types) WITH ORDINALITY x(t, n)),
			'entities', jsonb_build_array(jsonb_build_object('entity_type', 'aa', 'items', '[{"id": "a", "name": "alpha", "size": 1, "next": "b"}, {"id": "b", "name": "beta", "size": 2}]'::jsonb))) $$;});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = on");
$standby->start;

sub on_primary
{
	my ($status, $out, $err) = call_as($primary, 'postgres', 'reader', $_[0]);
	is($status, 0, "primary: $_[0]") or diag($err);
	$primary->wait_for_catchup($standby);
	return $out;
}

# A session that stays, on the standby.
my ($in, $out, $err) = ('', '', '');
my $session = IPC::Run::start(
	[ 'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-h', $standby->host, '-p', $standby->port, '-U', 'reader', '-d', 'postgres' ],
	'<', \$in, '>', \$out, '2>&1', IPC::Run::timeout(180));

sub ask
{
	my ($sql) = @_;
	$out = '';
	$in .= "$sql\n\\echo done\n";
	$session->pump until $out =~ /^done$/m;
	return $out =~ s/^done\n//mr =~ s/\n$//r;
}

my $sorted = q{SELECT kg_list_ids('aa', '{"sort": [{"field": "size", "order": "desc"}]}') -> 'ids';};
my $types = q{SELECT string_agg(s ->> 'entity_type', ' ' ORDER BY n) FROM jsonb_array_elements(kg_export_bundle('shop') -> 'schemas') WITH ORDINALITY x(s, n);};
my $walk = q{SELECT kg_neighbors('{"start_node": {"label": "aa", "node_id": "a"}}') -> 'total', kg_list('aa', '{"search": "alpha"}') -> 'total', kg_get('aa', 'a') ->> 'name';};

on_primary(q{SELECT kg_apply_bundle(bundle(true, 'aa', 'bb')) -> 'revision'});
is(ask($sorted), '["b", "a"]', 'the standby lists by an index');
is(ask($walk), '2|1|alpha', 'the standby searches, walks and gets');
is(ask($types), 'aa bb', 'the standby returns types in their order');

# Not indexed, and indexed again, below a snapshot.
ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
on_primary(q{SELECT kg_apply_bundle(bundle(false, 'bb', 'aa')) -> 'revision'});
is(ask($sorted), '["b", "a"]', 'a snapshot from before a change uses the old index');
is(ask($types), 'aa bb', 'a snapshot from before a change has the old order of types');
ask('COMMIT;');
like(ask($sorted), qr/22023/, 'a new snapshot has no index');
is(ask($types), 'bb aa', 'a new snapshot has the new order of types');
is(ask($walk), '2|1|alpha', 'a new snapshot searches, walks and gets as before');
ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
on_primary(q{SELECT kg_apply_bundle(bundle(true, 'bb', 'aa')) -> 'revision'});
on_primary(q{SELECT kg_put_entities('aa', '[{"id": "c", "name": "gamma", "size": 3, "next": "a"}]') -> 'counts'});
like(ask($sorted), qr/22023/, 'a snapshot from before a new index does not use it');
ask('ROLLBACK;');
is(ask($sorted), '["c", "b", "a"]', 'a new snapshot uses the new index');
is(ask($walk), '3|1|alpha', 'a new snapshot finds the new entity');

# Limits hold there too, and writing is not needed to count calls.
on_primary(q{SELECT kg_set_limits('t_reader', '*', '{"concurrent_calls": 1, "entities": 100}')});
is(ask($walk), '3|1|alpha', 'a call works on the standby with a limit of one call at a time');
is(ask(q{SELECT kg_limits() #> '{limits,concurrent_calls}';}), '1', 'kg_limits on the standby returns the limit');
on_primary(q{SELECT kg_set_limits('t_reader', 'role:reader', '{"concurrent_calls": 0}')});
like(ask($walk), qr/54000/, 'a limit of no calls refuses a call on the standby');
on_primary(q{SELECT kg_set_limits('t_reader', 'role:reader', '{}'), kg_set_limits('t_reader', '*', '{}')});

# Only the order; then a bundle dropped and made again, below a snapshot.
ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
on_primary(q{SELECT kg_apply_bundle(jsonb_set(kg_export_bundle('shop'), '{schemas}', jsonb_build_array(kg_export_bundle('shop') #> '{schemas,1}', kg_export_bundle('shop') #> '{schemas,0}'))) -> 'changed'});
is(ask($types), 'bb aa', 'a snapshot from before a change of only the order has the old order');
ask('COMMIT;');
is(ask($types), 'aa bb', 'a new snapshot has the new order');
ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
on_primary(q{SELECT kg_drop_bundle('shop') IS NOT NULL});
on_primary(q{SELECT kg_apply_bundle(bundle(true, 'aa')) -> 'revision'});
is(ask($walk), '3|1|alpha', 'a snapshot from before a drop finds the dropped data');
ask('COMMIT;');
is(ask($walk), '2|1|alpha', 'a new snapshot finds only the data that was made again');

# Writing: what changes nothing answers, the rest is refused, and nothing is left open.
is(ask(q{SELECT kg_put_entities('aa', '[{"id": "a", "name": "alpha", "size": 1, "next": "b"}]') -> 'counts';}), '{"unchanged": 1}', 'writing an unchanged entity works on the standby');
foreach my $call (
	q{kg_put_entities('aa', '[{"id": "n"}]')}, q{kg_delete_entities('aa', '{a}')}, q{kg_apply_bundle(bundle(false, 'aa'))}, q{kg_apply_bundle(bundle(true, 'aa'))},
	q{kg_drop_bundle('shop')}, q{kg_pack()}, q{kg_rebuild()}, q{kg_create_views()}, q{kg_refresh_views()})
{
	like(ask("SELECT $call;"), qr/^ERROR:  25006$/, "the standby refuses: $call");
}
is(ask($walk), '2|1|alpha', 'the session continues after the refused writes');

# A grant that is revoked is gone there, too.
$primary->safe_psql('postgres', q{SELECT kg_revoke('t_reader', 'reader')});
$primary->wait_for_catchup($standby);
like(ask($walk), qr/^ERROR:  28000$/, 'a call after the grant was revoked is refused on the standby');
$session->kill_kill;
done_testing();
