/*
 * write_tool.h
 *	  The generated tools that write.
 */
#ifndef KG_WRITE_TOOL_H
#define KG_WRITE_TOOL_H

#include "model/catalog.h"

/* The right to write, and the audit knows. */
extern void kg_write_require(void);

/*
 * Call one: it writes, or raises, and then its subtransaction has to be rolled
 * back.
 */
extern Jsonb *kg_tool_write(const KgTool *tool, const Jsonb *arguments);

/*
 * Run what writes, in a call of its own and inside SPI_connect(), also where a
 * gateway's message is read-only, until the time is over that the caller asked
 * for; raises where nothing may be written at all.
 * The caller's access was looked at before.
 */
extern void kg_write_uncontained(void (*work)(void *arg), void *arg);

#endif /* KG_WRITE_TOOL_H */
