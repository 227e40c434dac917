/*
 * error.h
 *	  Error codes, and the builder of errors.
 *
 * The DETAIL of an error is a JSON object {code, message, path, got, expected,
 * allowed, did_you_mean, example, ...} (tools.md, "Errors"; docs/errors.md).
 *
 * Usage:
 *
 *	  KG_THROW(KG_INVALID_INPUT,
 *			   .message = psprintf("limit must be between 1 and %d", 500),
 *			   .path = "/limit",
 *			   .got = value,
 *			   .expected = "an integer from 1 to 500");
 *
 * An error with other members, or with allowed values, is built from
 * kg_error_new() to kg_error_throw().  Everything is allocated in the current
 * memory context.
 */
#ifndef KG_ERROR_H
#define KG_ERROR_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "base/compat.h"

typedef enum KgErrorCode
{
	KG_INVALID_INPUT,
	KG_UNKNOWN_TYPE,
	KG_UNKNOWN_TOOL,
	KG_NOT_FOUND,
	KG_LIMIT_EXCEEDED,
	KG_VALIDATION_FAILED,
	KG_REFERENCE_MISSING,
	KG_ALREADY_EXISTS,
	KG_NO_TENANT,
	KG_FORBIDDEN,
	KG_CONFLICT,
	KG_TIMEOUT,
	KG_QUOTA_EXCEEDED,
	KG_VERSION_NOT_FOUND,
	KG_FAILED_BINDING,
	KG_INTERNAL
} KgErrorCode;

/*
 * The part that refuses a tool call: checks before any work, the engine
 * independently of the operation, or the operation itself.
 */
typedef enum KgErrorLevel
{
	KG_LEVEL_SERVICE,
	KG_LEVEL_ENGINE,
	KG_LEVEL_OPERATION
} KgErrorLevel;

typedef struct KgError KgError;

/* Returns a new error with this code and message. */
extern KgError *kg_error_new(KgErrorCode code, const char *fmt, ...)
	pg_attribute_printf(2, 3);

/*
 * The members that most errors have.  A member that is NULL is not set.  Texts
 * are copied, except keyword.
 */
typedef struct KgErrorParts
{
	const char *message;
	const char *path; /* JSON Pointer to the faulty value */
	/* the faulty value, in one of these forms */
	const JsonbValue *got;
	const char *got_string;
	const char *expected; /* a phrase for the valid values */
	const char *keyword;
	const char *hint;
	const char *did_you_mean;
	const Jsonb *instead; /* value suggested for the path */
	/* type of the entity at fault; id is its id */
	const char *type;
	const char *id;
} KgErrorParts;

extern KgError *kg_error_make(KgErrorCode code, const KgErrorParts *parts);
extern KG_NORETURN void kg_error_throw_made(KgErrorCode code,
											const KgErrorParts *parts);

/*
 * Make an error with these members of KgErrorParts, and return it (KG_ERROR),
 * raise it (KG_THROW) or report it to a list (KG_REPORT).
 */
#define KG_ERROR(code, ...) kg_error_make(code, &(KgErrorParts){__VA_ARGS__})
#define KG_THROW(code, ...) \
	kg_error_throw_made(code, &(KgErrorParts){__VA_ARGS__})
#define KG_REPORT(list, code, ...) \
	kg_error_report(list, KG_ERROR(code, __VA_ARGS__))

