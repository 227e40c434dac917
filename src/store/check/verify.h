/*
 * verify.h
 *	  Verification that all rows derived from a tenant's entities are
 *	  correct.
 */
#ifndef KG_VERIFY_H
#define KG_VERIFY_H

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
	const char *repair; /* a statement, or an instruction */
} KgDifference;

/* The differences found: up to limit are written, all are counted. */
typedef struct KgDifferences
{
	MemoryContext context;
	int64 limit;
	int64 total;
	KgJsonWriter written;
	List *counts; /* of each kind */
} KgDifferences;

extern void kg_differences_init(KgDifferences *differences, int64 limit);
extern void kg_differences_add(KgDifferences *differences,
							   const KgDifference *difference);
/* Writes the number of differences of each kind into an open object. */
extern void kg_differences_write_counts(const KgDifferences *differences,
										KgJsonWriter *w);

/*
 * Derives all rows of a tenant with the functions that derive them when
 * entities are written, and compares. Writes and locks nothing. In REPEATABLE
 * READ it sees one snapshot; in READ COMMITTED, beside writers, several.
 */
extern int64 kg_verify_tenant(const char *tenant, KgDifferences *differences);

/*
 * Repairs the differences that were found last in the tenant. Deletes wrong
 * edges and wrong packed edges, and derives the other rows anew.
 */
extern void kg_verify_repair(const char *tenant,
							 const KgDifferences *differences);

#endif /* KG_VERIFY_H */
