/*
 * bound_table.c
 *	  The tables of bound types, resolved in the current system catalogs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/json.h"
#include "catalog/namespace.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "model/bound_rows.h"
#include "model/bound_table.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

bool
kg_relation_binds(const KgCatalog *catalog, const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgType *from = kg_catalog_type_no(
			catalog, relation->variants[i].from_type_no);
		const KgType *to = kg_catalog_type_no(catalog,
											  relation->variants[i].to_type_no);

		if ((from != NULL && from->binding != NULL) ||
			(to != NULL && to->binding != NULL))
			return true;
	}
	return false;
}

void
kg_binding_refuse(const KgType *type, const char *subject)
{
	KgError *err;

	if (type == NULL || type->binding == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"%s is not possible for entity type \"%s\", which reads a table",
		subject,
		kg_type_handle(type));
	kg_error_entity(err, type->name, NULL);
	kg_error_throw_expected(err,
							"an entity type without a table; the list and "
							"get tools of the type and \"query\" read its "
							"rows");
}

void
kg_binding_refuse_write(const KgType *type)
{
	KgError *err;

	if (type->binding == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"entity type \"%s\" reads a table, whose rows only tools can write",
		kg_type_handle(type));
	kg_error_entity(err, type->name, NULL);
	if (type->binding->write != 0)
		kg_error_throw_expected(
			err, "the tools that write entities of type \"%s\"", type->name);
	kg_error_throw_expected(err,
							"\"write\": [\"create\", \"update\", \"delete\"] "
							"in \"x-table\" of its schema, which makes these "
							"tools");
}

/*
 * Returns the names of the columns of a top-level property, and sets *n to
 * their number. Returns NULL for any other field.
 */
static const char **
names_of(const KgType *type, const KgField *field, int *n)
{
	const KgTableBinding *binding = type->binding;
	const KgStep *step = &field->steps[0];
	char *property;
	const char **names;
	JsonbValue value;

	*n = 0;
	if (binding->nto > 0 && field == kg_binding_end(type, 1))
	{
		*n = binding->nto;
		return binding->to;
	}
	if (field == type->id_field ||
		(binding->nto > 0 && field == kg_binding_end(type, 0)))
	{
		*n = binding->nid;
		return binding->id;
	}
	if (field->derived || step->key == NULL || field->nsteps > 2 ||
		(field->nsteps == 2 && field->steps[1].key != NULL))
		return NULL;
	property = pnstrdup(step->key, step->keylen);
	if (binding->columns != NULL &&
		kg_json_get(binding->columns, property, &value))
		return kg_binding_columns(&value, n);
	names = palloc(sizeof(char *));
	names[(*n)++] = property;
	return names;
}

/* ---- the table ---- */

static KG_NORETURN void
throw_gone(const KgType *type, const char *what)
{
	KgError *err = kg_error_new(KG_FAILED_BINDING,
								"%s \"%s\" reads %s, which does not exist",
								kg_binding_subject(type),
								kg_type_handle(type),
								what);

	kg_error_entity(err, type->name, NULL);
	kg_error_throw_expected(
		err,
		"a binding to the columns that the table has, made by kg_bind_table()");
}

static void
report_gone(const KgType *type, const char *what, const char *path,
			KgErrorList *errors)
{
	KgError *err;

	if (errors == NULL)
		throw_gone(type, what);
	err = kg_error_new(KG_INVALID_INPUT, "%s does not exist", what);
	kg_error_keyword(err, "x-table");
	kg_error_path(err, "%s", path);
	kg_error_expected(err, "a table with columns of these names");
	kg_error_report(errors, err);
}

static bool
find_column(Oid relid, const char *name, Oid role, KgBoundColumn *column)
{
	HeapTuple tuple = SearchSysCacheAttName(relid, name);
	Form_pg_attribute attribute;

	if (!HeapTupleIsValid(tuple))
		return false;
	attribute = (Form_pg_attribute) GETSTRUCT(tuple);
	column->name = quote_identifier(pstrdup(name));
	column->number = attribute->attnum;
	column->type = getBaseType(attribute->atttypid);
	column->not_null = attribute->attnotnull;
	column->folds = OidIsValid(attribute->attcollation) &&
					!get_collation_isdeterministic(attribute->attcollation);
	column->readable = pg_class_aclcheck(relid, role, ACL_SELECT) ==
						   ACLCHECK_OK ||
					   pg_attribute_aclcheck(
						   relid, attribute->attnum, role, ACL_SELECT) ==
						   ACLCHECK_OK;
	ReleaseSysCache(tuple);
	return column->number > 0;
}

