/*
 * moved.h
 *	  Tenants that have moved to another database.
 */
#ifndef KG_MOVED_H
#define KG_MOVED_H

/* Returns whether the database records tenants that have moved. */
extern bool kg_has_moved_tenants(void);

/*
 * Raises KG_CONFLICT if a tenant of this name, for which the role had a grant,
 * moved to another database. If tenant is NULL, any tenant counts; if role is
 * NULL, any role counts. Any caller may call this function, including a caller
 * that a front (a routing database) sent here before the move.
 */
extern void kg_tenant_refuse_moved(const char *tenant, const char *role);
/*
 * Returns whether such a tenant has moved, so that kg_tenant_refuse_moved()
 * would raise an error.
 */
extern bool kg_tenant_has_moved(const char *tenant, const char *role);

#endif /* KG_MOVED_H */
