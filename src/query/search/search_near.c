/*
 * search_near.c
 *	  Search of names and words that are similar to the query.
 *
 * Candidates are terms that share a piece (model/term.h) with the query. For a
 * word, terms that share its rarest trigrams are candidates too. A term is
 * shown only if it comes from kg_term, whose rows belong to entities.
 *
 * kg_trigram stores neither types nor visibility. So the entities of the
 * candidates are read in batches, the most similar candidates first. Reading
 * ends when enough candidates have a visible entity of a searched type.
 * Candidates without such an entity do not count. Only the limits of rows read
 * apply to all names of the tenant.
 */
#include "postgres.h"

#include "base/settings.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "model/word.h"
#include "query/search/rank.h"
#include "query/search/search_run.h"
#include "utils/builtins.h"

/*
 * Maximum number of similar terms with an entity. In a script without spaces,
 * terms are whole names, and the maximum is at least
 * kg_graph.max_search_matches.
 */
#define KG_NEAR_TERMS 32
/* Maximum number of rows read by pieces and by trigrams. */
#define KG_PIECE_ROWS 20000
#define KG_TRIGRAM_ROWS 2000

typedef struct Like
{
	const char *term;
	double alike;
} Like;

typedef struct Near
{
	KgSearch *search;
	/* index of the word in the query; -1: the whole query */
	int token;
	const char *text;
	KgChars chars;
	/* the text is in a script without spaces between words */
	bool paired;
	bool parts; /* candidates must contain the text */
	int most;	/* maximum number of terms with an entity */
	int n;
	int size;
	Like *terms; /* candidates */
	/* characters of the current candidate; the buffer is reused */
	KgChars candidate;
	/* index of the candidate whose entities are read */
	int at;
	/* number of candidates with an entity, including the candidate at "at" */
	int found;
	int rows; /* number of rows of entities read */
} Near;

static void
offer_term(Near *near, const char *term)
{
	double alike;

	if (!kg_search_has_number(near->search, term) ||
		!kg_chars_set(&near->candidate, term))
		return;
	if (near->candidate.n == near->chars.n && strcmp(near->text, term) == 0)
		return;
	alike = near->parts ? kg_rank_part(&near->chars, &near->candidate)
						: kg_rank_alike(&near->chars, &near->candidate);
	if (alike == 0)
		return;
	if (near->n == near->size)
	{
		near->size *= 2;
		near->terms = repalloc(near->terms, near->size * sizeof(Like));
	}
	near->terms[near->n].term = pstrdup(term);
	near->terms[near->n++].alike = alike;
}

static bool
candidate_row(TupleTableSlot *slot, void *arg)
{
	char *term = TextDatumGetCString(kg_slot_datum(slot, 1));

	offer_term(arg, term);
	pfree(term);
	return true;
}

/* Adds the terms stored under any of the pieces or trigrams. */
static void
offer_stored_by(Near *near, char **keys, int n, int most)
{
	KgSqlBuilder b;

	if (n == 0)
		return;
	kg_sql_start(&b, near->search->catalog);
	kg_sql_append(&b, "SELECT t.term FROM ");
	kg_sql_begin_each(&b,
					  kg_sql_table("kg_trigram"),
					  "x.term",
					  kg_sql_param_texts(&b, keys, n));
	kg_sql_end_each(&b, "trigram", "t");
	kg_sql_append(&b, " LIMIT $%d", kg_sql_param_int64(&b, most));
	(void) kg_sql_run(&b, candidate_row, near);
}

/* ---- trigrams, the rarest first ---- */

typedef struct Rare
{
	char *trigram;
	int64 rows;
} Rare;

static bool
rare_row(TupleTableSlot *slot, void *arg)
{
	Rare **next = arg;

	(*next)->trigram = TextDatumGetCString(kg_slot_datum(slot, 1));
	(*next)->rows = DatumGetInt64(kg_slot_datum(slot, 2));
	(*next)++;
	return true;
}

static int
compare_rare(const void *a, const void *b)
{
	const Rare *x = a;
	const Rare *y = b;

	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return strcmp(x->trigram, y->trigram);
}

/*
 * Counts the terms of each trigram, up to a bound, and sorts by the counts,
 * rarest first. Returns the number of trigrams.
 */
