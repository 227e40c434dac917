/*
 * audit.c
 *	  Who called what, and what became of it: kg_graph.audit.
 *
 * A record is one JSON object.  Where the call ends well and the transaction may
 * write, it can become a row of kg_audit, in that transaction; whatever has to
 * outlive a rollback, or cannot be written, is a line of the server's log.  A
 * call whose row cannot be written fails.
 */
#include "postgres.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "auth/audit.h"
#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

KgAudited *kg_audited = NULL;

void
kg_audit_query_call(const Jsonb *query)
{
	Jsonb *copy = MemoryContextAlloc(kg_audited->context, VARSIZE(query));

	memcpy(copy, query, VARSIZE(query));
	kg_audited->query = copy;
}

void
kg_audit_statement_call(const char *sql)
{
	MemoryContext old = MemoryContextSwitchTo(kg_audited->context);
	ListCell *lc;

	foreach(lc, kg_audited->statements)
		if (strcmp(lfirst(lc), sql) == 0)
			break;
	if (lc == NULL)
		kg_audited->statements = lappend(kg_audited->statements, pstrdup(sql));
	MemoryContextSwitchTo(old);
}

/* How many things a reply tells of. */
static int64
count_rows(const Jsonb *reply)
{
	static const char *const lists[] = {
		"items", "ids", "entities", "nodes", "paths", "rows", "results"};
	JsonbValue value;
	int64 n;

	if (!JB_ROOT_IS_OBJECT(reply))
		return JB_ROOT_IS_ARRAY(reply) && !JB_ROOT_IS_SCALAR(reply)
				   ? JB_ROOT_COUNT(reply)
				   : 1;
	if (kg_json_get(&reply->root, "returned", &value) &&
		kg_json_int64(&value, &n))
		return n;
	for (int i = 0; i < lengthof(lists); i++)
		if (kg_json_get(&reply->root, lists[i], &value) &&
			kg_json_is_array(&value))
			return kg_json_length(kg_json_container(&value));
	return 1;
}

void
kg_audit_reply_call(KgAudited *call, const Jsonb *reply)
{
	call->replied = true;
	call->bytes = VARSIZE(reply) - VARHDRSZ;
	call->rows = count_rows(reply);
}

/* What a function returns, where nobody said more about it. */
static void
read_result(KgAudited *call, FunctionCallInfo fcinfo, Datum result)
{
	if (call->replied || call->code || fcinfo->isnull)
		return;
	switch ((int) get_func_rettype(fcinfo->flinfo->fn_oid))
	{
		case JSONBOID:
			kg_audit_reply_call(call, DatumGetJsonbP(result));
			break;
		case INT8OID:
			call->rows = DatumGetInt64(result);
			break;
		default:
			break;
	}
}

/*
 * Arguments.
 */

typedef struct Arguments
{
	int n;
	char **names;
	Oid *types;
} Arguments;

static void
read_signature(FunctionCallInfo fcinfo, Arguments *arguments)
{
	HeapTuple tuple = SearchSysCache1(PROCOID,
									  ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	char *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function");
	arguments->n = get_func_arg_info(
		tuple, &arguments->types, &arguments->names, &modes);
	arguments->n = Min(arguments->n, fcinfo->nargs);
	ReleaseSysCache(tuple);
}

static void
append_array(StringInfo record, Datum array)
{
	Datum *values;
	bool *nulls;
	int n;

	deconstruct_array(DatumGetArrayTypeP(array),
					  TEXTOID,
					  -1,
					  false,
					  TYPALIGN_INT,
					  &values,
					  &nulls,
					  &n);
	appendStringInfoChar(record, '[');
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(record, ", ");
		if (nulls[i])
			appendStringInfoString(record, "null");
		else
			escape_json(record, TextDatumGetCString(values[i]));
	}
	appendStringInfoChar(record, ']');
}

static void
append_argument(StringInfo record, Oid type, Datum value)
{
	Oid output;
	bool varlena;

	switch ((int) type)
	{
		case JSONBOID:
		{
			Jsonb *jsonb = DatumGetJsonbP(value);

			(void) JsonbToCString(record, &jsonb->root, VARSIZE(jsonb));
			break;
		}
		case TEXTARRAYOID:
			append_array(record, value);
			break;
		default:
			getTypeOutputInfo(type, &output, &varlena);
			escape_json(record, OidOutputFunctionCall(output, value));
	}
}

