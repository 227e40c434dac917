/*
 * bound.h
 *	  Bounds of values, for functions that make a large one of small ones or take
 *	  long with a large one.
 *
 *	  A function that cannot be interrupted takes as long as its values are, so
 *	  each value is bounded when it is made.
 */
#ifndef KG_ASK_BOUND_H
#define KG_ASK_BOUND_H

#include "ask/ask.h"
#include "fmgr.h"

#define KG_ASK_VALUE_BYTES (1024 * 1024)
#define KG_ASK_PATTERN_BYTES 200
/* Digits of the numbers of a function that takes their square in time. */
#define KG_ASK_NUMBER_DIGITS 20000

/* Returns the checked query with bounds around the functions that need some. */
extern Query *kg_ask_bound(const KgAsk *ask, Query *query);

/* Calls a function within its bounds: kg_query_bounded() of such a query. */
extern Datum kg_ask_call_bounded(FunctionCallInfo fcinfo);

#endif /* KG_ASK_BOUND_H */
