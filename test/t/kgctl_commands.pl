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
ends(0, qr/^files: valid: .*created 2/, 'apply --dry-run counts what it would create', 'apply', '--dry-run', $file);
is(stored(), '', 'the dry run stores nothing');
my $many = put('many.json', bundle(join(', ', map { qq({"id": "a$_", "n": 1}) } 1 .. 101)));
ends(0, qr/^files: valid: entities note created 101, revision 1$/, 'apply --dry-run counts all entities, although it lists only some', 'apply', '--dry-run', $many);
ends(0, qr/^files: valid/, 'apply -n is apply --dry-run', 'apply', '-n', $file);
ends(0, qr/^files: applied: .*created 2/, 'apply counts what it created', 'apply', $file);
is(stored(), 'a b', 'apply stores the entities');
ends(0, qr/^files: applied(?!.*created)/, 'a second apply creates nothing', 'apply', $file);
ends(0, qr/\A\z/, 'apply -q prints nothing', 'apply', '-q', $file);
my $json = kgctl('', 'apply', '--json', $file);
is(ref decode($json->{out}), 'HASH', 'apply --json prints JSON');
my $revision = decode($json->{out})->{revision};
is(kgctl(bundle('{"id": "a", "n": 7}'), 'apply', '--dry-run', '-')->{code}, 0, 'apply reads a bundle from standard input');
is(kgctl(bundle('{"id": "c", "n": 3}'), 'apply', '--merge', '-')->{code}, 0, 'apply --merge succeeds');
is(stored(), 'a b c', 'apply --merge keeps entities that the bundle does not have');
my $refused = kgctl(bundle('{"id": "d"}'), 'apply', '--expected-revision', $revision, '-');
is($refused->{code}, 6, 'apply with a wrong expected revision is refused') or diag $refused->{err};
like($refused->{err}, qr/CONFLICT|revision/, 'the error of a wrong revision is a conflict');
$refused = kgctl(bundle('{"id": "d"}'), 'apply', '--expected-revision', '007', '-');
is($refused->{code}, 6, 'an expected revision may have leading zeros') or diag $refused->{err};
$refused = kgctl(bundle('{"id": "d"}'), 'apply', '--max-errors', '10001', '-');
is($refused->{code}, 2, '--max-errors above the maximum is refused');
like($refused->{err}, qr/from 1 to 10000/, 'the error names the range of --max-errors');
is(kgctl(bundle(''), 'apply', '-')->{code}, 0, 'apply in the default mode succeeds');
is(stored(), '', 'apply in the default mode deletes entities that the bundle does not have');

