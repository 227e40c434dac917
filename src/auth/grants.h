/*
 * grants.h
 *	  Tenants and the roles that are granted them; as the extension's owner,
 *	  inside SPI.
 */
#ifndef KG_GRANTS_H
#define KG_GRANTS_H

#include "base/error.h"
#include "nodes/pg_list.h"

/* Raises KG_INVALID_INPUT unless a tenant may have that name. */
extern void kg_tenant_check_name(const char *tenant);

/* Raise KG_ALREADY_EXISTS. */
extern KG_NORETURN void
kg_tenant_throw_exists(const char *tenant) KG_NORETURN_TAIL;

/*
 * Raises KG_ALREADY_EXISTS where a tenant had the name and was renamed.
 */
extern void kg_tenant_refuse_former(Datum name);

/* Is it what a tenant was called before it got, sooner or later, that name? */
extern bool kg_tenant_became(const char *former, const char *name);

/*
 * The same, when there is a row of kg_tenant that has the name, which forgets
 * what another one's calls, which ended after it, have left in kg_audit.
 */
extern void kg_tenant_take_name(Datum name);

/*
 * Raises KG_CONFLICT where the tenant has moved to another database, or the only
 * one that the role had here; NULL: whichever.  As anybody, for who was sent here
 * before it moved and found nothing.
 */
extern void kg_tenant_refuse_moved(const char *tenant, const char *role);
extern bool kg_tenant_has_moved(const char *tenant, const char *role);

/* Raises KG_NOT_FOUND unless the tenant exists and is not being dropped. */
extern void kg_require_tenant(Datum tenant);

/* The numbers of the roles with a grant for the tenant, in this context. */
extern List *kg_granted_roles(Datum tenant);

/* What kg_grant() does once it is allowed; access is a text. */
extern void kg_grant_role(Datum tenant, Oid role, const char *name,
						  Datum access);

/* Give and take the privileges that their grants call for. */
extern void kg_sync_roles(List *roles);
/* The same of all that have a grant, or what one gave. */
extern void kg_sync_all_roles(void);

#endif /* KG_GRANTS_H */
