/*
 * bound.h
 *	  Bounds the size of values in a query.
 *
 *	  Some functions make a large value from small values. Other functions
 *	  take long with a large value and cannot be interrupted. So the size of
 *	  each value is checked before the value is made.
 */
#ifndef KG_ASK_BOUND_H
#define KG_ASK_BOUND_H

#include "ask/ask.h"
#include "fmgr.h"

#define KG_ASK_VALUE_BYTES (1024 * 1024)
#define KG_ASK_PATTERN_BYTES 200
/*
 * Maximum number of digits of a number that is passed to a function whose time
 * grows with the square of the number of digits.
 */
#define KG_ASK_NUMBER_DIGITS 20000

/*
 * Returns the checked query, in which calls of kg_query_bounded() replace the
 * calls of functions that have a bound (KgAskFunction.bound).
 */
extern Query *kg_ask_bound(const KgAsk *ask, Query *query);

/*
 * Implements kg_query_bounded(), which replaces the call of a function: checks
 * the sizes of arguments and result, and calls the function.
 */
extern Datum kg_ask_call_bounded(FunctionCallInfo fcinfo);

#endif /* KG_ASK_BOUND_H */
