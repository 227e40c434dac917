/*
 * refuse.h
 *	  Errors that say where in a query they are, and what to write instead.
 */
#ifndef KG_ASK_REFUSE_H
#define KG_ASK_REFUSE_H

#include "ask/ask.h"
#include "base/error.h"

/* Makes an error at a byte of the text; -1: nowhere in it. */
extern KgError *kg_ask_error(const KgAsk *ask, KgErrorCode code, int location,
							 const char *fmt, ...) pg_attribute_printf(4, 5);

/* Returns the byte of a position that counts characters from 1, or -1. */
extern int kg_ask_location(const KgAsk *ask, int position);

/* Raises it, with what to write instead. */
extern KG_NORETURN void kg_ask_refuse(const KgAsk *ask, int location,
									  const char *what,
									  const char *instead) KG_NORETURN_TAIL;

/* Raises that a query has more of something than it may. */
extern KG_NORETURN void kg_ask_refuse_many(const KgAsk *ask, int location,
										   int most,
										   const char *what) KG_NORETURN_TAIL;

/* Raises that a function does not exist, or is not allowed. */
extern KG_NORETURN void
kg_ask_refuse_function(const KgAsk *ask, int location,
					   const char *name) KG_NORETURN_TAIL;

#endif /* KG_ASK_REFUSE_H */
