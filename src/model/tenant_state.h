/*
 * tenant_state.h
 *	  Tenants that cannot be written: frozen, or being dropped.
 */
#ifndef KG_TENANT_STATE_H
#define KG_TENANT_STATE_H

/*
 * Checks that the tenant may be written.
 *
 * Call this function before a write, or after a write that an error would
 * undo. Raises KG_CONFLICT if writes of the tenant are refused or are about to
 * be refused, or if the tenant was renamed. Otherwise the state is locked
 * until the (sub)transaction ends. The newest state decides, whatever the
 * isolation level.
 */
extern void kg_tenant_writes(const char *tenant);
/*
 * Checks as kg_tenant_writes(), but accepts a tenant that does not exist any
 * more, because its rows are being deleted.
 */
extern void kg_tenant_deletes(const char *tenant);
/*
 * Raises KG_CONFLICT if no tenant has this name. In this case a missing row
 * does not prove that the row does not exist.
 */
extern void kg_tenant_require_name(const char *tenant);
/*
 * Raises KG_CONFLICT if the caller's tenant was renamed from the former name:
 * the caller began under that name legitimately.
 */
extern void kg_tenant_refuse_renamed(const char *former, const char *tenant);

/*
 * Work on a tenant whose writers are excluded (kg_lock_writes_exclusive()), or
 * that is not known to any other session yet.
 */
typedef enum KgTenantWork
{
	/* derived rows are included; triggers do nothing */
	KG_TENANT_WHOLE,
	/*
	 * history is included; triggers derive and check rows, but record nothing
	 */
	KG_TENANT_RESTORED
} KgTenantWork;

/*
 * Calls work(arg), which may raise an error. Calls may nest for different
 * tenants; the states of both tenants then apply.
 */
extern void kg_tenant_work(const char *tenant, KgTenantWork how,
						   void (*work)(void *arg), void *arg);

/* Returns true if this kind of work is done on the tenant, a text. */
extern bool kg_tenant_is_worked_on(Datum tenant, KgTenantWork how);

#endif /* KG_TENANT_STATE_H */
