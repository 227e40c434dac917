/*
 * error.c
 *	  Errors with stable codes for drivers and details for models.
 */
#include "postgres.h"

#include <limits.h>

#include "base/edits.h"
#include "base/error.h"
#include "base/json.h"
#include "base/meaning.h"
#include "nodes/pg_list.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

struct KgError
{
	KgErrorCode code;
	char *message;
	char *path;
	Jsonb *got;
	char *expected;
	List *allowed; /* allowed values, a List of JsonbValue * */
	char *did_you_mean;
	KgInstead change;
	int retry_after; /* milliseconds; 0: waiting does not help */
	Jsonb *errors;
	/* further members: a List of names and Jsonb * alternately */
	List *members;
	char *hint;
	char *type;
	char *id;
	const char *keyword;
	char *schema_path;
};

/*
 * In the order of KgErrorCode; documented in docs/errors.md. The server raises
 * some of these SQLSTATEs itself for other reasons. Such an SQLSTATE implies
 * the code only if kg_graph raised the error.
 */
static const struct
{
	const char *name;
	int sqlstate;
	/* level if the client called the tool directly */
	KgErrorLevel level;
	bool ours;
} codes[] = {
	{"INVALID_INPUT", ERRCODE_INVALID_PARAMETER_VALUE, KG_LEVEL_SERVICE},
	{"UNKNOWN_TYPE", ERRCODE_UNDEFINED_OBJECT, KG_LEVEL_SERVICE},
	{"UNKNOWN_TOOL", ERRCODE_UNDEFINED_FUNCTION, KG_LEVEL_SERVICE},
	{"NOT_FOUND", ERRCODE_NO_DATA_FOUND, KG_LEVEL_OPERATION},
	{"LIMIT_EXCEEDED", ERRCODE_PROGRAM_LIMIT_EXCEEDED, KG_LEVEL_ENGINE},
	{"VALIDATION_FAILED", ERRCODE_CHECK_VIOLATION, KG_LEVEL_OPERATION},
	{"REFERENCE_MISSING", ERRCODE_FOREIGN_KEY_VIOLATION, KG_LEVEL_OPERATION},
	{"ALREADY_EXISTS", ERRCODE_UNIQUE_VIOLATION, KG_LEVEL_OPERATION},
	{"NO_TENANT",
	 ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 KG_LEVEL_SERVICE},
	{"FORBIDDEN", ERRCODE_INSUFFICIENT_PRIVILEGE, KG_LEVEL_SERVICE},
	{"CONFLICT", ERRCODE_T_R_SERIALIZATION_FAILURE, KG_LEVEL_OPERATION},
	{"TIMEOUT", ERRCODE_QUERY_CANCELED, KG_LEVEL_ENGINE},
	{"QUOTA_EXCEEDED",
	 ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
	 KG_LEVEL_ENGINE,
	 true},
	{"VERSION_NOT_FOUND", ERRCODE_UNDEFINED_FUNCTION, KG_LEVEL_SERVICE, true},
	{"FAILED_BINDING",
	 ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
	 KG_LEVEL_ENGINE,
	 true},
	{"INTERNAL", ERRCODE_INTERNAL_ERROR, KG_LEVEL_ENGINE, true},
};

/* In the order of KgErrorLevel. */
static const char *const levels[] = {"service", "engine", "operation"};

/*
 * Maximum length of a value in an error; bytes. Values in errors are for
 * orientation; longer values are truncated.
 */
#define KG_MAX_ERROR_VALUE 256

/* Formats into a palloc'd string of any length. */
static char *format_text(const char *fmt, va_list args)
	pg_attribute_printf(1, 0);

static char *
format_text(const char *fmt, va_list args)
{
	size_t len = 128;

	for (;;)
	{
		char *buf = palloc(len);
		va_list copy;
		size_t need;

		va_copy(copy, args);
		need = pvsnprintf(buf, len, fmt, copy);
		va_end(copy);
		if (need < len)
			return buf;
		pfree(buf);
		len = need;
	}
}

#define FORMAT_INTO(field)                \
	do                                    \
	{                                     \
		va_list args;                     \
		va_start(args, fmt);              \
		(field) = format_text(fmt, args); \
		va_end(args);                     \
	} while (0)

