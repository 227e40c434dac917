/*
 * verify/judge.c
 *	  Verdicts on claims about entities, properties, edges, paths and names,
 *	  based on the rows that verify/look.c found.
 */
#include "postgres.h"

#include "model/term.h"
#include "tools/bfs/call.h"
#include "tools/verify/verify.h"

/* Maximum number of handles that are reported if a name or id is ambiguous. */
#define KG_TOLD_HANDLES 20

Jsonb *
kg_claim_correction(const char *key, const JsonbValue *value)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_key(&w, key);
	kg_jw_value(&w, value);
	return kg_jw_finish(&w);
}

Jsonb *
kg_claim_edge(const char *type, const char *from, const char *to,
			  const Jsonb *properties)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", type);
	kg_jw_kstring(&w, "from", from);
	kg_jw_kstring(&w, "to", to);
	kg_jw_kjsonb_if(&w, "properties", properties);
	return kg_jw_finish(&w);
}

static void
add_handle(KgVerify *v, KgClaim *claim, const KgRef *ref)
{
	if (list_length(claim->handles) < KG_TOLD_HANDLES ||
		claim->kind == KG_CLAIM_PATH)
		claim->handles = lappend(claim->handles, kg_handle(v->call.graph, ref));
}

/* ---- mentions: the handles in a claim ---- */

static int
compare_refs(const ListCell *a, const ListCell *b)
{
	return kg_ref_compare(lfirst(a), lfirst(b));
}

static void
judge_ambiguous(KgVerify *v, KgClaim *claim, List *refs)
{
	ListCell *lc;

	list_sort(refs, compare_refs);
	kg_claim_judge(claim, KG_AMBIGUOUS, NULL);
	foreach(lc, refs)
		add_handle(v, claim, lfirst(lc));
}

/*
 * Returns whether a handle has the form "type:id", but no type has that name.
 * To be called only if no entity has the whole text as its id.
 */
