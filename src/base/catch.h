/*
 * catch.h
 *	  Catching errors: the one place that does it and goes on, or raises them
 *	  in other words.  (spi.c has its own, of an INSERT.)  What an error means
 *	  to a caller is decided in error.c.
 */
#ifndef KG_CATCH_H
#define KG_CATCH_H

#include "base/error.h"

typedef enum KgCatch
{
	KG_CATCH_KEEP,	/* in a subtransaction, which stays without an error */
	KG_CATCH_UNDO,	/* in one that is rolled back in any case */
	KG_CATCH_MEMORY /* work that touches nothing but memory: in none */
} KgCatch;

/*
 * Do work; NULL, or the error where it is an answer (kg_error_is_answer).
 * Any other is raised.
 */
extern ErrorData *kg_catch(KgCatch how, void (*work)(void *arg), void *arg);

/*
 * Do work; NULL, or the error where trying again would find it again
 * (kg_error_is_refusal).  For statements on a database that is damaged.
 */
extern ErrorData *kg_catch_refusal(KgCatch how, void (*work)(void *arg),
								   void *arg);

/*
 * Do work in a subtransaction; where it met another session it is rolled back,
 * with the locks that it took, and done again, a few times.  It did where a
 * deadlock (40P01) ended it, or what kg_throw_again() raised: any other conflict
 * is for the caller to know of.  In a transaction that keeps its snapshot nothing
 * would be otherwise: it is done once.
 */
extern void kg_again(void (*work)(void *arg), void *arg);

/*
 * The same where the transaction has few subtransactions so far: with more than a
 * session keeps in memory, every snapshot of the server costs more.
 */
extern void kg_again_if_few(void (*work)(void *arg), void *arg);

/* Raise an error that is none if the work is done again. */
extern KG_NORETURN void kg_throw_again(KgError *err) KG_NORETURN_TAIL;

/*
 * Do work; an error is raised on in other words.  Nothing is rolled back:
 * amend touches nothing but memory.
 */
extern void kg_catch_amend(void (*work)(void *arg),
						   void (*amend)(ErrorData *edata, void *arg),
						   void *arg);

/* Do work; an error of ours that is raised says its path below this one. */
extern void kg_catch_below(const char *path, void (*work)(void *arg),
						   void *arg);

#endif /* KG_CATCH_H */
