/*
 * memory.c
 *	  Reads the bundle "memory".
 *
 * A substring is searched by the words of names, types and observations in
 * kg_term. A word with other characters before and after it in the query is a
 * whole word. The first word of the query may be the end of a longer word.
 * Such longer words are found by the rarest trigram of the first word
 * (kg_trigram), or, if it is shorter than a trigram, by the trigrams that
 * begin with it. The last word of the query may be the beginning of a longer
 * word. With x-signs, kg_term also has each punctuation character of a text.
 */
#include "postgres.h"

#include "base/json.h"
#include "catalog/pg_collation.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "mb/pg_wchar.h"
#include "query/memory.h"
#include "query/sql.h"
#include "store/check/check.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/*
 * Maximum number of terms counted for each trigram to find the rarest, and of
 * rows counted for words.
 */
#define KG_COUNTED_TERMS 200
#define KG_COUNTED_ROWS 2000
/*
 * Maximum number of words for one or two letters. If there are more, all
 * entities are read.
 */
#define KG_SHORT_WORDS 5000

/*
 * Maximum number of stored names that are compared with a requested name, to
 * find it in another letter case.
 */
#define KG_MEMORY_LOOKED 100

/* Returns the list (NULL: a new one) with room for one more item. */
static void *
with_room(void *list, int n, int *room, Size size)
{
	if (n < *room)
		return list;
	*room = Max(64, *room * 2);
	return list == NULL ? palloc(*room * size)
						: repalloc_huge(list, *room * size);
}

/* ---- entities ---- */

static const char *
text_member(const Jsonb *data, const char *key)
{
	JsonbValue value;

	if (kg_json_get(&data->root, key, &value) == NULL ||
		value.type != jbvString)
		return "";
	return kg_json_cstring(&value);
}

static bool
entity_row(TupleTableSlot *slot, void *arg)
{
	KgRemembrance *to = arg;
	const Jsonb *data;
	KgRemembered *entity;

	slot_getallattrs(slot);
	data = DatumGetJsonbP(slot->tts_values[2]);
	to->entities = with_room(
		to->entities, to->n, &to->room, sizeof(KgRemembered));
	entity = &to->entities[to->n++];
	entity->node = DatumGetInt64(slot->tts_values[0]);
	entity->name = TextDatumGetCString(slot->tts_values[1]);
	entity->type = text_member(data, "entityType");
	entity->stub = kg_json_is_true(&data->root, KG_MEMORY_STUB);
	entity->n = 0;
	entity->observations = NULL;
	return true;
}

static void
start_entities(const KgMemory *memory, KgSqlBuilder *b)
{
	kg_sql_start(b, memory->catalog);
	kg_sql_append(b,
				  "SELECT e.node, e.entity_id, e.data FROM %s e WHERE "
				  "e.tenant = $1 AND e.bundle = $%d",
				  kg_sql_table("kg_entity"),
				  kg_sql_param_text(b, memory->entity->bundle));
	kg_sql_append(b,
				  " AND e.entity_type = $%d",
				  kg_sql_param_text(b, memory->entity->name));
}

/* ---- observations ---- */

typedef struct Observed
{
	int entity;
	int64 n;
	char *id;
	const char *content;
} Observed;

typedef struct Observing
{
	const KgRemembered **by_node;
	const KgRemembrance *of;
	int first;
	int nnodes;
	Observed *list;
	int n;
	int room;
} Observing;

