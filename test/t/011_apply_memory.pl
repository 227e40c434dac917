# The memory of an apply grows with the size of the bundle only as if its bytes were
# stored once. A jsonb_in() of its text would need twelve times as much.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs /proc' unless -r "/proc/$$/status";

my ($small, $large) = (20000, 80000);
my $node = new_node('main', "fsync = off\nshared_buffers = 16MB\nautovacuum = off");

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
$node->safe_psql('kg', q{
	CREATE TABLE payload (edges int, b jsonb, t text);
	ALTER TABLE payload ALTER b SET STORAGE EXTERNAL, ALTER t SET STORAGE EXTERNAL;
	GRANT SELECT ON payload TO public});
# About 230 bytes an edge.
$node->safe_psql('kg', sprintf q{
	INSERT INTO payload SELECT n, b, b::text FROM (SELECT n, '{"bundle_name": "packages", "version": "1",
	  "schemas": [{"entity_type": "package", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": [], "properties": {"id": {"type": "string"}}}}],
	  "relations": [{"name": "DEPENDS", "from": "package", "to": "package", "schema": {"type": "object", "properties": {"note": {"type": "string"}}}}]}'
	  || jsonb_build_object('entities', jsonb_build_array(jsonb_build_object('entity_type', 'package', 'items', (SELECT jsonb_agg(jsonb_build_object('id', 'package-' || i)) FROM generate_series(0, 1999) i))),
	    'edges', (SELECT jsonb_agg(jsonb_build_object('relation', 'DEPENDS', 'from', 'package:package-' || i %% 2000, 'to', 'package:package-' || i / 2000, 'properties', jsonb_build_object('note', repeat('lorem ipsum ', 10))))
	      FROM generate_series(0, n - 1) i)) AS b FROM (VALUES (%d), (%d)) x(n)) y}, $small, $large);

# The most memory that a new session has had, which applies a bundle so.
sub peak
{
	my ($tenant, $edges, $apply) = @_;
	my ($status, $out, $err) = call_as($node, 'kg', $tenant,
		"SELECT pg_backend_pid() AS pid \\gset\n\\setenv PID :pid\n"
		  . "SELECT $apply #>> '{relations,DEPENDS}' FROM payload WHERE edges = $edges;\n"
		  . "\\set peak `awk '/^VmHWM/ {print \$2 * 1024}' /proc/\$PID/status`\nSELECT :peak;\n");
	is($status, 0, "$apply of $edges edges") or diag($err);
	my ($counts, $peak) = split /\n/, $out;
	like($counts, qr/"(created|unchanged)": $edges\b/, 'the reply counts all edges');
	return $peak;
}

foreach my $form (['t', 'kg_apply_bundle_text(t)'], ['b', 'kg_apply_bundle(b)'])
{
	my ($column, $apply) = @$form;
	my $bytes = $node->safe_psql('kg', "SELECT max(pg_column_size($column)) - min(pg_column_size($column)) FROM payload");
	my %peaks;

	foreach my $edges ($small, $large)
	{
		my $tenant = "$column$edges";
		new_tenant($node, 'kg', $tenant, 'write');
		push @{ $peaks{ $_ } }, peak($tenant, $edges, $apply) foreach 'new', 'unchanged';
	}
	foreach my $when ('new', 'unchanged')
	{
		my $grown = $peaks{$when}[1] - $peaks{$when}[0];
		cmp_ok($grown, '<', 4 * $bytes, sprintf '%s, %s: %d bytes more of a bundle take %.1f times as many', $apply, $when, $bytes, $grown / $bytes);
	}
}

# An export in parts takes no more of what is larger; what is shared is not its.
{
	my $bytes = $node->safe_psql('kg', 'SELECT max(length(t)) - min(length(t)) FROM payload');
	my @peaks;

	foreach my $edges ($small, $large)
	{
		my ($status, $out, $err) = call_as($node, 'kg', "b$edges",
			"SELECT pg_backend_pid() AS pid \\gset\n\\setenv PID :pid\n"
			  . "SELECT sum(jsonb_array_length(value)) FROM kg_export_bundle_parts('packages') WHERE part = 'edges';\n"
			  . "\\set peak `awk '/^VmHWM/ {n += \$2} /^RssShmem/ {n -= \$2} END {print n * 1024}' /proc/\$PID/status`\nSELECT :peak;\n");
		is($status, 0, "$edges edges are exported in parts") or diag($err);
		my ($count, $peak) = split /\n/, $out;
		is($count, $edges, 'the export has all edges');
		push @peaks, $peak;
	}
	my $grown = $peaks[1] - $peaks[0];
	cmp_ok($grown, '<', $bytes / 2, sprintf 'kg_export_bundle_parts: %d bytes more of a bundle take %.2f times as many', $bytes, $grown / $bytes);
}

$node->stop;
done_testing();
