/*
 * held.h
 *	  Executors held open between the calls of one statement.
 *
 * Starting an executor costs more than an index lookup.  A function that is
 * called for many rows of one statement keeps its lookup's executor started and
 * rescans it with new parameters, as the inner side of a nested loop would be.
 */
#ifndef KG_HELD_H
#define KG_HELD_H

#include "executor/spi.h"
#include "query/run/plan.h"

/* Close what is idle: at the end of a statement, or before one of DDL. */
extern void kg_held_end(void);
/*
 * Close what an error broke off in a subtransaction of that level or deeper,
 * when it has been rolled back.
 */
extern void kg_held_end_broken(int level);

/*
 * Run a statement on its held executor.  Returns false where there is none:
 * the caller starts one or runs it otherwise.
 */
extern bool kg_held_run(const KgStatement *statement, KgRowFunction row,
						void *arg, uint64 *nrows);

/* Is there one for the statement, which is not busy? */
extern bool kg_held_has(const KgStatement *statement);
/* Was it asked of this text before, in the caller's statement? */
extern bool kg_held_again(const char *sql);
/* Start an executor; false where it would not do, or there is no room. */
extern bool kg_held_open(const KgStatement *statement, SPIPlanPtr plan,
						 const char *sql);
/*
 * Start an executor for a statement that is about to run for the second time
 * within the caller's; false where it is the first time, or there is no room.
 */
extern bool kg_held_start(const KgStatement *statement, SPIPlanPtr plan,
						  const char *sql);

#endif /* KG_HELD_H */
