/*
 * tenant/import.c
 *	  Imports a tenant from lines of JSON (tenant/transfer.h).
 *
 * Parts are stored in kg_import_row in the order in which they are sent. The
 * stored parts are not yet visible as a tenant, so no rows have to be hidden,
 * and an interrupted import is begun again. When the last line is received,
 * one transaction creates the tenant, with one statement per table, like COPY
 * in a dump. Triggers derive and check rows as for a restored dump. So a file
 * that was edited by hand cannot store rows that the triggers reject.
 *
 * Numbers from the range of another shard do not change, so cursors and the
 * order of nodes stay valid. Other numbers are replaced by numbers from the
 * sequences, in the same order.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/access.h"
#include "auth/grants.h"
#include "auth/privileges.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/json_untrusted.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "store/derived/packing.h"
#include "store/history/history.h"
#include "store/tenant/tables.h"
#include "store/tenant/transfer.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of lines that one statement stores. */
#define KG_IMPORT_BATCH 1000

/*
 * Highest number that an imported change may have. The sequence of changes must
 * be able to continue above it.
 */
#define KG_MOST_CHANGES "4611686018427387904"

typedef struct Options
{
	const char *name;
	bool frozen;
	bool create_roles;
	bool without_policies;
	bool without_embeddings;
} Options;

typedef struct Import
{
	char *tenant;
	Datum tenant_datum;
	const Options *options;
	int32 part;
	int64 lines; /* number of lines received so far */
	uint8 digest[KG_CHAIN_BYTES];
	Jsonb *head;
	bool ended;
	List **columns; /* columns of each table in kg_tenant_tables */
	int64 *rows;	/* number of rows inserted into each table */
	/* names of roles that do not exist here: List of char * */
	List *missing_roles;
	/* names of roles that were created: List of char * */
	List *created_roles;
	/*
	 * Keys (issuer and kid) that exist here for other tenants: List of char *.
	 */
	List *known_keys;
	/* this database lacks the tenant's authorizer function */
	bool authorizer_gone;
} Import;

static KG_NORETURN void
throw_line(const Import *import, const char *what, const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("line " INT64_FORMAT " of the export %s",
								 import->lines + 1,
								 what),
			 .path = "/lines",
			 .expected = expected);
}

/* Raises an error about the file as a whole, not about one line. */
static KG_NORETURN void
throw_content(const char *what, const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("the export has %s", what),
			 .path = "/lines",
			 .expected = expected);
}

static void
read_options(const Jsonb *jsonb, Options *options)
{
	static const char *const known[] = {"name",
										"frozen",
										"create_roles",
										"without_policies",
										"without_embeddings",
										NULL};
	JsonbValue value;

	kg_check_options(jsonb, known);
	if (kg_json_get(&jsonb->root, "name", &value) != NULL)
	{
		if (value.type != jbvString)
			kg_error_throw_option("name", &value, "the name of a tenant");
		options->name = kg_json_cstring(&value);
	}
	options->frozen = kg_option_is_on(jsonb, "frozen");
	options->create_roles = kg_option_is_on(jsonb, "create_roles");
	options->without_policies = kg_option_is_on(jsonb, "without_policies");
	options->without_embeddings = kg_option_is_on(jsonb, "without_embeddings");
}

/*
 * Runs a statement, and returns the number of its rows. The tenant is its only
 * parameter. Raises an error unless SPI returns the code "expected". The text
 * of the statement need not be constant.
 */
static uint64
run(Import *import, const char *sql, int expected)
{
	static const Oid argtypes[] = {TEXTOID};
	int nest = kg_spi_pin_path();
	MemoryContext caller = CurrentMemoryContext;
	int rc = SPI_execute_with_args(kg_spi_expand(sql),
								   1,
								   (Oid *) argtypes,
								   &import->tenant_datum,
								   NULL,
								   false,
								   0);

	kg_spi_unpin_path(nest);
	MemoryContextSwitchTo(caller);
	if (rc != expected)
		elog(ERROR, "\"%s\" returned %s", sql, SPI_result_code_string(rc));
	return SPI_processed;
}

/* ---- parts ---- */

