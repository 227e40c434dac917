/*
 * entry.h
 *	  What is around every SQL function that runs a tool's statements.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "fmgr.h"
#include "utils/jsonb.h"

/* Returns NULL for SQL's. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo);

/* Run it as a call, with the clock of one (query/running.h). */
extern Datum kg_entry(FunctionCallInfo fcinfo, KgEntryBody body);

#endif /* KG_ENTRY_H */
