/*
 * policies.c
 *	  A DBA's own policies, which are registered in kg_policy.
 */
#include "postgres.h"

#include "auth/policies.h"
#include "base/spi.h"

bool
kg_policies_registered(void)
{
	static KgSaved saved;

	kg_spi_run(&saved,
			   "SELECT FROM @kg_policy LIMIT 1",
			   0,
			   NULL,
			   NULL,
			   NULL,
			   true,
			   SPI_OK_SELECT);
	return SPI_processed > 0;
}
