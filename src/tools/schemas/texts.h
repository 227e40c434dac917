/*
 * schemas/texts.h
 *	  The JSON files of this folder as C strings.
 *
 *	  schemas/texts.awk generates texts.c from them. Only
 *	  tools/input/schema_template.c reads the strings.
 */
#ifndef KG_SCHEMA_TEXTS_H
#define KG_SCHEMA_TEXTS_H

#include "utils/jsonb.h"

/* A member of a JSON file: its name and its text. */
typedef struct KgSchemaText
{
	const char *name;
	const char *json;
	/* the parsed text, in TopMemoryContext; NULL: not used yet */
	Jsonb *parsed;
} KgSchemaText;

/* The entries of all files. Each array ends with an entry without a name. */
extern KgSchemaText kg_schema_parts[]; /* members of parts.json */
extern KgSchemaText kg_schema_tools[]; /* members of all other files */

#endif /* KG_SCHEMA_TEXTS_H */
