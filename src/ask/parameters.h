/*
 * parameters.h
 *	  The values of $1, $2, ... of a query.
 */
#ifndef KG_ASK_PARAMETERS_H
#define KG_ASK_PARAMETERS_H

#include "ask/ask.h"

/* Returns how many values were sent. */
extern int kg_ask_nparams(const KgAsk *ask);

/*
 * Makes a value of each as the type that the analysis found for it.  Raises
 * KG_INVALID_INPUT at /params/n for a value that the type does not have.
 */
extern void kg_ask_bind(KgAsk *ask);

#endif /* KG_ASK_PARAMETERS_H */
