/*
 * graph_tools.c
 *	  The table of the GitLab query language's tools, with their schemas.
 */
#include "postgres.h"

#include "tools/graph.h"

static const char schema_input[] =
	"{'type':'object','additionalProperties':false,'properties':{"
	"'expand_schema':{'type':'boolean','default':false,'description':'with all "
	"properties of all types'},'expand_nodes':{'type':'array','items':"
	"<type_or_all>},'expand_relationship_types':{'type':'array','items':"
	"<relation_or_all>},'max_bytes':<max_bytes>}}";

static const char schema_output[] =
	"{'type':'object','required':['format','revision','node_types',"
	"'relationship_types'],'properties':{'format':"
	"{'const':'knowledge_graph.schema.v1'},'revision':<text>,"
	"'node_types':{'type':'array','items':{'type':'object','required':['name'],"
	"'properties':{'name':<text>,<period>'properties':<objects>,"
	"'relationships':{'type':'object'}}}},'relationship_types':{'type':'array',"
	"'items':{'type':'object','required':['name','from','to'],'properties':{"
	"'name':<text>,'from':<text>,'to':<text>,"
	"'inverse':<text>,'symmetric':<boolean>,'key':<text>,<period>'description':"
	"<text>,'"
	"properties':"
	"<objects>}}},'truncated':<boolean>}}";

static const char nodes_input[] =
	"{'type':'object','additionalProperties':false,'required':['node_label'],"
	"'properties':{'node_label':<type>,'ids':<ids>,'filters':<filters>,<"
	"related>,"
	"<columns>,'sort':{'type':'array',"
	"'minItems':1,'maxItems':<max_sort>,'items':{'type':'object','"
	"additionalProperties':"
	"false,'required':['field'],'properties':{'field':<text>,"
	"'order':<sort_order>}}},'limit':<limit>,'cursor':<cursor>,"
	"'citations':<citations>,<as_of><valid_at>'max_bytes':<max_bytes>}}";

static const char nodes_output[] = "{'type':'object','required':['nodes'],"
								   "'properties':{'nodes':<nodes>,<page>}}";

/* A step of a chain; filters and labels as in the selector of its start. */
#define KG_STEP(start)                                                       \
	"{'type':'object','additionalProperties':false,'required':['type'],"     \
	"'properties':{'type':{'anyOf':[<relation_or_all>,{'type':'array',"      \
	"'minItems':1,'items':<relation@several of these>}]},'direction':{"      \
	"<direction>,'default':'outgoing'},'min_hops':{<step_hops>},"            \
	"'max_hops':{<step_hops>},'filters':<filters@on properties of the "      \
	"relationship, as " start ".filters>,'to':{'type':'object',"             \
	"'additionalProperties':false,'properties':{'label':<type@as " start     \
	".label>,'filters':<filters@as " start ".filters>},'description':'what " \
	"the end of this step must be'}}}"

static const char traverse_input[] =
	"{'type':'object','additionalProperties':false,'required':['from',"
	"'relationships'],'properties':{'from':<selector>,'relationships':{'type':"
	"'array','minItems':1,'maxItems':<max_steps>,'items':" KG_STEP(
		"from") "},'to':{'type':'object','additionalProperties':false,'"
				"required':['label'],"
				"'properties':{'label':<type@as "
				"from.label>,'filters':<filters@as "
				"from.filters>},'description':'what the end of the last step "
				"must be'},"
				"<columns>,<edge_columns>,'limit':<limit>,'cursor':<cursor>,"
				"<as_of><valid_at>'max_bytes':<max_"
				"bytes>}}";

static const char traverse_output[] =
	"{'type':'object','required':['nodes','edges'],"
	"'properties':{'nodes':<nodes>,'edges':<edges>,'rows':{'type':'array',"
	"'items':<strings>,'description':'handles of the start and of each end, a "
	"row a match'},<page>}}";

static const char neighbors_input[] =
	"{'type':'object','additionalProperties':false,'required':['start_node'],"
	"'properties':{'start_node':{'type':'object','additionalProperties':false,"
	"'required':['label','node_id'],'properties':{'label':<type>,'node_id':<id>"
	"}},'max_hops':{'type':'integer','minimum':1,'maximum':<max_explore_hops>,'"
	"default':<explore_hops>},'direction':{<direction>,'default':'both'},"
	"'relationship_types':<relations>,'node_labels':{'type':'array','items':"
	"<type@as start_node.label>,'description':'tell only these; the walk goes "
	"through "
	"all'},'filters':<filters>,<columns>,<no_edge_columns>,'limit':<limit>,'"
	"cursor':<cursor>,"
	"<as_of><valid_at>'max_bytes':<max_bytes>}}";

static const char neighbors_output[] =
	"{'type':'object','required':['nodes','edges'],"
	"'properties':{'nodes':<near_nodes>,'edges':<edges>,'counts':{'type':"
	"'object','required':['by_type','by_depth','others'],'properties':{"
	"'by_type':{'type':'object'},'by_depth':{'type':'object'},'others':{'type':"
	"'integer','description':'without the start'}},'description':'with the "
	"start'},<page>}}";

static const char paths_input[] =
	"{'type':'object','additionalProperties':false,'required':['from','to'],"
	"'properties':{'from':<selector>,'to':{'type':'object',"
	"'additionalProperties':false,'required':['label'],'properties':{'label':"
	"<type@as from.label>,'ids':<ids>,'filters':<filters@as "
	"from.filters>,<related_too>}},"
	"'max_hops':{'type':'integer','minimum':1,'maximum':<max_path_hops>,'"
	"default':<path_hops>},'direction':{<direction>,'default':'both'},"
	"'relationship_types':<relations>,'node_labels':{'type':'array','items':"
	"<type@as from.label>,'description':'what the nodes between the ends may "
	"be'},'mode':{'type':'string','enum':['shortest','all_shortest','simple',"
	"'walks'],'default':'shortest','description':'one shortest path for each "
	"pair, all shortest, all without repeated nodes, or all'},'weight':{'type':"
	"'string','description':'a numeric property of the relationships: the "
	"lightest path instead of the "
	"shortest'},<columns>,<no_edge_columns>,'limit':<limit>,<as_of><valid_at>"
	"'max_bytes':"
	"<max_bytes>}}";

