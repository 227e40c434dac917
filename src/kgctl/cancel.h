/*
 * cancel.h
 *	  Cancel requests, sent by a thread of their own: PQcancel() connects and
 *	  waits, and a database that does not answer must not stop the server.
 */
#ifndef KG_CANCEL_H
#define KG_CANCEL_H

#include <libpq-fe.h>

#include "kgctl/loop.h"

typedef struct KgCanceller KgCanceller;

extern KgCanceller *kg_canceller_new(KgLoop *loop);
extern void kg_canceller_free(KgCanceller *canceller);

/*
 * Send a request (owned by the canceller from now on); done(arg) runs in the
 * loop when it has been sent or has failed.  A connection must not be used
 * for another query before, or that one might be cancelled instead.
 */
extern void kg_cancel(KgCanceller *canceller, PGcancel *request,
					  void (*done)(void *arg), void *arg);

#endif /* KG_CANCEL_H */
