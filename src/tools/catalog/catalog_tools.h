/*
 * catalog_tools.h
 *	  The tools generated for entity types: list, list_ids, get.
 */
#ifndef KG_CATALOG_TOOLS_H
#define KG_CATALOG_TOOLS_H

#include "base/json.h"
#include "model/catalog.h"
#include "query/list/list.h"
#include "tools/reply/reply.h"

/* Call list (or list_ids, get) of a type with the tool's arguments. */
extern Jsonb *kg_tool_list(const KgCatalog *catalog, const KgType *type,
						   const Jsonb *arguments, bool ids_only);
extern Jsonb *kg_tool_get(const KgCatalog *catalog, const KgType *type,
						  const Jsonb *arguments);

/* The argument "sort", into the query; find_nodes has the same. */
extern void kg_list_parse_sort(KgListQuery *query, const KgFilterTarget *target,
							   const KgInput *in);
/* The argument "search": is it the order, and what it finds, into the query. */
extern bool kg_list_is_by_rank(const KgListQuery *query, const KgInput *in);
extern void kg_list_read_search(KgListQuery *query, const KgInput *in);
/* Select what no index says, of what the search found where there was one. */
struct KgGraph;
struct KgSelector;
extern void kg_list_select(KgListQuery *query, struct KgGraph *graph,
						   const struct KgSelector *selector);
/*
 * Cursors of a list, bound to a query (kg_cursor_query): the one after a row of
 * a page, and the position of the one given.
 */
extern char *kg_list_make_cursor(const KgListQuery *query,
								 const KgListPage *page,
								 const StringInfoData *bound, int rows,
								 int64 position);
extern int64 kg_list_read_cursor(KgListQuery *query,
								 const StringInfoData *bound,
								 const char *cursor);

/* A page as a draft of the reply, but for what the tool shows of its rows. */
extern void kg_list_draft(KgDraft *draft, const KgListQuery *query,
						  const KgListPage *page, int64 position);
/*
 * The schemas, one of KG_EXPOSE_*: as published, or with all that the published
 * one names in words written out (repeat).
 */
extern Jsonb *kg_tool_input_schema(const KgType *type, int operation,
								   bool repeat);
extern const char *kg_tool_input_template(const KgType *type, int operation);
extern Jsonb *kg_tool_output_schema(const KgType *type, int operation);
extern char *kg_tool_title(const KgType *type, int operation);
extern char *kg_tool_description(const KgType *type, int operation);

/* The arguments as they are understood, for kg_explain. */
extern void kg_tool_write_ast(const KgType *type, int operation,
							  const Jsonb *arguments, KgJsonWriter *w);
/* The same into the record of the call, where it is wanted. */
extern void kg_tool_audit(const KgType *type, int operation,
						  const Jsonb *arguments);

#endif /* KG_CATALOG_TOOLS_H */
