/*
 * view.c
 *	  The analysed view of a type or relation, cached from query to query.
 *
 * A cached view belongs to one catalog, so to one tenant and role.  The rewriter
 * adds the policies for each query.  With valid_at, the view has further
 * conditions, so kg_validity_hides() is a part of the key.
 */
#include "postgres.h"

#include "ask/view.h"
#include "base/cache.h"
#include "parser/analyze.h"
#include "parser/parse_node.h"
#include "parser/parser.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "rewrite/rewriteHandler.h"
#include "store/view/view_sql.h"
#include "utils/memutils.h"

typedef struct Key
{
	uint64 catalog; /* its id */
	const void *of; /* the type or relation, which is the catalog's */
	/* the text depends on these two */
	int hides; /* kg_validity_hides() */
	bool whole;
} Key;

typedef struct Entry
{
	KgCacheEntry entry;
	Key key;
	Query *query;
} Entry;

static const int most = 256;
/* Stale when the catalog changes. */
static KgCache views = {"analysed views", &most, KG_STALE_BY_CATALOG};

static bool
is_key(const void *entry, const void *key)
{
	const Key *a = &((const Entry *) entry)->key;
	const Key *b = key;

	return a->catalog == b->catalog && a->of == b->of && a->hides == b->hides &&
		   a->whole == b->whole;
}

/* Returns the analysed text of a view, which has no text of the caller. */
static Query *
analyse(const KgCatalog *catalog, const KgType *type,
		const KgRelation *relation, bool whole)
{
	KgView *view = type ? kg_view_of_type(type) : kg_view_of_relation(relation);
	KgViewTables tables = {
		kg_sql_table("kg_entity"), kg_sql_table("kg_edge"), whole};
	char *sql = kg_view_query(catalog, view, view->columns, &tables);
	ParseState *state = make_parsestate(NULL);
	Query *query;

	state->p_sourcetext = sql;
	query = transformTopLevelStmt(
		state, linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_DEFAULT)));
	free_parsestate(state);
	return query;
}

Query *
kg_ask_view(const KgCatalog *catalog, const KgType *type,
			const KgRelation *relation, bool whole)
{
	Key key = {catalog->id,
			   type ? (const void *) type : relation,
			   kg_validity_hides(),
			   whole};
	uint64 hash = catalog->id ^ (uintptr_t) key.of ^ key.hides;
	Entry *entry;
	Query *query;
	MemoryContext old;

	entry = kg_cache_find(&views, hash, is_key, &key);
	if (entry != NULL)
	{
		query = copyObject(entry->query);
		AcquireRewriteLocks(query, true, false);
		return query;
	}
	query = analyse(catalog, type, relation, whole);
	entry = kg_cache_make(&views, sizeof(*entry));
	old = MemoryContextSwitchTo(entry->entry.context);
	entry->key = key;
	entry->query = copyObject(query);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&views, entry, hash);
	return query;
}