KgError *
kg_error_new(KgErrorCode code, const char *fmt, ...)
{
	KgError *err = palloc0(sizeof(KgError));

	err->code = code;
	FORMAT_INTO(err->message);
	return err;
}

static char *
copy_text(const char *text)
{
	return text ? pstrdup(text) : NULL;
}

KgError *
kg_error_make(KgErrorCode code, const KgErrorParts *parts)
{
	KgError *err = palloc0(sizeof(KgError));

	err->code = code;
	err->message = pstrdup(parts->message);
	err->path = copy_text(parts->path);
	if (parts->got)
		kg_error_got(err, parts->got);
	else if (parts->got_string)
		kg_error_got_string(err, parts->got_string);
	err->expected = copy_text(parts->expected);
	err->keyword = parts->keyword;
	err->hint = copy_text(parts->hint);
	kg_error_did_you_mean(err, parts->did_you_mean);
	kg_error_instead(err, NULL, parts->instead);
	kg_error_entity(err, parts->type, parts->id);
	return err;
}

void
kg_error_path(KgError *err, const char *fmt, ...)
{
	FORMAT_INTO(err->path);
}

void
kg_error_expected(KgError *err, const char *fmt, ...)
{
	FORMAT_INTO(err->expected);
}

void
kg_error_hint(KgError *err, const char *fmt, ...)
{
	FORMAT_INTO(err->hint);
}

void
kg_error_got(KgError *err, const JsonbValue *got)
{
	if (got->type == jbvString && got->val.string.len > KG_MAX_ERROR_VALUE)
	{
		JsonbValue cut = *got;

		cut.val.string.len = pg_mbcliplen(
			got->val.string.val, got->val.string.len, KG_MAX_ERROR_VALUE);
		err->got = kg_json_datum(&cut);
	}
	else if (got->type == jbvNumeric &&
			 kg_json_number_length(got) > KG_MAX_ERROR_VALUE)
	{
		JsonbValue cut = kg_json_string_value(
			psprintf("(number of " INT64_FORMAT " characters)",
					 kg_json_number_length(got)));

		err->got = kg_json_datum(&cut);
	}
	else if (got->type == jbvBinary &&
			 (got->val.binary.len > KG_MAX_ERROR_VALUE ||
			  kg_json_number_bytes(got->val.binary.data, KG_MAX_ERROR_VALUE) >
				  KG_MAX_ERROR_VALUE))
	{
		JsonbValue cut = kg_json_string_value(psprintf(
			"(%s of %d bytes)", kg_json_type_name(got), got->val.binary.len));

		err->got = kg_json_datum(&cut);
	}
	else
		err->got = kg_json_datum(got);
}

void
kg_error_got_string(KgError *err, const char *got)
{
	JsonbValue value = kg_json_string_value(got);

	kg_error_got(err, &value);
}

void
kg_error_allow(KgError *err, const char *value)
{
	JsonbValue string = kg_json_string_value(pstrdup(value));
	ListCell *cell;

	/*
	 * Names may repeat: variants of a relation, and bundles, may have the same
	 * name.
	 */
	foreach(cell, err->allowed)
		if (kg_json_string_is(lfirst(cell), value))
			return;
	kg_error_allow_value(err, &string);
}

void
kg_error_allow_value(KgError *err, const JsonbValue *value)
{
	JsonbValue *copy = palloc(sizeof(JsonbValue));

	*copy = *value;
	err->allowed = lappend(err->allowed, copy);
}

void
kg_error_did_you_mean(KgError *err, const char *value)
{
	err->did_you_mean = copy_text(value);
}

void (*kg_error_complete)(KgError *err) = NULL;

void
kg_error_change(KgError *err, const KgInstead *change)
{
	err->change = *change;
}

void
kg_error_instead(KgError *err, const char *path, const Jsonb *value)
{
	if (value == NULL)
		return;
	err->change.kind = KG_INSTEAD_VALUE;
	err->change.path = path ? pstrdup(path) : err->path;
	err->change.value = value;
}

void
kg_error_leave_out(KgError *err)
{
	err->change.kind = KG_INSTEAD_OUT;
	err->change.path = err->path;
}

void
kg_error_call_tool(KgError *err, const char *tool, const Jsonb *arguments)
{
	err->change.tool = tool;
	err->change.value = arguments;
}

