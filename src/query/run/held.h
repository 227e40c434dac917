/*
 * held.h
 *	  Executors held open between the calls of one statement.
 *
 * Starting an executor costs more than an index lookup. A function may be
 * called for many rows of one statement. It starts the executor of its lookup
 * once and rescans it with new parameters, like the inner side of a nested
 * loop.
 */
#ifndef KG_HELD_H
#define KG_HELD_H

#include "executor/spi.h"
#include "query/run/plan.h"

/* Closes the idle executors, at the end of a statement or before DDL. */
extern void kg_held_end(void);

/*
 * Runs a statement on its held executor. Returns false if the statement has no
 * held executor. The caller then starts an executor, or runs the statement in
 * another way.
 */
extern bool kg_held_run(const KgStatement *statement, KgRowFunction row,
						void *arg, uint64 *nrows);

/* Returns whether the statement has a held executor that is not running. */
extern bool kg_held_has(const KgStatement *statement);
/*
 * Returns whether this SQL text was run before within the caller's statement.
 * If not, records that it runs now.
 */
extern bool kg_held_again(const char *sql);
/*
 * Starts an executor. Returns false if the statement cannot be held or no slot
 * is free.
 */
extern bool kg_held_open(const KgStatement *statement, SPIPlanPtr plan,
						 const char *sql);
/*
 * Starts an executor for a statement that is about to run for the second time
 * within the caller's statement. Returns false if the statement has not run
 * before or cannot be held, or if no slot is free.
 */
extern bool kg_held_start(const KgStatement *statement, SPIPlanPtr plan,
						  const char *sql);

#endif /* KG_HELD_H */
