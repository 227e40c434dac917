/*
 * registry.c
 *	  The documents, resources and anchors that references may name.
 *
 * Every document is scanned once, along the keywords that contain subschemas.
 * An "$id" inside an enum or an unknown keyword is data, not an identifier. A
 * document of an unknown dialect is stored, and refused only if a reference
 * leads to it.
 *
 * No document is fetched: references resolve to the schema itself, the caller's
 * resources or the embedded meta-schemas.
 *
 * Lifetime: resources are in the schema's context because nodes point to them.
 * Hash tables are in a child context, which the compiler deletes at its end.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "schema/metaschema.h"
#include "schema/registry.h"
#include "schema/uri.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Base URI of a schema without $id. It is never displayed. */
#define DEFAULT_BASE "kg:/"

typedef struct Anchor
{
	const KgJsResource *resource;
	char *name;
	bool dynamic;
	KgJsPlace place;
} Anchor;

typedef struct UriEntry
{
	const char *uri; /* key: pointer to the string */
	KgJsResource *resource;
} UriEntry;

typedef struct PlaceEntry
{
	const char *container; /* key */
	KgJsPlace place;
} PlaceEntry;

struct KgJsRegistry
{
	const KgSchemaOptions *options;
	/*
	 * copy of the object of the caller's resources; null if there are no
	 * resources
	 */
	KgJsVal supplied;
	KgDialect default_dialect;
	HTAB *uris;
	HTAB *places;
	List *resources;	   /* List of KgJsResource * */
	List *anchors;		   /* List of Anchor * */
	MemoryContext context; /* context of data that nodes point to */
	bool in_root;
};

/* Returns a URI in the form in which the schema's author wrote it. */
static const char *
shown_uri(const char *uri)
{
	size_t n = strlen(DEFAULT_BASE);

	return strncmp(uri, DEFAULT_BASE, n) == 0 ? uri + n : uri;
}

KgError *
kg_schema_error(const KgJsResource *resource, const char *pointer,
				const char *fmt, ...)
{
	KgError *err;
	StringInfoData message;

	initStringInfo(&message);
	for (;;)
	{
		va_list args;
		int need;

		va_start(args, fmt);
		need = appendStringInfoVA(&message, fmt, args);
		va_end(args);
		if (need == 0)
			break;
		enlargeStringInfo(&message, need);
	}
	err = kg_error_new(
		KG_INVALID_INPUT, "schema is not valid: %s", message.data);
	if (resource != NULL && resource->document != NULL)
		kg_error_path(err, "%s#%s", shown_uri(resource->document), pointer);
	else
		kg_error_path(err, "%s", pointer);
	return err;
}

static char *
sub_pointer(const char *pointer, const char *name, int len)
{
	StringInfoData s;

	initStringInfo(&s);
	appendStringInfoString(&s, pointer);
	kg_json_pointer_append(&s, name, len);
	return s.data;
}

static char *
sub_index(const char *pointer, const char *name, int index)
{
	return psprintf("%s/%s/%d", pointer, name, index);
}

