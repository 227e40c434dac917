/*
 * schema_template.h
 *	  The published schemas of the tools, expanded from their templates.
 */
#ifndef KG_SCHEMA_TEMPLATE_H
#define KG_SCHEMA_TEMPLATE_H

#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * A cache of expanded parts of templates, used to make one list of tools. It
 * has only parts whose expansion is equal for all types. It is allocated in the
 * current memory context, and is valid for one catalog as long as no setting
 * changes.
 */
typedef struct KgExpandedParts KgExpandedParts;
extern KgExpandedParts *kg_expanded_parts(void);

/*
 * Return the input or output schema of a tool, expanded from its template, in
 * the current memory context. catalog NULL means the catalog that the caller
 * sees. type is the type for which the tool is generated, or NULL. If "repeat"
 * is true, a part that occurs several times is written out each time, and
 * "parts" must be NULL. If "parts" is not NULL, the result may be allocated in
 * its memory context.
 */
extern Jsonb *kg_expand_input(const KgCatalog *catalog, const char *tool,
							  const KgType *type, bool repeat,
							  KgExpandedParts *parts);
extern Jsonb *kg_expand_output(const KgCatalog *catalog, const char *tool);

/* Returns the input schema of a tool that is generated for a relation. */
extern Jsonb *kg_expand_relation_input(const char *tool,
									   const KgRelation *relation,
									   KgExpandedParts *parts);

/* Returns the member "title" or "description" of a tool's template. */
extern char *kg_tool_text(const char *tool, const char *key);

/*
 * Returns an input schema with only those parts that depend neither on the
 * tenant nor on settings. Other parts are {} (filters: any object), and numbers
 * that depend on settings are their names. tools/input/outline.h reads the
 * result once.
 */
extern Jsonb *kg_template_outline(const char *tool);
/*
 * kg_template_find_number() returns the index of the number that templates
 * refer to by this name, or -1. kg_template_number() returns the present value
 * of the number at an index.
 */
extern int kg_template_find_number(const char *name, size_t length);
extern int kg_template_number(int number);
/*
 * Returns a hash of the values of all numbers in templates. Caches of expanded
 * templates compare it.
 */
extern uint64 kg_template_numbers(void);

#endif /* KG_SCHEMA_TEMPLATE_H */
