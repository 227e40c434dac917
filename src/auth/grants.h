/*
 * grants.h
 *	  Tenants, and grants of tenants to roles.
 *
 * All functions run as the extension's owner, within SPI.
 */
#ifndef KG_GRANTS_H
#define KG_GRANTS_H

#include "base/error.h"
#include "nodes/pg_list.h"

/* Raises KG_INVALID_INPUT unless the text is a valid name of a tenant. */
extern void kg_tenant_check_name(const char *tenant);

/*
 * Raises KG_ALREADY_EXISTS, with the message that a tenant of this name
 * exists.
 */
extern KG_NORETURN void kg_tenant_throw_exists(const char *tenant);

/* Raises KG_ALREADY_EXISTS if a renamed tenant had this name before. */
extern void kg_tenant_refuse_former(Datum name);

/*
 * Returns true if a tenant was renamed from "former" to "name", directly or in
 * steps.
 */
extern bool kg_tenant_became(const char *former, const char *name);

/*
 * Reserves the name for a tenant, whose row of kg_tenant must exist. Removes
 * from kg_audit the records of a former tenant with this name that calls wrote
 * after that tenant was dropped. Deletes the record that a tenant of this name
 * moved to another database.
 */
extern void kg_tenant_take_name(Datum name);

/* Raises KG_NOT_FOUND unless the tenant exists and is not being dropped. */
extern void kg_require_tenant(Datum tenant);

/*
 * Returns the OIDs of the roles with a grant for the tenant, in the current
 * context.
 */
extern List *kg_granted_roles(Datum tenant);

/*
 * Grants the tenant to a role, without a check of the right to do so. access is
 * a text. Raises an error if the role is a gateway.
 */
extern void kg_grant_role(Datum tenant, Oid role, const char *name,
						  Datum access);

/*
 * Grants and revokes the privileges of the listed roles, as the roles' grants
 * of tenants require.
 */
extern void kg_sync_roles(List *roles);
/* Grants and revokes the privileges of all roles that have or had a grant. */
extern void kg_sync_all_roles(void);

#endif /* KG_GRANTS_H */
