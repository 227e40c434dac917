/*
 * memory_read.c
 *	  The tools of the toolset memory that read, within a reply's budget.
 *
 * A reply is made of units: an entity, then the relations that have no end
 * further on.  What there is no room for is left out from the last unit back.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "query/arguments.h"
#include "query/memory.h"
#include "store/scope.h"
#include "tools/memory.h"
#include "tools/reply.h"

/* Entities read at a time, and counted at most. */
#define KG_MEMORY_CHUNK 256
#define KG_MEMORY_COUNTED 10000

typedef struct Reading
{
	KgMemory memory;
	KgRepairs repairs;
	KgInput input;
	KgDraft draft;
	KgRemembrance found;
	Size size; /* of what was found, about */
	bool more;
	int64 untried;
	bool untold; /* there may be more than that */
	int nrelations;
	KgRelated *relations;
	int *unit; /* of each relation: the entity with which it is told */
} Reading;

static void
begin(Reading *reading, const char *tool, const Jsonb *arguments)
{
	memset(reading, 0, sizeof(*reading));
	kg_input_open(
		&reading->input, arguments, kg_memory_input(tool), &reading->repairs);
	kg_draft_init(
		&reading->draft, &reading->input, kg_input_max_bytes(&reading->input));
	if (!kg_memory_find(kg_catalog_of_caller(), &reading->memory))
		elog(ERROR, "bundle \"%s\" is gone", KG_MEMORY_BUNDLE);
	kg_scope_require_derived(reading->memory.catalog->tenant, NULL);
	kg_scope_require_edges(reading->memory.catalog->tenant);
}

static Size
entity_size(const KgRemembered *entity)
{
	Size size = strlen(
					"{\"name\": , \"entityType\": , \"observations\": []}, ") +
				kg_string_text_size(entity->name, strlen(entity->name)) +
				kg_string_text_size(entity->type, strlen(entity->type));

	for (int i = 0; i < entity->n; i++)
		size += strlen(", ") +
				kg_string_text_size(entity->observations[i],
									strlen(entity->observations[i]));
	return size;
}

/* Of those that were found, from one on. */
static void
add_sizes(Reading *reading, int first)
{
	for (int i = first; i < reading->found.n; i++)
		reading->size += entity_size(&reading->found.entities[i]);
}

static bool
has_room(const Reading *reading)
{
	return reading->size <= (Size) reading->draft.max_bytes;
}

/* By name, one after another, until there is no more room. */
static void
scan(Reading *reading)
{
	KgRemembrance *found = &reading->found;
	const char *last = "";

	for (;;)
	{
		int first = found->n;

		kg_memory_after(&reading->memory, last, KG_MEMORY_CHUNK, found);
		if (found->n == first)
			return;
		last = found->entities[found->n - 1].name;
		reading->more = found->n - first == KG_MEMORY_CHUNK;
		add_sizes(reading, first);
		if (!reading->more)
			return;
		if (!has_room(reading))
			break;
	}
	reading->untried = kg_memory_count_after(
		&reading->memory, last, KG_MEMORY_COUNTED);
	reading->more = reading->untried > 0;
	reading->untold = reading->untried == KG_MEMORY_COUNTED;
}

/* Those of names, a chunk at a time. */
static void
look(Reading *reading, const char *const *names, int n)
{
	int i = 0;

	for (; i < n && has_room(reading); i += KG_MEMORY_CHUNK)
	{
		int first = reading->found.n;

		kg_memory_by_names(&reading->memory,
						   names + i,
						   Min(KG_MEMORY_CHUNK, n - i),
						   &reading->found);
		add_sizes(reading, first);
	}
	reading->more |= i < n;
	reading->untried += Max(0, n - i);
}

static int
compare_found(const void *a, const void *b)
{
	return strcmp(((const KgRemembered *) a)->name,
				  ((const KgRemembered *) b)->name);
}

/* As many more as there is room for, as far as those that there are tell. */
static int
missing(const Reading *reading)
{
	double each = (double) reading->size / Max(1, reading->found.n);

	if (reading->found.n == 0)
		return KG_MEMORY_CHUNK;
	return Max(KG_MEMORY_CHUNK / 4,
			   (int) ((reading->draft.max_bytes - reading->size) / each) + 1);
}

static void
look_for(Reading *reading, KgMemorySearch *search)
{
	bool more = true;

	while (more && has_room(reading))
	{
		const char **names;
		int n;

		more = kg_memory_candidates(search, missing(reading), &names, &n);
		look(reading, names, n);
	}
	reading->more |= more;
	reading->untold = more;
	qsort(reading->found.entities,
		  reading->found.n,
		  sizeof(KgRemembered),
		  compare_found);
}

