# Input that only a driver can send: bytes that are not UTF-8, other encodings,
# \u0000, numbers outside of every type, and nesting that would overflow the stack.
# Each is refused with a clear error, nothing is written, and the backend stays
# alive.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('main', 'fsync = off');

$node->safe_psql('postgres', 'CREATE DATABASE kg');
$node->safe_psql('kg', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'kg', 'alice', 'write');
apply($node, 'kg', 'alice', bundle_file('product'));
my $before = state_of($node, 'kg', 'kg_freed');

# (what, SQL, SQLSTATE)
sub refused
{
	my ($what, $sql, $sqlstate, $more) = @_;
	my $file = "$PostgreSQL::Test::Utils::tmp_check/statement.sql";
	open my $fh, '>:raw', $file or die;
	print $fh "\\set VERBOSITY verbose\nSELECT pg_backend_pid() AS pid \\gset\n$sql;\n"
	  . "SELECT :pid = pg_backend_pid();\n";
	close $fh;
	my ($out, $err) = ('', '');
	IPC::Run::run(
		[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-U', 'alice', '-d', 'kg', '-f', $file ],
		'>', \$out, '2>', \$err, IPC::Run::timeout(120));
	like($err, qr/ERROR:  $sqlstate/, "$what is refused with $sqlstate")
	  or diag(substr($err, 0, 2000));
	like($err, $more, "$what: the error names the cause") if $more;
	like($out, qr/^t$/m, "$what: the backend is alive");
	return;
}

my $insert = "INSERT INTO kg_entity (bundle, entity_type, data) VALUES ('product', 'release', %s)";
my $entity = '{"build":"b3000","number":"9.0.0","released":"2026-11-01","long_term":false,"notes":"%s"}';

refused('invalid UTF-8 in an argument', "SELECT kg_list('module', '{\"search\":\"\xff\xfe\"}')", '22021');
refused('an overlong UTF-8 sequence', "SELECT kg_list('module', '{\"search\":\"\xc0\x80\"}')", '22021');
refused('a UTF-16 surrogate as UTF-8', "SELECT kg_list('module', '{\"search\":\"\xed\xa0\x80\"}')", '22021');
refused('invalid UTF-8 in an entity',
	sprintf($insert, sprintf("'$entity'", "\xe2\x28\xa1")), '22021');
refused('\u0000 in an entity', sprintf($insert, sprintf("'$entity'", '\u0000')), '22P05');
refused('half a surrogate pair', "SELECT kg_list('module', '{\"search\":\"\\ud83d\"}')", '22P02');
refused('an id with a control character', "SELECT kg_get('module', ARRAY[E'a\\tb'])", '22023', qr/INVALID_INPUT/);
refused('an id of 129 bytes', "SELECT kg_get('module', ARRAY[repeat('a', 129)])", '22023', qr/128/);
refused('an empty id', "SELECT kg_get('module', ARRAY[''])", '22023', qr/INVALID_INPUT/);
refused('a null id', "SELECT kg_get('module', ARRAY[NULL]::text[])", '22023', qr/INVALID_INPUT/);
refused('malformed JSON', "SELECT kg_list('module', '{\"search\":')", '22P02');
refused('arguments that are an array', "SELECT kg_list('module', '[]')", '22023', qr/INVALID_INPUT/);
refused('arguments in a string', "SELECT kg_list('module', '\"{\\\"limit\\\": 3}\"')", '22023', qr/INVALID_INPUT/);
refused('an unknown argument', "SELECT kg_list('module', '{\"limt\":3}')", '22023', qr/did_you_mean.*limit/);
refused('nesting 10,000 deep in a filter',
	"SELECT kg_list('module', ('{\"filters\":{\"tier\":' || repeat('[', 10000) || repeat(']', 10000) || '}}')::jsonb)",
	'(54000|54001|22023)');
refused('nesting 10,000 deep in an entity',
	sprintf($insert, "(repeat('{\"a\":', 10000) || '1' || repeat('}', 10000))::jsonb"),
	'(23514|54000)', qr/LIMIT_EXCEEDED.*kg_graph\.max_depth/);
refused('nesting 10,000 deep in a schema', q{SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'deep', 'version', '1',
	'schemas', jsonb_build_array(jsonb_build_object('entity_type', 'thing', 'schema',
	  (repeat('{"not":', 10000) || 'true' || repeat('}', 10000))::jsonb)), 'entities', '[]'::jsonb), '{}')}, '(54000|54001|23514|22023)');
refused('a number past float8 in a limit', "SELECT kg_list('module', '{\"limit\":1e400}')", '22023', qr/limit/);
refused('a number past int8 in a limit', "SELECT kg_list('module', '{\"limit\":99999999999999999999}')", '22023', qr/limit/);
refused('a fraction as a limit', "SELECT kg_list('module', '{\"limit\":2.5}')", '22023', qr/limit/);
refused('a limit of 501', "SELECT kg_list('module', '{\"limit\":501}')", '22023', qr/500/);
refused('an offset below zero', "SELECT kg_list('module', '{\"offset\":-1}')", '22023', qr/offset/);
refused('an unknown type', "SELECT kg_list('modul', '{}')", '42704', qr/did_you_mean.*module/);
refused('an entity over the limit',
	sprintf($insert, "jsonb_build_object('build', 'b3000', 'number', '9.0.0',
	  'released', '2026-11-01', 'long_term', false, 'notes', repeat('x', 110000))"),
	'54000', qr/kg_graph\.max_entity_bytes/);
refused('arguments over the limit',
	"SELECT kg_list('module', jsonb_build_object('search', repeat('x', 2000000)))",
	'54000', qr/kg_graph\.max_argument_bytes/);

# Numbers past int64 and float8 in data: exact, or refused, never rounded.
my ($status, $out, $err) = call_as($node, 'kg', 'alice', q{
	SELECT kg_list('known_issue', '{"filters":{"reports":{"lt":1e400}}}') ->> 'total',
	       kg_list('known_issue', '{"filters":{"reports":{"gt":99999999999999999999}}}') ->> 'total'});
is($out, '9|0', 'filters compare numbers of any size') or diag($err);

# A client in another encoding gets its own bytes back.
my $latin = "$PostgreSQL::Test::Utils::tmp_check/latin1.sql";
open my $fh, '>:raw', $latin or die;
print $fh "SET client_encoding = 'LATIN1';\n"
  . sprintf("$insert;\n", sprintf("'$entity'", "caf\xe9"))
  . "SELECT kg_get('release', 'b3000') ->> 'notes';\n"
  . "SET client_encoding = 'UTF8';\n"
  . "SELECT kg_get('release', 'b3000') ->> 'notes';\n"
  . "DELETE FROM kg_entity WHERE entity_id = 'b3000' RETURNING entity_id;\n";
close $fh;
($out, $err) = ('', '');
IPC::Run::run(
	[ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-U', 'alice', '-d', 'kg', '-f', $latin ],
	'>', \$out, '2>', \$err, IPC::Run::timeout(60));
is($out, "caf\xe9\ncaf\xc3\xa9\nb3000\n", 'LATIN1 in, LATIN1 out, UTF-8 inside') or diag($err);

# But the versions of ids that were given up.
is(state_of($node, 'kg', 'kg_freed'), $before, 'nothing of all this was written');

$node->stop;
done_testing();
