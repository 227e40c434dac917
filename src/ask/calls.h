/*
 * calls.h
 *	  The table functions of a query: search(), neighbors(), reach() and
 *	  path(), which are allowed only in FROM.
 *
 *	  In the statement, their names are replaced by the names of functions of
 *	  the extension (tools/sql/rows.h). So a query cannot call another
 *	  function that has one of these names.
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
 * Returns whether the OID is the OID of a function of the extension that
 * implements a table function.
 */
extern bool kg_ask_is_called(Oid function);

/* Returns the signature of the table function with this name, or NULL. */
extern const char *kg_ask_call_instead(const char *name);

/*
 * If a message of the server names a function of the extension that implements
 * a table function, returns the message with the table function's name in its
 * place, and sets *instead to the signature. Otherwise returns NULL.
 */
extern char *kg_ask_call_message(const char *message, const char **instead);

#endif /* KG_ASK_CALLS_H */
