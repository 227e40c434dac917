/*
 * entry.h
 *	  What is around every SQL function that runs a tool's statements.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "fmgr.h"
#include "query/running.h"
#include "utils/jsonb.h"

/* Returns NULL for SQL's. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo, KgCall *call);

/* Run it as a call, with the clock of one. */
extern Datum kg_entry(FunctionCallInfo fcinfo, KgEntryBody body);

#endif /* KG_ENTRY_H */
