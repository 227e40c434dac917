/*
 * schema_template.h
 *	  The published schemas of the graph tools.
 */
#ifndef KG_SCHEMA_TEMPLATE_H
#define KG_SCHEMA_TEMPLATE_H

#include "utils/jsonb.h"

/*
 * A schema from its template: ' stands for ", and <name> for a part that
 * depends on the tenant or the settings, or is used by several tools.  What
 * comes several times is written out each time where repeat is set.
 */
extern Jsonb *kg_expand_schema(const char *template, bool repeat);

/* A text with such parts, and no quotes. */
extern char *kg_expand_text(const char *template);

#define KG_INPUT_SCHEMA(function, template)        \
	static Jsonb *function(bool repeat)            \
	{                                              \
		return kg_expand_schema(template, repeat); \
	}

#define KG_OUTPUT_SCHEMA(function, template)      \
	static Jsonb *function(void)                  \
	{                                             \
		return kg_expand_schema(template, false); \
	}

#endif /* KG_SCHEMA_TEMPLATE_H */
