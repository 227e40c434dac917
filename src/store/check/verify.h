/*
 * verify.h
 *	  Is every row that is derived from a tenant's entities what it should be?
 */
#ifndef KG_VERIFY_H
#define KG_VERIFY_H

#include "base/json.h"
#include "nodes/pg_list.h"

/* Members that are NULL are left out. */
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
	const char *repair; /* a statement, or what to do */
} KgDifference;

/* Up to limit are kept, all are counted. */
typedef struct KgDifferences
{
	MemoryContext context;
	int64 limit;
	int64 total;
	KgJsonWriter written;
	List *counts; /* of kinds */
} KgDifferences;

extern void kg_differences_init(KgDifferences *differences, int64 limit);
extern void kg_differences_add(KgDifferences *differences,
							   const KgDifference *difference);
/* Into an open object: how many of each kind. */
extern void kg_differences_write_counts(const KgDifferences *differences,
										KgJsonWriter *w);

/*
 * Derive everything of a tenant by the functions that derive it when it is
 * written, and compare.  Nothing is written or locked.  Of one snapshot in
 * REPEATABLE READ; beside writers in READ COMMITTED, of several.
 */
extern int64 kg_verify_tenant(const char *tenant, KgDifferences *differences);

/*
 * Delete edges and packed edges that are wrong, derive the rest anew: for what
 * was found of the tenant last.
 */
extern void kg_verify_repair(const char *tenant,
							 const KgDifferences *differences);

#endif /* KG_VERIFY_H */
