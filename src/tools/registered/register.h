/*
 * register.h
 *	  Registering a tool: from a definition as it was sent to its row.
 */
#ifndef KG_REGISTER_H
#define KG_REGISTER_H

#include "utils/jsonb.h"

/* As the current role, inside SPI_connect(); the reply. */
extern Jsonb *kg_register_tool(const Jsonb *sent);

/* version NULL: all of them. */
extern Jsonb *kg_unregister_tool(const char *name, const char *version);

/* What bundles need (store/registered_tools.h); when the module is loaded. */
extern void kg_register_init(void);

#endif /* KG_REGISTER_H */
