/*
 * search.c
 *	  Search by name over kg_term and kg_trigram.
 *
 * Each stage is a bounded index scan: whole names by prefix (an exact match is
 * the prefix that ends there), tokens one by one, and tokens that share
 * trigrams with those asked for.  A term that only kg_trigram knows is never
 * shown: terms reach a reply through kg_term, whose rows belong to entities.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "catalog/key.h"
#include "catalog/pg_type.h"
#include "catalog/term.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "query/args.h"
#include "query/search.h"
#include "query/sql.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

#define KG_MAX_QUERY_TOKENS 8
/* Rows of one token looked at, and similar tokens tried for one. */
#define KG_TOKEN_ROWS 2000
#define KG_SIMILAR_TERMS 32
#define KG_TRIGRAM_ROWS 200000
#define KG_MIN_SIMILARITY 0.4

typedef struct Found
{
	int64 node; /* hash key */
	KgMatch match;
	uint32 tokens;	   /* query tokens that the node has, as bits */
	double similarity; /* summed over them */
	uint32 exact;	   /* those that it has exactly */
	const char *term;  /* of the trigram stage */
} Found;

typedef struct Search
{
	const KgCatalog *catalog;
	const int32 *type_nos;
	int ntypes;
	const char *folded;
	int ntokens;
	char **tokens;
	HTAB *found;
	int token; /* being looked for */
	struct Similar *similar;
	int nsimilar;
	bool truncated;
} Search;

typedef struct Similar
{
	const char *term;
	double similarity;
} Similar;

static Found *
find_node(Search *search, int64 node)
{
	bool exists;
	Found *found = hash_search(search->found, &node, HASH_ENTER, &exists);

	if (!exists)
	{
		memset(found, 0, sizeof(*found));
		found->node = node;
		found->match.node = node;
	}
	return found;
}

static void
keep_best(Search *search, int64 node, int32 type_no, KgMatchHow how, char kind,
		  const char *term, double score)
{
	Found *found = find_node(search, node);

	if (found->match.score >= score)
		return;
	found->match.type_no = type_no;
	found->match.how = how;
	found->match.kind = kind;
	found->match.term = pstrdup(term);
	found->match.score = score;
}

static void
append_types(KgSqlBuilder *b, const Search *search, const char *alias)
{
	Datum *types;

	if (search->ntypes == 0)
		return;
	types = palloc(search->ntypes * sizeof(Datum));
	for (int i = 0; i < search->ntypes; i++)
		types[i] = Int32GetDatum(search->type_nos[i]);
	kg_sql_append(b,
				  " AND %s.type_no" KG_EQ "ANY ($%d)",
				  alias,
				  kg_sql_param_array(b, INT4OID, types, search->ntypes));
}

/* A whole name or id that is the query or begins with it. */
static void
keep_whole(Search *search, int64 node, int32 type_no, char kind,
		   const char *term)
{
	bool exact = strcmp(term, search->folded) == 0;
	double covered = (double) strlen(search->folded) / strlen(term);

	keep_best(search,
			  node,
			  type_no,
			  exact ? KG_MATCH_EXACT : KG_MATCH_PREFIX,
			  kind,
			  term,
			  (exact ? 1.0 : 0.7 + 0.2 * covered) -
				  (kind == KG_TERM_ALIAS ? 0.05 : 0));
}

/*
 * Whole names and, where the query is one word, tokens that begin with it.
 */
static bool
prefix_row(TupleTableSlot *slot, void *arg)
{
	Search *search = arg;
	bool isnull;
	char *term = TextDatumGetCString(slot_getattr(slot, 1, &isnull));
	char kind = DatumGetChar(slot_getattr(slot, 2, &isnull));
	int32 type_no = DatumGetInt32(slot_getattr(slot, 3, &isnull));
	int64 node = DatumGetInt64(slot_getattr(slot, 4, &isnull));
	bool exact = strcmp(term, search->folded) == 0;
	double covered = (double) strlen(search->folded) / strlen(term);

	if (kind == KG_TERM_TOKEN)
	{
		if (!exact)
			keep_best(search,
					  node,
					  type_no,
					  KG_MATCH_PREFIX,
					  kind,
					  term,
					  0.66 + 0.04 * covered);
		return true;
	}
	keep_whole(search, node, type_no, kind, term);
	return true;
}