/* ---- the reply ---- */

typedef struct Place
{
	int64 node;
	int at;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *x = a;
	const Place *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static int
place_of(const Place *places, int n, int64 node)
{
	Place wanted = {node};
	const Place *found = bsearch(
		&wanted, places, n, sizeof(Place), compare_places);

	return found ? found->at : -1;
}

static void
find_units(Reading *reading)
{
	int n = reading->found.n;
	Place *places = palloc(Max(1, n) * sizeof(Place));

	for (int i = 0; i < n; i++)
		places[i] = (Place){reading->found.entities[i].node, i};
	qsort(places, n, sizeof(Place), compare_places);
	reading->unit = palloc(Max(1, reading->nrelations) * sizeof(int));
	for (int i = 0; i < reading->nrelations; i++)
		reading->unit[i] = Max(
			place_of(places, n, reading->relations[i].source),
			place_of(places, n, reading->relations[i].target));
}

static void
measure(void *items, Size *whole, Size *stub, Size *extra)
{
	const Reading *reading = items;

	for (int i = 0; i < reading->found.n; i++)
		whole[i] = reading->found.entities[i].stub
					   ? 0
					   : entity_size(&reading->found.entities[i]);
	for (int i = 0; i < reading->nrelations; i++)
	{
		const KgRelated *related = &reading->relations[i];

		whole[reading->unit[i]] +=
			strlen("{\"from\": , \"to\": , \"relationType\": }, ") +
			kg_string_text_size(related->from, strlen(related->from)) +
			kg_string_text_size(related->to, strlen(related->to)) +
			kg_string_text_size(related->type, strlen(related->type));
	}
	for (int i = 0; i < reading->found.n; i++)
		stub[i] = whole[i];
}

static void
write_entity(const KgRemembered *entity, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", entity->name);
	kg_jw_kstring(w, "entityType", entity->type);
	kg_jw_kstrings(
		w, "observations", (char *const *) entity->observations, entity->n);
	kg_jw_end_object(w);
}

static void
write_relation(const KgRelated *related, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "from", related->from);
	kg_jw_kstring(w, "to", related->to);
	kg_jw_kstring(w, "relationType", related->type);
	kg_jw_end_object(w);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Reading *reading = state;

	kg_jw_key(w, "entities");
	kg_jw_begin_array(w);
	for (int i = 0; i < fit->listed; i++)
		if (!reading->found.entities[i].stub)
			write_entity(&reading->found.entities[i], w);
	kg_jw_end_array(w);
	kg_jw_key(w, "relations");
	kg_jw_begin_array(w);
	for (int i = 0; i < reading->nrelations; i++)
		if (reading->unit[i] < fit->listed)
			write_relation(&reading->relations[i], w);
	kg_jw_end_array(w);
}

static Jsonb *
finish(Reading *reading)
{
	KgDraft *draft = &reading->draft;

	reading->relations = kg_memory_relations(
		&reading->memory, &reading->found, &reading->nrelations);
	find_units(reading);
	draft->n = reading->found.n;
	draft->untried = reading->untried;
	draft->untried_at_least = reading->untold;
	draft->rough = reading->size + (Size) reading->nrelations * 100;
	draft->measure = measure;
	draft->terse = true;
	draft->more = reading->more;
	draft->items = reading;
	draft->write = write_reply;
	draft->state = reading;
	return kg_draft_finish(draft);
}

Jsonb *
kg_tool_read_graph(const Jsonb *arguments)
{
	Reading reading;

	begin(&reading, "read_graph", arguments);
	scan(&reading);
	return finish(&reading);
}

Jsonb *
kg_memory_graph(void)
{
	return kg_tool_read_graph(kg_json_parse("{}"));
}

Jsonb *
kg_tool_search_nodes(const Jsonb *arguments)
{
	Reading reading;
	JsonbValue query;

	begin(&reading, "search_nodes", arguments);
	kg_input_require(&reading.input, "query");
	(void) kg_input_value(&reading.input, "query", &query);
	if (query.type != jbvString)
		kg_error_throw(kg_args_error("/query", &query, "a string"));
	look_for(&reading,
			 kg_memory_search(&reading.memory, kg_json_cstring(&query)));
	return finish(&reading);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

Jsonb *
kg_tool_open_nodes(const Jsonb *arguments)
{
	Reading reading;
	const char **names;
	int n;
	int kept = 0;

	begin(&reading, "open_nodes", arguments);
	names = kg_memory_strings(&reading.input, "names", &n);
	qsort(names, n, sizeof(char *), compare_texts);
	for (int i = 0; i < n; i++)
		if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	look(&reading, names, kept);
	return finish(&reading);
}
