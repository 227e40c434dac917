/*
 * schemas/texts.h
 *	  The JSON files of this folder as C strings.
 *
 *	  schemas/texts.awk makes texts.c of them. Only
 *	  tools/input/schema_template.c reads them.
 */
#ifndef KG_SCHEMA_TEXTS_H
#define KG_SCHEMA_TEXTS_H

#include "utils/jsonb.h"

/* A member of a file. */
typedef struct KgSchemaText
{
	const char *name;
	const char *json;
	Jsonb *parsed; /* in TopMemoryContext; NULL: not used yet */
} KgSchemaText;

/* The entries of all files. Each array ends with an entry without a name. */
extern KgSchemaText kg_schema_parts[]; /* of parts.json */
extern KgSchemaText kg_schema_tools[]; /* of all other files */

#endif /* KG_SCHEMA_TEXTS_H */