KgJsRegistry *
kg_registry_create(const KgSchemaOptions *options, MemoryContext work)
{
	KgJsRegistry *registry = palloc0(sizeof(KgJsRegistry));
	HASHCTL ctl;
	const char *dialect = options->dialect;

	registry->options = options;
	registry->context = CurrentMemoryContext;
	registry->default_dialect = KG_DRAFT_2020;
	registry->supplied.type = KG_JS_NULL;
	if (dialect != NULL)
	{
		registry->default_dialect = kg_metaschema_dialect(dialect);
		if (registry->default_dialect == 0)
		{
			KgError *err = kg_error_new(
				KG_INVALID_INPUT, "dialect \"%s\" is not known", dialect);

			kg_metaschema_allow(err);
			kg_error_throw(err);
		}
	}
	registry->uris = kg_text_table("kg schema uris", sizeof(UriEntry), work);
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(const char *);
	ctl.entrysize = sizeof(PlaceEntry);
	ctl.hcxt = work;
	registry->places = hash_create(
		"kg schema places", 128, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return registry;
}

static KgJsResource *
find_uri(KgJsRegistry *registry, const char *uri)
{
	UriEntry *entry = hash_search(registry->uris, &uri, HASH_FIND, NULL);

	return entry ? entry->resource : NULL;
}

static void
bind_uri(KgJsRegistry *registry, const char *uri, KgJsResource *resource,
		 const char *pointer)
{
	bool found;
	UriEntry *entry = hash_search(registry->uris, &uri, HASH_ENTER, &found);

	if (!found)
	{
		entry->uri = uri;
		entry->resource = resource;
	}
	else if (entry->resource != resource && registry->in_root)
		kg_error_throw(kg_schema_error(resource,
									   pointer,
									   "two schemas have the $id \"%s\"",
									   shown_uri(uri)));
}

/* Splits a URI at "#". Returns the fragment, or NULL if there is no "#". */
static char *
split_fragment(char *uri)
{
	char *hash = strchr(uri, '#');

	if (hash == NULL)
		return NULL;
	*hash = '\0';
	return hash + 1;
}

static const struct
{
	const char *name;
	int bit;
} vocabularies[] = {
	{"core", KG_VOCAB_CORE},
	{"applicator", KG_VOCAB_APPLICATOR},
	{"unevaluated", KG_VOCAB_UNEVALUATED},
	{"validation", KG_VOCAB_VALIDATION},
	{"meta-data", KG_VOCAB_METADATA},
	{"format", KG_VOCAB_FORMAT},
	{"format-annotation", KG_VOCAB_FORMAT},
	{"format-assertion", KG_VOCAB_FORMAT_ASSERTION},
	{"content", KG_VOCAB_CONTENT},
};

static int
vocabulary_bit(const char *uri, int len)
{
	static const char *const bases[] = {
		"https://json-schema.org/draft/2020-12/vocab/",
		"https://json-schema.org/draft/2019-09/vocab/"};

	for (int i = 0; i < lengthof(bases); i++)
	{
		int n = strlen(bases[i]);

		if (len <= n || strncmp(uri, bases[i], n) != 0)
			continue;
		for (int j = 0; j < lengthof(vocabularies); j++)
		{
			if (strlen(vocabularies[j].name) == len - n &&
				strncmp(uri + n, vocabularies[j].name, len - n) == 0)
				return vocabularies[j].bit;
		}
	}
	return 0;
}

/*
 * Reads the vocabularies of a meta-schema that the caller supplies. Returns
 * false if it requires an unknown vocabulary.
 */
static bool
read_vocabularies(const KgJsVal *metaschema, KgDialect dialect, int *result)
{
	KgJsVal object;
	KgJsObjectWalk w;

	*result = KG_VOCAB_STANDARD;
	if (KG_DIALECT_IS_OLD(dialect) ||
		!kg_val_get(metaschema, "$vocabulary", 11, &object) ||
		object.type != KG_JS_OBJECT)
		return true;
	*result = KG_VOCAB_CORE;
	kg_object_begin(&w, &object);
	while (kg_object_next(&w))
	{
		int bit = vocabulary_bit(w.key, w.key_len);
		bool required = w.value.type == KG_JS_BOOL && w.value.len != 0;

		if (bit == 0 && required)
			return false;
		/*
		 * An optional vocabulary with assertions applies if kg_graph supports
		 * it.
		 */
		*result |= bit;
	}
	return true;
}

static bool supplied_document(const KgJsRegistry *registry, const char *uri,
							  KgJsVal *schema);

/*
 * Sets the dialect (0: unknown) and the vocabularies of a resource from its
 * $schema.
 */
static void
read_dialect(KgJsRegistry *registry, const KgJsVal *schema,
			 KgJsResource *resource, const KgJsResource *parent)
{
	KgJsVal uri;
	KgJsVal document = *schema;
	KgJsVal metaschema;

	if (!kg_val_get(schema, "$schema", 7, &uri) || uri.type != KG_JS_STRING)
	{
		resource->dialect = parent ? parent->dialect
								   : registry->default_dialect;
		resource->vocabularies = parent ? parent->vocabularies
										: KG_VOCAB_STANDARD;
		return;
	}
	resource->dialect = 0;
	resource->vocabularies = KG_VOCAB_STANDARD;
	metaschema.type = KG_JS_NULL;
	/*
	 * A meta-schema of the caller may itself be described by another
	 * meta-schema of the caller.
	 */
	for (int depth = 0; depth < 8; depth++)
	{
		char *name;
		KgJsVal next;

		if (!kg_val_get(&document, "$schema", 7, &uri) ||
			uri.type != KG_JS_STRING)
		{
			resource->dialect = registry->default_dialect;
			break;
		}
		name = kg_val_cstring(&uri);
		resource->dialect = kg_metaschema_dialect(name);
		if (resource->dialect != 0)
			break;
		if (!supplied_document(registry, name, &next))
			return;
		if (depth == 0)
			metaschema = next;
		document = next;
	}
	if (metaschema.type != KG_JS_NULL && resource->dialect != 0 &&
		!read_vocabularies(
			&metaschema, resource->dialect, &resource->vocabularies))
		resource->dialect = 0;
}

static KgJsResource *
new_resource(KgJsRegistry *registry, const KgJsVal *schema, const char *uri,
			 const char *document, const char *pointer,
			 const KgJsResource *parent)
{
	KgJsResource *resource = MemoryContextAllocZero(registry->context,
													sizeof(KgJsResource));

	resource->uri = uri;
	resource->document = document;
	resource->pointer = pointer;
	resource->root = *schema;
	read_dialect(registry, schema, resource, parent);
	resource->assert_format = !registry->options->annotate_format ||
							  (resource->vocabularies &
							   KG_VOCAB_FORMAT_ASSERTION) != 0;
	registry->resources = lappend(registry->resources, resource);
	return resource;
}

static void
add_anchor(KgJsRegistry *registry, KgJsResource *resource, const char *name,
		   int len, bool dynamic, const KgJsVal *schema, const char *pointer)
{
	Anchor *anchor = palloc0(sizeof(Anchor));
	ListCell *lc;

	anchor->resource = resource;
	anchor->name = pnstrdup(name, len);
	anchor->dynamic = dynamic;
	anchor->place.schema = *schema;
	anchor->place.resource = resource;
	anchor->place.pointer = pointer;
	foreach(lc, registry->anchors)
	{
		Anchor *other = lfirst(lc);

		if (other->resource == resource &&
			strcmp(other->name, anchor->name) == 0 &&
			other->place.schema.data != schema->data && registry->in_root)
			kg_error_throw(kg_schema_error(resource,
										   pointer,
										   "two schemas have the anchor \"%s\"",
										   anchor->name));
	}
	registry->anchors = lappend(registry->anchors, anchor);
}

static void scan(KgJsRegistry *registry, const KgJsVal *schema,
				 KgJsResource *resource, const char *pointer);

/*
 * Returns the name of the keyword that identifies a subschema, "$id" or "id".
 * It depends on the dialect that the subschema's own $schema names.
 */
static const char *
id_keyword(const KgJsVal *schema, const KgJsResource *resource)
{
	KgDialect dialect = resource->dialect;
	KgJsVal uri;

	if (kg_val_get(schema, "$schema", 7, &uri) && uri.type == KG_JS_STRING)
	{
		int own = kg_metaschema_dialect(kg_val_cstring(&uri));

		if (own != 0)
			dialect = own;
	}
	return dialect == KG_DRAFT_04 ? "id" : "$id";
}

/*
 * Registers the identifier of a subschema. It makes the subschema a resource
 * or, before 2019-09, an anchor. Returns the subschema's resource.
 */
static KgJsResource *
scan_id(KgJsRegistry *registry, const KgJsVal *schema, KgJsResource *resource,
		const char *pointer)
{
	KgJsVal id;
	const char *keyword = id_keyword(schema, resource);
	char *ref;
	char *uri;
	char *fragment;
	KgJsResource *own;

	if (!kg_val_get(schema, keyword, strlen(keyword), &id) ||
		id.type != KG_JS_STRING)
		return resource;
	ref = kg_val_cstring(&id);
	if (ref[0] == '#')
	{
		if (KG_DIALECT_IS_OLD(resource->dialect) && ref[1] != '\0')
			add_anchor(registry,
					   resource,
					   ref + 1,
					   strlen(ref) - 1,
					   false,
					   schema,
					   pointer);
		return resource;
	}
	uri = kg_uri_resolve(resource->uri, ref);
	if (uri == NULL)
	{
		if (registry->in_root)
			kg_error_throw(
				kg_schema_error(resource,
								sub_pointer(pointer, keyword, strlen(keyword)),
								"\"%s\" is not a URI reference",
								ref));
		return resource;
	}
	fragment = split_fragment(uri);
	if (resource->root.data == schema->data)
	{
		/*
		 * The root of a document is already registered under another URI; add
		 * this URI.
		 */
		bind_uri(registry, uri, resource, pointer);
		resource->uri = uri;
		own = resource;
	}
	else
	{
		own = new_resource(
			registry, schema, uri, resource->document, pointer, resource);
		bind_uri(registry, uri, own, pointer);
	}
	if (fragment != NULL && fragment[0] != '\0' &&
		KG_DIALECT_IS_OLD(own->dialect))
		add_anchor(
			registry, own, fragment, strlen(fragment), false, schema, pointer);
	return own;
}

static void
scan_anchors(KgJsRegistry *registry, const KgJsVal *schema,
			 KgJsResource *resource, const char *pointer)
{
	KgJsVal name;

	if (KG_DIALECT_IS_OLD(resource->dialect))
		return;
	if (kg_val_get(schema, "$anchor", 7, &name) && name.type == KG_JS_STRING)
		add_anchor(
			registry, resource, name.data, name.len, false, schema, pointer);
	if (resource->dialect == KG_DRAFT_2020 &&
		kg_val_get(schema, "$dynamicAnchor", 14, &name) &&
		name.type == KG_JS_STRING)
		add_anchor(
			registry, resource, name.data, name.len, true, schema, pointer);
}

/* Scans the subschemas that the value of a keyword contains. */
static void
scan_keyword(KgJsRegistry *registry, KgKeyword keyword, const KgJsVal *value,
			 KgJsResource *resource, const char *pointer)
{
	const char *name = kg_keyword_name(keyword);
	KgJsShape shape = kg_keyword_shape(keyword);
	char *below;
	KgJsObjectWalk wo;
	KgJsArrayWalk wa;
	KgJsVal item;

	if (shape == KG_SHAPE_NONE)
		return;
	if (value->type == KG_JS_OBJECT &&
		(shape == KG_SHAPE_SCHEMA || shape == KG_SHAPE_SCHEMA_OR_ARRAY))
	{
		scan(registry, value, resource, psprintf("%s/%s", pointer, name));
		return;
	}
	if (value->type == KG_JS_ARRAY &&
		(shape == KG_SHAPE_ARRAY || shape == KG_SHAPE_SCHEMA_OR_ARRAY))
	{
		kg_array_begin(&wa, value);
		while (kg_array_next(&wa, &item))
		{
			if (item.type == KG_JS_OBJECT)
				scan(registry,
					 &item,
					 resource,
					 sub_index(pointer, name, wa.i - 1));
		}
		return;
	}
	if (value->type == KG_JS_OBJECT &&
		(shape == KG_SHAPE_MAP || shape == KG_SHAPE_DEPENDENCIES))
	{
		below = psprintf("%s/%s", pointer, name);
		kg_object_begin(&wo, value);
		while (kg_object_next(&wo))
		{
			if (wo.value.type == KG_JS_OBJECT)
				scan(registry,
					 &wo.value,
					 resource,
					 sub_pointer(below, wo.key, wo.key_len));
		}
	}
}

static void
scan(KgJsRegistry *registry, const KgJsVal *schema, KgJsResource *resource,
	 const char *pointer)
{
	PlaceEntry *entry;
	KgJsObjectWalk w;
	KgJsVal ref;
	bool found;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (schema->type != KG_JS_OBJECT)
		return;
	entry = hash_search(registry->places, &schema->data, HASH_ENTER, &found);
	if (found)
		return;
	entry->place.schema = *schema;
	entry->place.pointer = pointer;
	entry->place.resource = resource;
	if (hash_get_num_entries(registry->places) > kg_setting_schema_max_nodes)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf("schema has more than %d subschemas",
									 kg_setting_schema_max_nodes),
				 .hint = "See kg_graph.schema_max_nodes.");
	/* Before 2019-09, keywords beside a $ref are ignored. */
	if (!KG_DIALECT_IS_OLD(resource->dialect) ||
		resource->root.data == schema->data ||
		!kg_val_get(schema, "$ref", 4, &ref))
		resource = scan_id(registry, schema, resource, pointer);
	entry = hash_search(registry->places, &schema->data, HASH_FIND, NULL);
	entry->place.resource = resource;
	if (resource->dialect == 0)
		return;
	scan_anchors(registry, schema, resource, pointer);
	kg_object_begin(&w, schema);
	while (kg_object_next(&w))
	{
		KgKeyword keyword = kg_keyword_find(w.key, w.key_len);

		if (keyword != KG_KW_NONE &&
			kg_keyword_applies(keyword, resource->dialect, KG_VOCAB_STANDARD))
			scan_keyword(registry, keyword, &w.value, resource, pointer);
	}
}

