/*
 * analyze.h
 *	  The measure of every entity of a type, to be stored in a property.
 */
#ifndef KG_ANALYZE_H
#define KG_ANALYZE_H

#include "base/json.h"
#include "model/catalog.h"

typedef struct KgMeasured
{
	uint32 n;
	char **ids;
	/* indexed as "ids": score of the entity, or number of the entity's group */
	double *values;
	bool whole; /* true: the values are integers */
} KgMeasured;

/*
 * Measures the graph that the caller sees. The arguments are those of the tool
 * analyze, except the arguments that select nodes. Fills *measured with the
 * score or group of every entity of the type, in the current memory context.
 * Writes the sizes of the graph.
 */
extern void kg_analyze_type(const KgType *type, const Jsonb *arguments,
							KgMeasured *measured, KgJsonWriter *w);

/*
 * Measures the graph that the caller sees, and writes each value to a property
 * of the entity. Returns the reply. Requires admin access, and a caller that
 * sees the whole tenant.
 */
extern Jsonb *kg_keep_measure(const char *type, const char *property,
							  const Jsonb *arguments);

#endif /* KG_ANALYZE_H */