static int
count_trigrams(const Near *near, char **trigrams, int n, Rare *rare)
{
	Rare *next = rare;
	KgSqlBuilder b;

	kg_sql_start(&b, near->search->catalog);
	kg_sql_append(&b,
				  "SELECT u.v, (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM "
				  "%s x WHERE x.tenant = $1 AND x.trigram = u.v",
				  kg_sql_table("kg_trigram"));
	kg_sql_append(
		&b, " LIMIT $%d) c)", kg_sql_param_int64(&b, KG_TRIGRAM_ROWS / 4));
	kg_sql_append(&b,
				  " FROM pg_catalog.unnest($%d) u(v)",
				  kg_sql_param_texts(&b, trigrams, n));
	(void) kg_sql_run(&b, rare_row, &next);
	n = next - rare;
	qsort(rare, n, sizeof(Rare), compare_rare);
	return n;
}

/*
 * Adds the terms that contain the searched text, which has fewer than three
 * letters: it begins a trigram of the term, or the term ends with it.
 */
static void
offer_with_letters(Near *near)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, near->search->catalog);
	kg_sql_append(
		&b,
		"SELECT x.term FROM %s x WHERE x.tenant = $1 AND x.trigram >= $%d",
		kg_sql_table("kg_trigram"),
		kg_sql_param_text(&b, near->text));
	kg_sql_append(&b,
				  " AND x.trigram < $%d",
				  kg_sql_param_text(&b, kg_text_prefix_high(near->text)));
	kg_sql_append(
		&b, " LIMIT $%d", kg_sql_param_int64(&b, 2 * KG_TRIGRAM_ROWS));
	statement = kg_sql_statement(&b);
	if (kg_plan_run(&statement, candidate_row, near) == 2 * KG_TRIGRAM_ROWS)
		near->search->truncated = true;
}

static void
offer_with_trigrams(Near *near)
{
	char **trigrams;
	int n = kg_term_trigrams(near->text, &trigrams);
	Rare *rare = palloc(Max(1, n) * sizeof(Rare));
	int64 rows = 0;
	int taken = 0;

	if (n == 0)
	{
		if (near->paired)
			offer_with_letters(near);
		return;
	}
	n = count_trigrams(near, trigrams, n, rare);
	while (taken < n)
	{
		rows += rare[taken].rows;
		if (taken > 0 && rows > KG_TRIGRAM_ROWS)
			break;
		trigrams[taken] = rare[taken].trigram;
		taken++;
	}
	offer_stored_by(near, trigrams, taken, 2 * KG_TRIGRAM_ROWS);
}

/* ---- entities of the candidates ---- */

static int
compare_likes(const void *a, const void *b)
{
	const Like *x = a;
	const Like *y = b;

	if (x->alike != y->alike)
		return x->alike > y->alike ? -1 : 1;
	return strcmp(x->term, y->term);
}

/*
 * Sorts the candidates, the most similar first, and removes duplicates, which
 * several pieces can produce.
 */
static void
sort_terms(Near *near)
{
	int kept = 0;

	qsort(near->terms, near->n, sizeof(Like), compare_likes);
	for (int i = 0; i < near->n; i++)
		if (kept == 0 ||
			compare_likes(&near->terms[kept - 1], &near->terms[i]) != 0)
			near->terms[kept++] = near->terms[i];
	near->n = kept;
}

/*
 * Records an entity that has a candidate, which is a similar term. Rows come in
 * the order of the terms. Returns false, which ends the reading, if enough
 * candidates have an entity or enough rows were read.
 */
static bool
owner_row(TupleTableSlot *slot, void *arg)
{
	Near *near = arg;
	KgSearch *search = near->search;
	char *term = TextDatumGetCString(kg_slot_datum(slot, 1));
	char kind = DatumGetChar(kg_slot_datum(slot, 2));
	int32 type_no = DatumGetInt32(kg_slot_datum(slot, 3));
	int64 node = DatumGetInt64(kg_slot_datum(slot, 4));
	double alike;
	KgFound *found;

	if (near->found == 0 || strcmp(near->terms[near->at].term, term) != 0)
	{
		if (near->found == near->most)
			return false;
		near->found++;
		while (strcmp(near->terms[near->at].term, term) != 0)
			if (++near->at == near->n)
				elog(ERROR, "terms came in another order than asked for");
	}
	if (near->rows++ == KG_TOKEN_ROWS)
	{
		search->truncated = true;
		return false;
	}
	alike = near->terms[near->at].alike;
	if (kind != KG_TERM_TOKEN)
	{
		kg_search_keep(search,
					   node,
					   type_no,
					   KG_MATCH_TRIGRAM,
					   kind,
					   term,
					   alike - (kind == KG_TERM_ALIAS ? KG_RANK_ALIAS : 0));
		return true;
	}
	found = kg_search_found(search, node, type_no);
	if (found->words[near->token] >= alike)
		return true;
	found->words[near->token] = alike;
	found->near = term;
	search->counts[near->token]++;
	return true;
}

