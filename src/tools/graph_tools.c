/*
 * graph_tools.c
 *	  The table of the GitLab query language's tools, with their schemas.
 */
#include "postgres.h"

#include "tools/graph.h"
#include "tools/graph_schemas.h"

#define KG_SCHEMA(function, template)      \
	static Jsonb *function(void)           \
	{                                      \
		return kg_expand_schema(template); \
	}

KG_SCHEMA(
	schema_input,
	"{'type':'object','additionalProperties':false,'properties':{"
	"'expand_schema':{'type':'boolean','default':false,'description':'with all "
	"properties of all types'},'expand_nodes':{'type':'array','items':{"
	"'anyOf':[<type>,{'const':'*','description':'all'}]}},"
	"'expand_relationship_types':{'type':'array','items':{'anyOf':[<relation>,"
	"{'const':'*','description':'all'}]}},"
	"'max_bytes':<max_bytes>}}")

KG_SCHEMA(
	schema_output,
	"{'type':'object','required':['format','revision','node_types',"
	"'relationship_types'],'properties':{'format':"
	"{'const':'knowledge_graph.schema.v1'},'revision':{'type':'string'},"
	"'node_types':{'type':'array','items':{'type':'object','required':['name'],"
	"'properties':{'name':{'type':'string'},'properties':{'type':'array',"
	"'items':{'type':'object','required':['name','type']}},'relationships':"
	"{'type':'object','additionalProperties':<strings>}}}},"
	"'relationship_types':{'type':'array','items':{'type':'object','required':["
	"'name','from','to'],'properties':{'name':{'type':'string'},'from':{'type':"
	"'string'},'to':{'type':'string'},'inverse':{'type':'string'},'symmetric':"
	"{'type':'boolean'},'properties':{'type':'array','items':{'type':'object',"
	"'required':['name','type']}}}}},<envelope>}}")

KG_SCHEMA(
	nodes_input,
	"{'type':'object','additionalProperties':false,'required':['node_label'],"
	"'properties':{'node_label':<type>,'ids':<ids>,'filters':<filters>,"
	"'columns':{'type':'array','minItems':1,'maxItems':100,'items':{'type':"
	"'string'},'description':'only these properties'},'sort':{'type':'array',"
	"'minItems':1,'maxItems':8,'items':{'type':'object','additionalProperties':"
	"false,'required':['field'],'properties':{'field':{'type':'string'},"
	"'order':{'type':'string','enum':['asc','desc'],'default':'asc'}}}},"
	"'limit':<limit>,'cursor':<cursor>,'max_bytes':<max_bytes>}}")

KG_SCHEMA(nodes_output,
		  "{'type':'object','required':['nodes'],"
		  "'properties':{'nodes':<nodes>,'edges':<edges>,<envelope>}}")

KG_SCHEMA(
	traverse_input,
	"{'type':'object','additionalProperties':false,'required':['from',"
	"'relationships'],'properties':{'from':<selector>,'relationships':{'type':"
	"'array','minItems':1,'maxItems':<max_steps>,'items':{'type':'object',"
	"'additionalProperties':false,'required':['type'],'properties':{'type':{"
	"'anyOf':[<relation>,{'type':'array','minItems':1,'items':<relation>},"
	"{'const':'*','description':'any'}]},'direction':{<direction>,'default':"
	"'outgoing'},'min_hops':{<step_hops>},'max_hops':{<step_hops>},"
	"'filters':<edge_filters>,'to':{'type':'object',"
	"'additionalProperties':false,'properties':{'label':<type>,'filters':"
	"<filters>},'description':'what the end of this step must be'}}}},'to':"
	"{'type':'object','additionalProperties':false,'required':['label'],"
	"'properties':{'label':<type>,'filters':<filters>},'description':'what the "
	"end of the last step must be'},'limit':<limit>,'cursor':<cursor>,"
	"'max_bytes':<max_bytes>}}")

KG_SCHEMA(traverse_output,
		  "{'type':'object','required':['nodes','edges'],"
		  "'properties':{'nodes':<nodes>,'edges':"
		  "<edges>,'rows':{'type':'array','items':<strings>,'description':'the "
		  "handles of the start and of each end, a row a match'},<envelope>}}")

KG_SCHEMA(
	neighbors_input,
	"{'type':'object','additionalProperties':false,'required':['start_node'],"
	"'properties':{'start_node':{'type':'object','additionalProperties':false,"
	"'required':['label','node_id'],'properties':{'label':<type>,'node_id':<id>"
	"}},'max_hops':{<explore_hops>},"
	"'direction':{<direction>,'default':'both'},'relationship_types':"
	"<relations>,'node_labels':{'type':'array','items':<type>,'description':"
	"'tell only these; the walk goes through all'},'filters':<filters>,'limit':"
	"<limit>,'cursor':<cursor>,'max_bytes':<max_bytes>}}")

