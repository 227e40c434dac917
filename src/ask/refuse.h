/*
 * refuse.h
 *	  Errors about a query, with the position and the text to write instead.
 */
#ifndef KG_ASK_REFUSE_H
#define KG_ASK_REFUSE_H

#include "ask/ask.h"
#include "base/error.h"

/*
 * Returns an error about the statement. location is a byte offset in its text,
 * or -1 if there is no position.
 */
extern KgError *kg_ask_error(const KgAsk *ask, KgErrorCode code, int location,
							 const char *fmt, ...) pg_attribute_printf(4, 5);

/*
 * Converts a position in characters, counted from 1, to a byte offset in the
 * statement. Returns -1 for position 0.
 */
extern int kg_ask_location(const KgAsk *ask, int position);

/*
 * Raises an error which says that a query cannot have "what". "instead" is the
 * text to write in its place.
 */
extern KG_NORETURN void kg_ask_refuse(const KgAsk *ask, int location,
									  const char *what, const char *instead);

/*
 * Raises an error which says that a query has more than "most" constructs of
 * the kind "what".
 */
extern KG_NORETURN void kg_ask_refuse_many(const KgAsk *ask, int location,
										   int most, const char *what);

/*
 * Raises an error which says that a function does not exist, or is not allowed
 * in a query.
 */
extern KG_NORETURN void kg_ask_refuse_function(const KgAsk *ask, int location,
											   const char *name);

#endif /* KG_ASK_REFUSE_H */
