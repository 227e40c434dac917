/*
 * memory/read.c
 *	  The tools of the toolset memory that read, within the byte budget of a
 *	  reply.
 *
 *	  A reply consists of units. A unit is an entity with its relations,
 *	  except relations whose other end is a later entity of the reply. If not
 *	  everything fits, each unit has a share of the reply, so that a large
 *	  unit does not displace others. Observations and relations beyond a
 *	  unit's share are omitted first, then whole units from the end.
 */
#include "postgres.h"

#include <ctype.h>

#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "query/memory.h"
#include "query/run/running.h"
#include "store/reference/scope.h"
#include "store/reference/unready.h"
#include "tools/fixed_tools.h"
#include "tools/memory/memory.h"
#include "tools/reply/reply.h"

/*
 * Number of entities that are read at once, and maximum number that are
 * counted.
 */
#define KG_MEMORY_CHUNK 256
#define KG_MEMORY_COUNTED 10000

/*
 * If a reply has several units, each may use 1 / KG_MEMORY_SHARES of its
 * bytes.
 */
#define KG_MEMORY_SHARES 4

/* An entity, with the relations that are reported with it. */
typedef struct Unit
{
	/* number of relations that are reported with the entity */
	int related;
	Size size;	/* bytes of the whole unit */
	bool large; /* true: the unit exceeds its share of the reply */
	/* number of observations, from the first, that fit into the share */
	int nobservations;
	/* number of relations, from the first, that fit into the share */
	int nrelations;
	Size kept; /* size in bytes of the parts that fit into the share */
	/* true: only the parts that fit into the share are reported */
	bool cut;
} Unit;

typedef struct Reading
{
	KgMemory memory;
	KgRepairs repairs;
	KgInput input;
	KgDraft draft;
	KgRemembrance found;
	Size size; /* approximate size in bytes of the entities found */
	bool more;
	int64 untried;
	bool untold; /* true: "untried" is a lower bound */
	int nrelations;
	KgRelated *relations;
	int *unit; /* indexed by relation: index of the unit that reports it */
	int *nth;  /* indexed by relation: its index among the unit's relations */
	Unit *units;
	/* number of observations to skip; if > 0, no relations are reported */
	int64 offset;
} Reading;

static void
begin(Reading *reading, const char *tool, const Jsonb *arguments)
{
	memset(reading, 0, sizeof(*reading));
	kg_input_open(&reading->input, arguments, tool, &reading->repairs);
	kg_draft_init(
		&reading->draft, &reading->input, kg_input_max_bytes(&reading->input));
	if (!kg_memory_find(kg_running_catalog(), &reading->memory))
		elog(ERROR, "bundle \"%s\" is gone", KG_MEMORY_BUNDLE);
	kg_scope_require_derived(reading->memory.catalog->tenant, NULL);
	kg_scope_require_edges(reading->memory.catalog->tenant);
}

static Size
text_size(const char *text)
{
	return kg_string_text_size(text, strlen(text));
}

static Size
head_size(const KgRemembered *entity)
{
	return entity->stub
			   ? 0
			   : strlen(
					 "{\"name\": , \"entityType\": , \"observations\": []}, ") +
					 text_size(entity->name) + text_size(entity->type);
}

static Size
observation_size(const char *observation)
{
	return strlen(", ") + text_size(observation);
}

/*
 * Returns the approximate size of the members that report omitted observations.
 */
static Size
mark_size(const KgRemembered *entity)
{
	return strlen(
			   "\"withheld\": 1000000, \"next\": {\"names\": [], \"offset\": "
			   "1000000, \"max_bytes\": 1000000000}, ") +
		   text_size(entity->name);
}

static Size
share(const Reading *reading)
{
	return reading->draft.max_bytes /
		   (reading->found.n > 1 ? KG_MEMORY_SHARES : 2);
}

/*
 * Adds the approximate sizes of the found entities from index "first" on. The
 * size of an entity counts only up to its share of the reply.
 */