/* Sets another code for an error. */
extern void kg_error_recode(KgError *err, KgErrorCode code);
/* Sets the JSON Pointer to the faulty value. */
extern void kg_error_path(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
/*
 * Set "got", the faulty value. A long value is truncated, or replaced by a
 * description.
 */
extern void kg_error_got(KgError *err, const JsonbValue *got);
extern void kg_error_got_string(KgError *err, const char *got);
/* Sets "expected", a phrase for the valid values. */
extern void kg_error_expected(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
/* Add a value to "allowed"; kg_error_allow() omits duplicates. */
extern void kg_error_allow(KgError *err, const char *value);
extern void kg_error_allow_value(KgError *err, const JsonbValue *value);
/*
 * Sets the member "did_you_mean", the suggested value. NULL removes the
 * suggestion.
 */
extern void kg_error_did_you_mean(KgError *err, const char *value);
/*
 * The correction of the call's arguments that the error suggests.
 *
 * The default is did_you_mean in the position of "got".
 * query/argument/repair.c builds the error's member "call" from it.
 */
typedef enum KgInsteadKind
{
	KG_INSTEAD_NONE,
	/* replace the value at the path, or array items equal to "got" */
	KG_INSTEAD_VALUE,
	/* rename a member, and replace its value if a new value is set */
	KG_INSTEAD_KEY,
	KG_INSTEAD_OUT, /* remove the member */
	/* add "key" and its value to the object at the path */
	KG_INSTEAD_ADD
} KgInsteadKind;

typedef struct KgInstead
{
	KgInsteadKind kind;
	const char *path;
	const Jsonb *got; /* value to replace, or NULL */
	const Jsonb *value;
	const char *key;
	/*
	 * another tool to call, or NULL; its arguments are "value" (NULL: the
	 * arguments of the call)
	 */
	const char *tool;
	const char *meant; /* did_you_mean, or NULL */
	/*
	 * the argument that did_you_mean names (query/argument/members.h), or NULL
	 */
	const struct KgMember *member;
	/* did_you_mean is certainly another name of the value that was sent */
	bool sure;
	bool doubtful; /* another correction is as likely */
	/* the correction is valid, but only an example */
	bool only_example;
} KgInstead;

/*
 * Suggests "value" at the position "path" (NULL: the error's path). Does
 * nothing if value is NULL.
 */
extern void kg_error_instead(KgError *err, const char *path,
							 const Jsonb *value);
/* Suggests a call without the member at the error's path. */
extern void kg_error_leave_out(KgError *err);
extern void kg_error_change(KgError *err, const KgInstead *change);
/*
 * Suggests another tool with these arguments (NULL: the arguments of the call).
 */
extern void kg_error_call_tool(KgError *err, const char *tool,
							   const Jsonb *arguments);
/*
 * Sets the argument that did_you_mean names. The argument determines the form
 * of the suggested value.
 */
extern void kg_error_meant_member(KgError *err, const struct KgMember *member);
/* Marks did_you_mean as certain, however it is spelled. */
extern void kg_error_sure(KgError *err);
/* Marks the suggestion as one of several likely suggestions. */
extern void kg_error_doubt(KgError *err);
/* Suggests an example of a valid value for the error's path. */
extern void kg_error_example(KgError *err, const Jsonb *example);
extern const KgInstead *kg_error_said(const KgError *err);
/*
 * Hook that is called with each error before it is raised, and may add
 * members.
 */
extern void (*kg_error_complete)(KgError *err);
/* Sets the time in milliseconds after which a retry may succeed. */
extern void kg_error_retry_after(KgError *err, int ms);
/* Sets "errors", the JSON array of several errors. */
extern void kg_error_errors(KgError *err, Jsonb *errors);
/* Adds a member to the error's object.  The name is a constant. */
extern void kg_error_member(KgError *err, const char *name, Jsonb *value);
/*
 * Adds the member "nearest", unless the argument is NULL. It lists existing
 * entities whose ids are most similar to an id that was not found.
 */
extern void kg_error_nearest(KgError *err, Jsonb *nearest);
extern void kg_error_member_int(KgError *err, const char *name, int64 n);
/* Sets the HINT. */
extern void kg_error_hint(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
extern KG_NORETURN void kg_error_throw(KgError *err);
/* Sets "expected" and raises the error. */
extern KG_NORETURN void kg_error_throw_expected(KgError *err, const char *fmt,
												...) pg_attribute_printf(2, 3);
/* Raises INVALID_INPUT for a member of a function's options. */
extern KG_NORETURN void kg_error_throw_option(const char *name,
											  const JsonbValue *got,
											  const char *expected);

/*
 * Errors that are collected instead of raised.  At most "limit" errors are
 * stored; all are counted.
 */
typedef struct KgErrorList
{
	List *errors; /* List of KgError * */
	int limit;
	int64 total;
	/* the caller may not see the faulty values, so errors omit them */
	bool withhold;
} KgErrorList;

/* Adds an error to the list, or raises it if list is NULL. */
extern void kg_error_report(KgErrorList *list, KgError *err);

extern KgErrorCode kg_error_code(const KgError *err);
extern const char *kg_error_message(const KgError *err);

/*
 * Reports each member of object that is not in known, a NULL-terminated array.
 */
extern void kg_check_members(const JsonbContainer *object,
							 const char *const *known, const char *path,
							 KgErrorList *errors);

/* Raises an error unless options is an object with known members only. */
extern void kg_check_options(const Jsonb *options, const char *const *known);
/*
 * Returns the value of a boolean option; false if it is missing.  Raises an
 * error if it is not a boolean.
 */
extern bool kg_option_is_on(const Jsonb *options, const char *name);

/* Returns the collected errors as a JSON array. */
extern Jsonb *kg_error_array(const KgErrorList *list);

/*
 * Sets the type and id of the entity that is at fault, the failed keyword and
 * its value.
 */
extern void kg_error_entity(KgError *err, const char *type, const char *id);
extern void kg_error_keyword(KgError *err, const char *keyword);
/* Sets the JSON Pointer to the keyword in the schema. */
extern void kg_error_schema_path(KgError *err, const char *schema_path);
/* Copies the keyword and schema path of another error, without its values. */
extern void kg_error_violated(KgError *err, const KgError *other);
/*
 * kg_error_prefix_path() puts "path" before the error's path.
 * kg_error_prefix_message() puts "whose: " before its message.
 */
extern void kg_error_prefix_path(KgError *err, const char *path);
extern void kg_error_prefix_message(KgError *err, const char *whose);
/* Sets "got" to a jsonb that the error takes over. */
extern void kg_error_got_jsonb(KgError *err, Jsonb *got);

/* Returns the error as the JSON object of tools.md. */
extern Jsonb *kg_error_object(const KgError *err);

/*
 * Returns the JSON object of a caught error: its DETAIL if kg_graph raised it,
 * or else an object made from its SQLSTATE.  The text of an internal error is
 * withheld.
 */
extern Jsonb *kg_error_caught(const ErrorData *edata);

/*
 * Returns the JSON object of a caught error as a tool returns it, with level
 * and SQLSTATE.
 *
 * in_operation is true if a registered tool had begun its operation.
 * operation is the name of that operation, or NULL.
 */
extern Jsonb *kg_error_answer(const ErrorData *edata, bool in_operation,
							  const char *operation);

/*
 * Returns true if the error is about the caller's input, so that the caller
 * can correct it.  Returns false for cancellation, lock and serialization
 * errors and faults of the server, which must be raised.
 */
extern bool kg_error_is_answer(const ErrorData *edata);
/*
 * Returns true if the server refused the statement itself.  Returns false if
 * the statement was cancelled, conflicted with another session, ran out of
 * memory or disk, or wrote in a read-only transaction.
 */
extern bool kg_error_is_refusal(const ErrorData *edata);

/* Returns true if the DETAIL of the error is an object of kg_graph. */
extern bool kg_error_is_ours(const ErrorData *edata);

/*
 * Returns whether code of the server or of kg_graph raised the error. Functions
 * in procedural languages may raise any SQLSTATE with any text.
 */
extern bool kg_error_is_builtin(const ErrorData *edata);

extern const char *kg_error_code_name(KgErrorCode code);
/*
 * Returns the code for the SQLSTATE of an error that kg_error_is_answer()
 * accepts.
 */
extern KgErrorCode kg_error_caught_code(const ErrorData *edata);

/*
 * Returns the candidate nearest to name by edit distance, or NULL if no
 * candidate is near.
 *
 * If no candidate is near by edit distance, the next choices are the first
 * candidate that is a prefix of name or begins with name, and then the only
 * candidate that ends with name as a word (node_label). Candidates of opposite
 * meaning (base/meaning.h) are excluded. All candidates must be visible to the
 * caller.
 */
extern const char *kg_nearest(const char *name, const char *const *candidates,
							  int ncandidates);
/*
 * Returns whether another candidate is as near to name as "meant", the result
 * of kg_nearest(): "level1" and "level2" are equally near to "level9". In this
 * case the error gets no corrected call. The allowed names of every error are
 * checked automatically. A caller whose error lists only a part of the
 * candidates must call this function.
 */
extern bool kg_has_rival(const char *name, const char *meant,
						 const char *const *candidates, int ncandidates);

#endif /* KG_ERROR_H */
