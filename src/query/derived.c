/*
 * derived.c
 *	  Counts of edges, as x-derived properties declare them.
 *
 * One statement counts a property for all entities of a reply. An edge counts
 * only if its other end is visible, so the count reveals nothing that is
 * hidden.
 */
#include "postgres.h"

#include "auth/visibility.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/counted.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/derived.h"
#include "query/graph/graph_search.h"
#include "query/time/past.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "store/reference/scope.h"
#include "store/reference/unready.h"
#include "utils/memutils.h"

typedef struct NodeCount
{
	int64 node;
	int64 count;
} NodeCount;

typedef struct Counts
{
	NodeCount *nodes; /* sorted by node */
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

/*
 * For each node of "counts", adds the number of edges of the relations whose
 * target (if incoming is true) or source is the node.
 */
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
	/*
	 * One subselect for each node: a grouped count might be planned as a scan
	 * of all edges.
	 */
	kg_sql_append(&b,
				  "SELECT n.node, (SELECT pg_catalog.count(*) FROM %s d WHERE "
				  "d.tenant = $1 AND %s = n.node",
				  kg_sql_table("kg_edge"),
				  here);
	kg_sql_append(&b,
				  " AND d.relation_no = ANY ($%d)",
				  kg_sql_param_array(&b, INT4OID, relations, nrelations));
	if (without_loops)
		kg_sql_append(&b, " AND d.source <> d.target");
	kg_sql_visible(&b, there);
	kg_sql_append(&b,
				  ") FROM pg_catalog.unnest($%d) n(node)",
				  kg_sql_param_array(&b, INT8OID, nodes, counts->n));
	(void) kg_sql_run(&b, count_row, counts);
}

/*
 * Raises an error if the relation's edges may not be stored yet: edges of
 * references are stored when the statement that writes the entities ends.
 */
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

void
kg_counts_require(const KgCatalog *catalog, const KgType *type,
				  const KgField *field)
{
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_counts_relation(type, field, &catalog->relations[i]))
			require_edges(catalog, &catalog->relations[i]);
}

static void
count_field(const KgCatalog *catalog, const KgType *type, const KgField *field,
			Counts *counts)
{
	KgCountedRelations of = kg_counted_relations(catalog, type, field);

	kg_counts_require(catalog, type, field);
	for (int i = 0; i < counts->n; i++)
		counts->nodes[i].count = 0;
	count_edges(catalog, counts, of.incoming, of.nincoming, true, false);
	count_edges(catalog, counts, of.outgoing, of.noutgoing, false, false);
	count_edges(catalog, counts, of.both, of.nboth, true, false);
	count_edges(catalog, counts, of.both, of.nboth, false, true);
}

/*
 * Writes a copy of the object, with the counts at the paths of their
 * properties. Missing objects stay missing.
 */
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

/*
 * Returns a document with the counts of its node. fills is scratch space for
 * nfields counts.
 */
static Jsonb *
filled(const KgField **fields, const Counts *counts, int nfields, int64 node,
	   const Jsonb *data, Fill *fills)
{
	KgJsonWriter w;

	for (int f = 0; f < nfields; f++)
		fills[f] = (Fill){fields[f], find_node(&counts[f], node)->count};
	kg_jw_init(&w);
	write_filled(&w, &data->root, fills, nfields, 0);
	return kg_jw_finish(&w);
}

/*
 * Returns the counts of edges of the nodes for some of a type's properties,
 * one Counts for each property. Nodes are counted in batches of KG_PIECE.
 */
static Counts *
count_fields(const KgCatalog *catalog, const KgType *type,
			 const KgField **fields, int nfields, const Counts *nodes)
{
	Counts *counts = palloc(Max(1, nfields) * sizeof(Counts));

	kg_decisions_begin_step();
	for (int f = 0; f < nfields; f++)
	{
		counts[f].n = nodes->n;
		counts[f].nodes = MemoryContextAllocHuge(
			CurrentMemoryContext, Max((Size) nodes->n, 1) * sizeof(NodeCount));
		memcpy(counts[f].nodes, nodes->nodes, nodes->n * sizeof(NodeCount));
		for (int start = 0; start < nodes->n; start += KG_PIECE)
		{
			Counts piece = {counts[f].nodes + start,
							Min(nodes->n - start, KG_PIECE)};

			count_field(catalog, type, fields[f], &piece);
		}
	}
	kg_decisions_end_step();
	return counts;
}

