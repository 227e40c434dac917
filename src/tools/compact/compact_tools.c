/*
 * compact_tools.c
 *	  The table of the compact tools, and their schemas.
 *
 * The list costs tokens in every conversation, so a schema describes only the
 * arguments that a first call needs.  The error of a wrong call describes the
 * others.  A compact tool calls another tool, which validates the arguments
 * (tools/compact/compact.c).
 */
#include "postgres.h"

#include "query/filter/any.h"
#include "tools/compact/compact.h"

#define KG_FIELDS "'fields':{'type':'array','items':{'type':'string'}}"
#define KG_CURSOR "'cursor':{'type':'string'}"
#define KG_ENTRY "'additionalProperties':false,'properties':{<also_bytes>"
#define KG_SELECTION                                                           \
	"{'anyOf':[{'type':'string'},{'type':'array','items':{'type':'string'}},{" \
	"'type':'object'}],'description':'"

static const char find_input[] =
	"{'type':'object'," KG_ENTRY
	"<also_citations>'type':<type>,'query':{'type':'string','description':'a "
	"name or a part of it; with filters of a type, "
	"too'},<search_mode><search_modes>'ids':{'type':'array','items':<id>},'"
	"filters':{'type':'object','description':'{field: value or {operator: "
	"value}}, all hold; field may be a path as customer.country.name; " KG_ANY
	": [{...}, {...}]. Operators: "
	"<operator_names>'},'related':{'type':'array','items':<chain>,'"
	"description':'[{type: relation, direction, to: {label, ids, "
	"filters, related}, min_count, max_count}]: only what is connected "
	"so, by all; an inner array is a "
	"path'},'not_related':{'type':'array','items':<chain>},'"
	"sort':{'type':'array','items':{'type':'object'},'description':'[{field, "
	"order: asc or desc}]'}," KG_FIELDS
	",'limit':{'type':'integer'},<as_of><valid_at>" KG_CURSOR "}}";

static const char get_input[] =
	"{'type':'object','required':['handles']," KG_ENTRY
	"<also_citations>'handles':{'type':'array','items':<id>},<as_of><valid_"
	"at>" KG_FIELDS "}}";

static const char schema_input[] = "{'type':'object'," KG_ENTRY
								   "'type':<type>}}";

static const char follow_input[] =
	"{'type':'object','required':['from','steps']," KG_ENTRY
	"<also_edge_columns>'from':" KG_SELECTION
	"handle, handles of one type, or {label, ids, query, filters, related, "
	"not_related}'},'steps':{'type':'array','items':{'type':'object','required'"
	":['type'],'properties':{'type':<relation_or_all>,'direction':{<direction>,"
	"'default':'outgoing'},'max_hops':{<brief_step_hops>,'maximum':<max_step_"
	"hops>},'filters':{'type':'"
	"object','description':'of the "
	"edge'},'to':{'type':'object','description':'its end: {label, "
	"filters}'}}}}," KG_FIELDS
	",'sort':{'type':'array','items':{'type':'object'},'description':'[{field: "
	"of the last end, or edge.property, "
	"order}]'},'limit':{'type':'integer'},<as_of><valid_at>" KG_CURSOR "}}";

static const char around_input[] =
	"{'type':'object','required':['handle']," KG_ENTRY
	"<also_edge_columns>'handle':<id>,'max_hops':{'type':['integer','string'],'"
	"default':<explore_hops>},'direction':{<direction>,'default':'both'},'"
	"relations':{'type':'array','items':{'type':'string'},'description':'walk "
	"only "
	"these'},'types':{'type':'array','items':{'type':'string'},'description':'"
	"tell only these'},<reach_order>," KG_FIELDS
	",'limit':{'type':'integer'},<as_of><valid_at>" KG_CURSOR "}}";

static const char connect_input[] =
	"{'type':'object','required':['from']," KG_ENTRY
	"<also_edge_columns>'from':" KG_SELECTION
	"as in follow'},'to':" KG_SELECTION "as in "
	"follow'},'max_hops':{'type':'integer','minimum':1,'maximum':<max_path_"
	"hops>,'default':<path_hops>},'mode':{'type':'string','enum':['shortest','"
	"all_shortest','simple','walks'],'default':'shortest'},'weight':{'type':'"
	"string','description':'a number of the edges: lightest "
	"path'},'within':{'type':'integer','description':'without to: what is so "
	"many hops from each of the handles in "
	"from'},'direction':{<direction>,'default':'both'},'relations':{'type':'"
	"array','items':{'type':'string'}},'types':{'type':'array','items':{'type':"
	"'string'}}," KG_FIELDS ",<as_of><valid_at>'limit':{'type':'integer'}}}";