static bool
names_no_type(const KgVerify *v, const KgMention *mention)
{
	const char *colon = strchr(mention->given, ':');
	uint16 *ranks = palloc((v->call.graph->nranks + 1) * sizeof(uint16));

	if (colon == NULL || colon == mention->given ||
		kg_claim_types(v, mention, ranks) > 0)
		return false;
	for (const char *p = mention->given; p < colon; p++)
		if (!(*p == '_' || *p == '/' || *p == '-' || (*p >= '0' && *p <= '9') ||
			  (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
			return false;
	return true;
}

static char *
mention_path(const KgClaim *claim, int hop)
{
	switch (claim->kind)
	{
		case KG_CLAIM_PATH:
			return kg_path_index(kg_input_path(&claim->in, "path"), hop * 2);
		case KG_CLAIM_EDGE:
		case KG_CLAIM_REACH:
			return kg_input_path(&claim->in, hop == 0 ? "from" : "to");
		case KG_CLAIM_ENTITY:
		case KG_CLAIM_PROPERTY:
		case KG_CLAIM_COUNT:
		case KG_CLAIM_NONE:
		case KG_CLAIM_NAME:
			break;
	}
	return kg_input_path(&claim->in, "entity");
}

static void
check_type_named(KgVerify *v, KgClaim *claim)
{
	for (int hop = 0; hop < claim->nmentions; hop++)
	{
		const KgMention *mention = &v->mentions[claim->first + hop];

		if (mention->ref.id != NULL || !names_no_type(v, mention))
			continue;
		claim->rest = strchr(mention->given, ':');
		(void) kg_catalog_require_type(
			v->call.catalog,
			pnstrdup(mention->given, claim->rest - mention->given),
			mention_path(claim, hop));
	}
}

/*
 * Checks that each mention (handle) of a claim names exactly one entity, and
 * adds these entities to the evidence. If a mention names no entity or several
 * entities, sets the verdict.
 */
static void
judge_mentions(KgVerify *v, KgClaim *claim)
{
	bool missing = false;

	for (int hop = 0; hop < claim->nmentions; hop++)
		missing |= v->mentions[claim->first + hop].ref.id == NULL;
	if (missing)
	{
		kg_claim_try(v, claim, false, check_type_named);
		kg_claim_judge(claim, KG_NOT_THERE, "no_entity");
		return;
	}
	for (int hop = 0; hop < claim->nmentions && !claim->judged; hop++)
	{
		KgMention *mention = &v->mentions[claim->first + hop];

		if (mention->others != NIL)
			judge_ambiguous(
				v, claim, lcons(&mention->ref, list_copy(mention->others)));
	}
	if (claim->judged)
		return;
	for (int hop = 0; hop < claim->nmentions; hop++)
		add_handle(v, claim, &v->mentions[claim->first + hop].ref);
	if (claim->version != 0)
		claim->stale = v->mentions[claim->first].version != claim->version;
}

/* ---- properties ---- */

typedef struct Values
{
	const KgClaim *claim;
	int n;
	JsonbValue first;
	bool match;
} Values;

static void
visit_value(const JsonbValue *value, void *arg)
{
	Values *values = arg;
	const KgClaim *claim = values->claim;

	if (value->type == jbvNull)
		return;
	if (values->n++ == 0)
		values->first = *value;
	if (value->type != jbvString || claim->filter != NULL)
		return;
	if (claim->text != NULL)
		values->match |= strcmp(kg_text_fold(value->val.string.val,
											 value->val.string.len),
								claim->text) == 0;
	else
		values->match |= value->val.string.len == claim->is.val.string.len &&
						 memcmp(value->val.string.val,
								claim->is.val.string.val,
								value->val.string.len) == 0;
}

/*
 * Returns whether the entity fulfils the claimed condition. If it does not,
 * sets *refuted to whether the operator is negative or "is_null". With such an
 * operator, the claim is contradicted even if the value is an array. With
 * another operator, an array only lacks the claimed value.
 */
static bool
holds(const KgClaim *claim, const JsonbContainer *data, bool *refuted)
{
	*refuted = false;
	for (int i = 0; i < claim->filter->nconditions; i++)
	{
		const KgCondition *condition = &claim->filter->conditions[i];
		const KgOperator *op = kg_operator(condition->op);

		if (!kg_condition_matches(condition, data))
		{
			*refuted = op->quantity == KG_NO || op->bound == KG_BOUND_MISSING;
			return false;
		}
	}
	return true;
}

/*
 * Returns {"value": the stored value}. If the property is in an array, the
 * value is the whole array. Returns NULL if there is no value.
 */
static Jsonb *
real_value(const KgField *field, const JsonbContainer *data)
{
	const JsonbContainer *at = data;
	JsonbValue value;

	value.type = jbvNull;
	for (int i = 0; i < field->nsteps && field->steps[i].key != NULL; i++)
	{
		if (at == NULL || !JsonContainerIsObject(at) ||
			kg_json_get(at, field->steps[i].key, &value) == NULL)
			return NULL;
		at = kg_json_container(&value);
	}
	return kg_claim_correction("value", &value);
}

static void
analyse_found(KgVerify *v, KgClaim *claim)
{
	const KgRef *ref = &v->mentions[claim->first].ref;

	kg_claim_analyse(v, claim, kg_graph_type(v->call.graph, ref->rank - 1));
}

static void
judge_property(KgVerify *v, KgClaim *claim)
{
	const KgRef *ref = &v->mentions[claim->first].ref;
	const KgRef *row = &v->rows[kg_nodeset_find(&v->set, ref->node)];
	Values values = {claim};
	bool refuted = false;
	bool match;

	/* The entity may have been deleted after the look-up. */
	if (row->data == NULL)
	{
		claim->handles = NIL;
		kg_claim_judge(claim, KG_NOT_THERE, "no_entity");
		return;
	}
	if (claim->field == NULL)
		kg_claim_try(v, claim, false, analyse_found);
	if (claim->judged)
		return;
	kg_field_visit(claim->field, &row->data->root, visit_value, &values);
	match = claim->filter != NULL ? holds(claim, &row->data->root, &refuted)
								  : values.match;
	if (match)
	{
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
		return;
	}
	if (values.n == 0 || (claim->field->is_array && !refuted))
	{
		kg_claim_judge(claim, KG_NOT_THERE, "no_value");
		return;
	}
	kg_claim_judge(claim, KG_CONTRADICTED, "value");
	claim->correction = real_value(claim->field, &row->data->root);
	claim->corrected = list_make1((void *) claim->field);
}

/* ---- edges ---- */

static const Jsonb *
stored_edge(const KgVerify *v, const KgTriple *triple, const Jsonb *properties)
{
	const KgGraph *graph = v->call.graph;

	return kg_claim_edge(triple->relation->name,
						 kg_handle(graph, &v->mentions[triple->from].ref),
						 kg_handle(graph, &v->mentions[triple->to].ref),
						 properties);
}

static bool
properties_match(const KgVerify *v, const KgClaim *claim,
				 const KgTriple *triple, const Jsonb *properties)
{
	const KgFilter *filter;

	if (claim->edge_filters == NULL)
		return true;
	filter = claim->edge_filters[triple->relation - v->call.catalog->relations];
	if (properties == NULL)
		properties = kg_json_parse("{}");
	return filter != NULL && kg_filter_matches(filter, &properties->root);
}

/* Sets the correction of the claim to {"edges": [...]}. */
static void
correct_edges(KgClaim *claim, List *edges)
{
	ListCell *lc;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "edges");
	foreach(lc, edges)
		kg_jw_jsonb(&w, lfirst(lc));
	kg_jw_end_array(&w);
	claim->correction = kg_jw_finish(&w);
}

/*
 * The stored edges for one hop of a claim: edges as claimed, edges with other
 * properties, and edges in the opposite direction.
 */
typedef struct Hop
{
	List *right;
	List *other;
	List *reversed;
} Hop;

static void
sort_edge(const KgVerify *v, KgClaim *claim, const KgTriple *triple,
		  const Jsonb *properties, Hop *hop)
{
	bool right = properties_match(v, claim, triple, properties);
	bool tell = claim->edge_filters != NULL && !triple->reversed;
	const Jsonb *edge = stored_edge(v, triple, tell ? properties : NULL);

	if (triple->reversed)
		hop->reversed = lappend(hop->reversed, (void *) edge);
	else if (right)
		hop->right = lappend(hop->right, (void *) edge);
	else
	{
		hop->other = lappend(hop->other, (void *) edge);
		for (int i = 0; i < triple->relation->nfields; i++)
			claim->corrected = list_append_unique_ptr(
				claim->corrected, (void *) &triple->relation->fields[i]);
	}
}

static Hop
find_hop(const KgVerify *v, KgClaim *claim, int number)
{
	Hop hop = {NIL, NIL, NIL};
	ListCell *lc;

	for (int t = 0; t < claim->ntriples; t++)
		if (claim->triples[t].hop == number)
			foreach(lc, claim->triples[t].edges)
				sort_edge(v, claim, &claim->triples[t], lfirst(lc), &hop);
	return hop;
}

/*
 * Sets the verdict on the edges of a claim. A path is contradicted if one of
 * its edges is contradicted.
 */
static void
judge_edges(KgVerify *v, KgClaim *claim)
{
	bool missing = false;
	List *refuting = NIL;
	const char *reason = NULL;

	for (int number = 0; number + 1 < claim->nmentions; number++)
	{
		Hop hop = find_hop(v, claim, number);

		if (hop.right != NIL)
		{
			claim->edges = list_concat(claim->edges, hop.right);
			continue;
		}
		missing = true;
		if (hop.other == NIL && hop.reversed == NIL)
			continue;
		reason = hop.other != NIL ? "properties" : "reversed";
		refuting = list_concat(refuting,
							   hop.other != NIL ? hop.other : hop.reversed);
	}
	if (!missing)
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
	else if (refuting == NIL)
		kg_claim_judge(claim, KG_NOT_THERE, "no_edge");
	else
	{
		kg_claim_judge(claim, KG_CONTRADICTED, reason);
		correct_edges(claim, refuting);
	}
}

/* ---- names ---- */

/*
 * Returns whether an entity of the type, or of any type, may be a row of a
 * table of the user.
 */
static bool
may_be_row(const KgVerify *v, const KgType *type)
{
	return type != NULL ? type->binding != NULL
						: kg_catalog_has(v->call.catalog, KG_TRAIT_TABLE);
}

static void
judge_name(KgVerify *v, KgClaim *claim)
{
	if (list_length(claim->named) > 1)
		judge_ambiguous(v, claim, claim->named);
	else if (claim->crowded)
		kg_claim_judge(claim, KG_UNSURE, "too many entities have this name");
	else if (claim->named == NIL && may_be_row(v, claim->type))
		kg_claim_judge(claim,
					   KG_UNSURE,
					   "types that read tables are not searched by name");
	else if (claim->named == NIL)
		kg_claim_judge(claim, KG_NOT_THERE, "no_entity");
	else
	{
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
		add_handle(v, claim, linitial(claim->named));
	}
}

static void
judge_claim(KgVerify *v, KgClaim *claim)
{
	judge_mentions(v, claim);
	if (claim->judged)
		return;
	switch (claim->kind)
	{
		case KG_CLAIM_ENTITY:
			kg_claim_judge(claim, KG_SUPPORTED, NULL);
			break;
		case KG_CLAIM_PROPERTY:
			judge_property(v, claim);
			break;
		case KG_CLAIM_EDGE:
		case KG_CLAIM_PATH:
			judge_edges(v, claim);
			break;
		case KG_CLAIM_NAME:
			judge_name(v, claim);
			break;
		case KG_CLAIM_REACH:
		case KG_CLAIM_COUNT:
		case KG_CLAIM_NONE:
			/* these claims are judged by a call of a tool (verify/calls.c) */
			break;
	}
}

void
kg_claims_judge(KgVerify *v)
{
	int looks = KG_CLAIM_NEAREST;

	for (int i = 0; i < v->n; i++)
		if (!v->claims[i].judged)
			judge_claim(v, &v->claims[i]);
	for (int i = 0; i < v->n && looks > 0; i++)
	{
		KgClaim *claim = &v->claims[i];

		if (claim->verdict != KG_NOT_THERE ||
			(claim->kind != KG_CLAIM_ENTITY && claim->kind != KG_CLAIM_NAME))
			continue;
		claim->nearest = kg_nearest_handle(
							 &v->call,
							 claim->kind == KG_CLAIM_NAME
								 ? claim->name
								 : v->mentions[claim->first].given)
							 .handle;
		looks--;
	}
}
