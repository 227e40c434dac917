/*
 * elsewhere.h
 *	  A hint for a filter on a property that a related entity type has.
 */
#ifndef KG_ELSEWHERE_H
#define KG_ELSEWHERE_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Adds to an error about the filter at path the "related" that the caller can
 * use instead, if exactly one relation leads from the type to a type with the
 * property.
 */
extern void kg_elsewhere(KgError *err, const KgType *type, const char *property,
						 const char *path);

#endif /* KG_ELSEWHERE_H */
