/*
 * duplicates.c
 *	  Pairs of entities of a type that may be the same.
 *
 * The similarity of two names is the similarity of their sets of trigrams.
 * Trigrams are made of each word with two blanks before and one blank after it.
 * The score of a pair is the probability that at least one piece of evidence is
 * right. The pieces of evidence count as independent, and each has a weight.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "query/duplicates/duplicates.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"
#include "query/sql.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#define NAME_WEIGHT 0.7
#define VALUE_WEIGHT 0.6
#define NEIGHBOR_WEIGHT 0.4
/*
 * Minimum similarity of the sets of neighbours of two candidates, and minimum
 * number of neighbours of a candidate.
 */
#define NEIGHBOR_SIMILARITY 0.5
#define LEAST_NEIGHBORS 2
/* A value that more than this number of entities have is not evidence. */
#define MOST_SHARERS 10

/* ---- entities ---- */

typedef struct Adding
{
	KgDuplicates *d;
	const KgField *field; /* NULL: names */
} Adding;

static void
add_text(const JsonbValue *value, void *arg)
{
	Adding *adding = arg;
	KgDuplicates *d = adding->d;
	KgSameText **list = adding->field == NULL ? &d->names : &d->values;
	int *n = adding->field == NULL ? &d->nnames : &d->nvalues;
	char *text;

	if (value->type != jbvString || value->val.string.len == 0)
		return;
	text = adding->field == NULL
			   ? kg_term_fold(value->val.string.val, value->val.string.len)
			   : kg_json_cstring(value);
	if (*n == 0)
		*list = palloc(sizeof(KgSameText));
	else if ((*n & (*n - 1)) == 0)
		*list = repalloc_huge(*list, (Size) *n * 2 * sizeof(KgSameText));
	(*list)[(*n)++] = (KgSameText){(int) d->n, adding->field, text};
}

/*
 * Returns whether equal values of a property are evidence that two entities are
 * the same. This is so for an indexed string that is not an enum, a reference,
 * the id, the label, an alias or the scope.
 */
static bool
is_evidence(const KgType *type, const KgField *field)
{
	for (int i = 0; i < type->naliases; i++)
		if (type->alias_fields[i] == field)
			return false;
	return field->indexed && field->kind == KG_KIND_STRING &&
		   field->nenum == 0 && field->ref_type == NULL &&
		   field != type->id_field && field != type->label_field &&
		   field != type->scope_field;
}

static void
add_texts(KgDuplicates *d, const Jsonb *data)
{
	const KgType *type = d->type;
	Adding adding = {d, NULL};

	if (type->label_field != NULL)
		kg_field_visit(type->label_field, &data->root, add_text, &adding);
	for (int i = 0; i < type->naliases; i++)
		kg_field_visit(type->alias_fields[i], &data->root, add_text, &adding);
	for (int i = 0; i < type->nfields; i++)
	{
		adding.field = &type->fields[i];
		if (is_evidence(type, adding.field))
			kg_field_visit(adding.field, &data->root, add_text, &adding);
	}
}

static bool
take_entity(TupleTableSlot *slot, void *arg)
{
	KgDuplicates *d = arg;
	MemoryContext old;
	const Jsonb *data;
	KgSameEntity *entity;
	JsonbValue label;

	kg_graph_check_visited(d->graph, d->n + 1);
	slot_getallattrs(slot);
	data = DatumGetJsonbP(slot->tts_values[2]);
	old = MemoryContextSwitchTo(d->graph->context);
	if (d->n == d->capacity)
	{
		d->capacity = Max(1024, d->capacity * 2);
		d->entities = d->entities == NULL
						  ? palloc(d->capacity * sizeof(KgSameEntity))
						  : repalloc_huge(d->entities,
										  (Size) d->capacity *
											  sizeof(KgSameEntity));
	}
	entity = &d->entities[d->n];
	memset(entity, 0, sizeof(*entity));
	entity->node = DatumGetInt64(slot->tts_values[0]);
	entity->id = TextDatumGetCString(slot->tts_values[1]);
	if (d->type->label_field != NULL &&
		kg_field_value(d->type->label_field, &data->root, &label))
		entity->label = kg_json_cstring(&label);
	add_texts(d, data);
	d->n++;
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(d->graph);
	return true;
}