static void
append_arguments_of_function(StringInfo record, FunctionCallInfo fcinfo)
{
	Arguments arguments;

	read_signature(fcinfo, &arguments);
	appendStringInfoChar(record, '{');
	for (int i = 0; i < arguments.n; i++)
	{
		if (i > 0)
			appendStringInfoString(record, ", ");
		escape_json(record, arguments.names ? arguments.names[i] : "");
		appendStringInfoString(record, ": ");
		if (PG_ARGISNULL(i))
			appendStringInfoString(record, "null");
		else
			append_argument(record, arguments.types[i], PG_GETARG_DATUM(i));
	}
	appendStringInfoChar(record, '}');
}

/* Without names, which take longer to read. */
static Oid *
argument_types(FunctionCallInfo fcinfo, int *n)
{
	Oid *types;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, n);
	*n = Min(*n, fcinfo->nargs);
	return types;
}

/* What is hashed of an argument; NULL is told from what is empty. */
static const void *
bytes_of(Oid type, Datum *value, int64 *len)
{
	int16 typlen;
	bool byval;

	get_typlenbyval(type, &typlen, &byval);
	if (typlen == -1)
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(*value);

		*len = VARSIZE_ANY_EXHDR(bytes);
		return VARDATA_ANY(bytes);
	}
	*len = byval ? sizeof(Datum) : typlen;
	return byval ? (void *) value : DatumGetPointer(*value);
}

/*
 * SHA-256 by OpenSSL itself: to look for the digest by its name, as the server's
 * functions do, takes longer than to make it.
 */
static EVP_MD_CTX *
begin_hash(void)
{
	static EVP_MD *sha256 = NULL;
	static EVP_MD_CTX *hash = NULL;

	if (sha256 == NULL)
		sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (hash == NULL)
		hash = EVP_MD_CTX_new();
	if (sha256 == NULL || hash == NULL ||
		!EVP_DigestInit_ex2(hash, sha256, NULL))
		elog(ERROR, "could not compute a hash");
	return hash;
}

/* How large the arguments are, in their binary form, and their hash. */
static int64
hash_arguments(FunctionCallInfo fcinfo, const Jsonb *named, uint8 *digest)
{
	EVP_MD_CTX *hash = begin_hash();
	int n = 1;
	Oid *types = named ? NULL : argument_types(fcinfo, &n);
	int64 size = 0;
	bool ok = true;

	for (int i = 0; ok && i < n; i++)
	{
		Datum value = named ? JsonbPGetDatum(named) : fcinfo->args[i].value;
		int64 len = -1;
		const void *bytes = NULL;

		if (named || !fcinfo->args[i].isnull)
			bytes = bytes_of(named ? JSONBOID : types[i], &value, &len);
		ok = EVP_DigestUpdate(hash, &len, sizeof(len)) &&
			 (len <= 0 || EVP_DigestUpdate(hash, bytes, len));
		size += Max(len, 0);
	}
	if (!ok || !EVP_DigestFinal_ex(hash, digest, NULL))
		elog(ERROR, "could not compute a hash");
	return size;
}

/*
 * The member of the record; NULL: none.  The hash also stands for arguments that
 * are too large to be kept.
 */
static char *
text_of_arguments(FunctionCallInfo fcinfo, const Jsonb *named)
{
	uint8 digest[SHA256_DIGEST_LENGTH];
	StringInfoData text;
	int64 size;

	if (kg_setting_audit_arguments == KG_AUDIT_NO_ARGUMENTS)
		return NULL;
	initStringInfo(&text);
	size = hash_arguments(fcinfo, named, digest);
	if (kg_setting_audit_arguments == KG_AUDIT_HASH ||
		size > kg_setting_max_argument_bytes)
	{
		appendStringInfoString(&text, ", \"arguments_hash\": \"");
		enlargeStringInfo(&text, 2 * sizeof(digest) + 1);
		text.len += hex_encode(
			(char *) digest, sizeof(digest), text.data + text.len);
		appendStringInfoChar(&text, '"');
		return text.data;
	}
	appendStringInfoString(&text, ", \"arguments\": ");
	if (named == NULL)
		append_arguments_of_function(&text, fcinfo);
	else
		append_argument(&text, JSONBOID, JsonbPGetDatum(named));
	return text.data;
}

/* Bytes of a tool's or method's name that a record has. */
#define KG_MAX_AUDITED_NAME 128

void
kg_audit_name_call(const char *tool, const Jsonb *arguments)
{
	MemoryContext old = MemoryContextSwitchTo(kg_audited->context);

	/* A caller makes up names as it likes. */
	kg_audited->tool = pnstrdup(
		tool, pg_mbcliplen(tool, strlen(tool), KG_MAX_AUDITED_NAME));
	kg_audited->arguments = arguments ? text_of_arguments(NULL, arguments)
									  : NULL;
	MemoryContextSwitchTo(old);
}