static void
search_prefix(Search *search, bool with_tokens)
{
	Datum kinds[4] = {CharGetDatum(KG_TERM_LABEL),
					  CharGetDatum(KG_TERM_ALIAS),
					  CharGetDatum(KG_TERM_ID),
					  CharGetDatum(KG_TERM_TOKEN)};
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.term, t.kind, t.type_no, t.node FROM %s t WHERE "
				  "t.tenant" KG_EQ "$1 AND t.term" KG_GE "$%d",
				  kg_sql_table("kg_term"),
				  kg_sql_param_text(&b, search->folded));
	kg_sql_append(&b,
				  " AND t.term" KG_LT "$%d",
				  kg_sql_param_text(&b, kg_text_prefix_high(search->folded)));
	kg_sql_append(&b,
				  " AND t.kind" KG_EQ "ANY ($%d)",
				  kg_sql_param_array(&b, CHAROID, kinds, with_tokens ? 4 : 3));
	append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(&b,
				  " ORDER BY t.term, t.kind, t.type_no, t.node LIMIT $%d",
				  kg_sql_param_int64(&b, kg_setting_max_search_matches + 1));
	statement = kg_sql_statement(&b);
	if (kg_plan_run(&statement, prefix_row, search) >
		kg_setting_max_search_matches)
		search->truncated = true;
}

/* An id that differs from its folded form is among the terms. */
static bool
id_row(TupleTableSlot *slot, void *arg)
{
	Search *search = arg;
	bool isnull;
	char *id = TextDatumGetCString(slot_getattr(slot, 1, &isnull));

	if (strcmp(kg_term_fold(id, strlen(id)), id) == 0)
		keep_whole(search,
				   DatumGetInt64(slot_getattr(slot, 3, &isnull)),
				   DatumGetInt32(slot_getattr(slot, 2, &isnull)),
				   KG_TERM_ID,
				   id);
	return true;
}

static bool
searches_type(const Search *search, const KgType *type)
{
	for (int i = 0; i < search->ntypes; i++)
		if (search->type_nos[i] == type->type_no)
			return true;
	return search->ntypes == 0;
}

static void
search_ids(Search *search)
{
	const KgCatalog *catalog = search->catalog;
	Datum *bundles = palloc(Max(1, catalog->ntypes) * sizeof(Datum));
	Datum *names = palloc(Max(1, catalog->ntypes) * sizeof(Datum));
	int n = 0;
	int bundles_param;
	KgSqlBuilder b;
	KgStatement statement;

	for (int i = 0; i < catalog->ntypes; i++)
	{
		if (!searches_type(search, catalog->types[i]))
			continue;
		bundles[n] = CStringGetTextDatum(catalog->types[i]->bundle);
		names[n++] = CStringGetTextDatum(catalog->types[i]->name);
	}
	kg_sql_start(&b, catalog);
	bundles_param = kg_sql_param_array(&b, TEXTOID, bundles, n);
	kg_sql_append(&b,
				  "SELECT e.entity_id, e.type_no, e.node FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), pg_catalog.unnest($%d)) "
				  "AS t(bundle, entity_type) "
				  "CROSS JOIN LATERAL (SELECT x.entity_id, x.type_no, x.node "
				  "FROM %s x WHERE x.tenant" KG_EQ "$1 AND x.bundle" KG_EQ
				  "t.bundle AND x.entity_type" KG_EQ "t.entity_type",
				  bundles_param,
				  kg_sql_param_array(&b, TEXTOID, names, n),
				  kg_sql_table("kg_entity"));
	kg_sql_append(&b,
				  " AND x.entity_id" KG_GE "$%d",
				  kg_sql_param_text(&b, search->folded));
	kg_sql_append(&b,
				  " AND x.entity_id" KG_LT "$%d",
				  kg_sql_param_text(&b, kg_text_prefix_high(search->folded)));
	kg_sql_append(&b,
				  " ORDER BY x.entity_id LIMIT $%d) e",
				  kg_sql_param_int64(&b, kg_setting_max_search_matches + 1));
	statement = kg_sql_statement(&b);
	if (kg_plan_run(&statement, id_row, search) > kg_setting_max_search_matches)
		search->truncated = true;
}

