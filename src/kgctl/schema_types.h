/*
 * schema_types.h
 *	  The JSON types that a schema permits, and the JSON value of a text
 *	  without a type, as in a cell of CSV.
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
 * Returns the permitted types, or 0 if the schema does not restrict them. root
 * is the document of its references.
 */
extern unsigned kg_schema_types(const KgJson *root, const KgJson *schema);

/*
 * Returns whether OpenAPI's "nullable" adds null to the type of a schema, which
 * depends on the dialect of the document.
 */
extern bool kg_schema_is_nullable(const KgJson *root, const KgJson *schema);

/* Returns the schema, or the schema that its local $ref names. */
extern const KgJson *kg_schema_follow(KgArena *arena, const KgJson *root,
									  const KgJson *schema);

/* Returns the type of a value, as one of the numbers above. */
extern unsigned kg_schema_type_of(const KgJson *value);

/*
 * Appends the JSON value of a text. Returns false if no permitted type has
 * such a text.
 */
extern bool kg_schema_value(unsigned types, const char *text, size_t len,
							KgBuf *out);

#endif /* KG_KGCTL_SCHEMA_TYPES_H */