static void
forget(Import *import)
{
	run(import, "DELETE FROM @kg_import WHERE tenant = $1", SPI_OK_DELETE);
	run(import, "DELETE FROM @kg_import_row WHERE tenant = $1", SPI_OK_DELETE);
	run(import,
		"DELETE FROM @kg_import_number WHERE tenant = $1",
		SPI_OK_DELETE);
}

static void
require_new(Import *import)
{
	if (run(import, "SELECT FROM @kg_tenant WHERE tenant = $1", SPI_OK_SELECT) >
		0)
		kg_tenant_throw_exists(import->tenant);
	kg_tenant_refuse_former(import->tenant_datum);
}

/*
 * Raises an error unless this database has the policies that the source
 * database had. Does nothing if the option without_policies is set.
 */
static void
require_policies(Import *import)
{
	KgError *err;

	if (import->options->without_policies)
		return;
	KG_SPI_READ("SELECT p ->> 'policy' FROM jsonb_array_elements("
				"$1 -> 'policies') p WHERE NOT EXISTS (SELECT FROM @kg_policy "
				"WHERE policy = p ->> 'policy' AND on_table = p ->> 'on_table' "
				"AND command = p ->> 'command' AND to_jsonb(roles) = p -> "
				"'roles' AND using_expr IS NOT DISTINCT FROM p ->> 'using' "
				"AND check_expr IS NOT DISTINCT FROM p ->> 'check') ORDER BY 1",
				kg_arg_jsonb(import->head));
	if (SPI_processed == 0)
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "this database lacks policies of the source database");
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_error_allow(err, kg_spi_cstring(i, 1));
	kg_error_throw_expected(
		err,
		"the policies in \"allowed\", made by kg_add_policy() as in the source "
		"database, or the option without_policies");
}

/*
 * Reads the first line: the format, and the name of the tenant. Raises an error
 * if the line is not valid, the tenant exists, or a policy is missing here.
 */
static void
read_head(Import *import, const char *line, int len)
{
	JsonbValue what;
	JsonbValue member;
	int64 format;

	import->head = kg_json_parse_untrusted(line, len);
	if (import->head == NULL || !JB_ROOT_IS_OBJECT(import->head) ||
		kg_json_get(&import->head->root, "kg_graph", &what) == NULL ||
		!kg_json_is_object(&what) ||
		kg_json_get(&import->head->root, "policies", &member) == NULL ||
		!kg_json_is_array(&member))
		throw_line(import,
				   "is not the first line of an export",
				   "the first line that kg_export_tenant() returned");
	if (kg_json_get(kg_json_container(&what), "format", &member) == NULL ||
		!kg_json_int64(&member, &format) || format != KG_TRANSFER_FORMAT)
		throw_line(import,
				   "has a format that this version does not know",
				   "format " CppAsString2(KG_TRANSFER_FORMAT));
	if (kg_json_get(kg_json_container(&what), "tenant", &member) == NULL ||
		member.type != jbvString)
		throw_line(import,
				   "has no name of a tenant",
				   "the first line that kg_export_tenant() returned");
	if (import->tenant == NULL)
		import->tenant = kg_json_cstring(&member);
	kg_tenant_check_name(import->tenant);
	import->tenant_datum = CStringGetTextDatum(import->tenant);
	require_new(import);
	require_policies(import);
	forget(import);
	kg_chain_begin(import->digest);
}

static void
go_on(Import *import)
{
	int32 part;
	bytea *digest;
	KgError *err;

	if (import->tenant == NULL)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = "option \"name\" is required from the second part on",
			.path = "/options/name",
			.expected = "the name in the reply to the first part");
	import->tenant_datum = CStringGetTextDatum(import->tenant);
	part = 0;
	if (run(import,
			"SELECT part::bigint, lines, digest, head FROM @kg_import "
			"WHERE tenant = $1 FOR UPDATE",
			SPI_OK_SELECT) > 0)
		part = kg_spi_int64(0, 1);
	if (import->part != part + 1)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "part %d of tenant \"%s\" was not expected",
						   import->part,
						   import->tenant);
		kg_error_path(err, "/part");
		if (part == 0)
			kg_error_expected(err, "part 1, which is the first");
		else
			kg_error_expected(
				err, "part %d, or part 1 to begin again", part + 1);
		kg_error_throw(err);
	}
	import->lines = kg_spi_int64(0, 2);
	digest = DatumGetByteaPP(kg_spi_datum(0, 3));
	memcpy(import->digest, VARDATA_ANY(digest), KG_CHAIN_BYTES);
	import->head = DatumGetJsonbPCopy(kg_spi_datum(0, 4));
}