static int
compare_by_node(const void *a, const void *b)
{
	const KgRemembered *x = *(const KgRemembered *const *) a;
	const KgRemembered *y = *(const KgRemembered *const *) b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/*
 * Returns the index of the entity with this node among the entities of the
 * set; -1 if the set does not have it.
 */
static int
find_node(const KgRemembered **by_node, int n, const KgRemembrance *of,
		  int64 node)
{
	KgRemembered wanted = {node};
	const KgRemembered *key = &wanted;
	const KgRemembered **found = bsearch(
		&key, by_node, n, sizeof(KgRemembered *), compare_by_node);

	return found ? *found - of->entities : -1;
}

static const KgRemembered **
sort_by_node(const KgRemembrance *of, int first)
{
	int n = of->n - first;
	const KgRemembered **by_node = palloc(Max(1, n) * sizeof(KgRemembered *));

	for (int i = 0; i < n; i++)
		by_node[i] = &of->entities[first + i];
	qsort(by_node, n, sizeof(KgRemembered *), compare_by_node);
	return by_node;
}

static bool
observation_row(TupleTableSlot *slot, void *arg)
{
	Observing *state = arg;
	const Jsonb *data;
	JsonbValue number;
	Observed *observed;

	slot_getallattrs(slot);
	state->list = with_room(
		state->list, state->n, &state->room, sizeof(Observed));
	observed = &state->list[state->n++];
	observed->entity = find_node(state->by_node,
								 state->nnodes,
								 state->of,
								 DatumGetInt64(slot->tts_values[0]));
	observed->id = TextDatumGetCString(slot->tts_values[1]);
	data = DatumGetJsonbP(slot->tts_values[2]);
	observed->content = text_member(data, "content");
	observed->n = 0;
	if (kg_json_get(&data->root, "n", &number) != NULL)
		(void) kg_json_int64(&number, &observed->n);
	return true;
}

static int
compare_observed(const void *a, const void *b)
{
	const Observed *x = a;
	const Observed *y = b;

	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return strcmp(x->id, y->id);
}

static Datum *
nodes_of(const KgRemembrance *of, int first)
{
	Datum *nodes = palloc(Max(1, of->n - first) * sizeof(Datum));

	for (int i = first; i < of->n; i++)
		nodes[i - first] = Int64GetDatum(of->entities[i].node);
	return nodes;
}

/* Reads the observations of the entities from index first on. */
static void
read_observations(const KgMemory *memory, KgRemembrance *of, int first)
{
	Observing state = {sort_by_node(of, first), of, first, of->n - first};
	KgSqlBuilder b;

	if (state.nnodes == 0)
		return;
	kg_sql_start(&b, memory->catalog);
	kg_sql_append(&b,
				  "SELECT d.target, o.entity_id, o.data FROM %s d, ",
				  kg_sql_table("kg_edge"));
	kg_sql_append(
		&b,
		"%s o WHERE d.tenant = $1 AND d.target = ANY ($%d)",
		kg_sql_table("kg_entity"),
		kg_sql_param_array(&b, INT8OID, nodes_of(of, first), state.nnodes));
	kg_sql_append(
		&b,
		" AND d.relation_no = $%d AND o.tenant = $1 AND o.node = d.source",
		kg_sql_param(
			&b, INT4OID, Int32GetDatum(memory->observes->relation_no)));
	(void) kg_sql_run(&b, observation_row, &state);
	qsort(state.list, state.n, sizeof(Observed), compare_observed);
	for (int i = 0; i < state.n;)
	{
		KgRemembered *entity = &of->entities[state.list[i].entity];
		int end = i;

		while (end < state.n && state.list[end].entity == state.list[i].entity)
			end++;
		entity->n = end - i;
		entity->observations = palloc(entity->n * sizeof(char *));
		for (int j = 0; j < entity->n; j++)
			entity->observations[j] = state.list[i + j].content;
		i = end;
	}
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const KgRemembered *) a)->name,
				  ((const KgRemembered *) b)->name);
}

void
kg_memory_by_names(const KgMemory *memory, const char *const *names, int n,
				   KgRemembrance *to)
{
	int first = to->n;
	int kept = first;
	KgSqlBuilder b;

	if (n == 0)
		return;
	start_entities(memory, &b);
	kg_sql_append(&b,
				  " AND e.entity_id = ANY ($%d)",
				  kg_sql_param_texts(&b, (char *const *) names, n));
	(void) kg_sql_run(&b, entity_row, to);
	for (int i = first; i < to->n; i++)
		if (!to->entities[i].stub)
			to->entities[kept++] = to->entities[i];
	to->n = kept;
	read_observations(memory, to, first);
	qsort(to->entities + first,
		  to->n - first,
		  sizeof(KgRemembered),
		  compare_names);
}

