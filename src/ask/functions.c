/*
 * functions.c
 *	  The functions of pg_catalog that a query may call.
 *
 * Their arguments and results have types of types.c, and no function is
 * volatile. A query calls a function by name, by an operator, by a cast, or as
 * the input or output function of a type. OIDs of pg_proc below 10,000 never
 * change; test/ask compares the signatures on each major version of
 * PostgreSQL.
 */
#include "postgres.h"

#include "ask/allowed.h"

const KgAskFunction *
kg_ask_function(Oid oid)
{
	int low = 0;
	int high = kg_ask_nfunctions;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (kg_ask_functions[middle].oid == oid)
			return &kg_ask_functions[middle];
		if (kg_ask_functions[middle].oid < oid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool
has_name(const KgAskFunction *function, const char *name)
{
	size_t len = strlen(name);

	return function->callable && strncmp(function->signature, name, len) == 0 &&
		   function->signature[len] == '(';
}

bool
kg_ask_function_is_named(const char *name)
{
	for (int i = 0; i < kg_ask_nfunctions; i++)
		if (has_name(&kg_ask_functions[i], name))
			return true;
	return false;
}

const char *
kg_ask_function_nearest(const char *name)
{
	const char **names = palloc(kg_ask_nfunctions * sizeof(char *));
	int n = 0;

	for (int i = 0; i < kg_ask_nfunctions; i++)
		if (kg_ask_functions[i].callable)
			names[n++] = pnstrdup(kg_ask_functions[i].signature,
								  strcspn(kg_ask_functions[i].signature, "("));
	return kg_nearest(name, names, n);
}
