/*
 * entry.h
 *	  Wrappers of SQL functions that write or run a tool's statements.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "auth/audit.h"
#include "fmgr.h"
#include "query/run/running.h"
#include "utils/jsonb.h"

/* A function body.  NULL is SQL's NULL. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo, KgCall *call);

#define KG_ENTRY_BODY(name) \
	static Jsonb *name##_body(FunctionCallInfo fcinfo, KgCall *call)

/*
 * Defines a function for SQL and begins its body, which runs as a call with a
 * time limit and the caller's limits.  audit is KG_AUDIT_*.
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
 * Defines a function whose body applies the limits itself. Such a body first
 * identifies the caller, for example by a token among its arguments, or returns
 * the errors of the limits as its result.
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
 * Defines a function that writes or takes long. It runs without a time limit,
 * within SPI_connect(). options is the number of the argument that may have an
 * idempotency key, or -1.
 */
#define KG_ENTRY_WRITE(name, audit, options)                 \
	KG_ENTRY_BODY(name);                                     \
	KG_AUDITED(name, audit)                                  \
	{                                                        \
		return kg_entry_write(fcinfo, name##_body, options); \
	}                                                        \
	KG_ENTRY_BODY(name)

/* Defines a writing function whose body may get NULL arguments. */
#define KG_ENTRY_WRITE_NULLS(name, audit, options)           \
	KG_ENTRY_BODY(name);                                     \
	KG_AUDITED_NULLS(name, audit)                            \
	{                                                        \
		return kg_entry_write(fcinfo, name##_body, options); \
	}                                                        \
	KG_ENTRY_BODY(name)

extern Datum kg_entry_write(FunctionCallInfo fcinfo, KgEntryBody body,
							int options);

/*
 * Defines a writing function on entities of the type that the first argument
 * names.
 */
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
 * Calls work for a gateway's message or for a call with a token. Prevents
 * writes, temporary objects, and changes of the role or of settings that would
 * outlast the call. After an error, the abort of the (sub)transaction restores
 * the previous state.
 */
extern void kg_contained(void (*work)(void *arg), void *arg);

#endif /* KG_ENTRY_H */
