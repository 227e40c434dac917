/*
 * misplaced.h
 *	  Properties of a type among the arguments, that belong into "filters".
 */
#ifndef KG_MISPLACED_H
#define KG_MISPLACED_H

#include "base/json.h"
#include "tools/input/outline.h"

/*
 * Raise KG_INVALID_INPUT for an unknown member, at a path of the arguments, that
 * is a property of the type which the object selects from: with the call that has
 * all such members in "filters".  Returns where it is none.
 */
extern void kg_refuse_misplaced(const JsonbContainer *object, const char *path,
								const KgOutline *outline,
								const JsonbValue *key);

#endif /* KG_MISPLACED_H */
