/*
 * columns.c
 *	  The properties of nodes and edges that a graph tool's reply shows.
 */
#include "postgres.h"

#include "base/error.h"
#include "tools/reply/columns.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static KgShownOf
of_type(const KgType *type)
{
	KgShownOf of = {psprintf("entity type \"%s\"", kg_type_handle(type)),
					type->name,
					psprintf("%s/%s", type->bundle, type->name),
					type->nfields,
					type->fields,
					type->id_field,
					type};

	return of;
}

static KgShownOf
of_relation(const KgRelation *relation)
{
	KgShownOf of = {psprintf("relationship type \"%s\"", relation->name),
					relation->name,
					psprintf("%s/%s", relation->bundle, relation->name),
					relation->nfields,
					relation->fields};

	return of;
}

/*
 * Returns the properties to show if the call has no "columns": the type's
 * x-summary-fields and its label.
 */
static KgProjection *
summary_of(const KgType *type)
{
	KgProjection *summary = kg_projection_new(type->nsummary + 1);

	if (type->label_field != NULL)
		kg_projection_add(summary, type->label_field);
	for (int i = 0; i < type->nsummary; i++)
		kg_projection_add(summary, type->summary_fields[i]);
	return summary;
}

/*
 * Reads "columns". Returns false if it is absent. In this case, the list of the
 * types and their properties is not needed and not made.
 */
static bool
choose_nodes(KgShownColumns *columns, const KgGraph *graph, int first, int n,
			 const KgInput *in, KgNamesApart *of_edges)
{
	KgShownOf *of;

	if (!kg_input_has(in, "columns"))
		return false;
	of = palloc((n + 1) * sizeof(KgShownOf));
	for (int i = 0; i < n; i++)
		of[i] = of_type(kg_graph_type(graph, first + i));
	return kg_projections_read(
		in, "columns", of, n, columns->nodes + first, of_edges);
}

static void
read_nodes(KgShownColumns *columns, const KgGraph *graph, const KgType *type,
		   const KgInput *in, KgNamesApart *of_edges)
{
	int first = type != NULL ? kg_graph_rank(graph, type->type_no) - 1 : 0;
	int n = type != NULL ? 1 : graph->nranks;

	columns->nodes = palloc0((graph->nranks + 1) * sizeof(KgProjection *));
	if (choose_nodes(columns, graph, first, n, in, of_edges))
		return;
	for (int i = first; i < first + n; i++)
		if (kg_row_has(graph->ranked[i], KG_TRAIT_SUMMARY))
			columns->nodes[i] = summary_of(kg_graph_type(graph, i));
}

static const KgField *
key_of(const KgRelation *relation)
{
	for (int i = 0; i < relation->nfields && relation->key != NULL; i++)
		if (strcmp(relation->fields[i].name, relation->key) == 0)
			return &relation->fields[i];
	return NULL;
}

/*
 * Reads "edge_columns", and adds the properties of edges ("edge.since") that
 * "columns" has. Returns false if the call has neither.
 */
static bool
choose_edges(KgShownColumns *columns, const KgCatalog *catalog,
			 const KgInput *in, const KgNamesApart *of_edges)
{
	int n = catalog->nrelations;
	int nnames = list_length(of_edges->names);
	KgShownOf *of;

	if (!kg_input_has(in, "edge_columns") && nnames == 0)
		return false;
	of = palloc0((n + 1) * sizeof(KgShownOf));
	for (int i = 0; i < n; i++)
		of[i] = of_relation(&catalog->relations[i]);
	if (!kg_projections_read(in, "edge_columns", of, n, columns->edges, NULL))
		for (int i = 0; i < n; i++)
			columns->edges[i] = kg_projection_new(nnames);
	for (int i = 0; i < nnames; i++)
		kg_projections_add(columns->edges,
						   of,
						   n,
						   of_edges->prefix,
						   list_nth(of_edges->names, i),
						   list_nth(of_edges->paths, i));
	return true;
}

static void
read_edges(KgShownColumns *columns, const KgCatalog *catalog, const KgInput *in,
		   const KgNamesApart *of_edges, bool all)
{
	int n = catalog->nrelations;
	KgProjection *nothing = NULL;

	columns->edges = palloc0((n + 1) * sizeof(KgProjection *));
	columns->edges_chosen = choose_edges(columns, catalog, in, of_edges);
	if (!columns->edges_chosen && all)
		return;
	for (int i = 0; i < n; i++)
	{
		const KgField *key = key_of(&catalog->relations[i]);

		if (!columns->edges_chosen && key == NULL)
		{
			if (nothing == NULL)
				nothing = kg_projection_new(0);
			columns->edges[i] = nothing;
			continue;
		}
		if (!columns->edges_chosen)
			columns->edges[i] = kg_projection_new(1);
		if (key != NULL && columns->edges[i] != NULL)
			kg_projection_add(columns->edges[i], key);
	}
}

