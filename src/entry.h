/*
 * entry.h
 *	  What is around every SQL function that runs a tool's statements.
 */
#ifndef KG_ENTRY_H
#define KG_ENTRY_H

#include "auth/audit.h"
#include "fmgr.h"
#include "query/running.h"
#include "utils/jsonb.h"

/* Returns NULL for SQL's. */
typedef Jsonb *(*KgEntryBody)(FunctionCallInfo fcinfo, KgCall *call);

/* Run it as a call, with the clock of one; audit is KG_AUDIT_*. */
extern Datum kg_entry(FunctionCallInfo fcinfo, int audit, KgEntryBody body);

#endif /* KG_ENTRY_H */