void
kg_memory_after(const KgMemory *memory, const char *name, int limit,
				KgRemembrance *to)
{
	int first = to->n;
	KgSqlBuilder b;

	start_entities(memory, &b);
	kg_sql_append(&b,
				  " AND e.entity_id > $%d ORDER BY e.entity_id",
				  kg_sql_param_text(&b, name));
	kg_sql_append(&b, " LIMIT $%d", kg_sql_param_int64(&b, limit));
	(void) kg_sql_run(&b, entity_row, to);
	read_observations(memory, to, first);
}

int64
kg_memory_count_after(const KgMemory *memory, const char *name, int most)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, memory->catalog);
	kg_sql_append(&b,
				  "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM %s e WHERE "
				  "e.tenant = $1 AND e.bundle = $%d",
				  kg_sql_table("kg_entity"),
				  kg_sql_param_text(&b, memory->entity->bundle));
	kg_sql_append(&b,
				  " AND e.entity_type = $%d",
				  kg_sql_param_text(&b, memory->entity->name));
	kg_sql_append(&b, " AND e.entity_id > $%d", kg_sql_param_text(&b, name));
	kg_sql_append(&b, " LIMIT $%d) c", kg_sql_param_int64(&b, most));
	statement = kg_sql_statement(&b);
	return kg_plan_run_int64(&statement);
}

/* ---- relations ---- */

typedef struct Relating
{
	const KgRemembered **by_node;
	const KgRemembrance *of;
	bool incoming;
	KgRelated *list;
	int n;
	int room;
} Relating;

static bool
relation_row(TupleTableSlot *slot, void *arg)
{
	Relating *state = arg;
	int64 here;
	int64 there;
	int at;
	KgRelated *related;

	slot_getallattrs(slot);
	here = DatumGetInt64(slot->tts_values[0]);
	there = DatumGetInt64(slot->tts_values[1]);
	/*
	 * A relation between two of the entities was already found from its
	 * source.
	 */
	if (state->incoming &&
		find_node(state->by_node, state->of->n, state->of, there) >= 0)
		return true;
	state->list = with_room(
		state->list, state->n, &state->room, sizeof(KgRelated));
	related = &state->list[state->n++];
	at = find_node(state->by_node, state->of->n, state->of, here);
	related->source = state->incoming ? there : here;
	related->target = state->incoming ? here : there;
	related->type = TextDatumGetCString(slot->tts_values[2]);
	related->from = state->of->entities[at].name;
	related->to = TextDatumGetCString(slot->tts_values[3]);
	if (state->incoming)
	{
		const char *from = related->to;

		related->to = related->from;
		related->from = from;
	}
	return true;
}

static int
compare_related(const void *a, const void *b)
{
	const KgRelated *x = a;
	const KgRelated *y = b;
	int order = strcmp(x->from, y->from);

	if (order == 0)
		order = strcmp(x->type, y->type);
	return order != 0 ? order : strcmp(x->to, y->to);
}

static void
read_relations(const KgMemory *memory, Relating *state)
{
	const char *here = state->incoming ? "target" : "source";
	const char *there = state->incoming ? "source" : "target";
	KgSqlBuilder b;

	kg_sql_start(&b, memory->catalog);
	kg_sql_append(&b,
				  "SELECT d.%s, d.%s, d.key, e.entity_id FROM %s d, ",
				  here,
				  there,
				  kg_sql_table("kg_edge"));
	kg_sql_append(
		&b,
		"%s e WHERE d.tenant = $1 AND d.%s = ANY ($%d)",
		kg_sql_table("kg_entity"),
		here,
		kg_sql_param_array(&b, INT8OID, nodes_of(state->of, 0), state->of->n));
	kg_sql_append(
		&b,
		" AND d.relation_no = $%d AND e.tenant = $1 AND e.node = d.%s",
		kg_sql_param(&b, INT4OID, Int32GetDatum(memory->relates->relation_no)),
		there);
	(void) kg_sql_run(&b, relation_row, state);
}

