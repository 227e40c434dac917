# kgctl load: formats, errors with the line of the file, rejected lines, kill -9 and
# --resume, --atomic.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Compress::Gzip qw(gzip);
use IPC::Run ();
use JSON::PP;
use KgTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('load', 'fsync = off');
my $dir = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', 'CREATE EXTENSION kg_graph');
new_tenant($node, 'postgres', 'ada', 'write');
new_tenant($node, 'postgres', 'bob', 'write');
new_tenant($node, 'postgres', 'eve', 'read');
my $bundle = encode_json({
	bundle_name => 'shop', version => '1',
	schemas => [
		{ entity_type => 'brand', schema => { type => 'object', 'x-id-field' => 'id',
			properties => { id => { type => 'string' }, parent => { type => 'string', 'x-ref' => 'brand' } } } },
		{ entity_type => 'product', schema => { type => 'object', 'x-id-field' => 'id', additionalProperties => JSON::PP::false,
			properties => {
				id => { type => 'string' }, name => { type => 'string' }, price => { '$ref' => '#/$defs/money' },
				stock => { type => [ 'integer', 'null' ] }, live => { type => 'boolean' }, tags => { type => 'array' } },
			'$defs' => { money => { type => 'number', minimum => 0 } } } } ],
	relations => [
		{ name => 'RIVALS', from => 'product', to => 'product', schema => { type => 'object', properties => { weight => { type => 'number' } } } } ] });
foreach my $role ('ada', 'bob')
{
	my ($status, $out, $err) = call_as($node, 'postgres', $role, "SELECT kg_apply_bundle('$bundle')");
	is($status, 0, "a bundle for $role") or diag $err;
}
$ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=ada';
$ENV{HOME} = $dir;
delete $ENV{XDG_CONFIG_HOME};

sub put
{
	my ($name, $text) = @_;
	open my $file, '>:raw', "$dir/$name" or die "$name: $!";
	print $file $text;
	close $file;
	return "$dir/$name";
}

sub lines_of
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	my @lines = map { decode_json($_) } <$file>;
	close $file;
	return @lines;
}

sub kgctl
{
	my ($input, @command) = @_;
	my $got = run_kgctl({ input => $input, seconds => 180 }, @command);
	return @$got{qw(code out err)};
}

sub stored
{
	my ($what) = @_;
	return $node->safe_psql('postgres', "SELECT $what");
}

sub empty
{
	my ($status, $out, $err) = call_as($node, 'postgres', 'ada',
		'DELETE FROM kg_edge; DELETE FROM kg_entity');
	die $err if $status != 0;
	return;
}

