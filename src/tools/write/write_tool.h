/*
 * write_tool.h
 *	  The generated tools that write.
 */
#ifndef KG_WRITE_TOOL_H
#define KG_WRITE_TOOL_H

#include "tools/input/input.h"

/*
 * Raises an error if the caller may not write. Otherwise marks the audit record
 * as the record of a write.
 */
extern void kg_write_require(void);

/*
 * Returns the argument "reason", or NULL. Raises an error if it is too long.
 */
extern char *kg_write_reason(const KgInput *in);

/*
 * Runs a tool that writes. Must run in a subtransaction, which the caller rolls
 * back if the tool raises an error.
 */
extern Jsonb *kg_tool_write(const KgTool *tool, const Jsonb *arguments);

/*
 * Runs a function that writes, in a call of its own and inside SPI_connect().
 * The function may write even while the server handles a read-only message of a
 * gateway. The time limit of the present call applies. Raises an error if this
 * server permits no writes at all. The caller must have checked access before.
 */
extern void kg_write_uncontained(void (*work)(void *arg), void *arg);

#endif /* KG_WRITE_TOOL_H */
