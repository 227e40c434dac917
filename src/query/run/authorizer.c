/*
 * authorizer.c
 *	  The authorizer of a tenant: a function that decides which entities
 *	  of a type with x-authorize a caller may see.
 *
 * The arguments and the result type of the function are checked once for each
 * role. They are checked again after a change of a function, a schema, a role
 * or the catalog, because the function may have been replaced. Names in the
 * function are resolved in pg_catalog only, unless it sets another search_path,
 * because the caller could otherwise substitute its own objects.
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
#include "query/run/authorizer.h"
#include "query/run/held.h"
#include "tcop/dest.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/regproc.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

typedef struct Registered
{
	/* cache entry; its hash is the hash of the tenant's name */
	KgCacheEntry entry;
	char *tenant;
	char *function; /* the tenant's authorizer, or NULL */
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
	Registered *fresh;
	KgUserContext user;
	MemoryContext old;

	kg_become_owner(&user);
	kg_spi_begin_load();
	KG_SPI_READ("SELECT authorizer FROM @kg_tenant WHERE tenant = $1 "
				"AND authorizer IS NOT NULL",
				kg_arg_text(tenant));
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

	if (fault == NULL)
		return format_procedure_qualified(function);
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("the function for the authorizer %s", fault),
		.expected = "a STABLE function (resource_type text, ability text, ids "
					"text[]) RETURNS TABLE (id text, allowed boolean)");
}

/* ---- the prepared function ---- */

typedef struct Callable
{
	/* cache entry; its hash is the hash of the function's name */
	KgCacheEntry entry;
	Oid role;
	char *name;
	char *sql;
	SPIPlanPtr plan;
	MemoryContextCallback gone;
} Callable;

/* The argument types of the function. */
static const Oid question_types[] = {TEXTOID, TEXTOID, TEXTARRAYOID};

static KgCache callables = {
	"authorizer function", &most, KG_STALE_BY_FUNCTIONS};

static bool
is_callable(const void *entry, const void *name)
{
	const Callable *it = entry;

	return it->role == GetUserId() && strcmp(it->name, name) == 0;
}

static void
free_callable(void *arg)
{
	Callable *gone = arg;

	if (gone->plan != NULL)
		SPI_freeplan(gone->plan);
}

static char *
sql_of(Oid function)
{
	return psprintf("SELECT a.id, a.allowed FROM %s($1, $2, $3) a",
					quote_qualified_identifier(
						get_namespace_name(get_func_namespace(function)),
						get_func_name(function)));
}

/*
 * Prepares a generic plan for all calls, because planning a call would cost
 * more than running it. If the function is inlined, the privilege on it is
 * checked for the role that plans. So each role has a plan of its own.
 */
static SPIPlanPtr
prepare(const char *sql)
{
	SPIPlanPtr plan = SPI_prepare_cursor(sql,
										 lengthof(question_types),
										 (Oid *) question_types,
										 CURSOR_OPT_GENERIC_PLAN);

	if (plan == NULL)
		elog(ERROR, "could not prepare the authorizer");
	return plan;
}

/*
 * Builds the plan with index scans if there are indexes.
 *
 * For a small table the planner would choose a sequential scan, which would
 * remain in use after the table has grown. Without indexes the cost of the
 * disabled scan exceeds any jit_above_cost. JIT is off, because compiling the
 * plan would take a thousand times as long as running it.
 */
static void
build_plan(SPIPlanPtr plan)
{
	static const char *const off[] = {"enable_seqscan", "jit"};
	int nest = NewGUCNestLevel();

	for (int i = 0; i < lengthof(off); i++)
		(void) set_config_option(off[i],
								 "off",
								 PGC_USERSET,
								 PGC_S_SESSION,
								 GUC_ACTION_SAVE,
								 true,
								 0,
								 false);
	ReleaseCachedPlan(SPI_plan_get_cached_plan(plan), CurrentResourceOwner);
	AtEOXact_GUC(true, nest);
}

