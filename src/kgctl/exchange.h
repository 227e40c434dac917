/*
 * exchange.h
 *	  The exchange of a call (docs/authorization.md). In each round, the
 *	  database returns the questions to decide, the authorizer decides them,
 *	  and the call is sent again with all decisions so far. The exchange ends
 *	  when the database needs no more decisions.
 *
 * An exchange does not outlive its call. In a batch, the database answers the
 * messages that need no decisions. The other messages are then sent one at a
 * time.
 */
#ifndef KG_KGCTL_EXCHANGE_H
#define KG_KGCTL_EXCHANGE_H

#include "kgctl/authzen.h"
#include "kgctl/message.h"

typedef struct KgctlExchange KgctlExchange;

typedef struct KgExchangeOwner
{
	void *arg;
	/*
	 * Sends a message with the decisions so far to the database. Returns false
	 * if that is impossible.
	 */
	bool (*send)(void *arg, const char *message, size_t len,
				 const char *decisions, const char *exchange);
	/*
	 * Called at the end of the exchange, the dialogue about a call's decisions.
	 * text is the answer to the client, or NULL if there is no answer.
	 */
	void (*answer)(void *arg, const char *text, size_t len);
} KgExchangeOwner;

/*
 * Creates the exchange of a call: its dialogue with the database and the
 * authorizer. revision is the protocol revision of a legacy client, or NULL.
 * msg and revision are not copied and must outlive the exchange.
 */
extern KgctlExchange *kg_exchange_new(KgAuthorizer *authorizer,
									  const KgMessage *msg,
									  const char *revision,
									  const KgExchangeOwner *owner);
extern void kg_exchange_free(KgctlExchange *x);

/*
 * Sends the message to the database for the first time. message is its text in
 * the form for the database. Returns false if it cannot be sent.
 */
extern bool kg_exchange_start(KgctlExchange *x, const char *message,
							  size_t len);

/*
 * Takes the database's answer. Returns false if the answer is final, so that
 * the caller must send it to the client. Otherwise calls a function of the
 * owner, during this call or later.
 */
extern bool kg_exchange_takes(KgctlExchange *x, const char *text, size_t len);

#endif /* KG_KGCTL_EXCHANGE_H */
