/*
 * analyze.h
 *	  The measure of every entity of a type, to be kept in a property.
 */
#ifndef KG_ANALYZE_H
#define KG_ANALYZE_H

#include "base/json.h"
#include "model/catalog.h"

typedef struct KgMeasured
{
	uint32 n;
	char **ids;
	double *values; /* by the index of the id: score, or number of a group */
	bool whole;		/* the values are integers */
} KgMeasured;

/*
 * Measures the graph that the caller sees, by the arguments of the tool analyze
 * that do not choose nodes. Sets the values of all entities of the type, in the
 * current memory context, and writes the sizes of the graph. The largest group
 * has the number 1.
 */
extern void kg_analyze_type(const KgType *type, const Jsonb *arguments,
							KgMeasured *measured, KgJsonWriter *w);

/*
 * Measures the graph as kg_analyze_type() does, and writes the values to a
 * property of the entities of a type. Returns the reply. Needs admin access,
 * and a caller that sees all of the tenant.
 */
extern Jsonb *kg_keep_measure(const char *type, const char *property,
							  const Jsonb *arguments);

#endif /* KG_ANALYZE_H */
