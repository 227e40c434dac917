/*
 * given_edges.c
 *	  Edges in the form in which a caller sends them.
 *
 * A handle is the text "type:id" of an entity (model/handle.h). A variant is
 * the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "model/handle.h"
#include "store/entity/entity_ids.h"
#include "store/edge/given_edges.h"
#include "store/edge/known_ends.h"
#include "store/edge/symmetric.h"
#include "store/bundle/payload_ids.h"

static bool
is_named(const KgRelation *relation, const char *bundle, const char *name)
{
	const char *slash = bundle ? NULL : strchr(name, '/');
	int len = slash ? slash - name : 0;

	if (bundle && strcmp(relation->bundle, bundle) != 0)
		return false;
	if (slash == NULL)
		return strcmp(relation->name, name) == 0;
	return strlen(relation->bundle) == len &&
		   memcmp(relation->bundle, name, len) == 0 &&
		   strcmp(relation->name, slash + 1) == 0;
}

static KgError *
no_relation_error(const KgCatalog *catalog, const char *bundle,
				  const char *name, bool derived)
{
	const char **names = palloc((catalog->nrelations + 1) * sizeof(char *));
	int n = 0;
	KgError *err = derived
					   ? kg_error_new(KG_INVALID_INPUT,
									  "edges of relation \"%s\" are derived "
									  "from an \"x-ref\" and cannot be written",
									  name)
					   : kg_error_new(KG_UNKNOWN_TYPE,
									  "relation \"%s\" does not exist",
									  name);

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (relation->derived ||
			(bundle && strcmp(relation->bundle, bundle) != 0))
			continue;
		names[n++] = relation->name;
		kg_error_allow(err, relation->name);
	}
	kg_error_expected(err,
					  bundle ? "a relation declared in \"relations\""
							 : "a relation that a bundle declares");
	if (bundle || !derived)
		kg_error_did_you_mean(err, kg_nearest(name, names, n));
	return err;
}

static KgError *
several_error(const KgCatalog *catalog, const char *name)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT, "relation \"%s\" exists in several bundles", name);

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!relation->derived && is_named(relation, NULL, name))
			kg_error_allow(err,
						   psprintf("%s/%s", relation->bundle, relation->name));
	}
	kg_error_expected(err, "bundle/relation");
	return err;
}

/*
 * Returns whether all edges of the relation begin or end at rows of a table of
 * the user.
 */
static bool
joins_rows(const KgCatalog *catalog, const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
		const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);

		if ((from == NULL || from->binding == NULL) &&
			(to == NULL || to->binding == NULL))
			return false;
	}
	return relation->nvariants > 0;
}

static KgError *
rows_error(const char *name)
{
	return KG_ERROR(
		KG_INVALID_INPUT,
		.message = psprintf("relation \"%s\" has no explicit edges, because it "
							"leads from or to rows of tables",
							name),
		.expected = "the tools that write a type that reads the table of the "
					"edges, or a reference to the row");
}

const KgRelation *
kg_given_relation(const KgCatalog *catalog, const char *bundle,
				  const char *name, KgError **err)
{
	const KgRelation *found = NULL;
	bool several = false;
	bool derived = false;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!is_named(relation, bundle, name))
			continue;
		derived |= relation->derived;
		if (relation->derived)
			continue;
		several |= found != NULL;
		found = relation;
	}
	if (found && !several && !joins_rows(catalog, found))
		return found;
	*err = several ? several_error(catalog, name)
		   : found ? rows_error(name)
				   : no_relation_error(catalog, bundle, name, derived);
	kg_error_got_string(*err, name);
	return NULL;
}

/*
 * Returns the type that a handle means if several bundles have a type of this
 * name. It is the type that a variant of the relation has at this end. A type
 * of the relation's own bundle is preferred. So a bundle stays valid when
 * another bundle adds a type of this name. Returns NULL if no type, or several
 * types of other bundles, would fit.
 */
static const KgType *
variant_type(const KgCatalog *catalog, const KgRelation *relation,
			 const char *name, bool is_from)
{
	const KgType *found = NULL;
	bool several = false;

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *type = kg_catalog_type_no(
			catalog, is_from ? variant->from_type_no : variant->to_type_no);

		if (type == NULL || type == found || strcmp(type->name, name) != 0)
			continue;
		if (strcmp(type->bundle, relation->bundle) == 0)
			return type;
		several |= found != NULL;
		found = type;
	}
	return several ? NULL : found;
}

