/*
 * faults.c
 *	  Reports all faults of a wrong call in one error.
 *
 *	  Reading arguments ends at the first fault. If the error for this fault
 *	  contains a corrected call, this file tries that call. The error of the
 *	  corrected call is the next fault.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/correct/faults.h"

/* Maximum number of corrected calls that are tried for one error. */
#define KG_MAX_TRIES 10

/*
 * Returns the member "call" (the corrected call) of an error or a hint, or
 * NULL.
 */
static Jsonb *
call_of(const JsonbContainer *said)
{
	JsonbValue call;

	if (kg_json_get(said, "call", &call) == NULL || !kg_json_is_object(&call))
		return NULL;
	return kg_json_datum(&call);
}

/*
 * Writes an error or a hint as an entry of the list of faults. If it has a
 * corrected call, omits the members that list valid values ("allowed",
 * "expected", "nearest").
 */
static void
write_fault(KgJsonWriter *w, const JsonbContainer *said)
{
	static const char *const left_out[] = {"call", "level", "sqlstate"};
	static const char *const lists[] = {"allowed", "expected", "nearest"};
	bool mended = call_of(said) != NULL;

	kg_jw_begin_object(w);
	kg_json_each(it, said)
	{
		bool left = false;

		for (int i = 0; i < lengthof(left_out); i++)
			left |= kg_json_string_is(&it.key, left_out[i]) ||
					(mended && kg_json_string_is(&it.key, lists[i]));
		if (!left)
			kg_jw_member(w, &it);
	}
	kg_jw_end_object(w);
}

/*
 * Writes those hints that have a corrected call as faults. Returns the
 * corrected call of the last of them. Skips hints without "nearest": they are
 * about existing edges, not about the arguments.
 */
static Jsonb *
write_hints(KgJsonWriter *w, const Jsonb *reply)
{
	Jsonb *call = NULL;
	JsonbValue hints;
	JsonbValue nearest;

	if (kg_json_get(&reply->root, "hints", &hints) == NULL ||
		!kg_json_is_array(&hints))
		return NULL;
	kg_json_each(it, kg_json_container(&hints))
	{
		const JsonbContainer *hint = kg_json_container(&it.value);

		if (!kg_json_is_object(&it.value) || call_of(hint) == NULL ||
			kg_json_get(hint, "nearest", &nearest) == NULL)
			continue;
		call = call_of(hint);
		write_fault(w, hint);
	}
	return call;
}

static Jsonb *
with_faults(const Jsonb *error, const Jsonb *call, const Jsonb *faults)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_members(&w, &kg_json_without(error, "call")->root);
	kg_jw_kjsonb_if(&w, "call", call);
	kg_jw_kjsonb(&w, "errors", faults);
	return kg_jw_finish(&w);
}

Jsonb *
kg_all_faults(Jsonb *error, KgTry try)
{
	Jsonb *call = call_of(&error->root);
	JsonbValue taken;
	KgJsonWriter w;
	int n = 1;

	if (call == NULL || kg_json_get(&error->root, "errors", &taken) != NULL)
		return error;
	kg_jw_init_array(&w);
	write_fault(&w, &error->root);
	for (int i = 0; i < KG_MAX_TRIES && call != NULL; i++)
	{
		JsonbValue tool;
		JsonbValue arguments;
		KgTried tried;
		Jsonb *next;

		CHECK_FOR_INTERRUPTS();
		(void) kg_json_get(&call->root, "tool", &tool);
		(void) kg_json_get(&call->root, "arguments", &arguments);
		tried = try(kg_json_cstring(&tool), kg_json_datum(&arguments));
		if (tried.error != NULL)
		{
			write_fault(&w, &tried.error->root);
			call = call_of(&tried.error->root);
		}
		else if (tried.reply == NULL ||
				 (next = write_hints(&w, tried.reply)) == NULL)
			break;
		else
			call = next;
		n++;
	}
	return n == 1 ? error : with_faults(error, call, kg_jw_finish(&w));
}
