/*
 * published.h
 *	  Validates arguments against the input schema that the tool publishes.
 */
#ifndef KG_PUBLISHED_H
#define KG_PUBLISHED_H

#include "model/catalog.h"

/*
 * Raises KG_INVALID_INPUT if the published schema refuses the arguments.
 * Called for arguments that the tool has read without an error or a repair, so
 * that the published schema is binding. The schema is expanded from the
 * template. type is the type for which the tool is generated, or NULL for a
 * fixed tool.
 */
extern void kg_published_check(const KgCatalog *catalog, const KgType *type,
							   const char *template, const Jsonb *arguments);

/* Raises the error for arguments that a schema refuses. */
extern void kg_published_refuse(const KgSchema *schema, const Jsonb *arguments);

#endif /* KG_PUBLISHED_H */