void
kg_error_meant_member(KgError *err, const struct KgMember *member)
{
	err->change.member = member;
}

void
kg_error_sure(KgError *err)
{
	err->change.sure = true;
}

void
kg_error_doubt(KgError *err)
{
	err->change.doubtful = true;
}

void
kg_error_example(KgError *err, const Jsonb *example)
{
	kg_error_instead(err, NULL, example);
	err->change.only_example = true;
}

/*
 * Converts ASCII letters to lower case, because names are compared
 * case-insensitively.
 */
static void
fold_case(const KgChars *given, KgChars *folded)
{
	folded->n = given->n;
	for (int i = 0; i < given->n; i++)
	{
		pg_wchar c = given->chars[i];

		folded->chars[i] = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
	}
}

/*
 * Returns the maximum edit distance at which another name is near to this name.
 */
static int
most_edits(const char *name)
{
	return Max(2, (int) strlen(name) / 3);
}

/*
 * Returns the edit distance of two names, ignoring case, or most + 1 if it is
 * above most.
 */
static int
folded_edits(const char *a, const char *b, int most)
{
	KgChars *texts = palloc(4 * sizeof(KgChars));
	int edits = most + 1;

	if (kg_chars_set(&texts[0], a) && kg_chars_set(&texts[1], b))
	{
		fold_case(&texts[0], &texts[2]);
		fold_case(&texts[1], &texts[3]);
		edits = kg_edits(&texts[2], &texts[3], most);
	}
	pfree(texts);
	return edits;
}

bool
kg_has_rival(const char *name, const char *meant, const char *const *candidates,
			 int ncandidates)
{
	int most = most_edits(name);
	int edits = folded_edits(name, meant, most);
	const char **others;
	const char *rival;
	int n = 0;

	if (edits == 0 || edits > most)
		return false;
	others = palloc((ncandidates + 1) * sizeof(char *));
	for (int i = 0; i < ncandidates; i++)
		if (strcmp(candidates[i], meant) != 0)
			others[n++] = candidates[i];
	rival = kg_nearest(name, others, n);
	pfree(others);
	return rival != NULL && folded_edits(name, rival, most) == edits;
}

/*
 * Returns whether another allowed name is as near to the given name as the
 * suggested name in did_you_mean.
 */
static bool
has_allowed_rival(const KgError *err)
{
	const char **names;
	JsonbValue got;
	int n = 0;
	ListCell *lc;

	if (err->did_you_mean == NULL || err->got == NULL)
		return false;
	kg_json_root(err->got, &got);
	if (got.type != jbvString)
		return false;
	names = palloc((list_length(err->allowed) + 1) * sizeof(char *));
	foreach(lc, err->allowed)
	{
		const JsonbValue *allowed = lfirst(lc);

		if (allowed->type == jbvString)
			names[n++] = kg_json_cstring(allowed);
	}
	return kg_has_rival(kg_json_cstring(&got), err->did_you_mean, names, n);
}

const KgInstead *
kg_error_said(const KgError *err)
{
	/* Sets members that the change shares with the error. */
	KgInstead *change = (KgInstead *) &err->change;

	if (change->kind == KG_INSTEAD_NONE)
		change->path = err->path;
	change->got = change->kind == KG_INSTEAD_NONE ? err->got : change->got;
	change->meant = err->did_you_mean;
	change->doubtful |= has_allowed_rival(err);
	return change;
}

void
kg_error_retry_after(KgError *err, int ms)
{
	err->retry_after = ms;
}

void
kg_error_errors(KgError *err, Jsonb *errors)
{
	err->errors = errors;
}

void
kg_error_member(KgError *err, const char *name, Jsonb *value)
{
	err->members = lappend(lappend(err->members, (char *) name), value);
}

void
kg_error_nearest(KgError *err, Jsonb *nearest)
{
	if (nearest != NULL)
		kg_error_member(err, "nearest", nearest);
}

void
kg_error_member_int(KgError *err, const char *name, int64 n)
{
	kg_error_member(err, name, kg_json_parse(psprintf(INT64_FORMAT, n)));
}

void
kg_error_entity(KgError *err, const char *type, const char *id)
{
	err->type = copy_text(type);
	err->id = copy_text(id);
}

void
kg_error_keyword(KgError *err, const char *keyword)
{
	err->keyword = keyword;
}

