/*
 * big_numbers.c
 *	  Numbers of a reply that a double does not represent exactly, as text.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "tools/reply/big_numbers.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* The integers up to this are doubles: 2^53 - 1. */
#define KG_MAX_SAFE INT64CONST(9007199254740991)

static bool
is_big(const JsonbValue *value)
{
	int64 number;

	if (value->type != jbvNumeric)
		return false;
	if (kg_json_int64(value, &number))
		return number > KG_MAX_SAFE || number < -KG_MAX_SAFE;
	return DatumGetBool(DirectFunctionCall2(
		numeric_gt,
		DirectFunctionCall1(numeric_abs, NumericGetDatum(value->val.numeric)),
		NumericGetDatum(int64_to_numeric(KG_MAX_SAFE))));
}

static bool
has_big(const JsonbContainer *container)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	kg_json_each(it, container)
		if (it.value.type == jbvBinary ? has_big(kg_json_container(&it.value))
									   : is_big(&it.value))
			return true;
	return false;
}

static void
write_value(KgJsonWriter *w, const JsonbValue *value)
{
	const JsonbContainer *container = kg_json_container(value);

	check_stack_depth();
	if (is_big(value))
		kg_jw_string(w, kg_json_cstring(value));
	else if (container == NULL)
		kg_jw_value(w, value);
	else if (kg_json_is_array(value))
	{
		kg_jw_begin_array(w);
		kg_json_each(it, container)
			write_value(w, &it.value);
		kg_jw_end_array(w);
	}
	else
	{
		kg_jw_begin_object(w);
		kg_json_each(it, container)
		{
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
			write_value(w, &it.value);
		}
		kg_jw_end_object(w);
	}
}

Jsonb *
kg_big_numbers(Jsonb *reply)
{
	KgJsonWriter w;
	JsonbValue root;

	if (kg_setting_big_numbers == KG_NUMBERS_NUMBER || !has_big(&reply->root))
		return reply;
	kg_jw_init(&w);
	kg_json_root(reply, &root);
	write_value(&w, &root);
	return kg_jw_finish(&w);
}
