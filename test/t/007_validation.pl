# Validations without limits, which other means end: pg_cancel_backend() from another
# session, or statement_timeout. The backend stays alive.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('main');
$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
$node->safe_psql('kg', q{CREATE TABLE big AS
	SELECT jsonb_build_object('allOf', jsonb_agg(jsonb_build_object('properties', jsonb_build_object('p' || i, jsonb_build_object('minimum', i))))) AS s
	  FROM generate_series(1, 800000) i});

my $free = join '; ', map { "SET kg_graph.$_ = 2000000000" } qw(schema_max_steps schema_max_nodes schema_max_bytes);

# 60 levels of two references each: 2^60 steps.
sub doubled
{
	my ($leaf, $how) = @_;
	return qq{(SELECT jsonb_build_object('\$ref', '#/\$defs/d60', '\$defs', jsonb_object_agg('d' || i,
		CASE WHEN i = 0 THEN '$leaf'::jsonb ELSE jsonb_build_object('$how', jsonb_build_array(r, r)) END))
		FROM (SELECT i, jsonb_build_object('\$ref', '#/\$defs/d' || (i - 1)) AS r FROM generate_series(0, 60) i) s)};
}

my %long = (
	'anyOf, the answer' => 'SELECT kg_validate(\'1\', ' . doubled('{"type": "string"}', 'anyOf') . ')',
	'oneOf, the violations' => 'SELECT kg_validation_errors(\'1\', ' . doubled('{"type": "integer"}', 'oneOf') . ')',
	'unevaluatedProperties' => 'SELECT kg_validate(\'{"a": 1}\', ' . doubled('{"unevaluatedProperties": {"type": "integer"}}', 'allOf') . ')',
	'a large array, many times' => q{SELECT kg_validate((SELECT jsonb_agg(i) FROM generate_series(1, 300000) i),
		(SELECT jsonb_build_object('items', jsonb_build_object('allOf', jsonb_agg(jsonb_build_object('not', jsonb_build_object('const', 'x' || i)))))
		 FROM generate_series(1, 20000) i))},
	'a table of patterns' => q{SELECT count(kg_validate('"x"', jsonb_build_object('pattern', 'a' || i || '(?:a|b|c)*a(?:a|b|c){6}$'))) FROM generate_series(1, 1000000) i},
	'compiling' => 'SELECT kg_schema_check(s) FROM big',
);

foreach my $name (sort keys %long)
{
	my ($run, $pid, $out, $err) = start_session($node, 'kg', undef,
		"$free;\nSELECT 'pid ' || pg_backend_pid();\n$long{$name};\nSELECT 'alive';\n", qr/pid (\d+)/);
	# It has worked for a while when the cancel comes.
	$node->poll_query_until('kg', qq{SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = $pid AND state = 'active'
		AND query LIKE '%kg_%' AND query_start < clock_timestamp() - interval '0.5 s'})
	  or die "$name does not run";
	my $start = time;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	$run->finish;
	my $took = time - $start;
	like($$err, qr/57014/, "$name: pg_cancel_backend ends the statement");
	cmp_ok($took, '<', 60, "$name: the cancelled statement ends soon");
	like($$out, qr/alive/, "$name: the session continues after the cancellation");

	$start = time;
	my (undef, undef, $late) = call_as($node, 'kg', 'postgres', "$free; SET statement_timeout = '500ms'; $long{$name}");
	$took = time - $start;
	like($late, qr/statement timeout/, "$name: statement_timeout ends the statement");
	cmp_ok($took, '<', 60, "$name: the timed-out statement ends soon");
}

done_testing();
