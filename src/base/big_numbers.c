/*
 * big_numbers.c
 *	  Numbers so large that a double does not represent every integer, as text.
 */
#include "postgres.h"

#include "base/big_numbers.h"
#include "base/json.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/*
 * The largest integer up to which a double represents every integer: 2^53 - 1.
 */
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

static bool
replace(KgJsonWriter *w, const JsonbContainer *in, const KgJsonIter *member)
{
	if (!is_big(&member->value))
		return false;
	kg_jw_string(w, kg_json_cstring(&member->value));
	return true;
}

/*
 * Returns a copy of the JSON in which numbers with an absolute value above
 * KG_MAX_SAFE are text. Returns NULL if kg_graph.big_numbers does not require
 * text, or if there are no such numbers.
 */
static Jsonb *
as_text(const JsonbContainer *json)
{
	KgJsonWriter w;

	if (kg_setting_big_numbers == KG_NUMBERS_NUMBER || !has_big(json))
		return NULL;
	kg_jw_init(&w);
	kg_jw_replaced(&w, json, replace);
	return kg_jw_finish(&w);
}

const JsonbContainer *
kg_big_numbers_in(const JsonbContainer *json)
{
	const Jsonb *text = as_text(json);

	return text ? &text->root : json;
}

Jsonb *
kg_big_numbers(Jsonb *reply)
{
	Jsonb *text = as_text(&reply->root);

	return text ? text : reply;
}
