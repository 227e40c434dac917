# The commands of kgctl that change or read something: all kinds of input and output,
# dry runs, interruption, and the output on a terminal.
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = cluster('commands');
my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_direct';
$ENV{HOME} = $dir;
delete $ENV{$_} for qw(XDG_CONFIG_HOME KGCTL_TOKEN KGCTL_TENANT);

sub put
{
	my ($name, $text) = @_;
	my ($folder) = "$dir/$name" =~ m{(.*)/};
	make_path($folder);
	open my $file, '>:raw', "$dir/$name" or die "$name: $!";
	print $file $text;
	close $file;
	return "$dir/$name";
}

sub kgctl
{
	my ($input, @command) = @_;
	return run_kgctl({ input => $input }, @command);
}

sub ends
{
	my ($code, $pattern, $name, @command) = @_;
	my $got = kgctl('', @command);
	is($got->{code}, $code, "$name: exit code") or diag $got->{err};
	like($got->{out} . $got->{err}, $pattern, $name);
	return $got;
}

my $schema = '{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "x-index": true}}}';
sub bundle
{
	my ($entities, $more) = @_;
	return qq({"bundle_name": "files", "version": "1", "schemas": [{"entity_type": "note", "schema": $schema}],\n)
	  . '"relations": [{"name": "NEXT", "from": "note", "to": "note"}],'
	  . qq("entities": [{"entity_type": "note", "items": [\n$entities\n]}],"edges": [) . ($more // '') . ']}';
}
my $file = put('files.json', bundle('{"id": "a", "n": 1}, {"id": "b", "n": 2}', '{"relation": "NEXT", "from": "note:a", "to": "note:b"}'));

sub stored { return $node->safe_psql('postgres', q{SELECT coalesce(string_agg(entity_id, ' ' ORDER BY entity_id), '') FROM kg_entity}) }

# One JSON file.
ends(0, qr/^files: valid: .*created 2/, 'a dry run counts', 'apply', '--dry-run', $file);
is(stored(), '', 'and changes nothing');
my $many = put('many.json', bundle(join(', ', map { qq({"id": "a$_", "n": 1}) } 1 .. 101)));
ends(0, qr/^files: valid: entities note created 101, revision 1$/, 'a dry run that does not name all counts the same', 'apply', '--dry-run', $many);
ends(0, qr/^files: valid/, '-n is the same', 'apply', '-n', $file);
ends(0, qr/^files: applied: .*created 2/, 'apply', 'apply', $file);
is(stored(), 'a b', 'and it is there');
ends(0, qr/^files: applied(?!.*created)/, 'again: nothing is created', 'apply', $file);
ends(0, qr/\A\z/, 'quiet', 'apply', '-q', $file);
my $json = kgctl('', 'apply', '--json', $file);
is(ref decode($json->{out}), 'HASH', 'JSON for programs');
my $revision = decode($json->{out})->{revision};
is(kgctl(bundle('{"id": "a", "n": 7}'), 'apply', '--dry-run', '-')->{code}, 0, 'from standard input');
is(kgctl(bundle('{"id": "c", "n": 3}'), 'apply', '--merge', '-')->{code}, 0, 'merge');
is(stored(), 'a b c', 'keeps what the bundle does not have');
my $refused = kgctl(bundle('{"id": "d"}'), 'apply', '--expected-revision', $revision, '-');
is($refused->{code}, 6, 'another revision is refused') or diag $refused->{err};
like($refused->{err}, qr/CONFLICT|revision/, 'and named');
$refused = kgctl(bundle('{"id": "d"}'), 'apply', '--expected-revision', '007', '-');
is($refused->{code}, 6, 'a revision with zeros before it is that revision') or diag $refused->{err};
$refused = kgctl(bundle('{"id": "d"}'), 'apply', '--max-errors', '10001', '-');
is($refused->{code}, 2, 'more errors than the server reports');
like($refused->{err}, qr/from 1 to 10000/, 'and how many it does');
is(kgctl(bundle(''), 'apply', '-')->{code}, 0, 'replace');
is(stored(), '', 'takes away what the bundle does not have');

# Errors have the line of the JSON file, all of them at once.
$refused = kgctl('', 'apply', put('wrong.json', bundle(qq({"id": "a",\n "n": "x"},\n{"n": 3},\n{"id": "c",\n "n": 1.5}))));
is($refused->{code}, 6, 'a bundle that is not valid');
like($refused->{err}, qr{wrong\.json:4: note "a": /n: }, 'the value\'s line');
like($refused->{err}, qr{wrong\.json:5: .*id}, 'the line of an entity without id');
like($refused->{err}, qr{wrong\.json:7: note "c": /n: }, 'and the last one');
is(stored(), '', 'nothing is changed');
is(scalar(() = kgctl('', 'apply', '--max-errors', '1', "$dir/wrong.json")->{err} =~ /wrong\.json:\d+:/g), 1, '--max-errors');
$refused = kgctl('', 'validate', "$dir/wrong.json");
is($refused->{code}, 6, 'validate says so too');
like($refused->{err}, qr{wrong\.json:4: }, 'with lines');
ends(6, qr{\Qnobody\E}, 'a reference to nothing', 'apply',
	put('ref.json', bundle('{"id": "a"}', '{"relation": "NEXT", "from": "note:a", "to": "note:nobody"}')));

# A directory with a file, a folder and entities in place.
put('dir/manifest.yaml', <<"YAML");
bundle_name: files
version: "1"
entity_types:
- name: note
  schema_file: schemas/note.json
  entities_file: entities/notes.yaml
- name: page
  schema_file: schemas/note.json
  entities_path: entities/pages
- name: line
  schema: $schema
  entities:
  - id: z
relations:
- name: NEXT
  from: note
  to: note
edges_file: edges.yaml
YAML
put('dir/schemas/note.json', $schema);
put('dir/entities/notes.yaml', "- id: a\n  n: 1\n- id: b\n");
put('dir/entities/pages/1.yaml', "id: p1\n");
put('dir/entities/pages/2.yml', "- id: p2\n- id: p3\n");
put('dir/entities/pages/README', "not YAML: [\n");
put('dir/edges.yaml', "- relation: NEXT\n  from: note:a\n  to: note:b\n");
ends(0, qr/^files: applied/, 'a directory of all layouts', 'apply', "$dir/dir");
is(stored(), 'a b p1 p2 p3 z', 'all of it');
ends(0, qr/\A\z/, 'does not differ', 'diff', "$dir/dir");
put('dir/edges.yaml', "- relation: NEXT\n  from: note:b\n  to: note:a\n");
ends(1, qr/^\+ edge .*b.*a.*^- edge .*a.*b|^- edge .*a.*b.*^\+ edge .*b.*a/ms, 'a turned edge differs', 'diff', "$dir/dir");
ends(1, qr/\A(?:[-+~] \S.*\n)+\z/, 'in brief', 'diff', '--brief', "$dir/dir");
put('dir/entities/notes.yaml', "- id: a\n  n: 1\n- id: b\n  n:\n    deep: 1\n");
ends(6, qr{entities/notes\.yaml:5: note "b": /n: }, 'an error in a folder has its file and line', 'apply', "$dir/dir");

# Export.
put('there/x', '');
ends(4, qr/not empty/, 'not into a full directory', 'export', 'files', '-o', "$dir/there");
is(kgctl('', 'export', 'files', '-o', "$dir/there", '--force')->{code}, 0, 'unless forced');
is(kgctl('', 'diff', "$dir/there")->{code}, 0, 'which is the same');
is(kgctl('', 'export', 'files', '-o', "$dir/out.json")->{code}, 0, 'to a file');
ends(4, qr/exists/, 'once', 'export', 'files', '-o', "$dir/out.json");
is(kgctl('', 'export', 'files', '-f', '-o', "$dir/out.json")->{code}, 0, 'or forced');
my $text = kgctl('', 'export', 'files');
is(ref decode($text->{out}), 'HASH', 'to standard output as JSON');
is(kgctl($text->{out}, 'diff', '-')->{code}, 0, 'which does not differ from what is stored');
ends(6, qr/bundle "other" does not exist/, 'no such bundle', 'export', 'other');
# A little is written at the end, much at once.
SKIP:
{
	skip 'no /dev/full', 4 unless -e '/dev/full';
	my $items = join ',', map { sprintf '{"id": "%0120d"}', $_ } 1 .. 100;
	is(kgctl(qq({"bundle_name": "long", "version": "1", "schemas": [{"entity_type": "long", "schema": $schema}],
		"entities": [{"entity_type": "long", "items": [$items]}]}), 'apply', '-q', '-')->{code}, 0, 'a longer bundle');
	for my $name (qw(files long))
	{
		IPC::Run::run(['kgctl', 'export', $name], '<', \'', '>', '/dev/full', '2>', \my $err);
		is($? >> 8, 3, "a full disk is noticed: $name");
	}
	IPC::Run::run(['kgctl', 'diff', $file], '<', \'', '>', '/dev/full', '2>', \my $err);
	is($? >> 8, 3, 'differences that could not be written');
}

# Tools.
ends(0, qr/^get_note +\S/m, 'tools', 'tools');
is(ref decode(kgctl('', 'tools', '--json')->{out}), 'ARRAY', 'tools as JSON');
for my $case ([ [ 'ids=["a","p9"]' ], 'name=value' ], [ [ '{"ids": ["a", "p9"]}' ], 'an object' ], [ [ '@' . put('args.json', '{"ids": ["a", "p9"]}') ], 'a file' ])
{
	my $got = kgctl('', 'call', 'get_note', @{ $case->[0] });
	is($got->{code}, 0, "arguments as $case->[1]") or diag $got->{err};
	like($got->{out}, qr/"not_found": \[\s*"p9"\s*\]/, 'answered');
}
is(kgctl('{"id": "a"}', 'call', 'get_note', '-')->{code}, 0, 'arguments from standard input');
is(scalar(split /\n/, kgctl('', 'call', '-c', 'get_note', 'id=a')->{out}), 1, 'compact is one line');
ends(2, qr/neither a JSON object nor name=value/, 'arguments that are none', 'call', 'get_note', 'a');
ends(2, qr/given twice/, 'an argument twice', 'call', 'get_note', 'id=a', 'id=b');
ends(2, qr/not JSON/, 'half an object', 'call', 'get_note', '{"id":');
ends(1, qr/did you mean|allowed|unknown/i, 'a wrong argument', 'call', 'get_note', 'idd=a');
ends(1, qr/get_nothing/, 'no such tool', 'call', 'get_nothing');

# One SELECT, with values; as a table, as CSV, as JSON.
is(kgctl('', 'query', 'SELECT id, n FROM note ORDER BY 1')->{out}, "id | n\n---+--\na  | 1\nb  | \n", 'rows as a table');
is(kgctl('', 'query', '--csv', q{SELECT id, n, '' AS e, NULL AS z, 'x "y", z' AS q, ARRAY[id] AS l FROM note WHERE n >= $1 ORDER BY 1}, '1')->{out},
	qq{id,n,e,z,q,l\na,1,"",,"x ""y"", z","[""a""]"\n}, 'rows as CSV');
like(kgctl('', 'query', '--json', 'SELECT n FROM note WHERE id = $1', 'a')->{out}, qr/"rows": \[\[1\]\]/, 'the reply as JSON');
is(kgctl('SELECT count(*) FROM "NEXT"', 'query', '-')->{out}, "count\n-----\n    1\n", 'a statement from standard input');
my $first = kgctl('', 'query', '--limit', '1', 'SELECT id FROM note ORDER BY 1');
is($first->{out}, "id\n--\na\n", 'so many rows');
like($first->{err}, qr/1 rows; there are more \(limit\)/, 'and that there are more');
like(kgctl('', 'query', q{SELECT E'\u001b[31m\nx' AS a})->{out}, qr/\\x1b\[31m x/, 'what a terminal would take for its own is escaped');
ends(1, qr/table "notes" does not exist.*did_you_mean|did you mean.*note/s, 'an unknown table', 'query', 'SELECT * FROM notes');
ends(1, qr/a query cannot have DELETE/, 'what is no SELECT', 'query', 'DELETE FROM note');
ends(1, qr/pg_read_all_stats/, 'the plan', 'query', '--explain', 'SELECT 1');
ends(2, qr/must be a number/, 'a limit that is none', 'query', '--limit', 'x', 'SELECT 1');
ends(0, qr/a/, 'at an instant', 'query', '--valid-at', 'now', 'SELECT id FROM note');
ends(6, qr/\S/, 'a tenant that is not granted', 'tools', '--tenant', 'b');
ends(0, qr/get_note/, 'one that is', 'tools', '-t', 'a');

# The manual page has every command and every option.
{
	my $page = PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../../docs/kgctl.1");
	$page =~ s/\\-/-/g;
	my @commands = kgctl('', '--help')->{out} =~ /^  ([a-z]+) +\S/mg;
	is(scalar @commands, 16, 'all commands are in the help');
	my @missing = grep { $page !~ /^\.B kgctl $_$/m } @commands;
	for my $command (@commands)
	{
		push @missing, map { "$command --$_" } grep { $page !~ /^\.BR? .*--$_\b/m }
		  kgctl('', $command, '--help')->{out} =~ /--([a-z-]+)/g;
	}
	is("@missing", '', 'and in the manual page, with their options');
}

# Whether an apply waits to write entities.
sub apply_waits
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE a.usename = 'kg_direct' AND l.relation = 'kg_entity'::regclass AND NOT l.granted}) eq '1';
}

# What a terminal shows while it takes time, and an interrupt.
{
	my $items = join ",\n", map { qq({"id": "n$_", "n": $_}) } 1 .. 30000;
	my $large = put('large.json', bundle($items));
	my ($out, $screen) = ('', '');
	# However fast the machine is, the check waits for this.
	my $blocker = IPC::Run::start(
		['psql', '-Xq', '-d', $node->connstr('postgres'), '-c', 'BEGIN; LOCK TABLE kg_bundle; SELECT pg_sleep(2); COMMIT'],
		'<', \'', '>', \my $slept, '2>', \my $trouble, IPC::Run::timeout(60));
	$node->poll_query_until('postgres',
		q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'kg_bundle'::regclass AND mode = 'AccessExclusiveLock' AND granted});
	IPC::Run::run(['kgctl', 'apply', '--dry-run', $large], '<', \'', '>', \$out, '2>pty>', \$screen, IPC::Run::timeout(120));
	is($? >> 8, 0, 'a large bundle') or diag $screen;
	like($screen, qr/checking 30000 entities and 0 edges of files \.\.\. \d+\.\d s/, 'progress on a terminal');
	$blocker->finish;
	unlike(kgctl('', 'apply', '--dry-run', $large)->{err}, qr/checking/, 'and nowhere else');
	my $err = '';
	my $keeper = hold($node, 'postgres', 'LOCK TABLE kg_entity IN SHARE MODE');
	my $run = IPC::Run::start(['kgctl', 'apply', $large], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	ok(wait_until(\&apply_waits), 'an apply has begun to write');
	my $before = stored();
	$run->signal('INT');
	$run->finish;
	let_go($keeper);
	is($run->full_result(0) >> 8, 130, 'an interrupt ends it');
	like($err, qr/cancelled; nothing was changed/, 'and says what became of it');
	ok(stored() eq $before, 'nothing was changed');
}

# How far an apply is, as the server tells it; what only looks like that is passed over.
{
	$node->safe_psql('postgres', q{CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			PERFORM pg_sleep(1.1);
			RAISE NOTICE USING ERRCODE = 'KGPRO', MESSAGE = '["what"';
			RAISE NOTICE USING ERRCODE = 'KGPRO', MESSAGE = '{"what": 1, "done": "many"}';
			RETURN NULL;
		END $$;
		CREATE TRIGGER slowly AFTER INSERT ON kg_entity EXECUTE FUNCTION slowly()});
	my $slow = put('slow.json', bundle(join ",\n", map { qq({"id": "s$_", "n": $_}) } 1 .. 210000));
	my ($out, $screen) = ('', '');
	IPC::Run::run(['kgctl', 'apply', '--dry-run', $slow], '<', \'', '>', \$out, '2>pty>', \$screen, IPC::Run::timeout(120));
	is($? >> 8, 0, 'an apply of several batches') or diag $screen;
	like($screen, qr/writing entities \.\.\. 100000 of 210000 \(\d+\.\d s\)/, 'shows how far it is');
	like($screen, qr{writing entities \.\.\. 200000 of 210000, \d+/s, \d+ s left \(}, 'how fast, and how long it takes');
	unlike($screen, qr/many/, 'and nothing that is no number');
	$node->safe_psql('postgres', 'DROP FUNCTION slowly() CASCADE');
}

# A server whose kg_graph does not know the settings for progress reports. Its
# library is loaded when the connection starts, or by the first call.
{
	my $library = `pg_config --pkglibdir` =~ s/\s+$//r . '/kg_graph.so';
	my $bytes = slurp_file($library);
	ok($bytes =~ s/kg_graph\.progress\0/kg_graph.pr0gress\0/g, 'a library without the setting');
	mkdir "$dir/older";
	open my $older, '>:raw', "$dir/older/kg_graph.so" or die "$dir/older: $!";
	print $older $bytes;
	close $older;
	$node->safe_psql('postgres', "CREATE DATABASE older; ALTER DATABASE older SET dynamic_library_path = '$dir/older'");
	$node->safe_psql('older', q{CREATE EXTENSION kg_graph; SELECT kg_create_tenant('a'), kg_grant('a', 'kg_direct', 'admin')});
	local $ENV{KGCTL_DSN} = $node->connstr('older') . ' user=kg_direct';
	for my $preload ('', 'kg_graph')
	{
		$node->safe_psql('older', "ALTER DATABASE older SET session_preload_libraries = $preload") if $preload;
		my ($status, undef, $err) = call_as($node, 'older', 'kg_direct', q{SET kg_graph.progress = '1s'});
		is($status, $preload ? 3 : 0, "loaded before: \"$preload\"") or diag $err;
		is(kgctl('', $_->[0], @$_[ 1 .. $#$_ ])->{code}, 0, "... kgctl $_->[0]") foreach [ 'apply', $file ], [ 'diff', $file ], [ 'export', 'files' ];
		is(kgctl('', 'apply', $file)->{err}, '', '... says nothing of it');
	}
}

# What a gateway offers.
{
	my $list = qq({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n)
	  . qq({"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n);
	my $names = sub { join ' ', $_[0]->{out} =~ /"name": ?"(\w+)"/g };
	like($names->(kgctl($list, 'mcp', '--toolsets', 'compact')), qr/around connect count find follow get schema verify$/, 'the compact tools, and no others');
	unlike($names->(kgctl($list, 'mcp')), qr/\baround\b/, 'not where nothing is chosen');
	my $both = kgctl($list, 'mcp', '--toolsets', 'compact,bfs');
	like($names->($both), qr/bfs_query.*\bfind\b/, 'several');
	my $refused = kgctl($list, 'mcp', '--toolsets', 'compact, bfs');
	isnt($refused->{code}, 0, 'no names');
	like($refused->{err}, qr/--toolsets must be names with commas between them, not "compact, bfs"/, 'are refused');
	like(kgctl($list, 'mcp', '--toolsets', 'compct')->{out}, qr/toolset .{1,4}compct.{1,4} does not exist/, 'a name of nothing is told');
}

# A client of kgctl mcp gets the reason why the database cannot be used.
{
	my $first = qq({"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n);
	$node->safe_psql('postgres', 'CREATE DATABASE plain');
	for my $case (
		[ 'a refused login', 'postgres', 'missing', qr/role "missing" does not exist/ ],
		[ 'a missing database', 'missing', 'kg_direct', qr/database "missing" does not exist/ ],
		[ 'no extension', 'plain', 'kg_direct', qr/the database "plain" has no extension kg_graph/ ])
	{
		my ($name, $database, $user, $pattern) = @$case;
		local $ENV{KGCTL_DSN} = $node->connstr($database) . " user=$user";
		my $done = kgctl($first, 'mcp');
		my $answer = decode($done->{out});
		is($done->{code}, 5, "$name: the exit status says so");
		is($answer->{id}, 7, "$name: initialize is answered");
		like($answer->{error}{message}, qr/^the database cannot be used: .*$pattern/s, '... with the reason');
		unlike($answer->{error}{message}, qr/try again/, '... and no advice to try again');
	}
}

# The database goes away.
{
	my $keeper = hold($node, 'postgres', 'LOCK TABLE kg_entity IN SHARE MODE');
	my $run = IPC::Run::start(['kgctl', 'apply', "$dir/large.json"], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(60));
	ok(wait_until(\&apply_waits), 'another has');
	$node->stop('immediate');
	$run->finish;
	let_go($keeper);
	is($run->full_result(0) >> 8, 5, 'a server that stops');
	like($err, qr/connection to the database was lost|terminating connection/, 'is named');
}
$node->stop;
done_testing();
