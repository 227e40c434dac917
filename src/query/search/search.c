/*
 * search.c
 *	  Search by name over kg_term, kg_trigram and the ids of kg_entity.
 *
 * Each stage is a bounded index scan. The first stage finds whole names and ids
 * by prefix; an exact match is a prefix that ends with the name. Later stages
 * find similar names (search_near.c) and ids (search_ids.c), then exact or
 * similar words. The names of the best entities with matching words are then
 * read and ranked as wholes (rank.h).
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "model/word.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "model/marks.h"
#include "query/search/rank.h"
#include "query/search/search_run.h"
#include "utils/builtins.h"

/* Maximum number of entities whose names are read for ranking. */
#define KG_NAMED 200
/*
 * A word that more entities than this have is common, and does not find
 * entities by itself.
 */
#define KG_COMMON 500
/* Similar ids are searched only if every name scores below this. */
#define KG_ENOUGH 0.6

/* ---- whole names ---- */

/*
 * Records a whole name, or a token of a one-word query, that begins with the
 * query.
 */
static bool
prefix_row(TupleTableSlot *slot, void *arg)
{
	KgSearch *search = arg;
	char *term = TextDatumGetCString(kg_slot_datum(slot, 1));
	char kind = DatumGetChar(kg_slot_datum(slot, 2));
	int32 type_no = DatumGetInt32(kg_slot_datum(slot, 3));
	int64 node = DatumGetInt64(kg_slot_datum(slot, 4));
	bool exact = strcmp(term, search->folded) == 0;
	double part = (double) strlen(search->folded) / strlen(term);
	double score = exact ? KG_RANK_EXACT
				   : kind == KG_TERM_TOKEN
					   ? kg_rank_word_prefix(part)
					   : kg_search_rank_prefix(search, term);

	if (kind == KG_TERM_TOKEN && exact)
		/* exact tokens are counted by count_tokens() */
		return true;
	kg_search_keep(search,
				   node,
				   type_no,
				   exact ? KG_MATCH_EXACT : KG_MATCH_PREFIX,
				   kind,
				   term,
				   score - (kind == KG_TERM_ALIAS ? KG_RANK_ALIAS : 0));
	return true;
}

static void
search_prefix(KgSearch *search, bool with_tokens)
{
	Datum kinds[4] = {CharGetDatum(KG_TERM_LABEL),
					  CharGetDatum(KG_TERM_ALIAS),
					  CharGetDatum(KG_TERM_ID),
					  CharGetDatum(KG_TERM_TOKEN)};
	KgSqlBuilder b;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.term, t.kind, t.type_no, t.node FROM %s t WHERE "
				  "t.tenant = $1 AND t.term >= $%d",
				  kg_sql_table("kg_term"),
				  kg_sql_param_text(&b, search->folded));
	kg_sql_append(&b,
				  " AND t.term < $%d",
				  kg_sql_param_text(&b, kg_text_prefix_high(search->folded)));
	kg_sql_append(&b,
				  " AND t.kind = ANY ($%d)",
				  kg_sql_param_array(&b, CHAROID, kinds, with_tokens ? 4 : 3));
	kg_search_append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(&b,
				  " ORDER BY t.term, t.kind, t.type_no, t.node LIMIT $%d",
				  kg_sql_param_int64(&b, kg_setting_max_search_matches + 1));
	if (kg_sql_run(&b, prefix_row, search) > kg_setting_max_search_matches)
		search->truncated = true;
}

/* ---- words ---- */

static bool
count_row(TupleTableSlot *slot, void *arg)
{
	KgSearch *search = arg;
	char *token = TextDatumGetCString(kg_slot_datum(slot, 1));

	for (int i = 0; i < search->ntokens; i++)
		if (strcmp(search->tokens[i], token) == 0)
			search->counts[i] = DatumGetInt64(kg_slot_datum(slot, 2));
	return true;
}