/*
 * Reads an end from a handle. A bare id is permitted if the relation's
 * variants have only one type at this end.
 */
void
kg_edge_end_read(const KgCatalog *catalog, const KgRelation *relation,
				 const char *text, bool is_from, KgEdgeEnd *end)
{
	const char *colon = strchr(text, ':');
	int32 only = 0;

	memset(end, 0, sizeof(*end));
	if (kg_handle_split(catalog, text, &end->type, &end->id))
		return;
	if (colon != NULL)
	{
		end->type = variant_type(
			catalog, relation, pnstrdup(text, colon - text), is_from);
		if (end->type != NULL)
		{
			end->id = colon + 1;
			return;
		}
	}
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		int32 type_no = is_from ? variant->from_type_no : variant->to_type_no;

		if (only != 0 && only != type_no)
			return;
		only = type_no;
	}
	end->type = kg_catalog_type_no(catalog, only);
	end->id = text;
}

static int
compare_ends(const void *a, const void *b)
{
	const KgEdgeEnd *x = *(const KgEdgeEnd *const *) a;
	const KgEdgeEnd *y = *(const KgEdgeEnd *const *) b;

	return x->type->type_no < y->type->type_no
			   ? -1
			   : x->type->type_no > y->type->type_no;
}

static void
find_ends(const char *tenant, KgEdgeEnd *ends, int count, KgKnownEnds *known)
{
	KgEdgeEnd **sorted = palloc(count * sizeof(KgEdgeEnd *));
	const char **ids = palloc(count * sizeof(char *));
	int64 *nodes = palloc(count * sizeof(int64));
	int n = kg_known_ends_recall(known, ends, count, sorted);

	qsort(sorted, n, sizeof(KgEdgeEnd *), compare_ends);
	for (int start = 0, end = 0; start < n; start = end)
	{
		const KgType *type = sorted[start]->type;

		for (; end < n && sorted[end]->type == type; end++)
			ids[end - start] = sorted[end]->id;
		kg_nodes_of_ids(tenant, type, ids, end - start, nodes);
		for (int i = start; i < end; i++)
		{
			sorted[i]->node = nodes[i - start];
			kg_known_ends_remember(known, sorted[i]);
		}
	}
}

KgEdgeEnd *
kg_given_ends(const KgCatalog *catalog, const KgGivenEdge *edges, int n,
			  const KgPayload *payload, KgKnownEnds *known, bool making)
{
	KgEdgeEnd *ends = palloc0(2 * n * sizeof(KgEdgeEnd));

	for (int i = 0; i < n; i++)
	{
		const KgGivenEdge *edge = &edges[i];

		if (edge->relation == NULL)
			continue;
		kg_edge_end_read(
			catalog, edge->relation, edge->from, true, &ends[2 * i]);
		kg_edge_end_read(
			catalog, edge->relation, edge->to, false, &ends[2 * i + 1]);
	}
	/* Most edges connect entities of the payload, whose nodes are known. */
	if (payload)
		kg_payload_nodes(payload, ends, 2 * n);
	find_ends(catalog->tenant, ends, 2 * n, known);
	kg_edges_turn(catalog->tenant, edges, ends, n, making);
	return ends;
}

KgEdgeEnd *
kg_given_ends_now(const KgCatalog *catalog, const KgGivenEdge *edges, int n)
{
	KgKnownEnds *known = kg_known_ends_make();
	KgEdgeEnd *ends = kg_given_ends(catalog, edges, n, NULL, known, false);

	kg_known_ends_free(known);
	return ends;
}

KgError *
kg_no_end_error(const KgRelation *relation, const char *end)
{
	return KG_ERROR(
		KG_REFERENCE_MISSING,
		.message = psprintf(
			"edge of relation \"%s\" names an entity that does not exist",
			relation->name),
		.got_string = end,
		.expected = "the handle (type:id) of an existing entity");
}

KgError *
kg_edge_twice_error(const KgGivenEdge *edge, const char *where)
{
	const KgRelation *relation = edge->relation;
	return KG_ERROR(KG_ALREADY_EXISTS,
					.message = psprintf("edge is %s twice", where),
					.got_string = psprintf(
						"%s %s %s", edge->from, relation->name, edge->to),
					.expected = psprintf(
						"each %s once%s%s",
						relation->symmetric
							? "pair of entities"
							: "combination of relation, from and to",
						relation->key ? " for each key" : "",
						relation->symmetric ? ", in either direction" : ""));
}