static KgJsResource *
add_document(KgJsRegistry *registry, const char *uri, const KgJsVal *schema,
			 bool is_root)
{
	KgJsResource *resource = new_resource(
		registry, schema, uri, is_root ? NULL : uri, "", NULL);

	/*
	 * If an $id that was scanned before has this URI, it takes precedence over
	 * the supplied document.
	 */
	bind_uri(registry, uri, resource, "");
	if (schema->type == KG_JS_OBJECT)
		scan(registry, schema, resource, "");
	return resource;
}

/*
 * Finds a document by its URI among the caller's resources and the embedded
 * meta-schemas, and sets *schema to it. Returns false if there is no such
 * document.
 */
static bool
supplied_document(const KgJsRegistry *registry, const char *uri,
				  KgJsVal *schema)
{
	char *name = pstrdup(uri);
	const char *text;

	split_fragment(name);
	if (registry->supplied.type == KG_JS_OBJECT &&
		(kg_val_get(&registry->supplied, name, strlen(name), schema) ||
		 kg_val_get(&registry->supplied,
					shown_uri(name),
					strlen(shown_uri(name)),
					schema)))
		return true;
	text = kg_metaschema_text(name);
	if (text == NULL)
		return false;
	kg_val_from_jsonb(schema, kg_json_parse(text));
	return true;
}

