/*
 * search_text.c
 *	  Full-text search over kg_word and kg_word_count, ranked by BM25.
 *
 * Words are processed from the rarest to the most frequent, because rare words
 * weigh most. At some word, the remaining words can no longer lift a new entity
 * among the best. From then on only the entities found so far are looked up
 * (MaxScore: Turtle, Flood: Information Processing & Management 31, 1995).
 *
 * If some entities of the tenant may be hidden from the caller, all visible
 * rows of the words are read first. The counts then include visible entities
 * only.
 */
#include "postgres.h"

#include <math.h>

#include "base/error.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "model/word.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "query/graph/nodeset.h"
#include "query/search/search_text.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define KG_K1 1.2
#define KG_B 0.75
/* Cost of a lookup by key, in rows of a sequential index scan. */
#define KG_PROBE_COST 8
/*
 * Unit to which scores are rounded, so that the order in which the parts of a
 * score were added has no effect.
 */
#define KG_SCORE_UNIT 1e-9

typedef struct Posting
{
	uint32 place; /* index of the entity in TextSearch.set */
	int32 frequency;
} Posting;

typedef struct Word
{
	const char *word;
	int64 documents; /* number of texts that have the word */
	double idf;
	/* maximum that this word and the following words add to a score */
	double left;
	/* Postings are stored only if TextSearch.counted is set. */
	int64 npostings;
	int64 capacity;
	Posting *postings;
} Word;

typedef struct Found
{
	int32 type_no;
	int32 length;
	double score;
} Found;

typedef struct TextSearch
{
	const KgCatalog *catalog;
	const int32 *type_nos;
	int ntypes; /* 0: all types */
	int most;
	int nwords;
	Word *words;
	int64 documents; /* number of texts */
	int64 length;	 /* total number of words of these texts */
	KgNodeSet set;
	Found *found; /* by index in set */
	uint32 capacity;
	int64 rows;		/* rows of words read so far */
	int64 postings; /* postings allocated so far */
	Word *word;		/* the word whose rows are read */
	/*
	 * Document counts come from the rows read, because the caller may not see
	 * all texts.
	 */
	bool counted;
	/* entities that were not found so far cannot be among the best any more */
	bool closed;
} TextSearch;

/* ---- limits ---- */

static KG_NORETURN void
throw_limit(const char *setting, const char *what, int64 limit)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf(
				 "the search %s %s (" INT64_FORMAT ")", what, setting, limit),
			 .expected = "rarer or fewer words");
}

static void
check_memory(const TextSearch *search)
{
	Size used = (Size) search->capacity *
					(sizeof(Found) + sizeof(int64) + 2 * sizeof(uint32)) +
				(Size) search->postings * sizeof(Posting);

	if (used > (Size) kg_setting_max_search_memory * 1024)
		throw_limit("kg_graph.max_search_memory",
					"needs more kilobytes than",
					kg_setting_max_search_memory);
}

/* ---- the words of the query ---- */

static void
read_query(TextSearch *search, const char *query, const char *path)
{
	KgWords words = {0};

	if (strlen(query) <= KG_MAX_TEXT_QUERY)
	{
		kg_words_add(&words, query, strlen(query));
		kg_words_count(&words);
	}
	if (words.n == 0)
	{
		JsonbValue got = kg_json_string_value(query);

		kg_error_throw(
			kg_args_error(path,
						  &got,
						  psprintf("words of letters or digits, of at most %d "
								   "bytes together",
								   KG_MAX_TEXT_QUERY)));
	}
	search->nwords = words.n;
	search->words = palloc0(words.n * sizeof(Word));
	for (int i = 0; i < words.n; i++)
		search->words[i].word = words.words[i].word;
}

/*
 * Adds a parameter: the empty word, then the words of the query in order.
 * Returns the number of the parameter.
 */
static int
param_words(KgSqlBuilder *b, const TextSearch *search)
{
	char **texts = palloc((search->nwords + 1) * sizeof(char *));

	texts[0] = "";
	for (int i = 0; i < search->nwords; i++)
		texts[i + 1] = (char *) search->words[i].word;
	return kg_sql_param_texts(b, texts, search->nwords + 1);
}

static int
compare_text(const void *text, const void *word)
{
	return strcmp(text, ((const Word *) word)->word);
}

static bool
count_row(TupleTableSlot *slot, void *arg)
{
	TextSearch *search = arg;
	char *counted = TextDatumGetCString(kg_slot_datum(slot, 1));
	int64 documents = DatumGetInt64(kg_slot_datum(slot, 2));
	Word *word = bsearch(
		counted, search->words, search->nwords, sizeof(Word), compare_text);

	if (word != NULL)
		word->documents = documents;
	else
	{
		search->documents = documents;
		search->length = DatumGetInt64(kg_slot_datum(slot, 3));
	}
	return true;
}