/*
 * Reads the entities of n candidates: the entities that have a candidate as a
 * word, as a name, or as either.
 */
static void
find_owners(Near *near, int first, int n, bool words, bool names)
{
	KgSearch *search = near->search;
	Datum *terms = palloc(n * sizeof(Datum));
	Datum kinds[4];
	int nkinds = 0;
	KgSqlBuilder b;

	for (int i = 0; i < n; i++)
		terms[i] = CStringGetTextDatum(near->terms[first + i].term);
	if (names)
	{
		kinds[nkinds++] = CharGetDatum(KG_TERM_LABEL);
		kinds[nkinds++] = CharGetDatum(KG_TERM_ALIAS);
		kinds[nkinds++] = CharGetDatum(KG_TERM_ID);
	}
	if (words)
		kinds[nkinds++] = CharGetDatum(KG_TERM_TOKEN);
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b, "SELECT t.term, t.kind, t.type_no, t.node FROM ");
	kg_sql_begin_each(&b,
					  kg_sql_table("kg_term"),
					  "x.term, x.kind, x.type_no, x.node",
					  kg_sql_param_array(&b, TEXTOID, terms, n));
	kg_sql_append(&b,
				  " AND x.kind = ANY ($%d)",
				  kg_sql_param_array(&b, CHAROID, kinds, nkinds));
	kg_search_append_types(&b, search, "x");
	kg_sql_visible(&b, "x.node");
	kg_sql_end_each(&b, "term", "t");
	kg_sql_append(&b,
				  " LIMIT $%d",
				  kg_sql_param_int64(&b, KG_TOKEN_ROWS + 1 - near->rows));
	(void) kg_sql_run(&b, owner_row, near);
}

static void
find_nearest(Near *near, bool words, bool names)
{
	int batch = KG_NEAR_TERMS;
	int n;

	sort_terms(near);
	for (int first = 0; first < near->n; first += n)
	{
		if (near->found == near->most || near->rows > KG_TOKEN_ROWS)
		{
			near->search->truncated |= near->paired;
			break;
		}
		n = Min(batch, near->n - first);
		find_owners(near, first, n, words, names);
		batch *= 2;
	}
}

/*
 * Begins a search for a word of the query (token < 0: for the whole query).
 * Returns NULL if the text is too long to be compared.
 */
static Near *
begin(KgSearch *search, int token)
{
	Near *near = palloc0(sizeof(Near));

	near->search = search;
	near->token = token;
	near->text = token < 0 ? search->folded : search->tokens[token];
	near->size = 2 * KG_NEAR_TERMS;
	near->terms = palloc(near->size * sizeof(Like));
	if (!kg_chars_set(&near->chars, near->text))
		return NULL;
	near->paired = kg_is_paired(&near->chars);
	near->most = near->paired
					 ? Max(KG_NEAR_TERMS, kg_setting_max_search_matches)
					 : KG_NEAR_TERMS;
	return near;
}

/*
 * Returns whether the word is the whole query, so that names are searched too.
 */
static bool
is_all(const Near *near)
{
	return strcmp(near->text, near->search->folded) == 0;
}

void
kg_search_near(KgSearch *search, int token)
{
	Near *near = begin(search, token);
	char **pieces;
	int n;

	if (near == NULL)
		return;
	n = kg_term_probes(near->text, &pieces);
	offer_stored_by(near, pieces, n, KG_PIECE_ROWS);
	if (token >= 0)
		offer_with_trigrams(near);
	find_nearest(near, token >= 0, is_all(near));
}

void
kg_search_parts(KgSearch *search, int token)
{
	Near *near = begin(search, token);

	if (near == NULL)
		return;
	near->parts = true;
	offer_with_trigrams(near);
	find_nearest(near, true, is_all(near));
}
