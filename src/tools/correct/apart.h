/*
 * apart.h
 *	  One argument of ours, of which others make several.
 */
#ifndef KG_APART_H
#define KG_APART_H

#include "base/json.h"
#include "tools/input/outline.h"

/*
 * Raise KG_INVALID_INPUT for an unknown argument that is a part of one that the
 * tool has: with the call that has it whole.  Returns where it is none.
 */
extern void kg_refuse_apart(const JsonbContainer *arguments,
							const KgOutline *outline, const JsonbValue *key);

#endif /* KG_APART_H */