static void
keep_part(Import *import)
{
	bytea *digest = palloc(VARHDRSZ + KG_CHAIN_BYTES);

	SET_VARSIZE(digest, VARHDRSZ + KG_CHAIN_BYTES);
	memcpy(VARDATA(digest), import->digest, KG_CHAIN_BYTES);
	KG_SPI_EXEC("INSERT INTO @kg_import(tenant, part, lines, digest, head) "
				"VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant) DO UPDATE "
				"SET part = $2, lines = $3, digest = $4",
				kg_arg(TEXTOID, import->tenant_datum),
				kg_arg_int4(import->part),
				kg_arg_int8(import->lines),
				kg_arg(BYTEAOID, PointerGetDatum(digest)),
				kg_arg_jsonb(import->head));
}

/* Lines that are about to be inserted into kg_import_row. */
typedef struct Batch
{
	MemoryContext context;
	int n;
	Datum tables[KG_IMPORT_BATCH];
	Datum lines[KG_IMPORT_BATCH];
	Datum rows[KG_IMPORT_BATCH];
} Batch;

static void
end_batch(Import *import, Batch *batch)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);

	if (batch->n > 0)
		KG_SPI_EXEC(
			"INSERT INTO @kg_import_row(tenant, \"table\", line, \"row\") "
			"SELECT $1, u.* FROM unnest($2, $3, $4) u",
			kg_arg(TEXTOID, import->tenant_datum),
			kg_arg(TEXTARRAYOID,
				   PointerGetDatum(construct_array(batch->tables,
												   batch->n,
												   TEXTOID,
												   -1,
												   false,
												   TYPALIGN_INT))),
			kg_arg(INT8ARRAYOID,
				   PointerGetDatum(construct_array(batch->lines,
												   batch->n,
												   INT8OID,
												   8,
												   FLOAT8PASSBYVAL,
												   TYPALIGN_DOUBLE))),
			kg_arg(JSONBARRAYOID,
				   PointerGetDatum(construct_array(batch->rows,
												   batch->n,
												   JSONBOID,
												   -1,
												   false,
												   TYPALIGN_INT))));
	MemoryContextSwitchTo(old);
	MemoryContextReset(batch->context);
	batch->n = 0;
}

static bool
has_column(List *columns, const JsonbValue *key)
{
	ListCell *lc;

	foreach(lc, columns)
		if (kg_json_string_is(key, ((KgTenantColumn *) lfirst(lc))->name))
			return true;
	return false;
}

static void
check_row(Import *import, const JsonbValue *name, const JsonbValue *row)
{
	const KgTenantTable *table = name->type == jbvString
									 ? kg_tenant_table(name->val.string.val,
													   name->val.string.len)
									 : NULL;
	int i;

	if (table == NULL || !kg_json_is_object(row))
		throw_line(import,
				   "is not a row of a table that belongs to a tenant",
				   "a line that kg_export_tenant() returned");
	i = table - kg_tenant_tables;
	kg_json_each(it, kg_json_container(row))
		if (!has_column(import->columns[i], &it.key))
			throw_line(import,
					   psprintf("has \"%s\", which is not a column of %s",
								kg_json_cstring(&it.key),
								table->name),
					   "a line that kg_export_tenant() of the same or an "
					   "earlier version returned");
}

