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
#include "query/plan.h"

/*
 * Close what is held for a host, which is done also when the host goes; NULL:
 * what was abandoned.  Not while an error is being thrown: then it is abandoned.
 */
extern void kg_held_end(MemoryContext host);
extern void kg_held_abandon(MemoryContext host);

/*
 * Run a statement on its held executor.  Returns false where there is none:
 * the caller starts one or runs it otherwise.
 */
extern bool kg_held_run(const KgStatement *statement, KgRowFunction row,
						void *arg, uint64 *nrows);

/*
 * Start an executor for a statement that is about to run for the second time
 * for one host; false where it is the first time, or there is no room.
 */
extern bool kg_held_start(const KgStatement *statement, SPIPlanPtr plan,
						  const char *sql);

#endif /* KG_HELD_H */
