# The memory of a backend that calls every tool again and again does not grow.
# bench/memory does the same with 100,000 calls of each tool.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs /proc' unless -r "/proc/$$/statm";

my $calls = $ENV{KG_MEMORY_CALLS} // 10000;
my $node = new_node('main', 'fsync = off');

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'kg', 'alice', 'write');
apply($node, 'kg', 'alice', bundle_file('iso-codes', 200));
apply($node, 'kg', 'alice', bundle_file('product'));
$node->safe_psql('kg', 'VACUUM ANALYZE');

my @tools = (
	q{kg_get('country', 'FR')},
	q{kg_get('country', ARRAY['FR', 'DE', 'XX'])},
	q{kg_list('subdivision', '{"filters":{"country":"AF"},"sort":[{"field":"name","order":"asc"}],"limit":5}')},
	q{kg_list_ids('country', '{"limit":5}')},
	q{kg_list('country', '{"search":"afganistan"}')},
	q{kg_list('known_issue', '{"filters":{"severity":{"in":["blocker","critical"]},"reports":{"gte":3}},"sort":[{"field":"severity","order":"desc"}]}')},
	q{kg_traverse('{"from":{"label":"subdivision","ids":["AF-BAL"]},"relationships":[{"type":"IN_COUNTRY"}]}')},
	q{kg_call_tool('list_country', '{"limit":3}')},
	q{kg_call_tool('get_country', '{"ids":["FR"]}')},
	q{kg_call_tool('list_country', '{"limit":-3}')},
	q{kg_call_tool('list_contry', '{}')},
	q{kg_find_nodes('{"node_label":"known_issue","filters":{"severity":"blocker"},"limit":3}')},
	q{kg_neighbors('{"start_node":{"label":"module","node_id":"queue"},"max_hops":2}')},
	q{kg_paths('{"from":{"label":"known_issue","ids":["KI-101"]},"to":{"label":"release"},"max_hops":2,"limit":3}')},
	q{kg_aggregate('{"node":{"label":"known_issue"},"aggregations":[{"fn":"count"}],"group_by":[{"property":"severity"}]}')},
	q{kg_graph_schema('{}')},
	q{kg_describe_schema('{}')},
	q{kg_search('{"query":"queue"}')},
	q{kg_bfs('{"seeds":["module:queue"],"max_hops":1}')},
	q{kg_describe('{"id":"module:queue"}')},
	q{kg_describe_many('{"ids":["module:queue","module:worker"]}')},
	q{kg_intersect('{"seeds":["module:queue","module:worker"],"k":1}')},
	q{kg_mcp('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_country","arguments":{"id":"AF"}}}')},
	q{kg_call_tool('find_paths', '{}')},
	q{kg_list_tools()},
	q{kg_export_bundle('product')});

# One backend calls them all; it is measured when it has called each a few times.
@tools = grep { !/^(kg_\w+)/ || has_function($node, 'kg', $1) } @tools;

sub loop
{
	my ($tool, $n) = @_;
	return "DO \$\$ DECLARE n bigint := 0; BEGIN FOR i IN 1..$n LOOP n := n + length(($tool)::text); END LOOP; END \$\$;\n";
}

sub measure
{
	my ($name) = @_;
	return "\\set $name `awk '{print \$2 * 4096}' /proc/\$PID/statm`\n";
}

my $sql = "SELECT pg_backend_pid() AS pid \\gset\n\\setenv PID :pid\n";
$sql .= loop($_, 100) foreach @tools;
$sql .= measure('start') . measure('before');
foreach my $tool (@tools)
{
	# What answers with everything there is takes a hundred times as long.
	my $n = $tool =~ /kg_(export|list_tools|graph_schema|describe_schema)/ && $calls < 100000 ? $calls / 10 : $calls;
	$sql .= loop($tool, $n) . measure('after') . "SELECT :after - :before;\n" . "\\set before :after\n";
}
$sql .= "SELECT :after - :start;\n";
my ($status, $out, $err) = call_as($node, 'kg', 'alice', $sql, timeout => 7200);
is($status, 0, "$calls calls of each tool") or diag($err);
my @grown = split /\n/, $out;
foreach my $i (0 .. $#tools)
{
	cmp_ok($grown[$i], '<', 4 * 1024 * 1024, "memory of the backend grew by $grown[$i] bytes: $tools[$i]");
}
cmp_ok($grown[-1], '<', 16 * 1024 * 1024, "memory of the backend grew by $grown[-1] bytes in all calls");

$node->stop;
done_testing();
