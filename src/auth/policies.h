/*
 * policies.h
 *	  Policies of the DBA, which are registered in kg_policy.
 */
#ifndef KG_POLICIES_H
#define KG_POLICIES_H

/*
 * Returns true if any policy is registered. Usually no policy is registered.
 * This test then saves the search for policies, which would take most of the
 * time of a session's first call. Runs as the owner, within SPI.
 */
extern bool kg_policies_registered(void);

/*
 * A SELECT that returns the registered policies that are not in force. Its
 * columns are object, fault and repair. Such a policy bars the roles that it
 * names, or all roles if one of these roles was not found. Run it with
 * kg_spi_select_of(), without a tenant.
 */
extern const char kg_policies_not_in_force[];

/*
 * A SELECT that returns the restrictive policies FOR SELECT that have no equal
 * policy for UPDATE or for DELETE. Its columns are object, fault and repair. An
 * UPDATE or DELETE that reads no column changes the rows that such a policy
 * hides.
 */
extern const char kg_policies_for_reading_alone[];

#endif /* KG_POLICIES_H */