void
kg_error_schema_path(KgError *err, const char *schema_path)
{
	err->schema_path = pstrdup(schema_path);
}

void
kg_error_violated(KgError *err, const KgError *other)
{
	err->keyword = other->keyword;
	err->schema_path = other->schema_path;
}

void
kg_error_prefix_path(KgError *err, const char *path)
{
	err->path = psprintf("%s%s", path, err->path ? err->path : "");
}

void
kg_error_prefix_message(KgError *err, const char *whose)
{
	err->message = psprintf("%s: %s", whose, err->message);
}

void
kg_error_got_jsonb(KgError *err, Jsonb *got)
{
	err->got = got;
}

KgErrorCode
kg_error_code(const KgError *err)
{
	return err->code;
}

const char *
kg_error_message(const KgError *err)
{
	return err->message;
}

void
kg_error_recode(KgError *err, KgErrorCode code)
{
	err->code = code;
}

void
kg_error_report(KgErrorList *list, KgError *err)
{
	if (list == NULL)
		kg_error_throw(err);
	list->total++;
	if (list_length(list->errors) < list->limit)
		list->errors = lappend(list->errors, err);
}

Jsonb *
kg_error_array(const KgErrorList *list)
{
	KgJsonWriter w;
	ListCell *lc;

	kg_jw_init_array(&w);
	foreach(lc, list->errors)
		kg_jw_jsonb(&w, kg_error_object(lfirst(lc)));
	return kg_jw_finish(&w);
}

Jsonb *
kg_error_object(const KgError *err)
{
	KgJsonWriter w;
	ListCell *lc;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "code", codes[err->code].name);
	kg_jw_kstring(&w, "message", err->message);
	kg_jw_kstring_if(&w, "type", err->type);
	kg_jw_kstring_if(&w, "id", err->id);
	kg_jw_kstring_if(&w, "path", err->path);
	kg_jw_kstring_if(&w, "keyword", err->keyword);
	kg_jw_kstring_if(&w, "schema_path", err->schema_path);
	kg_jw_kjsonb_if(&w, "got", err->got);
	kg_jw_kstring_if(&w, "expected", err->expected);
	if (err->allowed)
	{
		kg_jw_kbegin_array(&w, "allowed");
		foreach(lc, err->allowed)
			kg_jw_value(&w, lfirst(lc));
		kg_jw_end_array(&w);
	}
	kg_jw_kstring_if(&w, "did_you_mean", err->did_you_mean);
	if (err->retry_after > 0)
		kg_jw_kint(&w, "retry_after_ms", err->retry_after);
	kg_jw_kjsonb_if(&w, "errors", err->errors);
	for (int i = 0; i < list_length(err->members); i += 2)
		kg_jw_kjsonb(
			&w, list_nth(err->members, i), list_nth(err->members, i + 1));
	return kg_jw_finish(&w);
}

void
kg_error_throw(KgError *err)
{
	Jsonb *object;
	char *detail;

	if (kg_error_complete != NULL)
		kg_error_complete(err);
	object = kg_error_object(err);
	detail = JsonbToCString(NULL, &object->root, VARSIZE(object));
	ereport(ERROR,
			(errcode(codes[err->code].sqlstate),
			 errmsg_internal("%s", err->message),
			 errdetail_internal("%s", detail),
			 err->hint ? errhint("%s", err->hint) : 0));
}

void
kg_error_throw_expected(KgError *err, const char *fmt, ...)
{
	FORMAT_INTO(err->expected);
	kg_error_throw(err);
}

void
kg_error_throw_made(KgErrorCode code, const KgErrorParts *parts)
{
	kg_error_throw(kg_error_make(code, parts));
}

void
kg_error_throw_option(const char *name, const JsonbValue *got,
					  const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("option \"%s\" is not valid", name),
			 .path = psprintf("/%s", name),
			 .got = got,
			 .expected = expected);
}

/* Returns the code of an SQLSTATE, or -1. */
static int
code_of_sqlstate(int sqlstate)
{
	for (int i = 0; i < lengthof(codes); i++)
		if (codes[i].sqlstate == sqlstate)
			return i;
	return -1;
}

/*
 * Returns true if kg_graph raised the error. Such an error has the complete
 * JSON object as its DETAIL.
 */