KG_SCHEMA(neighbors_output,
		  "{'type':'object','required':['nodes','edges'],"
		  "'properties':{'nodes':<nodes>,'edges':"
		  "<edges>,'counts':{'type':'object','additionalProperties':false,"
		  "'properties':{'by_type':<counts>,'by_depth':<counts>}},<envelope>}}")

KG_SCHEMA(
	paths_input,
	"{'type':'object','additionalProperties':false,'required':['from','to'],"
	"'properties':{'from':<selector>,'to':<selector>,'max_hops':{<path_hops>},'"
	"direction':{<direction>,"
	"'default':'both'},'relationship_types':<relations>,'node_labels':{'type':"
	"'array','items':<type>,'description':'what the nodes between the ends may "
	"be'},'mode':{'type':'string','enum':['shortest','all_shortest','simple',"
	"'walks'],'default':'shortest','description':'one shortest path for each "
	"pair, all shortest, all without repeated nodes, or all'},'weight':{'type':"
	"'string','description':'a numeric property of the relationships: the "
	"lightest path instead of the shortest'},'limit':<limit>,'max_bytes':"
	"<max_bytes>}}")

KG_SCHEMA(paths_output,
		  "{'type':'object','required':['paths','nodes'],"
		  "'properties':{'paths':{'type':'array',"
		  "'items':{'type':'object','additionalProperties':false,'required':["
		  "'length','path'],'properties':{'length':<count>,'weight':{'type':"
		  "'number'},'path':{'type':'array','description':'handles and the "
		  "edges between them','items':{'anyOf':[{'type':'string'},<edge>]}}}}"
		  "},'nodes':<nodes>,'edges':<edges>,<envelope>}}")

KG_SCHEMA(
	aggregate_input,
	"{'type':'object','additionalProperties':false,'required':['node',"
	"'aggregations'],'properties':{'node':<selector>,'relationships':{'type':"
	"'array','minItems':1,'maxItems':<max_steps>,'description':'only nodes "
	"from which "
	"this chain leads somewhere','items':{'type':'object',"
	"'additionalProperties':false,'required':['type'],'properties':{'type':{"
	"'anyOf':[<relation>,{'type':'array','minItems':1,'items':<relation>},"
	"{'const':'*'}]},'direction':{<direction>,'default':'outgoing'},'min_hops':"
	"{<step_hops>},'max_hops':{<step_hops>},'filters':<edge_filters>,"
	"'to':{'type':'object','additionalProperties':false,'properties':{'label':"
	"<type>,'filters':<filters>}}}}},'aggregations':{'type':'array','minItems':"
	"1,'maxItems':10,'items':{'type':'object','additionalProperties':false,"
	"'required':['fn'],'properties':{'fn':{'type':'string','enum':['count',"
	"'count_distinct','sum','avg','min','max']},'property':{'type':'string',"
	"'description':'of the node; count without it counts nodes'},'as':{'type':"
	"'string'}}}},'group_by':{'type':'array','maxItems':4,'items':{'type':"
	"'object','additionalProperties':false,'properties':{'property':{'type':"
	"'string','description':'of the node, or of the connected node'},"
	"'truncate':{'type':'string','enum':['minute','hour','day','week','month',"
	"'quarter','year'],'description':'UTC; weeks begin on Monday'},"
	"'relationship':<relation>,'direction':{<direction>,'default':'outgoing'},"
	"'label':<type>}}},'sort':{'type':'array','minItems':1,'maxItems':8,"
	"'items':{'type':'object','additionalProperties':false,'required':['field']"
	",'properties':{'field':{'type':'string','description':'a column of the "
	"reply'},'order':{'type':'string','enum':['asc','desc'],'default':'asc'}}}}"
	",'limit':<limit>,'max_bytes':<max_bytes>}}")

KG_SCHEMA(aggregate_output, "{'type':'object','required':['columns','rows'],"
							"'properties':{'columns':<strings>,"
							"'rows':{'type':'array','items':{'type':'array','"
							"items':{}}},'nodes':<nodes>,"
							"'edges':<edges>,<envelope>}}")

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
	 "the edges between them, and how many there are by type and depth. "
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
	{"traverse_relationships",
	 KG_TOOLSET_GRAPH,
	 "Traverse relationships",
	 "Follow a chain of 1 to 5 relationship steps from some nodes; each step "
	 "can go 1 to 3 hops. A match binds the start and the end of every step.",
	 traverse_input,
	 traverse_output,
	 kg_tool_traverse_relationships},
	{NULL}};
