/*
 * entry.h
 *	  What is around every SQL function that runs a tool's statements, or writes.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "auth/audit.h"
#include "fmgr.h"
#include "query/run/running.h"
#include "utils/jsonb.h"

/* Returns NULL for SQL's. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo, KgCall *call);

#define KG_ENTRY_BODY(name) \
	static Jsonb *name##_body(FunctionCallInfo fcinfo, KgCall *call)

/*
 * The function that SQL calls, and the begin of its body, which is run as a
 * call, with the clock of one and the limits of the caller; audit is KG_AUDIT_*:
 *
 *	  KG_ENTRY(kg_sql_list, KG_AUDIT_READS)
 *	  {
 *		  ...
 *	  }
 */
#define KG_ENTRY(name, audit)                        \
	PG_FUNCTION_INFO_V1(name);                       \
	KG_ENTRY_BODY(name);                             \
	Datum name(PG_FUNCTION_ARGS)                     \
	{                                                \
		return kg_entry(fcinfo, audit, name##_body); \
	}                                                \
	KG_ENTRY_BODY(name)

extern Datum kg_entry(FunctionCallInfo fcinfo, int audit, KgEntryBody body);

/*
 * The same where the body says when the limits are to hold, because it is it
 * that knows who calls, or answers with what they refuse.
 */
#define KG_ENTRY_OPEN(name, audit)                        \
	PG_FUNCTION_INFO_V1(name);                            \
	KG_ENTRY_BODY(name);                                  \
	Datum name(PG_FUNCTION_ARGS)                          \
	{                                                     \
		return kg_entry_open(fcinfo, audit, name##_body); \
	}                                                     \
	KG_ENTRY_BODY(name)

extern Datum kg_entry_open(FunctionCallInfo fcinfo, int audit,
						   KgEntryBody body);

/*
 * What writes, or takes as long: without a clock, inside SPI_connect().  options
 * is the number of the argument that may have an idempotency key, or -1.
 */
#define KG_ENTRY_WRITE(name, audit, options)                 \
	KG_ENTRY_BODY(name);                                     \
	KG_AUDITED(name, audit)                                  \
	{                                                        \
		return kg_entry_write(fcinfo, name##_body, options); \
	}                                                        \
	KG_ENTRY_BODY(name)

/* The same of one to whose body a NULL says something. */
#define KG_ENTRY_WRITE_NULLS(name, audit, options)           \
	KG_ENTRY_BODY(name);                                     \
	KG_AUDITED_NULLS(name, audit)                            \
	{                                                        \
		return kg_entry_write(fcinfo, name##_body, options); \
	}                                                        \
	KG_ENTRY_BODY(name)

extern Datum kg_entry_write(FunctionCallInfo fcinfo, KgEntryBody body,
							int options);

/* The same of entities of the type that the first argument names. */
#define KG_ENTRY_WRITE_TYPE(name, audit, options)                 \
	KG_ENTRY_BODY(name);                                          \
	KG_AUDITED(name, audit)                                       \
	{                                                             \
		return kg_entry_write_type(fcinfo, name##_body, options); \
	}                                                             \
	KG_ENTRY_BODY(name)

extern Datum kg_entry_write_type(FunctionCallInfo fcinfo, KgEntryBody body,
								 int options);

/*
 * For what answers a gateway: no role change, no settings that stay, no
 * temporary objects, no writing.  After an error all of it is undone by the
 * (sub)transaction's abort.
 */
extern void kg_contained(void (*work)(void *arg), void *arg);

#endif /* KG_ENTRY_H */