/* Reads the number of texts of each word. The empty word counts all texts. */
static void
read_counts(TextSearch *search)
{
	KgSqlBuilder b;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(
		&b,
		"SELECT c.word, pg_catalog.sum(c.documents)::pg_catalog.int8, "
		"pg_catalog.sum(c.length)::pg_catalog.int8 FROM %s c WHERE "
		"c.tenant = $1 AND c.word = ANY ($%d) GROUP BY c.word",
		kg_sql_table("kg_word_count"),
		param_words(&b, search));
	(void) kg_sql_run(&b, count_row, search);
}

static int
compare_words(const void *pa, const void *pb)
{
	const Word *a = pa;
	const Word *b = pb;

	if (a->documents != b->documents)
		return a->documents < b->documents ? -1 : 1;
	return strcmp(a->word, b->word);
}

/*
 * Computes the weights of the words and sorts them, the rarest first. Removes
 * words that no entity has.
 */
static void
weigh_words(TextSearch *search)
{
	double left = 0;
	int absent = 0;

	qsort(search->words, search->nwords, sizeof(Word), compare_words);
	while (absent < search->nwords && search->words[absent].documents <= 0)
		absent++;
	search->words += absent;
	search->nwords -= absent;
	for (int i = search->nwords - 1; i >= 0; i--)
	{
		Word *word = &search->words[i];

		word->idf = log(1 + (search->documents - word->documents + 0.5) /
								(word->documents + 0.5));
		left += word->idf * (KG_K1 + 1);
		word->left = left;
	}
}

static void
add_score(const TextSearch *search, Found *found, int32 frequency)
{
	double average = (double) search->length / Max(1, search->documents);
	double norm = KG_K1 * (1 - KG_B + KG_B * found->length / average);

	found->score += search->word->idf * frequency * (KG_K1 + 1) /
					(frequency + norm);
}

/* ---- rows of words ---- */

/*
 * Returns the index of an entity in the set, and adds the entity if it is new.
 * Returns KG_NO_NODE for a new entity if it cannot be among the best any more
 * (search->closed).
 */
static uint32
find_place(TextSearch *search, int64 node, int32 type_no, int32 length)
{
	uint32 known = search->set.n;
	uint32 place;

	if (search->closed)
		return kg_nodeset_find(&search->set, node);
	place = kg_nodeset_add(&search->set, node);
	if (place < known)
		return place;
	if (place >= search->capacity)
	{
		search->capacity = search->set.capacity;
		check_memory(search);
		search->found = search->found == NULL
							? palloc(search->capacity * sizeof(Found))
							: repalloc_huge(search->found,
											(Size) search->capacity *
												sizeof(Found));
	}
	search->found[place] = (Found){type_no, length, 0};
	return place;
}

static void
keep_posting(TextSearch *search, uint32 place, int32 frequency)
{
	Word *word = search->word;

	if (word->npostings == word->capacity)
	{
		int64 more = Max(64, word->capacity);

		search->postings += more;
		check_memory(search);
		word->capacity += more;
		word->postings = word->postings == NULL
							 ? palloc(word->capacity * sizeof(Posting))
							 : repalloc_huge(word->postings,
											 word->capacity * sizeof(Posting));
	}
	word->postings[word->npostings++] = (Posting){place, frequency};
}

static bool
word_row(TupleTableSlot *slot, void *arg)
{
	TextSearch *search = arg;
	int32 type_no = DatumGetInt32(kg_slot_datum(slot, 1));
	int64 node = DatumGetInt64(kg_slot_datum(slot, 2));
	int32 frequency = DatumGetInt32(kg_slot_datum(slot, 3));
	int32 length = DatumGetInt32(kg_slot_datum(slot, 4));
	uint32 place;

	if (++search->rows > kg_setting_max_visited)
		throw_limit("kg_graph.max_visited",
					"reads more words of texts than",
					kg_setting_max_visited);
	place = find_place(search, node, type_no, length);
	if (place == KG_NO_NODE)
		return true;
	if (search->counted)
		keep_posting(search, place, frequency);
	else
		add_score(search, &search->found[place], frequency);
	return true;
}

