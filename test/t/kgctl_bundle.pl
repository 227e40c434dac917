# kgctl on bundles: the layouts, what is wrong in which line, exit codes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Path qw(make_path remove_tree);
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use JSON::PP;
use Test::More;

my $node = cluster('bundle');
my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_direct';
$ENV{HOME} = $dir;
delete $ENV{XDG_CONFIG_HOME};

sub put
{
	my ($name, $text) = @_;
	my ($folder) = "$dir/$name" =~ m{(.*)/};
	make_path($folder);
	open my $file, '>:raw', "$dir/$name" or die "$name: $!";
	print $file $text;
	close $file;
}

sub kgctl
{
	my $got = run_kgctl({}, @_);
	return @$got{qw(code out err)};
}

sub fails
{
	my ($code, $pattern, $name, @command) = @_;
	my ($got, $out, $err) = kgctl(@command);
	is($got, $code, "$name: exit code");
	like($err, $pattern, $name);
}

my $schema = <<'JSON';
{
  "type": "object",
  "x-id-field": "id",
  "properties": {
    "id": {"type": "string"},
    "name": {"type": "string", "x-index": true},
    "size": {"type": "number"},
    "friend": {"type": "string", "x-ref": "thing", "x-relation": "KNOWS"}
  },
  "required": ["id", "name"],
  "additionalProperties": false
}
JSON
put('b/manifest.yaml', <<'YAML');
bundle_name: things
version: "1"
description: |
  Two lines
  of text.
entity_types:
- name: thing
  schema_file: schemas/thing.schema.json
  entities_path: entities
YAML
put('b/schemas/thing.schema.json', $schema);
# with a byte order mark and the line ends of Windows
put('b/entities/one.yaml', "\xef\xbb\xbf- id: a\n  name: \"no\"\n  size: 12345678901234567890.10\r\n- id: b\r\n  name: no\n");
put('b/entities/two.yml', "id: c\nname: 2024-01-01\nfriend: a\n");

# Usage.
fails(2, qr/unknown command/, 'an unknown command is refused', 'aply');
fails(2, qr/unknown option --dryrun/, 'an unknown option is refused', 'apply', '--dryrun', "$dir/b");
fails(2, qr/given twice/, 'a repeated option is refused', 'apply', '-q', '--quiet', "$dir/b");
fails(2, qr/usage/, 'a command without its argument is refused', 'apply');
fails(2, qr/number from 1 to/, 'an option whose value is not a number is refused', 'apply', '--max-errors', '1x', "$dir/b");
is((kgctl('--version'))[0], 0, '--version');
is((kgctl('serve', '--help'))[0], 0, '--help');

