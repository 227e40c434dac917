/*
 * tenant/export.c
 *	  Exports a tenant as lines of JSON.
 *
 * All rows are read with the caller's snapshot, even if the tenant is not
 * frozen. The lines go to a tuplestore, which uses a file beyond work_mem. So
 * the memory used does not grow with the size of the tenant.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "store/tenant/tables.h"
#include "store/tenant/transfer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#define KG_EXPORT_ROWS 100

typedef struct Export
{
	ReturnSetInfo *rows;
	MemoryContext line;
	uint8 digest[KG_CHAIN_BYTES];
	int64 lines;
} Export;

void
kg_chain_begin(uint8 *digest)
{
	memset(digest, 0, KG_CHAIN_BYTES);
}

void
kg_chain_add(uint8 *digest, const char *line, int len)
{
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(PG_SHA256);
	bool ok = ctx != NULL && pg_cryptohash_init(ctx) >= 0 &&
			  pg_cryptohash_update(ctx, digest, KG_CHAIN_BYTES) >= 0 &&
			  pg_cryptohash_update(ctx, (const uint8 *) line, len) >= 0 &&
			  pg_cryptohash_final(ctx, digest, PG_SHA256_DIGEST_LENGTH) >= 0;

	if (ctx != NULL)
		pg_cryptohash_free(ctx);
	if (!ok)
		elog(ERROR, "could not compute a digest");
}

char *
kg_chain_text(const uint8 *digest)
{
	char *text = palloc(2 * KG_CHAIN_BYTES + 1);

	text[hex_encode((const char *) digest, KG_CHAIN_BYTES, text)] = '\0';
	return text;
}

static void
put_line(Export *export, Datum line)
{
	bool isnull = false;
	text *packed = DatumGetTextPP(line);

	kg_chain_add(
		export->digest, VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
	export->lines++;
	tuplestore_putvalues(
		export->rows->setResult, export->rows->setDesc, &line, &isnull);
}

/*
 * Returns a SELECT of the lines of a table, with these columns. If "secrets" is
 * true, all rows of kg_auth_key are selected.
 */
static char *
lines_of(const KgTenantTable *table, List *columns, bool secrets)
{
	const char *rows = table->rows;
	const char *separator = "";
	StringInfoData sql;
	ListCell *lc;

	if (secrets && strcmp(table->name, "kg_auth_key") == 0)
		rows = NULL;
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT '[\"%s\", ' || (", table->name);
	foreach(lc, columns)
	{
		KgTenantColumn *column = lfirst(lc);

		appendStringInfo(&sql,
						 "%sCASE WHEN t.%s IS NULL THEN '{}' "
						 "ELSE jsonb_build_object(%s, t.%s) END",
						 separator,
						 column->quoted,
						 quote_literal_cstr(column->name),
						 column->quoted);
		separator = " || ";
	}
	appendStringInfo(&sql,
					 ")::text || ']' FROM @%s t WHERE t.tenant = $1 AND %s "
					 "ORDER BY %s",
					 table->name,
					 rows ? rows : "true",
					 table->order);
	return sql.data;
}

static void
put_table(Export *export, const KgTenantTable *table, const char *tenant,
		  bool secrets)
{
	List *columns = kg_tenant_columns(table);
	Portal portal;

	if (columns == NIL)
		return;
	portal = kg_spi_cursor_of(lines_of(table, columns, secrets), tenant);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, KG_EXPORT_ROWS);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			MemoryContext old = MemoryContextSwitchTo(export->line);

			CHECK_FOR_INTERRUPTS();
			put_line(export, kg_spi_datum(i, 1));
			MemoryContextSwitchTo(old);
			MemoryContextReset(export->line);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

/*
 * Returns {"vectors": {"dimensions", "model"}}, or {} if embeddings are not
 * enabled.
 */
static Jsonb *
vectors_member(void)
{
	const KgVectors *vectors = kg_vectors();
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (vectors->dimensions > 0)
	{
		kg_jw_kbegin_object(&w, "vectors");
		kg_jw_kint(&w, "dimensions", vectors->dimensions);
		kg_jw_kstring(&w, "model", vectors->model);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

/*
 * Writes the first line. It lists the policies of a DBA. These do not belong
 * to the tenant, but if they are missing in the other database, more rows are
 * visible there.
 */
static void
put_head(Export *export, const char *tenant)
{
	KG_SPI_READ(
		"SELECT (jsonb_build_object('kg_graph', jsonb_build_object("
		"'format', $2, 'version', (SELECT extversion FROM pg_extension "
		"WHERE extname = 'kg_graph'), 'tenant', $1), 'policies', "
		"(SELECT coalesce(jsonb_agg(jsonb_build_object('policy', policy, "
		"'on_table', on_table, 'command', command, 'roles', roles, "
		"'using', using_expr, 'check', check_expr) ORDER BY policy), '[]') "
		"FROM @kg_policy)) || $3)::text",
		kg_arg_text(tenant),
		kg_arg_int4(KG_TRANSFER_FORMAT),
		kg_arg_jsonb(vectors_member()));
	put_line(export, kg_spi_datum(0, 1));
}

static void
put_end(Export *export)
{
	put_line(export,
			 CStringGetTextDatum(psprintf("{\"end\": {\"lines\": " INT64_FORMAT
										  ", \"sha256\": \"%s\"}}",
										  export->lines,
										  kg_chain_text(export->digest))));
}

void
kg_tenant_export(const char *tenant, bool secrets, FunctionCallInfo fcinfo)
{
	Export export = {0};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	export.rows = (ReturnSetInfo *) fcinfo->resultinfo;
	export.line = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph line", ALLOCSET_DEFAULT_SIZES);
	kg_chain_begin(export.digest);
	put_head(&export, tenant);
	for (int i = 0; i < kg_n_tenant_tables; i++)
		put_table(&export, &kg_tenant_tables[i], tenant, secrets);
	put_end(&export);
}