KgRelated *
kg_memory_relations(const KgMemory *memory, const KgRemembrance *of, int *n)
{
	Relating state = {sort_by_node(of, 0), of};

	if (of->n > 0)
	{
		read_relations(memory, &state);
		state.incoming = true;
		read_relations(memory, &state);
		qsort(state.list, state.n, sizeof(KgRelated), compare_related);
	}
	*n = state.n;
	return state.list;
}

/* ---- search ---- */

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

static char *
lowered(const char *text)
{
	return str_tolower(text, strlen(text), DEFAULT_COLLATION_OID);
}

static bool
first_text_row(TupleTableSlot *slot, void *arg)
{
	char **result = arg;

	*result = TextDatumGetCString(kg_slot_datum(slot, 1));
	return false;
}

static char *
rarest_trigram(const KgMemory *memory, char **trigrams, int n)
{
	char *rarest = trigrams[0];
	KgSqlBuilder b;

	kg_sql_start(&b, memory->catalog);
	kg_sql_append(&b,
				  "SELECT u.v, (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM "
				  "%s x WHERE x.tenant = $1 AND x.trigram = u.v",
				  kg_sql_table("kg_trigram"));
	kg_sql_append(
		&b, " LIMIT $%d) c)", kg_sql_param_int64(&b, KG_COUNTED_TERMS));
	kg_sql_append(&b,
				  " FROM pg_catalog.unnest($%d) u(v) ORDER BY 2, 1 LIMIT 1",
				  kg_sql_param_texts(&b, trigrams, n));
	(void) kg_sql_run(&b, first_text_row, &rarest);
	return rarest;
}

/* How a word of the query matches words of entities. */
typedef enum WordPlace
{
	WORD_WHOLE,	 /* the word itself */
	WORD_FIRST,	 /* words that begin with the word of the query */
	WORD_WITHIN, /* words that contain the word of the query, or end with it */
	WORD_SIGN,	 /* not a word but a sign, such as a punctuation character */
	WORD_NONE	 /* unknown: all entities are read */
} WordPlace;

typedef struct Words
{
	const char *word;
	WordPlace place;
	bool at_end;
	char **list; /* the matching words; not for WORD_FIRST */
	int n;
	int room;
} Words;

static bool
has_word(const Words *words, const char *term)
{
	size_t len = strlen(term);
	size_t end = strlen(words->word);

	if (words->at_end)
		return len >= end && strcmp(term + len - end, words->word) == 0;
	return strstr(term, words->word) != NULL;
}

static bool
word_row(TupleTableSlot *slot, void *arg)
{
	Words *words = arg;
	char *term = TextDatumGetCString(kg_slot_datum(slot, 1));

	if (!has_word(words, term))
	{
		pfree(term);
		return true;
	}
	words->list = with_room(
		words->list, words->n, &words->room, sizeof(char *));
	words->list[words->n++] = term;
	return true;
}

static void
start_words(const KgMemory *memory, KgSqlBuilder *b)
{
	kg_sql_start(b, memory->catalog);
	kg_sql_append(b,
				  "SELECT x.term FROM %s x WHERE x.tenant = $1",
				  kg_sql_table("kg_trigram"));
}

/* Adds the words that have the trigram and match the word of the query. */
static void
find_words(const KgMemory *memory, const char *trigram, Words *words)
{
	KgSqlBuilder b;

	start_words(memory, &b);
	kg_sql_append(&b, " AND x.trigram = $%d", kg_sql_param_text(&b, trigram));
	(void) kg_sql_run(&b, word_row, words);
}