/* Counts the entities with each word, up to KG_TOKEN_ROWS + 1. */
static void
count_tokens(KgSearch *search)
{
	KgSqlBuilder b;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT u.v, (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM "
				  "%s t WHERE t.tenant = $1 AND t.term = u.v AND t.kind = $%d",
				  kg_sql_table("kg_term"),
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	kg_search_append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(
		&b, " LIMIT $%d) c)", kg_sql_param_int64(&b, KG_TOKEN_ROWS + 1));
	kg_sql_append(&b,
				  " FROM pg_catalog.unnest($%d) u(v)",
				  kg_sql_param_texts(&b, search->tokens, search->ntokens));
	(void) kg_sql_run(&b, count_row, search);
}

typedef struct Word
{
	KgSearch *search;
	int token;
} Word;

static bool
word_row(TupleTableSlot *slot, void *arg)
{
	Word *word = arg;
	int32 type_no = DatumGetInt32(kg_slot_datum(slot, 1));
	int64 node = DatumGetInt64(kg_slot_datum(slot, 2));

	kg_search_found(word->search, node, type_no)->words[word->token] = 1;
	return true;
}

/* Records as found the entities that have the word. */
static void
find_word(KgSearch *search, int token)
{
	Word word = {search, token};
	KgSqlBuilder b;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.type_no, t.node FROM %s t WHERE t.tenant = $1 AND "
				  "t.term = $%d",
				  kg_sql_table("kg_term"),
				  kg_sql_param_text(&b, search->tokens[token]));
	kg_sql_append(&b,
				  " AND t.kind = $%d",
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	kg_search_append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(&b,
				  " ORDER BY t.type_no, t.node LIMIT $%d",
				  kg_sql_param_int64(&b, KG_TOKEN_ROWS));
	(void) kg_sql_run(&b, word_row, &word);
}

/*
 * Records which of the entities found so far have a common word.
 *
 * Each entity is looked up once in the primary key, by a range with equal
 * bounds. With an equality on node, the planner could choose the index of
 * nodes, whose cost it estimates as equal if pages are not all-visible. That
 * index would read all terms of a node.
 */
static void
find_word_in_found(KgSearch *search, int token)
{
	Word word = {search, token};
	int n = (int) hash_get_num_entries(search->found);
	Datum *types = palloc(Max(1, n) * sizeof(Datum));
	Datum *nodes = palloc(Max(1, n) * sizeof(Datum));
	HASH_SEQ_STATUS scan;
	KgFound *found;
	KgSqlBuilder b;

	n = 0;
	hash_seq_init(&scan, search->found);
	while ((found = hash_seq_search(&scan)) != NULL)
	{
		types[n] = Int32GetDatum(found->match.type_no);
		nodes[n++] = Int64GetDatum(found->node);
	}
	if (n == 0)
		return;
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.type_no, t.node FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, INT4OID, types, n));
	kg_sql_append(&b,
				  "pg_catalog.unnest($%d)) AS t(type_no, node) WHERE EXISTS "
				  "(SELECT 1 FROM %s x WHERE x.tenant = $1",
				  kg_sql_param_array(&b, INT8OID, nodes, n),
				  kg_sql_table("kg_term"));
	kg_sql_append(
		&b, " AND x.term = $%d", kg_sql_param_text(&b, search->tokens[token]));
	kg_sql_append(&b,
				  " AND x.kind = $%d AND ROW(x.type_no, x.node) >= "
				  "ROW(t.type_no, t.node) AND ROW(x.type_no, x.node) <= "
				  "ROW(t.type_no, t.node) OFFSET 0)",
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	(void) kg_sql_run(&b, word_row, &word);
}

static bool
is_paired(const char *token)
{
	KgChars *chars = palloc(sizeof(KgChars));
	bool result = kg_chars_set(chars, token) && kg_is_paired(chars);

	pfree(chars);
	return result;
}

/*
 * Finds entities by the words of the query.
 *
 * A word that no entity has is searched with typing errors and as a part of
 * other words. A single word is searched in that way too, unless a name
 * matches it exactly. A word of a script without spaces is always searched as
 * a part of other words, because it usually is only a part. Common words find
 * entities only if the query has no rarer word.
 */
