/*
 * audit.c
 *	  Recording of calls and their outcome: kg_graph.audit.
 *
 * A record is one JSON object.  If the call succeeds and the transaction may
 * write, the record can be a row of kg_audit in that transaction.  A record
 * that must survive a rollback, or cannot be written, is a line of the
 * server's log.  A call whose row cannot be written fails.
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
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/invalidate.h"
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

/*
 * Returns the number of rows in a reply: its member "returned", or else the
 * length of its first list of results. Returns 1 for a reply without a list.
 */
static int64
count_rows(const Jsonb *reply)
{
	static const char *const lists[] = {"items",
										"ids",
										"entities",
										"nodes",
										"paths",
										"rows",
										"results",
										"claims",
										"relations",
										"pairs"};
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

static void
note_reply(KgAudited *call, const Jsonb *reply, int64 rows)
{
	call->replied = true;
	call->bytes = VARSIZE(reply) - VARHDRSZ;
	call->rows = rows;
}

void
kg_audit_reply_call(KgAudited *call, const Jsonb *reply)
{
	note_reply(call, reply, count_rows(reply));
}

void
kg_audit_entity_call(const Jsonb *data)
{
	note_reply(kg_audited, data, 1);
}

/* Called functions, cached until a function or schema changes. */

/* The properties of a type that are needed to hash a value. */
typedef struct ArgumentType
{
	Oid type;
	int16 typlen;
	bool byval;
} ArgumentType;

typedef struct Function
{
	KgCacheEntry entry; /* entry of the cache; its hash is the OID */
	char *name;
	Oid result;
	int n;
	ArgumentType *types;
	char **names; /* or NULL */
} Function;

static const int most = 64;
static KgCache functions = {"audited function", &most, KG_STALE_BY_FUNCTIONS};

static void
read_function(Function *function, HeapTuple tuple)
{
	const FormData_pg_proc *proc = (Form_pg_proc) GETSTRUCT(tuple);
	Oid *types;
	char *modes;

	function->name = pstrdup(NameStr(proc->proname));
	function->result = proc->prorettype;
	(void) get_func_arg_info(tuple, &types, &function->names, &modes);
	function->n = proc->pronargs;
	function->types = palloc0(Max(1, function->n) * sizeof(ArgumentType));
	for (int i = 0; i < function->n; i++)
	{
		ArgumentType *type = &function->types[i];

		type->type = types[i];
		get_typlenbyval(type->type, &type->typlen, &type->byval);
	}
}

/*
 * Returns the description of an SQL function: its name and the types of its
 * arguments. The result is valid as long as the current memory context exists.
 */
static const Function *
find_function(Oid oid)
{
	Function *function = kg_cache_find(&functions, oid, NULL, NULL);
	HeapTuple tuple;
	MemoryContext old;

	if (function == NULL)
	{
		tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for function");
		function = kg_cache_make(&functions, sizeof(*function));
		old = MemoryContextSwitchTo(function->entry.context);
		read_function(function, tuple);
		MemoryContextSwitchTo(old);
		ReleaseSysCache(tuple);
		kg_cache_keep(&functions, function, oid);
	}
	kg_cache_pin(function, CurrentMemoryContext);
	return function;
}

/* Records the result of a function, unless the reply was set explicitly. */
static void
read_result(KgAudited *call, FunctionCallInfo fcinfo, Datum result)
{
	if (call->replied || call->code || fcinfo->isnull)
		return;
	switch ((int) find_function(fcinfo->flinfo->fn_oid)->result)
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

/* Appends an argument that is an array to the record. */

static void
append_array(StringInfo record, Datum array)
{
	int n;
	const char **texts = kg_array_texts(DatumGetArrayTypeP(array), true, &n);

	appendStringInfoChar(record, '[');
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(record, ", ");
		if (texts[i] == NULL)
			appendStringInfoString(record, "null");
		else
			escape_json(record, texts[i]);
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
	const Function *function = find_function(fcinfo->flinfo->fn_oid);
	int n = Min(function->n, fcinfo->nargs);

	appendStringInfoChar(record, '{');
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(record, ", ");
		escape_json(record, function->names ? function->names[i] : "");
		appendStringInfoString(record, ": ");
		if (PG_ARGISNULL(i))
			appendStringInfoString(record, "null");
		else
			append_argument(
				record, function->types[i].type, PG_GETARG_DATUM(i));
	}
	appendStringInfoChar(record, '}');
}

/*
 * Returns the bytes of an argument that are hashed, and sets *len to their
 * number. The argument is not NULL.
 */
static const void *
bytes_of(const ArgumentType *type, Datum *value, int64 *len)
{
	if (type->typlen == -1)
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(*value);

		*len = VARSIZE_ANY_EXHDR(bytes);
		return VARDATA_ANY(bytes);
	}
	*len = type->byval ? sizeof(Datum) : type->typlen;
	return type->byval ? (void *) value : DatumGetPointer(*value);
}