static void
read_entities(KgDuplicates *d)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, d->graph->catalog);
	kg_sql_append(&b,
				  "SELECT x.node, x.entity_id, x.data FROM %s x "
				  "WHERE x.tenant = $1 AND x.bundle = $%d",
				  kg_sql_table("kg_entity"),
				  kg_sql_param_text(&b, d->type->bundle));
	kg_sql_append(&b,
				  " AND x.entity_type = $%d ORDER BY x.entity_id",
				  kg_sql_param_text(&b, d->type->name));
	statement = kg_sql_statement(&b);
	(void) kg_plan_run(&statement, take_entity, d);
}

/* ---- pairs ---- */

/*
 * Returns the pair of the entities with the indexes a and b, in either order.
 * Creates the pair if it does not exist.
 */
static KgSamePair *
pair_of(KgDuplicates *d, int a, int b)
{
	int key[2] = {Min(a, b), Max(a, b)};
	KgSamePair *pair;
	bool found;

	pair = hash_search(d->found, key, HASH_ENTER, &found);
	if (!found)
		memset((char *) pair + sizeof(key), 0, sizeof(*pair) - sizeof(key));
	return pair;
}

static void
count_compared(void *arg)
{
	KgDuplicates *d = arg;

	if (d->compared >= (uint64) kg_setting_max_edges)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf("more than %d pairs must be compared "
									 "(kg_graph.max_edges)",
									 kg_setting_max_edges),
				 .path = d->path,
				 .expected = d->expected);
	kg_plan_count(&d->compared, 1);
	if ((d->compared & 0xFFFF) == 0)
		kg_graph_check_memory(d->graph);
}

/* ---- names ---- */

static void
sort_set(KgNumberSet *set)
{
	if (set->n > 0)
		set->n = (int) kg_graph_sort_nodes(set->numbers, (uint32) set->n);
}

/* Returns the trigrams of the words of a folded name, as numbers. */
static KgNumberSet
trigrams(const char *name)
{
	KgNumberSet set = {0, palloc((strlen(name) * 2 + 2) * sizeof(int64))};
	char **tokens;
	int n = kg_term_tokens(name, &tokens);

	for (int i = 0; i < n; i++)
	{
		int len = strlen(tokens[i]);
		pg_wchar *chars = palloc((len + 4) * sizeof(pg_wchar));
		int nchars;

		chars[0] = chars[1] = ' ';
		nchars = pg_mb2wchar_with_len(tokens[i], chars + 2, len) + 2;
		chars[nchars++] = ' ';
		for (int k = 0; k + 2 < nchars; k++)
			set.numbers[set.n++] = (int64) chars[k] << 42 |
								   (int64) chars[k + 1] << 21 | chars[k + 2];
		pfree(chars);
	}
	sort_set(&set);
	return set;
}

static void
similar_names(int i, int j, double similarity, void *arg)
{
	KgDuplicates *d = arg;
	const KgSameText *a = &d->names[i];
	const KgSameText *b = &d->names[j];
	KgSamePair *pair;

	if (a->entity == b->entity)
		return;
	pair = pair_of(d, a->entity, b->entity);
	if (similarity <= pair->name)
		return;
	pair->name = similarity;
	pair->names[a->entity > b->entity] = a;
	pair->names[a->entity < b->entity] = b;
}

static void
compare_names(KgDuplicates *d)
{
	KgNumberSet *sets = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, d->nnames) * sizeof(KgNumberSet));

	for (int i = 0; i < d->nnames; i++)
	{
		sets[i] = trigrams(d->names[i].text);
		kg_plan_count(&d->done, 1);
	}
	kg_graph_check_memory(d->graph);
	d->path = "/min_similarity";
	d->expected = "a higher similarity, or a higher value of the setting";
	kg_similar_sets(sets,
					d->nnames,
					1,
					d->min_similarity,
					count_compared,
					similar_names,
					d);
}

/* ---- values ---- */

static int
compare_values(const void *pa, const void *pb, void *arg)
{
	const KgSameText *a = pa;
	const KgSameText *b = pb;
	int order;

	if (a->field != b->field)
		return a->field < b->field ? -1 : 1;
	order = strcmp(a->text, b->text);
	return order != 0 ? order : a->entity - b->entity;
}

/*
 * Adds a value that n entities share to every pair of these entities. The
 * entities are in ascending order.
 */
