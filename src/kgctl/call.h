/*
 * call.h
 *	  A call: one message of a client, from its arrival at the gateway to
 *	  the end of its answer. It includes the query, notifications while it
 *	  runs, the HTTP status and, for legacy clients, requests that a tool
 *	  sends to the client.
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
	PGresult *res;			   /* owns text, or NULL; done() may take it over */
	const char *listen_key;	   /* for initialize and subscriptions */
	const char *listen_caller; /* the bearer of the token, or NULL */
	const char *sqlstate;	   /* SQLSTATE of an SQL error, or NULL */
	long listen_seconds;	   /* until the token expires; -1: never */
	bool failed;			   /* the gateway's error, not the database's */
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

/* The objects and properties of the connection that a call uses. */
typedef struct KgCallContext
{
	KgPool *pool;
	KgReaders *readers;		  /* or NULL */
	KgAuthorizer *authorizer; /* or NULL */
	KgEmbedder *embedder;	  /* or NULL */
	KgRates *rates;			  /* or NULL */
	const char *token;		  /* or NULL */
	const char *revision;	  /* legacy revision for the database, or NULL */
	bool modern;
	KgAgreed agreed; /* with a legacy client */
	bool local;		 /* the client has started this process (kgctl mcp) */
} KgCallContext;

/*
 * Returns the text (malloc'd) of the error if the database is unavailable. The
 * reason is included only for a local client, because it may contain names of
 * hosts and roles.
 */
extern char *kg_call_unavailable(const KgCallContext *context);

/*
 * Starts a call. Takes over msg, copies text. Returns NULL without starting if
 * too many calls wait. done() is called later, never from this function.
 */
extern KgctlCall *kg_call_start(const KgCallContext *context, KgMessage *msg,
								const char *text, size_t len,
								const KgCallOwner *owner);

/* Cancels a call. The functions of its owner are not called any more. */
extern void kg_call_cancel(KgctlCall *call);

/*
 * Passes a client's response to the call that waits for it. Returns false if no
 * call of this token waits for it.
 */
extern bool kg_call_respond(const KgMessage *response, const char *token);

/*
 * Answers calls that were refused before they were sent. Call before each wait
 * of the loop.
 */
extern void kg_call_flush(void);

/* Ends calls that have waited too long for a client's response. */
extern void kg_call_tick(void);

#endif /* KG_CALL_H */
