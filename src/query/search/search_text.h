/*
 * search_text.h
 *	  Search by words of texts: x-search properties, ranked by Okapi BM25.
 *
 * What is counted is what the caller may see: where it sees all of its tenant,
 * kg_word_count; where something hides entities, those that it sees and that
 * have one of the words.  Everything is allocated in the current memory
 * context.
 */
#ifndef KG_SEARCH_TEXT_H
#define KG_SEARCH_TEXT_H

#include "query/search/search.h"

/* The longest query, in bytes. */
#define KG_MAX_TEXT_QUERY 8192

/*
 * The best first, as many as score no less than the number most, up to
 * kg_graph.max_search_matches; total is of all that have a word, and where
 * truncated is set there are maybe more.  Raises KG_INVALID_INPUT at path for a
 * query without a word, KG_LIMIT_EXCEEDED where kg_graph.max_visited rows of
 * words do not suffice.
 */
typedef struct KgTextMatches
{
	KgMatches found;
	int64 total;
} KgTextMatches;

extern KgTextMatches *kg_search_text(const KgCatalog *catalog,
									 const char *query, const int32 *type_nos,
									 int ntypes, int most, const char *path);

/* Those words of the query that the matches have, which are put in order. */
extern void kg_search_text_terms(const KgCatalog *catalog, const char *query,
								 KgMatch **matches, int n);

#endif /* KG_SEARCH_TEXT_H */
