/*
 * schema_template.h
 *	  The published schemas of the tools, from their templates.
 */
#ifndef KG_SCHEMA_TEMPLATE_H
#define KG_SCHEMA_TEMPLATE_H

#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * A schema from its template: ' stands for ", and <name> for a part that
 * depends on the tenant, the type that the tool is made for or the settings, or
 * is used by several tools.  What comes several times is written out each time
 * where repeat is set.
 */
extern Jsonb *kg_expand_schema(const char *template, const KgType *type,
							   bool repeat);
/* The same of a catalog that need not be the caller's. */
extern Jsonb *kg_expand_schema_of(const KgCatalog *catalog,
								  const char *template, const KgType *type,
								  bool repeat);

/* Of a tool that is made for a relation. */
extern Jsonb *kg_expand_relation_schema(const char *template,
										const KgRelation *relation);

/* A text with such parts, and no quotes. */
extern char *kg_expand_text(const char *template);

/*
 * What a template of an input schema says whatever the tenant and the settings
 * are: what these decide is {}, and numbers that depend on settings are names.
 * It is read once, by tools/input/outline.h.
 */
extern Jsonb *kg_template_outline(const char *template);
/* Which of these numbers has the name, or -1; and what it is now. */
extern int kg_template_find_number(const char *name, size_t length);
extern int kg_template_number(int number);
/* A hash of all of them: what is made from templates is good for one. */
extern uint64 kg_template_numbers(void);

#endif /* KG_SCHEMA_TEMPLATE_H */