/*
 * Returns a new context of OpenSSL for SHA-256. Uses OpenSSL directly, because
 * the server's functions look up the digest by name, which takes longer than
 * computing it.
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

/*
 * Sets digest to the hash of the arguments in binary form. Returns their size
 * in bytes. A length before each argument is hashed, too, so NULL (length -1)
 * differs from an empty value.
 */
static int64
hash_arguments(FunctionCallInfo fcinfo, const Jsonb *named, uint8 *digest)
{
	static const ArgumentType of_named = {JSONBOID, -1, false};
	EVP_MD_CTX *hash = begin_hash();
	const Function *function = named ? NULL
									 : find_function(fcinfo->flinfo->fn_oid);
	const ArgumentType *types = named ? &of_named : function->types;
	int n = named ? 1 : Min(function->n, fcinfo->nargs);
	int64 size = 0;
	bool ok = true;

	for (int i = 0; ok && i < n; i++)
	{
		Datum value = named ? JsonbPGetDatum(named) : fcinfo->args[i].value;
		int64 len = -1;
		const void *bytes = NULL;

		if (named || !fcinfo->args[i].isnull)
			bytes = bytes_of(&types[i], &value, &len);
		ok = EVP_DigestUpdate(hash, &len, sizeof(len)) &&
			 (len <= 0 || EVP_DigestUpdate(hash, bytes, len));
		size += Max(len, 0);
	}
	if (!ok || !EVP_DigestFinal_ex(hash, digest, NULL))
		elog(ERROR, "could not compute a hash");
	return size;
}

/*
 * Returns the arguments as a member of the record, or NULL if the settings
 * exclude them. If the settings require it or the arguments are too large, the
 * member has their hash instead.
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

/* Maximum bytes of a tool's or method's name in a record. */
#define KG_MAX_AUDITED_NAME 128

