/*
 * tenant_state.h
 *	  Tenants that nobody writes: frozen, or on their way out.
 */
#ifndef KG_TENANT_STATE_H
#define KG_TENANT_STATE_H

/*
 * Before anything of a tenant is written, or after, as long as what was written is
 * undone by an error: raises KG_CONFLICT where the tenant is withheld from
 * writers, or about to be; otherwise it will not be until the (sub)transaction
 * ends.  Whatever the isolation level, it is the newest state that decides.
 */
extern void kg_tenant_writes(const char *tenant);

/*
 * What is done to a tenant that is withheld from everybody else, who have been
 * excluded (kg_lock_writes_exclusive()): work(arg), which may raise.
 */
extern void kg_tenant_withheld_work(const char *tenant, void (*work)(void *arg),
									void *arg);

/*
 * The same where all of the tenant goes, or comes, with what is derived from it:
 * the triggers of kg_entity and kg_edge leave its rows alone.
 */
extern void kg_tenant_whole_work(const char *tenant, void (*work)(void *arg),
								 void *arg);

/* Is the tenant, a text, that of kg_tenant_whole_work()? */
extern bool kg_tenant_is_whole(Datum tenant);

#endif /* KG_TENANT_STATE_H */