static void
add_sizes(Reading *reading, int first)
{
	Size most = reading->draft.max_bytes / KG_MEMORY_SHARES;

	for (int i = first; i < reading->found.n; i++)
	{
		const KgRemembered *entity = &reading->found.entities[i];
		Size size = head_size(entity);

		for (int o = 0; o < entity->n && size < most; o++)
			size += observation_size(entity->observations[o]);
		reading->size += Min(size, most);
	}
}

static bool
has_room(const Reading *reading)
{
	return reading->size <= (Size) reading->draft.max_bytes;
}

/*
 * Reads entities in the order of their names until they would fill the reply.
 */
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

/* Reads the entities with the names, a chunk at a time. */
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

/*
 * Estimates how many more entities would fill the reply. The estimate uses the
 * average size of the entities found.
 */
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

/* ---- search by words ---- */

/*
 * Maximum number of words of a query; minimum number of letters of a word;
 * maximum number of names that one word may find.
 */
#define KG_MEMORY_WORDS 16
#define KG_MEMORY_WORD_LETTERS 3
#define KG_MEMORY_WORD_NAMES 256
/* Maximum number of entities that a search by words returns. */
#define KG_MEMORY_RANKED 20

/*
 * An entity that contains words of the query, with their total weight. Rare
 * words weigh more.
 */
typedef struct Ranked
{
	const char *name;
	double weight;
} Ranked;

static int
compare_ranked_names(const void *a, const void *b)
{
	return strcmp(((const Ranked *) a)->name, ((const Ranked *) b)->name);
}