void
kg_audit_version_call(const char *version, const char *operation)
{
	MemoryContext context = kg_audited->context;

	kg_audited->tool_version = MemoryContextStrdup(context, version);
	if (operation)
		kg_audited->operation = MemoryContextStrdup(context, operation);
}

/*
 * The record.
 */

static void
append_string(StringInfo record, const char *name, const char *value)
{
	if (value == NULL)
		return;
	appendStringInfoString(record, ", \"");
	appendStringInfoString(record, name);
	appendStringInfoString(record, "\": ");
	escape_json(record, value);
}

/* Not by a format: a record is made for each call of some microseconds. */
static void
append_number(StringInfo record, const char *name, int64 value)
{
	appendStringInfoString(record, ", \"");
	appendStringInfoString(record, name);
	appendStringInfoString(record, "\": ");
	enlargeStringInfo(record, MAXINT8LEN + 1);
	record->len += pg_lltoa(value, record->data + record->len);
}

/* Milliseconds, with three digits. */
static void
append_time(StringInfo record, int64 us)
{
	append_number(record, "ms", us / 1000);
	appendStringInfoChar(record, '.');
	enlargeStringInfo(record, 4);
	(void) pg_ultostr_zeropad(record->data + record->len, us % 1000, 3);
	record->len += 3;
	record->data[record->len] = '\0';
}

/* As %c of log_line_prefix has it. */
static const char *
session(void)
{
	static char text[40];

	if (text[0] == '\0')
		snprintf(text, sizeof(text), "%lx.%x", (long) MyStartTime, MyProcPid);
	return text;
}

static void
append_statements(StringInfo record, const List *statements)
{
	ListCell *lc;

	if (statements == NIL)
		return;
	appendStringInfoString(record, ", \"sql\": [");
	foreach(lc, statements)
	{
		if (lc != list_head(statements))
			appendStringInfoString(record, ", ");
		escape_json(record, lfirst(lc));
	}
	appendStringInfoChar(record, ']');
}

/* Reads no catalog: the transaction may have failed. */
static char *
make_record(const KgAudited *call)
{
	const KgTokenIdentity *token = kg_token_identity();
	instr_time took;
	StringInfoData record;

	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, call->start);
	initStringInfo(&record);
	appendStringInfoString(&record, "{\"at\": \"");
	appendStringInfoString(&record, kg_time_text(call->at));
	appendStringInfoChar(&record, '"');
	append_string(&record, "tenant", token ? token->tenant : call->tenant);
	append_string(&record, "role", call->role);
	append_string(&record, "subject", kg_token_subject());
	append_string(&record, "agent", token ? token->agent : call->agent);
	append_string(&record, "session", session());
	append_string(&record, "tool", call->tool);
	append_string(&record, "tool_version", call->tool_version);
	append_string(&record, "operation", call->operation);
	append_string(&record, "version", KG_VERSION);
	if (call->arguments)
		appendStringInfoString(&record, call->arguments);
	append_number(&record, "rows", call->code ? 0 : call->rows);
	append_number(&record, "bytes", call->bytes);
	append_number(&record, "edges", call->edges);
	append_number(&record, "decisions", call->decisions);
	append_time(&record, INSTR_TIME_GET_MICROSEC(took));
	append_string(&record, "code", call->code);
	if (call->query)
	{
		appendStringInfoString(&record, ", \"query\": ");
		append_argument(&record, JSONBOID, JsonbPGetDatum(call->query));
	}
	append_statements(&record, call->statements);
	appendStringInfoChar(&record, '}');
	return record.data;
}

/* Whoever called adds nothing: PL/pgSQL would have its place translated. */
static void
write_to_log(const char *record)
{
	ErrorContextCallback *callers = error_context_stack;

	error_context_stack = NULL;
	ereport(LOG_SERVER_ONLY,
			(errmsg_internal("kg_graph audit: %s", record),
			 errhidestmt(true),
			 errhidecontext(true)));
	error_context_stack = callers;
}

/*
 * A row, as the owner.  False where it cannot be written now: whoever has locked
 * the table makes nobody wait.
 */
