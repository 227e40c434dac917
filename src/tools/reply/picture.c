/*
 * picture.c
 *	  Reads the nodes and edges to draw from a bundle, a schema or a tool's
 *	  reply.
 *
 *	  The members of the JSON identify its kind: "schemas" a bundle,
 *	  "node_types" a reply of get_graph_schema, and "entity_types" a reply of
 *	  describe_schema. Anything else is a reply with nodes, edges, paths,
 *	  items or entities, or a single entity. Missing members are not an error,
 *	  because the caller may have cut the reply.
 */
#include "postgres.h"

#include "base/error.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "model/handle.h"
#include "query/argument/arguments.h"
#include "tools/reply/picture.h"

#define KG_DEFAULT_LABEL 60
#define KG_MAX_LABEL 1000

static const char *const known_options[] = {"direction", "max_label"};
static const char *const directions[] = {"LR", "RL", "TB", "BT"};
/*
 * Properties whose value is used as the name of an entity, in order of
 * preference.
 */
static const char *const naming[] = {"label", "name", "title"};

typedef struct KnownName
{
	const char *key;
	int len;
} KnownName;

/*
 * A hash table of strings. Each string has an index, in the order of
 * insertion.
 */
typedef struct KnownNames
{
	KnownName *keys;
	int n;
	uint32 *slots; /* hash slots: index into keys + 1; 0: the slot is free */
	uint32 mask;
} KnownNames;

typedef struct Reader
{
	KgPicture *picture;
	KnownNames nodes;
	KnownNames edges;
} Reader;

static void
index_init(KnownNames *index)
{
	index->n = 0;
	index->mask = 63;
	index->slots = palloc0((index->mask + 1) * sizeof(uint32));
	index->keys = palloc((index->mask + 1) / 2 * sizeof(KnownName));
}

static uint32
index_slot(const KnownNames *index, const char *key, int len)
{
	uint32 slot = hash_bytes((const unsigned char *) key, len) & index->mask;

	while (index->slots[slot] != 0)
	{
		uint32 place = index->slots[slot] - 1;

		if (index->keys[place].len == len &&
			memcmp(index->keys[place].key, key, len) == 0)
			break;
		slot = (slot + 1) & index->mask;
	}
	return slot;
}

static void
index_grow(KnownNames *index)
{
	index->mask = index->mask * 2 + 1;
	pfree(index->slots);
	index->slots = MemoryContextAllocExtended(
		CurrentMemoryContext,
		((Size) index->mask + 1) * sizeof(uint32),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	index->keys = repalloc_huge(
		index->keys, ((Size) index->mask + 1) / 2 * sizeof(KnownName));
	for (int i = 0; i < index->n; i++)
		index->slots[index_slot(
			index, index->keys[i].key, index->keys[i].len)] = i + 1;
}

/*
 * Returns the index of a string. If the string is new, adds it and sets *added
 * to true. The table points to the string and does not copy it.
 */
static int
index_add(KnownNames *index, const char *key, int len, bool *added)
{
	uint32 slot;

	CHECK_FOR_INTERRUPTS();
	if (index->n >= (int) (index->mask / 2))
		index_grow(index);
	slot = index_slot(index, key, len);
	*added = index->slots[slot] == 0;
	if (*added)
	{
		index->keys[index->n].key = key;
		index->keys[index->n].len = len;
		index->slots[slot] = ++index->n;
	}
	return (int) index->slots[slot] - 1;
}

/*
 * Returns the array with room for more than n elements. If n is a power of
 * two, its capacity is doubled.
 */
static void *
grown(void *array, int n, Size size)
{
	if (n == 0)
		return palloc(size);
	if ((n & (n - 1)) != 0)
		return array;
	return repalloc_huge(array, (Size) n * 2 * size);
}

static int
add_node(Reader *r, const char *handle, int len)
{
	KgPicture *picture = r->picture;
	bool added;
	int place = index_add(&r->nodes, handle, len, &added);

	if (added)
	{
		KgPictureNode *node;

		picture->nodes = grown(
			picture->nodes, picture->nnodes, sizeof(KgPictureNode));
		node = &picture->nodes[picture->nnodes++];
		memset(node, 0, sizeof(*node));
		node->handle = handle;
		node->handlelen = len;
	}
	return place;
}

static void
add_edge(Reader *r, int from, int to, const char *label, int labellen,
		 bool symmetric)
{
	KgPicture *picture = r->picture;
	KgPictureEdge *edge;
	char *key;
	bool added;

	key = palloc(2 * sizeof(int) + labellen);
	memcpy(key, &from, sizeof(int));
	memcpy(key + sizeof(int), &to, sizeof(int));
	memcpy(key + 2 * sizeof(int), label, labellen);
	(void) index_add(&r->edges, key, 2 * sizeof(int) + labellen, &added);
	if (!added)
	{
		pfree(key);
		return;
	}
	picture->edges = grown(
		picture->edges, picture->nedges, sizeof(KgPictureEdge));
	edge = &picture->edges[picture->nedges++];
	edge->from = from;
	edge->to = to;
	edge->label = label;
	edge->labellen = labellen;
	edge->symmetric = symmetric;
}

/*
 * Sets *value to a member that is a string. The string is not copied from the
 * document. Returns false if the member is absent or has another type.
 */
static bool
string_member(const JsonbContainer *object, const char *key, JsonbValue *value)
{
	return kg_json_get(object, key, value) != NULL && value->type == jbvString;
}

/*
 * Returns a member that is an array (array is true) or an object (array is
 * false). Returns NULL if the member is absent or has another type.
 */
static const JsonbContainer *
member(const JsonbContainer *object, const char *key, bool array)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (array ? !kg_json_is_array(&value) : !kg_json_is_object(&value))
		return NULL;
	return kg_json_container(&value);
}

