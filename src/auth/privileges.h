/*
 * privileges.h
 *	  What PostgreSQL's own privileges on our objects a role gets from its
 *	  grants and from being a gateway, and takes back.
 */
#ifndef KG_PRIVILEGES_H
#define KG_PRIVILEGES_H

#include "nodes/pg_list.h"

/*
 * Bring a role's privileges in line with its grants: what it needs and lacks
 * is given and noted in kg_role, what is noted and needed no longer is taken
 * back.  What a role has without us stays, and so does all that an owner has
 * of what it owns.  As the owner of the extension, inside SPI_connect().
 */
extern void kg_privileges_sync(Oid role);

/* Those that it would give, by name (char *). */
extern List *kg_privileges_missing(Oid role);

/*
 * A row for each role that has a grant or is a gateway: number, name, and of one
 * that no policy holds and that is no superuser why, and what ends it.  As the
 * owner; for kg_spi_select_of(), of no tenant.
 */
extern const char kg_privileges_of_roles[];

/* Whether kg_grant_gateway() made it a gateway; as the owner, inside SPI. */
extern bool kg_is_gateway(Oid role);
extern void kg_set_gateway(Oid role, bool gateway, bool exchange);
/* Raises KG_FORBIDDEN where the role may not bring decisions with a call. */
extern void kg_require_exchange(void);

/* Whether the role itself may EXECUTE kg_login(). */
extern bool kg_may_login(Oid role);
/*
 * Raises KG_FORBIDDEN unless the current role may EXECUTE kg_login(), by
 * whichever function it brings a token.
 */
extern void kg_require_login(void);

/* Run a utility statement with @kg_ names as the owner, inside SPI. */
extern void kg_run_utility(const char *sql);

#endif /* KG_PRIVILEGES_H */
