/*
 * graph/net.c
 *	  Conversion of the nodes and links of a file to records.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/graph/net.h"
#include "kgctl/graph/table.h"
#include "kgctl/schema_types.h"

struct KgNet
{
	KgGraph *graph;
	STAILQ_HEAD(, KgNode) nodes; /* nodes in the order of the file */
	STAILQ_HEAD(, KgNetLink) links;
	KgTable *table; /* nodes by their keys */
	size_t n;
};

KgNet *
kg_net_new(KgGraph *graph)
{
	KgNet *net = kg_calloc(1, sizeof(KgNet));

	net->graph = graph;
	STAILQ_INIT(&net->nodes);
	STAILQ_INIT(&net->links);
	net->table = kg_table_new();
	return net;
}

void
kg_net_free(KgNet *net)
{
	kg_table_free(net->table);
	free(net);
}

/* ---- reading ---- */

KgNode *
kg_net_node(KgNet *net, const char *key)
{
	KgArena *arena = net->graph->arena;
	KgNode *node = kg_table_get(net->table, key);

	if (node != NULL)
		return node;
	net->n++;
	node = kg_arena_alloc(arena, sizeof(KgNode));
	memset(node, 0, sizeof(KgNode));
	node->key = kg_arena_strndup(arena, key, strlen(key));
	node->properties = kg_json_object(arena);
	STAILQ_INSERT_TAIL(&net->nodes, node, next);
	kg_table_put(net->table, node->key, node);
	return node;
}

KgNetLink *
kg_net_link(KgNet *net, KgNode *from, const char *name, KgNode *to,
			unsigned long line)
{
	KgNetLink *link = kg_arena_alloc(net->graph->arena, sizeof(KgNetLink));

	memset(link, 0, sizeof(KgNetLink));
	link->from = from;
	link->to = to;
	link->name = name;
	link->properties = kg_json_object(net->graph->arena);
	link->line = line;
	STAILQ_INSERT_TAIL(&net->links, link, next);
	return link;
}

void
kg_net_value(KgNet *net, KgJson *properties, const char *name, KgJson *value)
{
	KgArena *arena = net->graph->arena;
	KgJson *values = kgctl_json_get(properties, name);

	if (values == NULL)
	{
		values = kg_json_array(arena);
		kg_json_put(arena, properties, name, values);
	}
	kg_json_push(arena, values, value);
}

void
kg_net_handle(KgNet *net, KgNode *node, const char *handle)
{
	KgArena *arena = net->graph->arena;
	const char *colon = strchr(handle, ':');
	const char *type;

	if (colon == NULL || colon[1] == '\0')
		return;
	type = kg_arena_strndup(arena, handle, (size_t) (colon - handle));
	/*
	 * Accept a type of another bundle unchecked, because its schemas are not
	 * known here.
	 */
	if (strchr(type, '/') == NULL && kg_graph_schema(net->graph, type) == NULL)
		return;
	node->type = type;
	node->id = kg_arena_strndup(arena, colon + 1, strlen(colon + 1));
}

/* ---- values ---- */

static KgJson *
text_of(KgArena *arena, const KgJson *value)
{
	const char *text = value->kind == KG_JSON_BOOL
						   ? value->u.boolean ? "true" : "false"
						   : value->u.text;

	return kg_json_string(arena, text, strlen(text));
}

/*
 * Returns the value that a text represents in a type that the schema requires,
 * or NULL.
 */
static KgJson *
typed_text(KgArena *arena, unsigned types, const KgJson *value)
{
	KgJson *typed = NULL;
	char *error = NULL;
	KgBuf out;

	kg_buf_init(&out);
	if (kg_schema_value(types, value->u.text, value->len, &out))
		typed = kgctl_json_parse(arena, out.data, out.len, NULL, &error);
	free(error);
	kg_buf_free(&out);
	return typed;
}

/*
 * Returns the value in a type that the schema permits. Converts a text to a
 * number, a number to a text, or a single value to an array. A value that
 * cannot be converted is returned unchanged, and the database refuses it.
 */
static KgJson *
fit(const KgGraph *graph, const KgJson *root, const KgJson *schema,
	KgJson *value)
{
	KgArena *arena = graph->arena;
	unsigned types = kg_schema_types(root, schema);
	unsigned type = kg_schema_type_of(value);
	const KgJson *items = kg_schema_follow(
		arena, root, kgctl_json_get(schema, "items"));
	KgJson *fitted = NULL;

	if (type == KG_MAY_ARRAY)
	{
		for (size_t i = 0; i < value->len; i++)
			value->u.items[i] = fit(graph, root, items, value->u.items[i]);
		return value;
	}
	if (types == 0 || (types & type) != 0)
		return value;
	if (type == KG_MAY_TEXT)
		fitted = typed_text(arena, types, value);
	else if ((type & (KG_MAY_NUMBER | KG_MAY_BOOL)) && (types & KG_MAY_TEXT))
		fitted = text_of(arena, value);
	if (fitted == NULL && (types & KG_MAY_ARRAY))
	{
		fitted = kg_json_array(arena);
		kg_json_push(arena, fitted, fit(graph, root, items, value));
	}
	return fitted ? fitted : value;
}

