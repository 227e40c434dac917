/*
 * binding.c
 *	  Bound types: types whose entities are rows of a user's table.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/binding.h"
#include "model/operations.h"

static const char *const members[] = {"name",
									  "id",
									  "columns",
									  "shared",
									  "tenant_column",
									  "write",
									  "version_column",
									  NULL};
static const char *const relation_members[] = {
	"name", "from", "to", "columns", "shared", "tenant_column", NULL};

/* ---- the annotation ---- */

static void
report(KgErrorList *errors, const char *path, const char *expected)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, "\"x-table\" is not valid");

	kg_error_keyword(err, "x-table");
	kg_error_path(err, "%s", path);
	kg_error_expected(err, "%s", expected);
	kg_error_report(errors, err);
}

const char **
kg_binding_columns(const JsonbValue *value, int *n)
{
	const char **names;

	*n = 0;
	if (value->type == jbvString)
	{
		names = palloc(sizeof(char *));
		names[(*n)++] = kg_json_cstring(value);
		return names;
	}
	if (!kg_json_is_array(value))
		return NULL;
	names = palloc((kg_json_length(kg_json_container(value)) + 1) *
				   sizeof(char *));
	kg_json_each(it, kg_json_container(value))
	{
		if (it.value.type != jbvString)
		{
			*n = 0;
			return NULL;
		}
		names[(*n)++] = kg_json_cstring(&it.value);
	}
	return *n > 0 ? names : NULL;
}

static bool
are_columns(const JsonbValue *value)
{
	int n;

	if (!kg_json_is_object(value))
		return false;
	kg_json_each(it, kg_json_container(value))
		if (kg_binding_columns(&it.value, &n) == NULL)
			return false;
	return true;
}

/*
 * Reads the member "write" of x-table: the operations that change rows. Returns
 * false if the value is not an array of such operations.
 */
static bool
read_write(const JsonbValue *value, int *write)
{
	if (!kg_json_is_array(value))
		return false;
	kg_json_each(it, kg_json_container(value))
	{
		const KgOperation *operation = it.value.type == jbvString
										   ? kg_operation_named(
												 it.value.val.string.val,
												 it.value.val.string.len)
										   : NULL;

		if (operation == NULL || (operation->expose & KG_EXPOSE_ROWS) == 0)
			return false;
		*write |= operation->expose;
	}
	return true;
}

bool
kg_binding_names_table(const JsonbValue *value)
{
	JsonbValue name;

	return kg_json_is_object(value) &&
		   kg_json_get(kg_json_container(value), "name", &name) != NULL &&
		   name.type == jbvString;
}

const KgTableBinding *
kg_binding_read(const JsonbValue *value, bool of_relation, const char *path,
				KgErrorList *errors)
{
	KgTableBinding *binding = palloc0(sizeof(KgTableBinding));
	const JsonbContainer *object = kg_json_container(value);
	JsonbValue member;
	bool valid = true;

	if (!kg_json_is_object(value))
	{
		report(errors, path, "an object");
		return NULL;
	}
	if (errors != NULL)
		kg_check_members(
			object, of_relation ? relation_members : members, path, errors);
	if (kg_json_get(object, "name", &member) && member.type == jbvString)
		binding->table = kg_json_cstring(&member);
	if (kg_json_get(object, of_relation ? "from" : "id", &member))
		binding->id = kg_binding_columns(&member, &binding->nid);
	if (of_relation && kg_json_get(object, "to", &member))
		binding->to = kg_binding_columns(&member, &binding->nto);
	if (kg_json_get(object, "tenant_column", &member))
	{
		valid &= member.type == jbvString;
		binding->tenant_column = kg_json_cstring(&member);
	}
	if (!of_relation && kg_json_get(object, "version_column", &member))
	{
		valid &= member.type == jbvString;
		binding->version_column = kg_json_cstring(&member);
	}
	if (!of_relation && kg_json_get(object, "write", &member))
		valid &= read_write(&member, &binding->write);
	if (kg_json_get(object, "shared", &member))
	{
		valid &= member.type == jbvBool;
		binding->shared = kg_json_is_true(object, "shared");
	}
	if (kg_json_get(object, "columns", &member))
	{
		valid &= are_columns(&member);
		binding->columns = kg_json_container(&member);
	}
	if (valid && binding->table != NULL && binding->id != NULL &&
		(!of_relation || binding->to != NULL))
		return binding;
	report(errors,
		   path,
		   psprintf("\"name\", a table as schema.table, and %s, one or more of "
					"its columns; and \"columns\": {property: column}, "
					"\"tenant_column\": a column, \"shared\": true or false%s",
					of_relation ? "\"from\" and \"to\"" : "\"id\"",
					of_relation ? ""
								: ", \"write\": an array of \"create\", "
								  "\"update\" and \"delete\", "
								  "\"version_column\": a column"));
	return NULL;
}

/* ---- relations ---- */

static void
make_end(KgField *field, const char *name, const KgType *target)
{
	static KgStep steps[] = {{"from", 4}, {"to", 2}};

	memset(field, 0, sizeof(*field));
	field->name = name;
	field->nsteps = 1;
	field->steps = &steps[name[0] == 't'];
	field->kind = KG_KIND_STRING;
	field->ref_bundle = target->bundle;
	field->ref_type = target->name;
}

const KgType *
kg_binding_of_edges(const Jsonb *schema, const char *bundle,
					const char *relation, const KgField *fields, int nfields,
					const KgType *from, const KgType *to, const char *path,
					KgErrorList *errors)
{
	KgType *type;
	JsonbValue value;

	if (schema == NULL || !kg_json_get(&schema->root, "x-table", &value))
		return NULL;
	type = palloc0(sizeof(KgType));
	type->bundle = bundle;
	type->name = relation;
	type->binding = kg_binding_read(
		&value, true, psprintf("%s/x-table", path), errors);
	if (type->binding == NULL)
		return NULL;
	type->nfields = nfields + 2;
	type->fields = palloc(type->nfields * sizeof(KgField));
	memcpy(type->fields, fields, nfields * sizeof(KgField));
	make_end(&type->fields[nfields], "from", from);
	make_end(&type->fields[nfields + 1], "to", to);
	return type;
}