# Without a database.
my ($code, $out, $err) = kgctl('validate', '--offline', "$dir/b");
is("$code $out", "0 things: well formed: 3 entities, 0 edges in 4 files\n", 'validate --offline accepts a folder and counts its contents');
fails(4, qr/No such file/, 'a bundle that does not exist is refused', 'validate', '--offline', "$dir/nothing");
fails(4, qr/no manifest/, 'a folder without a manifest is refused', 'validate', '--offline', "$dir/b/entities");
for my $case (
	["bundle_name: x\nversion: \"1\"\nentity_types: []\nextra: 1\n", qr{manifest\.yaml:4: unknown key "extra"}, 'unknown key'],
	["bundle_name: x\nversion: 1\nentity_types: []\n", qr{manifest\.yaml:1: version is missing or not a string}, 'a version that is a number'],
	["bundle_name: x\nbundle_name: y\n", qr{manifest\.yaml:2: duplicate key "bundle_name"}, 'a key twice'],
	["bundle_name: x\nversion: \"1\"\nentity_types:\n- name: t\n  schema_file: /etc/passwd\n", qr{manifest\.yaml:5: expected a relative path}, 'a path outside'],
	["bundle_name: x\nversion: \"1\"\nentity_types:\n- name: t\n  schema_file: a/../../b\n", qr{manifest\.yaml:5: expected a relative path}, 'a path that climbs'],
	["bundle_name: x\nversion: \"1\"\nentity_types:\n- name: t\n  schema: {}\n  entities_file: a\n  entities_path: b\n", qr{manifest\.yaml:4: .*exclude each other}, 'two sources'],
	["a: *b\n", qr{manifest\.yaml:1: unknown anchor "b"}, 'an unknown alias'],
	["a: &a\n- *a\n", qr{manifest\.yaml:2: alias to itself}, 'a cycle'],
	["a: &a [1,2,3,4,5,6,7,8,9]\n" . join('', map { my $p = chr(96 + $_); my $n = chr(97 + $_); "$n: &$n [" . join(',', ("*$p") x 9) . "]\n" } 1 .. 9), qr{aliases expand too far}, 'a billion laughs'],
	["<<: {a: 1}\n", qr{manifest\.yaml:1: merge keys}, 'a merge key'],
	["a: !!python/object:x 1\n", qr{unsupported tag}, 'a tag'],
	["!!python/object:x a: 1\n", qr{unsupported tag}, 'a tag of a key'],
	["a: 1\n--- \nb: 2\n", qr{more than one document}, 'two documents'],
	["a: [1, 2\n", qr{manifest\.yaml:\d: }, 'not YAML'],
	["a: \"\\0\"\n", qr{NUL}, 'NUL'],
	["\xff\xfe\x00", qr{manifest\.yaml}, 'binary'],
	['- ' x 5000, qr{nested too deeply|manifest\.yaml}, 'too deep'],
	['', qr{the file is empty}, 'nothing'])
{
	put('x/manifest.yaml', $case->[0]);
	fails(4, $case->[1], $case->[2], 'validate', '--offline', "$dir/x");
}
# Nothing is not an empty list, which an apply would take for "delete all".
my $head = qq(bundle_name: x\nversion: "1"\nentity_types:\n- name: t\n  schema: {type: object}\n);
for my $case (
	[ "$head  entities: ~\n", qr{manifest\.yaml:6: expected one object or a list}, 'entities: ~' ],
	[ "$head  entities:\n", qr{manifest\.yaml:6: expected one object or a list}, 'entities without a value' ],
	[ "$head  entities_file: none.yaml\n", qr{none\.yaml:1: expected one object or a list}, 'a file that holds ~' ],
	[ "$head  entities_file: null.json\n", qr{null\.json:1: expected one object or a list}, 'a file that holds null' ],
	[ "$head  entities_path: empty\n", qr{manifest\.yaml:6: no file ends in}, 'a folder without files' ],
	[ "${head}edges: ~\n", qr{manifest\.yaml:6: expected one object or a list}, 'edges: ~' ],
	[ "${head}relations: ~\n", qr{manifest\.yaml:6: expected a list of relations}, 'relations: ~' ],
	[ "${head}definitions: ~\n", qr{manifest\.yaml:6: expected one object or a list}, 'definitions: ~' ])
{
	put('x/none.yaml', "~\n");
	put('x/null.json', "null\n");
	put('x/empty/README', "nothing here\n");
	put('x/manifest.yaml', $case->[0]);
	fails(4, $case->[1], $case->[2], 'validate', '--offline', "$dir/x");
}
put('x/manifest.yaml', "$head  entities: []\nrelations: []\nedges: []\n");
is((kgctl('validate', '--offline', "$dir/x"))[0], 0, 'an empty list of entities is accepted');
for my $case (['1.0.0', 'a tool twice'], ['1.0.0+again', 'a tool twice but for build metadata'])
{
	put('x/manifest.yaml', "${head}tools_file: tools.yaml\n");
	put('x/tools.yaml', "- {name: t, version: 1.0.0}\n- {name: t, version: 1.0.1}\n- {name: t, version: $case->[0]}\n");
	fails(4, qr{tools\.yaml:3: version "\Q$case->[0]\E" of tool "t" is also in \S*tools\.yaml:1\b}, $case->[1], 'validate', '--offline', "$dir/x");
}

