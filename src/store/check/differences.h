/*
 * differences.h
 *	  The list of differences that kg_check() reports.
 */
#ifndef KG_DIFFERENCES_H
#define KG_DIFFERENCES_H

#include "base/json.h"
#include "nodes/pg_list.h"

/*
 * A difference between the expected and the stored rows. Members that are NULL
 * are omitted from the report.
 */
typedef struct KgDifference
{
	const char *kind;
	const char *table;
	const char *tenant;
	const char *type;
	const char *id;
	const char *object;
	const char *expected;
	const char *got;
	const char *repair; /* a statement, or an instruction to the DBA */
} KgDifference;

/*
 * The differences that were found. All differences are counted, but only the
 * first "limit" differences are written.
 */
typedef struct KgDifferences
{
	MemoryContext context;
	int64 limit;
	int64 total;
	int64 of_tenant; /* number of differences in this tenant */
	KgJsonWriter written;
	List *counts; /* number of differences of each kind */
} KgDifferences;

extern void kg_differences_init(KgDifferences *differences, int64 limit);
extern void kg_differences_add(KgDifferences *differences,
							   const KgDifference *difference);
/* Writes the number of differences of each kind into an open object. */
extern void kg_differences_write_counts(const KgDifferences *differences,
										KgJsonWriter *w);
/* Begins a new tenant: later differences belong to it. */
extern void kg_differences_next_tenant(KgDifferences *differences);
/* Returns the number of differences of a kind in this tenant. */
extern int64 kg_differences_found(const KgDifferences *differences,
								  const char *kind);

#endif /* KG_DIFFERENCES_H */