static Callable *
make_callable(const char *name, uint64 hash)
{
	Oid function = DatumGetObjectId(
		DirectFunctionCall1(regprocedurein, CStringGetDatum(name)));
	Callable *made;

	(void) kg_authorizer_check(function);
	if (kg_function_aclcheck(function, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, name);
	made = kg_cache_make(&callables, sizeof(*made));
	made->role = GetUserId();
	made->name = MemoryContextStrdup(made->entry.context, name);
	made->gone.func = free_callable;
	made->gone.arg = made;
	MemoryContextRegisterResetCallback(made->entry.context, &made->gone);
	made->sql = MemoryContextStrdup(made->entry.context, sql_of(function));
	made->plan = prepare(made->sql);
	if (SPI_keepplan(made->plan) != 0)
		elog(ERROR, "could not keep the authorizer");
	kg_cache_keep(&callables, made, hash);
	return made;
}

static Callable *
find_callable(const char *name, uint64 hash)
{
	Callable *it = kg_cache_find(&callables, hash, is_callable, name);

	if (it != NULL)
		kg_cache_pin(it, CurrentMemoryContext);
	return it;
}

/*
 * Returns the function with a valid plan. It is pinned in the current memory
 * context, which must be the memory context of an SPI connection.
 */
static Callable *
require_callable(const char *name, uint64 hash)
{
	Callable *it = find_callable(name, hash);
	bool made = it == NULL;

	if (made)
	{
		it = make_callable(name, hash);
		kg_cache_pin(it, CurrentMemoryContext);
	}
	if (made || !SPI_plan_is_valid(it->plan))
		build_plan(it->plan);
	return it;
}

/* ---- calls of the function ---- */

/* A request to the authorizer for decisions about ids, and its result. */
typedef struct Asking
{
	const char *tenant;
	const char *function;
	uint64 hash; /* hash of the function's name */
	const char *resource_type;
	const char *ability;
	const char *const *ids;
	int n;
	bool *allowed;
	/* The batch of ids that is being decided. */
	const char *const *piece;
	int npiece;
	bool *told;
	bool *allows;
	/* index of the id that is expected in the next answer */
	int next;
	uint64 answers;
} Asking;

static int
compare_id(const text *id, const char *asked)
{
	int len = VARSIZE_ANY_EXHDR(id);
	int order = strncmp(VARDATA_ANY(id), asked, len);

	/* Compares like strcmp(): a longer id sorts after its prefix. */
	return order != 0 ? order : asked[len] == '\0' ? 0 : -1;
}

/* Returns the index of an id in the batch, or -1. */
static int
find_id(Asking *asking, const text *id)
{
	int low = 0;
	int high = asking->npiece;

	if (asking->next < high && compare_id(id, asking->piece[asking->next]) == 0)
		return asking->next;
	while (low < high)
	{
		int middle = (low + high) / 2;
		int order = compare_id(id, asking->piece[middle]);

		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

/*
 * Stores a decision. If there are contradicting decisions about an id, the
 * denial applies.
 */
static bool
take_answer(TupleTableSlot *slot, void *arg)
{
	Asking *asking = arg;
	bool allowed;
	text *id;
	int place;

	if ((++asking->answers & 1023) == 0)
		CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	if (slot->tts_isnull[0])
		return true;
	id = DatumGetTextPP(slot->tts_values[0]);
	place = find_id(asking, id);
	if (place < 0)
		return true;
	allowed = !slot->tts_isnull[1] && DatumGetBool(slot->tts_values[1]);
	if (asking->told[place])
		allowed &= asking->allows[place];
	asking->told[place] = true;
	asking->allows[place] = allowed;
	asking->next = place + 1;
	return true;
}

typedef struct AnswerReceiver
{
	DestReceiver pub;
	Asking *asking;
} AnswerReceiver;

static bool
receive_answer(TupleTableSlot *slot, DestReceiver *self)
{
	return take_answer(slot, ((AnswerReceiver *) self)->asking);
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
receiver_end(DestReceiver *self)
{
}

static void
execute(Asking *asking, const KgStatement *statement, SPIPlanPtr plan)
{
	/* With DestNone, SPI would return SPI_OK_UTILITY for a SELECT. */
	AnswerReceiver receiver = {{receive_answer,
								receiver_startup,
								receiver_end,
								receiver_end,
								DestTuplestore},
							   asking};
	SPIExecuteOptions options = {.read_only = true, .dest = &receiver.pub};
	ParamListInfo params = makeParamList(statement->nargs);

	for (int i = 0; i < statement->nargs; i++)
		params->params[i] = (ParamExternData){statement->values[i],
											  false,
											  PARAM_FLAG_CONST,
											  statement->argtypes[i]};
	options.params = params;
	if (SPI_execute_plan_extended(plan, &options) != SPI_OK_SELECT)
		elog(ERROR, "the authorizer is not a query");
}

/*
 * Calls the function through SPI.
 *
 * If the function is inlined to an index scan, its executor stays open until
 * the caller's statement ends (query/run/held.h). Starting an executor costs
 * more than deciding a few ids.
 */
static void
ask_plan(Asking *asking, KgStatement *statement)
{
	MemoryContext caller = CurrentMemoryContext;
	Callable *callable;
	uint64 nrows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	callable = require_callable(asking->function, asking->hash);
	statement->sql = callable->sql;
	if (kg_held_start(statement, callable->plan, callable->sql))
	{
		MemoryContext connected = MemoryContextSwitchTo(caller);

		(void) kg_held_run(statement, take_answer, asking, &nrows);
		MemoryContextSwitchTo(connected);
	}
	else
		execute(asking, statement, callable->plan);
	SPI_finish();
}

static void
ask_piece(Asking *asking, int start, int n)
{
	const Callable *callable = find_callable(asking->function, asking->hash);
	Datum values[] = {CStringGetTextDatum(asking->resource_type),
					  CStringGetTextDatum(asking->ability),
					  kg_text_array(asking->ids + start, n)};
	KgStatement statement = {.nargs = lengthof(values),
							 .argtypes = question_types,
							 .values = values,
							 .hold = true,
							 .plain = true};
	uint64 nrows;

	asking->piece = asking->ids + start;
	asking->npiece = n;
	asking->allows = asking->allowed + start;
	asking->next = 0;
	memset(asking->told, 0, n * sizeof(bool));
	if (callable != NULL)
	{
		statement.sql = callable->sql;
		if (kg_held_run(&statement, take_answer, asking, &nrows))
			return;
	}
	ask_plan(asking, &statement);
}

static void
ask(void *arg)
{
	Asking *asking = arg;
	int batch = Min(kg_setting_authorizer_batch, asking->n);
	int nest = kg_spi_pin_path();

	asking->told = palloc(batch * sizeof(bool));
	asking->hash = hash_bytes_extended(
		(const unsigned char *) asking->function, strlen(asking->function), 0);
	for (int start = 0; start < asking->n; start += batch)
	{
		CHECK_FOR_INTERRUPTS();
		ask_piece(asking, start, Min(batch, asking->n - start));
	}
	kg_spi_unpin_path(nest);
}

/*
 * Returns whether the error concerns the call and not the function: a conflict
 * of transactions, a lack of resources, a cancel or a shutdown.
 */
static bool
is_of_call(const ErrorData *edata)
{
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		/* serialization failure, deadlock */
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'):
		/* insufficient resources */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'):
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'): /* cancel, shutdown */
			return true;
		default:
			return false;
	}
}

/*
 * Raises KG_FORBIDDEN. The text of the error goes only to the log, because it
 * may reveal data that the caller may not see.
 */
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
	kg_error_throw_expected(err,
							"the same call after the tenant's authorizer is "
							"repaired; the server log has its error");
}

void
kg_authorizer_ask(const char *tenant, const char *function,
				  const char *resource_type, const char *ability,
				  const char *const *ids, int n, bool *allowed)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(
		caller, "kg_graph authorizer", ALLOCSET_DEFAULT_SIZES);
	Asking asking = {.tenant = tenant,
					 .function = function,
					 .resource_type = resource_type,
					 .ability = ability,
					 .ids = ids,
					 .n = n,
					 .allowed = allowed};

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
