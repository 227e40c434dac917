# A service that decides, or misbehaves: the AuthZEN side of the tests of
# kgctl serve --authorizer, and the model's of --embeddings.  It reads how to behave from a file at each request,
# and writes down what it was asked.
package KgAuthzen;
use strict;
use warnings;
use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use JSON::PP ();
use POSIX ();
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(start_authzen stop_authzen behave asked ever_at_once);

my $json = JSON::PP->new->canonical;

# One reply: its status line, headers and body as they go out.
sub http_reply
{
	my ($status, $body, $type) = @_;
	$type //= 'application/json';
	return "HTTP/1.1 $status\r\nContent-Type: $type\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}

# What goes out for a request, and whether the connection ends then; undef: nothing.
sub reply_to
{
	my ($how, $request, $port) = @_;
	my @evaluations = @{ $request->{evaluations} // [] };
	# Even numbers are allowed.
	my @decisions = map { { decision => ($_->{resource}{id} =~ /[02468]$/ ? JSON::PP::true : JSON::PP::false) } } @evaluations;
	my $good = $json->encode({ evaluations => \@decisions });
	my $allow_all = $json->encode({ evaluations => [ map { { decision => JSON::PP::true } } @evaluations ] });
	my %how = (
		good => sub { http_reply('200 OK', $good) },
		reasons => sub { http_reply('200 OK', $json->encode({ evaluations => [ map { { %$_, context => { reason => 'because' } } } @decisions ], more => 1 }),
			'application/json; charset=utf-8') },
		none => sub { http_reply('200 OK', $json->encode({ evaluations => [ map { { decision => JSON::PP::false } } @evaluations ] })) },
		html => sub { http_reply('200 OK', '<html><body>Welcome</body></html>', 'text/html') },
		html_as_json => sub { http_reply('200 OK', '<html></html>') },
		json_as_html => sub { http_reply('200 OK', $allow_all, 'text/html') },
		half => sub { http_reply('200 OK', substr($allow_all, 0, length($allow_all) / 2)) },
		cut => sub { (substr(http_reply('200 OK', $allow_all), 0, -5), 1) },
		fewer => sub { http_reply('200 OK', $json->encode({ evaluations => [ @decisions[ 1 .. $#decisions ] ] })) },
		more => sub { http_reply('200 OK', $json->encode({ evaluations => [ @decisions, { decision => JSON::PP::true } ] })) },
		text => sub { http_reply('200 OK', $json->encode({ evaluations => [ map { { decision => 'true' } } @evaluations ] })) },
		number => sub { http_reply('200 OK', $json->encode({ evaluations => [ map { { decision => 1 } } @evaluations ] })) },
		nothing => sub { http_reply('200 OK', '{}') },
		array => sub { http_reply('200 OK', '[]') },
		empty => sub { http_reply('200 OK', '') },
		single => sub { http_reply('200 OK', '{"decision": true}') },
		twice => sub { my $text = $allow_all; $text =~ s/"decision":true/"decision":false,"decision":true/; http_reply('200 OK', $text) },
		nul => sub { http_reply('200 OK', "$allow_all\0") },
		created => sub { http_reply('201 Created', $allow_all) },
		400 => sub { http_reply('400 Bad Request', '{"error": "no"}') },
		500 => sub { http_reply('500 Internal Server Error', $allow_all) },
		redirect => sub { "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:$port/elsewhere\r\nContent-Length: 0\r\n\r\n" },
		vector => sub { http_reply('200 OK', '{"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.10, -1e-2, 12345678901234567.25]}], "model": "m"}') },
		no_vector => sub { http_reply('200 OK', '{"data": []}') },
		empty_vector => sub { http_reply('200 OK', '{"data": [{"embedding": []}]}') },
		text_vector => sub { http_reply('200 OK', '{"data": [{"embedding": "zczMPQ=="}]}') },
		close => sub { ('', 1) },
		no_http => sub { ("SSH-2.0-OpenSSH\r\n", 1) },
		huge => sub { http_reply('200 OK', $json->encode({ evaluations => [ map { { decision => JSON::PP::true, context => { text => 'x' x 200000 } } } 1 .. 10 ] })) },
		slow => sub { undef },
		drip => sub { "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" });
	return $how{$how}->();
}

sub serve
{
	my ($listener, $dir) = @_;
	my $port = $listener->sockport;
	my $select = IO::Select->new($listener);
	my (%buffer, @held);
	my $log = IO::File->new("$dir/asked", '>');
	$log->autoflush(1);
	while (1)
	{
		for my $socket ($select->can_read(0.02))
		{
			if ($socket == $listener)
			{
				my $client = $listener->accept or next;
				$select->add($client);
				$buffer{$client} = '';
				next;
			}
			if (!sysread($socket, $buffer{$socket}, 65536, length $buffer{$socket}))
			{
				$select->remove($socket);
				@held = grep { $_->[0] != $socket } @held;
				close $socket;
				next;
			}
			next unless $buffer{$socket} =~ /\A(.*?)\r\n\r\n(.*)\z/s;
			my ($head, $body) = ($1, $2);
			my ($length) = $head =~ /^Content-Length: (\d+)/mi;
			next if length $body < ($length // 0);
			$buffer{$socket} = '';
			my ($line) = $head =~ /\A(.*?)\r?$/m;
			my $request = eval { $json->decode($body) } // {};
			push @held, [ $socket, $request ];
			print $log $json->encode({ line => $line, head => $head, request => $request, held => scalar @held }), "\n";
		}
		my $how = PostgreSQL::Test::Utils::slurp_file("$dir/how");
		# Replies are held back until so many wait, to see how many come at once.
		if ($how =~ /^at least (\d+)/)
		{
			next if @held < $1;
			$how = 'good';
		}
		for my $held (splice @held)
		{
			my ($reply, $end) = reply_to($how, $held->[1], $port);
			syswrite($held->[0], $reply) if defined $reply;
			if ($end)
			{
				$select->remove($held->[0]);
				close $held->[0];
			}
		}
	}
}

# A service on a free port: {port, url, ...}.
sub start_authzen
{
	my %service = (dir => PostgreSQL::Test::Utils::tempdir());
	my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', LocalPort => 0) or die;
	$service{port} = $listener->sockport;
	$service{url} = "http://127.0.0.1:$service{port}";
	behave(\%service, 'good');
	$service{pid} = fork // die "fork: $!";
	if ($service{pid} == 0)
	{
		eval { serve($listener, $service{dir}) };
		print STDERR $@;
		POSIX::_exit(1);
	}
	return \%service;
}

sub stop_authzen
{
	kill 'KILL', $_[0]{pid};
	waitpid $_[0]{pid}, 0;
}

# How it answers from now on.
sub behave
{
	my ($service, $how) = @_;
	PostgreSQL::Test::Utils::append_to_file("$service->{dir}/how.new", $how);
	rename "$service->{dir}/how.new", "$service->{dir}/how";
}

# What it was asked: {line, head, request, held} each.
sub asked
{
	my ($service) = @_;
	return () unless -e "$service->{dir}/asked";
	return map { $json->decode($_) } grep { /\S/ } split /\n/, PostgreSQL::Test::Utils::slurp_file("$service->{dir}/asked");
}

sub ever_at_once
{
	my ($most) = sort { $b <=> $a } map { $_->{held} } asked(@_);
	return $most;
}

1;
