/*
 * exchange.h
 *	  Decisions that come from outside: a gateway receives questions from
 *	  a tool call and repeats the call with the answers.
 *
 * The server stores nothing between two calls. The questions are in the text
 * that the gateway returns, as keyed digests. The text is signed, expires,
 * and is bound to tenant, role, agent, scopes, subject, tool and arguments.
 */
#ifndef KG_EXCHANGE_H
#define KG_EXCHANGE_H

#include "base/json.h"
#include "query/run/decisions.h"

typedef struct KgExchange
{
	const char *tenant;
	/* the call to which the signed text is bound */
	StringInfo about;
	/* number of rounds that the gateway has answered so far */
	int32 round;
	int nasked;
	uint64 *asked; /* digests of the requested ids, ascending */
} KgExchange;

/*
 * Opens the text of an earlier round; NULL: the first call. Raises
 * KG_INVALID_INPUT if the text belongs to another call or has expired.
 */
extern KgExchange *kg_exchange_open(const char *tenant, const char *subject,
									const char *tool, const Jsonb *arguments,
									const char *text);

/* Copies the decisions that the earlier round requested; ignores all others. */
extern void kg_exchange_take(const KgExchange *exchange, const Jsonb *decisions,
							 KgDecisions *into);

/* Writes the current questions as members of the open object. */
extern void kg_exchange_write(const KgExchange *exchange,
							  KgDecisions *decisions, KgJsonWriter *w);

#endif /* KG_EXCHANGE_H */