static void
share_value(KgDuplicates *d, const KgSameText *values, int n)
{
	const KgSameText *of[MOST_SHARERS];
	int sharers = 0;

	for (int i = 0; i < n; i++)
	{
		if (i > 0 && values[i].entity == values[i - 1].entity)
			continue;
		if (sharers == MOST_SHARERS)
			return;
		of[sharers++] = &values[i];
	}
	for (int i = 0; i < sharers; i++)
		for (int j = i + 1; j < sharers; j++)
		{
			KgSamePair *pair = pair_of(d, of[i]->entity, of[j]->entity);
			KgSameValue *value = palloc(sizeof(KgSameValue));
			KgSameValue **last = &pair->values;

			while (*last != NULL)
				last = &(*last)->next;
			*value = (KgSameValue){of[i], sharers, NULL};
			*last = value;
		}
}

static void
compare_properties(KgDuplicates *d)
{
	if (d->nvalues > 0)
		qsort_interruptible(
			d->values, d->nvalues, sizeof(KgSameText), compare_values, NULL);
	for (int i = 0, next; i < d->nvalues; i = next)
	{
		for (next = i + 1;
			 next < d->nvalues && d->values[next].field == d->values[i].field &&
			 strcmp(d->values[next].text, d->values[i].text) == 0;
			 next++)
			;
		share_value(d, &d->values[i], next - i);
		kg_plan_count(&d->done, next - i);
	}
}

/* ---- neighbours ---- */

typedef struct Adjacent
{
	int64 node;
	int64 neighbor;
} Adjacent;

typedef struct Reading
{
	KgDuplicates *d;
	Adjacent *edges;
	uint64 n;
	uint64 capacity;
	KgNodeSet set; /* set of the entity's neighbours */
} Reading;

static void
found_neighbors(const KgNeighbors *found, void *arg)
{
	Reading *r = arg;

	if (r->n + found->n > r->capacity)
	{
		Size size = (r->capacity = (r->n + found->n) * 2) * sizeof(Adjacent);

		r->edges = r->edges == NULL
					   ? MemoryContextAllocHuge(r->d->graph->context, size)
					   : repalloc_huge(r->edges, size);
		kg_graph_check_memory(r->d->graph);
	}
	for (int i = 0; i < found->n; i++)
	{
		if (found->neighbors[i] == found->node)
			continue;
		r->edges[r->n++] = (Adjacent){found->node, found->neighbors[i]};
		(void) kg_nodeset_add(&r->set, found->neighbors[i]);
	}
}

static int
compare_adjacent(const void *pa, const void *pb, void *arg)
{
	const Adjacent *a = pa;
	const Adjacent *b = pb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->neighbor < b->neighbor ? -1 : a->neighbor > b->neighbor;
}

/* Sets the visible neighbours of each entity. */
static void
read_neighbors(KgDuplicates *d)
{
	Reading r = {d};
	int64 *nodes = MemoryContextAllocHuge(d->graph->context,
										  Max(1, d->n) * sizeof(int64));
	uint16 *ranks;

	kg_nodeset_init(&r.set, d->graph->context);
	for (uint32 i = 0; i < d->n; i++)
		nodes[i] = d->entities[i].node;
	kg_graph_expand(d->graph, d->follow, nodes, d->n, found_neighbors, &r);
	if (r.n == 0)
		return;
	ranks = MemoryContextAllocHuge(d->graph->context, r.set.n * sizeof(uint16));
	kg_graph_types(d->graph, r.set.nodes, r.set.n, ranks);
	qsort_interruptible(r.edges, r.n, sizeof(Adjacent), compare_adjacent, NULL);
	for (uint32 i = 0; i < d->n; i++)
	{
		KgNumberSet *set = &d->entities[i].neighbors;
		uint64 low = 0;
		uint64 high = r.n;

		while (low < high)
		{
			uint64 middle = low + (high - low) / 2;

			if (r.edges[middle].node < d->entities[i].node)
				low = middle + 1;
			else
				high = middle;
		}
		for (high = low;
			 high < r.n && r.edges[high].node == d->entities[i].node;)
			high++;
		set->numbers = palloc((high - low + 1) * sizeof(int64));
		for (uint64 k = low; k < high; k++)
			if (ranks[kg_nodeset_find(&r.set, r.edges[k].neighbor)] != 0)
				set->numbers[set->n++] = r.edges[k].neighbor;
		sort_set(set);
		kg_plan_count(&d->done, high - low + 1);
	}
	kg_graph_check_memory(d->graph);
}

