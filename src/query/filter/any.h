/*
 * any.h
 *	  Alternatives: the member "any" of filters.
 */
#ifndef KG_ANY_H
#define KG_ANY_H

#include "query/filter/filter.h"

/* What it is called; a property of that name is "data.any". */
#define KG_ANY "any"
#define KG_ANY_PROPERTY "data." KG_ANY
#define KG_MIN_ALTERNATIVES 2
#define KG_MAX_ALTERNATIVES 10

/* The property that a name in filters means where none is called so. */
extern const char *kg_any_name(const char *name);

/* Parse them into the filter; raises KG_INVALID_INPUT at path and below. */
extern void kg_any_parse(KgFilter *filter, const JsonbValue *value,
						 const char *path);

/*
 * The alternatives of a parsed filter against several targets, as
 * kg_filter_analyse_over(): sets those of analysed[i], or makes it NULL where
 * none can hold in target i.
 */
extern void kg_any_analyse_over(const KgFilter *parsed,
								const KgFilterTarget *targets, int ntargets,
								KgFilter **analysed, KgRepairs *repairs);

/* What must hold beside one of the alternatives, and it, as one filter. */
extern KgFilter *kg_any_with(const KgFilter *filter, int alternative);

/* The i-th condition, those of alternatives after the others; NULL: no more. */
extern const KgCondition *kg_any_condition(const KgFilter *filter, int i);

#endif /* KG_ANY_H */