KgJsResource *
kg_registry_add_root(KgJsRegistry *registry, const KgJsVal *schema)
{
	const Jsonb *resources = registry->options->resources;
	KgJsResource *root;
	KgJsObjectWalk w;

	if (resources != NULL)
	{
		Jsonb *copy = palloc(VARSIZE(resources));

		memcpy(copy, resources, VARSIZE(resources));
		kg_val_from_jsonb(&registry->supplied, copy);
	}
	registry->in_root = true;
	root = add_document(registry, DEFAULT_BASE, schema, true);
	registry->in_root = false;
	if (registry->supplied.type != KG_JS_OBJECT)
		return root;
	kg_object_begin(&w, &registry->supplied);
	while (kg_object_next(&w))
	{
		char *key = pnstrdup(w.key, w.key_len);
		char *uri = kg_uri_resolve(DEFAULT_BASE, key);

		if (uri == NULL ||
			(w.value.type != KG_JS_OBJECT && w.value.type != KG_JS_BOOL))
			KG_THROW(KG_INVALID_INPUT,
					 .message = psprintf(
						 uri ? "resource \"%s\" is not a schema"
							 : "resource name \"%s\" is not a URI reference",
						 key),
					 .path = sub_pointer("/resources", key, w.key_len));
		split_fragment(uri);
		add_document(registry, uri, &w.value, false);
	}
	return root;
}

