/*
 * exchange.h
 *	  The exchange of a call (docs/authorization.md). The database returns
 *	  the questions to decide, the authorizer decides them, and the call is
 *	  sent again with all decisions so far, until the database answers it.
 *
 * An exchange does not outlive its call. In a batch, the database answers the
 * messages that it can; the rest is exchanged message by message.
 */
#ifndef KG_KGCTL_EXCHANGE_H
#define KG_KGCTL_EXCHANGE_H

#include "kgctl/authzen.h"
#include "kgctl/message.h"

typedef struct KgctlExchange KgctlExchange;

typedef struct KgExchangeOwner
{
	void *arg;
	/* Sends to the database. Returns false if that is impossible. */
	bool (*send)(void *arg, const char *message, size_t len,
				 const char *decisions, const char *exchange);
	/* Ends the exchange. text is the answer to the client, or NULL for none. */
	void (*answer)(void *arg, const char *text, size_t len);
} KgExchangeOwner;

/*
 * Creates an exchange. msg and revision (of a legacy client, or NULL) are
 * borrowed and must outlive it.
 */
extern KgctlExchange *kg_exchange_new(KgAuthorizer *authorizer,
									  const KgMessage *msg,
									  const char *revision,
									  const KgExchangeOwner *owner);
extern void kg_exchange_free(KgctlExchange *x);

/* Sends the message for the first time, in the form for the database. */
extern bool kg_exchange_start(KgctlExchange *x, const char *message,
							  size_t len);

/*
 * Takes the database's answer. Returns false if it is the final answer.
 * Otherwise a function of the owner is called, during this call or later.
 */
extern bool kg_exchange_takes(KgctlExchange *x, const char *text, size_t len);

#endif /* KG_KGCTL_EXCHANGE_H */