/*
 * Sets the position of a value that was read from the present file, and of all
 * values in it.
 */
static KgJson *
placed(const KgGraph *graph, unsigned long line, KgJson *value)
{
	value->line = (unsigned) line;
	value->source = graph->path;
	for (size_t i = 0; value->kind == KG_JSON_ARRAY && i < value->len; i++)
		(void) placed(graph, line, value->u.items[i]);
	for (size_t i = 0; value->kind == KG_JSON_OBJECT && i < value->len; i++)
		(void) placed(graph, line, value->u.members[i].value);
	return value;
}

/*
 * Returns the properties, each with a value of a type that the schema permits.
 * A single value replaces an array of one value. --map may rename or omit a
 * property.
 */
static KgJson *
fit_properties(const KgGraph *graph, const KgJson *schema,
			   const KgJson *properties, unsigned long line)
{
	KgJson *fitted = placed(graph, line, kg_json_object(graph->arena));

	for (size_t i = 0; i < properties->len; i++)
	{
		const KgctlMember *m = &properties->u.members[i];
		KgJson *value = m->value->len == 1 ? m->value->u.items[0] : m->value;
		const char *name = kg_graph_map(graph, m->key);

		if (*name == '\0')
			continue;
		value = fit(
			graph, schema, kg_graph_property(graph, schema, name), value);
		kg_json_put(graph->arena, fitted, name, placed(graph, line, value));
	}
	return fitted;
}

/* ---- records ---- */

/* Returns the names in a list of the bundle, joined for a message. */
static const char *
names_of(const KgGraph *graph, const char *list, const char *member)
{
	const KgJson *items = kgctl_json_get(graph->bundle, list);
	const char *names = NULL;

	for (size_t i = 0; i < kgctl_json_length(items); i++)
		names = kg_arena_format(graph->arena,
								"%s%s%s",
								names ? names : "",
								names ? ", " : "",
								kg_json_text_or(items->u.items[i], member, ""));
	return names ? names : "none";
}

/*
 * Returns the id in the node's properties. Returns NULL if the id property is
 * missing, has several values or is not an id.
 */
static const char *
own_id(const KgGraph *graph, const KgNode *node, const char *field)
{
	const KgJson *found = NULL;

	for (size_t i = 0; i < node->properties->len; i++)
		if (strcmp(kg_graph_map(graph, node->properties->u.members[i].key),
				   field) == 0)
			found = node->properties->u.members[i].value;
	if (kgctl_json_length(found) != 1)
		return NULL;
	found = found->u.items[0];
	return kg_json_is_id(found) ? found->u.text : NULL;
}

/*
 * Determines the type and the id of a node that the file describes. On failure,
 * prints an error and returns false.
 */
static bool
identify(KgGraph *graph, KgNode *node)
{
	const KgJson *schema;
	const char *field;
	const char *id;

	if (node->type == NULL)
		node->type = graph->type;
	if (node->type == NULL)
		return kg_graph_complain(graph,
								 node->line,
								 "node \"%s\" has no type; --type TYPE is the "
								 "type of such nodes, one of %s",
								 node->key,
								 names_of(graph, "schemas", "entity_type"));
	schema = kg_graph_schema(graph, node->type);
	if (schema == NULL)
		return kg_graph_complain(graph,
								 node->line,
								 "node \"%s\": the bundle has no entity type "
								 "\"%s\", only %s; --map '%s=TYPE' renames it",
								 node->key,
								 node->type,
								 names_of(graph, "schemas", "entity_type"),
								 node->type);
	field = kg_json_text_or(schema, "x-id-field", "");
	id = own_id(graph, node, field);
	if (id != NULL)
		node->id = id;
	else if (node->id != NULL)
		kg_net_value(&(KgNet){.graph = graph},
					 node->properties,
					 field,
					 kg_json_string(graph->arena, node->id, strlen(node->id)));
	if (node->id != NULL)
		return true;
	return kg_graph_complain(graph,
							 node->line,
							 "node \"%s\" has no id; give it one value of "
							 "property \"%s\"",
							 node->key,
							 field);
}

static KgJson *
handle_of(const KgGraph *graph, const KgNode *node)
{
	const char *handle = kg_arena_format(
		graph->arena, "%s:%s", node->type, node->id);

	return kg_json_string(graph->arena, handle, strlen(handle));
}