static KgBoundProperty
find_columns(Oid relid, const char **names, int n, Oid role)
{
	KgBoundProperty property = {0};

	property.columns = palloc0(Max(1, n) * sizeof(KgBoundColumn));
	for (int i = 0; i < n && property.missing == NULL; i++)
		if (find_column(relid, names[i], role, &property.columns[i]))
			property.ncolumns++;
		else
			property.missing = names[i];
	if (property.missing != NULL)
		property.ncolumns = 0;
	return property;
}

/*
 * Returns the OID of the table and sets *full to its qualified name. Returns
 * InvalidOid if the table does not exist.
 */
static Oid
find_table(const char *table, const char **full)
{
	List *names = NIL;
	Oid relid;
	Oid schema;

	if (!SplitIdentifierString(pstrdup(table), '.', &names) ||
		list_length(names) != 2)
		return InvalidOid;
	schema = get_namespace_oid(linitial(names), true);
	if (!OidIsValid(schema))
		return InvalidOid;
	relid = get_relname_relid(lsecond(names), schema);
	if (OidIsValid(relid))
		*full = quote_qualified_identifier(linitial(names), lsecond(names));
	return relid;
}

static bool
may_read(Oid relid, Oid role)
{
	return kg_schema_aclcheck(get_rel_namespace(relid), role, ACL_USAGE) ==
			   ACLCHECK_OK &&
		   (pg_class_aclcheck(relid, role, ACL_SELECT) == ACLCHECK_OK ||
			pg_attribute_aclcheck_all(relid, role, ACL_SELECT, ACLMASK_ANY) ==
				ACLCHECK_OK);
}

static void
report_forbidden(const KgType *type, const char *path, KgErrorList *errors)
{
	KgError *err = kg_error_new(
		KG_FORBIDDEN,
		"%s \"%s\" reads a table that the caller may not read",
		kg_binding_subject(type),
		kg_type_handle(type));

	kg_error_entity(err, type->name, NULL);
	kg_error_expected(err,
					  "a role to which the table's owner has granted SELECT");
	if (errors != NULL)
		kg_error_path(err, "%s", path);
	kg_error_report(errors, err);
}

static void
report_rows(const KgType *type, const KgBoundTable *table,
			const KgRowsFault *fault, const char *path, KgErrorList *errors)
{
	KgError *err = kg_error_new(fault->forbidden ? KG_FORBIDDEN
								: errors != NULL ? KG_INVALID_INPUT
												 : KG_FAILED_BINDING,
								"%s \"%s\" cannot read table %s: %s",
								kg_binding_subject(type),
								type->name,
								table->name,
								fault->message);

	kg_error_entity(err, type->name, NULL);
	kg_error_expected(err, "%s", fault->expected);
	if (errors != NULL)
	{
		kg_error_keyword(err, "x-table");
		kg_error_path(err, "%s", path);
	}
	kg_error_report(errors, err);
}

/*
 * Finds a column named in the binding. If the column does not exist any more,
 * reports a fault and returns false. If name is NULL, returns true.
 */
static bool
find_named(const KgType *type, const KgBoundTable *table, const char *name,
		   Oid role, KgBoundColumn *column, const char *path,
		   KgErrorList *errors)
{
	if (name == NULL || find_column(table->relid, name, role, column))
		return true;
	report_gone(type,
				psprintf("column \"%s\" of table %s", name, table->name),
				path,
				errors);
	return false;
}

