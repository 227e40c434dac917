/*
 * tenant_state.h
 *	  Tenants that nobody writes: frozen, or on their way out.
 */
#ifndef KG_TENANT_STATE_H
#define KG_TENANT_STATE_H

/*
 * Before anything of a tenant is written, or after, as long as what was written is
 * undone by an error: raises KG_CONFLICT where the tenant is withheld from
 * writers, or about to be, or has another name by now; otherwise it will not be until the (sub)transaction
 * ends.  Whatever the isolation level, it is the newest state that decides.
 */
extern void kg_tenant_writes(const char *tenant);
/* The same of rows that go: their tenant may be gone. */
extern void kg_tenant_wrote(const char *tenant);
/*
 * The same where there is no tenant of the name: that something was not found
 * under it says nothing.
 */
extern void kg_tenant_require_name(const char *tenant);
/*
 * The same where a caller's tenant had the former name: who began to write under
 * it is no intruder.
 */
extern void kg_tenant_refuse_renamed(const char *former, const char *tenant);

/*
 * What is done to a tenant whose writers have been excluded
 * (kg_lock_writes_exclusive()), or that nobody knows yet: work(arg), which may
 * raise.
 */
typedef enum KgTenantWork
{
	/* With what is derived from it: triggers leave its rows alone. */
	KG_TENANT_WHOLE,
	/* With its history: its rows are derived from and checked, not recorded. */
	KG_TENANT_RESTORED
} KgTenantWork;

/* One within another may be of another tenant: both are worked on. */
extern void kg_tenant_work(const char *tenant, KgTenantWork how,
						   void (*work)(void *arg), void *arg);

/* Is this being done to the tenant, a text? */
extern bool kg_tenant_is_worked_on(Datum tenant, KgTenantWork how);

#endif /* KG_TENANT_STATE_H */
