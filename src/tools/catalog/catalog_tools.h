/*
 * catalog_tools.h
 *	  The tools generated for entity types: list, list_ids, get.
 */
#ifndef KG_CATALOG_TOOLS_H
#define KG_CATALOG_TOOLS_H

#include "base/json.h"
#include "model/catalog.h"
#include "query/list/list.h"
#include "tools/input/schema_template.h"
#include "tools/reply/reply.h"

/* Run the tool list or get of a type. ids_only: the tool list_ids. */
extern Jsonb *kg_tool_list(const KgCatalog *catalog, const KgType *type,
						   const Jsonb *arguments, bool ids_only);
/*
 * Runs the tool list of a type for the tool find. If the call searches for a
 * name, without "mode", "sort" and "limit", the limit is that of
 * kg_search_limit_of_name().
 */
extern Jsonb *kg_find_in_list(const KgCatalog *catalog, const KgType *type,
							  const Jsonb *arguments);
extern Jsonb *kg_tool_get(const KgCatalog *catalog, const KgType *type,
						  const Jsonb *arguments);

/* Reads the argument "sort" of list_<type> or find_nodes into the query. */
extern void kg_list_parse_sort(KgListQuery *query, const KgFilterTarget *target,
							   const KgInput *in);
/* Reads the arguments "limit" and "total" into the query. */
extern void kg_list_read_limit(KgListQuery *query, const KgInput *in);
/*
 * kg_list_is_by_rank() returns whether the list is ordered by the rank that
 * the argument "search" gives. kg_list_read_search() runs the search and
 * stores its matches in the query.
 */
extern bool kg_list_is_by_rank(const KgListQuery *query, const KgInput *in);
extern void kg_list_read_search(KgListQuery *query, const KgInput *in);
/*
 * Selects rows by those conditions that no index supports. If the query has a
 * search, examines only the matches of the search.
 */
struct KgGraph;
struct KgSelector;
extern void kg_list_select(KgListQuery *query, struct KgGraph *graph,
						   const struct KgSelector *selector);
/*
 * Make and read cursors of a list. A cursor is bound to a query
 * (kg_cursor_query). kg_list_make_cursor() returns the cursor that continues
 * after a row of a page. kg_list_read_cursor() returns the position that a
 * cursor contains.
 */
extern char *kg_list_make_cursor(const KgListQuery *query,
								 const KgListPage *page,
								 const StringInfoData *bound, int rows,
								 int64 position);
extern int64 kg_list_read_cursor(KgListQuery *query,
								 const StringInfoData *bound,
								 const char *cursor);

/*
 * Sets the members of a reply's draft that depend only on a page of a list:
 * counts, hints and the reason why a search stopped.
 */
extern void kg_list_draft(KgDraft *draft, const KgListQuery *query,
						  const KgListPage *page, int64 position);
/*
 * Return the input schema, the texts and the templates of a tool that a type
 * has for one operation (KG_EXPOSE_*).
 */
extern Jsonb *kg_tool_input_schema(const KgType *type, int operation,
								   KgExpandedParts *parts);
extern const char *kg_tool_input_template(const KgType *type, int operation);
extern const char *kg_tool_output_template(const KgType *type, int operation);
extern char *kg_tool_title(const KgType *type, int operation);
extern char *kg_tool_description(const KgType *type, int operation);

/* Writes the normalized arguments of a call, for kg_explain(). */
extern void kg_tool_write_ast(const KgType *type, int operation,
							  const Jsonb *arguments, KgJsonWriter *w);
/* If the audit record is enabled, writes the normalized arguments into it. */
extern void kg_tool_audit(const KgType *type, int operation,
						  const Jsonb *arguments);

#endif /* KG_CATALOG_TOOLS_H */
