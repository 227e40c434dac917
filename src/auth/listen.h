/*
 * listen.h
 *	  Notifications for gateways on the channel kg_mcp.
 */
#ifndef KG_AUTH_LISTEN_H
#define KG_AUTH_LISTEN_H

/* Kind of notification: data of the toolset memory was written. */
#define KG_LISTEN_MEMORY "memory"
/* Kind of notification: changes were recorded in the history. */
#define KG_LISTEN_CHANGES "changes"
/* Kind of notification: any resource may have changed. */
#define KG_LISTEN_RESOURCE "resource"

#define KG_LISTEN_CHANNEL "kg_mcp"

/*
 * Returns a keyed digest that stands for the tenant in notifications,
 * palloc'd. Every role that may LISTEN receives the notifications, so they
 * must not contain the name of the tenant.
 */
extern char *kg_listen_key(const char *tenant);

/* Returns a keyed digest of any text, palloc'd. */
extern char *kg_listen_digest(const char *text);

/* Sends a notification of a change when the transaction commits. */
extern void kg_listen_tell(const char *tenant, const char *kind);

#endif /* KG_AUTH_LISTEN_H */