/*
 * Adds the words that contain or end with one or two letters; the letters at
 * the end of a word have a row of their own. Returns false if there are too
 * many such words.
 */
static bool
find_by_letters(const KgMemory *memory, Words *words)
{
	KgSqlBuilder b;

	/* A word of one letter has no rows. */
	words->list = with_room(words->list, 0, &words->room, sizeof(char *));
	words->list[words->n++] = unconstify(char *, words->word);
	start_words(memory, &b);
	kg_sql_append(&b,
				  words->at_end ? " AND x.trigram = $%d"
								: " AND x.trigram >= $%d",
				  kg_sql_param_text(&b, words->word));
	if (!words->at_end)
		kg_sql_append(&b,
					  " AND x.trigram < $%d",
					  kg_sql_param_text(&b, kg_text_prefix_high(words->word)));
	kg_sql_append(&b, " LIMIT $%d", kg_sql_param_int64(&b, KG_SHORT_WORDS));
	(void) kg_sql_run(&b, word_row, words);
	return words->n <= KG_SHORT_WORDS;
}

/* Appends " FROM" and the terms that are among the words. */
static void
append_terms(KgSqlBuilder *b, const KgMemory *memory, const Words *words)
{
	Datum types[2] = {Int32GetDatum(memory->entity->type_no),
					  Int32GetDatum(memory->observation->type_no)};

	kg_sql_append(
		b,
		" FROM %s t WHERE t.tenant = $1 AND t.kind = $%d AND t.type_no = ANY "
		"($%d)",
		kg_sql_table("kg_term"),
		kg_sql_param(b,
					 CHAROID,
					 CharGetDatum(words->place == WORD_SIGN ? KG_TERM_SIGN
															: KG_TERM_TOKEN)),
		kg_sql_param_array(b, INT4OID, types, 2));
	if (words->place != WORD_FIRST)
	{
		kg_sql_append(b,
					  " AND t.term = ANY ($%d)",
					  kg_sql_param_texts(b, words->list, words->n));
		return;
	}
	kg_sql_append(b, " AND t.term >= $%d", kg_sql_param_text(b, words->word));
	kg_sql_append(b,
				  " AND t.term < $%d",
				  kg_sql_param_text(b, kg_text_prefix_high(words->word)));
}

/* Counts the rows of the words in kg_term, up to KG_COUNTED_ROWS. */
static int64
count_rows(const KgMemory *memory, const Words *words)
{
	KgSqlBuilder b;
	KgStatement statement;

	if (words->place != WORD_FIRST && words->n == 0)
		return 0;
	kg_sql_start(&b, memory->catalog);
	kg_sql_append(&b, "SELECT pg_catalog.count(*) FROM (SELECT 1");
	append_terms(&b, memory, words);
	kg_sql_append(&b, " LIMIT $%d) c", kg_sql_param_int64(&b, KG_COUNTED_ROWS));
	statement = kg_sql_statement(&b);
	return kg_plan_run_int64(&statement);
}

struct KgMemorySearch
{
	const KgMemory *memory;
	const char *query; /* in lower case */
	/*
	 * lower() maps ASCII letters to ASCII letters, as in all languages but
	 * Turkish
	 */
	bool plain;
	Words words;
	HTAB *seen; /* names that the search has already returned */
	MemoryContext row;
	const char **names;
	int n;
	int most;
};