bool
kg_error_is_ours(const ErrorData *edata)
{
	return code_of_sqlstate(edata->sqlerrcode) >= 0 && edata->detail &&
		   strncmp(edata->detail, "{\"", 2) == 0 &&
		   strstr(edata->detail, "\"code\": \"") != NULL;
}

bool
kg_error_is_builtin(const ErrorData *edata)
{
	return edata->domain != NULL &&
		   strcmp(edata->domain, PG_TEXTDOMAIN("postgres")) == 0;
}

/* Returns the code for an SQLSTATE, or -1 if callers must not see the error. */
static int
code_of_error(int sqlstate)
{
	int code = code_of_sqlstate(sqlstate);

	if (code >= 0 && !codes[code].ours)
		return code;
	switch (ERRCODE_TO_CATEGORY(sqlstate))
	{
		case MAKE_SQLSTATE('2', '2', '0', '0', '0'):
			return KG_INVALID_INPUT;
		case MAKE_SQLSTATE('2', '3', '0', '0', '0'):
			return KG_VALIDATION_FAILED;
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'):
			return KG_CONFLICT;
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'):
		case MAKE_SQLSTATE('5', '4', '0', '0', '0'):
			return KG_LIMIT_EXCEEDED;
		default:
			return -1;
	}
}

bool
kg_error_is_refusal(const ErrorData *edata)
{
	if (edata->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return false;
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		case MAKE_SQLSTATE('2', '5', '0', '0', '0'): /* read-only transaction */
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'): /* must be retried */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'): /* out of memory */
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'): /* cancel, shutdown */
			return false;
		default:
			return true;
	}
}

bool
kg_error_is_answer(const ErrorData *edata)
{
	/* kg_graph's timeout has a DETAIL; a cancellation does not. */
	return kg_error_is_ours(edata) || (kg_error_is_refusal(edata) &&
									   code_of_error(edata->sqlerrcode) >= 0);
}

Jsonb *
kg_error_caught(const ErrorData *edata)
{
	int code = code_of_error(edata->sqlerrcode);

	if (kg_error_is_ours(edata))
		return kg_json_parse(edata->detail);
	/*
	 * The text of this error is only in the server log; the caller of a tool
	 * must not see it.
	 */
	if (code < 0)
		return kg_error_object(kg_error_new(
			KG_INTERNAL, "internal error; the server log has the details"));
	if (code == KG_CONFLICT)
		return kg_error_object(kg_error_new(
			code,
			"the call conflicted with another transaction; send it again"));
	return kg_error_object(kg_error_new(code, "%s", edata->message));
}

/* Returns the code of an error object, whether or not kg_graph made it. */
static int
code_of_object(const Jsonb *object)
{
	JsonbValue value;

	if (kg_json_get(&object->root, "code", &value))
		for (int i = 0; i < lengthof(codes); i++)
			if (kg_json_string_is(&value, codes[i].name))
				return i;
	return KG_INTERNAL;
}

/*
 * Returns the level of an error. A fault that is found before a tool begins its
 * work belongs to the service. If a registered tool chose the operation, such a
 * fault belongs to the operation.
 */
static KgErrorLevel
level_of(int code, bool in_operation)
{
	if (in_operation && codes[code].level == KG_LEVEL_SERVICE)
		return KG_LEVEL_OPERATION;
	return codes[code].level;
}

Jsonb *
kg_error_answer(const ErrorData *edata, bool in_operation,
				const char *operation)
{
	Jsonb *object = kg_error_caught(edata);
	int code = code_of_object(object);
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "level", levels[level_of(code, in_operation)]);
	kg_jw_kstring(&w, "sqlstate", unpack_sql_state(codes[code].sqlstate));
	kg_jw_kstring_if(&w, "operation", operation);
	kg_json_each(it, &object->root)
	{
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		if (operation && kg_json_string_is(&it.key, "message"))
			kg_jw_string(
				&w, psprintf("%s: %s", operation, kg_json_cstring(&it.value)));
		else
			kg_jw_value(&w, &it.value);
	}
	return kg_jw_finish(&w);
}

const char *
kg_error_code_name(KgErrorCode code)
{
	return codes[code].name;
}

KgErrorCode
kg_error_caught_code(const ErrorData *edata)
{
	return code_of_error(edata->sqlerrcode);
}