static const char paths_output[] =
	"{'type':'object','required':['paths','nodes'],"
	"'properties':{'paths':{'type':'array','items':{'type':'object','required':"
	"['length','path'],'properties':{'length':<count>,'weight':{'type':"
	"'number'},'path':{'type':'array','description':'handles and the edges "
	"between them','items':{'anyOf':[<text>,<edge>]}}}}},'nodes':"
	"<nodes>,<envelope>}}";

static const char aggregate_input[] =
	"{'type':'object','additionalProperties':false,'required':['node',"
	"'aggregations'],'properties':{'node':<selector>,'relationships':{'type':"
	"'array','minItems':1,'maxItems':<max_steps>,'description':'only nodes "
	"from which this chain leads somewhere','items':" KG_STEP(
		"node") "},'aggregations':{'type':'array','minItems':1,'maxItems':<max_"
				"aggregations>,'"
				"items':{"
				"'type':'object','additionalProperties':false,'required':['fn']"
				","
				"'properties':{'fn':{'type':'string','enum':['count','count_"
				"distinct','sum'"
				",'avg','min','max']},'property':{'type':'string','description'"
				":'of the "
				"node; count without it counts "
				"nodes'},'as':<text>}}},"
				"'group_by':{'type':'array','maxItems':<max_groups>,'items':{'"
				"type':'"
				"object',"
				"'additionalProperties':false,'properties':{'property':{'type':"
				"'string',"
				"'description':'of the node, or of the connected "
				"node'},'truncate':{'type':"
				"'string','enum':['minute','hour','day','week','month','"
				"quarter','year'],"
				"'description':'UTC; weeks begin on "
				"Monday'},'relationship':<relation@a "
				"relationship type, as in "
				"relationships>,'direction':{<direction>,"
				"'default':'outgoing'},'label':<type@as "
				"node.label>,'filters':<filters@of the connected node, as "
				"node.filters>,'step':{'type':'integer','minimum':1,'maximum':"
				"<max_steps>,'description':'by what this "
				"step of relationships ends in; label where its to has "
				"none'}}}},"
				"'sort':{'type':"
				"'array','minItems':1,'maxItems':<max_sort>,'items':{'type':'"
				"object',"
				"'additionalProperties':false,'required':['field'],'properties'"
				":{'field':{"
				"'type':'string','description':'a column of the "
				"reply'},'order':"
				"<sort_order>}}},'limit':<limit>,<as_of><valid_at>"
				"'max_bytes':<max_bytes>}}";

static const char aggregate_output[] =
	"{'type':'object','required':['columns','rows'],"
	"'properties':{'columns':<strings>,'rows':{'type':'array','items':{'type':"
	"'array','items':{}}},<envelope>}}";

static const char rank_input[] =
	"{'type':'object','additionalProperties':false,'required':['seeds'],"
	"'properties':{'seeds':{'type':'array','minItems':1,'maxItems':<max_ids>,"
	"'items':{'anyOf':[<id>,{'type':'object','additionalProperties':false,"
	"'required':['id'],'properties':{'id':<id>,'weight':{'type':'number',"
	"'exclusiveMinimum':0,'default':1}}}]},'description':'type:id, or id where "
	"it is "
	"unique'},'damping':{'type':'number','minimum':0,'description':'default "
	"0.85, at "
	"most 0.99; lower: nearer the "
	"seeds'},'direction':{<direction>,'default':'both'},"
	"'relationship_types':<relations>,'node_labels':{'type':'array','items':"
	"<type>,'description':'tell only these; the walk goes through "
	"all'},<columns>,'limit':{'type':'integer','minimum':1,'maximum':<max_rows>"
	",'default':<default_rows>},<valid_at>'max_bytes':<max_bytes>}}";

static const char rank_output[] =
	"{'type':'object','required':['ranked','nodes','residual'],"
	"'properties':{'ranked':{'type':'array','items':{'type':'object','required'"
	":['node','score'],'properties':{'node':<text>,'score':{'type':'number'},"
	"'path':{'type':'array','description':'from a seed: handles and the edges "
	"between them','items':{'anyOf':[<text>,<edge>]}}}}},'nodes':<nodes>,"
	"'residual':{'type':'number','description':'no score is more than this too "
	"low'},'unknown_seeds':<strings>,<envelope>}}";

const KgFixedTool kg_graph_tools[] = {
	{"aggregate_nodes",
	 KG_TOOLSET_GRAPH,
	 "Aggregate nodes",
	 "Count, sum, average, minimum and maximum over nodes of one type, grouped "
	 "by their properties or by the nodes they are connected to. A node counts "
	 "once in a group. Needs ids, a filter, or a small type.",
	 aggregate_input,
	 aggregate_output,
	 kg_tool_aggregate_nodes},
	{"explore_neighbors",
	 KG_TOOLSET_GRAPH,
	 "Explore neighbors",
	 "Everything connected to one node within max_hops, by distance: nodes, "
	 "the edges between them, and how many there are by type and depth, with "
	 "the start (counts.others: without it). "
	 "node_labels and filters choose what is told, not where the walk goes.",
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
	 "What has most to do with some nodes, best first, by all the ways that "
	 "join them (personalised PageRank), with the strongest of these. For "
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