static void
find_words(KgSearch *search)
{
	bool any = false;
	int rarest = 0;

	if (search->ntokens == 0)
		return;
	count_tokens(search);
	for (int i = 1; i < search->ntokens; i++)
		if (search->counts[i] > 0 &&
			(search->counts[rarest] == 0 ||
			 search->counts[i] < search->counts[rarest]))
			rarest = i;
	for (int i = 0; i < search->ntokens; i++)
	{
		bool nobody = search->counts[i] == 0;

		CHECK_FOR_INTERRUPTS();
		if (!nobody && search->counts[i] <= KG_COMMON)
		{
			find_word(search, i);
			any = true;
		}
		if (nobody || (search->ntokens == 1 && search->best < KG_RANK_EXACT))
			kg_search_near(search, i);
		else if (is_paired(search->tokens[i]))
			kg_search_parts(search, i);
	}
	if (!any && search->counts[rarest] > 0)
	{
		find_word(search, rarest);
		search->truncated |= search->counts[rarest] > KG_TOKEN_ROWS;
	}
	for (int i = 0; i < search->ntokens; i++)
		if (search->counts[i] > KG_COMMON && (any || i != rarest))
			find_word_in_found(search, i);
}

/* ---- ranks ---- */

/*
 * Sets the share (0 to 1) of the query's weight that the entity's words have.
 * It is 0 if the entity has less than half of the words and less than half of
 * the weight.
 */
static void
weigh_words(const KgSearch *search, KgFound *found)
{
	double has = 0;
	double all = 0;
	int n = 0;

	for (int i = 0; i < search->ntokens; i++)
	{
		double weight = kg_rank_rarity(search->counts[i]);

		all += weight;
		has += weight * found->words[i];
		n += found->words[i] > 0;
	}
	found->said = n > 0 && (2 * n >= search->ntokens || 2 * has >= all)
					  ? has / all
					  : 0;
}

static int
compare_found(const void *a, const void *b)
{
	const KgFound *x = *(KgFound *const *) a;
	const KgFound *y = *(KgFound *const *) b;

	if (x->said != y->said)
		return x->said > y->said ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/*
 * Records a match by words. The term shown is the rarest exact word, or the
 * similar term if a word matches only nearly.
 */
static void
keep_words(KgSearch *search, KgFound *found, double part)
{
	int shown = -1;
	bool all = true;
	const char *term;

	for (int i = 0; i < search->ntokens; i++)
	{
		all &= found->words[i] == 1;
		if (found->words[i] == 1 &&
			(shown < 0 || search->counts[i] < search->counts[shown]))
			shown = i;
	}
	term = shown < 0 || (found->near && !all) ? found->near
											  : search->tokens[shown];
	kg_search_keep(search,
				   found->node,
				   found->match.type_no,
				   found->near && !all ? KG_MATCH_TRIGRAM : KG_MATCH_TOKEN,
				   KG_TERM_TOKEN,
				   term ? term : search->tokens[shown],
				   kg_rank_words(found->said, part));
}

typedef struct Naming
{
	KgSearch *search;
	KgChars name; /* characters of the current name; the buffer is reused */
} Naming;

static bool
name_row(TupleTableSlot *slot, void *arg)
{
	Naming *naming = arg;
	KgSearch *search = naming->search;
	int64 node = DatumGetInt64(kg_slot_datum(slot, 1));
	char kind = DatumGetChar(kg_slot_datum(slot, 2));
	int32 type_no = DatumGetInt32(kg_slot_datum(slot, 3));
	char *term = TextDatumGetCString(kg_slot_datum(slot, 4));
	KgFound *found = kg_search_found(search, node, type_no);
	double alike;

	if (kg_chars_set(&naming->name, term))
	{
		alike = kg_rank_alike(&search->chars, &naming->name);
		if (alike > 0 && alike < 1)
			kg_search_keep(search,
						   node,
						   type_no,
						   KG_MATCH_TRIGRAM,
						   kind,
						   term,
						   alike - (kind == KG_TERM_ALIAS ? KG_RANK_ALIAS : 0));
		if (kind != KG_TERM_ID)
			keep_words(search,
					   found,
					   (double) search->chars.n / Max(1, naming->name.n));
	}
	pfree(term);
	return true;
}

/*
 * Reads the names of entities with matching words, and ranks the entities by
 * these names.
 */
static void
rank_by_names(KgSearch *search, KgFound **found, int n)
{
	Datum kinds[3] = {CharGetDatum(KG_TERM_LABEL),
					  CharGetDatum(KG_TERM_ALIAS),
					  CharGetDatum(KG_TERM_ID)};
	Datum *nodes = palloc(n * sizeof(Datum));
	Naming *naming = palloc(sizeof(Naming));
	KgSqlBuilder b;

	naming->search = search;
	for (int i = 0; i < n; i++)
		nodes[i] = Int64GetDatum(found[i]->node);
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b, "SELECT t.node, t.kind, t.type_no, t.term FROM ");
	kg_sql_begin_each(&b,
					  kg_sql_table("kg_term"),
					  "x.node, x.kind, x.type_no, x.term",
					  kg_sql_param_array(&b, INT8OID, nodes, n));
	kg_sql_append(&b,
				  " AND x.kind = ANY ($%d)",
				  kg_sql_param_array(&b, CHAROID, kinds, lengthof(kinds)));
	kg_sql_end_each(&b, "node", "t");
	(void) kg_sql_run(&b, name_row, naming);
}