/*
 * Returns the resource of a URI, or NULL. Loads an embedded meta-schema on
 * demand.
 */
static KgJsResource *
find_resource(KgJsRegistry *registry, const char *uri)
{
	KgJsResource *resource = find_uri(registry, uri);
	KgJsVal schema;
	const char *text;

	if (resource != NULL)
		return resource;
	text = kg_metaschema_text(uri);
	if (text == NULL)
		return NULL;
	kg_val_from_jsonb(&schema, kg_json_parse(text));
	return add_document(registry, pstrdup(uri), &schema, false);
}

/*
 * Follows a JSON Pointer from the root of a resource, and sets *place to its
 * target. Returns false if the target does not exist.
 */
static bool
follow_pointer(KgJsRegistry *registry, KgJsResource *resource,
			   const char *fragment, int len, KgJsPlace *place)
{
	const char *end = fragment + len;
	StringInfoData pointer;

	initStringInfo(&pointer);
	appendStringInfoString(&pointer, resource->pointer);
	place->schema = resource->root;
	place->resource = resource;
	while (fragment < end)
	{
		const char *next = fragment + 1;
		StringInfoData token;
		PlaceEntry *entry;

		initStringInfo(&token);
		for (; next < end && *next != '/'; next++)
		{
			if (*next != '~')
				appendStringInfoChar(&token, *next);
			else if (next + 1 < end && (next[1] == '0' || next[1] == '1'))
				appendStringInfoChar(&token, *++next == '0' ? '~' : '/');
			else
				return false;
		}
		if (place->schema.type == KG_JS_OBJECT)
		{
			KgJsVal object = place->schema;

			if (!kg_val_get(&object, token.data, token.len, &place->schema))
				return false;
		}
		else if (place->schema.type == KG_JS_ARRAY)
		{
			KgJsVal array = place->schema;
			char *stop;
			long index = strtol(token.data, &stop, 10);

			if (token.len == 0 || token.len > 9 || *stop != '\0' ||
				token.data[0] < '0' || token.data[0] > '9' ||
				!kg_val_at(&array, (int) index, &place->schema))
				return false;
		}
		else
			return false;
		kg_json_pointer_append(&pointer, token.data, token.len);
		entry = hash_search(
			registry->places, &place->schema.data, HASH_FIND, NULL);
		if (entry != NULL && place->schema.type == KG_JS_OBJECT)
			place->resource = entry->place.resource;
		fragment = next;
	}
	place->pointer = pointer.data;
	return true;
}

