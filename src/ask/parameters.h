/*
 * parameters.h
 *	  The values of $1, $2, ... of a query.
 */
#ifndef KG_ASK_PARAMETERS_H
#define KG_ASK_PARAMETERS_H

#include "ask/ask.h"

/* Returns the number of values that the caller sent. */
extern int kg_ask_nparams(const KgAsk *ask);

/*
 * Converts each value to the type that the analysis inferred for its
 * parameter, and stores the results in ask->values. Raises KG_INVALID_INPUT at
 * /params/n for a value that is not valid for the type.
 */
extern void kg_ask_bind(KgAsk *ask);

#endif /* KG_ASK_PARAMETERS_H */