static const char count_input[] =
	"{'type':'object','required':['node']," KG_ENTRY
	"'node':{'type':'object','description':'{label, ids, "
	"filters}'},'related':{'type':'array','items':<chain>,'description':'as in "
	"find'},'not_related':{'type':'array','items':<chain>},"
	"'steps':{'type':'array','items':{'type':'object'},'description':'as in "
	"follow, for "
	"groups'},'group_by':{'type':'array','items':{'type':'object'},'"
	"description':'[{property} or {property, truncate: month or weekday ...} "
	"or {relationship, property} or {step, property}; a property may be "
	"customer.country.name or "
	"edge.property]'},'aggregations':{'type':'array','items':{'type':'object'},"
	"'"
	"description':'[{fn, property, as}]; fn: count, count_distinct, sum, avg, "
	"median, min, max; of edges: edge.property and step; default "
	"count'},'sort':{'type':'array','items':{'type':'object'},'description':'[{"
	"field: a column of the reply, "
	"order}]'},'per':{'type':'string','description':'a column of group_by: "
	"limit rows for each of its "
	"values'},<as_of><valid_at>'limit':{'type':'integer'}}}";

static const char verify_input[] =
	"{'type':'object','required':['claims']," KG_ENTRY
	"'claims':{'type':'array','items':{'type':'object'},'description':'each "
	"{entity: handle}, {entity, property, is: value or {operator: value}}, "
	"{from, relation, to}, {path: [handle, relation, handle]}, {from, to, "
	"within: hops}, {count: {tool, arguments}, is: n}, {none: {tool, "
	"arguments}} or {name}'}}}";

static const char schema_output[] =
	"{'type':'object','required':['schema'],'properties':{'schema':{'type':"
	"'string'}}}";

static const char object_output[] = "{'type':'object'}";

const KgFixedTool kg_compact_tools[] = {
	{"around",
	 KG_TOOLSET_COMPACT,
	 "Around",
	 "All that is connected to one entity within max_hops, or \"all\", nearest "
	 "first.",
	 around_input,
	 object_output,
	 kg_tool_around},
	{"connect",
	 KG_TOOLSET_COMPACT,
	 "Connect",
	 "Paths between two selections; with within, entities that several "
	 "entities share.",
	 connect_input,
	 object_output,
	 kg_tool_connect},
	{"count",
	 KG_TOOLSET_COMPACT,
	 "Count",
	 "Count, sum, average, minimum, maximum over entities of a type, in "
	 "groups.",
	 count_input,
	 object_output,
	 kg_tool_count},
	{"find",
	 KG_TOOLSET_COMPACT | KG_TOOLSET_WRITE,
	 "Find",
	 "Entities of a type by field values and connections, sorted and paged; or "
	 "by name with query. limit 0: only the total. next of a reply has the "
	 "arguments for more.",
	 find_input,
	 object_output,
	 kg_tool_find},
	{"follow",
	 KG_TOOLSET_COMPACT,
	 "Follow",
	 "Follow a chain of relationship steps from some entities.",
	 follow_input,
	 object_output,
	 kg_tool_follow},
	{"get",
	 KG_TOOLSET_COMPACT | KG_TOOLSET_WRITE,
	 "Get",
	 "All that is known of entities of any type, by handle: type:id.",
	 get_input,
	 object_output,
	 kg_tool_get_any},
	{"schema",
	 KG_TOOLSET_COMPACT | KG_TOOLSET_BY_NAME,
	 "Schema",
	 "All types with their properties, and all relations, in one text. Call it "
	 "first; with type, that type alone.",
	 schema_input,
	 schema_output,
	 kg_tool_schema,
	 .text = "schema"},
	{"verify",
	 KG_TOOLSET_COMPACT | KG_TOOLSET_SQL,
	 "Verify",
	 "Which claims of a draft answer are true, with the correct value of a "
	 "wrong one. Call it before you answer.",
	 verify_input,
	 object_output,
	 kg_tool_verify},
	{NULL}};
