/*
 * moved.c
 *	  Tenants that have moved to another database.
 */
#include "postgres.h"

#include "auth/moved.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"

/*
 * Milliseconds after which callers may retry: the typical time to move a small
 * tenant.
 */
#define KG_RETRY_MS 1000

bool
kg_has_moved_tenants(void)
{
	/*
	 * The table is missing before ALTER EXTENSION kg_graph UPDATE. Then no
	 * tenant was marked as moved.
	 */
	return OidIsValid(kg_find_relation("kg_moved_tenant"));
}

bool
kg_tenant_has_moved(const char *tenant, const char *role)
{
	static KgSaved saved;

	return kg_has_moved_tenants() &&
		   kg_spi_finds(&saved,
						"SELECT FROM @kg_moved_tenant "
						"WHERE ($1::text IS NULL OR name = $1) "
						"AND ($2::text IS NULL OR $2 = ANY (roles))",
						kg_arg_text(tenant),
						kg_arg_text(role));
}

void
kg_tenant_refuse_moved(const char *tenant, const char *role)
{
	KgError *err;

	if (!kg_tenant_has_moved(tenant, role))
		return;
	err = tenant ? kg_error_new(KG_CONFLICT,
								"tenant \"%s\" has moved to another database",
								tenant)
				 : kg_error_new(KG_CONFLICT,
								"the tenant of role \"%s\" has moved to "
								"another database",
								role);
	kg_error_expected(err,
					  "the same call, sent again through a database with the "
					  "extension kg_front");
	kg_error_retry_after(err, KG_RETRY_MS);
	kg_error_throw(err);
}