/* Reads the entities that have the current word. */
static void
read_word(TextSearch *search)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT w.type_no, w.node, w.frequency, w.length FROM %s w "
				  "WHERE w.tenant = $1 AND w.word = $%d",
				  kg_sql_table("kg_word"),
				  kg_sql_param_text(&b, search->word->word));
	kg_sql_types(&b, "w", search->type_nos, search->ntypes);
	kg_sql_visible(&b, "w.node");
	statement = kg_sql_statement(&b);
	statement.node_column = 2;
	(void) kg_plan_run(&statement, word_row, search);
}

/* Reads the frequency of the current word in n of the entities found. */
static void
look_up_word(TextSearch *search, const uint32 *places, int n)
{
	Datum *types = palloc(n * sizeof(Datum));
	Datum *nodes = palloc(n * sizeof(Datum));
	KgSqlBuilder b;

	for (int i = 0; i < n; i++)
	{
		types[i] = Int32GetDatum(search->found[places[i]].type_no);
		nodes[i] = Int64GetDatum(search->set.nodes[places[i]]);
	}
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.type_no, t.node, w.frequency, w.length FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, INT4OID, types, n));
	kg_sql_append(
		&b,
		"pg_catalog.unnest($%d)) AS t(type_no, node) CROSS JOIN LATERAL "
		"(SELECT x.frequency, x.length FROM %s x WHERE x.tenant = $1",
		kg_sql_param_array(&b, INT8OID, nodes, n),
		kg_sql_table("kg_word"));
	kg_sql_append(&b,
				  " AND x.word = $%d AND x.type_no = t.type_no AND "
				  "x.node = t.node OFFSET 0) w",
				  kg_sql_param_text(&b, search->word->word));
	(void) kg_sql_run(&b, word_row, search);
	pfree(types);
	pfree(nodes);
}

/* ---- the best ---- */

/* Returns the k-th greatest of n values. Reorders the values. */
static double
select_greatest(double *values, int64 n, int64 k)
{
	int64 low = 0;
	int64 high = n - 1;

	while (low < high)
	{
		double pivot = values[low + (high - low) / 2];
		int64 i = low;
		int64 j = high;

		CHECK_FOR_INTERRUPTS();
		while (i <= j)
		{
			while (values[i] > pivot)
				i++;
			while (values[j] < pivot)
				j--;
			if (i <= j)
			{
				double swapped = values[i];

				values[i++] = values[j];
				values[j--] = swapped;
			}
		}
		if (k - 1 <= j)
			high = j;
		else if (k - 1 >= i)
			low = i;
		else
			break;
	}
	return values[k - 1];
}

/*
 * Returns the score of the match at rank "most"; 0 if there are fewer matches.
 */
static double
least_score(const TextSearch *search)
{
	double *scores;
	double least;

	if (search->set.n < search->most)
		return 0;
	scores = MemoryContextAllocHuge(CurrentMemoryContext,
									(Size) search->set.n * sizeof(double));
	for (uint32 i = 0; i < search->set.n; i++)
		scores[i] = search->found[i].score;
	least = select_greatest(scores, search->set.n, search->most);
	pfree(scores);
	return least;
}

/*
 * Returns the indexes of entities that the current word and the following words
 * may lift to the score "least".
 */
static uint32 *
liftable(const TextSearch *search, double least, int *n)
{
	uint32 *places = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) search->set.n * sizeof(uint32));

	*n = 0;
	for (uint32 i = 0; i < search->set.n; i++)
		if (search->found[i].score + search->word->left >=
			least - KG_SCORE_UNIT)
			places[(*n)++] = i;
	return places;
}

static void
rank_by_counts(TextSearch *search)
{
	read_counts(search);
	weigh_words(search);
	for (int i = 0; i < search->nwords; i++)
	{
		double least = 0;
		uint32 *places;
		int n;

		CHECK_FOR_INTERRUPTS();
		search->word = &search->words[i];
		/*
		 * An entity that was not found so far lacks all words processed before
		 * the current word. So its score is at most the current word's "left".
		 */
		if (search->closed || search->words[0].left > 2 * search->word->left)
		{
			least = least_score(search);
			search->closed |= least > search->word->left + KG_SCORE_UNIT;
		}
		if (!search->closed)
		{
			read_word(search);
			continue;
		}
		places = liftable(search, least, &n);
		if ((int64) n * KG_PROBE_COST < search->word->documents)
			look_up_word(search, places, n);
		else
			read_word(search);
		pfree(places);
	}
}

