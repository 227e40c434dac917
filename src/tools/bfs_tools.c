/*
 * bfs_tools.c
 *	  The table of the BFS-QL tools, with their schemas.
 */
#include "postgres.h"

#include "tools/graph.h"
#include "tools/verify.h"

static const char describe_schema_input[] =
	"{'type':'object','additionalProperties':false,'properties':{"
	"'max_bytes':<max_bytes>,'max_tokens':<max_tokens>}}";

static const char describe_schema_output[] =
	"{'type':'object','required':['graph_description','comprehensive',"
	"'entity_types','predicates','next_steps','tool_usage_notes'],'properties':"
	"{'graph_description':<text>,'comprehensive':<boolean>,"
	"'entity_types':<strings>,'predicates':<strings>,'next_steps':{'type':"
	"'string'},'tool_usage_notes':<text>,'truncated':<boolean>}}";

static const char search_input[] =
	"{'type':'object','additionalProperties':false,'required':['query'],"
	"'properties':{'query':{'type':'string','minLength':1,'description':'a "
	"name, an alias, an id, or a part of one; typing errors are forgiven'},"
	"'node_types':{'type':'array','items':<type>,'description':'only these'},"
	"'limit':{'type':'integer','minimum':0,'maximum':100,'default':10},"
	"<search_mode><valid_at>'max_bytes':<max_bytes>,'max_tokens':<max_tokens>}"
	"}";

static const char search_output[] =
	"{'type':'object','required':['items'],"
	"'properties':{'items':{'type':'array','items':{'type':'object','required':"
	"['id','entity_type','name','score'],'properties':{'id':<text>,"
	"'entity_type':<text>,'name':<text>,'score':{'type':"
	"'number'},'matched_on':{'type':'object'}}}},<envelope>}}";

#define KG_DETAIL_ARGUMENTS                                                    \
	"'node_types':{'type':'array','items':<type>,'description':'these in "     \
	"full, the others as "                                                     \
	"stubs'},'exclude_node_types':{'type':'array','items':"                    \
	"<type@as node_types>,'description':'removed with their edges after the "  \
	"walk'},'predicates':{'type':'array','items':<relation>,'description':"    \
	"'these edges in full, the others as triples'},'min_mentions':{'type':"    \
	"'integer','minimum':1,'default':1,'description':'without nodes whose "    \
	"total_mentions is lower'},'topology_only':{'type':'boolean','default':"   \
	"false,'description':'ids and types only'},'edge_detail':{'type':"         \
	"'boolean','default':false,'description':'with long properties of edges'}" \
	",<columns>,<edge_columns>"                                                \
	",<valid_at>'max_bytes':<max_bytes>,'max_tokens':<max_tokens>"

#define KG_SEEDS                                                              \
	"'seeds':{'type':'array','minItems':1,'maxItems':<max_ids>,'items':<id>," \
	"'description':'type:id, or id where it is unique'}"

static const char bfs_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds',"
	"'max_hops'],'properties':{" KG_SEEDS
	",'max_hops':{<bfs_hops>},'limit':{'type':'integer','minimum':0,"
	"'description':'nodes a reply; 0: counts "
	"only'},'offset':{'type':'integer','minimum':0,"
	"'default':0},'ring_edges':{'type':'boolean','default':false,'description':"
	"'with edges between two outermost "
	"nodes'},'citations':<citations>," KG_DETAIL_ARGUMENTS "}}";

#define KG_SUBGRAPH                                                     \
	"'seeds':<strings>,'unknown_seeds':<strings>,'node_count':<count>," \
	"'edge_count':<count>,'nodes':<bfs_nodes>,'edges':<bfs_edges>,"     \
	"'schema_summary':{'type':'object','required':["                    \
	"'entity_types_found','predicates_found']},<envelope>"

static const char bfs_output[] =
	"{'type':'object','required':['seeds',"
	"'max_hops','node_count','edge_count','nodes','edges',"
	"'schema_summary'],'properties':{'max_hops':<count>," KG_SUBGRAPH
	",'next':{'type':'object','description':'arguments for more'}"
	"}}";

static const char describe_input[] =
	"{'type':'object','additionalProperties':false,'required':['id'],"
	"'properties':{'id':<id>,'citations':<citations>,<as_of><valid_at>'max_"
	"bytes':<max_bytes>,"
	"'max_tokens':<max_tokens>}}";

/* An entity's own properties may be called as an error's members are. */
static const char describe_output[] =
	"{'type':'object','required':['id','entity_type'],'allOf':[{"
	"'properties':{'id':<text>,'entity_type':<text>}}]}";

static const char describe_many_input[] =
	"{'type':'object','additionalProperties':false,'required':['ids'],"
	"'properties':{'ids':{'type':'array','maxItems':<max_ids>,'items':<id>},"
	"<node_columns>,'citations':<citations>,<as_of><valid_at>'max_bytes':<max_"
	"bytes>,'max_"
	"tokens':<max_tokens>}"
	"}";

static const char describe_many_output[] =
	"{'type':'object','required':['items'],"
	"'properties':{'items':{'type':'array','items':{'type':'object',"
	"'required':['id','entity_type'],'properties':{'id':<text>"
	",'entity_type':<text>}}},'not_found':<strings>,<envelope>}}";

static const char intersect_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds',"
	"'k'],'properties':{" KG_SEEDS
	",'k':{<bfs_hops>,'description':'hops'}," KG_DETAIL_ARGUMENTS "}}";

static const char intersect_output[] =
	"{'type':'object','required':['seeds','k','node_count','edge_count',"
	"'nodes','edges','schema_summary'],'properties':{'k':<count>," KG_SUBGRAPH
	"}}";