void
kg_audit_name_call(const char *tool, const Jsonb *arguments)
{
	MemoryContext old = MemoryContextSwitchTo(kg_audited->context);

	/*
	 * The name is truncated, because a caller may send a name of any length.
	 */
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

/* ---- the record ---- */

/*
 * Some calls take only microseconds. Their records are made without format
 * strings, which are slow.
 */
#define KG_LITERAL(text) text, sizeof(text) - 1
#define KG_RECORD_KEY(name) KG_LITERAL(", \"" name "\": ")

/*
 * Appends a literal without a terminating zero byte. The last append adds this
 * byte.
 */
static void
append(StringInfo record, const char *literal, int len)
{
	appendBinaryStringInfoNT(record, literal, len);
}

static void
append_string(StringInfo record, const char *key, int len, const char *value)
{
	if (value == NULL)
		return;
	append(record, key, len);
	kg_json_append_string(record, value, strlen(value));
}

static void
append_int(StringInfo record, const char *key, int len, int64 value)
{
	append(record, key, len);
	enlargeStringInfo(record, MAXINT8LEN + 1);
	record->len += pg_lltoa(value, record->data + record->len);
}

static void
append_at(StringInfo record, TimestampTz at)
{
	append(record, KG_LITERAL("{\"at\": \""));
	enlargeStringInfo(record, KG_MAX_TIME_TEXT);
	record->len += kg_time_write(at, record->data + record->len);
	append(record, KG_LITERAL("\""));
}

/* Appends a time as milliseconds with three decimals. */
static void
append_time(StringInfo record, int64 us)
{
	append_int(record, KG_RECORD_KEY("ms"), us / 1000);
	enlargeStringInfo(record, 5);
	record->data[record->len++] = '.';
	(void) pg_ultostr_zeropad(record->data + record->len, us % 1000, 3);
	record->len += 3;
}

/* Returns the session's id in the format of %c in log_line_prefix. */
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

/*
 * Returns the text of the record. Reads no catalog, because the transaction
 * may have failed.
 */
static char *
make_record(const KgAudited *call)
{
	const KgTokenIdentity *token = kg_token_identity();
	instr_time took;
	StringInfoData record;

	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, call->start);
	initStringInfo(&record);
	append_at(&record, call->at);
	append_string(
		&record, KG_RECORD_KEY("tenant"), token ? token->tenant : call->tenant);
	append_string(&record, KG_RECORD_KEY("role"), call->role);
	append_string(&record, KG_RECORD_KEY("subject"), kg_token_subject());
	append_string(
		&record, KG_RECORD_KEY("agent"), token ? token->agent : call->agent);
	append_string(&record, KG_RECORD_KEY("session"), session());
	append_string(&record, KG_RECORD_KEY("tool"), call->tool);
	append_string(&record, KG_RECORD_KEY("tool_version"), call->tool_version);
	append_string(&record, KG_RECORD_KEY("operation"), call->operation);
	append_string(&record, KG_RECORD_KEY("version"), KG_VERSION);
	if (call->arguments)
		appendStringInfoString(&record, call->arguments);
	append_int(&record, KG_RECORD_KEY("rows"), call->code ? 0 : call->rows);
	append_int(&record, KG_RECORD_KEY("bytes"), call->bytes);
	append_int(&record, KG_RECORD_KEY("edges"), call->edges);
	append_int(&record, KG_RECORD_KEY("decisions"), call->decisions);
	append_time(&record, INSTR_TIME_GET_MICROSEC(took));
	append_string(&record, KG_RECORD_KEY("code"), call->code);
	if (call->query)
	{
		appendStringInfoString(&record, ", \"query\": ");
		append_argument(&record, JSONBOID, JsonbPGetDatum(call->query));
	}
	append_statements(&record, call->statements);
	appendStringInfoChar(&record, '}');
	return record.data;
}

/*
 * Writes the record to the log without error context callbacks, because the
 * callback of PL/pgSQL would add a translated context.
 */
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
 * Writes the record to kg_audit as the owner. Returns false if that is
 * impossible now. Does not wait for a lock of the table.
 */
static bool
write_to_table(const char *record)
{
	KgArg parsed;
	KgUserContext user;

	if (XactReadOnly || RecoveryInProgress() || IsInParallelMode() ||
		!ConditionalLockRelationOid(kg_relation_oid("kg_audit"),
									RowExclusiveLock))
		return false;
	parsed = kg_arg_jsonb(kg_json_parse(record));
	kg_spi_begin_as_owner(&user);
	KG_SPI_EXEC("INSERT INTO @kg_audit(at, tenant, role, subject, agent, "
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
	kg_spi_end_as_owner(&user);
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

/* ---- the call ---- */

/*
 * Returns the role's name, or NULL for a dropped role. The string is valid
 * until any role changes.
 */
static const char *
role_name(Oid role)
{
	static Oid known = InvalidOid;
	static uint64 changes;
	static char name[NAMEDATALEN];
	char *found;

	if (role == known && changes == kg_role_changes())
		return name;
	known = InvalidOid;
	found = GetUserNameFromId(role, true);
	if (found == NULL)
		return NULL;
	strlcpy(name, found, sizeof(name));
	changes = kg_role_changes();
	known = role;
	return name;
}

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
	call->tool = find_function(fcinfo->flinfo->fn_oid)->name;
	call->role = role_name(GetUserId());
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
	JsonbValue name;

	/*
	 * The error code is not derived from the SQLSTATE: several codes share one
	 * SQLSTATE, and some use an SQLSTATE of the server.
	 */
	if (kg_error_is_ours(edata) &&
		kg_json_get(&kg_json_parse(edata->detail)->root, "code", &name))
		for (int i = 0; i <= KG_INTERNAL; i++)
			if (kg_json_string_is(&name, kg_error_code_name(i)))
				return kg_error_code_name(i);
	return code < 0 ? "INTERNAL" : kg_error_code_name(code);
}

/*
 * Runs a call inside another call, without a record of its own, and returns the
 * result of its body. A policy may cause such a call.
 */
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
