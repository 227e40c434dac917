/*
 * tenant/rows.c
 *	  All rows of a tenant: their size, and their transfer to another name.
 *
 * The tables are all tables of the extension that have a column "tenant",
 * according to PostgreSQL's catalog. Unlogged tables are excluded: their rows
 * do not belong to a tenant yet (sql/49_transfer.sql).
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "store/tenant/rows.h"

static const struct
{
	const char *table;
	const char *rows;
} not_led[] = {
	{"kg_index_key", KG_KEYS_OF_TENANT},
	{"kg_adjacency",
	 "(block = 0 OR (" KG_HUBS_OF_TENANT ") OR (" KG_BLOCKS_OF_TENANT "))"},
};

/* Returns the names (char *) of the tables, except kg_tenant. */
static List *
tables(void)
{
	static KgSaved saved;
	List *names = NIL;

	kg_spi_read_args(
		&saved,
		"SELECT c.relname FROM pg_class c "
		"JOIN pg_depend d ON d.classid = 'pg_class'::regclass "
		"AND d.objid = c.oid AND d.deptype = 'e' "
		"JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass "
		"AND e.oid = d.refobjid AND e.extname = 'kg_graph' "
		"JOIN pg_attribute a ON a.attrelid = c.oid "
		"AND a.attname = 'tenant' AND NOT a.attisdropped "
		"WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition "
		"AND c.relpersistence = 'p' AND c.relname <> 'kg_tenant' "
		"ORDER BY c.relname COLLATE \"C\"",
		0,
		NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
		names = lappend(names, kg_spi_cstring(i, 1));
	return names;
}

static const char *
rows_of(const char *table)
{
	for (int i = 0; i < lengthof(not_led); i++)
		if (strcmp(not_led[i].table, table) == 0)
			return psprintf("tenant = $1 AND %s", not_led[i].rows);
	return "tenant = $1";
}

/*
 * Runs one statement for all tables, because foreign keys are checked at its
 * end, when both sides have the new name:
 *
 * WITH kg_agent AS (UPDATE kg_agent SET tenant = $2 WHERE tenant = $1),
 * kg_agent_bundle AS (UPDATE ...), ... SELECT
 */
void
kg_tenant_give(Datum tenant, Datum name)
{
	KgSaved once = {NULL};
	StringInfoData sql;
	ListCell *lc;

	initStringInfo(&sql);
	foreach(lc, tables())
		appendStringInfo(&sql,
						 "%s %s AS (UPDATE @%s SET tenant = $2 WHERE %s)",
						 sql.len == 0 ? "WITH" : ",",
						 (char *) lfirst(lc),
						 (char *) lfirst(lc),
						 rows_of(lfirst(lc)));
	appendStringInfoString(&sql, " SELECT");
	kg_spi_exec_newest(
		&once, sql.data, kg_arg(TEXTOID, tenant), kg_arg(TEXTOID, name));
	SPI_freeplan(once.plan);
}

/*
 * Returns the size of a tenant. Runs the statement: SELECT
 * jsonb_build_object(...) FROM (SELECT 'kg_agent', count(*), ... FROM kg_agent
 * t WHERE tenant = $1 UNION ALL ...) s(name, rows, bytes)
 */
Jsonb *
kg_tenant_measure(Datum tenant)
{
	static const Oid argtypes[] = {TEXTOID};
	StringInfoData sql;
	ListCell *lc;
	int nest;
	int rc;

	initStringInfo(&sql);
	appendStringInfoString(
		&sql,
		"SELECT jsonb_build_object('bytes', sum(bytes), "
		"'entities', sum(rows) FILTER (WHERE name = 'kg_entity'), "
		"'edges', sum(rows) FILTER (WHERE name = 'kg_edge'), "
		"'by_table', jsonb_object_agg(name, jsonb_build_object("
		"'rows', rows, 'bytes', bytes)) FILTER (WHERE rows > 0)) "
		"FROM (SELECT 'kg_tenant', count(*), sum(pg_column_size(t)) "
		"FROM @kg_tenant t WHERE tenant = $1");
	foreach(lc, tables())
		appendStringInfo(&sql,
						 " UNION ALL SELECT '%s', count(*), "
						 "sum(pg_column_size(t)) FROM @%s t WHERE %s",
						 (char *) lfirst(lc),
						 (char *) lfirst(lc),
						 rows_of(lfirst(lc)));
	appendStringInfoString(&sql, ") s(name, rows, bytes)");
	nest = kg_spi_pin_path();
	rc = SPI_execute_with_args(kg_spi_expand(sql.data),
							   lengthof(argtypes),
							   (Oid *) argtypes,
							   &tenant,
							   NULL,
							   true,
							   0);
	kg_spi_unpin_path(nest);
	if (rc != SPI_OK_SELECT)
		elog(ERROR,
			 "could not measure a tenant: %s",
			 SPI_result_code_string(rc));
	return DatumGetJsonbPCopy(kg_spi_datum(0, 1));
}
