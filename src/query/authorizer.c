/*
 * authorizer.c
 *	  The function of a tenant that decides who may see an entity of a type
 *	  with x-authorize.
 *
 * What it is called with and what it answers is looked at again each time: it
 * may have been replaced.  Names in it are found in pg_catalog only, unless it
 * says otherwise itself, because the caller could put its own in their place.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "auth/identity.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "query/authorizer.h"
#include "query/running.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

typedef struct Registered
{
	KgCacheEntry entry; /* its hash is the tenant's */
	char *tenant;
	char *function; /* or NULL */
} Registered;

static const int most = 16;
static KgCache registered = {"authorizer", &most, KG_STALE_BY_CATALOG};

static bool
is_of_tenant(const void *entry, const void *tenant)
{
	return strcmp(((const Registered *) entry)->tenant, tenant) == 0;
}

static Registered *
load_registered(const char *tenant, uint64 hash)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(tenant)};
	Registered *fresh;
	KgUserContext user;
	MemoryContext old;

	kg_become_owner(&user);
	kg_spi_begin_load();
	kg_spi_run(&saved,
			   "SELECT authorizer FROM @kg_tenant WHERE tenant = $1 "
			   "AND authorizer IS NOT NULL",
			   1,
			   argtypes,
			   values,
			   NULL,
			   true,
			   SPI_OK_SELECT);
	fresh = kg_cache_make(&registered, sizeof(*fresh));
	old = MemoryContextSwitchTo(fresh->entry.context);
	fresh->tenant = pstrdup(tenant);
	if (SPI_processed > 0)
		fresh->function = kg_spi_cstring(0, 1);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&registered, fresh, hash);
	kg_spi_end_load();
	kg_restore_user(&user);
	return fresh;
}

const char *
kg_authorizer_of(const char *tenant)
{
	uint64 hash = hash_bytes_extended(
		(const unsigned char *) tenant, strlen(tenant), 0);
	Registered *it = kg_cache_find(&registered, hash, is_of_tenant, tenant);

	if (it == NULL)
		it = load_registered(tenant, hash);
	kg_cache_pin(it, CurrentMemoryContext);
	return it->function;
}

static bool
has_signature(HeapTuple tuple)
{
	static const Oid types[] = {
		TEXTOID, TEXTOID, TEXTARRAYOID, TEXTOID, BOOLOID};
	static const char modes[] = {'i', 'i', 'i', 't', 't'};
	const FormData_pg_proc *proc = (Form_pg_proc) GETSTRUCT(tuple);
	Oid *given;
	char **names;
	char *given_modes;
	int n = get_func_arg_info(tuple, &given, &names, &given_modes);

	if (proc->prokind != PROKIND_FUNCTION || !proc->proretset ||
		n != lengthof(types) || names == NULL || given_modes == NULL)
		return false;
	for (int i = 0; i < n; i++)
		if (given[i] != types[i] || given_modes[i] != modes[i])
			return false;
	return strcmp(names[3], "id") == 0 && strcmp(names[4], "allowed") == 0;
}

const char *
kg_authorizer_fault(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	const FormData_pg_proc *proc;
	const char *fault = NULL;

	if (!HeapTupleIsValid(tuple))
		return "does not exist";
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (!has_signature(tuple))
		fault = "has another signature than an authorizer";
	else if (proc->provolatile == PROVOLATILE_VOLATILE)
		fault = "is VOLATILE";
	ReleaseSysCache(tuple);
	return fault;
}

char *
kg_authorizer_check(Oid function)
{
	const char *fault = kg_authorizer_fault(function);
	KgError *err;

	if (fault == NULL)
		return format_procedure_qualified(function);
	err = kg_error_new(
		KG_INVALID_INPUT, "the function to be an authorizer %s", fault);
	kg_error_expected(err,
					  "a STABLE function (resource_type text, ability text, "
					  "ids text[]) RETURNS TABLE (id text, allowed boolean)");
	kg_error_throw(err);
}

/* A question, and its answer as it comes. */
typedef struct Asking
{
	const char *tenant;
	const char *function;
	const char *resource_type;
	const char *ability;
	char *const *ids;
	int n;
	bool *allowed;
	/* of the present piece */
	const char **sorted;
	bool *told;
	bool *refused;
} Asking;

static int
compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* The plan is kept for the function asked last. */
static SPIPlanPtr
plan_of(const char *function, Oid oid)
{
	static SPIPlanPtr plan = NULL;
	static char *planned = NULL;
	static Oid argtypes[] = {TEXTOID, TEXTOID, TEXTARRAYOID};
	SPIPlanPtr fresh;
	char *sql;

	if (planned != NULL && strcmp(planned, function) == 0 &&
		SPI_plan_is_valid(plan))
		return plan;
	sql = psprintf(
		"SELECT a.id, a.allowed FROM %s($1, $2, $3) a",
		quote_qualified_identifier(get_namespace_name(get_func_namespace(oid)),
								   get_func_name(oid)));
	fresh = SPI_prepare(sql, lengthof(argtypes), argtypes);
	if (fresh == NULL || SPI_keepplan(fresh) != 0)
		elog(ERROR, "could not prepare the authorizer");
	if (plan != NULL)
		SPI_freeplan(plan);
	if (planned != NULL)
		pfree(planned);
	plan = fresh;
	planned = NULL;
	planned = MemoryContextStrdup(TopMemoryContext, function);
	return plan;
}

