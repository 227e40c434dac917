/*
 * derived.c
 *	  Counts of edges, as x-derived properties declare them.
 *
 * One statement for a property and all the entities of a reply.  An edge counts
 * where its other end is visible, so that what is hidden cannot be inferred.
 */
#include "postgres.h"

#include "base/json.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/derived.h"
#include "query/past.h"
#include "query/sql.h"
#include "store/scope.h"

typedef struct NodeCount
{
	int64 node;
	int64 count;
} NodeCount;

typedef struct Counts
{
	NodeCount *nodes; /* by node */
	int n;
} Counts;

typedef struct Fill
{
	const KgField *field;
	int64 count;
} Fill;

bool
kg_derived_any(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].derived_relation != NULL)
			return true;
	return false;
}

static int
compare_nodes(const void *a, const void *b)
{
	int64 x = ((const NodeCount *) a)->node;
	int64 y = ((const NodeCount *) b)->node;

	return x < y ? -1 : x > y;
}

static NodeCount *
find_node(const Counts *counts, int64 node)
{
	NodeCount key;

	key.node = node;
	return bsearch(
		&key, counts->nodes, counts->n, sizeof(NodeCount), compare_nodes);
}

static bool
count_row(TupleTableSlot *slot, void *arg)
{
	NodeCount *found = find_node(arg, DatumGetInt64(kg_slot_datum(slot, 1)));

	if (found)
		found->count += DatumGetInt64(kg_slot_datum(slot, 2));
	return true;
}

/* Edges of relations at nodes, by the end that is the node. */
static void
count_edges(const KgCatalog *catalog, Counts *counts, const Datum *relations,
			int nrelations, bool incoming, bool without_loops)
{
	const char *here = incoming ? "d.target" : "d.source";
	const char *there = incoming ? "d.source" : "d.target";
	Datum *nodes = palloc(Max(1, counts->n) * sizeof(Datum));
	KgSqlBuilder b;

	if (nrelations == 0)
		return;
	for (int i = 0; i < counts->n; i++)
		nodes[i] = Int64GetDatum(counts->nodes[i].node);
	kg_sql_start(&b, catalog);
	/* Node by node: a grouped count may be planned as a scan of them all. */
	kg_sql_append(&b,
				  "SELECT n.node, (SELECT pg_catalog.count(*) FROM %s d WHERE "
				  "d.tenant" KG_EQ "$1 AND %s" KG_EQ "n.node",
				  kg_sql_table("kg_edge"),
				  here);
	kg_sql_append(&b,
				  " AND d.relation_no" KG_EQ "ANY ($%d)",
				  kg_sql_param_array(&b, INT4OID, relations, nrelations));
	if (without_loops)
		kg_sql_append(&b, " AND d.source" KG_NE "d.target");
	kg_sql_visible(&b, there);
	kg_sql_append(&b,
				  ") FROM pg_catalog.unnest($%d) n(node)",
				  kg_sql_param_array(&b, INT8OID, nodes, counts->n));
	(void) kg_sql_run(&b, count_row, counts);
}

static bool
relation_touches(const KgRelation *relation, const KgType *type, bool incoming)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		if ((incoming || relation->symmetric) &&
			variant->to_type_no == type->type_no)
			return true;
		if ((!incoming || relation->symmetric) &&
			variant->from_type_no == type->type_no)
			return true;
	}
	return false;
}

/* Edges of references follow when who writes the referrers is done. */
static void
require_edges(const KgCatalog *catalog, const KgRelation *relation)
{
	if (relation->derived)
		kg_scope_require_edges(catalog->tenant);
	for (int i = 0; relation->derived && i < relation->nvariants; i++)
	{
		const KgType *type = kg_catalog_type_no(
			catalog, relation->variants[i].from_type_no);

		if (type)
			kg_scope_require_derived(catalog->tenant, type);
	}
}

