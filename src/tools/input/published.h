/*
 * published.h
 *	  Arguments against the input schema that the tool publishes.
 */
#ifndef KG_PUBLISHED_H
#define KG_PUBLISHED_H

#include "model/catalog.h"

/*
 * Raise KG_INVALID_INPUT with what the published schema says against the
 * arguments: for those that were read without an error or a repair although
 * the schema refuses them, so that what is published binds.  The schema is that
 * of a template, for a type or of a fixed tool (NULL).
 */
extern void kg_published_check(const KgCatalog *catalog, const KgType *type,
							   const char *template, const Jsonb *arguments);

/* The error for arguments that a schema refuses. */
extern void kg_published_refuse(const KgSchema *schema, const Jsonb *arguments);

#endif /* KG_PUBLISHED_H */
