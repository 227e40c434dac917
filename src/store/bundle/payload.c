/*
 * payload.c
 *	  Reads a payload: a bundle as the caller sent it.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/annotation_names.h"
#include "model/annotations.h"
#include "miscadmin.h"
#include "store/bundle/payload.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Bytes allocated at a time for the strings of edges. */
#define KG_STRING_ROOM (64 * 1024)
/*
 * Number of recent edges whose relation names are compared before a name is
 * copied.
 */
#define KG_RECENT_EDGES 8

static void
report(KgErrorList *errors, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path);
	kg_error_report(errors, err);
}

static bool
valid_bundle_name(const char *name)
{
	int len = strlen(name);

	if (len < 2 || len > 64 || name[0] < 'a' || name[0] > 'z' ||
		name[len - 1] == '-')
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

bool
kg_valid_type_name(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	int len = strlen(name);

	return len >= 2 && len <= 63 && strchr(letters, name[0]) != NULL &&
		   name[len - 1] != '_' && strspn(name, word) == len;
}

char *
kg_json_hash(const Jsonb *jsonb)
{
	char *json = JsonbToCString(
		NULL, (JsonbContainer *) &jsonb->root, VARSIZE(jsonb));
	Datum digest = DirectFunctionCall1(sha256_bytea,
									   PointerGetDatum(cstring_to_text(json)));
	char *hex = TextDatumGetCString(
		DirectFunctionCall2(binary_encode, digest, CStringGetTextDatum("hex")));

	pfree(json);
	return hex;
}

/*
 * Returns the member "key" of the object. Returns NULL if the member is missing
 * or has another JSON type than "type". Reports a wrong type, and a missing
 * member that is required. A member null counts as missing if it is not
 * required.
 */
static JsonbValue *
member(const JsonbContainer *object, const char *key, const char *type,
	   bool required, const char *path, JsonbValue *value, KgErrorList *errors)
{
	KgError *err;

	if (kg_json_get(object, key, value) == NULL ||
		(value->type == jbvNull && !required))
	{
		if (!required)
			return NULL;
		err = kg_error_new(KG_INVALID_INPUT, "key \"%s\" is missing", key);
		kg_error_expected(err, "\"%s\" of type %s", key, type);
		report(errors, err, path);
		return NULL;
	}
	if (strcmp(kg_json_type_name(value), type) == 0)
		return value;
	err = kg_error_new(KG_INVALID_INPUT, "\"%s\" is not of type %s", key, type);
	kg_error_got(err, value);
	kg_error_expected(err, "type %s", type);
	report(errors, err, psprintf("%s/%s", path, key));
	return NULL;
}

static char *
string_member(const JsonbContainer *object, const char *key, bool required,
			  const char *path, KgErrorList *errors)
{
	JsonbValue value;
	KgError *err;

	if (member(object, key, "string", required, path, &value, errors) == NULL)
		return NULL;
	if (value.val.string.len > 0 || !required)
		return kg_json_cstring(&value);
	err = kg_error_new(KG_INVALID_INPUT, "\"%s\" is empty", key);
	kg_error_expected(err, "a string that is not empty");
	report(errors, err, psprintf("%s/%s", path, key));
	return NULL;
}

static Jsonb *
schema_member(const JsonbContainer *object, bool required, const char *path,
			  KgErrorList *errors)
{
	JsonbValue value;

	if (member(object, "schema", "object", required, path, &value, errors))
		return kg_json_datum(&value);
	return NULL;
}

static void
bad_name(const char *name, const char *kind, const char *pattern,
		 const char *path, KgErrorList *errors)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, "%s name is not valid", kind);

	kg_error_got_string(err, name);
	kg_error_expected(err, "a name that matches %s", pattern);
	report(errors, err, path);
}

static const char *
type_name_member(const JsonbContainer *object, const char *key,
				 const char *kind, const char *path, KgErrorList *errors)
{
	char *name = string_member(object, key, true, path, errors);

	if (name && !kg_valid_type_name(name))
	{
		bad_name(name,
				 kind,
				 "^[A-Za-z][A-Za-z0-9_]{0,61}[A-Za-z0-9]$",
				 psprintf("%s/%s", path, key),
				 errors);
		return NULL;
	}
	return name;
}

/*
 * Returns an item of an array of objects. If the item is not an object,
 * reports that and returns NULL.
 */