# Errors have the line of the JSON file, all of them at once.
$refused = kgctl('', 'apply', put('wrong.json', bundle(qq({"id": "a",\n "n": "x"},\n{"n": 3},\n{"id": "c",\n "n": 1.5}))));
is($refused->{code}, 6, 'apply of an invalid bundle is refused');
like($refused->{err}, qr{wrong\.json:4: note "a": /n: }, 'the first error has the line of the wrong value');
like($refused->{err}, qr{wrong\.json:5: .*id}, 'an error has the line of an entity without an id');
like($refused->{err}, qr{wrong\.json:7: note "c": /n: }, 'the last error has the line of the wrong value');
is(stored(), '', 'the refused apply stores nothing');
is(scalar(() = kgctl('', 'apply', '--max-errors', '1', "$dir/wrong.json")->{err} =~ /wrong\.json:\d+:/g), 1, '--max-errors 1 prints one error');
$refused = kgctl('', 'validate', "$dir/wrong.json");
is($refused->{code}, 6, 'validate refuses the invalid bundle');
like($refused->{err}, qr{wrong\.json:4: }, 'the errors of validate have lines');
ends(6, qr{\Qnobody\E}, 'a bundle with a reference to a missing entity is refused', 'apply',
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
ends(0, qr/^files: applied/, 'a folder with all layouts of files is applied', 'apply', "$dir/dir");
is(stored(), 'a b p1 p2 p3 z', 'apply stores the entities of a file, of a folder and of the manifest');
ends(0, qr/\A\z/, 'diff with the applied folder finds no difference', 'diff', "$dir/dir");
put('dir/edges.yaml', "- relation: NEXT\n  from: note:b\n  to: note:a\n");
ends(1, qr/^\+ edge .*b.*a.*^- edge .*a.*b|^- edge .*a.*b.*^\+ edge .*b.*a/ms, 'diff shows an edge in the other direction', 'diff', "$dir/dir");
ends(1, qr/\A(?:[-+~] \S.*\n)+\z/, 'diff --brief prints one line for each difference', 'diff', '--brief', "$dir/dir");
put('dir/entities/notes.yaml', "- id: a\n  n: 1\n- id: b\n  n:\n    deep: 1\n");
ends(6, qr{entities/notes\.yaml:5: note "b": /n: }, 'an error in a folder has its file and line', 'apply', "$dir/dir");

# Export.
put('there/x', '');
ends(4, qr/not empty/, 'export to a folder with files is refused', 'export', 'files', '-o', "$dir/there");
is(kgctl('', 'export', 'files', '-o', "$dir/there", '--force')->{code}, 0, 'export --force writes into a folder with files');
is(kgctl('', 'diff', "$dir/there")->{code}, 0, 'diff with the exported folder finds no difference');
is(kgctl('', 'export', 'files', '-o', "$dir/out.json")->{code}, 0, 'export writes a file');
ends(4, qr/exists/, 'export to an existing file is refused', 'export', 'files', '-o', "$dir/out.json");
is(kgctl('', 'export', 'files', '-f', '-o', "$dir/out.json")->{code}, 0, 'export -f writes over a file');
my $text = kgctl('', 'export', 'files');
is(ref decode($text->{out}), 'HASH', 'export prints JSON to standard output');
is(kgctl($text->{out}, 'diff', '-')->{code}, 0, 'diff with the printed bundle finds no difference');
ends(6, qr/bundle "other" does not exist/, 'export of an unknown bundle fails', 'export', 'other');
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
		is($? >> 8, 3, "export to a full disk fails: $name");
	}
	IPC::Run::run(['kgctl', 'diff', $file], '<', \'', '>', '/dev/full', '2>', \my $err);
	is($? >> 8, 3, 'diff to a full disk fails');
}

# Tools.
ends(0, qr/^get_note +\S/m, 'kgctl tools lists the tools', 'tools');
is(ref decode(kgctl('', 'tools', '--json')->{out}), 'ARRAY', 'kgctl tools --json prints an array');
for my $case ([ [ 'ids=["a","p9"]' ], 'name=value' ], [ [ '{"ids": ["a", "p9"]}' ], 'an object' ], [ [ '@' . put('args.json', '{"ids": ["a", "p9"]}') ], 'a file' ])
{
	my $got = kgctl('', 'call', 'get_note', @{ $case->[0] });
	is($got->{code}, 0, "kgctl call accepts arguments as $case->[1]") or diag $got->{err};
	like($got->{out}, qr/"not_found": \[\s*"p9"\s*\]/, "the tool gets the arguments that were passed as $case->[1]");
}
is(kgctl('{"id": "a"}', 'call', 'get_note', '-')->{code}, 0, 'kgctl call accepts arguments from standard input');
is(scalar(split /\n/, kgctl('', 'call', '-c', 'get_note', 'id=a')->{out}), 1, 'kgctl call -c prints one line');
ends(2, qr/neither a JSON object nor name=value/, 'kgctl call refuses an argument without a name', 'call', 'get_note', 'a');
ends(2, qr/given twice/, 'kgctl call refuses a repeated argument', 'call', 'get_note', 'id=a', 'id=b');
ends(2, qr/not JSON/, 'kgctl call refuses a truncated object', 'call', 'get_note', '{"id":');
ends(1, qr/did you mean|allowed|unknown/i, 'kgctl call prints the error for an unknown argument', 'call', 'get_note', 'idd=a');
ends(1, qr/get_nothing/, 'kgctl call prints the error for an unknown tool', 'call', 'get_nothing');