static void
add_edge(KgGraph *graph, const KgNetLink *link, const char *name)
{
	KgArena *arena = graph->arena;
	const KgJson *schema = kgctl_json_get(kg_graph_relation(graph, name),
										  "schema");
	KgJson *edge = kg_json_object(arena);

	(void) placed(graph, link->line, edge);
	kg_json_put(
		arena,
		edge,
		"relation",
		placed(graph, link->line, kg_json_string(arena, name, strlen(name))));
	kg_json_put(arena,
				edge,
				"from",
				placed(graph, link->line, handle_of(graph, link->from)));
	kg_json_put(arena,
				edge,
				"to",
				placed(graph, link->line, handle_of(graph, link->to)));
	if (link->properties->len > 0)
		kg_json_put(
			arena,
			edge,
			"properties",
			fit_properties(graph, schema, link->properties, link->line));
	kg_graph_edge(graph, edge);
}

static bool
take_link(KgNet *net, const KgNetLink *link)
{
	KgGraph *graph = net->graph;
	const char *given = link->name ? link->name : graph->relation;
	const char *name = given ? kg_graph_map(graph, given) : NULL;
	const KgJson *schema;

	if (name == NULL)
		return kg_graph_complain(graph,
								 link->line,
								 "the edge from \"%s\" to \"%s\" has no "
								 "relation; --relation NAME is the relation of "
								 "such edges, one of %s",
								 link->from->key,
								 link->to->key,
								 names_of(graph, "relations", "name"));
	if (*name == '\0')
		return true;
	for (int i = 0; i < 2; i++)
	{
		const KgNode *end = i == 0 ? link->from : link->to;

		if (end->id == NULL || end->type == NULL)
			return kg_graph_complain(graph,
									 link->line,
									 "the edge \"%s\" from \"%s\" to \"%s\": "
									 "\"%s\" is neither a node of the file nor "
									 "an entity of the bundle",
									 given,
									 link->from->key,
									 link->to->key,
									 end->key);
	}
	schema = kg_graph_schema(graph, link->from->type);
	if (link->from->defined && kg_graph_property(graph, schema, name) != NULL)
		kg_net_value(
			net,
			link->from->properties,
			given,
			kg_json_string(graph->arena, link->to->id, strlen(link->to->id)));
	else if (kg_graph_relation(graph, name) != NULL)
		add_edge(graph, link, name);
	else
		return kg_graph_complain(graph,
								 link->line,
								 "\"%s\" from \"%s\" to \"%s\" is neither a "
								 "property of \"%s\" nor a relation; --map "
								 "'%s=NAME' renames it to one of %s, --map "
								 "'%s=' leaves it out",
								 name,
								 link->from->key,
								 link->to->key,
								 link->from->type,
								 name,
								 names_of(graph, "relations", "name"),
								 name);
	return true;
}

static int
compare_nodes(const void *a, const void *b)
{
	const KgNode *x = *(const KgNode *const *) a;
	const KgNode *y = *(const KgNode *const *) b;
	int order = strcmp(x->type, y->type);

	return order != 0 ? order : strcmp(x->id, y->id);
}

/* Prints an error for two nodes that have the same type and id. */
static void
check_twice(KgNet *net)
{
	KgNode **sorted = kg_malloc((net->n + 1) * sizeof(KgNode *));
	KgNode *node;
	size_t n = 0;

	STAILQ_FOREACH(node, &net->nodes, next)
	if (node->defined)
		sorted[n++] = node;
	qsort(sorted, n, sizeof(KgNode *), compare_nodes);
	for (size_t i = 1; i < n; i++)
		if (compare_nodes(&sorted[i - 1], &sorted[i]) == 0)
			(void) kg_graph_complain(net->graph,
									 sorted[i]->line,
									 "nodes \"%s\" and \"%s\" are both %s "
									 "\"%s\"; give them ids of their own",
									 sorted[i - 1]->key,
									 sorted[i]->key,
									 sorted[i]->type,
									 sorted[i]->id);
	free(sorted);
}

bool
kg_net_finish(KgNet *net)
{
	KgGraph *graph = net->graph;
	KgNetLink *link;
	KgNode *node;

	STAILQ_FOREACH(node, &net->nodes, next)
	if (node->defined)
	{
		if (node->type != NULL)
			node->type = kg_graph_map(graph, node->type);
		(void) identify(graph, node);
	}
	/*
	 * Stop here: without types and ids, the following steps would repeat these
	 * errors.
	 */
	if (graph->errors > 0)
		return false;
	check_twice(net);
	STAILQ_FOREACH(link, &net->links, next)
	(void) take_link(net, link);
	STAILQ_FOREACH(node, &net->nodes, next)
	if (node->defined)
		kg_graph_entity(graph,
						node->type,
						fit_properties(graph,
									   kg_graph_schema(graph, node->type),
									   node->properties,
									   node->line));
	return graph->errors == 0;
}
