/*
 * error.h
 *	  The one list of error codes, and the builder of an error whose DETAIL is
 *	  the JSON object {code, message, path, got, expected, allowed,
 *	  did_you_mean, example, ...} (tools.md, "Errors"; docs/errors.md).
 *
 * Usage:
 *
 *	  KgError *err = kg_error_new(KG_INVALID_INPUT,
 *								  "limit must be between %d and %d", 1, 500);
 *	  kg_error_path(err, "/limit");
 *	  kg_error_got(err, value);
 *	  kg_error_expected(err, "an integer from 1 to 500");
 *	  kg_error_throw(err);
 *
 * Everything is allocated in the current memory context.
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
 * Who refuses a call of a tool: what stands before any work, the engine whatever
 * was asked for, or what was to be done.
 */
typedef enum KgErrorLevel
{
	KG_LEVEL_SERVICE,
	KG_LEVEL_ENGINE,
	KG_LEVEL_OPERATION
} KgErrorLevel;

typedef struct KgError KgError;

extern KgError *kg_error_new(KgErrorCode code, const char *fmt, ...)
	pg_attribute_printf(2, 3);
/* Gives an error another code. */
extern void kg_error_recode(KgError *err, KgErrorCode code);
extern void kg_error_path(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
extern void kg_error_got(KgError *err, const JsonbValue *got);
extern void kg_error_got_string(KgError *err, const char *got);
extern void kg_error_expected(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
extern void kg_error_allow(KgError *err, const char *value);
extern void kg_error_allow_value(KgError *err, const JsonbValue *value);
extern void kg_error_did_you_mean(KgError *err, const char *value);
/*
 * What to change in the arguments of the call, where the error is about one:
 * what is said here, or else did_you_mean in the place of what was got.  Of it
 * the error's member "call" is made (query/argument/repair.c).
 */
typedef enum KgInsteadKind
{
	KG_INSTEAD_NONE,
	KG_INSTEAD_VALUE, /* at the path, of an array its items that are got */
	KG_INSTEAD_KEY, /* the name of a member, and the value where one is given */
	KG_INSTEAD_OUT, /* without it */
	KG_INSTEAD_ADD	/* key and value, to the object at the path */
} KgInsteadKind;

typedef struct KgInstead
{
	KgInsteadKind kind;
	const char *path;
	const Jsonb *got; /* or NULL */
	const Jsonb *value;
	const char *key;
	const char *tool;  /* another tool, with the value or the same arguments */
	const char *meant; /* did_you_mean */
	bool doubtful;	   /* something else is as likely */
	bool only_example; /* it would work, but is not what was meant */
} KgInstead;

/*
 * A value in the place of the one at a path (NULL: at the error's); nothing
 * where there is no value.
 */
extern void kg_error_instead(KgError *err, const char *path,
							 const Jsonb *value);
/* The error's path is better left out. */
extern void kg_error_leave_out(KgError *err);
extern void kg_error_change(KgError *err, const KgInstead *change);
/* Another tool, with these arguments (NULL: the same). */
extern void kg_error_call_tool(KgError *err, const char *tool,
							   const Jsonb *arguments);
/* Several things may have been meant. */
extern void kg_error_doubt(KgError *err);
/* An example of what would do at the error's path. */
extern void kg_error_example(KgError *err, const Jsonb *example);
extern const KgInstead *kg_error_said(const KgError *err);
/* Is told of each error that is raised, and may add members. */
extern void (*kg_error_complete)(KgError *err);
/* When it may work again, where waiting helps. */
extern void kg_error_retry_after(KgError *err, int ms);
extern void kg_error_errors(KgError *err, Jsonb *errors);
/* A member of its own; the name is a constant. */
extern void kg_error_member(KgError *err, const char *name, Jsonb *value);
/* The member nearest, where there is such a value. */
extern void kg_error_nearest(KgError *err, Jsonb *nearest);
extern void kg_error_member_int(KgError *err, const char *name, int64 n);
extern void kg_error_hint(KgError *err, const char *fmt, ...)
	pg_attribute_printf(2, 3);
extern KG_NORETURN void kg_error_throw(KgError *err) KG_NORETURN_TAIL;
/* kg_error_expected() and kg_error_throw(). */
extern KG_NORETURN void kg_error_throw_expected(KgError *err, const char *fmt,
												...)
	pg_attribute_printf(2, 3) KG_NORETURN_TAIL;
/* INVALID_INPUT of a member of a function's options. */
extern KG_NORETURN void
kg_error_throw_option(const char *name, const JsonbValue *got,
					  const char *expected) KG_NORETURN_TAIL;

/*
 * Errors that are gathered instead of raised: up to limit are kept, all are
 * counted.
 */
typedef struct KgErrorList
{
	List *errors; /* of KgError * */
	int limit;
	int64 total;
	bool withhold; /* the values are not for the caller to see */
} KgErrorList;

/* Adds to the list; without a list, raises. */
extern void kg_error_report(KgErrorList *list, KgError *err);

extern KgErrorCode kg_error_code(const KgError *err);
extern const char *kg_error_message(const KgError *err);

/*
 * Report the members of an object that are not among the known ones, which end
 * with NULL.
 */
extern void kg_check_members(const JsonbContainer *object,
							 const char *const *known, const char *path,
							 KgErrorList *errors);

/* The options of a function: an object with no others. */
extern void kg_check_options(const Jsonb *options, const char *const *known);
/* Is the option true?  False where it is not there; raises where it is no boolean. */
extern bool kg_option_is_on(const Jsonb *options, const char *name);

/* The gathered errors as a JSON array. */
extern Jsonb *kg_error_array(const KgErrorList *list);

/* Where an entity is at fault: its type and id, the keyword, the value wanted. */
extern void kg_error_entity(KgError *err, const char *type, const char *id);
extern void kg_error_keyword(KgError *err, const char *keyword);
/* JSON Pointer to the keyword in the schema. */
extern void kg_error_schema_path(KgError *err, const char *schema_path);
/* Keyword and schema path of another error, without its values. */
extern void kg_error_violated(KgError *err, const KgError *other);
/* Its path is below another; its text says first whose it is. */
extern void kg_error_prefix_path(KgError *err, const char *path);
extern void kg_error_prefix_message(KgError *err, const char *whose);
/* A jsonb that the error takes over as "got". */
extern void kg_error_got_jsonb(KgError *err, Jsonb *got);

/* The error as the JSON object of tools.md. */
extern Jsonb *kg_error_object(const KgError *err);

/*
 * The JSON object for an error that was caught: its DETAIL where it is one of
 * ours, else one made from its SQLSTATE.  Internal errors keep their text from
 * the caller.
 */
extern Jsonb *kg_error_caught(const ErrorData *edata);

/*
 * The same as a tool answers it, with its level and SQLSTATE; in_operation where a
 * registered tool had begun what it does.  operation is the name of what it ran,
 * or NULL.
 */
extern Jsonb *kg_error_answer(const ErrorData *edata, bool in_operation,
							  const char *operation);

/*
 * Is it about what was sent, so that the caller can do something about it?
 * Cancellation, locks, serialization and faults of the server are not: they
 * are raised.  base/catch.c asks.
 */
extern bool kg_error_is_answer(const ErrorData *edata);
/*
 * Is it the statement that was refused?  Not so if it was cancelled, or met
 * another session, a full memory or disk, or a transaction that only reads.
 */
extern bool kg_error_is_refusal(const ErrorData *edata);

/* Was it raised with an object of ours as its DETAIL? */
extern bool kg_error_is_ours(const ErrorData *edata);

extern const char *kg_error_code_name(KgErrorCode code);
/* The code that its SQLSTATE stands for, of an error that is an answer. */
extern KgErrorCode kg_error_caught_code(const ErrorData *edata);

/*
 * The candidate nearest to name by edit distance, or else the first that goes
 * on where name ends, or ends where name goes on, or the only one that ends with
 * it as a word (node_label); NULL when none is near.  None that asks for the
 * opposite (base/meaning.h).
 * Candidates are what the caller may see.
 */
extern const char *kg_nearest(const char *name, const char *const *candidates,
							  int ncandidates);

#endif /* KG_ERROR_H */
