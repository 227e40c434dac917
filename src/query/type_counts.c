/*
 * type_counts.c
 *	  Counts the entities of each type.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "query/sql.h"
#include "query/type_counts.h"

static bool
take_count(TupleTableSlot *slot, void *arg)
{
	int64 *counts = arg;

	slot_getallattrs(slot);
	counts[DatumGetInt32(slot->tts_values[0])] = DatumGetInt64(
		slot->tts_values[1]);
	return true;
}

int64 *
kg_type_counts(const KgCatalog *catalog)
{
	int64 *counts = palloc((catalog->ntypes + 1) * sizeof(int64));
	Datum *places = palloc((catalog->ntypes + 1) * sizeof(Datum));
	char **bundles = palloc((catalog->ntypes + 1) * sizeof(char *));
	char **names = palloc((catalog->ntypes + 1) * sizeof(char *));
	int n = 0;
	KgSqlBuilder b;

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgTypeRow *row = &catalog->types[i];

		counts[i] = -1;
		if (kg_row_has(row, KG_TRAIT_AUTHORIZE) ||
			kg_row_has(row, KG_TRAIT_TABLE))
			continue;
		places[n] = Int32GetDatum(i);
		bundles[n] = (char *) row->bundle;
		names[n++] = (char *) row->name;
	}
	if (n == 0)
		return counts;
	kg_sql_start(&b, catalog);
	kg_sql_append(
		&b,
		"SELECT t.place, (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM %s e "
		"WHERE e.tenant = $1 AND e.bundle = t.bundle COLLATE pg_catalog.\"C\" "
		"AND e.entity_type = t.type COLLATE pg_catalog.\"C\" LIMIT %d) x) FROM "
		"ROWS FROM (pg_catalog.unnest($%d), pg_catalog.unnest($%d), "
		"pg_catalog.unnest($%d)) AS t(place, bundle, type)",
		kg_sql_table("kg_entity"),
		KG_MAX_TYPE_COUNT + 1,
		kg_sql_param_array(&b, INT4OID, places, n),
		kg_sql_param_texts(&b, bundles, n),
		kg_sql_param_texts(&b, names, n));
	(void) kg_sql_run(&b, take_count, counts);
	return counts;
}