static int
add_handle(Reader *r, const JsonbValue *handle)
{
	return add_node(r, handle->val.string.val, handle->val.string.len);
}

/* ---- replies ---- */

static void
name_node(Reader *r, int node, const JsonbContainer *properties)
{
	KgPictureNode *drawn = &r->picture->nodes[node];
	JsonbValue name;

	if (properties == NULL || drawn->name != NULL)
		return;
	for (int i = 0; i < lengthof(naming); i++)
		if (string_member(properties, naming[i], &name) &&
			name.val.string.len > 0)
		{
			drawn->name = name.val.string.val;
			drawn->namelen = name.val.string.len;
			return;
		}
}

/*
 * Adds the node that the members "type" and "id" name. If "type" is missing,
 * "id" is the handle. Returns the index of the node, or -1 if "id" is missing.
 */
static int
read_end(Reader *r, const JsonbContainer *object)
{
	char *handle = kg_handle_read(object);
	JsonbValue id;

	if (handle != NULL)
		return add_node(r, handle, strlen(handle));
	return string_member(object, "id", &id) ? add_handle(r, &id) : -1;
}

static void
read_node(Reader *r, const JsonbContainer *object)
{
	static const char *const values[] = {"properties", "metadata", "data"};
	int node = read_end(r, object);

	for (int i = 0; i < lengthof(values) && node >= 0; i++)
		name_node(r, node, member(object, values[i], false));
}

static void
read_edge(Reader *r, const JsonbContainer *object)
{
	JsonbValue label;
	JsonbValue from;
	JsonbValue to;
	int source;
	int target;

	if (string_member(object, "predicate", &label))
	{
		if (!string_member(object, "subject", &from) ||
			!string_member(object, "object", &to))
			return;
		source = add_handle(r, &from);
		target = add_handle(r, &to);
	}
	else
	{
		const JsonbContainer *one = member(object, "from", false);
		const JsonbContainer *two = member(object, "to", false);

		if (one == NULL || two == NULL ||
			!string_member(object, "type", &label))
			return;
		source = read_end(r, one);
		target = read_end(r, two);
	}
	if (source >= 0 && target >= 0)
		add_edge(r,
				 source,
				 target,
				 label.val.string.val,
				 label.val.string.len,
				 false);
}

static void
read_objects(Reader *r, const JsonbContainer *array,
			 void (*read)(Reader *, const JsonbContainer *))
{
	if (array == NULL)
		return;
	kg_json_each(it, array)
		if (kg_json_is_object(&it.value))
			read(r, kg_json_container(&it.value));
}

/* Reads a path: an array in which handles and edges alternate. */
static void
read_path(Reader *r, const JsonbContainer *object)
{
	const JsonbContainer *path = member(object, "path", true);

	if (path == NULL)
		return;
	kg_json_each(it, path)
	{
		if (it.value.type == jbvString)
			(void) add_handle(r, &it.value);
		else if (kg_json_is_object(&it.value))
			read_edge(r, kg_json_container(&it.value));
	}
}

static bool
read_reply(Reader *r, const JsonbContainer *reply)
{
	static const char *const lists[] = {"nodes", "items", "entities"};
	const JsonbContainer *entity = member(reply, "entity", false);
	bool any = false;
	JsonbValue id;

	for (int i = 0; i < lengthof(lists); i++)
	{
		const JsonbContainer *list = member(reply, lists[i], true);

		read_objects(r, list, read_node);
		any |= list != NULL;
	}
	if (entity == NULL && string_member(reply, "id", &id))
		entity = reply;
	if (entity != NULL)
		read_node(r, entity);
	any |= entity != NULL || member(reply, "edges", true) != NULL ||
		   member(reply, "paths", true) != NULL;
	read_objects(r, member(reply, "edges", true), read_edge);
	read_objects(r, member(reply, "paths", true), read_path);
	return any;
}

/* ---- schemas ---- */

static void
read_type(Reader *r, const JsonbContainer *object)
{
	JsonbValue name;

	if (string_member(object, "name", &name) ||
		string_member(object, "entity_type", &name))
		(void) add_handle(r, &name);
}