static bool
find_anchor(KgJsRegistry *registry, const KgJsResource *resource,
			const char *name, bool only_dynamic, KgJsPlace *place)
{
	ListCell *lc;

	foreach(lc, registry->anchors)
	{
		Anchor *anchor = lfirst(lc);

		if (anchor->resource == resource && strcmp(anchor->name, name) == 0 &&
			(anchor->dynamic || !only_dynamic))
		{
			*place = anchor->place;
			return true;
		}
	}
	return false;
}

static KG_NORETURN void
unresolved(KgJsRegistry *registry, const KgJsResource *base, const char *ref,
		   const char *uri, const char *pointer, bool has_document)
{
	KgError *err;
	ListCell *lc;

	if (has_document)
	{
		err = kg_schema_error(
			base,
			pointer,
			"$ref \"%s\" does not lead to a schema in its document",
			ref);
		kg_error_throw_expected(err,
								"a JSON Pointer to a subschema, or an $anchor");
	}
	err = kg_schema_error(base,
						  pointer,
						  "$ref \"%s\" is unknown, and schemas are not fetched "
						  "from the network or from files",
						  ref);
	kg_error_got_string(err, shown_uri(uri));
	kg_error_expected(err,
					  "the $id of a schema in this document or of one of the "
					  "resources supplied with it");
	foreach(lc, registry->resources)
	{
		KgJsResource *resource = lfirst(lc);

		if (shown_uri(resource->uri)[0] != '\0')
			kg_error_allow(err, shown_uri(resource->uri));
		if (foreach_current_index(lc) >= 20)
			break;
	}
	kg_error_throw(err);
}

