# Embeddings with pgvector. A search by meaning finds what a comparison of all
# visible vectors finds, before and after a dump. If pgvector is missing, too old or
# was dropped, the error says so.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'fsync = off', 'autovacuum = off');

$node->safe_psql('postgres', 'CREATE EXTENSION kg_graph');
my ($status, $out, $err) = $node->psql('postgres', q{SELECT kg_enable_vectors(8, 'm')});
like($err, qr/extension "vector" \(pgvector\) is not installed in this database.*pgvector 0\.7 or later/s, 'an error says that pgvector is not installed');

my $version = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'vector'});
my $recent = $version =~ /^(\d+)\.(\d+)/ && ($1 > 0 || $2 >= 7);

SKIP:
{
	skip 'pgvector 0.7 or later is not installed on this machine' if !$recent;

	# pgvector is in a separate schema whose name needs quotes. It must be found with
	# any search_path.
	$node->safe_psql('postgres', q{
		CREATE SCHEMA "Ve c"; CREATE EXTENSION vector SCHEMA "Ve c"; GRANT USAGE ON SCHEMA "Ve c" TO PUBLIC;
		UPDATE pg_extension SET extversion = '0.6.2' WHERE extname = 'vector'});
	($status, $out, $err) = $node->psql('postgres', q{SELECT kg_enable_vectors(8, 'm')});
	like($err, qr/is version 0\.6\.2.*0\.7 or later/s, 'an older version of pgvector is refused');
	$node->safe_psql('postgres', qq{UPDATE pg_extension SET extversion = '$version' WHERE extname = 'vector'});
	$node->safe_psql('postgres', q{SELECT kg_enable_vectors(4, 'other'); SELECT kg_enable_vectors(8, 'm'); SELECT kg_enable_vectors(8, 'm')});

	new_tenant($node, 'postgres', $_) foreach qw(alice carol);
	$node->safe_psql('postgres', q{
		CREATE ROLE bob LOGIN; SELECT kg_grant('t_alice', 'bob', 'read');
		CREATE POLICY bob_only ON kg_entity AS RESTRICTIVE FOR SELECT TO bob USING (data ->> 'secret' IS NULL)});
	my $bundle = q{jsonb_build_object('bundle_name', 'notes', 'version', '1', 'schemas', '[
	    {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-search": ["text"], "x-valid-to": "until", "properties": {"id": {"type": "string"},
	      "name": {"type": "string"}, "text": {"type": "string"}, "until": {"type": "string", "format": "date"}, "secret": {"type": "boolean"}}}},
	    {"entity_type": "memo", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "until": {"type": "string"}, "secret": {"type": "boolean"}}}}]'::jsonb,
	  'entities', jsonb_build_array(
	    jsonb_build_object('entity_type', 'note', 'items', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', 'n' || i, 'name', 'Note ' || i, 'text', 'text of ' || i,
	      'until', CASE WHEN i % 7 = 0 THEN '2020-01-01' END, 'secret', CASE WHEN i % 3 = 0 THEN true END))) FROM generate_series(1, 300) i)),
	    jsonb_build_object('entity_type', 'memo', 'items', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', 'm' || i, 'secret', CASE WHEN i % 2 = 0 THEN true END))) FROM generate_series(1, 50) i))))};
	my $fill = q{SELECT setseed(0.%d);
	  SELECT kg_put_embeddings('note', (SELECT jsonb_agg(jsonb_build_object('id', 'n' || i, 'vector', (SELECT jsonb_agg(round((random() - 0.5)::numeric, 4)) FROM generate_series(1, 8 + 0 * i)))) FROM generate_series(1, 290) i)) -> 'counts',
	    kg_put_embeddings('memo', (SELECT jsonb_agg(jsonb_build_object('id', 'm' || i, 'vector', (SELECT jsonb_agg(round((random() - 0.5)::numeric, 4)) FROM generate_series(1, 8 + 0 * i)))) FROM generate_series(1, 50) i)) -> 'counts'};
	foreach my $role (qw(alice carol))
	{
		($status, $out, $err) = call_as($node, 'postgres', $role, "SELECT kg_apply_bundle($bundle) IS NOT NULL; " . sprintf($fill, $role eq 'alice' ? 1 : 2));
		like($out, qr/\{"created": 290\}\|\{"created": 50\}$/, "embeddings of $role") or diag $err;
	}

	# What kg_search() says, and what the owner of all finds among the rows that fit.
	my $vector = '[0.3, -0.1, 0.4, -0.1, 0.5, -0.9, 0.2, 0.6]';
	my $ids = q{(SELECT string_agg((i ->> 'id') || ' ' || round((i ->> 'score')::numeric, 4), ',' ORDER BY n) FROM jsonb_array_elements(kg_search('%s') -> 'items') WITH ORDINALITY t(i, n))};
	my $search = sub {
		my ($db, $role, $arguments) = @_;
		my ($status, $out, $err) = call_as($node, $db, $role, 'SELECT ' . sprintf($ids, $arguments));
		return $status == 0 ? $out : $err;
	};
	my $brute = sub {
		my ($tenant, $condition, $limit) = @_;
		return $node->safe_psql('postgres', qq{
			SELECT string_agg(id || ' ' || round(score::numeric, 4), ',' ORDER BY round(score::numeric, 9) DESC, name COLLATE "C") FROM (
			  SELECT e.entity_type || ':' || e.entity_id, coalesce(e.data ->> 'name', e.entity_id), 1 - (v.embedding::"Ve c".vector OPERATOR("Ve c".<=>) '$vector')
			    FROM kg_embedding v JOIN kg_entity e USING (tenant, node) WHERE v.tenant = '$tenant' AND ($condition) ORDER BY 3 DESC LIMIT $limit) t(id, name, score)});
	};
	my $meaning = qq{"vector": $vector, "mode": "meaning"};
	my $expected = $brute->('t_alice', 'true', 10);
	is(scalar(split(/,/, $expected)), 10, 'the brute-force search finds 10 entities');
	is($search->('postgres', 'alice', "{$meaning}"), $expected, 'the search finds the nearest 10 entities');
	is($search->('postgres', 'alice', qq{{$meaning, "limit": 100}}), $brute->('t_alice', 'true', 100), 'the search finds the nearest 100 entities');
	is($search->('postgres', 'alice', qq{{$meaning, "node_types": ["memo"]}}), $brute->('t_alice', q{e.entity_type = 'memo'}, 10), 'the search finds the nearest entities of one type');
	is($search->('postgres', 'alice', qq{{$meaning, "valid_at": "2024-01-01T00:00:00Z"}}), $brute->('t_alice', q{e.data ->> 'until' IS NULL}, 10), 'the search finds the nearest entities that are valid at the time');
	is($search->('postgres', 'carol', "{$meaning}"), $brute->('t_carol', 'true', 10), 'the search of another tenant finds its own entities');
	is($search->('postgres', 'bob', "{$meaning}"), $brute->('t_alice', q{e.data ->> 'secret' IS NULL}, 10), 'the search does not find hidden entities');
	like((call_as($node, 'postgres', 'alice', qq{SELECT kg_search('{$meaning, "limit": 2}') - 'items'}))[1], qr/"truncated": true.*"total_at_least": 2/s, 'the reply says that there are more results');
	unlike((call_as($node, 'postgres', 'alice', qq{SELECT kg_search('{$meaning, "limit": 100, "node_types": ["memo"]}') - 'items'}))[1], qr/"truncated": true/, 'the reply does not say so if there are no more results');

	# To whom entities are hidden nothing changes by what is hidden.
	my $before = (call_as($node, 'postgres', 'bob', "SELECT kg_search('{$meaning}')"))[1];
	($status, $out, $err) = call_as($node, 'postgres', 'alice', qq{
		INSERT INTO kg_entity (bundle, entity_type, data) SELECT 'notes', 'memo', jsonb_build_object('id', 'x' || i, 'secret', true) FROM generate_series(1, 40) i;
		SELECT kg_put_embeddings('memo', (SELECT jsonb_agg(jsonb_build_object('id', 'x' || i, 'vector', '$vector'::jsonb)) FROM generate_series(1, 40) i)) -> 'counts'});
	like($out, qr/"created": 40/, 'hidden entities nearer to the vector are made');
	is((call_as($node, 'postgres', 'bob', "SELECT kg_search('{$meaning}')"))[1], $before, 'a caller who does not see them gets the same bytes');
	like($search->('postgres', 'alice', "{$meaning}"), qr/^memo:x1 1\.0000,memo:x10 1\.0000,/, 'a caller who sees them finds them first');
	call_as($node, 'postgres', 'alice', q{SELECT kg_delete_entities('memo', ARRAY(SELECT 'x' || i FROM generate_series(1, 40) i))});
	is($search->('postgres', 'alice', "{$meaning}"), $expected, 'after their deletion the search finds the former entities');

	# What matched, and what is stale.
	my $best = $expected =~ /note:(n\d+)/ ? $1 : '';
	my $matched = sub { (call_as($node, 'postgres', 'alice', qq{SELECT i -> 'matched_on' FROM jsonb_array_elements(kg_search('$_[0]') -> 'items') i WHERE i ->> 'id' = 'note:$best'}))[1] };
	is($matched->("{$meaning}"), '{"how": "meaning", "kind": "embedding"}', 'matched_on names the embedding');
	call_as($node, 'postgres', 'alice', qq{UPDATE kg_entity SET data = data || '{"text": "another"}' WHERE entity_id = '$best'});
	is($matched->("{$meaning}"), '{"how": "meaning", "kind": "embedding", "stale": true}', 'matched_on says that the embedding is stale after the text changed');
	my $name = $best =~ s/n/Note /r;
	like($matched->(qq{{"query": "$name", "vector": $vector, "mode": "hybrid"}}), qr/"names": \{.*"rank": 1/, 'a hybrid search has a rank by names');
	like($matched->(qq{{"query": "another", "vector": $vector, "mode": "hybrid"}}), qr/"text": \{.*"terms": \["another"\]/, 'a hybrid search has the matching terms of texts');
	like($matched->(qq{{"query": "$name", "vector": $vector, "mode": "hybrid"}}), qr/"meaning": \{.*"stale": true/, 'a hybrid search has a match by meaning');
	like($matched->(qq{{"vector": $vector, "mode": "hybrid"}}), qr/^\{"meaning": \{[^{}]*\}\}$/, 'a hybrid search without a query matches only by meaning');
	is((call_as($node, 'postgres', 'alice', qq{SELECT kg_missing_embeddings('note', 2) -> 'items'}))[1], qq{[{"id": "$best", "text": "$name\\nanother", "version": 2}, {"id": "n291", "text": "Note 291\\ntext of 291", "version": 1}]},
		'kg_missing_embeddings returns stale and missing embeddings with their texts') if $best lt 'n291';

	# Rows of the tenant by an index that it leads, and no vector made twice.
	my $plan = (call_as($node, 'postgres', 'postgres', qq{SET ROLE alice; RESET ROLE; SELECT kg_grant('t_alice', 'postgres', 'read'); SET kg_graph.tenant = 't_alice'; SELECT kg_explain('search_entities', '{$meaning}')}))[1];
	like($plan, qr/Index Scan using kg_embedding_\w+ on kg_embedding.*tenant/s, 'the plan scans an index of kg_embedding by tenant');
	unlike($plan, qr/Seq Scan/, 'the plan has no sequential scan');

	like((call_as($node, 'postgres', 'alice', qq{SELECT kg_call_tool('find', '{"vector": $vector, "mode": "meaning", "type": "memo", "limit": 1}') -> 'structuredContent'}))[1], qr/"id": "memo:m\d+"/, 'the tool find searches by meaning');

	my $mcp = sub {
		my ($method, $params) = @_;
		return (call_as($node, 'postgres', 'alice', qq{SELECT kg_mcp('{"jsonrpc": "2.0", "id": 1, "method": "$method", "params": $params}')}))[1];
	};
	like($mcp->('tools/list', '{}'), qr/"an embedding of 8 numbers"/, 'tools/list describes the argument vector');
	like($mcp->('tools/call', qq{{"name": "search_entities", "arguments": {$meaning, "limit": 1}}}), qr/note:n\d+/, 'tools/call accepts a vector');

	# What somebody else decides.
	$node->safe_psql('postgres', q{
		CREATE FUNCTION decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean) LANGUAGE sql STABLE AS
		  $$ SELECT i, i !~ '[05]$' FROM unnest($3) i $$;
		SELECT kg_grant('t_carol', 'postgres', 'admin')});
	$node->safe_psql('postgres', "SET kg_graph.tenant = 't_carol'; SELECT kg_set_authorizer('t_carol', 'decide(text, text, text[])');
		SELECT kg_apply_bundle(jsonb_set($bundle, '{schemas,0,schema,x-authorize}', '{\"ability\": \"see\"}') #- '{entities}', '{\"mode\": \"merge\"}')");
	my $allowed = $brute->('t_carol', q{e.entity_type <> 'note' OR e.entity_id !~ '[05]$'}, 10);
	is($search->('postgres', 'carol', "{$meaning}"), $allowed, 'the search does not find entities that the authorizer denies');

	# A dump and what is made of it, here and where pgvector is not.
	my $dump = $node->backup_dir . '.dump';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
	$node->safe_psql('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ], 'pg_restore');
	is($search->('restored', 'alice', "{$meaning}"), $expected, 'a restored database finds the same entities');
	is($node->safe_psql('restored', 'SELECT kg_check() -> $$ok$$'), 'true', 'kg_check finds no differences in the restored database');
	$node->safe_psql('restored', 'DROP EXTENSION vector');
	like($search->('restored', 'alice', "{$meaning}"), qr/extension "vector" \(pgvector\) is not installed/, 'after DROP EXTENSION vector an error says that pgvector is not installed');
	is($node->safe_psql('restored', 'SELECT count(*) FROM kg_embedding'), 680, 'DROP EXTENSION vector deletes no embeddings');
	$node->safe_psql('restored', 'CREATE EXTENSION vector');
	is($search->('restored', 'alice', "{$meaning}"), $expected, 'the search works again with pgvector in another schema');

	# In a database that was made with 0.1.0: nothing before its update, all after it.
	$node->safe_psql('postgres', 'CREATE DATABASE old');
	$node->safe_psql('old', q{CREATE EXTENSION vector; CREATE EXTENSION kg_graph VERSION '0.1.0'});
	new_tenant($node, 'old', 'alice');
	call_as($node, 'old', 'alice', "SELECT kg_apply_bundle($bundle)");
	like($search->('old', 'alice', '{"vector": [1, 0, 0], "mode": "meaning"}'), qr/embeddings are not enabled/, '0.1.0 before the update: embeddings are not enabled');
	call_as($node, 'old', 'alice', q{SELECT kg_delete_entities('memo', '{m1}')});
	$node->safe_psql('old', q{ALTER EXTENSION kg_graph UPDATE; SELECT kg_enable_vectors(3, 'm')});
	call_as($node, 'old', 'alice', q{SELECT kg_put_embeddings('memo', '[{"id": "m2", "vector": [1, 1, 0]}]')});
	is($search->('old', 'alice', '{"vector": [1, 0, 0], "mode": "meaning"}'), 'memo:m2 0.7071', '0.1.0 after the update: the search works with the existing grants');
	is($node->safe_psql('old', 'SELECT kg_check() -> $$ok$$'), 'true', '0.1.0 after the update: kg_check finds no differences');

	($status, $out, $err) = $node->psql('postgres', q{SELECT kg_enable_vectors(16, 'm')});
	like($err, qr/the database has embeddings of 8 dimensions by the model "m"/, 'other dimensions are refused');
	is($node->safe_psql('postgres', 'SELECT kg_disable_vectors()'), 680, 'kg_disable_vectors deletes all embeddings');
	like($search->('postgres', 'alice', "{$meaning}"), qr/embeddings are not enabled/, 'after kg_disable_vectors an error says that embeddings are not enabled');
	$node->safe_psql('postgres', q{SELECT kg_enable_vectors(3, 'm')});
	is($search->('postgres', 'alice', '{"vector": [1, 0, 0], "mode": "meaning"}'), '', 'after kg_enable_vectors there are no embeddings');
}

$node->stop;
done_testing();
