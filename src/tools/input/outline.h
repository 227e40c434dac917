/*
 * outline.h
 *	  The outline of a tool's input schema: the members of the arguments, with
 *	  their types, bounds and defaults.
 */
#ifndef KG_OUTLINE_H
#define KG_OUTLINE_H

#include "query/argument/members.h"

/*
 * Returns the outline of a tool's arguments. A template is parsed once for
 * each backend. Outlines need no invalidation, because templates are
 * constants.
 */
extern const KgOutline *kg_outline(const char *tool);

#endif /* KG_OUTLINE_H */
