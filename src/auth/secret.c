/*
 * secret.c
 *	  The extension's secrets, rows of kg_secret.
 *
 * Only the owner may read them.  Callers may see data signed or named with a
 * secret, but never the secret.
 */
#include "postgres.h"

#include "auth/secret.h"
#include "base/extension.h"
#include "base/spi.h"

bytea *
kg_secret_find(const char *name)
{
	MemoryContext context = CurrentMemoryContext;
	KgUserContext user;
	bytea *secret = NULL;

	kg_become_owner(&user);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	KG_SPI_READ("SELECT secret FROM @kg_secret WHERE name = $1",
				kg_arg_text(name));
	MemoryContextSwitchTo(context);
	if (SPI_processed == 1)
		secret = DatumGetByteaPCopy(kg_spi_datum(0, 1));
	SPI_finish();
	kg_restore_user(&user);
	return secret;
}

bytea *
kg_secret_read(const char *name)
{
	bytea *secret = kg_secret_find(name);

	if (secret == NULL)
		elog(ERROR, "kg_secret has no row \"%s\"", name);
	return secret;
}