static void
read_relation(Reader *r, const JsonbContainer *object)
{
	JsonbValue name;
	JsonbValue from;
	JsonbValue to;
	int source;

	if (!string_member(object, "name", &name) ||
		!string_member(object, "from", &from) ||
		!string_member(object, "to", &to))
		return;
	source = add_handle(r, &from);
	add_edge(r,
			 source,
			 add_handle(r, &to),
			 name.val.string.val,
			 name.val.string.len,
			 kg_json_is_true(object, "symmetric"));
}

/*
 * If a property, or an item of an array property, refers to an entity, adds an
 * edge for the reference.
 */
static void
read_reference(Reader *r, int type, const JsonbValue *key,
			   const JsonbContainer *property)
{
	const JsonbContainer *items = member(property, "items", false);
	JsonbValue target;
	JsonbValue relation;

	if (!string_member(property, "x-ref", &target))
	{
		if (items == NULL || !string_member(items, "x-ref", &target))
			return;
		if (!string_member(property, "x-relation", &relation))
			property = items;
	}
	if (!string_member(property, "x-relation", &relation))
	{
		char *name = pnstrdup(key->val.string.val, key->val.string.len);

		for (char *p = name; *p != '\0'; p++)
			*p = pg_ascii_toupper((unsigned char) *p);
		relation = kg_json_string_value(name);
	}
	add_edge(r,
			 type,
			 add_handle(r, &target),
			 relation.val.string.val,
			 relation.val.string.len,
			 false);
}

/*
 * Adds edges for the references in a schema, including those in nested objects
 * and in allOf.
 */
static void
read_references(Reader *r, int type, const JsonbContainer *schema)
{
	const JsonbContainer *properties = member(schema, "properties", false);
	const JsonbContainer *all = member(schema, "allOf", true);

	check_stack_depth();
	if (properties != NULL)
	{
		kg_json_each(it, properties)
			if (kg_json_is_object(&it.value))
			{
				read_reference(r, type, &it.key, kg_json_container(&it.value));
				read_references(r, type, kg_json_container(&it.value));
			}
	}
	if (all != NULL)
	{
		kg_json_each(it, all)
			if (kg_json_is_object(&it.value))
				read_references(r, type, kg_json_container(&it.value));
	}
}

static void
read_type_references(Reader *r, const JsonbContainer *object)
{
	const JsonbContainer *schema = member(object, "schema", false);
	JsonbValue name;

	if (schema != NULL && string_member(object, "entity_type", &name))
		read_references(r, add_handle(r, &name), schema);
}

static bool
read_schema(Reader *r, const JsonbContainer *object)
{
	const JsonbContainer *list = member(object, "schemas", true);

	if (list != NULL)
	{
		read_objects(r, list, read_type);
		read_objects(r, list, read_type_references);
		read_objects(r, member(object, "relations", true), read_relation);
		return true;
	}
	list = member(object, "node_types", true);
	if (list != NULL)
	{
		read_objects(r, list, read_type);
		read_objects(
			r, member(object, "relationship_types", true), read_relation);
		return true;
	}
	list = member(object, "entity_types", true);
	if (list == NULL)
		return false;
	kg_json_each(it, list)
		if (it.value.type == jbvString)
			(void) add_handle(r, &it.value);
	return true;
}

/* ---- options ---- */

static void
read_options(KgPicture *picture, const Jsonb *options)
{
	const JsonbContainer *root = kg_args_root(options);
	KgRepairs repairs = {NIL};
	int64 max_label = KG_DEFAULT_LABEL;
	char *direction;
	const KgOutline known = {.n = lengthof(known_options),
							 .names = known_options};
	JsonbValue value;

	kg_args_known(root, "", &known);
	(void) kg_args_int(
		root, "max_label", "", 1, KG_MAX_LABEL, &max_label, &repairs);
	picture->max_label = (int) max_label;
	picture->direction = directions[0];
	direction = kg_args_string(root, "direction", "");
	if (direction == NULL)
		return;
	for (int i = 0; i < lengthof(directions); i++)
		if (strcmp(direction, directions[i]) == 0)
		{
			picture->direction = directions[i];
			return;
		}
	(void) kg_json_get(root, "direction", &value);
	kg_error_throw(kg_args_error("/direction", &value, "LR, RL, TB or BT"));
}

KgPicture *
kg_picture_read(const Jsonb *graph, const Jsonb *options)
{
	Reader r;
	const JsonbContainer *root;
	const JsonbContainer *inner;
	JsonbValue value;

	memset(&r, 0, sizeof(r));
	r.picture = palloc0(sizeof(KgPicture));
	index_init(&r.nodes);
	index_init(&r.edges);
	read_options(r.picture, options);
	kg_json_root(graph, &value);
	root = kg_args_as_object(&value, "");
	/* The result of kg_call_tool() has the reply as its structured content. */
	inner = member(root, "structuredContent", false);
	if (inner != NULL)
		root = inner;
	if (!read_schema(&r, root) && !read_reply(&r, root))
		KG_THROW(KG_INVALID_INPUT,
				 .message = "there is nothing to draw in this JSON",
				 .path = "",
				 .expected = "a bundle, a schema, or a reply with \"nodes\", "
							 "\"edges\", \"paths\", \"items\" or \"entities\"");
	return r.picture;
}