/*
 * Returns true if one of two folded names is a prefix of the other, as NEEDS is
 * a prefix of NEEDS_PKG.
 */
static bool
continues(const KgChars *a, const KgChars *b)
{
	int n = Min(a->n, b->n);

	return n >= 3 && memcmp(a->chars, b->chars, n * sizeof(*a->chars)) == 0;
}

/*
 * Returns true if a folded candidate ends with the word, as "node_label" ends
 * with "label".
 */
static bool
ends_with_word(const KgChars *candidate, const KgChars *word)
{
	int at = candidate->n - word->n;

	return word->n >= 2 && at > 0 &&
		   (candidate->chars[at - 1] == '_' ||
			candidate->chars[at - 1] == '.') &&
		   memcmp(candidate->chars + at,
				  word->chars,
				  word->n * sizeof(*word->chars)) == 0;
}

const char *
kg_nearest(const char *name, const char *const *candidates, int ncandidates)
{
	const char *best = NULL;
	const char *longer = NULL;
	const char *ends = NULL;
	int nends = 0;
	int best_distance = most_edits(name) + 1;
	int best_exact = INT_MAX;
	KgChars *texts = palloc(4 * sizeof(KgChars));
	KgChars *given = &texts[0];
	KgChars *folded = &texts[1];
	KgChars *candidate = &texts[2];
	KgChars *candidate_folded = &texts[3];

	if (!kg_chars_set(given, name))
		return NULL;
	fold_case(given, folded);
	for (int i = 0; i < ncandidates; i++)
	{
		int distance;
		int exact;

		CHECK_FOR_INTERRUPTS();
		if (!kg_chars_set(candidate, candidates[i]))
			continue;
		fold_case(candidate, candidate_folded);
		if (longer == NULL && continues(folded, candidate_folded) &&
			!kg_is_opposed(name, candidates[i]))
			longer = candidates[i];
		if (ends_with_word(candidate_folded, folded) &&
			!kg_is_opposed(name, candidates[i]) && nends++ == 0)
			ends = candidates[i];
		distance = kg_edits(folded, candidate_folded, best_distance);
		/*
		 * If less than half of the characters are equal, the candidate is a
		 * different word.
		 */
		if (distance > best_distance ||
			2 * distance > Max(given->n, candidate->n))
			continue;
		/*
		 * If several candidates differ in case only, the candidate in the given
		 * case is chosen.
		 */
		exact = kg_edits(given, candidate, KG_EDITS_LENGTH);
		if (distance == best_distance && (best == NULL || exact >= best_exact))
			continue;
		if (kg_is_opposed(name, candidates[i]))
			continue;
		best = candidates[i];
		best_distance = distance;
		best_exact = exact;
	}
	pfree(texts);
	if (best == NULL && longer == NULL && nends == 1)
		return ends;
	return best ? best : longer;
}

void
kg_check_members(const JsonbContainer *object, const char *const *known,
				 const char *path, KgErrorList *errors)
{
	kg_json_each(it, object)
	{
		char *key = kg_json_cstring(&it.key);
		int n = 0;
		bool found = false;
		KgError *err;

		for (; known[n]; n++)
			found |= strcmp(known[n], key) == 0;
		if (found)
			continue;
		err = kg_error_new(KG_INVALID_INPUT, "key \"%s\" is not known", key);
		kg_error_got_string(err, key);
		kg_error_expected(err, "the name of an existing key");
		for (int i = 0; i < n; i++)
			kg_error_allow(err, known[i]);
		kg_error_did_you_mean(err, kg_nearest(key, known, n));
		kg_error_path(err, "%s", path);
		kg_error_report(errors, err);
	}
}

void
kg_check_options(const Jsonb *options, const char *const *known)
{
	if (!JB_ROOT_IS_OBJECT(options))
		kg_error_throw(
			kg_error_new(KG_INVALID_INPUT, "options must be an object"));
	kg_check_members(&options->root, known, "", NULL);
}

bool
kg_option_is_on(const Jsonb *options, const char *name)
{
	JsonbValue value;

	if (kg_json_get(&options->root, name, &value) == NULL)
		return false;
	if (value.type != jbvBool)
		kg_error_throw_option(name, &value, "true or false");
	return value.val.boolean;
}