static void
count_field(const KgCatalog *catalog, const KgType *type, const KgField *field,
			Counts *counts)
{
	Datum *one_way = palloc(Max(1, catalog->nrelations) * sizeof(Datum));
	Datum *both_ways = palloc(Max(1, catalog->nrelations) * sizeof(Datum));
	int none_way = 0;
	int nboth = 0;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (strcmp(relation->name, field->derived_relation) != 0 ||
			!relation_touches(relation, type, field->derived_incoming))
			continue;
		require_edges(catalog, relation);
		if (relation->symmetric)
			both_ways[nboth++] = Int32GetDatum(relation->relation_no);
		else
			one_way[none_way++] = Int32GetDatum(relation->relation_no);
	}
	for (int i = 0; i < counts->n; i++)
		counts->nodes[i].count = 0;
	count_edges(
		catalog, counts, one_way, none_way, field->derived_incoming, false);
	count_edges(catalog, counts, both_ways, nboth, true, false);
	count_edges(catalog, counts, both_ways, nboth, false, true);
}

/* An object with the counts in their places; missing objects stay missing. */
static void
write_filled(KgJsonWriter *w, const JsonbContainer *object, const Fill *fills,
			 int nfills, int depth)
{
	check_stack_depth();
	kg_jw_begin_object(w);
	kg_json_each(it, object)
	{
		Fill *below = palloc(nfills * sizeof(Fill));
		bool replaced = false;
		int n = 0;

		for (int i = 0; i < nfills; i++)
		{
			const KgStep *step = &fills[i].field->steps[depth];

			if (step->key == NULL || step->keylen != it.key.val.string.len ||
				memcmp(step->key, it.key.val.string.val, step->keylen) != 0)
				continue;
			if (fills[i].field->nsteps == depth + 1)
				replaced = true;
			else
				below[n++] = fills[i];
		}
		if (!replaced)
		{
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
			if (n > 0 && kg_json_is_object(&it.value))
				write_filled(
					w, kg_json_container(&it.value), below, n, depth + 1);
			else
				kg_jw_value(w, &it.value);
		}
		pfree(below);
	}
	for (int i = 0; i < nfills; i++)
	{
		const KgStep *step = &fills[i].field->steps[depth];

		if (fills[i].field->nsteps != depth + 1 || step->key == NULL)
			continue;
		kg_jw_keyn(w, step->key, step->keylen);
		kg_jw_int(w, fills[i].count);
	}
	kg_jw_end_object(w);
}

/* Entities of one type, all with data. */
static void
fill_type(const KgCatalog *catalog, const KgShown *shown, int n)
{
	const KgType *type = shown[0].type;
	Counts counts;
	Fill *fills = palloc(n * type->nfields * sizeof(Fill));
	int nfills = 0;

	counts.nodes = palloc(n * sizeof(NodeCount));
	counts.n = n;
	for (int i = 0; i < n; i++)
		counts.nodes[i].node = shown[i].node;
	qsort(counts.nodes, counts.n, sizeof(NodeCount), compare_nodes);
	for (int f = 0; f < type->nfields; f++)
	{
		const KgField *field = &type->fields[f];

		if (field->derived_relation == NULL)
			continue;
		count_field(catalog, type, field, &counts);
		for (int i = 0; i < n; i++)
		{
			Fill *fill = &fills[i * type->nfields + nfills];

			fill->field = field;
			fill->count = find_node(&counts, shown[i].node)->count;
		}
		nfills++;
	}
	for (int i = 0; i < n; i++)
	{
		KgJsonWriter w;

		kg_jw_init(&w);
		write_filled(
			&w, &(*shown[i].data)->root, &fills[i * type->nfields], nfills, 0);
		*shown[i].data = kg_jw_finish(&w);
	}
}

static int
compare_types(const void *a, const void *b)
{
	int32 x = ((const KgShown *) a)->type->type_no;
	int32 y = ((const KgShown *) b)->type->type_no;

	return x < y ? -1 : x > y;
}

void
kg_derived_fill(const KgCatalog *catalog, KgShown *shown, int n)
{
	const KgType *type = NULL;
	bool any = false;
	int counted = 0;

	/* What is counted is not kept. */
	if (kg_past_asked())
		return;
	for (int i = 0; i < n; i++)
	{
		if (shown[i].type != type)
		{
			type = shown[i].type;
			any = kg_derived_any(type);
		}
		if (any && *shown[i].data != NULL)
			shown[counted++] = shown[i];
	}
	qsort(shown, counted, sizeof(KgShown), compare_types);
	for (int i = 0, end; i < counted; i = end)
	{
		for (end = i; end < counted && shown[end].type == shown[i].type;)
			end++;
		fill_type(catalog, &shown[i], end - i);
	}
}
