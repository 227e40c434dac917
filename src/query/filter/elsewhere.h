/*
 * elsewhere.h
 *	  A correction for a filter on a property that a related entity type has.
 */
#ifndef KG_ELSEWHERE_H
#define KG_ELSEWHERE_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Adds the correction to an error about the filter at a path: "related" in
 * place of the filter, if exactly one relation leads from the type to a type
 * that has the property.
 */
extern void kg_elsewhere(KgError *err, const KgType *type, const char *property,
						 const char *path);

#endif /* KG_ELSEWHERE_H */