/* A claim is read by its keys (tools/verify_read.c): one is none of another. */
#define KG_COUNTED(what)                                                \
	"{'type':'object','required':['tool'],'properties':{'tool':<text>," \
	"'arguments':{'type':'object'}},'description':'" what "'}"

static const char verify_input[] =
	"{'type':'object','additionalProperties':false,'required':['claims'"
	"],"
	"'properties':{'claims':{'type':'array','minItems':1,'maxItems':"
	"200,"
	"'description':'each one of: {entity}; {entity, property, is}; "
	"{from, "
	"relation, to}; {path}; {from, to, within}; {count, is}; {none}; "
	"{name}',"
	"'items':{'type':'object','additionalProperties':false,'properties'"
	":{'id':{"
	"'type':['string','integer'],'description':'yours, told "
	"again'},'entity':"
	"<id>,'property':<text>,'is':{'description':'a value, {operator: "
	"value} as "
	"in filters, or {text: ...} for any case, accents and spaces; of "
	"count a "
	"number'},'version':{'type':'integer','minimum':1,'description':'"
	"of the "
	"entity when it was "
	"cited'},'from':<id>,'relation':<relation>,'to':<id>,"
	"'properties':{'type':'object','description':'filters on the "
	"edge'},"
	"'path':{'type':'array','minItems':3,'maxItems':41,'items':<id>,"
	"'description':'id, relation, id, ...'},'within':{'type':'integer',"
	"'minimum':1,'maximum':<max_path_hops>,'description':'hops'},"
	"'relation_types':{'type':'array','items':<relation@as relation>},"
	"'direction':{<direction>,'default':'both'},'count':" KG_COUNTED(
		"a call whose total is counted") ",'none':" KG_COUNTED("a call "
															   "that "
															   "finds "
															   "nothin"
															   "g") ",'"
																	"na"
																	"me"
																	"':"
																	"{'"
																	"ty"
																	"pe"
																	"':"
																	"'s"
																	"tr"
																	"in"
																	"g'"
																	",'"
																	"mi"
																	"nL"
																	"en"
																	"gt"
																	"h'"
																	":1"
																	",'"
																	"de"
																	"sc"
																	"ri"
																	"pt"
																	"io"
																	"n'"
																	":'"
																	"ex"
																	"ac"
																	"tl"
																	"y "
																	"on"
																	"e "
																	"en"
																	"ti"
																	"ty"
																	" "
																	"is"
																	" c"
																	"al"
																	"le"
																	"d "
																	"so"
																	"'}"
																	",'"
																	"ty"
																	"pe"
																	"':"
																	"<t"
																	"yp"
																	"e>"
																	"}}"
																	"},"
																	"'m"
																	"ax"
																	"_b"
																	"yt"
																	"es"
																	"':"
																	"<m"
																	"ax"
																	"_b"
																	"yt"
																	"es"
																	">}"
																	"}";

static const char verify_output[] =
	"{'type':'object','required':['claims','counts'],'properties':{'claims':{"
	"'type':'array','items':{'type':'object','required':['verdict'],"
	"'properties':{'verdict':<text>,'evidence':{'type':'object'},'correction':"
	"{'type':'object','description':'what is so instead, or what to claim'}}}},"
	"'counts':{'type':'object'}}}";

const KgFixedTool kg_bfs_tools[] = {
	{"bfs_query",
	 KG_TOOLSET_BFS,
	 "Breadth-first search",
	 "Everything within max_hops of any of the seeds, walking relationships "
	 "both ways: nodes and edges, in full or as stubs. Counts and "
	 "schema_summary are of the whole neighbourhood. Begin with max_hops 1 and "
	 "topology_only true.",
	 bfs_input,
	 bfs_output,
	 kg_tool_bfs_query},
	{"describe_entities",
	 KG_TOOLSET_BFS,
	 "Describe entities",
	 "All that is known of several entities, in one call: use it to expand the "
	 "stubs of bfs_query.",
	 describe_many_input,
	 describe_many_output,
	 kg_tool_describe_entities},
	{"describe_entity",
	 KG_TOOLSET_BFS,
	 "Describe an entity",
	 "All that is known of one entity.",
	 describe_input,
	 describe_output,
	 kg_tool_describe_entity},
	{"describe_schema",
	 KG_TOOLSET_BFS,
	 "Describe the schema",
	 "What the graph is about, its entity types and predicates, and what to do "
	 "next. Call it first.",
	 describe_schema_input,
	 describe_schema_output,
	 kg_tool_describe_schema},
	{"intersect_subgraphs",
	 KG_TOOLSET_BFS,
	 "Intersect subgraphs",
	 "What is within k hops of every seed, and the edges among it: what the "
	 "seeds share.",
	 intersect_input,
	 intersect_output,
	 kg_tool_intersect_subgraphs},
	{"search_entities",
	 KG_TOOLSET_BFS,
	 "Search entities",
	 "Turn a name, alias or partial name into ids, best match first. Use it "
	 "before bfs_query unless the id is known.",
	 search_input,
	 search_output,
	 kg_tool_search_entities},
	{"verify_claims",
	 KG_TOOLSET_BFS,
	 "Verify claims",
	 "Which claims of a draft hold, checked against the graph: supported, "
	 "contradicted (with what is so), not_found, ambiguous, unknown or "
	 "invalid. A claim is {entity}, {entity, property, is}, {from, relation, "
	 "to}, {path}, {from, to, within}, {count, is}, {none} or {name}; entities "
	 "by id, best as type:id. Call it before you answer.",
	 verify_input,
	 verify_output,
	 kg_tool_verify_claims},
	{NULL}};