/*
 * Raises KG_INVALID_INPUT if the call has both ids_only and "columns", because
 * the reply then shows no properties.
 */
static void
check_ids_only(const KgInput *in)
{
	if (!kg_input_has(in, "columns"))
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "\"ids_only\" returns no properties from which "
						"\"columns\" could choose",
			 .path = kg_input_path(in, "columns"),
			 .expected = "either columns or ids_only");
}

void
kg_columns_read(KgShownColumns *columns, const KgGraph *graph,
				const KgType *type, const KgInput *in, bool edges)
{
	KgNamesApart of_edges = {"edge"};
	bool edge_columns = kg_input_declares(in, "edge_columns");

	columns->ids_only = kg_input_declares(in, "ids_only") &&
						kg_input_bool(in, "ids_only");
	if (columns->ids_only)
		check_ids_only(in);
	read_nodes(columns, graph, type, in, edge_columns ? &of_edges : NULL);
	if (edge_columns)
		read_edges(columns, graph->catalog, in, &of_edges, edges);
}

void
kg_columns_only_labels(KgShownColumns *columns, const KgGraph *graph)
{
	columns->labels_of = graph;
	columns->nodes = palloc0((graph->nranks + 1) * sizeof(KgProjection *));
}

static KgProjection *
label_of(const KgType *type)
{
	KgProjection *label = kg_projection_new(1);

	if (type->label_field != NULL)
		kg_projection_add(label, type->label_field);
	return label;
}

/* Returns the shown properties of a type, or NULL for all properties. */
static const KgProjection *
shown_of(const KgShownColumns *columns, int rank)
{
	KgProjection **shown;

	if (columns->nodes == NULL)
		return NULL;
	shown = &columns->nodes[rank - 1];
	if (*shown == NULL && columns->labels_of != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(
			GetMemoryChunkContext(columns->nodes));

		*shown = label_of(kg_graph_type(columns->labels_of, rank - 1));
		MemoryContextSwitchTo(old);
	}
	return *shown;
}

bool
kg_columns_show(const KgShownColumns *columns, int rank)
{
	const KgProjection *shown = shown_of(columns, rank);

	return !columns->ids_only &&
		   (shown == NULL || shown->nfields > 0 || shown->npaths > 0);
}

bool
kg_columns_derive(const KgShownColumns *columns, const KgType *type, int rank)
{
	const KgProjection *shown = shown_of(columns, rank);

	return shown == NULL || kg_projection_derives(type, shown);
}

const Jsonb *
kg_columns_of_node(const KgShownColumns *columns, int rank, const Jsonb *data)
{
	const KgProjection *shown = shown_of(columns, rank);

	return shown != NULL && data != NULL ? kg_projection_apply(shown, data)
										 : data;
}

/*
 * Adds the values of paths through references to the shown data of the nodes
 * of one type.
 */
static void
reach_type(const KgProjection *shown, KgGraph *graph, uint16 rank, KgRef **refs,
		   uint32 n)
{
	int64 *nodes = palloc((n + 1) * sizeof(int64));
	Jsonb **data = palloc((n + 1) * sizeof(Jsonb *));
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		if (refs[i]->rank == rank && refs[i]->data != NULL)
		{
			nodes[count] = refs[i]->node;
			data[count++] = unconstify(Jsonb *, refs[i]->data);
		}
	kg_projection_reach(shown, graph, nodes, data, count, "/columns");
	count = 0;
	for (uint32 i = 0; i < n; i++)
		if (refs[i]->rank == rank && refs[i]->data != NULL)
			refs[i]->data = data[count++];
}

void
kg_columns_reach(const KgShownColumns *columns, KgGraph *graph, KgRef **refs,
				 uint32 n)
{
	for (int rank = 1; columns->nodes != NULL && rank <= graph->nranks; rank++)
	{
		const KgProjection *shown = columns->nodes[rank - 1];

		if (shown != NULL && shown->npaths > 0)
			reach_type(shown, graph, (uint16) rank, refs, n);
	}
}

static const KgProjection *
edge_projection(const KgShownColumns *columns, const KgCatalog *catalog,
				const KgRelation *relation)
{
	return columns->edges != NULL && relation != NULL
			   ? columns->edges[relation - catalog->relations]
			   : NULL;
}

bool
kg_columns_show_edge(const KgShownColumns *columns, const KgCatalog *catalog,
					 const KgRelation *relation)
{
	const KgProjection *shown = edge_projection(columns, catalog, relation);

	return shown == NULL || shown->nfields > 0;
}

const Jsonb *
kg_columns_of_edge(const KgShownColumns *columns, const KgCatalog *catalog,
				   const KgRelation *relation, const Jsonb *properties)
{
	const KgProjection *shown = edge_projection(columns, catalog, relation);
	const Jsonb *told;

	if (shown == NULL || properties == NULL)
		return properties;
	told = kg_projection_apply(shown, properties);
	return kg_json_length(&told->root) > 0 ? told : NULL;
}
