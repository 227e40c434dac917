/*
 * search_text.h
 *	  Search by words of texts: x-search properties, ranked by Okapi BM25.
 *
 * Counts of words include only entities that the caller may see. For a caller
 * that sees the whole tenant, the counts come from kg_word_count. For other
 * callers, the visible entities with one of the words are counted. All results
 * are allocated in the current memory context.
 */
#ifndef KG_SEARCH_TEXT_H
#define KG_SEARCH_TEXT_H

#include "query/search/search.h"

/* The maximum length of a query, in bytes. */
#define KG_MAX_TEXT_QUERY 8192

/*
 * The matches of a text, the best first. These are all matches whose score is
 * at least the score of match number "most", but at most
 * kg_graph.max_search_matches. total counts all entities that have a word; if
 * truncated is set there may be more. The search raises KG_INVALID_INPUT at
 * path for a query without a word, and KG_LIMIT_EXCEEDED if more than
 * kg_graph.max_visited rows of words would be read.
 */
typedef struct KgTextMatches
{
	KgMatches found;
	int64 total;
} KgTextMatches;

extern KgTextMatches *kg_search_text(const KgCatalog *catalog,
									 const char *query, const int32 *type_nos,
									 int ntypes, int most, const char *path);

/*
 * Sets, in each match, the words of the query that the entity has. Reorders
 * the matches.
 */
extern void kg_search_text_terms(const KgCatalog *catalog, const char *query,
								 KgMatch **matches, int n);

#endif /* KG_SEARCH_TEXT_H */