# No link leads out of the directory, and nothing is waited for.
{
	put('secret.yaml', "- id: secret\n");
	mkdir "$dir/outside";
	put('outside/e.yaml', "- id: secret\n");
	my $way = sub {
		my ($key, $name, $pattern, $what) = @_;
		put('x/manifest.yaml', "$head  $key: $name\n");
		fails(4, $pattern, $what, 'validate', '--offline', "$dir/x");
	};
	symlink "$dir/secret.yaml", "$dir/x/link.yaml";
	symlink '../secret.yaml', "$dir/x/relative.yaml";
	symlink "$dir/outside", "$dir/x/folder";
	symlink '/dev/zero', "$dir/x/zero.yaml";
	symlink '/proc/self/environ', "$dir/x/environ.yaml";
	symlink 'none.yaml', "$dir/x/inside.yaml";
	symlink 'loop.yaml', "$dir/x/loop.yaml";
	mkdir "$dir/x/mixed";
	symlink "$dir/secret.yaml", "$dir/x/mixed/link.yaml";
	system('mkfifo', "$dir/x/fifo.yaml") == 0 or die;
	my $out = qr{a link that leads out of the bundle's directory};
	$way->('entities_file', 'link.yaml', $out, 'a link to a file outside of the folder is refused');
	$way->('entities_file', 'relative.yaml', $out, 'a relative link to a file outside is refused');
	$way->('entities_file', 'folder/e.yaml', $out, 'a file in a linked folder outside is refused');
	$way->('entities_path', 'folder', $out, 'a link to a folder outside is refused');
	$way->('entities_path', 'mixed', $out, 'a link to a file outside, in a folder of entities, is refused');
	$way->('entities_file', 'zero.yaml', $out, 'a link to a device is refused');
	$way->('entities_file', 'environ.yaml', $out, 'a link to a file of /proc is refused');
	$way->('entities_file', 'loop.yaml', $out, 'a link to itself is refused');
	$way->('entities_file', 'fifo.yaml', qr{fifo\.yaml: not a regular file}, 'a named pipe is refused');
	$way->('entities_file', 'empty', qr{empty: not a regular file}, 'a folder in place of a file is refused');
	$way->('schema_file', 'link.yaml', qr{exclude each other}, 'both schema and schema_file are refused');
	$way->('entities_file', 'inside.yaml', qr{inside\.yaml:1: expected one object}, 'a link to a file inside of the folder is read');
	unlink "$dir/x/manifest.yaml";
	symlink "$dir/b/manifest.yaml", "$dir/x/manifest.yaml";
	fails(4, $out, 'a manifest that is a link to a file outside is refused', 'validate', '--offline', "$dir/x");
	unlink "$dir/x/manifest.yaml";
	symlink "$dir/b", "$dir/link_to_b";
	is((kgctl('validate', '--offline', "$dir/link_to_b"))[0], 0, 'a link to a bundle is accepted as argument');
}

# Scalars are read by the core schema of YAML 1.2. A scalar is refused if it has no
# JSON value, or if YAML parsers disagree about its meaning.
for my $case (['0o17', '15'], ['0x1F', '31'], ['+12', '12'], ['-.5', '-0.5'], ['1.', '1'], ['+1.5e+3', '1.5e+3'], ['True', 'true'],
	['FALSE', 'false'], ['Null', 'null'], ['tRUE', '"tRUE"'], ['0b1', '"0b1"'], ['0o8', '"0o8"'], ['1_000', '"1_000"'], ['1.2.3', '"1.2.3"'],
	['.', '"."'], ['12:30:45', '"12:30:45"'], ['0', '0'], ['-0', '-0'], ['0.0', '0.0'], ['1e3', '1e3'], ["'0x1F'", '"0x1F"'],
	['0xFFFFFFFFFFFFFFF', '1152921504606846975'], ['"\\U0001f600"', "\"\xf0\x9f\x98\x80\""])
{
	put('s.yaml', qq(bundle_name: scalars\nversion: "1"\nschemas:\n- {entity_type: tt, schema: {type: object, x-id-field: id, properties: {id: {type: string}, v: {default: $case->[0]}}}}\nentities: []\n));
	my ($got, $text, $error) = kgctl('apply', '--quiet', "$dir/s.yaml");
	is($got, 0, "$case->[0] is read") or diag $error;
	is($node->safe_psql('postgres', q{SELECT schema #> '{properties,v,default}' FROM kg_entity_type WHERE entity_type = 'tt'}),
		$node->safe_psql('postgres', "SELECT '$case->[1]'::jsonb"), "$case->[0] is stored as $case->[1]");
}
for my $case (['.inf', qr{JSON has no such number: "\.inf"}], ['-.INF', qr{no such number}], ['.NaN', qr{no such number}], ['007', qr{quote the text}],
	['-01.5', qr{quote the text}], ['00', qr{quote the text}], ['0xFFFFFFFFFFFFFFFFFF', qr{in decimal}], ['"\\ud83d\\ude00"', qr{s\.yaml:2: YAML knows no surrogates}])
{
	put('s.yaml', "a:\n- $case->[0]\n");
	fails(4, $case->[1], "$case->[0] is refused", 'validate', '--offline', "$dir/s.yaml");
}
put('j/manifest.yaml', "$head  entities_path: items\n");
put('j/items/1.json', '[{"id": "j1"}]');
put('j/items/2.yaml', '- id: j2');
is((kgctl('validate', '--offline', "$dir/j"))[1], "x: well formed: 2 entities, 0 edges in 3 files\n", 'a folder of entities may have JSON files');

put('b/entities/zz.yaml', "- id: d\n  name: x\n- id: b\n  name: again\n");
fails(4, qr{entities/zz\.yaml:3: thing "b" is also in .*entities/one\.yaml:4}, 'an id in two files is refused', 'validate', '--offline', "$dir/b");
unlink "$dir/b/entities/zz.yaml";
for my $case (['{"bundle_name": "x",', qr{x\.json:1: column 21}, 'half a file'], ['{"a": 1, "a": 2}', qr{x\.json:1: duplicate member "a"}, 'a member twice'],
	["{\n\"a\": tru}", qr{x\.json:2: column 6: not a JSON value}, 'a wrong word'], ['{"a": "\u0000"}', qr{u0000 cannot be stored}, 'NUL'],
	['[' x 1000, qr{nested too deeply}, 'too deep'], ["\x80", qr{not valid UTF-8}, 'not UTF-8'], ['[]', qr{a bundle must be an object}, 'a list'])
{
	put('x.json', $case->[0]);
	fails(4, $case->[1], "JSON: $case->[2]", 'validate', '--offline', "$dir/x.json");
}

# Without a server, a token, an extension.
{
	local $ENV{KGCTL_DSN} = "host=$dir/nowhere";
	fails(5, qr/cannot connect/, 'apply without a server fails', 'apply', "$dir/b");
	local $ENV{KGCTL_DSN} = $node->connstr('template1') . ' user=kg_direct';
	fails(5, qr/has no extension kg_graph/, 'apply in a database without the extension fails', 'apply', "$dir/b");
}
{
	local $ENV{KGCTL_TOKEN} = 'not.a.token';
	fails(6, qr/\S/, 'an invalid token is refused', 'tools');
	local $ENV{KGCTL_TOKEN} = "two words";
	fails(4, qr/not a bearer token/, 'a text that is not a bearer token is refused', 'tools');
}

# Log in: kept for later, readable by nobody else.
{
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_gate';
	local $ENV{KGCTL_TOKEN} = $node->{kg_token}{b};
	($code, $out) = kgctl('login');
	is("$code $out", "0 tenant b\n", 'login prints the tenant of the token');
	delete $ENV{KGCTL_TOKEN};
	is((stat "$dir/.config/kgctl/token")[2] & 0777, 0600, 'only the owner may read the file with the token');
	($code, $out) = kgctl('login', '--no-save', '--token-file', "$dir/.config/kgctl/token");
	is("$code $out", "0 tenant b\n", 'login accepts a token from a file');
	is((kgctl('logout'))[0], 0, 'logout succeeds');
	ok(!-e "$dir/.config/kgctl/token", 'logout deletes the file with the token');
}

# An interrupt at the prompt: the terminal shows again what is typed, whatever the signal.
my $prompt = <<'PYTHON';
import fcntl, os, pty, signal, sys, termios
master, slave = pty.openpty()
shows = lambda: bool(termios.tcgetattr(slave)[3] & termios.ECHO)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in 0, 1, 2:
        os.dup2(slave, fd)
    os.execvp('kgctl', ['kgctl', 'login'])
seen = b''
while b'empty line' not in seen:
    seen += os.read(master, 100)
while shows():
    os.sched_yield()
os.write(master, b'half of a tok')
if sys.argv[1] == 'INT':
    os.write(master, b'\x03')
else:
    os.kill(pid, getattr(signal, 'SIG' + sys.argv[1]))
status = os.waitpid(pid, 0)[1]
print(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 'killed', 'echo' if shows() else 'no echo')
PYTHON
for my $signal (qw(INT TERM HUP QUIT))
{
	IPC::Run::run(['python3', '-c', $prompt, $signal], '<', \'', '>', \$out, IPC::Run::timeout(60));
	is($out, "130 echo\n", "SIG$signal at the prompt of login restores the terminal");
}

# With a database.
{
	($code, $out, $err) = kgctl('diff', "$dir/b");
	is("$code", 1, 'diff with a new bundle exits with 1');
	like($out, qr/^\+ entity thing:a$/m, 'diff lists a new entity');
	($code, $out, $err) = kgctl('validate', "$dir/b");
	is($code, 0, 'validate accepts the bundle') or diag $err;
	is((kgctl('diff', '-q', "$dir/b"))[0], 1, 'validate changes nothing');
	($code, $out, $err) = kgctl('apply', "$dir/b");
	is($code, 0, 'apply succeeds') or diag $err;
	($code, $out, $err) = kgctl('diff', "$dir/b");
	is("$code $out", '0 ', 'diff after apply finds no difference');
	is($node->safe_psql('postgres', q{SELECT data->>'size' FROM kg_entity WHERE entity_id = 'a'}), '12345678901234567890.10',
		'a long number is stored exactly');
	($code, $out, $err) = kgctl('call', 'get_thing', 'id=c');
	is($code, 0, 'kgctl call succeeds') or diag $err;
	like($out, qr/"2024-01-01"/, 'kgctl call prints the reply of the tool');
	($code, $out, $err) = kgctl('tools');
	like($out, qr/^get_thing /m, 'kgctl tools lists the tool');
	is((kgctl('call', 'get_thing', 'wrong=c'))[0], 1, 'kgctl call exits with 1 if the tool fails');
	is((kgctl('export', 'things', '-o', "$dir/out"))[0], 0, 'export to a new folder succeeds');
	fails(4, qr/not empty/, 'export to a folder with files is refused', 'export', 'things', '-o', "$dir/out");
	# What it writes over is not what a link leads to.
	put('victim', "precious\n");
	mkdir "$dir/elsewhere";
	for my $link (['manifest.yaml', '../victim'], ['schemas', "$dir/elsewhere"], ['entities', '../elsewhere'], ['edges.yaml', '/dev/null'])
	{
		mkdir "$dir/linked";
		symlink $link->[1], "$dir/linked/$link->[0]";
		fails(4, qr/a link that leads out of the bundle's directory/, "export through a link $link->[0]", 'export', 'things', '-o', "$dir/linked", '--force')
			unless $link->[0] eq 'edges.yaml' && !-e "$dir/out/edges.yaml";
		remove_tree("$dir/linked");
	}
	is(slurp_file("$dir/victim"), "precious\n", 'export does not change the file to which a link leads');
	is_deeply([ glob "$dir/elsewhere/*" ], [], 'export writes nothing into the folder to which a link leads');
	is((kgctl('diff', "$dir/out"))[0], 0, 'diff with the exported folder finds no difference');
	is((kgctl('export', 'things', '-o', "$dir/out.yaml"))[0], 0, 'export to one YAML file');
	is((kgctl('diff', "$dir/out.yaml"))[0], 0, 'diff with the exported YAML file finds no difference');
	is((kgctl('export', 'things', '-o', "$dir/out.json"))[0], 0, 'export to one JSON file');
	is((kgctl('diff', "$dir/out.json"))[0], 0, 'diff with the exported JSON file finds no difference');
	fails(6, qr/\S/, 'export of an unknown bundle fails', 'export', 'nothing');
	put('b/entities/two.yml', "id: c\nname: other\nfriend: a\n");
	($code, $out, $err) = kgctl('diff', "$dir/b");
	like($out, qr{^~ entity thing:c\n    - /name: "2024-01-01"\n    \+ /name: "other"$}m, 'diff shows a changed value');
	put('b/entities/two.yml', "id: c\nname:\n  - other\nfriend: nobody\n");
	($code, $out, $err) = kgctl('apply', "$dir/b");
	is($code, 6, 'a bundle that is not valid is refused');
	like($err, qr{entities/two\.yml:3: thing "c": /name: }, 'the error has the file and the line of the invalid value') or diag $err;
	is((kgctl('diff', '-q', "$dir/out"))[0], 0, 'the refused apply changes nothing');

	# Two bundles that the database treats as equal have no difference, however they
	# are written: handles that became longer because of another bundle's type, bare
	# ids, parallel edges in any order, both directions of a symmetric relation,
	# explicit defaults.
	my %things = (bundle_name => 'others', version => '1',
		schemas => [{entity_type => 'thing', schema => {type => 'object', 'x-id-field' => 'id', 'x-tool-expose' => [],
			properties => {id => {type => 'string'}}}}],
		entities => [{entity_type => 'thing', items => [map { {id => $_} } qw(a b c:d)]}],
		relations => [
			{name => 'NEAR', from => 'thing', to => 'thing', symmetric => JSON::PP::true},
			{name => 'LINK', from => 'thing', to => 'others/thing', symmetric => JSON::PP::false, history => JSON::PP::false, tools => [],
				inverse => undef, key => ['k'], schema => {properties => {k => {type => 'string'}, n => {type => 'integer'}}}}],
		edges => [
			{relation => 'NEAR', from => 'thing:b', to => 'thing:a'},
			(map { {relation => 'LINK', from => 'thing:a', to => 'thing:c:d', properties => {k => $_}} } qw(z b a Z)),
			{relation => 'LINK', from => 'a', to => 'others/thing:b', properties => {k => 'bare'}}],
		tools => [{name => 'things', version => '1.0.0', kind => 'query', description => 'Things.', aliases => [],
			input_schema => {type => 'object', properties => {limit => {type => 'integer'}}},
			operation => {tool => 'find_nodes', arguments => {node_label => 'others/thing', limit => {'$arg' => 'limit'}}}}]);
	my $same = sub {
		put('others.json', JSON::PP->new->canonical->encode({%things, @_}));
		my ($code, $out, $err) = kgctl('diff', "$dir/others.json");
		return "$code $out$err";
	};
	like($same->(), qr/^\+ tool things 1\.0\.0$/m, 'diff shows a new tool');
	like((kgctl('apply', "$dir/others.json"))[1], qr/^others: applied: .*\btools created 1\b/, 'apply counts the created tools');
	is($same->(), '0 ', 'diff finds no difference in other spellings of the same bundle');
	is($same->(edges => [reverse @{$things{edges}}]), '0 ', 'diff finds no difference in another order of edges');
	is($same->(edges => [map { $_->{relation} eq 'NEAR' ? {relation => 'NEAR', from => 'a', to => 'b'} : $_ } @{$things{edges}}]), '0 ',
		'diff finds no difference in the other direction of a symmetric edge');
	is($same->(edges => [map { ($_->{properties}{k} // '') eq 'b' ? {%$_, properties => {k => 'b', n => 1}} : $_ } @{$things{edges}}]),
		qq{1 ~ edge LINK thing:a -> thing:c:d (k: "b")\n    + /properties/n: 1\n},
		'diff shows only the changed one of parallel edges');
	is($same->(tools => []), "1 - tool things 1.0.0\n", 'diff shows a removed tool');

	# A bundle that has every key is the same as one file and as a directory.
	my %every = (bundle_name => 'every', version => '1', description => 'Has every key.', instructions => 'Ask.',
		definitions => [{'$id' => 'https://example.com/word', type => 'string'}],
		schemas => [{entity_type => 'dot', schema => {type => 'object', 'x-id-field' => 'id',
			properties => {id => {type => 'string'}, word => {'$ref' => 'https://example.com/word'}}}}],
		relations => [
			{name => 'ALL', from => 'dot', to => 'dot', schema => {type => 'object', properties => {k => {type => 'string'}}}, inverse => 'LLA',
				key => ['k'], history => JSON::PP::true, description => 'One of all.', tools => ['link', 'unlink']},
			{name => 'EVEN', from => 'dot', to => 'dot', symmetric => JSON::PP::true}],
		entities => [{entity_type => 'dot', items => [{id => 'a', word => 'b'}, {id => 'b'}]}],
		edges => [{relation => 'ALL', from => 'dot:a', to => 'dot:b', properties => {k => 'x'}}],
		tools => [{name => 'dots', version => '1.0.0', kind => 'query', description => 'Dots.',
			input_schema => {type => 'object', properties => {limit => {type => 'integer'}}},
			operation => {tool => 'find_nodes', arguments => {node_label => 'dot', limit => {'$arg' => 'limit'}}}}]);
	my %has = map { $_ => 1 } keys %every, map { keys %$_ } map { @$_ } @every{qw(schemas relations entities edges)};
	my $known = join ' ', slurp_file("$FindBin::Bin/../../src/store/bundle/payload.c") =~ /\bknown\[\] = \{(.*?)NULL\}/gs;
	is_deeply([grep { !$has{$_} } $known =~ /"(\w+)"/g], [], 'the bundle has every key that the database knows');
	put('every.json', JSON::PP->new->canonical->encode(\%every));
	my @applied = kgctl('apply', "$dir/every.json");
	is($applied[0], 0, 'apply of the bundle with every key succeeds') or diag $applied[2];
	for my $name ('every', 'every.yaml', 'every.json.out')
	{
		is((kgctl('export', 'every', '-o', "$dir/$name"))[0], 0, "the bundle with every key is exported as $name");
		is(join(' ', kgctl('diff', "$dir/$name")), '0  ', "diff finds no difference in $name");
		is((kgctl('validate', '--offline', "$dir/$name"))[0], 0, "validate --offline accepts $name");
		my @again = kgctl('apply', "$dir/$name");
		like("@again", qr/^0 every: applied: (?!.*(created|updated|deleted)).*unchanged 1/, "apply of $name changes nothing");
	}
	(my $typo = slurp_file("$dir/every/manifest.yaml")) =~ s/^( +)inverse:/$1invers:/m;
	put('every/manifest.yaml', $typo);
	fails(6, qr{manifest\.yaml:(?!1:)\d+: .*"invers"}, 'a key of a relation that is none', 'validate', "$dir/every");

	# Tools in a folder.
	my ($code, $out, $err) = kgctl('export', 'others', '-o', "$dir/others");
	is($code, 0, 'export of a bundle with tools') or diag $err;
	like(slurp_file("$dir/others/manifest.yaml"), qr/^tools_file: tools\.yaml$/m, 'the manifest of the exported folder names the file of the tools');
	($code, $out, $err) = kgctl('diff', "$dir/others");
	is("$code $out$err", '0 ', 'diff finds no difference in the folder with tools');
	my $tools = slurp_file("$dir/others/tools.yaml");
	(my $newer = $tools) =~ s/1\.0\.0/1.1.0/;
	(my $other = $tools) =~ s/description: .*/description: Others./;
	put('others/tools.yaml', $newer . $other);
	fails(6, qr{tools\.yaml:(?!1:)\d+: .*is registered with another definition}, 'a version that is frozen is told where it stands', 'apply', "$dir/others");
	put('others/tools.yaml', $tools . $newer);
	($code, $out, $err) = kgctl('diff', "$dir/others");
	is("$code $out$err", "1 + tool things 1.1.0\n", 'diff shows a new version of a tool');
	($code, $out, $err) = kgctl('apply', "$dir/others");
	is($code, 0, 'apply with the new version succeeds') or diag $err;
	is((kgctl('diff', '-q', "$dir/others"))[0], 0, 'diff after the new version finds no difference');
	is($node->safe_psql('postgres', q{SET ROLE kg_direct; SELECT string_agg(version, ' ') FROM kg_registered_tools() WHERE bundle = 'others'}), '1.0.0 1.1.0', 'both versions of the tool are registered');
	(my $wrong = $newer) =~ s/find_nodes/find_node/;
	$wrong =~ s/1\.1\.0/1.2.0/;
	put('others/tools.yaml', $tools . $newer . $wrong);
	fails(6, qr{others/tools\.yaml:\d+: .*find_node}, 'a tool that is wrong is refused, by file and line', 'apply', "$dir/others");
	put('others/tools.yaml', "~\n");
	fails(4, qr/tools\.yaml:1: expected one object or a list/, 'a file of tools that holds nothing', 'validate', '--offline', "$dir/others");
	put('others/tools/b.yaml', $newer);
	put('others/tools/a.json', JSON::PP->new->canonical->encode($things{tools}[0]));
	(my $manifest = slurp_file("$dir/others/manifest.yaml")) =~ s/tools_file: tools\.yaml/tools_path: tools/;
	put('others/manifest.yaml', $manifest);
	($code, $out, $err) = kgctl('diff', "$dir/others");
	is("$code $out$err", '0 ', 'diff finds no difference in a folder with a file for each version');
	put('others/manifest.yaml', "${manifest}tools_file: tools.yaml\n");
	fails(4, qr/exclude each other/, 'tools from two places', 'validate', '--offline', "$dir/others");
	put('others/manifest.yaml', $manifest =~ s/tools_path: tools/tools: []/r);
	($code, $out, $err) = kgctl('diff', "$dir/others");
	is("$code $out$err", "1 - tool things 1.0.0\n- tool things 1.1.0\n", 'diff shows all tools that an empty list removes');
}
# types of the tables of a schema
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA stock;
CREATE TABLE stock.shelf (shelf_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE stock.box (box_id integer PRIMARY KEY, kind text CHECK (kind IN ('wood', 'iron')));
CREATE TABLE stock.place (shelf_id integer REFERENCES stock.shelf, box_id integer REFERENCES stock.box, PRIMARY KEY (shelf_id, box_id));
CREATE INDEX ON stock.place (box_id);
INSERT INTO stock.shelf VALUES (1, 'left');
CREATE TABLE stock.hour (hour timestamptz PRIMARY KEY);
GRANT USAGE ON SCHEMA stock TO kg_direct;
GRANT SELECT ON ALL TABLES IN SCHEMA stock TO kg_direct;
SQL
{
	my ($code, $out, $err) = kgctl('suggest', '--schema', 'stock', '--shared', '-o', "$dir/stock");
	is($code, 0, 'kgctl suggest succeeds');
	like($err, qr/table stock\.hour is left out/, 'suggest names a table that it leaves out');
	like($err, qr/2 types, 1 relations of join tables\n.*kgctl apply/s, 'suggest says which command comes next');
	like(slurp_file("$dir/stock/manifest.yaml"), qr/name: PLACE/, 'suggest makes a relation of a join table');
	like(slurp_file("$dir/stock/schemas/box.schema.json"), qr/"enum"/, 'suggest makes an enum of a CHECK constraint');
	fails(4, qr/not empty/, 'suggest into a full directory', 'suggest', '--schema', 'stock', '-o', "$dir/stock");
	is((kgctl('apply', '-q', "$dir/stock"))[0], 0, 'the suggested bundle can be applied');
	is((kgctl('diff', "$dir/stock"))[0], 0, 'diff with the suggested bundle finds no difference after apply');
	fails(6, qr/a schema with tables that the caller may read/, 'no such schema', 'suggest', '--schema', 'nowhere');
	fails(6, qr/kg_tenant/, 'nothing limits the rows', 'apply', do { kgctl('suggest', '--schema', 'stock', '-o', "$dir/open"); "$dir/open" });
}

$node->stop;
done_testing();
