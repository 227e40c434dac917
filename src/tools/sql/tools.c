/*
 * tools.c
 *	  The table of the toolset sql, with the schemas of its tools.
 *
 * The tools schema and verify are those of the toolset compact, too.
 */
#include "postgres.h"

#include "ask/ask.h"
#include "tools/graph/graph.h"
#include "tools/sql/query.h"

static const char query_input[] =
	"{'type':'object','additionalProperties':false,'required':['sql'],'"
	"properties':{'sql':{'type':'string','minLength':1,'maxLength':65536,'"
	"description':'one SELECT, in PostgreSQL; $1 is the first of "
	"params'},'params':{'type':'array','maxItems':" CppAsString2(
		KG_ASK_PARAMS) ",'items':{}},'limit':{'"
					   "type':'integer'"
					   ",'minimum':1,'maximum':<max_rows>,'default':<query_"
					   "rows>,'description':'"
					   "rows'},<also_explain><valid_at>'max_bytes':<max_bytes>}"
					   "}";

static const char query_output[] =
	"{'type':'object','required':['columns','types','rows'],'properties':{'"
	"columns':<strings>,'types':<strings>,'rows':{'type':'array','items':{'"
	"type':'array','items':{}}},'returned':<count>,'truncated':<boolean>}}";

static const char search_input[] =
	"{'type':'object','additionalProperties':false,<query_required>'"
	"properties':{'query':{'type':'string','minLength':1,'description':'a "
	"name, alias or id, or a part of "
	"one'},'node_types':{'type':'array','items':<type>},'limit':{'type':'"
	"integer','minimum':0,'maximum':100,'default':10},<search_mode><search_"
	"modes>'max_bytes':<max_bytes>}}";

static const char search_output[] =
	"{'type':'object','required':['items'],'properties':{'items':{'type':'"
	"array','items':{'type':'object'}},<envelope>}}";

const KgFixedTool kg_sql_tools[] = {
	{"query",
	 KG_TOOLSET_SQL,
	 "Query",
	 "Answer one SELECT. Each entity type is a table: id, and its properties "
	 "as columns; a reference has the id of the other entity. Each relation is "
	 "a "
	 "table: \"from\", \"to\" (ids), from_type, to_type, and its properties. "
	 "Filters on x-index properties are quick. FROM also has search('text'), "
	 "neighbors('type:id', hops), reach('type', 'id', 'RELATION'), "
	 "path('type:id', 'type:id').",
	 query_input,
	 query_output,
	 kg_tool_query},
	{"search",
	 KG_TOOLSET_SQL,
	 "Search",
	 "Find entities by name, despite spelling mistakes. The reply has the ids "
	 "and names to write into a query.",
	 search_input,
	 search_output,
	 kg_tool_search},
	{NULL}};