static const JsonbContainer *
object_item(const JsonbValue *value, const char *path, KgErrorList *errors)
{
	KgError *err;

	if (kg_json_is_object(value))
		return kg_json_container(value);
	err = kg_error_new(KG_INVALID_INPUT, "the value is not an object");
	kg_error_got(err, value);
	kg_error_expected(err, "an object");
	report(errors, err, path);
	return NULL;
}

static void
read_definitions(KgPayload *payload, const JsonbContainer *root,
				 KgErrorList *errors)
{
	JsonbValue value;
	KgJsonWriter w;

	if (member(root, "definitions", "array", false, "", &value, errors) == NULL)
		return;
	kg_jw_init_object(&w);
	kg_json_each(it, kg_json_container(&value))
	{
		char *path = psprintf("/definitions/%d", it.index);
		const JsonbContainer *object = object_item(&it.value, path, errors);
		char *id = NULL;

		if (object)
		{
			id = string_member(object, "$id", true, path, errors);
			kg_annotations_check_names(object, path, errors);
		}
		if (id)
		{
			kg_jw_key(&w, id);
			kg_jw_value(&w, &it.value);
		}
	}
	payload->definitions = kg_jw_finish(&w);
}

static void
read_types(KgPayload *payload, const JsonbContainer *root, KgErrorList *errors)
{
	static const char *const known[] = {"entity_type", "schema", NULL};
	JsonbValue value;

	if (member(root, "schemas", "array", false, "", &value, errors) == NULL)
		return;
	payload->has_schemas = true;
	payload->types = palloc0(Max(1, kg_json_length(kg_json_container(&value))) *
							 sizeof(KgPayloadType));
	kg_json_each(it, kg_json_container(&value))
	{
		char *path = psprintf("/schemas/%d", it.index);
		const JsonbContainer *object = object_item(&it.value, path, errors);
		KgPayloadType *type = &payload->types[payload->ntypes];

		if (object == NULL)
			continue;
		kg_check_members(object, known, path, errors);
		type->name = type_name_member(
			object, "entity_type", "entity type", path, errors);
		type->schema = schema_member(object, true, path, errors);
		type->position = it.index;
		type->path = psprintf("%s/schema", path);
		if (type->name == NULL || type->schema == NULL)
			continue;
		for (int i = 0; i < payload->ntypes; i++)
		{
			if (strcmp(payload->types[i].name, type->name) == 0)
			{
				KgError *err = kg_error_new(KG_INVALID_INPUT,
											"entity type \"%s\" is declared "
											"twice",
											type->name);

				kg_error_expected(err, "each entity type once");
				report(errors, err, psprintf("%s/entity_type", path));
			}
		}
		payload->ntypes++;
	}
}

/*
 * Returns the property that the member "key": ["property"] names, or NULL if
 * the member is missing. If it does not name exactly one property, reports that
 * and returns NULL.
 */
static const char *
key_member(const JsonbContainer *object, const char *path, KgErrorList *errors)
{
	JsonbValue value;
	JsonbContainer *array;
	JsonbValue *property;
	KgError *err;

	if (member(object, "key", "array", false, path, &value, errors) == NULL)
		return NULL;
	array = (JsonbContainer *) kg_json_container(&value);
	property = getIthJsonbValueFromContainer(array, 0);
	if (kg_json_length(array) == 1 && property->type == jbvString)
		return kg_json_cstring(property);
	err = kg_error_new(KG_INVALID_INPUT,
					   "\"key\" does not name exactly one property");
	kg_error_got(err, &value);
	kg_error_expected(err, "an array with the name of one property");
	report(errors, err, psprintf("%s/key", path));
	return NULL;
}

static void
read_exposed(KgPayloadRelation *relation, const JsonbContainer *object,
			 KgErrorList *errors)
{
	JsonbValue value;
	KgError *err;

	if (kg_json_get(object, "tools", &value) == NULL || value.type == jbvNull ||
		kg_expose_read(&value, true, &relation->expose))
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"\"tools\" of a relation must be an array of names of tools");
	kg_error_got(err, &value);
	kg_expose_allow(err, true);
	report(errors, err, psprintf("%s/tools", relation->path));
}

