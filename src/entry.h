/*
 * entry.h
 *	  What is around every SQL function that runs a tool's statements, or writes.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "auth/audit.h"
#include "fmgr.h"
#include "query/running.h"
#include "utils/jsonb.h"

/* Returns NULL for SQL's. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo, KgCall *call);

/*
 * Run it as a call, with the clock of one and the limits of the caller; audit is
 * KG_AUDIT_*.
 */
extern Datum kg_entry(FunctionCallInfo fcinfo, int audit, KgEntryBody body);

/*
 * The same where the body says when the limits are to hold, because it is it
 * that knows who calls, or answers with what they refuse.
 */
extern Datum kg_entry_open(FunctionCallInfo fcinfo, int audit,
						   KgEntryBody body);

/*
 * What writes, or takes as long: without a clock, inside SPI_connect().  options
 * is the number of the argument that may have an idempotency key, or -1.
 */
extern Datum kg_entry_write(FunctionCallInfo fcinfo, KgEntryBody body,
							int options);

/* The same of entities of the type that the first argument names. */
extern Datum kg_entry_write_type(FunctionCallInfo fcinfo, KgEntryBody body,
								 int options);

/*
 * For what answers a gateway: no role change, no settings that stay, no
 * temporary objects, no writing.  After an error all of it is undone by the
 * (sub)transaction's abort.
 */
extern void kg_contained(void (*work)(void *arg), void *arg);

#endif /* KG_ENTRY_H */
