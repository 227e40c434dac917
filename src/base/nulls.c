/*
 * nulls.c
 *	  NULL arguments of functions that write or administer.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/error.h"
#include "base/nulls.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

void
kg_throw_null(FunctionCallInfo fcinfo, int argument)
{
	HeapTuple tuple = SearchSysCache1(PROCOID,
									  ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	Form_pg_proc function;
	JsonbValue null = {.type = jbvNull};
	const char *name;
	const char *type;
	Oid *types;
	char **names;
	char *modes;
	KgError *err;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function");
	function = (Form_pg_proc) GETSTRUCT(tuple);
	(void) get_func_arg_info(tuple, &types, &names, &modes);
	name = names[argument];
	type = format_type_be(types[argument]);
	err = kg_error_new(KG_INVALID_INPUT,
					   "argument \"%s\" of %s must not be null",
					   name,
					   NameStr(function->proname));
	kg_error_path(err, "/%s", name);
	kg_error_got(err, &null);
	if (argument < function->pronargs - function->pronargdefaults)
		kg_error_expected(err, "a value of type %s", type);
	else
		kg_error_expected(
			err, "a value of type %s, or the call without this argument", type);
	ReleaseSysCache(tuple);
	kg_error_throw(err);
}
