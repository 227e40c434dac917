/*
 * type_documents.c
 *	  The published schemas of entities' documents and of edge properties.
 *
 *	  A type's own schema is published in full, because models follow the schema
 *	  that they receive. kg_graph's annotations are omitted. Each $ref is
 *	  replaced by its target, because some clients do not support $ref. A schema
 *	  that refers to itself ends at the second occurrence. A schema of an older
 *	  dialect is translated to draft 2020-12, which the published schemas have.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "model/schema_ref.h"
#include "query/run/running.h"
#include "store/entity/new_ids.h"
#include "tools/input/client_schema.h"
#include "tools/input/type_parts.h"

/*
 * KG_PUBLISHED_DEPTH is the maximum depth of schemas within schemas, and
 * KG_PUBLISHED_REFS of references within references.
 */
#define KG_PUBLISHED_DEPTH 32
#define KG_PUBLISHED_REFS 4
/* Maximum total bytes of the targets that replace references. */
#define KG_PUBLISHED_BYTES (128 * 1024)

/* ---- a type's schema ---- */

typedef struct Copy
{
	/* document that contains the schema that is being copied */
	const KgSchemaDocument *document;
	const Jsonb *definitions;
	KgJsonWriter *w;
	int depth;
	/* number of enclosing references that were replaced by their targets */
	int refs;
	/*
	 * number of bytes that the targets of further references may still have
	 * (KG_PUBLISHED_BYTES)
	 */
	int64 left;
} Copy;

static void copy_schema(Copy *copy, const JsonbValue *schema);

/*
 * Returns whether a keyword is omitted from the copy: an annotation of
 * kg_graph, a keyword without meaning for a model, a keyword that the dialect
 * of the document lacks, or one that has a meaning only in the whole document.
 */
static bool
is_omitted(const Copy *copy, const JsonbValue *key)
{
	static const char *const names[] = {"$schema",
										"$id",
										"$defs",
										"definitions",
										"$anchor",
										"$dynamicAnchor",
										"$dynamicRef",
										"$comment",
										"$vocabulary",
										NULL};
	KgKeyword keyword = kg_keyword_find(key->val.string.val,
										key->val.string.len);

	if (keyword != KG_KW_NONE &&
		!kg_keyword_exists(keyword, copy->document->dialect))
		return true;
	return (key->val.string.len > 2 &&
			memcmp(key->val.string.val, "x-", 2) == 0) ||
		   (copy->document->dialect == KG_DRAFT_04 &&
			kg_json_string_is(key, "id")) ||
		   kg_key_is(key, names);
}

static bool
is_derived(const JsonbValue *property)
{
	JsonbValue value;

	return kg_json_is_object(property) &&
		   kg_json_get(kg_json_container(property), "x-derived", &value) !=
			   NULL;
}

/* Copies an object whose members are schemas. */
static void
copy_named(Copy *copy, const JsonbValue *named)
{
	if (!kg_json_is_object(named))
	{
		kg_jw_value(copy->w, named);
		return;
	}
	kg_jw_begin_object(copy->w);
	kg_json_each(it, kg_json_container(named))
	{
		/* A derived property is computed and cannot be written. */
		if (is_derived(&it.value))
			continue;
		kg_jw_keyn(copy->w, it.key.val.string.val, it.key.val.string.len);
		copy_schema(copy, &it.value);
	}
	kg_jw_end_object(copy->w);
}

/* Copies a schema, or an array of schemas. */
static void
copy_schemas(Copy *copy, const JsonbValue *schemas)
{
	if (!kg_json_is_array(schemas))
	{
		copy_schema(copy, schemas);
		return;
	}
	kg_jw_begin_array(copy->w);
	kg_json_each(it, kg_json_container(schemas))
		copy_schema(copy, &it.value);
	kg_jw_end_array(copy->w);
}

/*
 * Writes the type of a schema with "nullable": true, which also permits null.
 */
static void
write_nullable(Copy *copy, const JsonbValue *type)
{
	kg_jw_kbegin_array(copy->w, "type");
	kg_jw_value(copy->w, type);
	kg_jw_string(copy->w, "null");
	kg_jw_end_array(copy->w);
}

static bool
has_item_list(const JsonbContainer *schema)
{
	JsonbValue items;

	return kg_json_get(schema, "items", &items) != NULL &&
		   kg_json_is_array(&items);
}

/*
 * Copies a keyword that draft 2020-12 lacks or has in another form. Writes the
 * equivalent of the keyword, or nothing. Returns false for all other keywords.
 */
