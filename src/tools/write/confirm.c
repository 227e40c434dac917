/*
 * confirm.c
 *	  Confirmation of writes: reports their effects before they are executed.
 *
 *	  The signed value contains, for each item, its version or the state of
 *	  its edge, and the effect of the write on it. The value is bound to the
 *	  caller, the tool and the arguments. The second call compares it with its
 *	  own effects, in a subtransaction that an error rolls back.
 *
 *	  An item that did not exist has no version, and could be created and
 *	  deleted in the meantime without being noticed. So used values are
 *	  recorded, and no value can be used twice.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "query/argument/cursor.h"
#include "query/run/running.h"
#include "tools/write/confirm.h"
#include "utils/timestamp.h"

/*
 * Seconds for which a signed value is valid: KG_CONFIRM_MINUTES, but not longer
 * than the time for which its use is recorded.
 */
#define KG_CONFIRM_MINUTES 10
#define KG_CONFIRM_SECONDS \
	Min(KG_CONFIRM_MINUTES *SECS_PER_MINUTE, kg_setting_idempotency_time)
/* Maximum length of a signed value. It suffices for 100 items. */
#define KG_MAX_CONFIRM_CHARS 8192

/*
 * The state of an item and the effect of the write on the item, as stored in
 * the signed value.
 */
typedef struct Told
{
	int64 version;
	int64 verdict;
} Told;

bool
kg_confirm_needed(bool deletes)
{
	KgConfirmLevel level = Max(kg_setting_confirm, kg_setting_confirm_more);

	if (level == KG_CONFIRM_OFF || (level == KG_CONFIRM_DELETES && !deletes))
		return false;
	switch (kg_running_function())
	{
		case KG_NO_FUNCTION:
			return true;
		case KG_FUNCTION_CONFIRMED:
			return false;
		case KG_FUNCTION_READS:
		case KG_FUNCTION_WRITES:
			kg_error_throw_expected(
				kg_error_new(KG_FORBIDDEN,
							 "the function of a registered tool calls a tool "
							 "that must be confirmed (kg_graph.confirm)"),
				"a registered tool without the annotation \"destructiveHint\": "
				"false, so that its call is confirmed");
	}
	return true;
}

static TimestampTz
end_of_value(void)
{
	return TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
									   KG_CONFIRM_SECONDS * INT64CONST(1000));
}

static char *
seal(const KgConfirm *confirm, const StringInfo told)
{
	return kg_cursor_seal(
		confirm->tenant, confirm->about, told->data, told->len);
}

static StringInfo
tell(const KgOutcomes *outcomes, TimestampTz expires)
{
	StringInfo told = makeStringInfo();

	appendBinaryStringInfo(told, (const char *) &expires, sizeof(expires));
	for (int i = 0; i < outcomes->n; i++)
	{
		const KgOutcome *outcome = &outcomes->items[i];
		Told item = {outcome->before, outcome->verdict};

		appendBinaryStringInfo(told, (const char *) &item, sizeof(item));
	}
	appendBinaryStringInfo(
		told, (const char *) &outcomes->effects, sizeof(outcomes->effects));
	return told;
}

static KG_NORETURN void
throw_bad_value(const JsonbValue *value, const char *message)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = message,
			 .path = "/confirm",
			 .got = value,
			 .expected = psprintf(
				 "\"confirm\" of the last reply to the same arguments, within "
				 "%d minutes, or no \"confirm\", to get a new one",
				 KG_CONFIRM_MINUTES));
}

void
kg_confirm_open(KgConfirm *confirm, const char *tool, const Jsonb *arguments)
{
	const char *subject = kg_token_subject();
	Jsonb *others = kg_json_without(arguments, "confirm");
	JsonbValue value;
	TimestampTz expires;

	confirm->tenant = kg_identity_require(KG_ACCESS_WRITE);
	confirm->about = makeStringInfo();
	confirm->told = NULL;
	if (subject == NULL)
		subject = "";
	kg_cursor_part(confirm->about, "confirm", strlen("confirm"));
	kg_cursor_part(confirm->about, subject, strlen(subject));
	kg_cursor_part(confirm->about, tool, strlen(tool));
	kg_cursor_part(confirm->about, others, VARSIZE(others));
	if (kg_json_get(&arguments->root, "confirm", &value) == NULL ||
		value.type == jbvNull)
		return;
	if (value.type == jbvString)
		confirm->told = kg_cursor_unseal(confirm->tenant,
										 confirm->about,
										 kg_json_cstring(&value),
										 KG_MAX_CONFIRM_CHARS);
	if (confirm->told == NULL || confirm->told->len < sizeof(expires))
		throw_bad_value(&value, "\"confirm\" is not from a reply to this call");
	memcpy(&expires, confirm->told->data, sizeof(expires));
	if (expires < GetCurrentTimestamp())
		throw_bad_value(&value, "\"confirm\" has expired");
	confirm->used = kg_idempotency_used(&confirm->request,
										kg_json_cstring(&value));
}

