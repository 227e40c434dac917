/*
 * notify.h
 *	  Telling gateways that a tenant's lists changed.
 */
#ifndef KG_MCP_NOTIFY_H
#define KG_MCP_NOTIFY_H

/*
 * What stands for the tenant on the channel kg_mcp: everybody who may LISTEN
 * hears it, so it is a keyed digest and not the name.  Palloc'd.
 */
extern char *kg_mcp_listen_key(const char *tenant);

/* Tell who subscribed to resources of the tenant, when the transaction commits. */
extern void kg_mcp_notify_resource(const char *tenant);

#endif /* KG_MCP_NOTIFY_H */
