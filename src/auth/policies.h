/*
 * policies.h
 *	  A DBA's own policies, which are registered in kg_policy.
 */
#ifndef KG_POLICIES_H
#define KG_POLICIES_H

/*
 * Whether there are any: there are none as a rule, and to ask more costs a
 * session's first call most of its time.  As the owner, inside SPI.
 */
extern bool kg_policies_registered(void);

/*
 * Rows of those that are not in force, which bar the roles that they name (all
 * if a role could not be found): object, what is wrong, what mends it; for
 * kg_spi_select_of(), of no tenant.
 */
extern const char kg_policies_not_in_force[];

/*
 * The same of policies by CREATE POLICY ... FOR SELECT alone: what they hide, an
 * UPDATE or DELETE that reads no column changes.
 */
extern const char kg_policies_for_reading_alone[];

#endif /* KG_POLICIES_H */
