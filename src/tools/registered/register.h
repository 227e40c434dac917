/*
 * register.h
 *	  Registers a tool: reads the definition in a request and stores it as a
 *	  row.
 */
#ifndef KG_REGISTER_H
#define KG_REGISTER_H

#include "utils/jsonb.h"

/*
 * Registers a tool as the current role, and returns the reply. Must be called
 * inside SPI_connect().
 */
extern Jsonb *kg_register_tool(const Jsonb *sent);

/* Removes a version of a tool, or all versions if version is NULL. */
extern Jsonb *kg_unregister_tool(const char *name, const char *version);

/*
 * Sets the hooks by which the code for bundles calls this code
 * (store/registered_tools.h). Called when the module is loaded.
 */
extern void kg_register_init(void);

#endif /* KG_REGISTER_H */