KgBoundTable *
kg_bound_resolve(const KgType *type, Oid role, const char *path,
				 KgErrorList *errors)
{
	const KgTableBinding *binding = type->binding;
	KgBoundTable *table = palloc0(sizeof(*table));
	KgRowsFault fault;

	table->relid = find_table(binding->table, &table->name);
	if (!OidIsValid(table->relid))
	{
		report_gone(type, psprintf("table %s", binding->table), path, errors);
		return NULL;
	}
	if (!may_read(table->relid, role))
	{
		report_forbidden(type, path, errors);
		return NULL;
	}
	table->kind = get_rel_relkind(table->relid);
	table->id = find_columns(table->relid, binding->id, binding->nid, role);
	if (table->id.missing != NULL)
	{
		report_gone(type,
					psprintf("column \"%s\" of table %s",
							 table->id.missing,
							 table->name),
					path,
					errors);
		return NULL;
	}
	if (!find_named(type,
					table,
					binding->tenant_column,
					role,
					&table->tenant,
					path,
					errors) ||
		!find_named(type,
					table,
					binding->version_column,
					role,
					&table->version,
					path,
					errors))
		return NULL;
	table->properties = palloc0((type->nfields + 1) * sizeof(KgBoundProperty));
	for (int i = 0; i < type->nfields; i++)
	{
		int n;
		const char **names = names_of(type, &type->fields[i], &n);

		table->properties[i] = find_columns(table->relid, names, n, role);
		if (table->properties[i].missing != NULL)
			report_gone(type,
						psprintf("column \"%s\" of table %s",
								 table->properties[i].missing,
								 table->name),
						path,
						errors);
	}
	if (!kg_bound_rows_check(binding, table->relid, role, &fault))
	{
		report_rows(type, table, &fault, path, errors);
		return NULL;
	}
	return table;
}

const KgBoundTable *
kg_bound_table(const KgType *type)
{
	return kg_bound_resolve(type, GetUserId(), "", NULL);
}

/* ---- ids ---- */

bool
kg_bound_is_key(Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case CASHOID:
		case TIMETZOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return false;
		default:
			return true;
	}
}

char *
kg_bound_text(const char *sql, Oid type)
{
	if (type == DATEOID || type == TIMESTAMPOID)
		return psprintf("(pg_catalog.to_jsonb(%s) OPERATOR(pg_catalog.#>>) "
						"'{}'::pg_catalog.text[])",
						sql);
	return psprintf("(%s)::pg_catalog.text", sql);
}

char *
kg_bound_value_text(Oid type, Datum value)
{
	Oid output;
	Oid cast;
	bool varlena;

	if (type == DATEOID || type == TIMESTAMPOID)
		return JsonEncodeDateTime(palloc(MAXDATELEN + 1), value, type, NULL);
	/*
	 * For boolean and inet, the explicit cast to text has another result than
	 * the output function of the type.
	 */
	if (find_coercion_pathway(TEXTOID, type, COERCION_EXPLICIT, &cast) ==
			COERCION_PATH_FUNC &&
		get_func_nargs(cast) == 1)
		return TextDatumGetCString(
			OidFunctionCall1Coll(cast, DEFAULT_COLLATION_OID, value));
	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

char *
kg_bound_id_text(const char *alias, const KgBoundProperty *id)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < id->ncolumns; i++)
	{
		const KgBoundColumn *column = &id->columns[i];
		char *text = kg_bound_text(psprintf("%s.%s", alias, column->name),
								   column->type);

		if (id->ncolumns == 1)
			return text;
		appendStringInfo(
			&sql,
			"%spg_catalog.replace(pg_catalog.replace(%s, '%%', '%%25'), '/', "
			"'%%2F')",
			i > 0 ? " OPERATOR(pg_catalog.||) '/' OPERATOR(pg_catalog.||) "
				  : "(",
			text);
	}
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* Replaces the escapes %2F and %25 by their characters, in the given buffer. */
static void
unescape(char *part)
{
	char *to = part;

	for (const char *p = part; *p; p++)
	{
		if (strncmp(p, "%2F", 3) == 0 || strncmp(p, "%25", 3) == 0)
		{
			*to++ = p[2] == 'F' ? '/' : '%';
			p += 2;
		}
		else
			*to++ = *p;
	}
	*to = '\0';
}

char **
kg_bound_id_parts(const char *id, int n)
{
	char **parts = palloc(n * sizeof(char *));
	char *rest = pstrdup(id);

	if (n == 1)
	{
		parts[0] = rest;
		return parts;
	}
	for (int i = 0; i < n; i++)
	{
		char *slash = strchr(rest, '/');

		if ((slash != NULL) != (i < n - 1))
			return NULL;
		parts[i] = rest;
		if (slash != NULL)
		{
			*slash = '\0';
			rest = slash + 1;
		}
		unescape(parts[i]);
	}
	return parts;
}

bool
kg_bound_is_readable(const KgBoundProperty *property)
{
	for (int i = 0; i < property->ncolumns; i++)
		if (!property->columns[i].readable)
			return false;
	return true;
}

bool
kg_bound_is_shown(Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
		type = getBaseType(element);
	return type != BYTEAOID && get_typtype(type) != TYPTYPE_PSEUDO &&
		   type != INTERNALOID;
}
