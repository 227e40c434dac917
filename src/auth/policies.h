/*
 * policies.h
 *	  Policies of the DBA, which are registered in kg_policy.
 */
#ifndef KG_POLICIES_H
#define KG_POLICIES_H

/*
 * Returns true if any policy is registered.  Usually there are no such
 * policies, and looking further would take most of the time of a session's
 * first call.  Runs as the owner, within SPI.
 */
extern bool kg_policies_registered(void);

/*
 * The text of a SELECT that returns the registered policies that are not in
 * force: object, fault, repair. Such a policy bars the roles that it names, or
 * all roles if one of these roles was not found. For kg_spi_select_of(),
 * without a tenant.
 */
extern const char kg_policies_not_in_force[];

/*
 * SELECT of policies FOR SELECT only: object, fault, repair.  An UPDATE or
 * DELETE that reads no column changes the rows that such a policy hides.
 */
extern const char kg_policies_for_reading_alone[];

#endif /* KG_POLICIES_H */
