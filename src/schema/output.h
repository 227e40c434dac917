/*
 * output.h
 *	  Output of violations as jsonb, in the specification's formats and in
 *	  kg_graph's.
 */
#ifndef KG_OUTPUT_H
#define KG_OUTPUT_H

#include "schema/schema.h"

typedef enum KgOutput
{
	KG_OUTPUT_FLAG,
	KG_OUTPUT_BASIC,
	KG_OUTPUT_DETAILED,
	KG_OUTPUT_MODEL
} KgOutput;

/*
 * Returns the output for a List of KgSchemaError *. NIL means that the instance
 * is valid.
 */
extern Jsonb *kg_output(KgOutput output, List *errors);

#endif /* KG_OUTPUT_H */