static void
add_row(Import *import, Batch *batch, const char *line, int len)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);
	Jsonb *jsonb = kg_json_parse_untrusted(line, len);
	JsonbValue *name;
	JsonbValue *row;

	if (jsonb == NULL || !JB_ROOT_IS_ARRAY(jsonb) || JB_ROOT_COUNT(jsonb) != 2)
		throw_line(import,
				   "is not an array of a table and a row",
				   "an unchanged line of kg_export_tenant()");
	name = getIthJsonbValueFromContainer(&jsonb->root, 0);
	row = getIthJsonbValueFromContainer(&jsonb->root, 1);
	check_row(import, name, row);
	batch->tables[batch->n] = PointerGetDatum(
		cstring_to_text_with_len(name->val.string.val, name->val.string.len));
	batch->lines[batch->n] = Int64GetDatum(import->lines);
	batch->rows[batch->n] = JsonbPGetDatum(kg_json_datum(row));
	batch->n++;
	MemoryContextSwitchTo(old);
	if (batch->n == KG_IMPORT_BATCH)
		end_batch(import, batch);
}

/*
 * Reads the last line and checks the number of lines and the digest. Raises an
 * error if they do not fit.
 */
static void
read_end(Import *import, const char *line, int len)
{
	Jsonb *jsonb = kg_json_parse_untrusted(line, len);
	JsonbValue end;
	JsonbValue member;
	int64 lines;

	if (jsonb == NULL || !JB_ROOT_IS_OBJECT(jsonb) ||
		kg_json_get(&jsonb->root, "end", &end) == NULL ||
		!kg_json_is_object(&end))
		throw_line(import,
				   "is not the last line of an export",
				   "an unchanged line of kg_export_tenant()");
	if (kg_json_get(kg_json_container(&end), "lines", &member) == NULL ||
		!kg_json_int64(&member, &lines) || lines != import->lines ||
		kg_json_get(kg_json_container(&end), "sha256", &member) == NULL ||
		!kg_json_string_is(&member, kg_chain_text(import->digest)))
		throw_line(
			import,
			"does not fit the lines before it",
			"all lines of one export, unchanged, each once and in order");
	import->ended = true;
}

static void
take_lines(Import *import, Datum lines)
{
	Datum *values;
	bool *nulls;
	int n;
	Batch batch = {AllocSetContextCreate(CurrentMemoryContext,
										 "kg_graph imported lines",
										 ALLOCSET_DEFAULT_SIZES)};

	deconstruct_array(DatumGetArrayTypeP(lines),
					  TEXTOID,
					  -1,
					  false,
					  TYPALIGN_INT,
					  &values,
					  &nulls,
					  &n);
	for (int i = 0; i < n; i++)
	{
		text *line = nulls[i] ? NULL : DatumGetTextPP(values[i]);
		const char *at = line ? VARDATA_ANY(line) : "";
		int len = line ? VARSIZE_ANY_EXHDR(line) : 0;

		CHECK_FOR_INTERRUPTS();
		if (import->ended)
			throw_line(import, "comes after the last line", "no more lines");
		if (import->head == NULL)
			read_head(import, at, len);
		else if (len > 0 && *at == '{')
			read_end(import, at, len);
		else
			add_row(import, &batch, at, len);
		kg_chain_add(import->digest, at, len);
		import->lines++;
	}
	if (import->head == NULL)
		throw_line(
			import, "is missing", "a line that kg_export_tenant() returned");
	end_batch(import, &batch);
	MemoryContextDelete(batch.context);
}

/* ---- the tenant ---- */

/* Returns an SQL expression for the new number that replaces an old number. */
static char *
new_number(KgNumberKind kind, const char *was)
{
	return psprintf("(SELECT CASE WHEN %s <= m.last "
					"THEN m.becomes + %s - m.first END "
					"FROM @kg_import_number m WHERE m.tenant = $1 "
					"AND m.kind = '%c' AND m.first <= %s "
					"ORDER BY m.first DESC LIMIT 1)",
					was,
					was,
					kind,
					was);
}

static bool
is_array(const KgTenantColumn *column)
{
	return column->type == TEXTARRAYOID || column->type == FLOAT4ARRAYOID;
}