static void
read_relations(KgPayload *payload, const JsonbContainer *root,
			   KgErrorList *errors)
{
	static const char *const known[] = {"name",
										"from",
										"to",
										"schema",
										"inverse",
										"symmetric",
										"key",
										"history",
										"description",
										"tools",
										NULL};
	JsonbValue value;
	JsonbValue symmetric;
	JsonbValue history;

	if (member(root, "relations", "array", false, "", &value, errors) == NULL)
		return;
	payload->has_relations = true;
	payload->relations = palloc0(
		Max(1, kg_json_length(kg_json_container(&value))) *
		sizeof(KgPayloadRelation));
	kg_json_each(it, kg_json_container(&value))
	{
		char *path = psprintf("/relations/%d", it.index);
		const JsonbContainer *object = object_item(&it.value, path, errors);
		KgPayloadRelation *relation = &payload->relations[payload->nrelations];

		if (object == NULL)
			continue;
		kg_check_members(object, known, path, errors);
		relation->path = path;
		relation->name = type_name_member(
			object, "name", "relation", path, errors);
		relation->from = string_member(object, "from", true, path, errors);
		relation->to = string_member(object, "to", true, path, errors);
		relation->schema = schema_member(object, false, path, errors);
		if (kg_json_get(object, "inverse", &value) != NULL &&
			value.type != jbvNull)
			relation->inverse = type_name_member(
				object, "inverse", "relation", path, errors);
		if (member(object,
				   "symmetric",
				   "boolean",
				   false,
				   path,
				   &symmetric,
				   errors))
			relation->symmetric = symmetric.val.boolean;
		relation->key = key_member(object, path, errors);
		if (member(object, "history", "boolean", false, path, &history, errors))
			relation->history = history.val.boolean;
		relation->description = string_member(
			object, "description", false, path, errors);
		read_exposed(relation, object, errors);
		if (relation->name && relation->from && relation->to)
			payload->nrelations++;
	}
}

static void
read_item(KgPayloadSet *set, const JsonbValue *value, int set_index, int index,
		  KgErrorList *errors)
{
	KgPayloadItem *item = &set->items[set->nitems];

	if (!kg_json_is_object(value))
	{
		(void) object_item(
			value, psprintf("/entities/%d/items/%d", set_index, index), errors);
		return;
	}
	memset(item, 0, sizeof(*item));
	item->container = value->val.binary.data;
	item->len = value->val.binary.len;
	item->set = set_index;
	item->index = index;
	set->nitems++;
}

/*
 * Reads the items of an array. If "taken" is not NULL, the items were already
 * parsed out of the array.
 */
static void
read_items(KgPayloadSet *set, const JsonbContainer *array,
		   const KgItemList *taken, int set_index, KgErrorList *errors)
{
	int n = taken ? taken->n : kg_json_length(array);

	set->items = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, n) * sizeof(KgPayloadItem));
	kg_json_each(it, array)
		read_item(set, &it.value, set_index, it.index, errors);
	for (int i = 0; taken && i < taken->n; i++)
	{
		JsonbValue value;

		kg_json_root(taken->items[i], &value);
		read_item(set, &value, set_index, i, errors);
	}
}

static void
read_entities(KgPayload *payload, const KgDocument *document,
			  KgErrorList *errors)
{
	static const char *const known[] = {"entity_type", "items", NULL};
	JsonbValue value;
	JsonbValue items;

	if (member(&document->root->root,
			   "entities",
			   "array",
			   false,
			   "",
			   &value,
			   errors) == NULL)
		return;
	payload->has_entities = true;
	payload->sets = palloc0(Max(1, kg_json_length(kg_json_container(&value))) *
							sizeof(KgPayloadSet));
	kg_json_each(it, kg_json_container(&value))
	{
		char *path = psprintf("/entities/%d", it.index);
		const JsonbContainer *object = object_item(&it.value, path, errors);
		KgPayloadSet *set = &payload->sets[payload->nsets];

		CHECK_FOR_INTERRUPTS();
		if (object == NULL)
			continue;
		kg_check_members(object, known, path, errors);
		set->type_name = string_member(
			object, "entity_type", true, path, errors);
		if (member(object, "items", "array", true, path, &items, errors) ==
				NULL ||
			set->type_name == NULL)
			continue;
		read_items(set,
				   kg_json_container(&items),
				   document->split ? &document->sets[it.index] : NULL,
				   it.index,
				   errors);
		payload->nsets++;
	}
}

