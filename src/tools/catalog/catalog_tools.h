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

/* Run the tool list (with ids_only: list_ids) or get of a type. */
extern Jsonb *kg_tool_list(const KgCatalog *catalog, const KgType *type,
						   const Jsonb *arguments, bool ids_only);
extern Jsonb *kg_tool_get(const KgCatalog *catalog, const KgType *type,
						  const Jsonb *arguments);

/* Reads the argument "sort" of a list or of find_nodes into the query. */
extern void kg_list_parse_sort(KgListQuery *query, const KgFilterTarget *target,
							   const KgInput *in);
/* Reads "limit" and "total". */
extern void kg_list_read_limit(KgListQuery *query, const KgInput *in);
/*
 * kg_list_is_by_rank() returns whether the list is ordered by the rank of
 * "search". kg_list_read_search() runs the search and sets its matches in the
 * query.
 */
extern bool kg_list_is_by_rank(const KgListQuery *query, const KgInput *in);
extern void kg_list_read_search(KgListQuery *query, const KgInput *in);
/*
 * Selects the rows by the conditions that no index supports. If the query has
 * a search, only the matches of the search are examined.
 */
struct KgGraph;
struct KgSelector;
extern void kg_list_select(KgListQuery *query, struct KgGraph *graph,
						   const struct KgSelector *selector);
/*
 * Make and read cursors of a list, which are bound to a query
 * (kg_cursor_query). kg_list_make_cursor() returns the cursor after a row of a
 * page. kg_list_read_cursor() returns the position of a cursor.
 */
extern char *kg_list_make_cursor(const KgListQuery *query,
								 const KgListPage *page,
								 const StringInfoData *bound, int rows,
								 int64 position);
extern int64 kg_list_read_cursor(KgListQuery *query,
								 const StringInfoData *bound,
								 const char *cursor);

/* Fills the draft of a reply with a page, except for the rows' own members. */
extern void kg_list_draft(KgDraft *draft, const KgListQuery *query,
						  const KgListPage *page, int64 position);
/*
 * Return the input schema, texts and templates of a type's tool for one operation
 * (KG_EXPOSE_*).
 */
extern Jsonb *kg_tool_input_schema(const KgType *type, int operation,
								   KgExpandedParts *parts);
extern const char *kg_tool_input_template(const KgType *type, int operation);
extern const char *kg_tool_output_template(const KgType *type, int operation);
extern char *kg_tool_title(const KgType *type, int operation);
extern char *kg_tool_description(const KgType *type, int operation);

/* Writes the normalized arguments, for kg_explain(). */
extern void kg_tool_write_ast(const KgType *type, int operation,
							  const Jsonb *arguments, KgJsonWriter *w);
/* Writes the normalized arguments into the audit record, if it is enabled. */
extern void kg_tool_audit(const KgType *type, int operation,
						  const Jsonb *arguments);

#endif /* KG_CATALOG_TOOLS_H */
