/*
 * misplaced.h
 *	  Corrects calls that pass properties of a type as arguments instead of in
 *	  "filters".
 */
#ifndef KG_MISPLACED_H
#define KG_MISPLACED_H

#include "base/json.h"
#include "tools/input/outline.h"

/*
 * Raises KG_INVALID_INPUT if an unknown member of an object is a property of
 * the type whose entities the object selects. The error has a call with all
 * such members in "filters". path is the JSON Pointer of the object. Otherwise
 * returns.
 */
extern void kg_refuse_misplaced(const JsonbContainer *object, const char *path,
								const KgOutline *outline,
								const JsonbValue *key);

#endif /* KG_MISPLACED_H */