static int
compare_ranked(const void *a, const void *b)
{
	const Ranked *x = a;
	const Ranked *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Returns the words of a text that have at least KG_MEMORY_WORD_LETTERS
 * letters, at most KG_MEMORY_WORDS.
 */
static char **
words_of(const char *text, int *n)
{
	char **words = palloc(KG_MEMORY_WORDS * sizeof(char *));
	const char *at = text;

	*n = 0;
	while (*at != '\0' && *n < KG_MEMORY_WORDS)
	{
		int len = 0;

		while (at[len] != '\0' &&
			   (IS_HIGHBIT_SET(at[len]) || isalnum((unsigned char) at[len])))
			len++;
		if (pg_mbstrlen_with_len(at, len) >= KG_MEMORY_WORD_LETTERS)
			words[(*n)++] = pnstrdup(at, len);
		at += Max(len, 1);
	}
	return words;
}

/*
 * Merges entries with equal names and adds their weights. Returns the number
 * of names.
 */
static int
merge_ranked(Ranked *ranked, int n)
{
	int kept = 0;

	qsort(ranked, n, sizeof(Ranked), compare_ranked_names);
	for (int i = 0; i < n; i++)
		if (kept > 0 && strcmp(ranked[kept - 1].name, ranked[i].name) == 0)
			ranked[kept - 1].weight += ranked[i].weight;
		else
			ranked[kept++] = ranked[i];
	return kept;
}

/*
 * Finds the entities that contain most of the words of a query. To be called if
 * no entity contains the query as a whole. Ignores a word that too many
 * entities contain.
 */
static void
look_for_words(Reading *reading, const char *query)
{
	Ranked *ranked;
	const char **names;
	char **words;
	int nwords;
	int n = 0;

	words = words_of(query, &nwords);
	ranked = palloc(Max(1, nwords) * KG_MEMORY_WORD_NAMES * sizeof(Ranked));
	for (int i = 0; i < nwords; i++)
	{
		KgMemorySearch *search = kg_memory_search(&reading->memory, words[i]);
		int found;

		CHECK_FOR_INTERRUPTS();
		if (kg_memory_candidates(search, KG_MEMORY_WORD_NAMES, &names, &found))
			continue;
		for (int j = 0; j < found; j++)
			ranked[n++] = (Ranked){names[j], 1.0 / found};
	}
	n = merge_ranked(ranked, n);
	qsort(ranked, n, sizeof(Ranked), compare_ranked);
	n = Min(n, KG_MEMORY_RANKED);
	for (int i = 0; i < n && has_room(reading); i++)
		look(reading, &ranked[i].name, 1);
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
	reading->units = palloc0(Max(1, n) * sizeof(Unit));
	reading->unit = palloc(Max(1, reading->nrelations) * sizeof(int));
	reading->nth = palloc(Max(1, reading->nrelations) * sizeof(int));
	for (int i = 0; i < reading->nrelations; i++)
	{
		reading->unit[i] = Max(
			place_of(places, n, reading->relations[i].source),
			place_of(places, n, reading->relations[i].target));
		reading->nth[i] = reading->units[reading->unit[i]].related++;
	}
}

static Size
relation_size(const KgRelated *related)
{
	return strlen("{\"from\": , \"to\": , \"relationType\": }, ") +
		   text_size(related->from) + text_size(related->to) +
		   text_size(related->type);
}

/* Computes the size of each unit with all its parts. */
static void
measure_units(Reading *reading)
{
	for (int i = 0; i < reading->found.n; i++)
	{
		const KgRemembered *entity = &reading->found.entities[i];
		Unit *unit = &reading->units[i];

		unit->size = head_size(entity);
		for (int o = reading->offset; o < entity->n; o++)
			unit->size += observation_size(entity->observations[o]);
	}
	for (int i = 0; i < reading->nrelations; i++)
		reading->units[reading->unit[i]].size += relation_size(
			&reading->relations[i]);
}

/*
 * Counts the observations of a unit, from the first, that fit into "room"
 * bytes. If the unit has relations, half of these bytes are reserved for them.
 */
static void
keep_observations(const Reading *reading, Unit *unit,
				  const KgRemembered *entity, Size room)
{
	unit->kept = head_size(entity) + mark_size(entity);
	if (unit->related > 0)
		room /= 2;
	for (int o = reading->offset; o < entity->n; o++)
	{
		Size size = observation_size(entity->observations[o]);

		if (unit->kept + size > room)
			break;
		unit->kept += size;
		unit->nobservations++;
	}
}

/* Determines which parts of large units fit into their shares of the reply. */
static void
divide(Reading *reading)
{
	Size room = share(reading);

	measure_units(reading);
	for (int i = 0; i < reading->found.n; i++)
	{
		Unit *unit = &reading->units[i];

		unit->large = unit->size > room;
		if (unit->large)
			keep_observations(reading, unit, &reading->found.entities[i], room);
	}
	for (int i = 0; i < reading->nrelations; i++)
	{
		Unit *unit = &reading->units[reading->unit[i]];
		Size size = relation_size(&reading->relations[i]);

		if (unit->large && unit->nrelations == reading->nth[i] &&
			unit->kept + size <= room)
		{
			unit->kept += size;
			unit->nrelations++;
		}
	}
}

static void
measure(void *items, Size *whole, Size *stub, Size *extra)
{
	const Reading *reading = items;
	int n = 0;

	for (int i = 0; i < reading->found.n; i++)
	{
		const Unit *unit = &reading->units[i];

		whole[i] = unit->large ? Min(unit->kept, unit->size) : unit->size;
		stub[i] = whole[i];
		if (unit->large)
			extra[n++] = unit->size - whole[i];
	}
}

static void
cut(void *items, const KgFit *fit, KgWithheld *withheld, KgMarks *marks)
{
	Reading *reading = items;
	int n = 0;

	for (int i = 0; i < fit->listed; i++)
	{
		Unit *unit = &reading->units[i];

		unit->cut = unit->large && n++ >= fit->extras;
		if (!unit->cut)
			continue;
		withheld->observations += Max(reading->found.entities[i].n -
										  reading->offset,
									  0) -
								  unit->nobservations;
		withheld->relations += unit->related - unit->nrelations;
	}
}

/*
 * Writes the arguments of a call that reads the observations of an entity from
 * an offset on. Skips an observation that is too long for any reply.
 */
static void
write_next(const Reading *reading, const KgRemembered *entity, int offset,
		   KgJsonWriter *w)
{
	Size size = 2 * (head_size(entity) + mark_size(entity) +
					 observation_size(entity->observations[offset])) +
				KG_MEMORY_CHUNK;
	JsonbValue sent;

	if (size > (Size) kg_setting_max_reply_bytes)
		offset++;
	if (offset == entity->n)
		return;
	kg_jw_kbegin_object(w, "next");
	kg_jw_kstrings(w, "names", (char *const *) &entity->name, 1);
	kg_jw_kint(w, "offset", offset);
	if (size > (Size) reading->draft.max_bytes &&
		size <= (Size) kg_setting_max_reply_bytes)
		kg_jw_kint(w, "max_bytes", size);
	else if (kg_input_value(&reading->input, "max_bytes", &sent))
		kg_jw_kint(w, "max_bytes", reading->draft.max_bytes);
	kg_jw_end_object(w);
}

static void
write_entity(const Reading *reading, int at, KgJsonWriter *w)
{
	const KgRemembered *entity = &reading->found.entities[at];
	const Unit *unit = &reading->units[at];
	int from = Min(reading->offset, entity->n);
	int n = unit->cut ? unit->nobservations : entity->n - from;

	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", entity->name);
	kg_jw_kstring(w, "entityType", entity->type);
	kg_jw_kstrings(
		w, "observations", (char *const *) entity->observations + from, n);
	if (from + n < entity->n)
	{
		kg_jw_kint(w, "withheld", entity->n - from - n);
		write_next(reading, entity, from + n, w);
	}
	kg_jw_end_object(w);
}

static bool
is_told(const Reading *reading, const KgFit *fit, int relation)
{
	const Unit *unit = &reading->units[reading->unit[relation]];

	return reading->unit[relation] < fit->listed &&
		   (!unit->cut || reading->nth[relation] < unit->nrelations);
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

	kg_jw_kbegin_array(w, "entities");
	for (int i = 0; i < fit->listed; i++)
		if (!reading->found.entities[i].stub)
			write_entity(reading, i, w);
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "relations");
	for (int i = 0; i < reading->nrelations; i++)
		if (is_told(reading, fit, i))
			write_relation(&reading->relations[i], w);
	kg_jw_end_array(w);
}

