/*
 * bound.h
 *	  Bounds the size of values in a query.
 *
 *	  Some functions make a large value from small values. Others take long
 *	  with a large value and cannot be interrupted. So the size of each value
 *	  is checked before the value is made.
 */
#ifndef KG_ASK_BOUND_H
#define KG_ASK_BOUND_H

#include "ask/ask.h"
#include "fmgr.h"

#define KG_ASK_VALUE_BYTES (1024 * 1024)
#define KG_ASK_PATTERN_BYTES 200
/*
 * Maximum number of digits of a number that is passed to a function whose time
 * grows with the square of the digits.
 */
#define KG_ASK_NUMBER_DIGITS 20000

/*
 * Returns the checked query, with calls of bounded functions replaced by calls of
 * kg_query_bounded().
 */
extern Query *kg_ask_bound(const KgAsk *ask, Query *query);

/* Implements kg_query_bounded(): calls the replaced function within its bounds. */
extern Datum kg_ask_call_bounded(FunctionCallInfo fcinfo);

#endif /* KG_ASK_BOUND_H */