/* Ranks by counts of visible entities only, so it reads all rows first. */
static void
rank_what_is_seen(TextSearch *search)
{
	search->counted = true;
	for (int i = 0; i < search->nwords; i++)
	{
		search->word = &search->words[i];
		read_word(search);
		search->word->documents = search->word->npostings;
	}
	search->documents = search->set.n;
	for (uint32 i = 0; i < search->set.n; i++)
		search->length += search->found[i].length;
	weigh_words(search);
	for (int i = 0; i < search->nwords; i++)
	{
		const Word *word = search->word = &search->words[i];

		CHECK_FOR_INTERRUPTS();
		for (int64 j = 0; j < word->npostings; j++)
			add_score(search,
					  &search->found[word->postings[j].place],
					  word->postings[j].frequency);
	}
}

static KgTextMatches *
collect(TextSearch *search)
{
	KgTextMatches *result = palloc0(sizeof(*result));
	KgMatches *best = &result->found;
	double least = least_score(search);
	int size = 64;

	best->matches = palloc(size * sizeof(KgMatch));
	for (uint32 i = 0; i < search->set.n; i++)
	{
		const Found *found = &search->found[i];
		KgMatch *match;

		if (found->score < least - KG_SCORE_UNIT)
			continue;
		if (best->n == size)
			best->matches = repalloc_huge(best->matches,
										  (Size) (size *= 2) * sizeof(KgMatch));
		match = &best->matches[best->n++];
		memset(match, 0, sizeof(*match));
		match->node = search->set.nodes[i];
		match->type_no = found->type_no;
		match->how = KG_MATCH_WORDS;
		match->kind = KG_TERM_TEXT;
		match->score = rint(found->score / KG_SCORE_UNIT) * KG_SCORE_UNIT;
	}
	kg_matches_sort(best);
	result->total = search->set.n;
	best->truncated = search->closed || best->n > kg_setting_max_search_matches;
	best->n = Min(best->n, kg_setting_max_search_matches);
	return result;
}

KgTextMatches *
kg_search_text(const KgCatalog *catalog, const char *query,
			   const int32 *type_nos, int ntypes, int most, const char *path)
{
	TextSearch search = {catalog, type_nos, ntypes, Max(1, most)};

	read_query(&search, query, path);
	kg_nodeset_init(&search.set, CurrentMemoryContext);
	if (kg_validity_rows_suffice(catalog))
		rank_by_counts(&search);
	else
		rank_what_is_seen(&search);
	return collect(&search);
}

/* ---- matched words ---- */

typedef struct Terms
{
	KgMatch *const *matches; /* sorted by node */
	int n;
} Terms;

static int
compare_node(const void *node, const void *match)
{
	int64 a = *(const int64 *) node;
	int64 b = (*(KgMatch *const *) match)->node;

	return a < b ? -1 : a > b;
}

static int
compare_nodes(const void *a, const void *b)
{
	return compare_node(&(*(KgMatch *const *) a)->node, b);
}

static bool
term_row(TupleTableSlot *slot, void *arg)
{
	Terms *terms = arg;
	int64 node = DatumGetInt64(kg_slot_datum(slot, 1));
	KgMatch *const *match = bsearch(
		&node, terms->matches, terms->n, sizeof(KgMatch *), compare_node);

	if (match != NULL)
		(*match)->words = lappend((*match)->words,
								  TextDatumGetCString(kg_slot_datum(slot, 2)));
	return true;
}

void
kg_search_text_terms(const KgCatalog *catalog, const char *query,
					 KgMatch **matches, int n)
{
	TextSearch search = {catalog};
	Terms terms = {matches, n};
	Datum *types = palloc((n + 1) * sizeof(Datum));
	Datum *nodes = palloc((n + 1) * sizeof(Datum));
	KgSqlBuilder b;

	if (n == 0)
		return;
	read_query(&search, query, "");
	qsort(matches, n, sizeof(KgMatch *), compare_nodes);
	for (int i = 0; i < n; i++)
	{
		types[i] = Int32GetDatum(matches[i]->type_no);
		nodes[i] = Int64GetDatum(matches[i]->node);
	}
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT t.node, w.word FROM ROWS FROM "
				  "(pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, INT4OID, types, n));
	kg_sql_append(&b,
				  "pg_catalog.unnest($%d)) AS t(type_no, node) CROSS JOIN "
				  "LATERAL (SELECT x.word FROM %s x WHERE x.tenant = $1",
				  kg_sql_param_array(&b, INT8OID, nodes, n),
				  kg_sql_table("kg_word"));
	kg_sql_append(&b,
				  " AND x.word = ANY ($%d) AND x.type_no = t.type_no AND "
				  "x.node = t.node ORDER BY x.word OFFSET 0) w",
				  param_words(&b, &search));
	(void) kg_sql_run(&b, term_row, &terms);
}