static void
similar_neighbors(int i, int j, double similarity, void *arg)
{
	(void) pair_of(arg, i, j);
}

static void
compare_neighbors(KgDuplicates *d)
{
	KgNumberSet *sets = MemoryContextAllocHuge(
		d->graph->context, (Size) Max(1, d->n) * sizeof(KgNumberSet));

	read_neighbors(d);
	for (uint32 i = 0; i < d->n; i++)
		sets[i] = d->entities[i].neighbors;
	d->path = "/relations";
	d->expected = "relations with fewer common neighbors, or a higher value of "
				  "the setting";
	kg_similar_sets(sets,
					(int) d->n,
					LEAST_NEIGHBORS,
					NEIGHBOR_SIMILARITY,
					count_compared,
					similar_neighbors,
					d);
}

/* ---- scores ---- */

static void
rate(const KgDuplicates *d, KgSamePair *pair)
{
	const KgNumberSet *a = &d->entities[pair->entities[0]].neighbors;
	const KgNumberSet *b = &d->entities[pair->entities[1]].neighbors;
	double wrong = 1 - NAME_WEIGHT * pair->name;

	pair->common = kg_set_common(a, b);
	if (pair->common > 0)
		pair->neighbors = (double) pair->common / (a->n + b->n - pair->common);
	for (const KgSameValue *v = pair->values; v != NULL; v = v->next)
		wrong *= 1 - VALUE_WEIGHT / (v->sharers - 1);
	pair->score = 1 - wrong * (1 - NEIGHBOR_WEIGHT * pair->neighbors);
}

static int
compare_pairs(const void *pa, const void *pb, void *arg)
{
	const KgSamePair *a = *(KgSamePair *const *) pa;
	const KgSamePair *b = *(KgSamePair *const *) pb;

	/*
	 * Equal evidence in another order may differ by rounding, so nearly equal
	 * scores count as equal.
	 */
	if (a->score - b->score > 1e-9 || b->score - a->score > 1e-9)
		return a->score > b->score ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (a->entities[i] != b->entities[i])
			return a->entities[i] - b->entities[i];
	return 0;
}

static int
compare_ids(const void *id, const void *entity)
{
	return strcmp(id, ((const KgSameEntity *) entity)->id);
}

/*
 * Returns an array with true for each entity whose pairs are wanted, or NULL if
 * all pairs are wanted.
 */
static bool *
wanted_entities(const KgDuplicates *d)
{
	bool *wanted;

	if (d->nids == 0)
		return NULL;
	wanted = palloc0(Max(1, d->n) * sizeof(bool));
	for (int i = 0; i < d->nids && d->n > 0; i++)
	{
		const KgSameEntity *entity = bsearch(
			d->ids[i], d->entities, d->n, sizeof(KgSameEntity), compare_ids);

		if (entity != NULL)
			wanted[entity - d->entities] = true;
	}
	return wanted;
}

void
kg_duplicates_find(KgDuplicates *d)
{
	MemoryContext old = MemoryContextSwitchTo(d->graph->context);
	HASHCTL ctl;
	HASH_SEQ_STATUS status;
	KgSamePair *pair;
	const bool *wanted;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = 2 * sizeof(int);
	ctl.entrysize = sizeof(KgSamePair);
	ctl.hcxt = d->graph->context;
	d->found = hash_create("kg_graph duplicates",
						   1024,
						   &ctl,
						   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	read_entities(d);
	compare_names(d);
	compare_properties(d);
	compare_neighbors(d);
	d->pairs = MemoryContextAllocHuge(d->graph->context,
									  (hash_get_num_entries(d->found) + 1) *
										  sizeof(KgSamePair *));
	wanted = wanted_entities(d);
	hash_seq_init(&status, d->found);
	while ((pair = hash_seq_search(&status)) != NULL)
	{
		kg_plan_count(&d->done, 1);
		if (wanted != NULL && !wanted[pair->entities[0]] &&
			!wanted[pair->entities[1]])
			continue;
		rate(d, pair);
		if (pair->score >= d->min_score - 1e-9)
			d->pairs[d->npairs++] = pair;
	}
	qsort_interruptible(
		d->pairs, d->npairs, sizeof(KgSamePair *), compare_pairs, NULL);
	MemoryContextSwitchTo(old);
}
