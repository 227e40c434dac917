/*
 * exchange.h
 *	  Decisions that come from outside: what a gateway is told to ask, and what
 *	  it brings back.
 *
 * Nothing is kept between two calls.  What was asked for is in the text that
 * goes out and comes back, as keyed digests; it is signed and bound to tenant,
 * role, agent, scopes, subject, tool and arguments, and it expires.
 */
#ifndef KG_EXCHANGE_H
#define KG_EXCHANGE_H

#include "base/json.h"
#include "query/run/decisions.h"

typedef struct KgExchange
{
	const char *tenant;
	StringInfo about; /* what it is bound to */
	int32 round;	  /* answers so far */
	int nasked;
	uint64 *asked; /* digests, ascending */
} KgExchange;

/*
 * Open what came back; text NULL: the first call.  Raises KG_INVALID_INPUT for
 * any that is not of this call, or has expired.
 */
extern KgExchange *kg_exchange_open(const char *tenant, const char *subject,
									const char *tool, const Jsonb *arguments,
									const char *text);

/* Take those of the decisions that were asked for. */
extern void kg_exchange_take(const KgExchange *exchange, const Jsonb *decisions,
							 KgDecisions *into);

/* What is to be asked now: members of the object that is open. */
extern void kg_exchange_write(const KgExchange *exchange,
							  KgDecisions *decisions, KgJsonWriter *w);

#endif /* KG_EXCHANGE_H */
