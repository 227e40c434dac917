/*
 * exchange.h
 *	  The exchange of a call (docs/authorization.md): the database says what is
 *	  to be decided, the authorizer decides, and the call is made again with
 *	  the decisions so far, until it is answered.
 *
 * Nothing of it outlives the call.  In a batch the database answers what it
 * can; what is left is exchanged message by message.
 */
#ifndef KG_KGCTL_EXCHANGE_H
#define KG_KGCTL_EXCHANGE_H

#include "kgctl/authzen.h"
#include "kgctl/message.h"

typedef struct KgExchange KgExchange;

typedef struct KgExchangeOwner
{
	void *arg;
	/* Ask the database; false: it cannot be asked. */
	bool (*send)(void *arg, const char *message, size_t len,
				 const char *decisions, const char *exchange);
	/* The end, with an answer to the client or (NULL) without. */
	void (*answer)(void *arg, const char *text, size_t len);
} KgExchangeOwner;

/*
 * msg and revision (of a legacy client, or NULL) stay the caller's, and longer
 * than the exchange.
 */
extern KgExchange *kg_exchange_new(KgAuthorizer *authorizer,
								   const KgMessage *msg, const char *revision,
								   const KgExchangeOwner *owner);
extern void kg_exchange_free(KgExchange *x);

/* Send the message as the database is to see it, for the first time. */
extern bool kg_exchange_start(KgExchange *x, const char *message, size_t len);

/*
 * What the database answered.  False: that is the answer.  Else the owner hears
 * of it again, now or later.
 */
extern bool kg_exchange_takes(KgExchange *x, const char *text, size_t len);

#endif /* KG_KGCTL_EXCHANGE_H */
