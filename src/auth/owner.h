/*
 * owner.h
 *	  The right to act for the whole database: the extension owner's.
 *
 * Each function that acts beyond its caller's tenant, or tells of it, asks for
 * this right itself.  EXECUTE on the function is not the right: ALTER DEFAULT
 * PRIVILEGES and GRANT ... ON ALL FUNCTIONS give it to roles that nobody meant.
 * Who means a role makes it a member of the owner, or grants it a SECURITY
 * DEFINER function of the owner's that calls the one in question.
 */
#ifndef KG_OWNER_H
#define KG_OWNER_H

/* Returns whether a role has the rights of the extension's owner. */
extern bool kg_has_owner_rights(Oid role);

/*
 * Raises KG_FORBIDDEN unless the current role has them; act completes
 * "... may not".
 */
extern void kg_owner_require(const char *act);

/* Raises the same unless it may also read every statistic of the server. */
extern void kg_owner_require_statistics(const char *act);

/*
 * Rows of EXECUTE that somebody else was given on functions that are the
 * owner's: object, what is wrong, what mends it.  They give nothing, and tell
 * that other privileges were given in the same way.  For kg_spi_select_of(),
 * of no tenant.
 */
extern const char kg_owner_execute_given[];

#endif /* KG_OWNER_H */
