/*
 * schema_types.h
 *	  The JSON types that a schema permits, and the conversion of a text, such
 *	  as a cell of CSV, to a JSON value of such a type.
 */
#ifndef KG_KGCTL_SCHEMA_TYPES_H
#define KG_KGCTL_SCHEMA_TYPES_H

#include "kgctl/json.h"

enum
{
	KG_MAY_TEXT = 1,
	KG_MAY_NUMBER = 2,
	KG_MAY_BOOL = 4,
	KG_MAY_NULL = 8,
	KG_MAY_ARRAY = 16,
	KG_MAY_OBJECT = 32,
	KG_MAY_JSON = KG_MAY_ARRAY | KG_MAY_OBJECT
};

/*
 * Returns a bit mask of the permitted types, or 0 if the schema does not
 * restrict them. root is the document to which references are resolved.
 */
extern unsigned kg_schema_types(const KgJson *root, const KgJson *schema);

/*
 * Returns whether OpenAPI's "nullable" adds null to the types of a schema. This
 * depends on the dialect of the document root.
 */
extern bool kg_schema_is_nullable(const KgJson *root, const KgJson *schema);

/*
 * Returns the schema to which a local $ref refers. If the schema has no such
 * $ref, returns the schema itself.
 */
extern const KgJson *kg_schema_follow(KgArena *arena, const KgJson *root,
									  const KgJson *schema);

/* Returns the type of a value as one of the KG_MAY_ flags. */
extern unsigned kg_schema_type_of(const KgJson *value);

/*
 * Appends the JSON value that a text represents in a permitted type. Returns
 * false if the text is not a value of any permitted type.
 */
extern bool kg_schema_value(unsigned types, const char *text, size_t len,
							KgBuf *out);

#endif /* KG_KGCTL_SCHEMA_TYPES_H */