static bool
translate_keyword(Copy *copy, const JsonbContainer *schema,
				  const JsonbValue *key, const JsonbValue *value)
{
	bool booleans = KG_DIALECT_HAS_BOOLEAN_BOUNDS(copy->document->dialect);

	if (kg_json_string_is(key, "items") && kg_json_is_array(value))
	{
		kg_jw_key(copy->w, "prefixItems");
		copy_schemas(copy, value);
	}
	else if (kg_json_string_is(key, "additionalItems"))
	{
		if (!has_item_list(schema))
			return true;
		kg_jw_key(copy->w, "items");
		copy_schema(copy, value);
	}
	else if (booleans && kg_json_string_is(key, "minimum") &&
			 kg_json_is_true(schema, "exclusiveMinimum"))
	{
		kg_jw_key(copy->w, "exclusiveMinimum");
		kg_jw_value(copy->w, value);
	}
	else if (booleans && kg_json_string_is(key, "maximum") &&
			 kg_json_is_true(schema, "exclusiveMaximum"))
	{
		kg_jw_key(copy->w, "exclusiveMaximum");
		kg_jw_value(copy->w, value);
	}
	else if (copy->document->dialect == KG_OPENAPI_30 &&
			 kg_json_string_is(key, "type") &&
			 kg_json_is_true(schema, "nullable"))
		write_nullable(copy, value);
	else
		return kg_json_string_is(key, "nullable") ||
			   (booleans && (kg_json_string_is(key, "exclusiveMinimum") ||
							 kg_json_string_is(key, "exclusiveMaximum")));
	return true;
}

static void
copy_keyword(Copy *copy, const JsonbContainer *schema, const JsonbValue *key,
			 const JsonbValue *value)
{
	if (is_omitted(copy, key) || kg_json_string_is(key, "$ref") ||
		(copy->document->dialect != KG_DRAFT_2020 &&
		 translate_keyword(copy, schema, key, value)))
		return;
	kg_jw_keyn(copy->w, key->val.string.val, key->val.string.len);
	switch (kg_key_shape(key))
	{
		case KG_SHAPE_MAP:
			copy_named(copy, value);
			break;
		case KG_SHAPE_SCHEMA:
		case KG_SHAPE_ARRAY:
		case KG_SHAPE_SCHEMA_OR_ARRAY:
			copy_schemas(copy, value);
			break;
		case KG_SHAPE_NONE:
		case KG_SHAPE_DEPENDENCIES:
			kg_jw_value(copy->w, value);
			break;
	}
}

/*
 * Copies the target of a $ref. If the schema has no other keywords ("alone"),
 * the target replaces the schema. Otherwise the schema gets an allOf that
 * contains the target.
 */
static void
copy_reference(Copy *copy, const JsonbContainer *schema, bool alone)
{
	const KgSchemaDocument *outer = copy->document;
	const KgSchemaDocument *document = NULL;
	JsonbValue ref;
	JsonbValue target;

	if (kg_json_get(schema, "$ref", &ref) != NULL && ref.type == jbvString &&
		copy->refs < KG_PUBLISHED_REFS && copy->left > 0)
		document = kg_schema_ref_find(
			outer, copy->definitions, kg_json_cstring(&ref), &target);
	if (document == NULL)
	{
		if (alone)
		{
			kg_jw_begin_object(copy->w);
			kg_jw_end_object(copy->w);
		}
		return;
	}
	copy->refs++;
	if (kg_json_container(&target) != NULL)
		copy->left -= target.val.binary.len;
	copy->document = document;
	if (!alone)
		kg_jw_kbegin_array(copy->w, "allOf");
	copy_schema(copy, &target);
	if (!alone)
		kg_jw_end_array(copy->w);
	copy->refs--;
	copy->document = outer;
}

static void
copy_schema(Copy *copy, const JsonbValue *schema)
{
	const JsonbContainer *object = kg_json_container(schema);
	JsonbValue value;
	bool refers;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!kg_json_is_object(schema))
	{
		kg_jw_value(copy->w, schema);
		return;
	}
	refers = kg_json_get(object, "$ref", &value) != NULL;
	if (copy->depth >= KG_PUBLISHED_DEPTH ||
		(refers && (kg_json_length(object) == 1 ||
					KG_DIALECT_IS_OLD(copy->document->dialect))))
	{
		if (refers && copy->depth < KG_PUBLISHED_DEPTH)
			copy_reference(copy, object, true);
		else
		{
			kg_jw_begin_object(copy->w);
			kg_jw_end_object(copy->w);
		}
		return;
	}
	copy->depth++;
	kg_jw_begin_object(copy->w);
	kg_json_each(it, object)
		copy_keyword(copy, object, &it.key, &it.value);
	/*
	 * If the schema already has an allOf, the target is omitted, because an
	 * object cannot have the key "allOf" twice.
	 */
	if (refers && kg_json_get(object, "allOf", &value) == NULL)
		copy_reference(copy, object, false);
	kg_jw_end_object(copy->w);
	copy->depth--;
}

