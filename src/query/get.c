/*
 * get.c
 *	  Reads entities of one type by id.
 */
#include "postgres.h"

#include "base/extension.h"
#include "catalog/pg_type.h"
#include "query/derived.h"
#include "query/get.h"
#include "query/time/past.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct GotSet
{
	KgGot **by_id;
	int n;
} GotSet;

static int
compare_ids(const void *a, const void *b)
{
	return strcmp((*(KgGot *const *) a)->id, (*(KgGot *const *) b)->id);
}

static bool
got_row(TupleTableSlot *slot, void *arg)
{
	GotSet *set = arg;
	KgGot probe;
	KgGot *key = &probe;
	KgGot **found;

	probe.id = TextDatumGetCString(kg_slot_datum(slot, 1));
	found = bsearch(&key, set->by_id, set->n, sizeof(KgGot *), compare_ids);
	if (found)
	{
		(*found)->data = DatumGetJsonbPCopy(kg_slot_datum(slot, 2));
		(*found)->node = DatumGetInt64(kg_slot_datum(slot, 3));
	}
	return true;
}

static void
fill_derived(const KgCatalog *catalog, const KgType *type, KgGot *got, int n)
{
	KgShown *shown = palloc(n * sizeof(KgShown));

	for (int i = 0; i < n; i++)
		shown[i] = (KgShown){type, got[i].node, &got[i].data};
	kg_derived_fill(catalog, shown, n);
}

/*
 * Returns whether the statement of kg_get_data() can read entities of the type.
 * It cannot for a type with counts of edges, or in a call with as_of or
 * valid_at.
 */
static bool
is_plain(const KgType *type)
{
	return !kg_derived_any(type) && kg_validity_hides() == 0 &&
		   !kg_past_asked();
}

KgGot *
kg_get_entities(const KgCatalog *catalog, const KgType *type, char **ids, int n)
{
	KgGot *got = palloc0(Max(1, n) * sizeof(KgGot));
	GotSet set;
	KgSqlBuilder b;
	KgStatement statement;

	if (n == 1 && is_plain(type))
	{
		got[0].id = ids[0];
		got[0].data = kg_get_data(catalog, type, cstring_to_text(ids[0]));
		return got;
	}
	set.n = n;
	set.by_id = palloc(Max(1, n) * sizeof(KgGot *));
	for (int i = 0; i < n; i++)
	{
		got[i].id = ids[i];
		got[i].index = i;
		set.by_id[i] = &got[i];
	}
	qsort(set.by_id, n, sizeof(KgGot *), compare_ids);
	kg_sql_start(&b, catalog);
	kg_sql_append(&b, "SELECT e.entity_id, e.data, e.node FROM ");
	kg_sql_begin_each(&b,
					  kg_sql_table("kg_entity"),
					  "x.entity_id, x.data, x.node",
					  kg_sql_param_texts(&b, ids, n));
	kg_sql_append(
		&b, " AND x.bundle = $%d", kg_sql_param_text(&b, type->bundle));
	kg_sql_append(
		&b, " AND x.entity_type = $%d", kg_sql_param_text(&b, type->name));
	kg_sql_end_each(&b, "entity_id", "e");
	/*
	 * The executor of this statement must not stay open for later calls: a
	 * function in FROM would not be called again for the ids of the next call.
	 */
	statement = kg_sql_statement(&b);
	statement.node_column = 3;
	(void) kg_plan_run(&statement, got_row, &set);
	if (kg_derived_any(type))
		fill_derived(catalog, type, got, n);
	return got;
}

static bool
take_data(TupleTableSlot *slot, void *arg)
{
	*(Jsonb **) arg = DatumGetJsonbPCopy(kg_slot_datum(slot, 1));
	return false;
}

/*
 * Reads one entity without type, node or counts. This frequent path has a fixed
 * statement text.
 *
 * The statement calls kg_tenant() as the policies do, so that the statement's
 * condition on the tenant and the policies' condition become one index
 * condition. If the tenant were a parameter, the two conditions would be
 * compared in a node above the scan.
 */
Jsonb *
kg_get_data(const KgCatalog *catalog, const KgType *type, text *id)
{
	static char *sql = NULL;
	static uint64 sql_schema = 0;
	static const Oid argtypes[3] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[3];
	KgStatement statement;
	Jsonb *data = NULL;

	if (!is_plain(type))
	{
		char *one = text_to_cstring(id);

		return kg_get_entities(catalog, type, &one, 1)[0].data;
	}
	if (sql == NULL || sql_schema != kg_extension_schema_version())
	{
		char *fresh = psprintf(
			"SELECT e.data FROM %s e WHERE e.tenant = %s() AND e.bundle = $1 "
			"AND e.entity_type = $2 AND e.entity_id = $3",
			kg_sql_table("kg_entity"),
			kg_qualified("kg_tenant"));

		fresh = MemoryContextStrdup(TopMemoryContext, fresh);
		if (sql)
			pfree(sql);
		sql = fresh;
		sql_schema = kg_extension_schema_version();
	}
	values[0] = type->bundle_text;
	values[1] = type->name_text;
	values[2] = PointerGetDatum(id);
	statement = (KgStatement){.sql = sql,
							  .nargs = 3,
							  .argtypes = argtypes,
							  .values = values,
							  .hold = true};
	(void) kg_plan_run(&statement, take_data, &data);
	return data;
}
