/*
 * tenant_state.h
 *	  Tenants that cannot be written: frozen, or being dropped.
 */
#ifndef KG_TENANT_STATE_H
#define KG_TENANT_STATE_H

/*
 * Checks that the tenant may be written. Call this function before a write, or
 * after a write that an error would undo. Raises KG_CONFLICT if the tenant is
 * frozen, being dropped or renamed, or if another session is about to freeze or
 * drop it. Otherwise locks the tenant's state until the (sub)transaction ends.
 * The newest state decides, not that of the snapshot.
 */
extern void kg_tenant_writes(const char *tenant);
/*
 * Checks that the tenant may be written, like kg_tenant_writes(). But accepts a
 * tenant that does not exist any more, because its rows are being deleted.
 */
extern void kg_tenant_deletes(const char *tenant);
/*
 * Raises KG_CONFLICT if no tenant has this name: the tenant was renamed or
 * dropped, or is not restored yet. In this case, a row that was not found may
 * exist all the same.
 */
extern void kg_tenant_require_name(const char *tenant);
/*
 * Raises KG_CONFLICT if the caller's tenant was renamed from "former". That
 * name was valid when the caller began.
 */
extern void kg_tenant_refuse_renamed(const char *former, const char *tenant);

/*
 * Kinds of work on a whole tenant. The tenant's writers must be excluded
 * (kg_lock_writes_exclusive()), or the tenant must not be visible to other
 * sessions yet.
 */
typedef enum KgTenantWork
{
	/* The work also writes the derived rows; triggers do nothing. */
	KG_TENANT_WHOLE,
	/*
	 * The work also writes the history. Triggers derive and check rows, but
	 * record no history.
	 */
	KG_TENANT_RESTORED
} KgTenantWork;

/*
 * Calls work(arg), which may raise an error, as work on the tenant. Calls may
 * nest for different tenants; then both tenants are worked on.
 */
extern void kg_tenant_work(const char *tenant, KgTenantWork how,
						   void (*work)(void *arg), void *arg);

/*
 * Returns true if this kind of work is done on the tenant, which is a text
 * datum.
 */
extern bool kg_tenant_is_worked_on(Datum tenant, KgTenantWork how);

#endif /* KG_TENANT_STATE_H */