/* The members of an edge. */
typedef struct EdgeMembers
{
	JsonbValue relation;
	JsonbValue from;
	JsonbValue to;
	JsonbValue properties; /* jbvNull: the edge has no properties */
} EdgeMembers;

/*
 * Reads an edge. Returns false if it is invalid. Must be fast, because there
 * may be many edges.
 */
static bool
read_edge(const JsonbValue *value, EdgeMembers *edge)
{
	int strings = 0;

	if (!kg_json_is_object(value))
		return false;
	edge->properties.type = jbvNull;
	kg_json_each(it, kg_json_container(value))
	{
		if (kg_json_string_is(&it.key, "from"))
			edge->from = it.value;
		else if (kg_json_string_is(&it.key, "to"))
			edge->to = it.value;
		else if (kg_json_string_is(&it.key, "relation"))
			edge->relation = it.value;
		else if (kg_json_string_is(&it.key, "properties") &&
				 (kg_json_is_object(&it.value) || it.value.type == jbvNull))
		{
			edge->properties = it.value;
			continue;
		}
		else
			return false;
		if (it.value.type != jbvString || it.value.val.string.len == 0)
			return false;
		strings++;
	}
	return strings == 3;
}

static void
report_faults(const JsonbValue *value, int index, KgErrorList *errors)
{
	static const char *const known[] = {
		"relation", "from", "to", "properties", NULL};
	char *path = psprintf("/edges/%d", index);
	const JsonbContainer *object = object_item(value, path, errors);
	JsonbValue properties;

	if (object == NULL)
		return;
	kg_check_members(object, known, path, errors);
	(void) string_member(object, "relation", true, path, errors);
	(void) string_member(object, "from", true, path, errors);
	(void) string_member(object, "to", true, path, errors);
	(void) member(
		object, "properties", "object", false, path, &properties, errors);
}

/*
 * Reports the faults of an edge. Once the limit of errors is reached, further
 * errors use no memory.
 */
static void
refuse_edge(const JsonbValue *value, int index, KgErrorList *errors)
{
	int before = list_length(errors->errors);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edge", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	report_faults(value, index, errors);
	MemoryContextSwitchTo(old);
	if (list_length(errors->errors) == before)
		MemoryContextDelete(scratch);
}

/* Returns a copy of a string. Several copies share one allocation. */
static char *
keep_string(KgPayloadEdges *edges, const JsonbValue *string)
{
	int len = string->val.string.len;
	char *copy;

	if (len >= edges->left)
	{
		edges->left = Max(KG_STRING_ROOM, len + 1);
		edges->room = MemoryContextAlloc(edges->context, edges->left);
	}
	copy = edges->room;
	memcpy(copy, string->val.string.val, len);
	copy[len] = '\0';
	edges->room += len + 1;
	edges->left -= len + 1;
	return copy;
}

/*
 * Returns a copy of the relation's name. Adjacent edges mostly have the same
 * relation, so the copy of a recent edge is shared.
 */
static const char *
keep_relation(KgPayloadEdges *edges, const JsonbValue *name)
{
	for (int i = edges->n - 1; i >= Max(0, edges->n - KG_RECENT_EDGES); i--)
		if (kg_json_string_is(name, edges->list[i].relation))
			return edges->list[i].relation;
	return keep_string(edges, name);
}

static void
make_room(KgPayloadEdges *edges, int n)
{
	edges->context = CurrentMemoryContext;
	edges->allocated = n;
	edges->list = MemoryContextAllocHuge(edges->context,
										 (Size) n * sizeof(KgPayloadEdge));
}

static KgPayloadEdge *
next_edge(KgPayloadEdges *edges)
{
	if (edges->list == NULL)
		make_room(edges, 1024);
	else if (edges->n == edges->allocated)
	{
		edges->allocated *= 2;
		edges->list = repalloc_huge(
			edges->list, (Size) edges->allocated * sizeof(KgPayloadEdge));
	}
	return &edges->list[edges->n];
}

