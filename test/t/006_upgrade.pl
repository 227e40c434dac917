# Every released version updates to the present one and is then the same as a
# fresh installation.  A path is a script sql/kg_graph--A--B.sql; the versions
# to start from are those whose install script is kept in test/t/released/.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @from = map { m{kg_graph--([0-9.]+)\.sql$} ? $1 : () } glob "$FindBin::Bin/released/kg_graph--*.sql";
plan skip_all => '0.1.0 is the first release: there is nothing to update from' unless @from;

my $node = new_node('main', 'fsync = off');

# Everything about the members that DDL can say.
my $catalog = q{
	WITH member AS (
	  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e
	    ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND d.deptype = 'e'
	   WHERE e.extname = 'kg_graph')
	SELECT 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text, obj_description(p.oid, 'pg_proc')
	  FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
	UNION ALL
	SELECT 'column', format('%s.%s', a.attrelid::regclass, a.attname), format('%s %s %s %s', row_number() OVER (PARTITION BY a.attrelid ORDER BY attnum), format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)), c.relacl::text, col_description(a.attrelid, attnum)
	  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
	  LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum WHERE attnum > 0 AND NOT attisdropped
	UNION ALL
	SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), NULL, NULL
	  FROM pg_index i JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = i.indrelid
	UNION ALL
	SELECT 'constraint', conname, pg_get_constraintdef(c.oid), NULL, NULL
	  FROM pg_constraint c JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = c.conrelid
	UNION ALL
	SELECT 'policy', polname, format('%s %s %s', polcmd, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), NULL, NULL
	  FROM pg_policy p JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = p.polrelid
	UNION ALL
	SELECT 'trigger', tgname, pg_get_triggerdef(t.oid), tgenabled::text, NULL
	  FROM pg_trigger t JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = t.tgrelid WHERE NOT tgisinternal
	ORDER BY 1, 2, 3};

$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION kg_graph');
my $fresh = $node->safe_psql('fresh', $catalog);

foreach my $version (@from)
{
	(my $db = "from_$version") =~ tr/./_/;
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, "CREATE EXTENSION kg_graph VERSION '$version'");
	new_tenant($node, $db, 'alice');
	apply($node, $db, 'alice', bundle_file('product'));
	my $export = export_of($node, $db, 'alice', 'product');
	$node->safe_psql($db, 'ALTER EXTENSION kg_graph UPDATE');
	is($node->safe_psql($db, $catalog), $fresh, "$version: the updated catalog is that of a fresh installation");
	is(export_of($node, $db, 'alice', 'product'), $export, "$version: the data are as they were");
}

$node->stop;
done_testing();
