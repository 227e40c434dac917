/*
 * schema_text.h
 *	  The types and relations that a caller can see, as a text for a model.
 */
#ifndef KG_SCHEMA_TEXT_H
#define KG_SCHEMA_TEXT_H

#include "model/catalog.h"

/* A schema as text, with the numbers of shortened and omitted items. */
typedef struct KgSchemaText
{
	char *text;
	/* number of property descriptions that were shortened or omitted */
	int descriptions;
	int types;	   /* number of types whose properties were omitted */
	int relations; /* number of relations whose properties were omitted */
	int unnamed;   /* number of types and relations that are not in the text */
} KgSchemaText;

/*
 * Writes the schema in at most max_bytes. The text has the bundles, a line for
 * each type (types with most entities first), and a line for each declared
 * relation. If "only" is not NULL, the text has only the lines of this type,
 * of the types that refer to it, and of its relations.
 *
 * If the text would exceed max_bytes, it omits, in this order: the ends of
 * long property descriptions, all property descriptions, the properties of the
 * last types, the properties of the last relations, and the last lines.
 */
extern void kg_schema_text(KgSchemaText *schema, const KgCatalog *catalog,
						   const KgType *only, Size max_bytes);

#endif /* KG_SCHEMA_TEXT_H */
