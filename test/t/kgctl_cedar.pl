# From no authorization to Cedar: kgctl serve --authorizer with an AuthZEN service in
# front of Cedar. The same policy in SQL, as an authorizer function, gives the same
# replies, byte for byte.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $here = root() . '/test/authzen';
my $work = PostgreSQL::Test::Utils::tempdir();

# The packages of package-lock.json; KG_NODE_MODULES names a folder that has them.
sub packages
{
	my ($out, $modules) = ('', $ENV{KG_NODE_MODULES});
	return $modules if $modules && -d "$modules/\@cedar-policy/cedar-wasm";
	return undef unless eval { IPC::Run::run([ 'npm', '--version' ], '>', \$out, '2>', \$out) };
	system('cp', "$here/package.json", "$here/package-lock.json", $work) == 0 or return undef;
	local $ENV{HOME} = $work;
	IPC::Run::run([ 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefix', $work ], '>', \$out, '2>&1', IPC::Run::timeout(300))
	  or return undef;
	return "$work/node_modules";
}

my $modules = packages() or plan skip_all => 'no npm, or its packages cannot be had';
my $node = cluster('cedar');
my $json = JSON::PP->new->canonical;
srand(17);

# Who there is, and what: from one place for Cedar and for SQL.
my %users = (ann => { guest => JSON::PP::false }, bob => { guest => JSON::PP::false }, gus => { guest => JSON::PP::true });
my (%projects, %notes);
for my $i (1 .. 150)
{
	$projects{"p$i"} = { public => rand() < 0.3, archived => rand() < 0.2, members => [ grep { rand() < 0.4 } sort keys %users ] };
}
for my $i (1 .. 250)
{
	$notes{"n$i"} = { confidential => rand() < 0.5, author => (sort keys %users)[ rand 3 ], project => 'p' . (1 + int rand 150) };
}

sub truth { return $_[0] ? JSON::PP::true : JSON::PP::false }
sub user { return { __entity => { type => 'user', id => $_[0] } } }
sub write_file { my ($name, $text) = @_; PostgreSQL::Test::Utils::append_to_file("$work/$name", $text); return "$work/$name" }

write_file('data.json', $json->encode({
	user => \%users,
	project => { map { my $p = $projects{$_}; $_ => { public => truth($p->{public}), archived => truth($p->{archived}), members => [ map { user($_) } @{ $p->{members} } ] } } keys %projects },
	note => { map { my $n = $notes{$_}; $_ => { confidential => truth($n->{confidential}), author => user($n->{author}) } } keys %notes },
}));

# A project leads to the next; a note is of a project, and a task as readable as its project is.
my $bundle = $json->encode({
	bundle_name => 'work', version => '1',
	schemas => [
		{ entity_type => 'project', schema => { type => 'object', 'x-id-field' => 'id', 'x-label-field' => 'name', 'x-authorize' => { ability => 'read_project' },
			properties => { id => { type => 'string' }, name => { type => 'string' }, next => { type => 'string', 'x-ref' => 'project', 'x-relation' => 'LEADS_TO' } } } },
		{ entity_type => 'note', schema => { type => 'object', 'x-id-field' => 'id', 'x-authorize' => { ability => 'read_note' },
			properties => { id => { type => 'string' }, project => { type => 'string', 'x-ref' => 'project' } } } },
		{ entity_type => 'task', schema => { type => 'object', 'x-id-field' => 'id', 'x-authorize' => { ability => 'read_project', resource_type => 'project', id => 'project' },
			properties => { id => { type => 'string' }, points => { type => 'integer', 'x-index' => JSON::PP::true }, project => { type => 'string', 'x-ref' => 'project' } } } },
		{ entity_type => 'tag', schema => { type => 'object', 'x-id-field' => 'id', properties => { id => { type => 'string' } } } },
	],
	entities => [
		{ entity_type => 'project', items => [ map { { id => "p$_", name => "Project $_", next => 'p' . (1 + ($_ * 7) % 150) } } 1 .. 150 ] },
		{ entity_type => 'note', items => [ map { { id => $_, project => $notes{$_}{project} } } sort keys %notes ] },
		{ entity_type => 'task', items => [ map { { id => "t$_", points => $_ % 9, project => 'p' . (1 + $_ % 150) } } 1 .. 300 ] },
		{ entity_type => 'tag', items => [ map { { id => "g$_" } } 1 .. 3 ] },
	],
});
write_file('work.json', $bundle);

my $rows = sub { my ($rows) = @_; return join ', ', map { '(' . join(', ', @$_) . ')' } @$rows };
$node->safe_psql('postgres', 'CREATE SCHEMA authz; CREATE TABLE authz.users (id text PRIMARY KEY, guest bool);
	CREATE TABLE authz.projects (id text PRIMARY KEY, public bool, archived bool, members text[]);
	CREATE TABLE authz.notes (id text PRIMARY KEY, confidential bool, author text);
	GRANT USAGE ON SCHEMA authz TO PUBLIC;
	INSERT INTO authz.users VALUES ' . $rows->([ map { [ "'$_'", $users{$_}{guest} ? 'true' : 'false' ] } sort keys %users ]) . ';
	INSERT INTO authz.projects VALUES ' . $rows->([ map { my $p = $projects{$_}; [ "'$_'", $p->{public} ? 'true' : 'false', $p->{archived} ? 'true' : 'false', "'{" . join(',', @{ $p->{members} }) . "}'" ] } sort keys %projects ]) . ';
	INSERT INTO authz.notes VALUES ' . $rows->([ map { my $n = $notes{$_}; [ "'$_'", $n->{confidential} ? 'true' : 'false', "'$n->{author}'" ] } sort keys %notes ]) . ';'
	. PostgreSQL::Test::Utils::slurp_file("$here/policy.sql"));
# Only the owner brings x-authorize.
$node->safe_psql('postgres', "SELECT kg_grant('a', 'postgres', 'admin')");
$node->safe_psql('postgres', "SET kg_graph.tenant = 'a'; SELECT kg_apply_bundle(pg_read_file('$work/work.json')::jsonb) -> 'entities'");
my %token = map { $_ => $node->safe_psql('postgres', qq{SELECT kg_issue_token('{"tenant": "a", "sub": "$_"}', 'k', '1 hour')}) } keys %users;

sub bearer { my ($user, $revision) = @_; return { Authorization => "Bearer $token{$user}", 'MCP-Protocol-Version' => $revision // '2025-11-25' } }
sub call { my ($name, $arguments) = @_; return rpc('tools/call', { name => $name, arguments => $arguments }) }
sub ready { my ($gateway) = @_; ok(wait_until(sub { http($gateway, 'GET', '/readyz')->{status} == 200 }), 'the gateway is ready'); return $gateway }

# No authorization: whoever asks for such types is told so.
my $before = ready(start_gateway($node, 'kg_gate'));
my $reply = post($before, call('list_project', {}), bearer('ann'));
is($reply->{json}{result}{structuredContent}{error}{code}, 'FORBIDDEN', 'types with x-authorize are FORBIDDEN without an authorizer') or diag($reply->{body});
is(post($before, call('list_tag', {}), bearer('ann'))->{json}{result}{structuredContent}{total}, 3, 'a type without x-authorize is answered without an authorizer');

my @calls = (
	map({ ([ "list_$_", { limit => 7 } ], [ "list_$_", { limit => 7, offset => 7 } ]) } qw(project note task)),
	[ 'list_task', { filters => { points => { gte => 4 } }, sort => [ { field => 'points', order => 'desc' } ], limit => 20 } ],
	[ 'list_task', { limit => 5, fields => ['id'] } ],
	[ 'get_project', { ids => [ map { "p$_" } 1 .. 40 ] } ], [ 'get_note', { ids => [ 'n1', 'n2', 'n3', 'no' ] } ],
	[ 'list_project', { search => 'project 12' } ],
	map({ my $p = "p$_"; (
		[ 'explore_neighbors', { start_node => { label => 'project', node_id => $p }, max_hops => 2 } ],
		[ 'find_paths', { from => { label => 'project', ids => [$p] }, to => { label => 'project', ids => [ 'p' . (1 + ($_ * 49) % 150) ] }, max_hops => 3 } ],
		[ 'bfs_query', { seeds => ["project:$p"], max_hops => 3 } ]) } 3, 30, 77, 120),
	[ 'find_nodes', { node_label => 'note', limit => 30 } ],
	[ 'search_entities', { query => 'project 7' } ],
	[ 'get_graph_schema', {} ], [ 'describe_schema', {} ],
	[ 'aggregate_nodes', { node => { label => 'task' }, aggregations => [ { fn => 'count' } ], group_by => ['points'] } ],
	[ 'list_tag', {} ], [ 'no_such_tool', {} ], [ 'list_project', { nonsense => 1 } ]);

# The reply to each call, by name: of every user, in each revision, and a batch.
sub replies
{
	my ($gateway) = @_;
	my %replies;
	for my $user (sort keys %users)
	{
		$replies{"$user: $_->[0] " . $json->encode($_->[1])} = post($gateway, call(@$_), bearer($user))->{body} for @calls;
	}
	$replies{$_} = post($gateway, call('list_task', { limit => 9 }), bearer('gus', $_))->{body} for qw(2024-11-05 2025-03-26 2025-06-18);
	$replies{'2026-07-28'} = post($gateway, modern('tools/call', call('list_note', { limit => 9 })->{params}),
		{ Authorization => bearer('gus')->{Authorization}, %{ modern_headers('tools/call', 'list_note') } })->{body};
	my $batch = post($gateway, [ map { my $call = call("list_$_", { limit => 9 }); $call->{id} = $_; $call } qw(project note tag task) ], bearer('bob', '2025-03-26'));
	# A response that was exchanged is written anew, with other spaces.
	$replies{batch} = $json->encode($batch->{json});
	return \%replies;
}

# The oracle: the policy as SQL, which the database asks.
$node->safe_psql('postgres', q{SELECT kg_set_authorizer('a', 'authz.decide(text, text, text[])')});
my $oracle = replies($before);
$node->safe_psql('postgres', q{SELECT kg_set_authorizer('a', NULL)});

# Two lines, and Cedar decides: the gateway may bring decisions, and knows where to ask.
$node->safe_psql('postgres', q{SELECT kg_grant_gateway('kg_gate', exchange => true)});
my ($port_text, $cedar_log) = ('', '');
my $cedar = do {
	local $ENV{KG_NODE_MODULES} = $modules;
	IPC::Run::start([ 'node', "$here/server.mjs", "$here/policy.cedar", "$work/data.json" ], '<', \'', '>', \$port_text, '2>', \$cedar_log, IPC::Run::timeout(600));
};
wait_until(sub { IPC::Run::pump_nb($cedar); $port_text =~ /^\d+\n/ }) or BAIL_OUT("no Cedar: $cedar_log");
chomp $port_text;
my $after = ready(start_gateway($node, 'kg_gate', '--authorizer', "http://127.0.0.1:$port_text", '--authorizer-timeout', '30', '--metrics', '127.0.0.1:0'));

sub metric
{
	my ($name) = @_;
	my ($port) = gateway_log($after) =~ /metrics on 127\.0\.0\.1:(\d+)/;
	return http({ port => $port }, 'GET', '/metrics')->{body} =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}

# What Cedar allows is what the rules say.
for my $user (sort keys %users)
{
	my @may = sort grep { my $p = $projects{$_}; ($p->{public} || grep { $_ eq $user } @{ $p->{members} }) && !($p->{archived} && $users{$user}{guest}) } keys %projects;
	$reply = post($after, call('list_project', { limit => 200 }), bearer($user))->{json}{result}{structuredContent};
	is_deeply([ sort map { $_->{id} } @{ $reply->{items} } ], \@may, "$user sees the projects that the policy says") or diag($json->encode($reply));
	is($reply->{total}, scalar @may, "the total for $user is the number of these projects");
}
isnt(metric('kgctl_authorizer_decisions_total{decision="deny"}'), 0, 'Cedar denied some decisions');

# The same calls: byte by byte what the policy as SQL answers.
my $ours = replies($after);
my @other = grep { $ours->{$_} ne $oracle->{$_} } sort keys %$oracle;
is_deeply(\@other, [], scalar(keys %$oracle) . ' calls: the same bytes');
is($ours->{$_}, $oracle->{$_}, $_) for @other[ 0 .. ($#other > 2 ? 2 : $#other) ];
my $results = grep { !/"isError": true|"error"/ } values %$ours;
cmp_ok($results, '>', keys(%$ours) * 0.7, "$results of them with a result")
  or diag(join "\n", map { "$_: " . substr($ours->{$_}, 0, 300) } grep { $ours->{$_} =~ /"isError": true|"error"/ } sort keys %$ours);

# Both must allow where there are both.
$node->safe_psql('postgres', q{CREATE FUNCTION authz.first(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean)
	LANGUAGE sql STABLE AS $$ SELECT i, i = 'p1' OR i = 'p2' OR i = 'p3' FROM unnest(ids) i $$; SELECT kg_set_authorizer('a', 'authz.first(text, text, text[])')});
my @both = grep { my $p = $projects{$_}; $p->{public} || grep { $_ eq 'ann' } @{ $p->{members} } } qw(p1 p2 p3);
$reply = post($after, call('list_project', {}), bearer('ann'))->{json}{result}{structuredContent};
is_deeply([ sort map { $_->{id} } @{ $reply->{items} } ], \@both, 'an entity is visible only if the function and Cedar both allow it');
$node->safe_psql('postgres', q{SELECT kg_set_authorizer('a', NULL)});

# Who has no sub is nobody to ask about.
my $nobody = $node->safe_psql('postgres', q{SELECT kg_issue_token('{"tenant": "a"}', 'k', '1 hour')});
my $asked = metric('kgctl_authorizer_requests_total{outcome="ok"}');
$reply = post($after, call('list_project', {}), { Authorization => "Bearer $nobody", 'MCP-Protocol-Version' => '2025-11-25' })->{json};
is($reply->{result}{structuredContent}{error}{code}, 'FORBIDDEN', 'a token without sub is FORBIDDEN') or diag(explain $reply);
is(metric('kgctl_authorizer_requests_total{outcome="ok"}'), $asked, 'Cedar is not asked for a token without sub');

# Cedar goes: what needs it fails, the rest is answered.
$cedar->signal('KILL');
eval { $cedar->finish };
$reply = post($after, call('list_project', {}), bearer('ann'));
is($reply->{status}, 200, 'without Cedar the status is 200');
is($reply->{json}{result}{structuredContent}{error}{message}, 'authorization is unavailable', 'without Cedar the tool says that authorization is unavailable');
is(post($after, call('list_tag', {}), bearer('ann'))->{json}{result}{structuredContent}{total}, 3, 'without Cedar a type without x-authorize is answered');

stop_gateway($_) for $before, $after;
$node->stop;
done_testing();
