/*
 * merged.c
 *	  Ids of entities that were merged into others.
 *
 * Each row of kg_freed leads only to the next node: from the id of a merged
 * entity to a node, and, if the entity of this node was merged, too, from this
 * node to a further node. So undoing one merge does not change the rows of
 * another. No caller has SELECT on kg_freed, so its rows are read as the owner.
 * Then a query with the caller's rights finds the entity, and tests that no
 * entity has the id now. So hidden entities do not change a reply.
 */
#include "postgres.h"

#include "base/has_column.h"
#include "base/spi.h"
#include "query/merged.h"
#include "query/run/running.h"
#include "query/sql.h"
#include "query/time/past.h"
#include "store/entity/put.h"
#include "utils/builtins.h"

/* The nodes to which ids lead. */
typedef struct Leads
{
	int n;
	Datum *ids;
	Datum *nodes;
	Datum *indexes; /* positions of the ids, from 1 */
} Leads;

/* The entities that the caller sees, among the nodes to which ids lead. */
typedef struct Found
{
	const KgCatalog *catalog;
	/* entities, by the position of the given id; node 0: not found */
	KgMerged *merged;
} Found;

/*
 * Returns the number of the type, or the numbers of all types of the catalog.
 */
static KgArg
type_numbers(const KgCatalog *catalog, const KgType *type)
{
	int64 *numbers = palloc(Max(1, catalog->ntypes) * sizeof(int64));
	int n = 0;

	if (type != NULL)
		numbers[n++] = type->type_no;
	else
		for (int i = 0; i < catalog->ntypes; i++)
			numbers[n++] = catalog->types[i].type_no;
	return kg_arg_int8s(numbers, n);
}

/*
 * Follows each id to the first stored node, over several merges. The recursion
 * uses UNION ALL: no chain returns to a node, because a node is merged only
 * once, and UNION would build a hash table of megabytes at each call.
 */
static void
read_leads(const KgCatalog *catalog, const KgType *type, char *const *ids,
		   int n, Leads *leads)
{
	MemoryContext context = CurrentMemoryContext;
	KgArg types = type_numbers(catalog, type);
	KgUserContext caller;

	kg_spi_begin_as_owner(&caller);
	KG_BATCH_READ("WITH RECURSIVE lead (i, node) AS ("
				  "SELECT a.i, f.target "
				  "FROM unnest($2) WITH ORDINALITY a (id, i) "
				  "JOIN @kg_freed f ON f.tenant = $1 AND f.entity_id = a.id "
				  "AND f.target IS NOT NULL AND f.type_no = ANY ($3) "
				  "UNION ALL SELECT l.i, f.target FROM lead l "
				  "JOIN @kg_freed f ON f.tenant = $1 AND f.node = l.node "
				  "AND f.node IS NOT NULL WHERE NOT EXISTS "
				  "(SELECT FROM @kg_entity e "
				  "WHERE e.tenant = $1 AND e.node = l.node)) "
				  "SELECT l.i, e.node FROM lead l "
				  "JOIN @kg_entity e ON e.tenant = $1 AND e.node = l.node",
				  kg_arg_text(catalog->tenant),
				  kg_arg_texts((const char *const *) ids, n),
				  types);
	MemoryContextSwitchTo(context);
	leads->n = (int) SPI_processed;
	leads->ids = palloc((leads->n + 1) * sizeof(Datum));
	leads->nodes = palloc((leads->n + 1) * sizeof(Datum));
	leads->indexes = palloc((leads->n + 1) * sizeof(Datum));
	for (int i = 0; i < leads->n; i++)
	{
		int64 index = kg_spi_int64(i, 1);

		leads->indexes[i] = Int64GetDatum(index);
		leads->nodes[i] = Int64GetDatum(kg_spi_int64(i, 2));
		leads->ids[i] = CStringGetTextDatum(ids[index - 1]);
	}
	SPI_freetuptable(SPI_tuptable);
	kg_spi_end_as_owner(&caller);
	MemoryContextSwitchTo(context);
}

