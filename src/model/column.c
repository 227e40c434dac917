/*
 * column.c
 *	  Properties as columns of SQL views.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/column.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

const KgField *
kg_column_field_among(const KgField *fields, int n, const char *property)
{
	for (int i = 0; i < n; i++)
	{
		const KgField *field = &fields[i];

		if (field->derived || field->steps[0].key == NULL ||
			field->steps[0].keylen != strlen(property) ||
			memcmp(field->steps[0].key, property, field->steps[0].keylen) != 0)
			continue;
		if (field->nsteps == 1 ||
			(field->nsteps == 2 && field->steps[1].key == NULL))
			return field;
	}
	return NULL;
}

const KgField *
kg_column_field(const KgType *type, const char *property)
{
	return kg_column_field_among(type->fields, type->nfields, property);
}

/*
 * Returns true if the schema limits the property's values to the range of
 * bigint.
 */
static bool
is_bounded(const KgType *type, const KgField *field)
{
	static const char *const bounds[] = {"minimum", "maximum"};
	JsonbValue properties;
	JsonbValue property;
	char *name = pnstrdup(field->steps[0].key, field->steps[0].keylen);

	if (type == NULL ||
		!kg_json_get(&type->schema->root, "properties", &properties) ||
		!kg_json_is_object(&properties) ||
		!kg_json_get(kg_json_container(&properties), name, &property) ||
		!kg_json_is_object(&property))
		return false;
	if (field->is_array &&
		(!kg_json_get(kg_json_container(&property), "items", &property) ||
		 !kg_json_is_object(&property)))
		return false;
	for (int i = 0; i < lengthof(bounds); i++)
	{
		JsonbValue bound;
		Datum fits;

		if (!kg_json_get(kg_json_container(&property), bounds[i], &bound) ||
			!kg_column_value(&bound, INT8OID, &fits))
			return false;
	}
	return true;
}

static bool
is_number_id(const KgType *type, const KgField *field)
{
	return type != NULL && type->number_ids && field == type->id_field;
}

static Oid
scalar_type(const KgType *type, const KgField *field)
{
	switch (field->kind)
	{
		case KG_KIND_STRING:
		case KG_KIND_ENUM:
			return TEXTOID;
		case KG_KIND_INTEGER:
			return field->ref_type != NULL || is_number_id(type, field) ||
						   is_bounded(type, field)
					   ? INT8OID
					   : NUMERICOID;
		case KG_KIND_NUMBER:
			return NUMERICOID;
		case KG_KIND_BOOLEAN:
			return BOOLOID;
		case KG_KIND_DATE:
			return DATEOID;
		case KG_KIND_DATETIME:
			return TIMESTAMPTZOID;
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			break;
	}
	return JSONBOID;
}

Oid
kg_column_type(const KgType *type, const KgField *field)
{
	Oid scalar = scalar_type(type, field);

	return field->is_array && scalar != JSONBOID ? get_array_type(scalar)
												 : scalar;
}

static bool
bigint_value(Numeric number, Datum *result)
{
	JsonbValue value;
	int64 n;

	value.type = jbvNumeric;
	value.val.numeric = number;
	if (!kg_json_int64(&value, &n))
		return false;
	*result = Int64GetDatum(n);
	return true;
}

static bool
instant_value(const JsonbValue *value, Oid type, Datum *result)
{
	int64 micros;

	if ((type == DATEOID) != (value->val.string.len == KG_DATE_LENGTH) ||
		!kg_key_instant_micros(
			value->val.string.val, value->val.string.len, &micros))
		return false;
	*result = type == DATEOID ? DateADTGetDatum(micros / USECS_PER_DAY)
							  : TimestampTzGetDatum(micros);
	return true;
}

bool
kg_column_value(const JsonbValue *value, Oid type, Datum *result)
{
	switch (type)
	{
		case TEXTOID:
			if (value->type != jbvString)
				return false;
			*result = PointerGetDatum(cstring_to_text_with_len(
				value->val.string.val, value->val.string.len));
			return true;
		case INT8OID:
			return value->type == jbvNumeric &&
				   bigint_value(value->val.numeric, result);
		case NUMERICOID:
			if (value->type != jbvNumeric)
				return false;
			*result = NumericGetDatum(value->val.numeric);
			return true;
		case BOOLOID:
			if (value->type != jbvBool)
				return false;
			*result = BoolGetDatum(value->val.boolean);
			return true;
		case DATEOID:
		case TIMESTAMPTZOID:
			return value->type == jbvString &&
				   instant_value(value, type, result);
		default:
			elog(ERROR, "no property is a column of type %u", type);
	}
	return false;
}