/* Also by plain SQL, where no call of a tool has a clock. */
static void
check(void)
{
	CHECK_FOR_INTERRUPTS();
	if (kg_running_call() != NULL)
		kg_running_check();
}

/* Of contradicting answers the stricter counts. */
static void
take_answer(Asking *asking, int n)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		char *id = kg_spi_cstring(i, 1);
		const char **found;
		bool isnull;
		Datum allowed = kg_spi_value(i, 2, &isnull);

		if ((i & 1023) == 1023)
			check();
		if (id == NULL)
			continue;
		found = bsearch(
			&id, asking->sorted, n, sizeof(const char *), compare_ids);
		if (found != NULL)
		{
			int place = found - asking->sorted;

			asking->told[place] = true;
			if (isnull || !DatumGetBool(allowed))
				asking->refused[place] = true;
		}
		pfree(id);
	}
}

static void
ask_piece(Asking *asking, SPIPlanPtr plan, int start, int n)
{
	Datum *ids = palloc(n * sizeof(Datum));
	Datum values[3] = {CStringGetTextDatum(asking->resource_type),
					   CStringGetTextDatum(asking->ability)};

	for (int i = 0; i < n; i++)
	{
		asking->sorted[i] = asking->ids[start + i];
		asking->told[i] = false;
		asking->refused[i] = false;
	}
	qsort(asking->sorted, n, sizeof(const char *), compare_ids);
	for (int i = 0; i < n; i++)
		ids[i] = CStringGetTextDatum(asking->sorted[i]);
	values[2] = PointerGetDatum(
		construct_array(ids, n, TEXTOID, -1, false, TYPALIGN_INT));
	if (SPI_execute_plan(plan, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "the authorizer is not a query");
	take_answer(asking, n);
	SPI_freetuptable(SPI_tuptable);
	for (int i = 0; i < n; i++)
	{
		const char *id = asking->ids[start + i];
		const char **found = bsearch(
			&id, asking->sorted, n, sizeof(const char *), compare_ids);
		int place = found - asking->sorted;

		asking->allowed[start + i] = asking->told[place] &&
									 !asking->refused[place];
	}
}

static void
ask(void *arg)
{
	Asking *asking = arg;
	int batch = kg_setting_authorizer_batch;
	int nest = kg_spi_pin_path();
	Oid oid = DatumGetObjectId(
		DirectFunctionCall1(regprocedurein, CStringGetDatum(asking->function)));
	SPIPlanPtr plan;

	(void) kg_authorizer_check(oid);
	asking->sorted = palloc(batch * sizeof(const char *));
	asking->told = palloc(batch * sizeof(bool));
	asking->refused = palloc(batch * sizeof(bool));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = plan_of(asking->function, oid);
	for (int start = 0; start < asking->n; start += batch)
	{
		check();
		ask_piece(asking, plan, start, Min(batch, asking->n - start));
	}
	SPI_finish();
	kg_spi_unpin_path(nest);
}

/* Is it about the call, not about the function? */
static bool
is_of_call(const ErrorData *edata)
{
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'): /* retry it */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'): /* out of memory */
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'): /* cancel, shutdown */
			return true;
		default:
			return false;
	}
}

/* Its text is the log's: it may tell of what the caller does not see. */
static KG_NORETURN void
throw_unavailable(const Asking *asking, const ErrorData *edata)
{
	KgError *err = kg_error_new(KG_FORBIDDEN, "authorization is unavailable");

	ereport(LOG_SERVER_ONLY,
			(errmsg("authorizer %s of tenant \"%s\" failed: %s",
					asking->function,
					asking->tenant,
					edata->message),
			 edata->detail ? errdetail_internal("%s", edata->detail) : 0,
			 edata->context ? errcontext("%s", edata->context) : 0));
	kg_error_expected(err,
					  "the same call when the authorizer of the tenant works; "
					  "the server log has what is wrong");
	kg_error_throw(err);
}

void
kg_authorizer_ask(const char *tenant, const char *function,
				  const char *resource_type, const char *ability,
				  char *const *ids, int n, bool *allowed)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(
		caller, "kg_graph authorizer", ALLOCSET_DEFAULT_SIZES);
	Asking asking = {tenant, function, resource_type, ability, ids, n, allowed};

	memset(allowed, 0, n * sizeof(bool));
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		kg_identity_while_asking(tenant, ask, &asking);
	}
	PG_CATCH();
	{
		ErrorData *edata;

		MemoryContextSwitchTo(caller);
		edata = CopyErrorData();
		if (is_of_call(edata))
			PG_RE_THROW();
		FlushErrorState();
		throw_unavailable(&asking, edata);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
