/*
 * edge_key.c
 *	  The key of an edge: the value of one of its properties.
 */
#include "postgres.h"

#include "base/json.h"
#include "store/edge/edge_key.h"
#include "utils/numeric.h"

static KgError *
fault(const KgRelation *relation, const JsonbValue *value, const char *what,
	  const char *expected)
{
	KgError *err = kg_error_new(KG_VALIDATION_FAILED,
								"property \"%s\", the key of relation "
								"\"%s\", is %s",
								relation->key,
								relation->name,
								what);

	if (value)
		kg_error_got(err, value);
	kg_error_expected(err, "%s", expected);
	return err;
}

/*
 * Returns an integer as text, or NULL if the number is not an integer. Numbers
 * that are equal (1 and 1.0) give equal texts.
 */
static const char *
integer_text(Numeric number)
{
	const char *text = numeric_normalize(number);

	return strchr(text, '.') == NULL &&
				   strspn(text, "-0123456789") == strlen(text)
			   ? text
			   : NULL;
}

const char *
kg_edge_key_text(const JsonbValue *value)
{
	if (value->type == jbvString)
		return kg_json_cstring(value);
	return value->type == jbvNumeric ? integer_text(value->val.numeric) : NULL;
}

const char *
kg_edge_key_of(const KgRelation *relation, const Jsonb *properties,
			   KgError **err)
{
	const char *key;
	JsonbValue value;

	*err = NULL;
	if (relation->key == NULL)
		return "";
	if (properties == NULL ||
		kg_json_get(&properties->root, relation->key, &value) == NULL)
	{
		*err = fault(relation, NULL, "missing", "a string or an integer");
		return NULL;
	}
	key = kg_edge_key_text(&value);
	if (key == NULL)
		*err = fault(relation,
					 &value,
					 "of another type than string or integer",
					 "a string or an integer");
	else if (strlen(key) > KG_MAX_EDGE_KEY)
	{
		*err = fault(relation,
					 &value,
					 "too long",
					 psprintf("at most %d bytes", KG_MAX_EDGE_KEY));
		key = NULL;
	}
	return key;
}

KgError *
kg_edge_key_fault(const char *property, const KgField *fields, int nfields)
{
	KgError *err;

	for (int i = 0; i < nfields; i++)
		if (strcmp(fields[i].name, property) == 0 && fields[i].nsteps == 1 &&
			!fields[i].is_array && !fields[i].nullable &&
			(fields[i].kind == KG_KIND_STRING ||
			 fields[i].kind == KG_KIND_ENUM ||
			 fields[i].kind == KG_KIND_INTEGER ||
			 fields[i].kind == KG_KIND_DATE ||
			 fields[i].kind == KG_KIND_DATETIME))
			return NULL;
	err = kg_error_new(KG_INVALID_INPUT,
					   "key \"%s\" is not a property of type string or "
					   "integer in the relation's \"schema\"",
					   property);
	kg_error_got_string(err, property);
	kg_error_expected(
		err, "a property that \"schema\" declares as a string or an integer");
	for (int i = 0; i < nfields; i++)
		if (fields[i].nsteps == 1 && !fields[i].is_array)
			kg_error_allow(err, fields[i].name);
	return err;
}
