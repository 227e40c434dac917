/*
 * privileges.h
 *	  PostgreSQL privileges on the extension's objects that follow from a role's
 *	  grants and from being a gateway.
 */
#ifndef KG_PRIVILEGES_H
#define KG_PRIVILEGES_H

#include "nodes/pg_list.h"

/*
 * Brings a role's privileges in line with its grants.
 *
 * Grants the missing privileges and records them in kg_role. Revokes the
 * recorded privileges that are not needed any more. Other privileges do not
 * change, nor do the privileges of an owner on its own objects. Runs as the
 * extension's owner, within SPI_connect().
 */
extern void kg_privileges_sync(Oid role);

/*
 * Returns the names (char *) of the privileges that kg_privileges_sync() would
 * grant.
 */
extern List *kg_privileges_missing(Oid role);

/*
 * A SELECT that returns each role that has a grant or is a gateway: its OID
 * and name. If no policy restricts the role, and the role is not a superuser,
 * the row also has the cause and its repair. Run it as the owner with
 * kg_spi_select_of(), without a tenant.
 */
extern const char kg_privileges_of_roles[];

/*
 * Returns true if kg_grant_gateway() made the role a gateway.  Runs as the
 * owner, within SPI.
 */
extern bool kg_is_gateway(Oid role);
extern void kg_set_gateway(Oid role, bool gateway, bool exchange);
/*
 * Raises KG_FORBIDDEN if the role may not supply an authorizer's decisions
 * with a call.
 */
extern void kg_require_exchange(void);

/* Returns true if the role itself may EXECUTE kg_login(). */
extern bool kg_may_login(Oid role);
/*
 * Raises KG_FORBIDDEN unless the current role may EXECUTE kg_login(). Every
 * function that accepts a token calls this function.
 */
extern void kg_require_login(void);

/*
 * Runs a utility statement as the owner, within SPI. Names like @kg_entity in
 * the statement are replaced by qualified names.
 */
extern void kg_run_utility(const char *sql);

#endif /* KG_PRIVILEGES_H */
