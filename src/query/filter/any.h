/*
 * any.h
 *	  Alternatives: the member "any" of filters.
 */
#ifndef KG_ANY_H
#define KG_ANY_H

#include "query/filter/filter.h"

/*
 * Name of the member with the alternatives. In filters, a property of this name
 * is written as "data.any".
 */
#define KG_ANY "any"
#define KG_ANY_PROPERTY "data." KG_ANY
#define KG_MIN_ALTERNATIVES 2
#define KG_MAX_ALTERNATIVES 10

/*
 * Returns the name of the property that a name in filters means: "any" for
 * "data.any", otherwise the name itself. To be called if no property has
 * exactly that name.
 */
extern const char *kg_any_name(const char *name);

/*
 * Parses the alternatives into the filter. Raises KG_INVALID_INPUT at path and
 * below.
 */
extern void kg_any_parse(KgFilter *filter, const JsonbValue *value,
						 const char *path);

/*
 * Analyses the alternatives of a parsed filter against several targets, like
 * kg_filter_analyse_over(). Sets the alternatives of analysed[i], or sets
 * analysed[i] to NULL if no alternative can be true in target i.
 */
extern void kg_any_analyse_over(KgFilter *parsed, const KgFilterTarget *targets,
								int ntargets, KgFilter **analysed,
								KgRepairs *repairs);

/*
 * Returns the i-th condition, or NULL if the filter has fewer conditions.
 * Conditions of alternatives come after all others.
 */
extern const KgCondition *kg_any_condition(const KgFilter *filter, int i);

#endif /* KG_ANY_H */
