/*
 * apart.h
 *	  Corrects calls that split one argument of a tool into several.
 */
#ifndef KG_APART_H
#define KG_APART_H

#include "base/json.h"
#include "tools/input/outline.h"

/*
 * Raises KG_INVALID_INPUT with the corrected call, if an unknown argument is a
 * part of an argument of the tool. Otherwise returns.
 */
extern void kg_refuse_apart(const JsonbContainer *arguments,
							const KgOutline *outline, const JsonbValue *key);

#endif /* KG_APART_H */