static bool
write_to_table(const char *record)
{
	static KgSaved saved;
	KgArg parsed;
	KgUserContext user;

	if (XactReadOnly || RecoveryInProgress() || IsInParallelMode() ||
		!ConditionalLockRelationOid(kg_relation_oid("kg_audit"),
									RowExclusiveLock))
		return false;
	parsed = kg_arg_jsonb(kg_json_parse(record));
	kg_become_owner(&user);
	SPI_connect();
	kg_spi_exec(&saved,
				"INSERT INTO @kg_audit(at, tenant, role, subject, agent, "
				"session, tool, version, arguments, arguments_hash, rows, "
				"bytes, edges, decisions, ms, code, query, sql) "
				"SELECT at, coalesce(tenant, ''), role, subject, agent, "
				"session, tool, version, arguments, arguments_hash, rows, "
				"bytes, edges, decisions, ms, code, query, sql "
				"FROM jsonb_to_record($1) AS r(at timestamptz, tenant text, "
				"role text, subject text, agent text, session text, tool text, "
				"version text, arguments jsonb, arguments_hash text, "
				"rows bigint, bytes bigint, edges bigint, decisions bigint, "
				"ms double precision, code text, query jsonb, sql jsonb)",
				parsed);
	SPI_finish();
	kg_restore_user(&user);
	return true;
}

static void
add_record(KgAudited *call, const KgAudited *part)
{
	MemoryContext old;

	if (kg_setting_audit == KG_AUDIT_ERRORS && part->code == NULL)
		return;
	if (kg_setting_audit == KG_AUDIT_WRITES_TOO && part->code == NULL &&
		!part->writes)
		return;
	old = MemoryContextSwitchTo(call->context);
	call->records = lappend(call->records, make_record(part));
	MemoryContextSwitchTo(old);
}

static void
write_records(const KgAudited *call, bool failed)
{
	ListCell *lc;

	foreach(lc, call->records)
		if (failed || kg_setting_audit_to == KG_AUDIT_LOG ||
			!write_to_table(lfirst(lc)))
			write_to_log(lfirst(lc));
}

/*
 * The call.
 */

static void
begin(KgAudited *call, FunctionCallInfo fcinfo, int kind)
{
	const char *tenant;
	const char *agent;

	memset(call, 0, sizeof(*call));
	call->writes = (kind & KG_AUDIT_WRITES) != 0;
	call->context = CurrentMemoryContext;
	call->at = GetCurrentTimestamp();
	INSTR_TIME_SET_CURRENT(call->start);
	kg_audited = call;
	call->tool = get_func_name(fcinfo->flinfo->fn_oid);
	call->role = GetUserNameFromId(GetUserId(), true);
	if (!(kind & KG_AUDIT_SECRET))
		call->arguments = text_of_arguments(fcinfo, NULL);
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	call->tenant = tenant ? pstrdup(tenant) : NULL;
	agent = kg_identity_agent();
	call->agent = agent ? pstrdup(agent) : NULL;
}

const char *
kg_audit_code(const ErrorData *edata)
{
	int code = (int) kg_error_caught_code(edata);

	return code < 0 ? "INTERNAL" : kg_error_code_name(code);
}

/* A call within a call, which a policy may make, is no record of its own. */
static Datum
run_within(FunctionCallInfo fcinfo, KgAuditBody body, void *arg)
{
	KgAudited *outer = kg_audited;
	volatile Datum result = (Datum) 0;

	kg_audited = NULL;
	PG_TRY();
	{
		result = body(fcinfo, arg);
	}
	PG_FINALLY();
	{
		kg_audited = outer;
	}
	PG_END_TRY();
	return result;
}

Datum
kg_audit_run(FunctionCallInfo fcinfo, int kind, KgAuditBody body, void *arg)
{
	KgAudited call;
	MemoryContext context = CurrentMemoryContext;
	volatile Datum result = (Datum) 0;

	if (kg_audited != NULL)
		return run_within(fcinfo, body, arg);
	PG_TRY();
	{
		begin(&call, fcinfo, kind);
		result = body(fcinfo, arg);
		kg_audited = NULL;
		read_result(&call, fcinfo, result);
		if (!call.is_batch)
			add_record(&call, &call);
		write_records(&call, false);
	}
	PG_CATCH();
	{
		ErrorData *edata;

		kg_audited = NULL;
		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		FlushErrorState();
		call.code = kg_audit_code(edata);
		add_record(&call, &call);
		write_records(&call, true);
		ReThrowError(edata);
	}
	PG_END_TRY();
	return result;
}

void
kg_audit_message_begin(KgAudited *message)
{
	KgAudited *outer = kg_audited;

	if (outer == NULL)
		return;
	*message = *outer;
	message->at = GetCurrentTimestamp();
	INSTR_TIME_SET_CURRENT(message->start);
	message->records = NIL;
	message->outer = outer;
	outer->is_batch = true;
	kg_audited = message;
}

void
kg_audit_message_end(KgAudited *message)
{
	if (kg_audited == NULL)
		return;
	kg_audited = message->outer;
	add_record(message->outer, message);
}