/*
 * Adds the counts to the data of entities of one type. All these entities have
 * data.
 */
static void
fill_type(const KgCatalog *catalog, const KgShown *shown, int n)
{
	const KgType *type = shown[0].type;
	const KgField **fields = palloc(type->nfields * sizeof(KgField *));
	Fill *fills = palloc(type->nfields * sizeof(Fill));
	int nfields = 0;
	Counts nodes = {palloc(n * sizeof(NodeCount)), n};
	Counts *counts;

	for (int f = 0; f < type->nfields; f++)
		if (type->fields[f].derived_relation != NULL)
			fields[nfields++] = &type->fields[f];
	for (int i = 0; i < n; i++)
		nodes.nodes[i].node = shown[i].node;
	qsort(nodes.nodes, n, sizeof(NodeCount), compare_nodes);
	counts = count_fields(catalog, type, fields, nfields, &nodes);
	for (int i = 0; i < n; i++)
		*shown[i].data = filled(
			fields, counts, nfields, shown[i].node, *shown[i].data, fills);
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

	/*
	 * With as_of, replies have no counts: history does not store computed
	 * values.
	 */
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
	kg_decisions_begin_step();
	for (int i = 0, end; i < counted; i = end)
	{
		for (end = i; end < counted && shown[end].type == shown[i].type;)
			end++;
		fill_type(catalog, &shown[i], end - i);
	}
	kg_decisions_end_step();
}

/* ---- filters, sorts and groups ---- */

bool
kg_counts_are_kept(const KgCatalog *catalog)
{
	return kg_validity_rows_suffice(catalog) && kg_validity_hides() == 0 &&
		   !kg_past_asked() && kg_visibility_edges_are_plain() &&
		   !kg_being_written("kg_edge") && !kg_writing_lacks_derived(NULL) &&
		   !kg_scope_is_rewritten(catalog->tenant, NULL);
}

struct KgCounts
{
	int nfields;
	const KgField **fields;
	Counts *counts; /* one Counts for each field */
	Fill *fills;
};

KgCounts *
kg_counts_of(const KgCatalog *catalog, const KgType *type, const int64 *nodes,
			 uint32 n)
{
	KgCounts *counts = palloc0(sizeof(KgCounts));
	Counts all = {MemoryContextAllocHuge(CurrentMemoryContext,
										 Max((Size) n, 1) * sizeof(NodeCount)),
				  (int) n};

	counts->fields = palloc(Max(1, type->ncounted) * sizeof(KgField *));
	counts->fills = palloc(Max(1, type->ncounted) * sizeof(Fill));
	for (int f = 0; f < type->nfields; f++)
		if (type->fields[f].counted)
			counts->fields[counts->nfields++] = &type->fields[f];
	for (uint32 i = 0; i < n; i++)
		all.nodes[i].node = nodes[i];
	qsort(all.nodes, n, sizeof(NodeCount), compare_nodes);
	counts->counts = count_fields(
		catalog, type, counts->fields, counts->nfields, &all);
	pfree(all.nodes);
	return counts;
}

Jsonb *
kg_counts_show(const KgCounts *counts, int64 node, const Jsonb *data)
{
	return filled(counts->fields,
				  counts->counts,
				  counts->nfields,
				  node,
				  data,
				  counts->fills);
}

bytea *
kg_counts_key(const KgCounts *counts, const KgField *field, int64 node)
{
	int f = 0;

	while (counts->fields[f] != field)
		f++;
	return kg_counted_key(field, find_node(&counts->counts[f], node)->count);
}

void
kg_counts_check(const KgType *type, const KgField *field, const char *path,
				uint64 n)
{
	if (n <= (uint64) kg_setting_max_scan)
		return;
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf(
			"property \"%s\" of entity type \"%s\" would have to be counted "
			"from the edges of more than %d entities (kg_graph.max_scan); its "
			"stored counts are used only for a caller that sees the whole "
			"tenant, in a call without valid_at",
			field->name,
			kg_type_handle(type),
			kg_setting_max_scan),
		.path = path,
		.expected = psprintf("ids, \"related\", or filters on other properties "
							 "with an index, which leave at most %d entities",
							 kg_setting_max_scan));
}
