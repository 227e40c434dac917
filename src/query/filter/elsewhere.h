/*
 * elsewhere.h
 *	  A hint for a filter on a property that a related entity type has.
 */
#ifndef KG_ELSEWHERE_H
#define KG_ELSEWHERE_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Tells an error about the filter at a path to ask for "related" instead, if
 * one relation alone leads from the type to one that has the property.
 */
extern void kg_elsewhere(KgError *err, const KgType *type, const char *property,
						 const char *path);

#endif /* KG_ELSEWHERE_H */
