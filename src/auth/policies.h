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
 * A query with the same columns: policies made by CREATE POLICY ... FOR SELECT.
 * An UPDATE or DELETE that reads no column changes the rows that they hide.
 */
extern const char kg_policies_for_reading_alone[];

#endif /* KG_POLICIES_H */
