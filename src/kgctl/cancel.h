/*
 * cancel.h
 *	  Cancel requests, sent by a separate thread. PQcancel() connects and
 *	  waits, and a database that does not answer must not block the server.
 */
#ifndef KG_CANCEL_H
#define KG_CANCEL_H

#include <libpq-fe.h>

#include "kgctl/loop.h"

typedef struct KgCanceller KgCanceller;

extern KgCanceller *kg_canceller_new(KgLoop *loop);
extern void kg_canceller_free(KgCanceller *canceller);

/*
 * Sends a cancel request and takes it over. done(arg) runs in the loop when the
 * request has been sent or has failed. Until then, do not use the connection
 * for another query, because that query might be cancelled instead.
 */
extern void kg_cancel(KgCanceller *canceller, PGcancel *request,
					  void (*done)(void *arg), void *arg);

#endif /* KG_CANCEL_H */
