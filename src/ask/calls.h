/*
 * calls.h
 *	  The table functions of a query: search(), neighbors(), reach() and path(),
 *	  which are allowed only in FROM.
 *
 *	  Their names in the statement are replaced by the names of functions of the
 *	  extension (tools/sql/rows.h). So no other function with such a name can be
 *	  called.
 */
#ifndef KG_ASK_CALLS_H
#define KG_ASK_CALLS_H

#include "ask/ask.h"

/*
 * Replaces the names of table functions in an item of FROM, and records the
 * calls, so that kg_ask_is_call() returns true for them.
 */
extern void kg_ask_calls_note(KgAsk *ask, RangeFunction *item);
extern bool kg_ask_is_call(const KgAsk *ask, const FuncCall *call);

/*
 * Returns whether the OID belongs to the function of the extension that
 * implements a table function.
 */
extern bool kg_ask_is_called(Oid function);

/* Returns the signature of the table function of this name, or NULL. */
extern const char *kg_ask_call_instead(const char *name);

/*
 * Returns the server's message, with the extension's function in it replaced by
 * the table function's name, and sets *instead to the signature. Returns NULL
 * if the message names no table function.
 */
extern char *kg_ask_call_message(const char *message, const char **instead);

#endif /* KG_ASK_CALLS_H */