static void
rank_words(KgSearch *search)
{
	KgFound **with = palloc(Max(1, hash_get_num_entries(search->found)) *
							sizeof(KgFound *));
	HASH_SEQ_STATUS scan;
	KgFound *found;
	int n = 0;

	hash_seq_init(&scan, search->found);
	while ((found = hash_seq_search(&scan)) != NULL)
	{
		weigh_words(search, found);
		if (found->said == 0)
			continue;
		keep_words(search, found, 0);
		with[n++] = found;
	}
	if (n == 0)
		return;
	qsort(with, n, sizeof(KgFound *), compare_found);
	rank_by_names(search, with, Min(n, KG_NAMED));
}

static int
compare_matches(const void *a, const void *b)
{
	const KgMatch *x = a;
	const KgMatch *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->type_no != y->type_no)
		return x->type_no < y->type_no ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

void
kg_matches_sort(KgMatches *matches)
{
	if (matches->n > 1)
		qsort(matches->matches, matches->n, sizeof(KgMatch), compare_matches);
}

int
kg_search_limit_of_name(const KgMatches *matches)
{
	int n = 0;

	while (n < matches->n && matches->matches[n].how == KG_MATCH_EXACT)
		n++;
	return Min(Max(n, KG_LEAST_OF_NAME), KG_MOST_OF_NAME);
}

static KgMatches *
collect(KgSearch *search, int max)
{
	KgMatches *result = palloc0(sizeof(*result));
	HASH_SEQ_STATUS scan;
	KgFound *found;

	result->matches = palloc(Max(1, hash_get_num_entries(search->found)) *
							 sizeof(KgMatch));
	hash_seq_init(&scan, search->found);
	while ((found = hash_seq_search(&scan)) != NULL)
		if (found->match.score > 0)
			result->matches[result->n++] = found->match;
	kg_matches_sort(result);
	result->truncated = search->truncated || result->n > max;
	result->n = Min(result->n, max);
	return result;
}

/*
 * If a query is a number of one to eight digits, returns it without leading
 * zeros; otherwise NULL.
 */
static const char *
number_of(const char *folded)
{
	int len = strlen(folded);

	if (len == 0 || len > 8 || strspn(folded, "0123456789") != (size_t) len)
		return NULL;
	while (folded[0] == '0' && folded[1] != '\0')
		folded++;
	return folded;
}

