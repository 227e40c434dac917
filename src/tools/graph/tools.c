/*
 * graph/tools.c
 *	  The table of the GitLab query language's tools, and their schemas.
 */
#include "postgres.h"

#include "tools/graph/graph.h"

static const char schema_input[] =
	"{'type':'object','additionalProperties':false,'properties':{'expand_"
	"schema':{'type':'boolean','default':false,'description':'with all "
	"properties of all "
	"types'},'expand_nodes':{'type':'array','items':<type_or_all>},'expand_"
	"relationship_types':{'type':'array','items':<relation_or_all>},'max_bytes'"
	":<max_bytes>}}";

static const char schema_output[] =
	"{'type':'object','required':['format','revision','node_types','"
	"relationship_types'],'properties':{'format':{'const':'knowledge_graph."
	"schema.v1'},'revision':<text>,'node_types':<objects>,'relationship_types':"
	"<objects>}}";

static const char nodes_input[] =
	"{'type':'object','additionalProperties':false,'required':['node_label'],'"
	"properties':{'node_label':<type>,'ids':<ids>,'search':<search>,'filters':<"
	"filters>,<related>,<columns>,'sort':<node_sort>,'limit':<limit>,'cursor':<"
	"cursor>,'citations':<citations>,<as_of><valid_at>'max_bytes':<max_bytes>}"
	"}";

static const char nodes_output[] = "{'type':'object','required':['nodes'],'"
								   "properties':{'nodes':<nodes>,<page>}}";

static const char traverse_input[] =
	"{'type':'object','additionalProperties':false,'required':['from','"
	"relationships'],'properties':{'from':<selector>,'relationships':<steps>,'"
	"to':<traverse_to>,<columns>,<edge_columns>,'sort':<row_sort>,'limit':<"
	"limit>,'cursor':<"
	"cursor>,<as_of><valid_at>'max_bytes':<max_bytes>}}";

static const char traverse_output[] =
	"{'type':'object','required':['nodes','edges'],'properties':{'nodes':<"
	"nodes>,'edges':<edges>,'rows':{'type':'array','items':<strings>,'"
	"description':'handles of the start and of each end, a row a "
	"match'},<page>}}";

static const char neighbors_input[] =
	"{'type':'object','additionalProperties':false,'required':['start_node'],'"
	"properties':{'start_node':{'type':'object',<closed>'required':['label','"
	"node_id'],'properties':{'label':<type>,'node_id':<id>}},'max_hops':{'type'"
	":['integer','string'],<all_pattern>'minimum':1,'maximum':<max_explore_"
	"hops>,'default':<explore_hops>,'description':'or "
	"all'},'direction':{<direction>,'default':'both'},'relationship_types':<"
	"relations>,'node_labels':{'type':'array','items':<type@as "
	"start_node.label>,'description':'tell only these; the walk goes through "
	"all'},'filters':<filters@as in "
	"find_nodes>,<reach_order>,<columns>,<no_edge_columns>,'limit':<limit>,'"
	"cursor':<cursor>,<as_of><valid_at>'max_bytes':<max_bytes>}}";

static const char neighbors_output[] =
	"{'type':'object','required':['nodes','edges'],'properties':{'nodes':<"
	"nodes>,'edges':<edges>,'counts':{'type':'object','description':'with the "
	"start, others without it'},<page>}}";

static const char paths_input[] =
	"{'type':'object','additionalProperties':false,'required':['from','to'],'"
	"properties':{'from':<selector>,'to':<paths_to>,'max_hops':{'type':'"
	"integer','minimum':1,'maximum':<max_path_hops>,'default':<path_hops>},'"
	"direction':{<direction>,'default':'both'},'relationship_types':<relations>"
	",'node_labels':{'type':'array','items':<type@as "
	"from.label>,'description':'what the nodes between the ends may "
	"be'},'mode':{'type':'string','enum':['shortest','all_shortest','simple','"
	"walks'],'default':'shortest','description':'one shortest path for each "
	"pair, all shortest, all without repeated nodes, or "
	"all'},'weight':{'type':'string','description':'a numeric property of the "
	"relationships: the lightest path instead of the "
	"shortest'},<columns>,<no_edge_columns>,'limit':<limit>,<as_of><valid_at>'"
	"max_bytes':<max_bytes>}}";

static const char paths_output[] =
	"{'type':'object','required':['paths','nodes'],'properties':{'paths':{'"
	"type':'array','items':{'type':'object'}},'"
	"nodes':<nodes>,<envelope>}}";