static void
require_dialect(const KgJsResource *resource, const char *pointer)
{
	KgError *err;
	KgJsVal uri;

	if (resource->dialect != 0)
		return;
	err = kg_schema_error(resource,
						  psprintf("%s/$schema", resource->pointer),
						  "the dialect is unknown");
	if (kg_val_get(&resource->root, "$schema", 7, &uri))
	{
		JsonbValue value;

		kg_val_to_value(&uri, &value);
		kg_error_got(err, &value);
	}
	kg_error_expected(err,
					  "draft 2020-12, 2019-09, draft-07, draft-06 or draft-04, "
					  "OpenAPI 3.0, or a supplied meta-schema of known "
					  "vocabularies");
	kg_metaschema_allow(err);
	kg_error_throw(err);
}

void
kg_registry_resolve(KgJsRegistry *registry, KgJsResource *base, const char *ref,
					const char *pointer, KgJsPlace *place)
{
	char *uri;
	char *fragment;
	char *name;
	KgJsResource *resource;
	int len;
	bool found;

	if (ref[0] == '#' || ref[0] == '\0')
	{
		uri = pstrdup(ref);
		fragment = split_fragment(uri);
		resource = base;
		uri = pstrdup(base->uri);
	}
	else
	{
		uri = kg_uri_resolve(base->uri, ref);
		if (uri == NULL)
			kg_error_throw(kg_schema_error(
				base, pointer, "$ref \"%s\" is not a URI reference", ref));
		fragment = split_fragment(uri);
		resource = find_resource(registry, uri);
		if (resource == NULL)
			unresolved(registry, base, ref, uri, pointer, false);
	}
	require_dialect(resource, pointer);
	name = kg_uri_unescape(fragment ? fragment : "", &len);
	if (name == NULL)
		unresolved(registry, base, ref, uri, pointer, true);
	if (len == 0 || name[0] == '/')
		found = follow_pointer(registry, resource, name, len, place);
	else
		found = find_anchor(registry, resource, name, false, place);
	if (!found || (place->schema.type != KG_JS_OBJECT &&
				   place->schema.type != KG_JS_BOOL))
		unresolved(registry, base, ref, uri, pointer, true);
	require_dialect(place->resource, pointer);
	/*
	 * Scan the target, because a reference makes it a schema even if it is not
	 * the value of a known keyword.
	 */
	scan(registry, &place->schema, place->resource, place->pointer);
	place->resource = kg_registry_enter(
		registry, place->resource, &place->schema);
}

bool
kg_registry_dynamic_anchor(KgJsRegistry *registry, const KgJsResource *resource,
						   const char *name, KgJsPlace *place)
{
	return find_anchor(registry, resource, name, true, place);
}

bool
kg_registry_recursive_anchor(const KgJsResource *resource)
{
	KgJsVal value;

	return resource->dialect == KG_DRAFT_2019 &&
		   kg_val_get(&resource->root, "$recursiveAnchor", 16, &value) &&
		   value.type == KG_JS_BOOL && value.len != 0;
}

KgJsResource *
kg_registry_enter(KgJsRegistry *registry, KgJsResource *parent,
				  const KgJsVal *schema)
{
	PlaceEntry *entry;

	if (schema->type != KG_JS_OBJECT)
		return parent;
	entry = hash_search(registry->places, &schema->data, HASH_FIND, NULL);
	if (entry == NULL)
		return parent;
	require_dialect(entry->place.resource, entry->place.pointer);
	return entry->place.resource;
}

int
kg_registry_count(const KgJsRegistry *registry)
{
	return list_length(registry->resources);
}

KgJsResource *
kg_registry_nth(const KgJsRegistry *registry, int n)
{
	return list_nth(registry->resources, n);
}
