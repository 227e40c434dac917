/*
 * owner.h
 *	  The right to act for the whole database, which belongs to the
 *	  extension's owner.
 *
 * Each function that acts or reads beyond its caller's tenant checks this right
 * itself.  EXECUTE on the function is not the right: ALTER DEFAULT PRIVILEGES
 * and GRANT ... ON ALL FUNCTIONS give it to roles by accident.  To delegate one
 * function, make the role a member of the owner, or grant it a SECURITY DEFINER
 * function of the owner that calls it.
 */
#ifndef KG_OWNER_H
#define KG_OWNER_H

/* Returns true if a role has the rights of the extension's owner. */
extern bool kg_has_owner_rights(Oid role);

/*
 * Raises KG_FORBIDDEN unless the current role has the owner's rights. act
 * completes the error message "... may not".
 */
extern void kg_owner_require(const char *act);

/*
 * Raises KG_FORBIDDEN unless the current role has the owner's rights or is a
 * member of pg_read_all_stats.
 */
extern void kg_owner_require_statistics(const char *act);

/*
 * A SELECT that returns the roles that have EXECUTE on functions that only the
 * owner may use. Its columns are object, fault and repair. The privilege has
 * no effect, but the command that granted it may have granted other
 * privileges, too. Run it with kg_spi_select_of(), without a tenant.
 */
extern const char kg_owner_execute_given[];

#endif /* KG_OWNER_H */
