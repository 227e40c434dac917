/*
 * search_meaning.h
 *	  Search by meaning: the entities whose embeddings are nearest to a
 *	  vector, by the cosine of the angle between them.
 *
 * The search is exact: it reads every embedding of the tenant, or of some of
 * its types. An index of pgvector would contain the rows of all tenants. It
 * would find too few rows under row-level security, and the time of a search
 * would reveal data of other tenants.
 */
#ifndef KG_SEARCH_MEANING_H
#define KG_SEARCH_MEANING_H

#include "query/search/search.h"
#include "utils/array.h"

/*
 * Returns the nearest entities that the caller sees, at most "most", the
 * nearest first. Sets truncated if there are more. vector comes from
 * kg_vector_read(). Raises KG_INVALID_INPUT if pgvector is not installed.
 */
extern KgMatches *kg_search_meaning(const KgCatalog *catalog, ArrayType *vector,
									const int32 *type_nos, int ntypes,
									int most);

/*
 * Returns the entities of a type that the caller sees and that have no
 * embedding or a stale embedding, ordered by id: {"items": [{"id", "version",
 * "text"}], "more"}. most and kg_graph.max_reply_bytes limit them.
 */
extern Jsonb *kg_missing_embeddings(const KgCatalog *catalog,
									const KgType *type, int most);

#endif /* KG_SEARCH_MEANING_H */