static char *
value_of(const KgTenantColumn *column)
{
	const char *key = quote_literal_cstr(column->name);
	char *value;

	if (column->number != KG_NO_NUMBER)
		value = psprintf(
			"%s::%s",
			new_number(column->number,
					   psprintf("(r.\"row\" ->> %s)::bigint", key)),
			column->type_name);
	else if (column->type == JSONBOID)
		value = psprintf("r.\"row\" -> %s", key);
	else if (is_array(column))
		value = psprintf("(SELECT array_agg(e.value%s ORDER BY e.place) "
						 "FROM jsonb_array_elements_text(r.\"row\" -> %s) "
						 "WITH ORDINALITY e(value, place) "
						 "HAVING count(*) > 0)",
						 column->type == TEXTARRAYOID ? "" : "::float4",
						 key);
	else
		value = psprintf("(r.\"row\" ->> %s)::%s", key, column->type_name);
	if (is_array(column))
		value = psprintf(
			"CASE WHEN r.\"row\" ? %s THEN coalesce(%s, '{}') END", key, value);
	if (column->fallback)
		value = psprintf("CASE WHEN r.\"row\" ? %s THEN %s ELSE %s END",
						 key,
						 value,
						 column->fallback);
	return value;
}

static void
fill_table(Import *import, int i)
{
	const KgTenantTable *table = &kg_tenant_tables[i];
	StringInfoData sql;
	StringInfoData select;
	ListCell *lc;

	if (import->columns[i] == NIL)
		return;
	initStringInfo(&sql);
	initStringInfo(&select);
	appendStringInfo(&sql, "INSERT INTO @%s(tenant", table->name);
	foreach(lc, import->columns[i])
	{
		KgTenantColumn *column = lfirst(lc);

		appendStringInfo(&sql, ", %s", column->quoted);
		appendStringInfo(&select, ", %s", value_of(column));
	}
	appendStringInfo(&sql,
					 ") SELECT $1%s FROM @kg_import_row r "
					 "WHERE r.tenant = $1 AND r.\"table\" = '%s' "
					 "ORDER BY r.line",
					 select.data,
					 table->name);
	import->rows[i] += run(import, sql.data, SPI_OK_INSERT);
}

static void
make_tenant(Import *import)
{
	run(import,
		"INSERT INTO @kg_tenant(tenant, created_at, authorizer) "
		"SELECT $1, (r.\"row\" ->> 'created_at')::timestamptz, "
		"r.\"row\" ->> 'authorizer' FROM @kg_import_row r "
		"WHERE r.tenant = $1 AND r.\"table\" = 'kg_tenant' "
		"ON CONFLICT DO NOTHING",
		SPI_OK_INSERT);
	if (SPI_processed == 0)
	{
		require_new(import);
		throw_content("no row of kg_tenant", "one row of kg_tenant");
	}
	kg_tenant_take_name(import->tenant_datum);
	KG_SPI_EXEC("SELECT FROM @kg_tenant WHERE tenant = $1 "
				"AND authorizer IS NOT NULL "
				"AND to_regprocedure(authorizer) IS NULL",
				kg_arg(TEXTOID, import->tenant_datum));
	import->authorizer_gone = SPI_processed > 0;
}

/*
 * Fills kg_import_number with runs: ranges of old numbers that become new
 * numbers by adding the same offset. Raises an error for numbers outside of all
 * shards' ranges. "numbers" is a query of the old numbers of the tenant $1.
 * "kept" is the condition for a number that does not change: it is in the range
 * of another shard and is not used here.
 */
#define KG_OWN_SHARD \
	"(SELECT coalesce((SELECT shard FROM @kg_number_range), 0))"

static void
map_numbers(Import *import, KgNumberKind kind, int bits, const char *numbers,
			const char *kept, const char *sequence)
{
	run(import,
		psprintf("SELECT FROM (%s) s(was) WHERE was < 1 OR was >> %d > 2047 "
				 "LIMIT 1",
				 numbers,
				 bits),
		SPI_OK_SELECT);
	if (SPI_processed > 0)
		throw_content("numbers that no database assigns",
					  "unchanged numbers of nodes, types and relations");
	run(import,
		psprintf(
			"INSERT INTO @kg_import_number(tenant, kind, first, last, becomes) "
			"SELECT $1, '%c', min(was), max(was), min(becomes) FROM ("
			"SELECT was, becomes, count(*) FILTER (WHERE begins) "
			"OVER (ORDER BY was) AS run FROM (SELECT was, becomes, "
			"was - becomes IS DISTINCT FROM lag(was - becomes) "
			"OVER (ORDER BY was) OR was <> 1 + lag(was) OVER (ORDER BY was) "
			"AS begins FROM (SELECT was, CASE WHEN %s THEN was "
			"ELSE nextval(%u::regclass) END AS becomes FROM (SELECT DISTINCT "
			"was "
			"FROM (%s) s(was) ORDER BY was OFFSET 0) d) m) n) r GROUP BY run",
			kind,
			kept,
			kg_relation_oid(sequence),
			numbers),
		SPI_OK_INSERT);
}