static HTAB *
begin_seen(void)
{
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = KG_MAX_ID_BYTES + 1;
	ctl.entrysize = KG_MAX_ID_BYTES + 1;
	ctl.hcxt = CurrentMemoryContext;
	return hash_create(
		"kg_graph memory", 256, &ctl, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

/* If a folded text ends with a word, returns this word; otherwise NULL. */
static const char *
last_word(const char *folded, char **tokens, int n)
{
	const char *last = NULL;
	size_t len = strlen(folded);

	for (int i = 0; i < n; i++)
	{
		size_t end = strlen(tokens[i]);

		if (strcmp(folded + len - end, tokens[i]) == 0 &&
			(last == NULL || end > strlen(last)))
			last = tokens[i];
	}
	return last;
}

/*
 * Finds the words of entities that match a word of the query. Returns false if
 * there are too many, so that all entities must be read.
 */
static bool
look_up(const KgMemory *memory, Words *words)
{
	char **trigrams;
	int n;

	if (words->place == WORD_FIRST)
		return true;
	if (words->place == WORD_WHOLE || words->place == WORD_SIGN)
	{
		words->list = palloc(sizeof(char *));
		words->list[words->n++] = unconstify(char *, words->word);
		return true;
	}
	n = kg_term_trigrams(words->word, &trigrams);
	if (n == 0)
		return find_by_letters(memory, words);
	find_words(memory, rarest_trigram(memory, trigrams, n), words);
	return true;
}

/*
 * Replaces the chosen words by other words, if fewer rows have the other
 * words.
 */
static void
offer_words(const KgMemory *memory, Words *words, Words *chosen, int64 *fewest)
{
	int64 rows;

	if (!look_up(memory, words))
		return;
	rows = count_rows(memory, words);
	if (chosen->place != WORD_NONE && rows >= *fewest)
		return;
	*chosen = *words;
	*fewest = rows;
}

/*
 * Finds the matching words for each word or sign of the query. Returns the
 * matching words that the fewest rows have.
 */
static Words
choose_words(const KgMemory *memory, const char *query)
{
	Words chosen = {NULL, WORD_NONE};
	int64 fewest = 0;
	char *folded = kg_term_fold(query, strlen(query));
	bool have_signs = memory->entity->signs && memory->observation->signs;
	char **signs;
	int nsigns = have_signs ? kg_term_signs(folded, &signs) : 0;
	char **tokens;
	int n = kg_term_tokens(folded, &tokens);
	const char *last = last_word(folded, tokens, n);

	for (int i = 0; i < nsigns; i++)
	{
		Words sign = {signs[i], WORD_SIGN};

		offer_words(memory, &sign, &chosen, &fewest);
	}
	for (int i = 0; i < n; i++)
	{
		size_t len = strlen(tokens[i]);
		size_t cut = pg_mbcharcliplen(tokens[i], len, KG_MEMORY_WORD_CHARS);
		bool begins = i == 0 && strncmp(folded, tokens[i], len) == 0;
		bool ends = tokens[i] == last;
		Words words = {pnstrdup(tokens[i], cut)};

		words.place = begins || cut < len ? WORD_WITHIN
					  : ends			  ? WORD_FIRST
										  : WORD_WHOLE;
		words.at_end = begins && !ends && cut == len;
		offer_words(memory, &words, &chosen, &fewest);
	}
	return chosen;
}

KgMemorySearch *
kg_memory_search(const KgMemory *memory, const char *query)
{
	KgMemorySearch *search = palloc0(sizeof(KgMemorySearch));

	search->memory = memory;
	search->query = lowered(query);
	search->plain = strcmp(lowered(CAPITALS), LETTERS) == 0;
	search->words = choose_words(memory, search->query);
	search->seen = begin_seen();
	search->row = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph memory row", ALLOCSET_DEFAULT_SIZES);
	return search;
}

/*
 * Returns a text in lower case. If search->plain, an ASCII text is converted
 * directly.
 */
static char *
lowered_text(const KgMemorySearch *search, const char *text)
{
	char *result;
	char *to;

	if (!search->plain)
		return lowered(text);
	result = to = palloc(strlen(text) + 1);
	for (const char *p = text; *p != '\0'; p++)
	{
		if (IS_HIGHBIT_SET(*p))
			return lowered(text);
		*to++ = (char) pg_ascii_tolower((unsigned char) *p);
	}
	*to = '\0';
	return result;
}

static bool
has_query(const KgMemorySearch *search, const char *text)
{
	return strstr(lowered_text(search, text), search->query) != NULL;
}

/*
 * If a row shows that its entity matches the search, returns the entity's name;
 * otherwise NULL.
 */
static const char *
matching_name(const KgMemorySearch *search, TupleTableSlot *slot)
{
	const char *id = TextDatumGetCString(slot->tts_values[0]);
	const Jsonb *data = DatumGetJsonbP(slot->tts_values[1]);

	if (DatumGetInt32(slot->tts_values[2]) ==
		search->memory->observation->type_no)
		return has_query(search, text_member(data, "content"))
				   ? text_member(data, "entity")
				   : NULL;
	return !kg_json_is_true(&data->root, KG_MEMORY_STUB) &&
				   (has_query(search, id) ||
					has_query(search, text_member(data, "entityType")))
			   ? id
			   : NULL;
}

static bool
candidate_row(TupleTableSlot *slot, void *arg)
{
	KgMemorySearch *search = arg;
	MemoryContext old = MemoryContextSwitchTo(search->row);
	const char *name;
	bool found = true;

	slot_getallattrs(slot);
	name = matching_name(search, slot);
	if (name != NULL)
		(void) hash_search(search->seen, name, HASH_ENTER, &found);
	MemoryContextSwitchTo(old);
	if (!found)
		search->names[search->n++] = pstrdup(name);
	MemoryContextReset(search->row);
	return search->n < search->most;
}

/* Appends " FROM" and the entities of both types. */
static void
append_types(KgSqlBuilder *b, const KgMemory *memory)
{
	char *names[] = {unconstify(char *, memory->entity->name),
					 unconstify(char *, memory->observation->name)};

	kg_sql_append(b,
				  " FROM %s e WHERE e.tenant = $1 AND e.bundle = $%d",
				  kg_sql_table("kg_entity"),
				  kg_sql_param_text(b, memory->entity->bundle));
	kg_sql_append(
		b, " AND e.entity_type = ANY ($%d)", kg_sql_param_texts(b, names, 2));
}

/* Appends " FROM" and the entities that have the words. */
static void
append_having(KgSqlBuilder *b, const KgMemory *memory, const Words *words)
{
	kg_sql_append(b, " FROM (SELECT t.node");
	append_terms(b, memory, words);
	kg_sql_append(b,
				  " OFFSET 0) c CROSS JOIN LATERAL (SELECT x.entity_id, "
				  "x.data, x.type_no FROM %s x WHERE x.tenant = $1 AND "
				  "x.node = c.node OFFSET 0) e",
				  kg_sql_table("kg_entity"));
}

/*
 * Rows come in no order and are read until there are enough names. A later call
 * for more names reads the rows again and skips the names already returned.
 */
bool
kg_memory_candidates(KgMemorySearch *search, int most, const char ***names,
					 int *n)
{
	KgSqlBuilder b;

	search->names = palloc(most * sizeof(char *));
	search->n = 0;
	search->most = most;
	kg_sql_start(&b, search->memory->catalog);
	kg_sql_append(&b, "SELECT e.entity_id, e.data, e.type_no");
	if (search->words.place == WORD_NONE)
		append_types(&b, search->memory);
	else
		append_having(&b, search->memory, &search->words);
	(void) kg_sql_run(&b, candidate_row, search);
	qsort(search->names, search->n, sizeof(char *), pg_qsort_strcmp);
	*names = search->names;
	*n = search->n;
	return search->n == most;
}

const char *
kg_memory_name_in_case(const KgMemory *memory, const char *name)
{
	const char **names;
	int n;

	(void) kg_memory_candidates(
		kg_memory_search(memory, name), KG_MEMORY_LOOKED, &names, &n);
	for (int i = 0; i < n; i++)
		if (pg_strcasecmp(names[i], name) == 0)
			return names[i];
	return NULL;
}
