/*
 * memory/tools.c
 *	  The table of the tools of the toolset memory, with their schemas. Names,
 *	  descriptions and shapes are those of @modelcontextprotocol/server-memory.
 */
#include "postgres.h"

#include "tools/fixed_tools.h"
#include "tools/memory/memory.h"

#define OBJECT(required, properties)                                      \
	"{'type':'object','additionalProperties':false,'required':[" required \
	"],'properties':{" properties "}}"
#define TEXT(about) "{'type':'string','description':'" about "'}"
#define TEXTS(about) \
	"{'type':'array','items':{'type':'string'},'description':'" about "'}"
#define ARRAY(items) "{'type':'array','items':" items "}"

#define ENTITY                                                                \
	OBJECT(                                                                   \
		"'name','entityType','observations'",                                 \
		"'name':" TEXT("The name of the entity") ",'entityType':" TEXT(       \
			"The type of the entity") ",'observations':" TEXTS("An array of " \
															   "observation " \
															   "contents "    \
															   "associated "  \
															   "with the "    \
															   "entity"))
#define RELATION                                                                             \
	OBJECT("'from','to','relationType'",                                                     \
		   "'from':" TEXT("The name of the entity where the relation starts") ",'to':" TEXT( \
			   "The name of the entity where the relation ends") ",'"                        \
																 "relationTyp"               \
																 "e':" TEXT(                 \
																	 "The "                  \
																	 "type "                 \
																	 "of the "               \
																	 "relatio"               \
																	 "n"))

/*
 * An entity in a reply. Observations beyond its share of the reply are omitted.
 */
#define READ_ENTITY                                                          \
	"{'type':'object','required':['name','entityType','observations'],"      \
	"'properties':{'name':{'type':'string'},'entityType':{'type':'string'}," \
	"'observations':" ARRAY(                                                 \
		"{'type':'string'}") ",'withheld':{'type':"                          \
							 "'integer','description':'How many more "       \
							 "observations it has: open_nodes "              \
							 "with the arguments next tells "                \
							 "them'},'next':{'type':'object'}}}"

#define ENTITIES "'entities':" ARRAY(ENTITY)
#define RELATIONS "'relations':" ARRAY(RELATION)
#define OUTPUT(required, properties)                                           \
	"{'type':'object','required':[" required "],'properties':{" properties "}" \
	"}"
#define DONE                      \
	OUTPUT("'success','message'", \
		   "'success':{'type':'boolean'},'message':{'type':'string'}")
#define GRAPH                        \
	OUTPUT("'entities','relations'", \
		   "'entities':" ARRAY(READ_ENTITY) "," RELATIONS ",<envelope>")
#define BUDGET "'max_bytes':<max_bytes>"

static const KgOperation adds = {0};
static const KgOperation forgets = {.destructive = true, .idempotent = true};

const KgFixedTool kg_memory_tools[] = {
	{"add_observations",
	 KG_TOOLSET_MEMORY,
	 "Add Observations",
	 "Add new observations to existing entities in the knowledge graph",
	 OBJECT(
		 "'observations'",
		 "'observations':" ARRAY(OBJECT(
			 "'entityName','contents'",
			 "'entityName':" TEXT(
				 "The name of the entity to add the "
				 "observations to") ",'contents':" TEXTS("An array of "
														 "observation contents "
														 "to add")))),
	 OUTPUT("'results'",
			"'results':" ARRAY(OBJECT(
				"'entityName','addedObservations'",
				"'entityName':{'type':'string'},'addedObservations':" ARRAY(
					"{'type':'string'}")))),
	 kg_tool_add_observations,
	 &adds,
	 "results"},
	{"create_entities",
	 KG_TOOLSET_MEMORY,
	 "Create Entities",
	 "Create multiple new entities in the knowledge graph",
	 OBJECT("'entities'", ENTITIES),
	 OUTPUT("'entities'", ENTITIES),
	 kg_tool_create_entities,
	 &adds,
	 "entities"},
	{"create_relations",
	 KG_TOOLSET_MEMORY,
	 "Create Relations",
	 "Create multiple new relations between entities in the knowledge graph. "
	 "Relations should be in active voice",
	 OBJECT("'relations'", RELATIONS),
	 OUTPUT("'relations'", RELATIONS),
	 kg_tool_create_relations,
	 &adds,
	 "relations"},
	{"delete_entities",
	 KG_TOOLSET_MEMORY,
	 "Delete Entities",
	 "Delete multiple entities and their associated relations from the "
	 "knowledge graph",
	 OBJECT("'entityNames'",
			"'entityNames':" TEXTS("An array of entity names to delete")),
	 DONE,
	 kg_tool_delete_entities,
	 &forgets,
	 "message"},
	{"delete_observations",
	 KG_TOOLSET_MEMORY,
	 "Delete Observations",
	 "Delete specific observations from entities in the knowledge graph",
	 OBJECT("'deletions'",
			"'deletions':" ARRAY(OBJECT(
				"'entityName','observations'",
				"'entityName':" TEXT(
					"The name of the entity containing the "
					"observations") ",'observations':" TEXTS("An array of "
															 "observations to "
															 "delete")))),
	 DONE,
	 kg_tool_delete_observations,
	 &forgets,
	 "message"},
	{"delete_relations",
	 KG_TOOLSET_MEMORY,
	 "Delete Relations",
	 "Delete multiple relations from the knowledge graph",
	 OBJECT("'relations'", RELATIONS),
	 DONE,
	 kg_tool_delete_relations,
	 &forgets,
	 "message"},
	{"open_nodes",
	 KG_TOOLSET_MEMORY,
	 "Open Nodes",
	 "Open specific nodes in the knowledge graph by their names",
	 OBJECT(
		 "'names'",
		 "'names':" TEXTS(
			 "An array of entity names to retrieve") ",'offset':{'type':'"
													 "integer','minimum':0,'"
													 "default':0,'description':"
													 "'Pass over so many "
													 "observations of each, "
													 "and tell no relations: "
													 "for one whose "
													 "observations had no room "
													 "in a reply'}," BUDGET),
	 GRAPH,
	 kg_tool_open_nodes},
	{"read_graph",
	 KG_TOOLSET_MEMORY,
	 "Read Graph",
	 "Read the entire knowledge graph, as far as there is room for it in a "
	 "reply",
	 OBJECT("", BUDGET),
	 GRAPH,
	 kg_tool_read_graph},
	{"search_nodes",
	 KG_TOOLSET_MEMORY,
	 "Search Nodes",
	 "Search for nodes in the knowledge graph based on a query",
	 OBJECT("'query'",
			"'query':" TEXT("The search query to match against entity names, "
							"types, and observation content") "," BUDGET),
	 GRAPH,
	 kg_tool_search_nodes},
	{NULL}};