#define KG_NUMBERS_OF(column, table)                                 \
	"SELECT (\"row\" ->> '" column "')::bigint FROM @kg_import_row " \
	"WHERE tenant = $1 AND \"table\" = '" table "' AND \"row\" ? '" column "'"

#define KG_AND_OF(column, table) " UNION ALL " KG_NUMBERS_OF(column, table)

static const char relation_numbers[] = KG_NUMBERS_OF(
	"relation_no", "kg_relation") KG_AND_OF("relation_no", "kg_history");
static const char node_numbers[] = KG_NUMBERS_OF("node", "kg_entity")
	KG_AND_OF("node", "kg_history") KG_AND_OF("source", "kg_history")
		KG_AND_OF("target", "kg_history") KG_AND_OF("node", "kg_freed")
			KG_AND_OF("target", "kg_freed");

static void
map_all_numbers(Import *import)
{
	map_numbers(import,
				KG_TYPE_NUMBER,
				20,
				KG_NUMBERS_OF("type_no", "kg_entity_type"),
				"was >> 20 <> " KG_OWN_SHARD " AND NOT EXISTS "
				"(SELECT FROM @kg_entity_type e WHERE e.type_no = was)",
				"kg_type_seq");
	map_numbers(import,
				KG_RELATION_NUMBER,
				20,
				relation_numbers,
				"was >> 20 <> " KG_OWN_SHARD " AND NOT EXISTS "
				"(SELECT FROM @kg_relation e WHERE e.relation_no = was)",
				"kg_relation_seq");
	/*
	 * If this database has types with numbers of the range, it may also have
	 * nodes of the range.
	 */
	map_numbers(import,
				KG_NODE_NUMBER,
				40,
				node_numbers,
				"was >> 40 <> " KG_OWN_SHARD " AND NOT EXISTS "
				"(SELECT FROM @kg_import_number o WHERE o.tenant = $1 "
				"AND o.kind = 't' AND o.first <> o.becomes "
				"AND o.first >> 20 <> " KG_OWN_SHARD ")",
				"kg_node_seq");
}

/*
 * Advances the sequence of changes. Imported changes keep their numbers,
 * because the numbers define their order. Later changes must get greater
 * numbers. No other session draws a number at the same time, so the sequence
 * never goes back.
 */
static void
advance_changes(Import *import)
{
	Oid sequence = kg_relation_oid("kg_change_seq");
	bool behind;

	run(import,
		"SELECT coalesce(max(change), 0) FROM @kg_history "
		"WHERE tenant = $1 HAVING max(change) > " KG_MOST_CHANGES
		" OR min(change) < 1",
		SPI_OK_SELECT);
	if (SPI_processed > 0)
		throw_content("numbers that no database assigns",
					  "unchanged numbers of changes");
	behind = run(import,
				 "SELECT FROM @kg_change_seq q WHERE last_value < "
				 "(SELECT max(change) FROM @kg_history WHERE tenant = $1)",
				 SPI_OK_SELECT) > 0;
	if (!behind)
		return;
	LockRelationOid(sequence, ShareRowExclusiveLock);
	run(import,
		psprintf("SELECT setval(%u::regclass, greatest(last_value, (SELECT "
				 "max(change) FROM @kg_history WHERE tenant = $1))) "
				 "FROM @kg_change_seq",
				 sequence),
		SPI_OK_SELECT);
}

/*
 * Invalidates positions of kg_changes() for a former tenant with the same name
 * and creation time. The changes of that tenant after the export are missing
 * here.
 */
static void
end_positions(const Import *import)
{
	if (OidIsValid(kg_find_relation("kg_change_transaction")))
		kg_history_end_positions(
			import->tenant,
			(int64) U64FromFullTransactionId(GetTopFullTransactionId()));
}