/*
 * Entities with one of the tokens, and how many of the others they have.
 */
static bool
token_row(TupleTableSlot *slot, void *arg)
{
	Search *search = arg;
	bool isnull;
	int32 type_no = DatumGetInt32(slot_getattr(slot, 1, &isnull));
	int64 node = DatumGetInt64(slot_getattr(slot, 2, &isnull));
	int64 n = DatumGetInt64(slot_getattr(slot, 3, &isnull));
	Found *found = find_node(search, node);

	found->exact |= 1u << search->token;
	found->match.type_no = type_no;
	keep_best(search,
			  node,
			  type_no,
			  KG_MATCH_TOKEN,
			  KG_TERM_TOKEN,
			  search->tokens[search->token],
			  0.36 + 0.28 * n / search->ntokens);
	return true;
}

static void
search_token(Search *search, int token)
{
	Datum *tokens = palloc(search->ntokens * sizeof(Datum));
	KgSqlBuilder b;
	KgStatement statement;

	search->token = token;
	for (int i = 0; i < search->ntokens; i++)
		tokens[i] = CStringGetTextDatum(search->tokens[i]);
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.type_no, t.node, (SELECT pg_catalog.count(*) FROM "
				  "%s o WHERE o.tenant" KG_EQ "$1 AND o.term" KG_EQ "ANY ($%d)",
				  kg_sql_table("kg_term"),
				  kg_sql_param_array(&b, TEXTOID, tokens, search->ntokens));
	kg_sql_append(&b,
				  " AND o.kind" KG_EQ "$%d AND o.type_no" KG_EQ
				  "t.type_no AND o.node" KG_EQ "t.node)",
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	kg_sql_append(&b,
				  " FROM %s t WHERE t.tenant" KG_EQ "$1 AND t.term" KG_EQ "$%d",
				  kg_sql_table("kg_term"),
				  kg_sql_param(&b, TEXTOID, tokens[token]));
	kg_sql_append(&b,
				  " AND t.kind" KG_EQ "$%d",
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(&b,
				  " ORDER BY t.type_no, t.node LIMIT $%d",
				  kg_sql_param_int64(&b, KG_TOKEN_ROWS + 1));
	statement = kg_sql_statement(&b);
	if (kg_plan_run(&statement, token_row, search) > KG_TOKEN_ROWS)
		search->truncated = true;
}

/*
 * Tokens that look like one of the query's: shared trigrams over all of both,
 * as pg_trgm's similarity(), or containing it.
 */
typedef struct Trigrams
{
	Search *search;
	const char *token;
	int ntrigrams;
} Trigrams;

static bool
similar_row(TupleTableSlot *slot, void *arg)
{
	Trigrams *trigrams = arg;
	Search *search = trigrams->search;
	bool isnull;
	char *term = TextDatumGetCString(slot_getattr(slot, 1, &isnull));
	int64 shared = DatumGetInt64(slot_getattr(slot, 2, &isnull));
	char **of_term;
	int n = kg_term_trigrams(term, &of_term);
	double similarity = (double) shared /
						Max(1, trigrams->ntrigrams + n - shared);
	int worst = 0;

	if (strcmp(term, trigrams->token) == 0)
		return true;
	if (strstr(term, trigrams->token) != NULL)
		similarity = Max(similarity,
						 KG_MIN_SIMILARITY +
							 0.5 * strlen(trigrams->token) / strlen(term));
	if (similarity < KG_MIN_SIMILARITY)
		return true;
	if (search->nsimilar < KG_SIMILAR_TERMS)
		worst = search->nsimilar++;
	else
	{
		for (int i = 1; i < search->nsimilar; i++)
			if (search->similar[i].similarity <
				search->similar[worst].similarity)
				worst = i;
		if (search->similar[worst].similarity >= similarity)
			return true;
	}
	search->similar[worst].term = term;
	search->similar[worst].similarity = Min(similarity, 0.99);
	return true;
}

static bool
similar_entity_row(TupleTableSlot *slot, void *arg)
{
	Search *search = arg;
	bool isnull;
	char *term = TextDatumGetCString(slot_getattr(slot, 1, &isnull));
	int32 type_no = DatumGetInt32(slot_getattr(slot, 2, &isnull));
	int64 node = DatumGetInt64(slot_getattr(slot, 3, &isnull));
	Found *found = find_node(search, node);
	uint32 bit = 1u << search->token;

	for (int i = 0; i < search->nsimilar; i++)
	{
		if (strcmp(search->similar[i].term, term) != 0)
			continue;
		if (!((found->tokens | found->exact) & bit))
		{
			found->tokens |= bit;
			found->similarity += search->similar[i].similarity;
			found->term = term;
			if (found->match.score == 0)
				found->match.type_no = type_no;
		}
		break;
	}
	return true;
}

static void
search_similar(Search *search, int token)
{
	Trigrams trigrams;
	char **list;
	int n = kg_term_trigrams(search->tokens[token], &list);
	Datum *values = palloc(Max(1, n) * sizeof(Datum));
	KgSqlBuilder b;
	KgStatement statement;

	if (pg_mbstrlen(search->tokens[token]) < 3)
		return;
	search->token = token;
	search->nsimilar = 0;
	trigrams.search = search;
	trigrams.token = search->tokens[token];
	trigrams.ntrigrams = n;
	for (int i = 0; i < n; i++)
		values[i] = CStringGetTextDatum(list[i]);
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT g.term, pg_catalog.count(*) FROM (SELECT t.term "
				  "FROM %s t WHERE t.tenant" KG_EQ "$1 AND t.trigram" KG_EQ
				  "ANY ($%d)",
				  kg_sql_table("kg_trigram"),
				  kg_sql_param_array(&b, TEXTOID, values, n));
	kg_sql_append(&b,
				  " LIMIT $%d) g GROUP BY g.term HAVING pg_catalog.count(*)",
				  kg_sql_param_int64(&b, KG_TRIGRAM_ROWS));
	kg_sql_append(
		&b,
		KG_GE "$%d",
		kg_sql_param_int64(&b, Max(1, (int) (n * KG_MIN_SIMILARITY))));
	statement = kg_sql_statement(&b);
	(void) kg_plan_run(&statement, similar_row, &trigrams);
	if (search->nsimilar == 0)
		return;

	values = palloc(search->nsimilar * sizeof(Datum));
	for (int i = 0; i < search->nsimilar; i++)
		values[i] = CStringGetTextDatum(search->similar[i].term);
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT t.term, t.type_no, t.node FROM %s t WHERE "
				  "t.tenant" KG_EQ "$1 AND t.term" KG_EQ "ANY ($%d)",
				  kg_sql_table("kg_term"),
				  kg_sql_param_array(&b, TEXTOID, values, search->nsimilar));
	kg_sql_append(&b,
				  " AND t.kind" KG_EQ "$%d",
				  kg_sql_param(&b, CHAROID, CharGetDatum(KG_TERM_TOKEN)));
	append_types(&b, search, "t");
	kg_sql_visible(&b, "t.node");
	kg_sql_append(&b, " LIMIT $%d", kg_sql_param_int64(&b, KG_TOKEN_ROWS + 1));
	statement = kg_sql_statement(&b);
	if (kg_plan_run(&statement, similar_entity_row, search) > KG_TOKEN_ROWS)
		search->truncated = true;
}

static int
count_bits(uint32 bits)
{
	int n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
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

/* At least half of the words must be there, exactly or nearly. */
static KgMatches *
collect(Search *search, int max)
{
	KgMatches *result = palloc0(sizeof(*result));
	HASH_SEQ_STATUS scan;
	Found *found;

	result->matches = palloc(Max(1, hash_get_num_entries(search->found)) *
							 sizeof(KgMatch));
	hash_seq_init(&scan, search->found);
	while ((found = hash_seq_search(&scan)) != NULL)
	{
		int have = count_bits(found->tokens | found->exact);

		if (found->tokens && have * 2 >= search->ntokens)
		{
			double score = (found->similarity + count_bits(found->exact)) /
						   search->ntokens;

			/* Nearly all words beat half of them exactly. */
			if (found->match.score == 0 ||
				(found->match.how == KG_MATCH_TOKEN &&
				 count_bits(found->exact) < search->ntokens))
			{
				found->match.how = KG_MATCH_TRIGRAM;
				found->match.kind = KG_TERM_TOKEN;
				found->match.term = found->term;
				found->match.score = 0.05 + 0.3 * score;
			}
		}
		else if (found->match.how == KG_MATCH_TOKEN &&
				 have * 2 < search->ntokens)
			continue;
		if (found->match.score > 0)
			result->matches[result->n++] = found->match;
	}
	if (result->n > 1)
		qsort(result->matches, result->n, sizeof(KgMatch), compare_matches);
	result->truncated = search->truncated || result->n > max;
	result->n = Min(result->n, max);
	return result;
}

static KgMatches *
run_search(const KgCatalog *catalog, const char *query, const int32 *type_nos,
		   int ntypes, int max)
{
	Search search;
	HASHCTL ctl;

	memset(&search, 0, sizeof(search));
	search.catalog = catalog;
	search.type_nos = type_nos;
	search.ntypes = ntypes;
	search.folded = kg_term_fold(query, strlen(query));
	search.ntokens = kg_term_tokens(search.folded, &search.tokens);
	search.ntokens = Min(search.ntokens, KG_MAX_QUERY_TOKENS);
	search.similar = palloc(KG_SIMILAR_TERMS * sizeof(Similar));
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(Found);
	ctl.hcxt = CurrentMemoryContext;
	search.found = hash_create(
		"kg_graph search", 256, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	if (search.folded[0] != '\0')
	{
		search_prefix(&search,
					  search.ntokens == 1 &&
						  strcmp(search.tokens[0], search.folded) == 0);
		search_ids(&search);
	}
	for (int i = 0; i < search.ntokens; i++)
	{
		CHECK_FOR_INTERRUPTS();
		search_token(&search, i);
	}
	for (int i = 0; i < search.ntokens; i++)
	{
		CHECK_FOR_INTERRUPTS();
		search_similar(&search, i);
	}
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

		kg_error_throw(
			kg_args_error(path,
						  &got,
						  psprintf("a name or a part of one, of 1 to %d bytes",
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

const char *
kg_match_how_name(KgMatchHow how)
{
	static const char *const names[] = {"exact", "prefix", "token", "trigram"};

	return names[how];
}

const char *
kg_match_kind_name(char kind)
{
	switch (kind)
	{
		case KG_TERM_LABEL:
			return "label";
		case KG_TERM_ALIAS:
			return "alias";
		case KG_TERM_ID:
			return "id";
		default:
			return "token";
	}
}

void
kg_match_write(const KgMatch *match, KgJsonWriter *w)
{
	kg_jw_key(w, "matched_on");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "kind", kg_match_kind_name(match->kind));
	kg_jw_kstring(w, "how", kg_match_how_name(match->how));
	kg_jw_kstring(w, "term", match->term);
	kg_jw_end_object(w);
}
