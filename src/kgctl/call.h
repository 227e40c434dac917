/*
 * call.h
 *	  A call: one message of a client, from its arrival at the gateway to the
 *	  end of its answer. A call has a query and notifications while the query
 *	  runs. Its answer has an HTTP status. If the client is a legacy client, the
 *	  call also sends it the requests of a tool.
 */
#ifndef KG_CALL_H
#define KG_CALL_H

#include "kgctl/authzen.h"
#include "kgctl/embed.h"
#include "kgctl/message.h"
#include "kgctl/pool.h"
#include "kgctl/rates.h"
#include "kgctl/readers.h"

typedef struct KgctlCall KgctlCall;

/* The answer of a call. It is freed when done() returns. */
typedef struct KgAnswer
{
	int status;		  /* HTTP status */
	const char *text; /* JSON; NULL: no body */
	size_t len;
	PGresult *res; /* result that owns the text, or NULL; done() may take over
				    * the result */
	/*
	 * digest that stands for the tenant in notifications of changes
	 * (kg_listen_key()), in answers of initialize and subscriptions; or NULL
	 */
	const char *listen_key;
	const char *listen_caller; /* the bearer of the token, or NULL */
	const char *sqlstate;	   /* SQLSTATE of an SQL error, or NULL */
	long listen_seconds;	   /* seconds until the token expires; -1: never */
	bool failed; /* the error is the gateway's, not the database's */
} KgAnswer;

typedef struct KgCallOwner
{
	void *arg;
	/* Sends a JSON-RPC message to the client before the answer. */
	void (*notify)(void *arg, const char *json, size_t len);
	/* Whether notify() can send messages. */
	bool can_notify;
	void (*done)(void *arg, KgAnswer *answer);
} KgCallOwner;

/* The objects that a call uses, and the properties of its connection. */
typedef struct KgCallContext
{
	KgPool *pool;
	KgReaders *readers;		  /* or NULL */
	KgAuthorizer *authorizer; /* or NULL */
	KgEmbedder *embedder;	  /* or NULL */
	KgRates *rates;			  /* or NULL */
	const char *token;		  /* or NULL */
	/* protocol revision of a legacy client, for the database; or NULL */
	const char *revision;
	bool modern;
	KgAgreed agreed; /* capabilities agreed on with a legacy client */
	bool local;		 /* the client has started this process (kgctl mcp) */
} KgCallContext;

/*
 * Returns the text of the error "the database is unavailable" (malloc'd). The
 * text includes the reason only for a local client, because the reason may
 * contain names of hosts and roles.
 */
extern char *kg_call_unavailable(const KgCallContext *context);

/*
 * Starts a call. Takes over msg, and copies text. If too many calls wait,
 * returns NULL and leaves msg to the caller. done() is called later, never from
 * this function.
 */
extern KgctlCall *kg_call_start(const KgCallContext *context, KgMessage *msg,
								const char *text, size_t len,
								const KgCallOwner *owner);

/* Cancels a call. The functions of its KgCallOwner are not called any more. */
extern void kg_call_cancel(KgctlCall *call);

/*
 * Passes a client's response to the call that waits for it. Returns false if no
 * call of the token waits for the response.
 */
extern bool kg_call_respond(const KgMessage *response, const char *token);

/*
 * Sends the answers of calls that were refused. Must be called before each wait
 * of the loop.
 */
extern void kg_call_flush(void);

/* Ends calls that have exceeded the time to wait for a client's response. */
extern void kg_call_tick(void);

#endif /* KG_CALL_H */
