/*
 * call.h
 *	  One message of a client from the gateway's first look to the last byte of
 *	  its answer: the query, notifications while it runs, the HTTP status, and
 *	  for legacy clients the questions a tool asks back.
 */
#ifndef KG_CALL_H
#define KG_CALL_H

#include "kgctl/authzen.h"
#include "kgctl/embed.h"
#include "kgctl/message.h"
#include "kgctl/pool.h"
#include "kgctl/rates.h"
#include "kgctl/readers.h"

typedef struct KgCall KgCall;

/* What a call ends with; all of it is freed when done() returns. */
typedef struct KgAnswer
{
	int status;		  /* HTTP status */
	const char *text; /* JSON, NULL where there is nothing to say */
	size_t len;
	PGresult *res;			/* where text lives, or NULL: done() may take it */
	const char *listen_key; /* of initialize and of what subscribes */
	const char *listen_caller; /* who bears the token, or NULL */
	const char *sqlstate;	   /* of an SQL error */
	long listen_seconds;	   /* until the token ends, -1: it does not */
	bool failed;			   /* it is the gateway's, not the database's */
} KgAnswer;

typedef struct KgCallOwner
{
	void *arg;
	/* A JSON-RPC message for the client before the answer. */
	void (*notify)(void *arg, const char *json, size_t len);
	/* Whether such messages can be sent at all. */
	bool can_notify;
	void (*done)(void *arg, KgAnswer *answer);
} KgCallOwner;

/* What a message is answered with besides its text. */
typedef struct KgCallContext
{
	KgPool *pool;
	KgReaders *readers;		  /* or NULL */
	KgAuthorizer *authorizer; /* or NULL */
	KgEmbedder *embedder;	  /* or NULL */
	KgRates *rates;			  /* or NULL */
	const char *token;		  /* or NULL */
	const char *revision; /* legacy revision to tell the database, or NULL */
	bool modern;
	bool app; /* a legacy client that agreed on MCP Apps */
} KgCallContext;

/*
 * Start; takes over msg, copies text.  NULL: too much is waiting, nothing was
 * started.  done() is called later, never from here.
 */
extern KgCall *kg_call_start(const KgCallContext *context, KgMessage *msg,
							 const char *text, size_t len,
							 const KgCallOwner *owner);

/* Give it up; its owner hears nothing more. */
extern void kg_call_cancel(KgCall *call);

/*
 * A client's response to a question of some call; false where no call of that
 * token waits for it.
 */
extern bool kg_call_respond(const KgMessage *response, const char *token);

/* Calls that are refused before they were sent are answered: before each wait. */
extern void kg_call_flush(void);

/* Calls that wait too long for a client's response are ended. */
extern void kg_call_tick(void);

#endif /* KG_CALL_H */
