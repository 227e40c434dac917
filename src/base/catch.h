/*
 * catch.h
 *	  Functions that catch errors, and then go on or raise them amended.
 *
 * All PG_TRY blocks that swallow or reword errors are in these functions,
 * except the block around an INSERT in spi.c. error.c decides the meaning of an
 * error for a caller.
 */
#ifndef KG_CATCH_H
#define KG_CATCH_H

#include "base/error.h"

typedef enum KgCatch
{
	/* in a subtransaction, committed unless there is an error */
	KG_CATCH_KEEP,
	/* in a subtransaction that is always rolled back */
	KG_CATCH_UNDO,
	/* without a subtransaction: the work touches only memory */
	KG_CATCH_MEMORY
} KgCatch;

/*
 * Calls work.  Returns NULL, or the error if it is an answer to the caller
 * (kg_error_is_answer()).  Raises any other error again.
 */
extern ErrorData *kg_catch(KgCatch how, void (*work)(void *arg), void *arg);

/*
 * Calls work. Returns NULL, or the error if a retry would raise it again
 * (kg_error_is_refusal()). Raises any other error again. Used for statements
 * on a damaged database.
 */
extern ErrorData *kg_catch_refusal(KgCatch how, void (*work)(void *arg),
								   void *arg);

/*
 * Calls work in a subtransaction, and repeats it a few times if it conflicts
 * with another session.  Before a repetition the subtransaction is rolled
 * back, which releases the locks that it took.
 *
 * Conflicts are a deadlock (40P01) and errors of kg_throw_again(); other
 * errors are raised.  In a transaction with a fixed snapshot a repetition
 * would find the same state, so work is called once.
 */
extern void kg_again(void (*work)(void *arg), void *arg);

/*
 * Does the work of kg_again() if the transaction has few subtransactions so
 * far, or else calls work once. If a transaction has more subtransactions than
 * a session caches, every snapshot of the server costs more.
 */
extern void kg_again_if_few(void (*work)(void *arg), void *arg);

/* Raises an error that makes kg_again() repeat its work. */
extern KG_NORETURN void kg_throw_again(KgError *err);

/*
 * Calls work.  If it raises an error, calls amend on the error and raises it
 * again.  Nothing is rolled back, therefore amend may touch only memory.
 */
extern void kg_catch_amend(void (*work)(void *arg),
						   void (*amend)(ErrorData *edata, void *arg),
						   void *arg);

/*
 * Calls work.  If it raises an error of kg_graph, prefixes the error's path
 * with this path.
 */
extern void kg_catch_below(const char *path, void (*work)(void *arg),
						   void *arg);

#endif /* KG_CATCH_H */
