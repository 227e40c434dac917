/*
 * write_tool.h
 *	  The generated tools that write.
 */
#ifndef KG_WRITE_TOOL_H
#define KG_WRITE_TOOL_H

#include "model/catalog.h"

/*
 * Raises an error if the caller may not write. Marks the audit record as that
 * of a write.
 */
extern void kg_write_require(void);

/*
 * Runs a tool that writes. If it raises an error, the caller must roll back
 * the subtransaction.
 */
extern Jsonb *kg_tool_write(const KgTool *tool, const Jsonb *arguments);

/*
 * Runs a function that writes in a call of its own, inside SPI_connect(), even
 * if the message of a gateway is read-only. The time limit of the caller's
 * call applies. Raises an error if this server permits no writes at all. The
 * caller must have checked access before.
 */
extern void kg_write_uncontained(void (*work)(void *arg), void *arg);

#endif /* KG_WRITE_TOOL_H */
