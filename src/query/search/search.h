/*
 * search.h
 *	  Search by name: labels, aliases and ids of entities, ranked and
 *	  explained.
 *
 * Exact matches come before prefix, token and trigram matches (typing
 * errors, substrings). Only entities that the caller may see are found.
 * Everything is allocated in the current memory context.
 */
#ifndef KG_SEARCH_H
#define KG_SEARCH_H

#include "base/json.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"

typedef enum KgMatchHow
{
	KG_MATCH_EXACT,
	KG_MATCH_PREFIX,
	KG_MATCH_TOKEN,
	KG_MATCH_TRIGRAM,
	/* words of a text (query/search/search_text.h) */
	KG_MATCH_WORDS,
	/* nearness to a vector (query/search/search_meaning.h) */
	KG_MATCH_MEANING
} KgMatchHow;

typedef struct KgMatch
{
	int64 node;
	int32 type_no;
	KgMatchHow how;
	/* KG_TERM_LABEL or another kind of term (model/term.h) */
	char kind;
	const char *term; /* the matching term, folded */
	/* 0..1, but for KG_MATCH_WORDS unbounded, for KG_MATCH_MEANING a cosine */
	double score;
	/* KG_MATCH_WORDS: words of the query found, char * */
	List *words;
	const KgField *field; /* KG_MATCH_WORDS: property of the passage */
	/* the part of the property's text with these words, or NULL */
	const char *passage;
	const bytea
		/* for KG_MATCH_MEANING: hash of the text that was embedded */
		*embedded;
	/* the entity's text has changed since it was embedded */
	bool stale;
} KgMatch;

typedef struct KgMatches
{
	int n;
	KgMatch *matches; /* by score, best first, then type, node */
	/* there are more than kg_graph.max_search_matches */
	bool truncated;
} KgMatches;

/*
 * Searches in some types (ntypes 0: all). Raises KG_INVALID_INPUT at path for
 * a query without a letter or digit.
 */
extern KgMatches *kg_search_run(const KgCatalog *catalog, const char *query,
								const int32 *type_nos, int ntypes,
								const char *path);

/*
 * Returns the best max matches in a type (0: any). The query may be any text.
 */
extern KgMatches *kg_search_nearest(const KgCatalog *catalog, const char *query,
									int32 type_no, int max);

/*
 * Returns the number of matches to return if a call that searches for a name
 * has no limit: the matches with exactly this name, but at least
 * KG_LEAST_OF_NAME, because the name may be incomplete, and at most
 * KG_MOST_OF_NAME.
 */
#define KG_LEAST_OF_NAME 5
#define KG_MOST_OF_NAME 50
extern int kg_search_limit_of_name(const KgMatches *matches);

/* Sorts the matches: the best first, equal scores by type and node. */
extern void kg_matches_sort(KgMatches *matches);

/*
 * Write the members "kind", "how" and "term"; for words of a text "terms"; for
 * an embedding "stale", if it is. kg_match_write() writes them as the object
 * "matched_on".
 */
extern void kg_match_write(const KgMatch *match, const KgType *type,
						   KgJsonWriter *w);
extern void kg_match_write_members(const KgMatch *match, const KgType *type,
								   KgJsonWriter *w);

#endif /* KG_SEARCH_H */
