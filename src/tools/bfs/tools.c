/*
 * bfs/tools.c
 *	  The table of the BFS-QL tools, with their schemas.
 */
#include "postgres.h"

#include "tools/graph/graph.h"
#include "tools/verify/verify.h"

static const char describe_schema_input[] =
	"{'type':'object','additionalProperties':false,'properties':{'max_bytes':<"
	"max_bytes>,'max_tokens':<max_tokens>}}";

static const char describe_schema_output[] =
	"{'type':'object','required':['graph_description','comprehensive','entity_"
	"types','predicates','next_steps','tool_usage_notes'],'properties':{}}";

static const char search_input[] =
	"{'type':'object','additionalProperties':false,<query_required>'"
	"properties':{'query':{'type':'string','minLength':1,'description':'a "
	"name, alias or id, or a part of "
	"one'},'node_types':{'type':'array','items':<type>},'limit':{'type':'"
	"integer','minimum':0,'maximum':100,'default':10},<search_mode><search_"
	"modes><valid_at>'max_bytes':<max_bytes>,'max_tokens':<max_tokens>}}";

static const char search_output[] =
	"{'type':'object','required':['items'],'properties':{'items':<objects>,<"
	"envelope>}}";

#define KG_DETAIL_ARGUMENTS(detail) \
	detail ",<valid_at>'max_bytes':<max_bytes>,'max_tokens':<max_tokens>"

#define KG_SEEDS "'seeds':<seeds>"

static const char bfs_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds','max_"
	"hops'],'properties':{" KG_SEEDS
	",'max_hops':{<bfs_hops>},<reach_order>,'limit':{'type':'integer','minimum'"
	":0,'description':'0: "
	"counts'},'offset':{'type':'integer','minimum':0,'default':0},'ring_edges':"
	"{'type':'boolean','default':false,'description':'edges between "
	"outermost nodes, too'},'citations':<citations>," KG_DETAIL_ARGUMENTS(
		"<detail>") "}}";

static const char bfs_output[] =
	"{'type':'object','required':['seeds','max_hops','node_count','edge_count',"
	"'nodes','edges','schema_summary'],'properties':{'nodes':<bfs_nodes>,'"
	"edges':<bfs_edges>,<page>}}";

static const char describe_input[] =
	"{'type':'object','additionalProperties':false,'required':['id'],'"
	"properties':{'id':<id>,'citations':<citations>,<as_of><valid_at>'max_"
	"bytes':<max_bytes>,'max_tokens':<max_tokens>}}";

/*
 * The schema declares no properties, because an entity's own properties may
 * have the names of an error's members.
 */
static const char describe_output[] =
	"{'type':'object','required':['id','entity_type'],'properties':{}}";

static const char describe_many_input[] =
	"{'type':'object','additionalProperties':false,'required':['ids'],'"
	"properties':{'ids':{'type':'array','maxItems':<max_ids>,'items':<id>},<"
	"node_columns>,'citations':<citations>,<as_of><valid_at>'max_bytes':<max_"
	"bytes>,'max_tokens':<max_tokens>}}";

static const char describe_many_output[] =
	"{'type':'object','required':['items'],'properties':{'items':<objects>,'"
	"not_found':<strings>,<envelope>}}";

static const char intersect_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds','k'],'"
	"properties':{" KG_SEEDS
	",'k':{<bfs_hops>}," KG_DETAIL_ARGUMENTS("<detail_too>") "}}";

static const char intersect_output[] =
	"{'type':'object','required':['seeds','k','node_count','edge_count','nodes'"
	",'edges','schema_summary'],'properties':{'nodes':<bfs_nodes>,'edges':<bfs_"
	"edges>,<envelope>}}";

static const char verify_input[] =
	"{'type':'object','additionalProperties':false,'required':['claims'],'"
	"properties':{'claims':<claims>,'max_bytes':<max_bytes>}}";

static const char verify_output[] =
	"{'type':'object','required':['claims','counts'],'properties':{'claims':<"
	"objects>,'counts':{'type':'object'}}}";

const KgFixedTool kg_bfs_tools[] = {
	{"bfs_query",
	 KG_TOOLSET_BFS,
	 "Breadth-first search",
	 "Everything within max_hops of any of the seeds: nodes and edges, in full "
	 "or as stubs; counts and schema_summary cover all of them. Begin with "
	 "max_hops 1 and topology_only; on a large graph, add walk_predicates.",
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
	 "Nodes within k hops of every seed, and the edges among them: the nodes "
	 "that the seeds share.",
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
	 "Which claims of a draft hold: supported, contradicted (with the correct "
	 "value), not_found, ambiguous, unknown or invalid. Call it before you "
	 "answer.",
	 verify_input,
	 verify_output,
	 kg_tool_verify_claims},
	{NULL}};