/* ---- embeddings ---- */

static KG_NORETURN void
throw_other_vectors(const KgVectors *vectors)
{
	KG_THROW(
		KG_FORBIDDEN,
		.message = vectors->dimensions == 0
					   ? "the tenant has embeddings, but this database has not "
						 "enabled them"
					   : "the tenant's embeddings have other dimensions or "
						 "another model than those of this database",
		.path = "/lines",
		.expected =
			"kg_enable_vectors() with the dimensions and the model of the "
			"first line of the export, or the option without_embeddings");
}

/*
 * Returns whether the embeddings in the first line have the dimensions and the
 * model of this database.
 */
static bool
has_vectors_of(const Jsonb *head, const KgVectors *vectors)
{
	JsonbValue has;
	JsonbValue member;
	int64 dimensions;

	return kg_json_get(&head->root, "vectors", &has) != NULL &&
		   kg_json_is_object(&has) &&
		   kg_json_get(kg_json_container(&has), "dimensions", &member) !=
			   NULL &&
		   kg_json_int64(&member, &dimensions) &&
		   dimensions == vectors->dimensions &&
		   kg_json_get(kg_json_container(&has), "model", &member) != NULL &&
		   kg_json_string_is(&member, vectors->model);
}

/*
 * A condition for embeddings with a wrong number of elements, or with only
 * zeroes.
 */
#define KG_WRONG_EMBEDDING                                               \
	"array_ndims(embedding) <> 1 OR (SELECT count(x) <> "                \
	"v.dimensions OR count(*) <> v.dimensions OR "                       \
	"coalesce(sum(x::float8 * x) NOT BETWEEN 1.2e-38 AND 3.4e38, true) " \
	"FROM unnest(embedding) x)"

static void
add_embeddings(Import *import, int i)
{
	KgVectors vectors;

	if (import->options->without_embeddings)
		return;
	if (run(import,
			"SELECT FROM @kg_import_row WHERE tenant = $1 "
			"AND \"table\" = 'kg_embedding' LIMIT 1",
			SPI_OK_SELECT) == 0)
		return;
	/*
	 * The lock prevents other sessions from changing dimensions and model
	 * until the embeddings are inserted.
	 */
	run(import,
		"SELECT FROM @kg_vectors WHERE $1 IS NOT NULL FOR SHARE",
		SPI_OK_SELECT);
	vectors = *kg_vectors();
	if (vectors.dimensions == 0 || !has_vectors_of(import->head, &vectors))
		throw_other_vectors(&vectors);
	fill_table(import, i);
	if (run(import,
			"SELECT FROM @kg_embedding e, @kg_vectors v WHERE e.tenant = $1 "
			"AND (" KG_WRONG_EMBEDDING ") LIMIT 1",
			SPI_OK_SELECT) > 0)
		throw_content("embeddings that cannot be compared with others",
					  "unchanged embeddings");
}

/*
 * Adds the token keys of the tenant, which are rows of the i-th table. A key
 * that is already stored here belongs to another tenant or to the server, so it
 * is not replaced. It is reported in known_keys.
 */
static void
add_keys(Import *import, int i)
{
	uint64 n = run(import,
				   "DELETE FROM @kg_import_row r WHERE r.tenant = $1 "
				   "AND r.\"table\" = 'kg_auth_key' AND EXISTS "
				   "(SELECT FROM @kg_auth_key k "
				   "WHERE k.issuer = r.\"row\" ->> 'issuer' "
				   "AND k.kid = r.\"row\" ->> 'kid') RETURNING "
				   "(r.\"row\" ->> 'issuer') || ' ' || (r.\"row\" ->> 'kid')",
				   SPI_OK_DELETE_RETURNING);

	for (uint64 row = 0; row < n; row++)
		import->known_keys = lappend(import->known_keys,
									 kg_spi_cstring(row, 1));
	fill_table(import, i);
}

static Oid
role_of(Import *import, char *name)
{
	Oid role = get_role_oid(name, true);

	if (OidIsValid(role))
		return role;
	if (!import->options->create_roles)
	{
		import->missing_roles = lappend(import->missing_roles, name);
		return InvalidOid;
	}
	kg_run_utility(psprintf("CREATE ROLE %s", quote_identifier(name)));
	CommandCounterIncrement();
	import->created_roles = lappend(import->created_roles, name);
	return get_role_oid(name, false);
}