# One SELECT, with values; as a table, as CSV, as JSON.
is(kgctl('', 'query', 'SELECT id, n FROM note ORDER BY 1')->{out}, "id | n\n---+--\na  | 1\nb  | \n", 'kgctl query prints a table');
is(kgctl('', 'query', '--csv', q{SELECT id, n, '' AS e, NULL AS z, 'x "y", z' AS q, ARRAY[id] AS l FROM note WHERE n >= $1 ORDER BY 1}, '1')->{out},
	qq{id,n,e,z,q,l\na,1,"",,"x ""y"", z","[""a""]"\n}, 'kgctl query --csv prints CSV');
like(kgctl('', 'query', '--json', 'SELECT n FROM note WHERE id = $1', 'a')->{out}, qr/"rows": \[\[1\]\]/, 'kgctl query --json prints the reply');
is(kgctl('SELECT count(*) FROM "NEXT"', 'query', '-')->{out}, "count\n-----\n    1\n", 'kgctl query reads a statement from standard input');
my $first = kgctl('', 'query', '--limit', '1', 'SELECT id FROM note ORDER BY 1');
is($first->{out}, "id\n--\na\n", 'kgctl query --limit prints so many rows');
like($first->{err}, qr/1 rows; there are more \(limit\)/, 'kgctl query --limit says that there are more rows');
like(kgctl('', 'query', q{SELECT E'\u001b[31m\nx' AS a})->{out}, qr/\\x1b\[31m x/, 'kgctl query escapes control characters');
ends(1, qr/table "notes" does not exist.*did_you_mean|did you mean.*note/s, 'kgctl query prints the error for an unknown table', 'query', 'SELECT * FROM notes');
ends(1, qr/a query cannot have DELETE/, 'kgctl query prints the error for another statement than SELECT', 'query', 'DELETE FROM note');
ends(1, qr/pg_read_all_stats/, 'kgctl query --explain needs a grant', 'query', '--explain', 'SELECT 1');
ends(2, qr/must be a number/, 'kgctl query refuses a limit that is no number', 'query', '--limit', 'x', 'SELECT 1');
ends(0, qr/a/, 'kgctl query --valid-at is accepted', 'query', '--valid-at', 'now', 'SELECT id FROM note');
ends(6, qr/\S/, '--tenant with a tenant without a grant is refused', 'tools', '--tenant', 'b');
ends(0, qr/get_note/, '-t with a granted tenant is accepted', 'tools', '-t', 'a');

# The manual page has every command and every option.
{
	my $page = PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../../docs/kgctl.1");
	$page =~ s/\\-/-/g;
	my @commands = kgctl('', '--help')->{out} =~ /^  ([a-z]+) +\S/mg;
	is(scalar @commands, 16, 'the help lists all commands');
	my @missing = grep { $page !~ /^\.B kgctl $_$/m } @commands;
	for my $command (@commands)
	{
		push @missing, map { "$command --$_" } grep { $page !~ /^\.BR? .*--$_\b/m }
		  kgctl('', $command, '--help')->{out} =~ /--([a-z-]+)/g;
	}
	is("@missing", '', 'the manual page has all commands with their options');
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
	is($? >> 8, 0, 'a large bundle is applied at a terminal') or diag $screen;
	like($screen, qr/checking 30000 entities and 0 edges of files \.\.\. \d+\.\d s/, 'a terminal shows progress');
	$blocker->finish;
	unlike(kgctl('', 'apply', '--dry-run', $large)->{err}, qr/checking/, 'without a terminal no progress is printed');
	my $err = '';
	my $keeper = hold($node, 'postgres', 'LOCK TABLE kg_entity IN SHARE MODE');
	my $run = IPC::Run::start(['kgctl', 'apply', $large], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	ok(wait_until(\&apply_waits), 'an apply waits to write entities');
	my $before = stored();
	$run->signal('INT');
	$run->finish;
	let_go($keeper);
	is($run->full_result(0) >> 8, 130, 'an interrupt ends the apply');
	like($err, qr/cancelled; nothing was changed/, 'the interrupted apply says that it changed nothing');
	ok(stored() eq $before, 'the interrupted apply changed nothing');
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
	is($? >> 8, 0, 'a bundle of several batches is applied at a terminal') or diag $screen;
	like($screen, qr/writing entities \.\.\. 100000 of 210000 \(\d+\.\d s\)/, 'the terminal shows the number of written entities');
	like($screen, qr{writing entities \.\.\. 200000 of 210000, \d+/s, \d+ s left \(}, 'the terminal shows the rate and the remaining time');
	unlike($screen, qr/many/, 'the terminal does not show a malformed report of progress');
	$node->safe_psql('postgres', 'DROP FUNCTION slowly() CASCADE');
}

# A server whose kg_graph does not know the settings for progress reports. Its
# library is loaded when the connection starts, or by the first call.
{
	my $library = `pg_config --pkglibdir` =~ s/\s+$//r . '/kg_graph.so';
	my $bytes = slurp_file($library);
	ok($bytes =~ s/kg_graph\.progress\0/kg_graph.pr0gress\0/g, 'the copy of the library lacks the setting kg_graph.progress');
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
		is($status, $preload ? 3 : 0, "SET kg_graph.progress with session_preload_libraries = '$preload' has the expected status") or diag $err;
		is(kgctl('', $_->[0], @$_[ 1 .. $#$_ ])->{code}, 0, "kgctl $_->[0] works without the setting, session_preload_libraries = '$preload'") foreach [ 'apply', $file ], [ 'diff', $file ], [ 'export', 'files' ];
		is(kgctl('', 'apply', $file)->{err}, '', "kgctl apply prints no error without the setting, session_preload_libraries = '$preload'");
	}
}

# What a gateway offers.
{
	my $list = qq({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n)
	  . qq({"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n);
	my $names = sub { join ' ', $_[0]->{out} =~ /"name": ?"(\w+)"/g };
	like($names->(kgctl($list, 'mcp', '--toolsets', 'compact')), qr/around connect count find follow get schema verify$/, 'kgctl mcp --toolsets compact lists only the compact tools');
	unlike($names->(kgctl($list, 'mcp')), qr/\baround\b/, 'kgctl mcp without --toolsets does not list the compact tools');
	my $both = kgctl($list, 'mcp', '--toolsets', 'compact,bfs');
	like($names->($both), qr/bfs_query.*\bfind\b/, 'kgctl mcp lists the tools of several toolsets');
	my $refused = kgctl($list, 'mcp', '--toolsets', 'compact, bfs');
	isnt($refused->{code}, 0, 'a malformed value of --toolsets is refused');
	like($refused->{err}, qr/--toolsets must be names with commas between them, not "compact, bfs"/, 'the error names the form of --toolsets');
	like(kgctl($list, 'mcp', '--toolsets', 'compct')->{out}, qr/toolset .{1,4}compct.{1,4} does not exist/, 'an unknown toolset gives an error');
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
		is($done->{code}, 5, "$name: the exit status is 5");
		is($answer->{id}, 7, "$name: initialize is answered");
		like($answer->{error}{message}, qr/^the database cannot be used: .*$pattern/s, "$name: the error has the reason");
		unlike($answer->{error}{message}, qr/try again/, "$name: the error does not advise to try again");
	}
}

# The database goes away.
{
	my $keeper = hold($node, 'postgres', 'LOCK TABLE kg_entity IN SHARE MODE');
	my $run = IPC::Run::start(['kgctl', 'apply', "$dir/large.json"], '<', \'', '>', \my $out, '2>', \my $err, IPC::Run::timeout(60));
	ok(wait_until(\&apply_waits), 'another apply waits to write entities');
	$node->stop('immediate');
	$run->finish;
	let_go($keeper);
	is($run->full_result(0) >> 8, 5, 'an apply fails when the server stops');
	like($err, qr/connection to the database was lost|terminating connection/, 'the error says that the connection was lost');
}
$node->stop;
done_testing();