# Roles that see through policies: another tenant's type and relation of the same names are not theirs.
{
	$node->safe_psql('postgres', 'CREATE ROLE root LOGIN BYPASSRLS; CREATE ROLE boss LOGIN SUPERUSER');
	my ($status, $out, $err) = call_as($node, 'postgres', 'bob', q{SELECT kg_apply_bundle(jsonb_build_object('bundle_name', 'zoo', 'version', '1', 'schemas',
		jsonb_build_array(jsonb_build_object('entity_type', 'animal', 'schema', '{"type": "object", "x-id-field": "tag", "properties": {"tag": {"type": "string"}, "legs": {"type": "string"}}}'::jsonb)),
		'relations', '[{"name": "EATS", "from": "animal", "to": "animal", "key": ["at"], "schema": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}, "weight": {"type": "string"}}}}]'::jsonb))});
	is($status, 0, 'another tenant has a type and a relation of its own') or diag $err;
	foreach my $role ('root', 'boss')
	{
		$node->safe_psql('postgres', "SELECT kg_grant('t_ada', '$role', 'write')");
		($status, $out, $err) = call_as($node, 'postgres', 'ada', q{SELECT kg_apply_bundle('{"bundle_name": "zoo", "version": "1", "schemas": [{"entity_type": "animal", "schema":
			{"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "legs": {"type": "integer"}}}}],
			"relations": [{"name": "EATS", "from": "animal", "to": "animal", "schema": {"type": "object", "properties": {"weight": {"type": "integer"}}}}]}', '{"mode": "merge"}')});
		is($status, 0, "the tenant of $role has a type and a relation of the same names") or diag $err;
		local $ENV{KGCTL_DSN} = $node->connstr('postgres') . " user=$role";
		local $ENV{KGCTL_TENANT} = 't_ada';
		my $rows = join '', map { qq({"id": "a$_", "legs": 4}\n) } 1 .. 300;
		my ($code, $said, $errors) = kgctl($rows, 'load', '--type', 'animal', '--format', 'json', '--name', "json-$role", '-');
		is("$code $said" =~ s/ \(.*//sr, '0 animal: 300 rows: created 300, updated 0, unchanged 0, rejected 0', "$role loads JSON") or diag $errors;
		cmp_ok(stored("batch FROM kg_load WHERE load = 'json-$role'"), '<=', 2, "$role loads many rows in each batch");
		($code, $said, $errors) = kgctl(join('', "id,legs\n", map { "a$_,5\n" } 1 .. 300), 'load', '--type', 'animal', '--format', 'csv', '-');
		is("$code $said" =~ s/ \(.*//sr, '0 animal: 300 rows: created 0, updated 300, unchanged 0, rejected 0', "$role loads CSV by the schema of its own tenant") or diag $errors;
		($code, $said, $errors) = kgctl(join('', "from,to,weight\n", map { "a$_,a1,5\n" } 2 .. 300), 'load', '--relation', 'EATS', '--format', 'csv', '--name', "edges-$role", '-');
		is("$code $said" =~ s/ \(.*//sr, '0 EATS: 299 rows: created 299, updated 0, unchanged 0, rejected 0', "$role loads edges") or diag $errors;
		($code, $said, $errors) = kgctl('', 'load', '--type', 'lion', '--format', 'json', '-');
		like("$code $errors", qr/^\d+ .*there is no entity type "lion"/s, "$role cannot load a type of another tenant");
		($status, $out, $err) = call_as($node, 'postgres', 'ada', 'DELETE FROM kg_edge; DELETE FROM kg_entity');
		is($status, 0, "the rows of the tenant of $role are deleted") or diag $err;
	}
}

sub entities
{
	return stored(q{string_agg(data::text, ' ' ORDER BY entity_id COLLATE "C") FROM kg_entity});
}

my ($code, $out, $err);

# Options.
foreach my $case (
	[ 'load without --type, --relation and --bundle', qr/one of --type, --relation and --bundle/, 'load', 'x.csv' ],
	[ 'load with both --type and --relation', qr/one of --type, --relation and --bundle/, 'load', '--type', 'a', '--relation', 'b', 'x.csv' ],
	[ '--atomic --resume', qr/--atomic and --dry-run leave nothing/, 'load', '--type', 'a', '--atomic', '--resume', 'x.csv' ],
	[ '--empty', qr/is not absent or null/, 'load', '--type', 'a', '--empty', 'x', 'x.csv' ],
	[ 'a file name without a known format', qr/the name does not show the format/, 'load', '--type', 'product', 'x.txt' ],
	[ 'an unknown format', qr/is not json, csv or tsv/, 'load', '--type', 'product', '--format', 'xml', 'x.xml' ],
	[ 'a delimiter of two characters', qr/not a single character/, 'load', '--type', 'product', '--delimiter', '||', 'x.csv' ])
{
	my ($name, $pattern, @command) = @$case;
	($code, $out, $err) = kgctl('', @command);
	is($code, 2, "$name: status");
	like($err, $pattern, $name);
}
foreach my $case (
	[ 6, 'an unknown type', qr/there is no entity type "thing"/, '--type', 'thing', 'x.csv' ],
	[ 6, 'an unknown relation', qr/there is no relation "KNOWS"/, '--relation', 'KNOWS', 'x.csv' ],
	[ 4, 'a missing file', qr/No such file/, '--type', 'product', "$dir/none.csv" ],
	[ 4, 'a directory', qr/is a directory/, '--type', 'product', '--format', 'csv', $dir ])
{
	my ($status, $name, $pattern, @command) = @$case;
	($code, $out, $err) = kgctl('', 'load', @command);
	is($code, $status, "$name: status") or diag $err;
	like($err, $pattern, $name);
}
{
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=eve';
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', put('eve.ndjson', ''));
	is($code, 6, 'a reader loads no rows') or diag $err;
}

# One row in every format.
my $row = '{"id": "a", "name": "Lamp, \"big\"", "price": 12345678901234567890.50, "live": true, "tags": ["x"]}';
my $cells = "id,name,price,stock,live,tags\r\na,\"Lamp, \"\"big\"\"\",12345678901234567890.50,,TRUE,\"[\"\"x\"\"]\"\r\n";
my $tsv = "id\tname\tprice\tlive\ttags\na\t\"Lamp, \"\"big\"\"\"\t12345678901234567890.50\ttrue\t\"[\"\"x\"\"]\"";
my $gz;
gzip(\"$row\n", \$gz);
my $zst;
IPC::Run::run([ 'zstd', '-q', '-c' ], '<', \"$row\n", '>', \$zst);
foreach my $case (
	[ 'lines.ndjson', "$row\n\n" ], [ 'lines.jsonl', $row ], [ 'bom.json', "\xef\xbb\xbf$row\r\n" ],
	[ 'array.json', "[\n$row]\n" ], [ 'empty_array.json', '[]', 1 ], [ 'empty.json', '', 1 ],
	[ 'cells.csv', $cells ], [ 'bom.csv', "\xef\xbb\xbf$cells" ], [ 'cells.tsv', $tsv ],
	[ 'lines.ndjson.gz', $gz ], [ 'lines.json.zst', $zst ], [ 'two.json.gz', "$gz$gz" ], [ 'two.json.zst', "$zst$zst" ])
{
	my ($name, $text, $none) = @$case;
	empty();
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', put($name, $text));
	is($code, 0, "$name: status") or diag $err;
	is(entities(), $none ? '' : '{"id": "a", "live": true, "name": "Lamp, \"big\"", "tags": ["x"], "price": 12345678901234567890.50}', $name);
}
empty();
($code, $out, $err) = kgctl($zst, 'load', '--type', 'product', '--format', 'json', '-');
like($out, qr/^product: 1 rows: created 1, updated 0, unchanged 0, rejected 0 /, 'compressed standard input is loaded');
($code, $out, $err) = kgctl("x;Sorte;Preis\nb;;2\n", 'load', '--type', 'product', '--format', 'csv', '--delimiter', ';',
	'--map', 'x=id', '--map', 'Sorte=', '--map', 'Preis=price', '-');
is($code, 0, 'columns are mapped to other properties, or omitted') or diag $err;
($code, $out, $err) = kgctl("id,stock,name\nc,,\nd,,\"\"\n", 'load', '--type', 'product', '--format', 'csv', '--empty', 'null', '-');
is(entities(), '{"id": "a", "live": true, "name": "Lamp, \"big\"", "tags": ["x"], "price": 12345678901234567890.50} {"id": "b", "price": 2} '
	  . '{"id": "c", "stock": null} {"id": "d", "name": "", "stock": null}', 'an empty cell is null if the schema permits it, and a quoted empty cell is a text');

# Edges.
($code, $out, $err) = kgctl("from,to,weight\na,b,0.50\nproduct:b,product:c,\n", 'load', '--relation', 'RIVALS', '--format', 'csv', '-');
is($code, 0, 'edges are loaded from CSV') or diag $err;
($code, $out, $err) = kgctl(qq([{"from": "c", "to": "a"}, {"from": "a", "to": "b", "properties": {"weight": 2}}]), 'load', '--relation', 'shop/RIVALS', '--format', 'json', '-');
like($out, qr/created 1, updated 1,/, 'edges are loaded from JSON') or diag $err;
is(stored(q{string_agg(coalesce(properties::text, '-'), ' ' ORDER BY source) FROM kg_edge}), '{"weight": 2} - -', 'the loaded edges are stored');
($code, $out, $err) = kgctl("from,too\na,b\n", 'load', '--relation', 'RIVALS', '--format', 'csv', '--map', 'too=', '-');
is($code, 4, 'a file of edges without the column to is refused');
like($err, qr/no column is "to"/, 'the error names the missing column');

# A header that is wrong stops at once.
foreach my $case (
	[ "id,name,id\n", qr/-?:1: columns 1 and 3 are both "id"/ ],
	[ "id,nmae\n", qr/:1: column "nmae" is not a property; --map 'nmae=PROPERTY'/ ],
	[ "id,\"name\nx", qr/a quote that opens in this row is never closed/ ],
	[ '', qr/is empty: the first row names the columns/ ],
	[ "\xff\xfei\0d\0", qr/UTF-16; convert it: iconv/ ],
	[ "PK\003\004xxxx", qr/ZIP archive or a spreadsheet/ ])
{
	($code, $out, $err) = kgctl($case->[0], 'load', '--type', 'product', '--format', 'csv', '-');
	is($code, 4, 'a wrong header is refused');
	like($err, $case->[1], 'the error says what is wrong with the header');
}

# Rows that are wrong: told with their lines, and then nothing of the batch is written.
my $bad = join "\n", 'id,name,price,stock,live',
  'a1,good,1,,', 'a2,x"y,1,,', "a3,\"two\nlines\",\"1,234.50\",,", 'a4,short', 'id,name,price,stock,live', "a5,\"q\"q,1,,",
  'a6,,007,,', 'a7,,-1,,', 'a8,,1,x,', "a9,M\xfcller,1,,", "a10,\0,1,,", 'a11,,,,perhaps', 'a12,,1,1.5,', 'a1,again,2,,', ',none,,,', '';
my %wrong = (
	3 => qr/a quote inside of cell 2/, 4 => qr/column "price": "1,234.50" is no number; write it like 1234.5/,
	6 => qr/the row has 2 cells and the header 5/, 7 => qr/repeats the header/, 8 => qr/text after the closing quote of cell 2/,
	9 => qr/column "price": "007" is no number/, 10 => qr/less than|minimum/, 11 => qr/column "stock": "x" is no number/,
	12 => qr/byte 5 of the row is not UTF-8; .*iconv -f LATIN1/, 13 => qr/NUL byte/, 14 => qr/column "live": "perhaps" is neither true nor false/,
	15 => qr/integer/, 17 => qr/id/);
my $bad_file = put('bad.csv', $bad);
empty();
($code, $out, $err) = kgctl('', 'load', '--type', 'product', $bad_file);
is($code, 6, 'without --rejects a batch with wrong rows is refused');
like($err, qr/bad\.csv:4: .*"1,234\.50" is no number/, 'the error names the line of a wrong row');
like($err, qr/the batch with these rows was not written, but the 0 rows before the batch were/, 'the error says which rows were not written');
is(entities(), '', 'no row of the refused batch is written');
($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--rejects', "$dir/rejects", $bad_file);
is($code, 1, 'with --rejects the other rows are loaded') or diag $err;
like($out, qr/product: 15 rows: created 1, updated 1, unchanged 0, rejected 13 /, 'a row with an id that occurred before updates the entity');
my %got = map { $_->{line} => $_ } lines_of("$dir/rejects");
is(join(' ', sort { $a <=> $b } keys %got), join(' ', sort { $a <=> $b } keys %wrong), 'the file of rejects has each wrong line');
foreach my $line (sort { $a <=> $b } keys %wrong)
{
	like($got{$line}{error}{message} . encode_json($got{$line}{error}), $wrong{$line}, "the file of rejects has the error of line $line");
	ok(exists $got{$line}{item} || exists $got{$line}{text}, "the file of rejects has the content of line $line");
}
is($got{3}{text}, 'a2,x"y,1,,', 'the file of rejects has the unchanged text of a line');
is($got{10}{error}{path}, '/price', 'the path of the error points into the row');
($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--rejects', "$dir/rejects", $bad_file);
is($code, 4, 'an existing file of rejects is not overwritten');
like($err, qr/exists; use --force/, 'the error advises --force');
# JSON
foreach my $case (
	[ qq({"id": "x1"}\n{"id": "x2",}\n[1]\n"x"\n{"id": "x3", "id": "x4"}\n{"id": "x5", "name": "\\u0000"}\n{"id": "x6"} {"id": "x7"}\n), 1, 2, 3, 4, 5, 6, 7 ],
	[ qq([{"id": "x1"},\n{"id": "x2" "name": "]"},\n3,\n{"id": "x8"}]), 1, 2, 3 ])
{
	my ($text, $good, @lines) = @$case;
	($code, $out, $err) = kgctl($text, 'load', '--type', 'product', '--format', 'json', '--rejects', "$dir/rejects", '-f', '-');
	is($code, 1, 'a file of JSON with wrong rows is loaded, and exits with 1');
	is(join(' ', map { $_->{line} } lines_of("$dir/rejects")), join(' ', @lines), 'the file of rejects has the wrong lines of JSON');
}
foreach my $case (
	[ qq([{"id": "y1"}, {"id": "y2"}), qr/the array is not closed/ ], [ qq([{"id": "y1"}] x), qr/line 1: text after the end of the array/ ])
{
	($code, $out, $err) = kgctl($case->[0], 'load', '--type', 'product', '--format', 'json', '-');
	is($code, 4, 'a broken JSON array is refused');
	like($err, $case->[1], 'the error says where the array is broken');
	is(stored(q{count(*) FROM kg_entity WHERE entity_id = 'y1'}), 1, 'the rows before the broken part are loaded');
}
# A row that is too long is passed over, and not kept in memory.
{
	my $long = '{"id": "long", "name": "' . 'x' x 3_000_000 . '"}';
	($code, $out, $err) = kgctl("$long\n{\"id\": \"z1\"}\n", 'load', '--type', 'product', '--format', 'json', '--max-row', 1000000, '--rejects', "$dir/rejects", '-f', '-');
	is($code, 1, 'a file with a row that is too long exits with 1');
	like((lines_of("$dir/rejects"))[0]{error}{message}, qr/more than 1000000 bytes; to load longer rows, raise --max-row/, 'the error of the row says that it is too long');
	is(stored(q{count(*) FROM kg_entity WHERE entity_id = 'z1'}), 1, 'the row after it is loaded');
}
# Compressed data that is not whole: what came before stays, and is not loaded again.
{
	my $text = join '', map { my $n = $_; qq({"id": "gz$n", "name": ") . join('', map { chr(97 + ($n * 7919 + $_ * $_ * 31) % 26) } 1 .. 40) . qq("}\n) } 1 .. 20000;
	my $whole;
	gzip(\$text, \$whole);
	my $file = put('cut.ndjson.gz', substr($whole, 0, length($whole) / 2));
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', $file);
	is($code, 4, 'a truncated gz file is refused') or diag $out;
	like($err, qr/cut\.ndjson\.gz: ends in the middle of the compressed data, after line \d+: it is not whole/, 'the error says that the gz file is truncated');
	my ($rows) = $err =~ /(\d+) rows were written; correct the file and continue with --resume/;
	ok($rows > 0, 'the rows before the truncation are loaded');
	put('cut.ndjson.gz', $whole);
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--resume', $file);
	like($out, qr/20000 rows: created 20000, updated 0, unchanged 0, rejected 0/, 'a load with --resume of the complete gz file loads the other rows') or diag $err;
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--resume', $file);
	like($out, qr/already loaded, 20000 rows/, 'a load with --resume of a complete load loads nothing');
	put('damaged.ndjson.gz', substr($whole, 0, 5000) . 'garbage' . substr($whole, 5007));
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--rejects', "$dir/damaged", "$dir/damaged.ndjson.gz");
	is($code, 4, 'a damaged gz file is refused');
	like($err, qr/the compressed data is damaged after line \d+ .*; the lines before were read/, 'the error says that the gz file is damaged');
}

# A load that stopped at its first batch goes on from its beginning, of each kind of file.
{
	for my $kind ([ 'first.csv', "id,name,price\nf1,a,1\nf2,b,%s\n" ], [ 'first.tsv', "id\tname\tprice\nf3\ta\t1\nf4\tb\t%s\n" ], [ 'first.ndjson', qq({"id": "f5", "price": 1}\n{"id": "f6", "price": %s}\n) ])
	{
		my ($name, $text) = @$kind;
		my $file = put($name, sprintf $text, '"x"');
		($code, $out, $err) = kgctl('', 'load', '--type', 'product', $file);
		like($err, qr/the 0 rows before the batch were; correct the file and continue with --resume/, "$name: the first batch is refused");
		put($name, sprintf $text, 2);
		($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--resume', $file);
		like($out, qr/2 rows: created 2, /, "$name: the corrected file is loaded with --resume") or diag $err;
	}
}

# References to rows that come later: within a batch they hold, across batches they are rejects that --again loads.
{
	empty();
	my $file = put('brands.csv', "id,parent\nchild,mother\nmother,\nx,\nlate,top\ny,\ntop,\n");
	($code, $out, $err) = kgctl('', 'load', '--type', 'brand', '--batch', 3, '--rejects', "$dir/later", $file);
	is($code, 0, 'rows of one batch may refer to later rows') or diag $err;
	empty();
	($code, $out, $err) = kgctl('', 'load', '--type', 'brand', '--batch', 1, '--rejects', "$dir/later", '-f', $file);
	is($code, 1, 'rows that refer to rows of later batches are rejected');
	is(join(' ', map { "$_->{line} $_->{error}{code} $_->{item}{id}" } lines_of("$dir/later")), '2 REFERENCE_MISSING child 5 REFERENCE_MISSING late', 'the file of rejects has the rows with missing references');
	like($err, qr/--type brand --again \Q$dir\E\/later/, 'the error advises to load the rejects with --again');
	($code, $out, $err) = kgctl('', 'load', '--type', 'brand', '--again', "$dir/later");
	like($out, qr/brand: 2 rows: created 2/, 'the rejects are loaded with --again') or diag $err;
}

# A load of many rows ends with packed edges, like a large apply.
{
	empty();
	my $count = 'count(*) > 0 FROM kg_adjacency a WHERE EXISTS (SELECT FROM kg_edge e WHERE e.tenant = a.tenant AND e.source >> 5 = a.block)';
	my $brands = sub { join '', map { qq({"id": "b$_", "parent": "b) . int($_ / 2 + 1) . qq("}\n) } 1 .. $_[0] };
	($code, $out, $err) = kgctl($brands->(20), 'load', '--type', 'brand', '--format', 'json', '--name', 'a few', '-');
	is("$code " . stored($count), '0 f', 'a small load does not pack edges') or diag $err;
	($code, $out, $err) = kgctl($brands->(12000), 'load', '--type', 'brand', '--format', 'json', '--name', 'many', '-');
	is("$code " . stored($count), '0 t', 'a large load packs edges') or diag $err;
}

# A row that only the writing refuses is found in its batch.
{
	empty();
	$node->safe_psql('postgres', q{
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.entity_id IN ('t7', 't8', 't500') THEN RAISE EXCEPTION 'not %', NEW.entity_id; END IF; RETURN NEW; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON kg_entity FOR EACH ROW EXECUTE FUNCTION refuse()});
	my $text = join '', map { qq({"id": "t$_"}\n) } 1 .. 1000;
	($code, $out, $err) = kgctl($text, 'load', '--type', 'product', '--format', 'json', '--rejects', "$dir/refused", '-');
	is($code, 1, 'a load with rows that a trigger refuses exits with 1') or diag $err;
	is(join(' ', sort { $a <=> $b } map { $_->{line} } lines_of("$dir/refused")), '7 8 500', 'the file of rejects has only the rows that the trigger refused');
	is(stored('count(*) FROM kg_entity'), 997, 'the other rows of the batch are loaded');
	$node->safe_psql('postgres', 'DROP TRIGGER refuse ON kg_entity; DROP FUNCTION refuse()');
}

# All or nothing.
{
	empty();
	my $text = join '', map { qq({"id": "n$_"}\n) } 1 .. 50;
	($code, $out, $err) = kgctl("$text\{\"id\": 1}\n$text", 'load', '--type', 'product', '--format', 'json', '--atomic', '--batch', 10, '-');
	is($code, 6, '--atomic with a wrong row is refused');
	like($err, qr/standard input|:51: /, 'the error names the wrong row') or diag $err;
	is(stored('count(*) FROM kg_entity'), 0, '--atomic with a wrong row writes nothing');
	($code, $out, $err) = kgctl("$text\{\"id\": 1}\n$text", 'load', '--type', 'product', '--format', 'json', '--atomic', '--batch', 10, '--rejects', "$dir/atomic", '-');
	is($code, 6, '--atomic with --rejects and a wrong row is refused');
	like($out, qr/101 rows: .*rejected 1, and so nothing was written/, '--atomic with --rejects reads all rows');
	is(stored('count(*) FROM kg_entity'), 0, '--atomic with --rejects and a wrong row writes nothing');
	($code, $out, $err) = kgctl($text, 'load', '--type', 'product', '--format', 'json', '--dry-run', '--batch', 10, '-');
	like($out, qr/created 50.*and nothing was written/, '--dry-run reports what would be created');
	is(stored('count(*) FROM kg_entity'), 0, '--dry-run writes nothing');
	($code, $out, $err) = kgctl($text, 'load', '--type', 'product', '--format', 'json', '--atomic', '--batch', 10, '-');
	is($code, 0, '--atomic without a wrong row succeeds') or diag $err;
	is(stored('count(*) FROM kg_entity'), 50, '--atomic without a wrong row writes all rows');
}

# kill -9 of the client or its backend, and SIGINT, at random times. --resume must
# neither skip nor repeat a row. The version of an entity says how often its row was
# written.
{
	my $n = 12000;
	my $file = "$dir/many.csv";
	foreach my $how ('KILL', 'INT', 'backend')
	{
		# An id that comes again has a version above that of the one before it, so these are new.
		put('many.csv', "id,name,price\n" . join('', map { "$how$_,\"name\n$_\"," . ($_ % 1000 == 0 ? "1,5\n" : "$_\n") } 1 .. $n));
		empty();
		my ($stops, $rounds, $again) = (0, 0, '');
		my @command = ('kgctl', 'load', '--type', 'product', '--batch', 500, '--rejects', "$dir/many.$how", $file);
		unlink "$dir/many.$how";
		$node->safe_psql('postgres', 'DELETE FROM kg_load');
		while (1)
		{
			my ($o, $e) = ('', '');
			my $run = IPC::Run::start([ @command, $rounds++ ? '--resume' : () ], '<', \'', '>', \$o, '2>', \$e, IPC::Run::timeout(180));
			my $had = stored('count(*) FROM kg_entity');
			my $stop = $stops < 4 && wait_until(sub {
				$run->pump_nb;
				return !$run->pumpable || stored('count(*) FROM kg_entity') > $had;
			}) && $run->pumpable;
			if ($stop && $how eq 'backend')
			{
				stored(q{count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'ada'});
			}
			elsif ($stop) { $run->signal($how) }
			$run->finish;
			$stops++ if $run->full_result != 0 && $run->full_result >> 8 != 1;
			$again = $o;
			last if $run->full_result >> 8 == 1 || $run->full_result == 0 || $rounds > 20;
			like($e, qr/--resume continues after/, "$how: the message says after which line --resume continues") if $how eq 'INT';
		}
		ok($stops > 0, "$how: the load was stopped $stops times");
		like($again, qr/product: \Q@{[$n]}\E rows: created 11988, updated 0, unchanged 0, rejected 12 /, "$how: the last load reports each row once") or diag $again;
		is(stored('count(*) FROM kg_entity'), $n - 12, "$how: all valid rows are stored");
		is(stored('count(*) FROM kg_entity WHERE version <> 1'), 0, "$how: no row was written twice");
		is(join(' ', map { $_->{line} } lines_of("$dir/many.$how")), join(' ', map { $_ * 2000 } 1 .. 12), "$how: each rejected row is in the file of rejects once");
	}
	# Somebody goes on with what somebody else's file was.
	$node->safe_psql('postgres', q{UPDATE kg_load SET position = position || '{"done": false}'});
	put('many.csv', "id,name,price\n" . join('', map { "k$_,\"other\n$_\",$_\n" } 1 .. $n));
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--resume', $file);
	is($code, 4, '--resume with a changed file is refused');
	like($err, qr/lines before line \d+, which were loaded, have changed since; load the file again, without --resume/, 'the error says that loaded lines have changed');
	local $ENV{KGCTL_DSN} = $node->connstr('postgres') . ' user=bob';
	($code, $out, $err) = kgctl('', 'load', '--type', 'product', '--resume', $file);
	like($out, qr/created 12000/, '--resume does not use the position of another role') or diag $err;
}

# Two that go on with one load at once: the second is refused, and nothing is written twice.
{
	my $position = q{'{}'};
	my ($status, $o, $e) = call_as($node, 'postgres', 'ada', qq{SELECT kg_load_batch('two', 0, $position), kg_load_batch('two', 1, $position)});
	is($status, 0, 'one of two sessions continues a load') or diag $e;
	($status, $o, $e) = call_as($node, 'postgres', 'ada', qq{SELECT kg_load_batch('two', 1, $position)});
	like($e, qr/another session has continued this load/, 'the other session is refused');
	is(stored(q{batch FROM kg_load WHERE load = 'two'}), 1, 'the refused session does not change the position');
	($status, $o, $e) = call_as($node, 'postgres', 'eve', qq{SELECT kg_load_batch('two', 0, $position)});
	like($e, qr/write access|may not write|not allowed|read/i, 'a reader may not call kg_load_position');
	($status, $o, $e) = call_as($node, 'postgres', 'ada', q{SELECT count(*) FROM kg_load});
	like($e, qr/permission denied/, 'a role of a tenant may not read kg_load');
	call_as($node, 'postgres', 'ada', qq{SELECT kg_load_batch('old', 0, $position)});
	$node->safe_psql('postgres', q{UPDATE kg_load SET updated_at = now() - interval '31 days' WHERE load = 'old'});
	call_as($node, 'postgres', 'ada', qq{SELECT kg_load_batch('new', 0, $position)});
	is(stored(q{count(*) FROM kg_load WHERE load = 'old'}), 0, 'an old position is deleted');
}

# Memory does not grow with the file.
SKIP:
{
	skip 'needs /proc', 1 unless -r "/proc/$$/status";
	empty();
	my $text = join '', map { qq({"id": "m$_", "name": ") . 'x' x 1000 . qq("}\n) } 1 .. 60000;
	my $file = put('memory.ndjson', $text);
	my ($o, $e) = ('', '');
	my $run = IPC::Run::start([ 'kgctl', 'load', '--type', 'product', $file ], '<', \'', '>', \$o, '2>', \$e, IPC::Run::timeout(180));
	my $peak = 0;
	my $pid = $run->{KIDS}[0]{PID};
	while ($run->pumpable)
	{
		$run->pump_nb;
		if (open my $status, '<', "/proc/$pid/status") { local $/; $peak = $1 if <$status> =~ /VmHWM:\s+(\d+)/; close $status }
		select undef, undef, undef, 0.05;
	}
	$run->finish;
	like($o, qr/created 60000/, 'a file of 60 megabytes is loaded') or diag $e;
	cmp_ok($peak, '<', 64 * 1024, "the peak of memory for 60 megabytes is $peak kB");
}

$node->stop;
done_testing();