static void
add_grants(Import *import, int i)
{
	uint64 n = run(import,
				   "SELECT \"row\" ->> 'role_name', \"row\" ->> 'access' "
				   "FROM @kg_import_row WHERE tenant = $1 "
				   "AND \"table\" = 'kg_tenant_role' ORDER BY line",
				   SPI_OK_SELECT);
	SPITupleTable *rows = SPI_tuptable;

	for (uint64 row = 0; row < n; row++)
	{
		char *name = SPI_getvalue(rows->vals[row], rows->tupdesc, 1);
		char *access = SPI_getvalue(rows->vals[row], rows->tupdesc, 2);
		Oid role;

		if (name == NULL || access == NULL)
			throw_content("a grant without a role or an access",
						  "a grant with \"role_name\" and \"access\"");
		(void) kg_access_require(access);
		role = role_of(import, name);
		if (!OidIsValid(role))
			continue;
		kg_grant_role(
			import->tenant_datum, role, name, CStringGetTextDatum(access));
		import->rows[i]++;
	}
}

static void
make_all(void *arg)
{
	Import *import = arg;

	make_tenant(import);
	map_all_numbers(import);
	for (int i = 0; i < kg_n_tenant_tables; i++)
	{
		const char *name = kg_tenant_tables[i].name;

		if (!kg_tenant_tables[i].by_hand)
			fill_table(import, i);
		else if (strcmp(name, "kg_embedding") == 0)
			add_embeddings(import, i);
		else if (strcmp(name, "kg_auth_key") == 0)
			add_keys(import, i);
		else if (strcmp(name, "kg_tenant_role") == 0)
			add_grants(import, i);
	}
	advance_changes(import);
	end_positions(import);
	if (import->options->frozen)
		run(import,
			"INSERT INTO @kg_tenant_state(tenant, state) "
			"VALUES ($1, 'frozen')",
			SPI_OK_INSERT);
	forget(import);
	(void) kg_adjacency_pack(import->tenant, false, false);
}

/* ---- the reply ---- */

static void
tell_names(KgJsonWriter *w, const char *key, List *names)
{
	if (names != NIL)
		kg_jw_klist(w, key, names);
}

static Jsonb *
tell(const Import *import)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tenant", import->tenant);
	kg_jw_kint(&w, "part", import->part);
	kg_jw_kint(&w, "lines", import->lines);
	kg_jw_kbool(&w, "done", import->ended);
	if (import->ended)
	{
		kg_jw_kbool(&w, "frozen", import->options->frozen);
		kg_jw_kbegin_object(&w, "rows");
		for (int i = 0; i < kg_n_tenant_tables; i++)
			if (import->rows[i] > 0)
				kg_jw_kint(&w, kg_tenant_tables[i].name, import->rows[i]);
		kg_jw_end_object(&w);
		tell_names(&w, "missing_roles", import->missing_roles);
		tell_names(&w, "created_roles", import->created_roles);
		tell_names(&w, "known_keys", import->known_keys);
		if (import->authorizer_gone)
			kg_jw_kbool(&w, "missing_authorizer", true);
	}
	return kg_jw_finish(&w);
}

Jsonb *
kg_tenant_import(Datum lines, const Jsonb *jsonb, int32 part)
{
	Options options = {0};
	Import import = {.options = &options, .part = part};

	read_options(jsonb, &options);
	import.tenant = (char *) options.name;
	import.columns = palloc(kg_n_tenant_tables * sizeof(List *));
	import.rows = palloc0(kg_n_tenant_tables * sizeof(int64));
	for (int i = 0; i < kg_n_tenant_tables; i++)
		import.columns[i] = kg_tenant_columns(&kg_tenant_tables[i]);
	if (part != 1)
		go_on(&import);
	take_lines(&import, lines);
	if (import.ended)
		kg_tenant_work(import.tenant, KG_TENANT_RESTORED, make_all, &import);
	else
		keep_part(&import);
	return tell(&import);
}