static KgMatches *
run_search(const KgCatalog *catalog, const char *query, const int32 *type_nos,
		   int ntypes, int max)
{
	KgSearch search;
	HASHCTL ctl;
	bool one_word;

	memset(&search, 0, sizeof(search));
	search.catalog = catalog;
	search.type_nos = type_nos;
	search.ntypes = ntypes;
	search.folded = kg_term_fold(query, strlen(query));
	(void) kg_chars_set(&search.chars, search.folded);
	search.ntokens = kg_term_tokens(search.folded, &search.tokens);
	search.ntokens = Min(search.ntokens, KG_MAX_QUERY_TOKENS);
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(KgFound);
	ctl.hcxt = CurrentMemoryContext;
	search.found = hash_create(
		"kg_graph search", 256, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	search.number = number_of(search.folded);
	one_word = search.ntokens == 1 &&
			   strcmp(search.tokens[0], search.folded) == 0;
	if (search.folded[0] != '\0')
	{
		search_prefix(&search, one_word);
		kg_search_ids(&search);
		if (search.best < KG_RANK_EXACT)
			kg_search_merged(&search, query);
		kg_search_numbered_ids(&search);
		if (!one_word && search.best < KG_RANK_EXACT)
			kg_search_near(&search, -1);
	}
	find_words(&search);
	rank_words(&search);
	if (search.best < KG_ENOUGH)
		kg_search_near_ids(&search);
	return collect(&search, max);
}

KgMatches *
kg_search_run(const KgCatalog *catalog, const char *query,
			  const int32 *type_nos, int ntypes, const char *path)
{
	char *folded = kg_term_fold(query, strlen(query));

	if (folded[0] == '\0' || strlen(query) > KG_MAX_TERM_BYTES)
	{
		JsonbValue got = kg_json_string_value(query);

		kg_error_throw(kg_args_error(
			path,
			&got,
			psprintf("a name or a part of a name, of 1 to %d bytes, "
					 "with a letter or digit",
					 KG_MAX_TERM_BYTES)));
	}
	return run_search(
		catalog, query, type_nos, ntypes, kg_setting_max_search_matches);
}

KgMatches *
kg_search_nearest(const KgCatalog *catalog, const char *query, int32 type_no,
				  int max)
{
	return run_search(catalog, query, &type_no, type_no != 0 ? 1 : 0, max);
}

static const char *
how_name(KgMatchHow how)
{
	static const char *const names[] = {
		"exact", "prefix", "token", "trigram", "words", "meaning"};

	return names[how];
}

static const char *
kind_name(char kind)
{
	switch (kind)
	{
		case KG_TERM_LABEL:
			return "label";
		case KG_TERM_ALIAS:
			return "alias";
		case KG_TERM_ID:
			return "id";
		case KG_TERM_TEXT:
			return "text";
		case KG_TERM_EMBEDDING:
			return "embedding";
		default:
			return "token";
	}
}

/*
 * Returns the field of the type that the matched text may come from, or NULL.
 * An untrusted field has priority.
 */
static const KgField *
matched_field(const KgMatch *match, const KgType *type)
{
	bool token = match->kind == KG_TERM_TOKEN;
	const KgField *label = type->label_field;

	if (match->kind == KG_TERM_ALIAS || token)
		for (int i = 0; i < type->naliases; i++)
			if (type->alias_fields[i]->untrusted)
				return type->alias_fields[i];
	if ((match->kind == KG_TERM_LABEL || token) && label && label->untrusted)
		return label;
	return match->kind == KG_TERM_ID || token ? type->id_field : NULL;
}

/*
 * Terms of a match by words of texts are words of the query, so they need no
 * mark as untrusted.
 */
void
kg_match_write_members(const KgMatch *match, const KgType *type,
					   KgJsonWriter *w)
{
	kg_jw_kstring(w, "kind", kind_name(match->kind));
	kg_jw_kstring(w, "how", how_name(match->how));
	if (match->how == KG_MATCH_WORDS)
	{
		kg_jw_klist(w, "terms", match->words);
		if (match->passage == NULL)
			return;
		kg_jw_kstring(w, "property", match->field->name);
		kg_jw_kstring(w, "passage", match->passage);
		kg_marks_write_member(match->field, "passage", w);
		return;
	}
	if (match->how == KG_MATCH_MEANING)
	{
		if (match->stale)
			kg_jw_kbool(w, "stale", true);
		return;
	}
	kg_jw_kstring(w, "term", match->term);
	kg_marks_write_member(matched_field(match, type), "term", w);
}

void
kg_match_write(const KgMatch *match, const KgType *type, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "matched_on");
	kg_match_write_members(match, type, w);
	kg_jw_end_object(w);
}
