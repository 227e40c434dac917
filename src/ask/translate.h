/*
 * translate.h
 *	  Corrects statements in other dialects of SQL.
 */
#ifndef KG_ASK_TRANSLATE_H
#define KG_ASK_TRANSLATE_H

#include "ask/ask.h"
#include "base/error.h"

/*
 * If a statement has constructs of other dialects with exactly one equivalent
 * in PostgreSQL, adds the corrected statement to the error. sent is a name
 * that does not exist, or NULL. meant is the name that replaces sent. If meant
 * is NULL, sent is a text in double quotes.
 */
extern void kg_ask_translate(const KgAsk *ask, KgError *err, const char *sent,
							 const char *meant);

/*
 * To be called if params is an object instead of an array. Raises an error,
 * which suggests the statement with "$n" in place of ":name".
 */
extern KG_NORETURN void kg_ask_refuse_named(const char *sql,
											const JsonbValue *params);

#endif /* KG_ASK_TRANSLATE_H */
