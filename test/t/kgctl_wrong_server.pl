# kgctl with a broken or hostile server. It must end with the right exit code, report
# what it knows and nothing else, and write no escape sequences of the server to the
# terminal.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Select;
use IO::Socket::INET;
use IPC::Run ();
use KgGateway qw(decode);
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{HOME} = $dir;
delete $ENV{$_} for qw(XDG_CONFIG_HOME KGCTL_TOKEN KGCTL_TENANT PGHOST PGPORT PGSSLMODE);
my @servers;
END { kill 'KILL', map { -$_ } @servers if @servers }

sub put
{
	my ($name, $text) = @_;
	open my $file, '>:raw', "$dir/$name" or die "$name: $!";
	print $file $text;
	close $file;
	return "$dir/$name";
}

# Messages of the protocol, version 3.
sub message { my ($type, $body) = @_; return $type . pack('N', 4 + length $body) . $body }
sub ready { return message('Z', $_[0] // 'T') }
sub columns { return message('T', pack('n', $_[0]) . join '', map { "c\0" . pack('NnNnNn', 0, 0, 25, -1 & 0xffff, 0xffffffff, 0) } 1 .. $_[0]) }
sub values_of { return message('D', pack('n', scalar @_) . join '', map { defined $_ ? pack('N', length $_) . $_ : pack('N', 0xffffffff) } @_) }
sub parsed { return message('1', '') . message('2', '') }
sub row { return parsed() . columns(scalar @_) . values_of(@_) . message('C', "SELECT 1\0") . ready() }
sub command { return parsed() . message('n', '') . message('C', "$_[0]\0") . ready() }
sub error { my ($text, $detail) = @_; return parsed() . message('E', "SERROR\0C22023\0M$text\0" . ($detail ? "D$detail\0" : '') . "\0") . ready('E') }
sub notice { return message('N', "SNOTICE\0C00000\0M$_[0]\0\0") }
my %copy = (out => parsed() . message('H', pack('Cn', 0, 0)), in => parsed() . message('G', pack('Cn', 0, 0)),
	both => parsed() . message('W', pack('Cn', 0, 0)));

# Serves one connection. The n-th answer replies to the n-th Sync. A function is
# called with the socket; undef closes it. Requests after the last answer are read, too.
sub serve_one
{
	my ($client, @answers) = @_;
	my $data = '';
	my $more = sub { my ($n) = @_; while (length $data < $n) { sysread($client, $data, 65536, length $data) or exit 0 } return 1 };
	for (;;)
	{
		$more->(8);
		my ($length, $code) = unpack 'NN', $data;
		$more->($length);
		substr($data, 0, $length) = '';
		if ($code == 80877103 || $code == 80877104) { syswrite $client, 'N' }    # TLS, GSS
		elsif ($code == 80877102) { exit 0 }                                     # a request to cancel
		else { last }
	}
	syswrite $client, message('R', pack 'N', 0) . message('K', pack 'NN', $$, 1) . ready('I');
	for my $answer (@answers)
	{
		for (;;)
		{
			$more->(5);
			my ($type, $length) = unpack 'aN', $data;
			$more->(1 + $length);
			substr($data, 0, 1 + $length) = '';
			last if $type eq 'S';
			exit 0 if $type eq 'X';
		}
		exit 0 if !defined $answer;
		if (ref $answer) { $answer->($client) }
		else { syswrite $client, $answer }
	}
	1 while sysread $client, $data, 65536;
	exit 0;
}

# A server whose connections answer so; its address.
sub server
{
	my (@answers) = @_;
	my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 20) or die $!;
	my $pid = fork();
	if ($pid == 0)
	{
		setpgrp;
		@servers = ();
		$SIG{CHLD} = 'IGNORE';
		$SIG{PIPE} = sub { POSIX::_exit(0) };
		require POSIX;
		while (my $client = $listener->accept)
		{
			next if fork();
			eval { serve_one($client, @answers) };
			POSIX::_exit(0);
		}
		POSIX::_exit(0);
	}
	push @servers, $pid;
	return 'host=127.0.0.1 sslmode=disable gssencmode=disable user=x dbname=x port=' . $listener->sockport;
}

sub kgctl
{
	my ($dsn, @command) = @_;
	local $ENV{KGCTL_DSN} = $dsn;
	return run_kgctl({}, @command);
}

sub ends
{
	my ($code, $pattern, $name, $answers, @command) = @_;
	my $got = kgctl(server(@$answers), @command);
	is("$got->{code} $got->{signal}", "$code 0", "$name: exit code") or diag $got->{err};
	like($got->{out} . $got->{err}, $pattern, $name);
	return $got;
}

my $bundle = put('b.json', '{"bundle_name": "b", "version": "1", "schemas": []}');
my @apply = ('apply', $bundle);
my ($extension, $begin, $commit) = (row('public'), command('BEGIN'), command('COMMIT'));
my $told = row('1s');
my @began = ($extension, $begin, row('force_generic_plan'), $told);
my $applied = row('{"revision": 1, "bundle_name": "b", "warnings": [], "entities": {"t": {"created": 1}}}');
my $nonsense = qr/does not answer as PostgreSQL with kg_graph does; nothing was changed/;

ends(0, qr/^b: applied: .*created 1/, 'an apply with a correct server succeeds', [ @began, $applied, $commit ], @apply);

# A result of another shape, at each statement.
for my $case (
	[ 'no columns', parsed() . columns(0) . values_of() . message('C', "SELECT 1\0") . ready() ],
	[ 'two columns', row('public', 'public') ],
	[ 'two rows', parsed() . columns(1) . values_of('a') . values_of('b') . message('C', "SELECT 2\0") . ready() ],
	[ 'a command', command('SELECT 1') ],
	[ 'an empty query', parsed() . message('n', '') . message('I', '') . ready() ],
	[ 'COPY OUT', $copy{out} ], [ 'COPY IN', $copy{in} ], [ 'COPY BOTH', $copy{both} ])
{
	ends(5, $nonsense, "$case->[0] for the extension", [ $case->[1] ], @apply);
	ends(5, $nonsense, "$case->[0] for an apply", [ @began, $case->[1], $commit ], @apply);
	ends(5, $nonsense, "$case->[0] for tools", [ $extension, $begin, $case->[1] ], 'tools');
	ends(5, $nonsense, "$case->[0] for a setting", [ $extension, $begin, $case->[1] ], 'diff', $bundle);
	ends(5, $nonsense, "$case->[0] for a diff", [ $extension, $begin, $told, $case->[1] ], 'diff', $bundle)
	  unless $case->[0] =~ /row/;
}
ends(5, qr/has no extension kg_graph/, 'the database has no extension', [ parsed() . columns(1) . message('C', "SELECT 0\0") . ready() ], @apply);
ends(5, $nonsense, 'BEGIN answered with something else', [ $extension, command('ROLLBACK TO') ], @apply);
for my $answer (undef, '', 'hello', '[]', '{}', 'null', '{"applied": true}')
{
	my $name = defined $answer ? "'$answer'" : 'NULL';
	ends(5, $nonsense, "an apply answered with $name", [ @began, row($answer), $commit ], @apply);
}
ends(5, $nonsense, 'tools answered with a text that is not JSON', [ $extension, $begin, row('hello') ], 'tools');
ends(5, $nonsense, 'a call answered with a text that is not JSON', [ $extension, $begin, row('hello') ], 'call', 'x');

# COMMIT: what became of it is said only where it is known.
ends(5, qr/rolled the transaction back; nothing was changed/, 'COMMIT answered with ROLLBACK', [ @began, $applied, command('ROLLBACK') ], @apply);
ends(5, qr/not known whether/, 'COMMIT answered with rows', [ @began, $applied, row('x') ], @apply);
ends(5, qr/connection .* lost.*not known whether/s, 'the connection is lost at COMMIT', [ @began, $applied, undef ], @apply);
unlike(ends(5, qr/connection .* lost/, 'the connection is lost before COMMIT', [ @began, undef ], @apply)->{err}, qr/not known/, 'an apply whose connection is lost before COMMIT does not say that the result is unknown');
unlike(ends(6, qr/no good/, 'an error at COMMIT', [ @began, $applied, error('no good', '{"code": "CONFLICT", "message": "no good"}') ], @apply)->{err},
	qr/not known/, 'an apply with an error at COMMIT does not say that the result is unknown');

# Without end: SIGTERM ends it all the same.
for my $case (
	[ 'notices', sub { my ($client) = @_; my $many = notice('x' x 200) x 200; 1 while syswrite $client, $many } ],
	[ 'results', sub { my ($client) = @_; my $many = (message('n', '') . message('C', "SELECT 1\0")) x 500; syswrite $client, parsed(); 1 while syswrite $client, $many } ],
	[ 'rows', sub { my ($client) = @_; my $many = values_of('x' x 100) x 100; syswrite $client, parsed() . columns(1); for (;;) { last unless syswrite $client, $many; select undef, undef, undef, 0.01 } } ],
	[ 'nothing', sub { my ($client) = @_; sleep 1000 } ])
{
	my ($out, $err) = ('', '');
	my $answers = "$dir/answers";
	unlink $answers;
	local $ENV{KGCTL_DSN} = server($extension, $begin, sub { append_to_file($answers, 'it does'); $case->[1]->(@_) });
	my $run = IPC::Run::start(['kgctl', @apply], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	# Not before it waits for the answer, and has read of it for a while.
	ok(wait_until(sub { -e $answers }), "$case->[0]: kgctl reads the beginning of the answer");
	select undef, undef, undef, 1;
	$run->signal('TERM');
	my $ended = eval { $run->finish; 1 };
	ok($ended, "$case->[0] without end: SIGTERM ends kgctl") or $run->kill_kill;
	is($run->full_result(0) >> 8, 130, "$case->[0] without end: the exit status is 130") or diag $err;
	like($err, qr/nothing was changed/, "$case->[0] without end: kgctl says that nothing was changed");
}

# Orders to the terminal.
my $order = "\e[31mred\e]0;title\a \x{c2}\x{9b}2J \x7f end";
sub quiet
{
	my ($got, $name) = @_;
	unlike($got->{out} . $got->{err}, qr/[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae/, "$name: the output has no control characters");
	return;
}
quiet(ends(5, qr/\\x1b\[31mred/, 'an error with escapes', [ @began, error($order) ], @apply), 'an error');
quiet(ends(6, qr/\\x1b\[31mred/, 'a detail with escapes', [ @began, error('x', '{"code": "INVALID_INPUT", "message": "\u001b[31mred \u009b \u202e"}') ], @apply), 'its detail');
quiet(ends(0, qr/\\x1b\[31mred/, 'a tool with escapes', [ $extension, $begin, row('[{"name": "\u001b[31mred", "description": "\u009b2J"}]') ], 'tools'), 'a tool');
quiet(ends(0, qr/\\u001b\[31mred/, 'as JSON', [ $extension, $begin, row("[{\"name\": \"\\u001b[31mred\x7f\xc2\x9b\"}]") ], 'tools', '--json'), 'its JSON');
quiet(ends(0, qr/x1b/, 'an answer with escapes', [ @began, row('{"revision": 1, "warnings": ["\u001b[31m"], "entities": {"\u001b[31m": {"created": 1}}}'), $commit ], @apply), 'an answer');
quiet(ends(4, qr/\\x1b/, 'a file name with escapes', [], 'validate', '--offline', "$dir/\e[31mred"), 'a file name');
quiet(ends(4, qr/\\x1b/, 'a file with escapes', [], 'validate', '--offline', put("\e[31m.json", "{\"a\": 1, \"\e[2J\": 2}")), 'a file');

# The gateway goes on: what is no answer is an error of one call.
my $mcp = message('1', '') . ready('I');
my $bound = message('2', '') . columns(1) . values_of('{"jsonrpc": "2.0", "id": 1, "result": {}}') . message('C', "SELECT 1\0") . ready('I');
for my $case ([ 'COPY OUT', $copy{out} ], [ 'COPY IN', $copy{in} ], [ 'no columns', message('2', '') . columns(0) . values_of() . message('C', "SELECT 1\0") . ready('I') ],
	[ 'two rows', message('2', '') . columns(1) . values_of('a') . values_of('b') . message('C', "SELECT 2\0") . ready('I') ])
{
	my %gateway = (log => '');
	local $ENV{KGCTL_DSN} = server(row('public', '0', ''), $mcp, $case->[1], $bound);
	$gateway{harness} = IPC::Run::start(['kgctl', 'serve', '--listen', '127.0.0.1:0', '--pool', '1'], '<', \'', '>', \my $out, '2>', \$gateway{log}, IPC::Run::timeout(60));
	$gateway{harness}->pump until $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/;
	$gateway{port} = $1;
	my $reply = KgGateway::post(\%gateway, KgGateway::rpc('ping'));
	is($reply->{status}, 503, "kgctl serve: $case->[0]") or diag $reply->{raw};
	is(KgGateway::http(\%gateway, 'GET', '/nowhere')->{status}, 404, "kgctl serve answers after: $case->[0]");
	$gateway{harness}->signal('TERM');
	$gateway{harness}->finish;
	is($gateway{harness}->full_result(0) >> 8, 0, 'kgctl serve stops');
}

# Standbys, and a primary, that are none: each is said, and none is used.
my $setup = sub { my ($standby, $front) = @_; return row('public', '0', '', 'on', '', 'notice', '', '', '', '', $standby, $front) };
for my $case (
	[ 'that is no standby', qr/is not a standby, so it is not used for reads/, $setup->('f', 'f') ],
	[ 'that is a front', qr/is a front; --read-dsn is for standbys of the one server/, $setup->('t', 't') ],
	[ 'of an older library', qr/library of kg_graph at .* is too old for --read-dsn/, $setup->('t', 'f'), $mcp, row(undef) ],
	[ 'that says it is something else', qr/library of kg_graph at .* is too old for --read-dsn/, $setup->('t', 'f'), $mcp, row('primary') ],
	[ 'that answers with COPY', qr/was lost|cannot use the database/, $setup->('t', 'f'), $mcp, $copy{in} ])
{
	my ($name, $pattern, @answers) = @$case;
	my %gateway = (log => '');
	local $ENV{KGCTL_DSN} = server($setup->('f', 'f'), $mcp, row('primary'), row('{"limits": {"concurrent_calls": null}}'), $bound);
	$gateway{harness} = IPC::Run::start(['kgctl', 'serve', '--listen', '127.0.0.1:0', '--pool', '1', '--read-dsn', server(@answers)], '<', \'', '>', \my $out, '2>', \$gateway{log}, IPC::Run::timeout(60));
	$gateway{harness}->pump until $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/ && $gateway{log} =~ $pattern;
	ok(1, "the log says why a --read-dsn $name is not used");
	unlike($gateway{log}, qr/standby 1 is read from/, "a --read-dsn $name is not used for reads");
	$gateway{harness}->signal('TERM');
	$gateway{harness}->finish;
	is($gateway{harness}->full_result(0) >> 8, 0, "the gateway with --read-dsn $name stops");
}
for my $case ([ 'a front', qr/is a front/, $setup->('f', 't') ], [ 'a standby', qr/is a standby; with --read-dsn/, $setup->('t', 'f') ], [ 'of an older library', qr/is too old for --read-dsn/, $setup->('f', 'f'), $mcp, row(undef) ])
{
	my ($name, $pattern, @answers) = @$case;
	my %gateway = (log => '');
	local $ENV{KGCTL_DSN} = server(@answers);
	$gateway{harness} = IPC::Run::start(['kgctl', 'serve', '--listen', '127.0.0.1:0', '--read-dsn', $ENV{KGCTL_DSN}], '<', \'', '>', \my $out, '2>', \$gateway{log}, IPC::Run::timeout(60));
	$gateway{harness}->pump until $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/ && $gateway{log} =~ $pattern;
	($gateway{port}) = $gateway{log} =~ /listening on 127\.0\.0\.1:(\d+)/;
	is(KgGateway::post(\%gateway, KgGateway::rpc('ping'))->{status}, 503, "a database with --read-dsn that is $name is not used");
	$gateway{harness}->signal('TERM');
	$gateway{harness}->finish;
}
done_testing();
