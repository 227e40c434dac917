/*
 * period.c
 *	  Periods of validity: x-valid-from and x-valid-to.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/annotation_names.h"
#include "model/key.h"
#include "model/period.h"

/*
 * Reads the value of a bound in a document. Returns false if the document has
 * no such value. Sets *instant to the key of the value's instant, or to NULL if
 * the value is not an instant.
 */
static bool
bound_of(const KgField *field, const JsonbContainer *document,
		 JsonbValue *value, bytea **instant)
{
	if (field == NULL || !kg_field_value(field, document, value))
		return false;
	*instant = value->type == jbvString ? kg_key_instant(value->val.string.val,
														 value->val.string.len)
										: NULL;
	return true;
}

bool
kg_period_has(const KgPeriod *period, const JsonbContainer *document,
			  const bytea *instant)
{
	JsonbValue value;
	bytea *bound;

	if (bound_of(period->from, document, &value, &bound) && bound != NULL &&
		kg_key_compare(instant, bound) < 0)
		return false;
	return !bound_of(period->to, document, &value, &bound) || bound == NULL ||
		   kg_key_compare(instant, bound) < 0;
}

static KgError *
unreadable(KgAnnotation which, const KgField *field, const JsonbValue *value)
{
	return KG_ERROR(KG_VALIDATION_FAILED,
					.message = psprintf("property \"%s\", which \"%s\" names, "
										"is neither a date nor a date-time",
										field->name,
										kg_annotation_name(which)),
					.keyword = kg_annotation_name(which),
					.got = value,
					.expected = "a date-time with a zone, or a date");
}

KgError *
kg_period_fault(const KgPeriod *period, const Jsonb *document,
				const KgField **field)
{
	const JsonbContainer *root = &document->root;
	JsonbValue from;
	JsonbValue to;
	bytea *begin = NULL;
	bytea *end = NULL;

	*field = period->from;
	if (bound_of(period->from, root, &from, &begin) && begin == NULL)
		return unreadable(KG_X_VALID_FROM, period->from, &from);
	*field = period->to;
	if (bound_of(period->to, root, &to, &end) && end == NULL)
		return unreadable(KG_X_VALID_TO, period->to, &to);
	if (begin == NULL || end == NULL || kg_key_compare(begin, end) < 0)
		return NULL;
	return KG_ERROR(
		KG_VALIDATION_FAILED,
		.message = psprintf(
			"the period from \"%s\" (inclusive) to \"%s\" (exclusive) is empty",
			period->from->name,
			period->to->name),
		.keyword = kg_annotation_name(KG_X_VALID_TO),
		.got = &to,
		.expected = psprintf("a value of \"%s\" after %s, the value of \"%s\"; "
							 "the period does not include its end",
							 period->to->name,
							 kg_json_cstring(&from),
							 period->from->name));
}
