/*
 * access.c
 *	  Levels of access, by name.
 */
#include "postgres.h"

#include "auth/access.h"
#include "base/error.h"

static const char *const names[] = {"", "read", "write", "admin"};

const char *
kg_access_name(KgAccess access)
{
	return names[access];
}

KgAccess
kg_access_of_name(const char *name)
{
	for (int i = KG_ACCESS_READ; i <= KG_ACCESS_ADMIN; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return KG_ACCESS_NONE;
}

KgAccess
kg_access_require(const char *name)
{
	KgAccess access = kg_access_of_name(name);
	KgError *err;

	if (access != KG_ACCESS_NONE)
		return access;
	err = kg_error_new(KG_INVALID_INPUT, "access \"%s\" is not known", name);
	kg_error_path(err, "/access");
	kg_error_got_string(err, name);
	for (int i = KG_ACCESS_READ; i <= KG_ACCESS_ADMIN; i++)
		kg_error_allow(err, names[i]);
	kg_error_throw(err);
}
