/*
 * listen.h
 *	  What gateways are told on the channel kg_mcp.
 */
#ifndef KG_AUTH_LISTEN_H
#define KG_AUTH_LISTEN_H

/* What the toolset memory keeps was written to. */
#define KG_LISTEN_MEMORY "memory"

/*
 * What stands for the tenant there: everybody who may LISTEN hears it, so it is
 * a keyed digest and not the name.  Palloc'd.
 */
extern char *kg_listen_key(const char *tenant);

/* Tell what changed, when the transaction commits. */
extern void kg_listen_tell(const char *tenant, const char *kind);

#endif /* KG_AUTH_LISTEN_H */