static const char aggregate_input[] =
	"{'type':'object','additionalProperties':false,'required':['node',"
	"'aggregations'],'properties':{'node':<selector>,'relationships':"
	"<steps_too>,'aggregations':{'type':'array',<aggregations_bounds>'items':"
	"{'type':'object',<closed>'required':['fn'],'properties':{'fn':{'type':"
	"'string','enum':['count','count_distinct','sum','avg','min','max',"
	"'median']},'property':{'type':'string','description':'of the node, or "
	"edge.property; count without it counts nodes'},<aggregated_step>'as':"
	"<text>}}},'group_by':{'type':'array',<groups_bounds>'items':{'type':"
	"'object',<closed>'properties':{'property':{'type':'string',"
	"'description':'of the node, as customer.country.name; or of the "
	"connected node'},'truncate':{'type':'string','enum':['minute','hour',"
	"'day','week','month','quarter','year','weekday','hour_of_day',"
	"'month_of_year'],'description':'UTC; weeks begin on Monday'},<named>"
	"'relationship':<relation@a relationship type>,'direction':{<direction>,"
	"'default':'outgoing'},'label':<type@as node.label>,'filters':"
	"<filters@of the connected node>,'step':<group_step>}}},'sort':"
	"<reply_sort>,'per':{'type':'string','description':'a column of group_by:"
	" limit for each of its values'},'limit':<limit>,<as_of><valid_at>"
	"'max_bytes':<max_bytes>}}";

static const char aggregate_output[] =
	"{'type':'object','required':['columns','rows'],'properties':{'columns':<"
	"strings>,'rows':{'type':'array','items':{'type':'array','items':{}}},<"
	"envelope>}}";

static const char rank_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds'],'"
	"properties':{'seeds':<weighted_seeds>,'damping':{'type':'number','minimum'"
	":0,'description':'default 0.85; lower: nearer the "
	"seeds'},'epsilon':{'type':'number','description':'highest "
	"residual'},'direction':{<direction>,'default':'both'},'relationship_"
	"types':<relations>,'node_labels':{'type':'array','items':<type>,'"
	"description':'tell only these; the walk goes through "
	"all'},<columns>,'limit':<ranked_limit>,<valid_at>'max_bytes':<max_bytes>}"
	"}";

static const char rank_output[] =
	"{'type':'object','required':['ranked','nodes','residual'],'properties':{'"
	"ranked':<objects>,'nodes':<nodes>,'residual':{'type':'number','"
	"description':'no "
	"score is more than this too low'},<envelope>}}";

const KgFixedTool kg_graph_tools[] = {
	{"aggregate_nodes",
	 KG_TOOLSET_GRAPH,
	 "Aggregate nodes",
	 "Count, sum, average, minimum and maximum over nodes of one type, grouped "
	 "by their properties or by the nodes they are connected to. A node counts "
	 "once in a group.",
	 aggregate_input,
	 aggregate_output,
	 kg_tool_aggregate_nodes},
	{"explore_neighbors",
	 KG_TOOLSET_GRAPH,
	 "Explore neighbors",
	 "Everything connected to one node within max_hops, by distance, with "
	 "counts by type and depth; complete: nothing lies beyond. node_labels and "
	 "filters select the nodes of the reply, not where the search goes.",
	 neighbors_input,
	 neighbors_output,
	 kg_tool_explore_neighbors},
	{"find_nodes",
	 KG_TOOLSET_GRAPH,
	 "Find nodes",
	 "Nodes of one type by id or by property values, sorted and paged: the "
	 "starting points of the other tools.",
	 nodes_input,
	 nodes_output,
	 kg_tool_find_nodes},
	{"find_paths",
	 KG_TOOLSET_GRAPH,
	 "Find paths",
	 "How nodes of two selections are connected: paths of at most max_hops "
	 "relationships, shortest first, as handles and the edges between them.",
	 paths_input,
	 paths_output,
	 kg_tool_find_paths},
	{"get_graph_schema",
	 KG_TOOLSET_GRAPH,
	 "Get the graph schema",
	 "The entity types and relationship types, and with expand_nodes, "
	 "expand_relationship_types or expand_schema their properties, values and "
	 "which can be filtered. Call it first.",
	 schema_input,
	 schema_output,
	 kg_tool_get_graph_schema},
	{"rank_related",
	 KG_TOOLSET_GRAPH,
	 "Rank related nodes",
	 "The nodes most related to some nodes, best first, by all paths that join "
	 "them (personalised PageRank), with the strongest of these paths. For "
	 "questions without a fixed number of hops.",
	 rank_input,
	 rank_output,
	 kg_tool_rank_related},
	{"traverse_relationships",
	 KG_TOOLSET_GRAPH,
	 "Traverse relationships",
	 "Follow a chain of 1 to <max_steps> relationship steps from some nodes; "
	 "each step can go 1 to <max_step_hops> hops. A match binds the start and "
	 "the end of every step.",
	 traverse_input,
	 traverse_output,
	 kg_tool_traverse_relationships},
	{NULL}};
