# A backend that calls every tool again and again does not grow.
# bench/memory does the same with 100,000 calls of each.
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
	q{kg_list_tools()},
	q{kg_export_bundle('product')});

foreach my $tool (@tools)
{
	next if $tool =~ /^(kg_\w+)/ && !has_function($node, 'kg', $1);
	my $n = $tool =~ /export|list_tools/ ? $calls / 10 : $calls;
	my ($status, $out, $err) = call_as($node, 'kg', 'alice', qq{
		SELECT pg_backend_pid() AS pid \\gset
		DO \$\$ DECLARE n bigint := 0; BEGIN FOR i IN 1..200 LOOP n := n + length(($tool)::text); END LOOP; END \$\$;
		\\setenv PID :pid
		\\set before `awk '{print \$2 * 4096}' /proc/\$PID/statm`
		DO \$\$ DECLARE n bigint := 0; BEGIN FOR i IN 1..$n LOOP n := n + length(($tool)::text); END LOOP; END \$\$;
		\\set after `awk '{print \$2 * 4096}' /proc/\$PID/statm`
		SELECT :after - :before;});
	is($status, 0, "$tool: $n calls") or diag($err);
	next if $status != 0;
	cmp_ok($out, '<', 2 * 1024 * 1024, "... grew by $out bytes");
}

$node->stop;
done_testing();