void
kg_payload_add_edge(KgPayloadEdges *edges, const JsonbValue *value, int index,
					const char *properties, int len, KgErrorList *errors)
{
	KgPayloadEdge *edge;
	EdgeMembers members;

	if (!read_edge(value, &members))
	{
		refuse_edge(value, index, errors);
		return;
	}
	edge = next_edge(edges);
	edge->relation = keep_relation(edges, &members.relation);
	edge->from = keep_string(edges, &members.from);
	edge->to = keep_string(edges, &members.to);
	edge->properties = NULL;
	edge->index = index;
	if (members.properties.type != jbvNull)
	{
		edge->properties = properties ? (const void *) properties
									  : members.properties.val.binary.data;
		edge->len = properties ? len : members.properties.val.binary.len;
	}
	edges->n++;
}

Jsonb *
kg_payload_properties(const KgPayloadEdges *edges, const KgPayloadEdge *edge)
{
	JsonbValue value;

	if (edge->properties == NULL)
		return NULL;
	if (edges->text)
		return kg_json_parse(pnstrdup(edge->properties, edge->len));
	value.type = jbvBinary;
	value.val.binary.data = (JsonbContainer *) edge->properties;
	value.val.binary.len = edge->len;
	return kg_json_datum(&value);
}

static void
read_edges(KgPayload *payload, const KgDocument *document, KgErrorList *errors)
{
	JsonbValue value;
	ListCell *lc;

	if (member(&document->root->root,
			   "edges",
			   "array",
			   false,
			   "",
			   &value,
			   errors) == NULL)
		return;
	payload->has_edges = true;
	payload->edges = document->edges;
	foreach(lc, document->edge_errors.errors)
		kg_error_report(errors, lfirst(lc));
	errors->total += document->edge_errors.total -
					 list_length(document->edge_errors.errors);
	if (!document->split)
		make_room(&payload->edges,
				  Max(1, kg_json_length(kg_json_container(&value))));
	kg_json_each(it, kg_json_container(&value))
	{
		CHECK_FOR_INTERRUPTS();
		kg_payload_add_edge(
			&payload->edges, &it.value, it.index, NULL, 0, errors);
	}
}

KgPayload *
kg_payload_read(const KgDocument *document, KgErrorList *errors)
{
	static const char *const known[] = {"bundle_name",
										"version",
										"description",
										"instructions",
										"definitions",
										"schemas",
										"relations",
										"entities",
										"edges",
										"tools",
										NULL};
	JsonbValue tools;
	KgPayload *payload = palloc0(sizeof(KgPayload));
	const JsonbContainer *root = &document->root->root;

	if (!JsonContainerIsObject(root))
	{
		KgError *err = kg_error_new(KG_INVALID_INPUT,
									"a bundle must be an object");

		kg_error_expected(err,
						  "an object {\"bundle_name\", \"version\", "
						  "\"schemas\", \"entities\", ...}");
		report(errors, err, "");
		return payload;
	}
	kg_check_members(root, known, "", errors);
	payload->given_name = string_member(root, "bundle_name", true, "", errors);
	if (payload->given_name && valid_bundle_name(payload->given_name))
		payload->name = payload->given_name;
	else if (payload->given_name)
		bad_name(payload->given_name,
				 "bundle",
				 "^[a-z][a-z0-9-]{0,62}[a-z0-9]$",
				 "/bundle_name",
				 errors);
	payload->version = string_member(root, "version", true, "", errors);
	payload->description = string_member(
		root, "description", false, "", errors);
	payload->instructions = string_member(
		root, "instructions", false, "", errors);
	if (member(root, "tools", "array", false, "", &tools, errors))
		payload->tools = kg_json_datum(&tools);
	read_definitions(payload, root, errors);
	read_types(payload, root, errors);
	read_relations(payload, root, errors);
	read_entities(payload, document, errors);
	read_edges(payload, document, errors);
	return payload;
}

int64
kg_payload_nitems(const KgPayload *payload)
{
	int64 n = 0;

	for (int i = 0; i < payload->nsets; i++)
		n += payload->sets[i].nitems;
	return n;
}

KgPayloadType *
kg_payload_type(const KgPayload *payload, const char *name)
{
	for (int i = 0; i < payload->ntypes; i++)
		if (strcmp(payload->types[i].name, name) == 0)
			return &payload->types[i];
	return NULL;
}

Jsonb *
kg_payload_data(const KgPayloadItem *item)
{
	Jsonb *data = palloc(VARHDRSZ + item->len);

	SET_VARSIZE(data, VARHDRSZ + item->len);
	memcpy(&data->root, item->container, item->len);
	return data;
}
