/*
 * schema_template.h
 *	  The published schemas of the tools, from their templates.
 */
#ifndef KG_SCHEMA_TEMPLATE_H
#define KG_SCHEMA_TEMPLATE_H

#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * Parts of templates that are equal for all types, expanded once for a list of
 * tools. Made in the current memory context; valid for one catalog and as long
 * as no setting changes.
 */
typedef struct KgExpandedParts KgExpandedParts;
extern KgExpandedParts *kg_expanded_parts(void);

/*
 * Return the input or output schema of a tool from its template, in the
 * caller's memory context. If catalog is NULL, the catalog of the caller is
 * used. type is the type for which the tool is generated, or NULL. If "repeat"
 * is true, a part that occurs several times is written out each time, and
 * "parts" must be NULL. With "parts", the result may be one of them.
 */
extern Jsonb *kg_expand_input(const KgCatalog *catalog, const char *tool,
							  const KgType *type, bool repeat,
							  KgExpandedParts *parts);
extern Jsonb *kg_expand_output(const KgCatalog *catalog, const char *tool);

/* Returns the input schema of a tool that is generated for a relation. */
extern Jsonb *kg_expand_relation_input(const char *tool,
									   const KgRelation *relation,
									   KgExpandedParts *parts);

/* Returns "title" or "description" of a tool's template. */
extern char *kg_tool_text(const char *tool, const char *key);

/*
 * Returns the parts of an input schema that do not depend on the tenant and the
 * settings. Other parts are {} (filters: any object), and numbers that depend on
 * settings are names. Read once, by tools/input/outline.h.
 */
extern Jsonb *kg_template_outline(const char *tool);
/*
 * kg_template_find_number() returns the index of a number by its name, or -1.
 * The second function returns the current value of a number.
 */
extern int kg_template_find_number(const char *name, size_t length);
extern int kg_template_number(int number);
/*
 * Returns a hash of all these numbers, to validate caches of expanded
 * templates.
 */
extern uint64 kg_template_numbers(void);

#endif /* KG_SCHEMA_TEMPLATE_H */
