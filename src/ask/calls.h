/*
 * calls.h
 *	  The functions of a query that stand for tables: search(), neighbors(),
 *	  reach() and path(), in FROM alone.
 *
 *	  They are functions of the extension (tools/sql/rows.h), which the name in
 *	  the statement is exchanged for.  Nothing else of the name is reached.
 */
#ifndef KG_ASK_CALLS_H
#define KG_ASK_CALLS_H

#include "ask/ask.h"

/*
 * Exchanges the names of these functions in an item of FROM, and notes the
 * calls, so that kg_ask_is_call() returns true for them.
 */
extern void kg_ask_calls_note(KgAsk *ask, RangeFunction *item);
extern bool kg_ask_is_call(const KgAsk *ask, const FuncCall *call);

/* Returns whether the function is one of these, and the extension's own. */
extern bool kg_ask_is_called(Oid function);

/* Returns how one of these is written, or NULL. */
extern const char *kg_ask_call_instead(const char *name);

/*
 * Returns the server's message with the caller's name of such a function, and
 * how the function is written; NULL if the message names no such function.
 */
extern char *kg_ask_call_message(const char *message, const char **instead);

#endif /* KG_ASK_CALLS_H */
