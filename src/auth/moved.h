/*
 * moved.h
 *	  Tenants that have moved to another database.
 */
#ifndef KG_MOVED_H
#define KG_MOVED_H

/* Returns whether the database records tenants that have moved. */
extern bool kg_has_moved_tenants(void);

/*
 * Raises KG_CONFLICT if a tenant of this name that the role had moved to
 * another database.  tenant NULL stands for any tenant, role NULL for any
 * role.  Runs for any caller, including one that was sent here before the
 * move.
 */
extern void kg_tenant_refuse_moved(const char *tenant, const char *role);
/* Returns whether there is such a tenant. */
extern bool kg_tenant_has_moved(const char *tenant, const char *role);

#endif /* KG_MOVED_H */
