# MCP Apps through kgctl. A client that accepts the page in initialize is told of the
# page in later replies: over standard input, and over HTTP, where the gateway stores
# no state.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use KgGateway;
use KgTest;
use Test::More;

my $node = cluster('app');
my $page = $node->data_dir . '/kg_app.html';
open my $file, '>', $page or die $!;
print $file '<!DOCTYPE html><meta name="kg-endpoint" content="mcp">';
close $file;
$node->safe_psql('postgres', "ALTER ROLE kg_direct SET kg_graph.explorer_file = '$page'");
my $gateway = start_gateway($node, 'kg_direct', '--allow-origin', 'https://app.example.com');
my $ui = { extensions => { 'io.modelcontextprotocol/ui' => { mimeTypes => ['text/html;profile=mcp-app'] } } };

sub initialize
{
	my ($capabilities, $revision) = @_;
	return rpc('initialize', { protocolVersion => $revision // '2025-11-25', capabilities => $capabilities, clientInfo => { name => 't', version => '1' } });
}

# How many tools say that the page shows them.
sub shown { return scalar grep { ($_->{_meta}{ui}{resourceUri} // '') eq 'ui://kg_graph/explorer' } @{ $_[0]{result}{tools} } }

my $reply;
{
	my %version = ('MCP-Protocol-Version' => '2025-11-25');
	$reply = post($gateway, initialize($ui), { Origin => 'https://app.example.com' });
	my $session = $reply->{headers}{'mcp-session-id'};
	like($session, qr/\Aapp-[0-9a-f]{32}\z/, 'HTTP: the id of the session says that the client supports MCP Apps');
	ok(exists $reply->{json}{result}{capabilities}{extensions}{'io.modelcontextprotocol/ui'}, 'HTTP: the answer to initialize has the extension for MCP Apps');
	like($reply->{headers}{'access-control-expose-headers'}, qr/Mcp-Session-Id/, 'HTTP: a page of another origin may read the header with the id');
	isnt(post($gateway, initialize($ui))->{headers}{'mcp-session-id'}, $session, 'HTTP: each session has its own id');
	for (1 .. 3)
	{
		ok(shown(post($gateway, rpc('tools/list'), { %version, 'Mcp-Session-Id' => $session })->{json}) > 10, 'HTTP: tools/list with the id of the session has the page of the tools');
	}
	is(post($gateway, rpc('resources/read', { uri => 'ui://kg_graph/explorer' }), { %version, 'Mcp-Session-Id' => $session })->{json}{result}{contents}[0]{mimeType},
		'text/html;profile=mcp-app', 'HTTP: resources/read with the id of the session returns the page');
	is(shown(post($gateway, rpc('tools/list'), { %version, 'Mcp-Session-Id' => 'of another' })->{json}), 0, 'HTTP: tools/list with another id has no page');
	$reply = post($gateway, rpc('tools/list'), \%version);
	is(shown($reply->{json}), 0, 'HTTP: tools/list without an id has no page');
	# What the message says of itself is not asked.
	is(post($gateway, { kg_app => JSON::PP::true, %{ rpc('tools/list') } }, \%version)->{body}, $reply->{body}, 'HTTP: a member kg_app of a message has no effect');
	is(http($gateway, 'DELETE', '/mcp', { 'Mcp-Session-Id' => $session })->{status}, 405, 'HTTP: DELETE with the id of the session is not allowed');
	for my $capabilities ({}, { extensions => {} }, { extensions => { 'io.modelcontextprotocol/ui' => {} } })
	{
		ok(!defined post($gateway, initialize($capabilities))->{headers}{'mcp-session-id'}, 'HTTP: a client without support for MCP Apps gets no id');
	}
	ok(!defined post($gateway, initialize($ui, '2025-03-26'))->{headers}{'mcp-session-id'}, 'HTTP: a client of a revision without MCP Apps gets no id');
	ok(!defined post($gateway, rpc('tools/list'), { %version, 'Mcp-Session-Id' => $session })->{headers}{'mcp-session-id'}, 'HTTP: only the answer to initialize has the id');
}
{
	my $message = modern('tools/list');
	ok(shown(post($gateway, $message, modern_headers('tools/list'))->{json}) == 0, '2026-07-28: tools/list without the capability has no page');
	$message->{params}{_meta}{'io.modelcontextprotocol/clientCapabilities'} = $ui;
	$reply = post($gateway, $message, modern_headers('tools/list'));
	ok(shown($reply->{json}) > 10 && !defined $reply->{headers}{'mcp-session-id'}, '2026-07-28: tools/list with the capability has the page');
}

# Answers of kgctl mcp to messages, by id.
sub stdio
{
	my (@messages) = @_;
	my ($in, $out, $err) = ('', '', '');
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=kg_direct';
	my $run = IPC::Run::start(['kgctl', 'mcp'], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	my @answers;
	for my $message (@messages)
	{
		$in .= JSON::PP->new->canonical->encode($message) . "\n";
		my $before = () = $out =~ /\n/g;
		$run->pump while (() = $out =~ /\n/g) == $before;
	}
	$run->finish;
	return map { decode($_) } split /\n/, $out;
}
my @answers = stdio(initialize($ui), rpc('tools/list'), rpc('resources/read', { uri => 'ui://kg_graph/explorer' }), initialize({}), rpc('tools/list'));
ok(shown($answers[1]) > 10, 'standard input: tools/list has the page after initialize with the capability');
is($answers[2]{result}{contents}[0]{mimeType}, 'text/html;profile=mcp-app', 'standard input: resources/read returns the page');
is(shown($answers[4]), 0, 'standard input: tools/list has no page after initialize without the capability');

stop_gateway($gateway);
$node->stop;
done_testing();
