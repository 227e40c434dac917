/*
 * schema_template.h
 *	  The published schemas of the tools, from their templates.
 */
#ifndef KG_SCHEMA_TEMPLATE_H
#define KG_SCHEMA_TEMPLATE_H

#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * Returns the schema of a template. In a template, ' stands for ", and <name>
 * for a part that depends on the tenant, the type of the tool or the settings,
 * or is shared by tools. With repeat, a part that occurs several times is
 * written out each time.
 */
extern Jsonb *kg_expand_schema(const char *template, const KgType *type,
							   bool repeat);
/* Like kg_expand_schema(), for a catalog that need not be the caller's. */
extern Jsonb *kg_expand_schema_of(const KgCatalog *catalog,
								  const char *template, const KgType *type,
								  bool repeat);

/* Returns the schema of a tool that is generated for a relation. */
extern Jsonb *kg_expand_relation_schema(const char *template,
										const KgRelation *relation);

/* Returns a text with such parts expanded; quotes are not replaced. */
extern char *kg_expand_text(const char *template);

/*
 * Returns the parts of an input schema that do not depend on the tenant and
 * the settings. Other parts are {}, and numbers that depend on settings are
 * names. Read once, by tools/input/outline.h.
 */
extern Jsonb *kg_template_outline(const char *template);
/* Return the index of a number by name, or -1; return its current value. */
extern int kg_template_find_number(const char *name, size_t length);
extern int kg_template_number(int number);
/*
 * Returns a hash of all these numbers, to validate caches of expanded
 * templates.
 */
extern uint64 kg_template_numbers(void);

#endif /* KG_SCHEMA_TEMPLATE_H */