/*
 * Writes "required". The id is required even if the schema does not require
 * it, unless ids of the type are generated.
 */
static void
write_required(const KgType *type, KgJsonWriter *w)
{
	JsonbValue value;

	kg_jw_kbegin_array(w, "required");
	if (!kg_makes_ids(type))
		kg_jw_string(w, type->id_field->name);
	if (kg_json_get(&type->schema->root, "required", &value) != NULL &&
		kg_json_is_array(&value))
	{
		kg_json_each(it, kg_json_container(&value))
			if (!kg_json_string_is(&it.value, type->id_field->name))
				kg_jw_value(w, &it.value);
	}
	kg_jw_end_array(w);
}

Jsonb *
kg_type_document_schema(const KgType *type)
{
	KgJsonWriter w;
	Copy copy = {
		.definitions = type->definitions, .w = &w, .left = KG_PUBLISHED_BYTES};
	JsonbValue root;
	Jsonb *document;

	kg_jw_init(&w);
	kg_json_root(type->schema, &root);
	copy.document = kg_schema_document(&root);
	copy_schema(&copy, &root);
	document = kg_jw_finish(&w);
	kg_jw_init_object(&w);
	kg_jw_members(&w, &document->root);
	write_required(type, &w);
	return kg_client_schema(kg_jw_finish(&w));
}

/*
 * Copies the properties of a schema and of the schemas in its allOf. Sets
 * *closed if the schema forbids other properties.
 */
static void
copy_properties(Copy *copy, const KgType *type, const JsonbContainer *schema,
				bool *closed)
{
	JsonbValue value;

	check_stack_depth();
	if (kg_json_get(schema, "additionalProperties", &value) != NULL ||
		kg_json_get(schema, "unevaluatedProperties", &value) != NULL)
		*closed |= value.type == jbvBool && !value.val.boolean;
	if (kg_json_get(schema, "properties", &value) != NULL)
	{
		kg_json_each(it, kg_json_container(&value))
		{
			/* The id identifies the entity and cannot be changed. */
			if (is_derived(&it.value) ||
				kg_json_string_is(&it.key, type->id_field->name))
				continue;
			kg_jw_keyn(copy->w, it.key.val.string.val, it.key.val.string.len);
			copy_schema(copy, &it.value);
		}
	}
	if (kg_json_get(schema, "allOf", &value) == NULL ||
		!kg_json_is_array(&value))
		return;
	kg_json_each(it, kg_json_container(&value))
		if (kg_json_is_object(&it.value))
			copy_properties(copy, type, kg_json_container(&it.value), closed);
}

Jsonb *
kg_type_changes_schema(const KgType *type)
{
	KgJsonWriter w;
	Copy copy = {
		.definitions = type->definitions, .w = &w, .left = KG_PUBLISHED_BYTES};
	Jsonb *document = kg_type_document_schema(type);
	JsonbValue root;
	bool closed = false;

	kg_json_root(document, &root);
	copy.document = kg_schema_document(&root);
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kstring(&w,
				  "description",
				  "properties and their whole new values; null is a value");
	kg_jw_kbegin_object(&w, "properties");
	copy_properties(&copy, type, &document->root, &closed);
	kg_jw_end_object(&w);
	if (closed)
		kg_jw_kbool(&w, "additionalProperties", false);
	return kg_client_schema(kg_jw_finish(&w));
}

/*
 * Returns the schema of the properties that edges of the relation have. If the
 * relation has several variants, returns an anyOf of the schemas of all
 * variants. If a variant has no schema, returns a schema that accepts any
 * object.
 */
Jsonb *
kg_relation_properties_schema(const KgRelation *relation)
{
	KgJsonWriter w;
	Copy copy = {.definitions = relation->definitions,
				 .w = &w,
				 .left = KG_PUBLISHED_BYTES};
	JsonbValue root;
	int n = 0;

	for (int i = 0; i < relation->nvariants; i++)
		n += relation->variants[i].schema != NULL;
	kg_jw_init(&w);
	if (n == 0 || n < relation->nvariants)
		return kg_json_parse("{\"type\": \"object\"}");
	if (n > 1)
	{
		kg_jw_begin_object(&w);
		kg_jw_kbegin_array(&w, "anyOf");
	}
	for (int i = 0; i < relation->nvariants; i++)
	{
		kg_json_root(relation->variants[i].schema, &root);
		copy.document = kg_schema_document(&root);
		copy_schema(&copy, &root);
	}
	if (n > 1)
	{
		kg_jw_end_array(&w);
		kg_jw_end_object(&w);
	}
	return kg_client_schema(kg_jw_finish(&w));
}