Jsonb *
kg_confirm_ask(const KgConfirm *confirm, const KgOutcomes *outcomes,
			   const Jsonb *reply)
{
	TimestampTz expires = end_of_value();
	StringInfo told = tell(outcomes, expires);
	KgSplice asking;

	kg_splice_init(&asking);
	kg_json_each(it, &reply->root)
		kg_splice_add(&asking, kg_json_cstring(&it.key), &it.value);
	kg_splice_string(&asking, "confirm", seal(confirm, told));
	kg_splice_string(&asking, "expires_at", kg_utc_text(expires));
	return kg_splice_finish(&asking);
}

static void
mark_used(const KgConfirm *confirm)
{
	if (!confirm->used)
	{
		kg_idempotency_keep(&confirm->request, kg_json_parse("{}"));
		return;
	}
	KG_THROW(
		KG_CONFLICT,
		.message = "this value of \"confirm\" was used already",
		.path = "/confirm",
		.expected =
			"the same call without \"confirm\", to make the changes once more");
}

void
kg_confirm_check(const KgConfirm *confirm, const KgOutcomes *outcomes)
{
	StringInfo done;
	KgErrorList moved = {NIL, kg_setting_max_errors, 0};
	const Told *told;
	KgError *err;

	if (confirm->told == NULL)
		return;
	done = tell(outcomes, 0);
	if (done->len == confirm->told->len &&
		memcmp(done->data + sizeof(TimestampTz),
			   confirm->told->data + sizeof(TimestampTz),
			   done->len - sizeof(TimestampTz)) == 0)
	{
		mark_used(confirm);
		return;
	}
	told = (const Told *) (confirm->told->data + sizeof(TimestampTz));
	for (int i = 0; done->len == confirm->told->len && i < outcomes->n; i++)
	{
		const KgOutcome *outcome = &outcomes->items[i];

		if (told[i].version == outcome->before)
			continue;
		err = kg_error_new(
			KG_CONFLICT,
			"the %s was changed after the call that returned \"confirm\"",
			outcome->id ? "entity" : "edge");
		if (outcome->id == NULL)
			kg_error_path(err, "/items/%d", i);
		else
			kg_error_entity(err, NULL, outcome->id);
		if (outcome->id != NULL && outcome->before > 0)
			kg_error_member_int(err, "current_version", outcome->before);
		kg_error_report(&moved, err);
	}
	err = kg_error_new(
		KG_CONFLICT,
		"the call would no longer make the changes that \"confirm\" confirms");
	kg_error_path(err, "/confirm");
	kg_error_expected(
		err, "the same call without \"confirm\", to see its present changes");
	if (moved.total > 0)
		kg_error_errors(err, kg_error_array(&moved));
	kg_error_throw(err);
}

/* ---- tools without a dry run ---- */

const Jsonb *
kg_confirm_begin(KgConfirm *confirm, const char *tool, bool deletes,
				 const Jsonb *arguments)
{
	confirm->arguments = NULL;
	if (!kg_confirm_needed(deletes) || !JB_ROOT_IS_OBJECT(arguments))
		return arguments;
	confirm->tool = tool;
	confirm->arguments = arguments;
	return kg_json_without(arguments, "confirm");
}

static KG_NORETURN void
throw_question(const KgConfirm *confirm)
{
	const KgOutcomes none = {0};
	TimestampTz expires = end_of_value();
	JsonbValue value = kg_json_string_value(
		seal(confirm, tell(&none, expires)));
	KgError *err = kg_error_new(
		KG_FORBIDDEN, "a call of tool \"%s\" must be confirmed", confirm->tool);

	kg_error_member(err, "confirm", kg_json_datum(&value));
	value = kg_json_string_value(kg_utc_text(expires));
	kg_error_member(err, "expires_at", kg_json_datum(&value));
	kg_error_throw_expected(err,
							"the same arguments with \"confirm\" of this "
							"error, after the user has agreed");
}

void
kg_confirm_require(KgConfirm *confirm)
{
	if (confirm->arguments == NULL)
		return;
	kg_confirm_open(confirm, confirm->tool, confirm->arguments);
	if (confirm->told == NULL)
		throw_question(confirm);
	mark_used(confirm);
}