static Jsonb *
finish(Reading *reading)
{
	KgDraft *draft = &reading->draft;

	if (reading->offset == 0)
		reading->relations = kg_memory_relations(
			&reading->memory, &reading->found, &reading->nrelations);
	find_units(reading);
	divide(reading);
	draft->n = reading->found.n;
	for (int i = 0; i < draft->n; i++)
	{
		draft->nextras += reading->units[i].large;
		draft->rough += reading->units[i].size;
	}
	draft->untried = reading->untried;
	draft->untried_at_least = reading->untold;
	draft->measure = measure;
	draft->cut = cut;
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
	const char *text;

	begin(&reading, "search_nodes", arguments);
	kg_input_require(&reading.input, "query");
	(void) kg_input_value(&reading.input, "query", &query);
	if (query.type != jbvString)
		kg_error_throw(kg_args_error("/query", &query, "a string"));
	text = kg_json_cstring(&query);
	look_for(&reading, kg_memory_search(&reading.memory, text));
	if (reading.found.n == 0 && !reading.more)
		look_for_words(&reading, text);
	return finish(&reading);
}

/*
 * Reads the entities whose names equal the given names without regard to case.
 */
static void
look_in_case(Reading *reading, const char *const *names, int n)
{
	const char **others = palloc(Max(1, n) * sizeof(char *));
	int nothers = 0;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		others[nothers] = kg_memory_name_in_case(&reading->memory, names[i]);
		nothers += others[nothers] != NULL;
	}
	look(reading, others, kg_distinct_texts(others, nothers));
}

Jsonb *
kg_tool_open_nodes(const Jsonb *arguments)
{
	Reading reading;
	const char **names;
	int n;

	begin(&reading, "open_nodes", arguments);
	names = kg_memory_strings(&reading.input, "names", &n);
	(void) kg_input_int(&reading.input, "offset", &reading.offset);
	n = kg_distinct_texts(names, n);
	look(&reading, names, n);
	if (reading.found.n == 0)
		look_in_case(&reading, names, n);
	return finish(&reading);
}
