/*
 * search_meaning.h
 *	  Search by meaning: the entities whose embeddings are nearest to a vector,
 *	  by the cosine of the angle between them.
 *
 * It is exact: every embedding of the tenant, or of some of its types, is
 * looked at.  An index of pgvector's would be shared by all tenants, find too
 * few rows under row-level security, and tell by the time that it takes of what
 * others have.
 */
#ifndef KG_SEARCH_MEANING_H
#define KG_SEARCH_MEANING_H

#include "query/search/search.h"
#include "utils/array.h"

/*
 * The nearest entities that the caller sees, at most so many, the nearest first;
 * truncated where there are more.  vector is one of kg_vector_read().  Raises
 * KG_INVALID_INPUT where pgvector is not there.
 */
extern KgMatches *kg_search_meaning(const KgCatalog *catalog, ArrayType *vector,
									const int32 *type_nos, int ntypes,
									int most);

/*
 * Entities of a type that the caller sees and that have no embedding, or a stale
 * one, in the order of their ids: {"items": [{"id", "version", "text"}], "more"}.
 * most and kg_graph.max_reply_bytes bound them.
 */
extern Jsonb *kg_missing_embeddings(const KgCatalog *catalog,
									const KgType *type, int most);

#endif /* KG_SEARCH_MEANING_H */