static bool
take_merged(TupleTableSlot *slot, void *arg)
{
	Found *found = arg;
	KgMerged *merged =
		&found->merged[DatumGetInt64(kg_slot_datum(slot, 1)) - 1];

	/* An id that entities of several types had is ambiguous. */
	if (merged->node != 0)
		merged->id = NULL;
	else
	{
		merged->node = DatumGetInt64(kg_slot_datum(slot, 2));
		merged->type = kg_catalog_type_no(
			found->catalog, DatumGetInt32(kg_slot_datum(slot, 3)));
		merged->id = TextDatumGetCString(kg_slot_datum(slot, 4));
	}
	return true;
}

/* Reads, as the caller, the entities of ids that were not taken again. */
static void
read_entities(const KgCatalog *catalog, const Leads *leads, Found *found)
{
	KgSqlBuilder b;

	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT l.i, x.node, x.type_no, x.entity_id FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), pg_catalog.unnest($%d), "
				  "pg_catalog.unnest($%d)) l (i, node, id) "
				  "JOIN %s x ON x.tenant = $1 AND x.node = l.node "
				  "WHERE NOT EXISTS (SELECT FROM %s y WHERE y.tenant = $1 "
				  "AND y.bundle = x.bundle AND y.entity_type = x.entity_type "
				  "AND y.entity_id = l.id)",
				  kg_sql_param_array(&b, INT8OID, leads->indexes, leads->n),
				  kg_sql_param_array(&b, INT8OID, leads->nodes, leads->n),
				  kg_sql_param_array(&b, TEXTOID, leads->ids, leads->n),
				  kg_sql_table("kg_entity"),
				  kg_sql_table("kg_entity"));
	(void) kg_sql_run(&b, take_merged, found);
}

/*
 * Returns an array with the entity for each given id, or NULL if no entity was
 * found. If the id in a member is NULL, the entity of this member was not
 * found.
 */
static KgMerged *
find_all(const KgCatalog *catalog, const KgType *type, char *const *ids, int n)
{
	Leads leads;
	Found found = {catalog};

	if (n == 0 || kg_past_asked() || (type != NULL && type->binding != NULL) ||
		!kg_has_column("kg_freed", "target"))
		return NULL;
	read_leads(catalog, type, ids, n, &leads);
	if (leads.n == 0)
		return NULL;
	found.merged = palloc0(n * sizeof(KgMerged));
	read_entities(catalog, &leads, &found);
	return found.merged;
}

bool
kg_merged_find(const KgCatalog *catalog, const KgType *type, const char *id,
			   KgMerged *merged)
{
	char *ids[] = {(char *) id};
	KgMerged *found = find_all(catalog, type, ids, 1);

	if (found == NULL || found->id == NULL)
		return false;
	*merged = *found;
	return true;
}

bool
kg_merged_replace(const KgCatalog *catalog, const KgType *type, char **ids,
				  int n)
{
	const KgMerged *found = find_all(catalog, type, ids, n);
	bool any = false;

	for (int i = 0; found != NULL && i < n; i++)
	{
		if (found[i].id == NULL)
			continue;
		ids[i] = found[i].id;
		any = true;
	}
	return any;
}

typedef struct Asked
{
	const KgType *type;
	const char *id;
	const char *into;
} Asked;

static void
find_id(void *arg)
{
	Asked *asked = arg;
	KgMerged merged;

	if (kg_merged_find(kg_running_catalog(), asked->type, asked->id, &merged))
		asked->into = merged.id;
}

/*
 * Defines the hook kg_merged_into of writes. Statements run in a call that
 * reads, and the write of an SQL function has no such call.
 */
static const char *
merged_into(const KgType *type, const char *id)
{
	Asked asked = {type, id};

	if (kg_running_call() != NULL)
		find_id(&asked);
	else
		kg_running_read(find_id, &asked);
	return asked.into;
}

void
kg_merged_init(void)
{
	kg_merged_into = merged_into;
}
