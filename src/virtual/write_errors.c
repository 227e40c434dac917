/*
 * write_errors.c
 *	  Converts the error by which a table refuses a write into the error that
 *	  the tool returns. The error of a constraint names the property and the valid
 *	  values. No text of the server reaches the caller, because it may contain
 *	  values and names of other rows and tables. There are two exceptions: the
 *	  definition of a CHECK constraint if the caller may read its columns, and
 *	  the message of a trigger of the table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "model/bound_index.h"
#include "store/check/check.h"
#include "store/entity/entities.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "virtual/writing.h"

/* Maximum length in bytes of a trigger's message that the caller sees. */
#define KG_MAX_MESSAGE 1000

/* ---- properties ---- */

/*
 * Returns the table whose rows are written. If the type is bound to a view, it
 * is the table below the view.
 */
static Oid
base_of(const KgVSource *source)
{
	Oid base = kg_bound_base(source->table->relid, NULL, 0);

	return OidIsValid(base) ? base : source->table->relid;
}

Datum
kg_vwritten_tables(const KgVSource *source)
{
	List *tables = find_all_inheritors(base_of(source), NoLock, NULL);
	Datum *values;
	ListCell *lc;

	tables = list_append_unique_oid(tables, source->table->relid);
	values = palloc(list_length(tables) * sizeof(Datum));
	foreach(lc, tables)
		values[foreach_current_index(lc)] = ObjectIdGetDatum(lfirst_oid(lc));
	return PointerGetDatum(construct_array(
		values, list_length(tables), OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/*
 * Returns whether an error is about the written table, or about one of its
 * partitions.
 */
static bool
is_own(const KgVAttempt *attempt, Oid relid)
{
	Oid base = base_of(attempt->source);

	return relid == base ||
		   (OidIsValid(relid) && get_rel_relispartition(relid) &&
			list_member_oid(get_partition_ancestors(relid), base));
}

/*
 * Returns the name that a column has in the written table, which may differ
 * from its name in the view.
 */
static const char *
base_name(const KgVAttempt *attempt, const KgBoundColumn *column)
{
	int64 number = column->number;
	Oid base = kg_bound_base(attempt->source->table->relid, &number, 1);

	return OidIsValid(base) ? get_attname(base, number, true) : NULL;
}

/*
 * Returns the property that has this column of the table, or NULL. If several
 * properties have the column, prefers the one without other columns, for
 * example a reference that is a part of the id.
 */
static const KgField *
property_of(const KgVAttempt *attempt, const char *name)
{
	const KgType *type = attempt->source->type;
	const KgField *found = NULL;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgBoundProperty *property =
			field == type->id_field ? &attempt->source->table->id
									: &attempt->source->table->properties[i];

		for (int j = 0; j < property->ncolumns; j++)
		{
			const char *other = base_name(attempt, &property->columns[j]);

			if (other == NULL || strcmp(other, name) != 0)
				continue;
			if (property->ncolumns == 1)
				return field;
			if (found == NULL)
				found = field;
		}
	}
	return found;
}

/*
 * Returns the property of the first column in a list that has a property; a
 * property other than the id is preferred. Returns NULL if no column has a
 * property. Appends the names of all properties to text.
 */
static const KgField *
properties_of(const KgVAttempt *attempt, Oid relid, const int16 *numbers, int n,
			  StringInfo text)
{
	const KgField *first = NULL;
	int found = 0;

	for (int i = 0; i < n; i++)
	{
		const char *name = get_attname(relid, numbers[i], true);
		const KgField *field = name ? property_of(attempt, name) : NULL;

		if (field == NULL)
			continue;
		/*
		 * Prefer a property other than the id, because its value is more likely
		 * the faulty one.
		 */
		if (first == NULL || first == attempt->source->type->id_field)
			first = field;
		appendStringInfo(
			text, "%s\"%s\"", found++ > 0 ? ", " : "", field->name);
	}
	return first;
}

static void
point(KgError *err, const KgVAttempt *attempt, const KgField *field)
{
	ListCell *lc;

	kg_error_entity(err, kg_type_handle(attempt->source->type), attempt->id);
	if (field == NULL || attempt->deferred ||
		attempt->operation == KG_EXPOSE_DELETE)
	{
		kg_error_path(err, "%s", attempt->path);
		return;
	}
	kg_error_path(
		err, "%s", kg_path_member(attempt->path, field->steps[0].key));
	foreach(lc, attempt->assigned)
	{
		const KgVAssigned *assigned = lfirst(lc);

		if (assigned->field == field && assigned->value.type != jbvNull)
			kg_error_got(err, &assigned->sent);
	}
}

/* ---- constraints ---- */

/* The constraint or unique index that an error names. */
typedef struct Violated
{
	Oid relid;
	Oid constraint; /* OID of the constraint, or InvalidOid for an index */
	int n;
	int16 *columns;
} Violated;

static void
read_columns(Violated *violated, Datum array)
{
	ArrayType *numbers = DatumGetArrayTypeP(array);

	violated->n = ARR_DIMS(numbers)[0];
	violated->columns = (int16 *) ARR_DATA_PTR(numbers);
}

static void
read_index(Violated *violated, Oid index)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;

	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_index) GETSTRUCT(tuple);
	violated->n = form->indnkeyatts;
	violated->columns = palloc((form->indnkeyatts + 1) * sizeof(int16));
	memcpy(violated->columns,
		   form->indkey.values,
		   form->indnkeyatts * sizeof(int16));
	ReleaseSysCache(tuple);
}

static Violated
find_violated(const ErrorData *edata)
{
	Violated violated = {InvalidOid};
	Oid schema = edata->schema_name
					 ? get_namespace_oid(edata->schema_name, true)
					 : InvalidOid;
	HeapTuple tuple;
	bool isnull;
	Datum columns;

	if (!OidIsValid(schema) || edata->table_name == NULL)
		return violated;
	violated.relid = get_relname_relid(edata->table_name, schema);
	if (!OidIsValid(violated.relid) || edata->constraint_name == NULL)
		return violated;
	violated.constraint = get_relation_constraint_oid(
		violated.relid, edata->constraint_name, true);
	if (!OidIsValid(violated.constraint))
	{
		read_index(&violated,
				   get_relname_relid(edata->constraint_name, schema));
		return violated;
	}
	tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(violated.constraint));
	if (!HeapTupleIsValid(tuple))
		return violated;
	columns = SysCacheGetAttr(
		CONSTROID, tuple, Anum_pg_constraint_conkey, &isnull);
	if (!isnull)
		read_columns(&violated,
					 PointerGetDatum(DatumGetArrayTypePCopy(columns)));
	ReleaseSysCache(tuple);
	return violated;
}

/*
 * Returns the property of a violated constraint's columns that properties_of()
 * chooses, or NULL. Appends the names of all properties to text.
 */
static const KgField *
fields_of(const KgVAttempt *attempt, const Violated *violated, StringInfo text)
{
	initStringInfo(text);
	if (!is_own(attempt, violated->relid))
		return NULL;
	return properties_of(
		attempt, violated->relid, violated->columns, violated->n, text);
}

static bool
is_of_id(const KgVAttempt *attempt, const Violated *violated)
{
	const KgBoundProperty *id = &attempt->source->table->id;

	if (violated->n != id->ncolumns)
		return false;
	for (int i = 0; i < violated->n; i++)
	{
		const char *name = get_attname(
			violated->relid, violated->columns[i], true);

		if (name == NULL ||
			property_of(attempt, name) != attempt->source->type->id_field)
		{
			bool found = false;

			for (int j = 0; name != NULL && j < id->ncolumns; j++)
			{
				const char *key = base_name(attempt, &id->columns[j]);

				found |= key != NULL && strcmp(key, name) == 0;
			}
			if (!found)
				return false;
		}
	}
	return true;
}

static KgError *
not_unique(const KgVAttempt *attempt, const ErrorData *edata)
{
	Violated violated = find_violated(edata);
	StringInfoData names;
	const KgField *field = fields_of(attempt, &violated, &names);
	KgError *err;

	if (field != NULL && attempt->id != NULL &&
		attempt->operation == KG_EXPOSE_CREATE && is_of_id(attempt, &violated))
	{
		err = kg_id_taken_error(attempt->source->type, attempt->id);
		point(err, attempt, attempt->source->type->id_field);
		kg_error_got_string(err, attempt->id);
		kg_error_expected(err, "an id that no row of the table has");
		return err;
	}
	err = kg_error_new(KG_ALREADY_EXISTS,
					   field == NULL
						   ? "another row already has these values"
						   : "another row already has the value of %s",
					   names.data);
	point(err, attempt, field);
	kg_error_keyword(err, "unique");
	kg_error_expected(err,
					  violated.n > 1 ? "values that no other row has together"
									 : "a value that no other row has");
	return err;
}

/*
 * Returns the reference property, of a bound type, whose columns a violated
 * foreign key contains. Returns NULL if there is no such property.
 */
static const KgField *
referring_property(const KgVAttempt *attempt, const Violated *violated)
{
	const KgCatalog *catalog = attempt->source->catalog;
	KgErrorList none = {.limit = 1};

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type;
		const KgBoundTable *table;

		if (!kg_row_has(&catalog->types[i], KG_TRAIT_TABLE))
			continue;
		type = kg_type_of(&catalog->types[i]);
		table = kg_bound_resolve(type, GetUserId(), "", &none);
		if (table == NULL || table->relid != violated->relid)
			continue;
		for (int j = 0; j < type->nfields; j++)
			if (type->fields[j].ref_type != NULL && violated->n > 0 &&
				table->properties[j].ncolumns == violated->n &&
				table->properties[j].columns[0].number == violated->columns[0])
				return &type->fields[j];
	}
	return NULL;
}

static KgError *
still_referenced(const KgVAttempt *attempt, const Violated *violated)
{
	const KgField *field = referring_property(attempt, violated);
	KgError *err = kg_error_new(
		KG_REFERENCE_MISSING,
		field != NULL ? "entity of type \"%s\" is still referenced by property "
						"\"%s\" of type \"%s\""
					  : "entity of type \"%s\" is still referenced",
		attempt->source->type->name,
		field ? field->name : NULL,
		field ? field->type->name : NULL);

	point(err, attempt, NULL);
	kg_error_keyword(err, "x-on-delete");
	kg_error_expected(
		err,
		"the same call, after the referring entities were changed or deleted");
	return err;
}

static KgError *
no_target(const KgVAttempt *attempt, const ErrorData *edata)
{
	Violated violated = find_violated(edata);
	StringInfoData names;
	const KgField *field = fields_of(attempt, &violated, &names);
	const char *value = NULL;
	ListCell *lc;
	KgError *err;

	if (attempt->operation == KG_EXPOSE_DELETE ||
		!is_own(attempt, violated.relid))
		return still_referenced(attempt, &violated);
	foreach(lc, attempt->assigned)
	{
		const KgVAssigned *assigned = lfirst(lc);

		if (field != NULL && assigned->field == field &&
			assigned->value.type != jbvNull)
			value = kg_json_cstring(&assigned->sent);
	}
	if (field != NULL && field->ref_type != NULL && value != NULL)
		err = kg_no_target_error(field, value, "existing entity");
	else
	{
		err = kg_error_new(KG_REFERENCE_MISSING,
						   field != NULL
							   ? "%s refers to a row that does not exist"
							   : "the row refers to a row that does not exist",
						   names.data);
		kg_error_expected(err, "a value that exists in the referenced table");
	}
	point(err, attempt, field);
	return err;
}

/*
 * Returns the definition of a CHECK constraint if the caller may read all its
 * columns, or NULL.
 */
static const char *
definition_of(const KgVAttempt *attempt, const Violated *violated)
{
	bool isnull;
	Datum value;

	if (!OidIsValid(violated->constraint) || violated->n == 0)
		return NULL;
	for (int i = 0; i < violated->n; i++)
		if (pg_attribute_aclcheck(violated->relid,
								  violated->columns[i],
								  GetUserId(),
								  ACL_SELECT) != ACLCHECK_OK &&
			pg_class_aclcheck(violated->relid, GetUserId(), ACL_SELECT) !=
				ACLCHECK_OK)
			return NULL;
	KG_SPI_EXEC("SELECT pg_get_constraintdef($1)",
				kg_arg(OIDOID, ObjectIdGetDatum(violated->constraint)));
	value = kg_spi_value(0, 1, &isnull);
	return isnull ? NULL : TextDatumGetCString(value);
}

static KgError *
not_checked(const KgVAttempt *attempt, const ErrorData *edata)
{
	Violated violated = find_violated(edata);
	StringInfoData names;
	const KgField *field = fields_of(attempt, &violated, &names);
	const char *definition = definition_of(attempt, &violated);
	KgError *err = kg_error_new(
		KG_VALIDATION_FAILED,
		field != NULL
			? "%s does not satisfy a CHECK constraint of the table"
			: "the row does not satisfy a CHECK constraint of the table",
		names.data);

	point(err, attempt, field);
	kg_error_keyword(err, "check");
	kg_error_expected(err,
					  "%s",
					  definition ? definition
								 : "values that the table's owner allows");
	return err;
}

static KgError *
is_missing(const KgVAttempt *attempt, const ErrorData *edata)
{
	Violated violated = find_violated(edata);
	const KgField *field = edata->column_name != NULL &&
								   is_own(attempt, violated.relid)
							   ? property_of(attempt, edata->column_name)
							   : NULL;
	KgError *err = field != NULL
					   ? kg_error_new(KG_VALIDATION_FAILED,
									  "property \"%s\" is required",
									  field->name)
					   : kg_error_new(KG_VALIDATION_FAILED,
									  "the table requires a value in a column "
									  "that is not a property");

	point(err, attempt, field);
	kg_error_keyword(err, "required");
	if (field != NULL)
		kg_error_expected(err, "a value for the property");
	else
		kg_error_expected(
			err, "a default for the column, or a binding that includes it");
	return err;
}

/* ---- privileges ---- */

static KgError *
forbidden(const KgVAttempt *attempt)
{
	const KgBoundTable *table = attempt->source->table;
	AclMode mode = attempt->operation == KG_EXPOSE_CREATE	? ACL_INSERT
				   : attempt->operation == KG_EXPOSE_UPDATE ? ACL_UPDATE
															: ACL_DELETE;
	bool granted = pg_class_aclcheck(table->relid, GetUserId(), mode) ==
				   ACLCHECK_OK;
	const char *verb = mode == ACL_INSERT	? "insert into"
					   : mode == ACL_UPDATE ? "update"
											: "delete from";
	KgError *err;
	ListCell *lc;

	if (granted)
	{
		err = kg_error_new(KG_FORBIDDEN,
						   "a policy of the table, or a missing privilege of "
						   "its triggers, prevents the write");
		point(err, attempt, NULL);
		kg_error_expected(err,
						  "a row that the policies allow the caller to write");
		return err;
	}
	foreach(lc, mode == ACL_DELETE ? NIL : attempt->assigned)
	{
		const KgVAssigned *assigned = lfirst(lc);

		if (assigned->field == NULL ||
			pg_attribute_aclcheck(
				table->relid, assigned->column->number, GetUserId(), mode) ==
				ACLCHECK_OK)
			continue;
		err = kg_error_new(KG_FORBIDDEN,
						   "the caller may not write property \"%s\"",
						   assigned->field->name);
		point(err, attempt, assigned->field);
		kg_error_expected(err, "an item without this property");
		return err;
	}
	err = kg_error_new(KG_FORBIDDEN,
					   "the caller may not %s the table of type \"%s\"",
					   verb,
					   attempt->source->type->name);
	point(err, attempt, NULL);
	kg_error_expected(
		err, "a role to which the table's owner has granted this privilege");
	return err;
}

/* ---- values ---- */

/*
 * The conversion of a single value to the type of its column, in order to find
 * the value that has failed.
 */
typedef struct Conversion
{
	const KgVSource *source;
	KgVAssigned *assigned;
} Conversion;

static void
convert(void *arg)
{
	const Conversion *conversion = arg;
	MemoryContext old = CurrentMemoryContext;
	KgSqlBuilder b;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_key(&w, psprintf("c%d", conversion->assigned->column->number));
	kg_jw_value(&w, &conversion->assigned->value);
	kg_sql_start(&b, conversion->source->catalog);
	kg_sql_append(&b,
				  "SELECT FROM pg_catalog.jsonb_to_record($%d) r",
				  kg_sql_param(&b, JSONBOID, JsonbPGetDatum(kg_jw_finish(&w))));
	kg_vrecord(&b, conversion->source, list_make1(conversion->assigned));
	(void) SPI_execute_with_args(
		b.sql.data, b.nargs, b.argtypes, b.values, NULL, true, 0);
	MemoryContextSwitchTo(old);
}

/*
 * Returns the error for a value that cannot be converted to the type of its
 * column, or NULL.
 */
static KgError *
no_value(const KgVAttempt *attempt)
{
	ListCell *lc;

	foreach(lc, attempt->assigned)
	{
		Conversion conversion = {attempt->source, lfirst(lc)};
		const KgField *field = conversion.assigned->field;
		Oid type;
		int32 typmod;
		Oid collation;
		KgError *err;

		if (field == NULL ||
			kg_catch_refusal(KG_CATCH_UNDO, convert, &conversion) == NULL)
			continue;
		get_atttypetypmodcoll(attempt->source->table->relid,
							  conversion.assigned->column->number,
							  &type,
							  &typmod,
							  &collation);
		err = kg_error_new(
			KG_VALIDATION_FAILED,
			"the value of property \"%s\" is not valid for its column",
			field->name);
		point(err, attempt, field);
		kg_error_keyword(err, "type");
		kg_error_expected(
			err,
			"a value of type %s",
			format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN));
		return err;
	}
	return NULL;
}

/* ---- triggers ---- */

/*
 * Returns the message that a trigger function of the table has raised for the
 * table's users, or NULL. Other functions, such as those of policies, may have
 * read rows that the caller does not see.
 */
static const char *
trigger_message(const KgVAttempt *attempt, const ErrorData *edata)
{
	int first;

	if (edata->context == NULL || edata->message == NULL ||
		kg_error_is_builtin(edata))
		return NULL;
	first = strcspn(edata->context, "\n");
	KG_SPI_EXEC("SELECT DISTINCT tgfoid FROM pg_trigger WHERE NOT tgisinternal "
				"AND tgrelid = ANY ($1)",
				kg_arg(OIDARRAYOID, kg_vwritten_tables(attempt->source)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		/*
		 * The space before the name excludes functions whose names only end
		 * with this name.
		 */
		char *name = psprintf(
			" %s", format_procedure(DatumGetObjectId(kg_spi_datum(i, 1))));
		char *at = strstr(edata->context, name);

		if (at != NULL && at - edata->context < first)
			return pnstrdup(edata->message,
							pg_mbcliplen(edata->message,
										 strlen(edata->message),
										 KG_MAX_MESSAGE));
	}
	return NULL;
}

static KgError *
refused_otherwise(const KgVAttempt *attempt, const ErrorData *edata)
{
	const char *message = trigger_message(attempt, edata);
	KgError *err;

	if (message != NULL)
	{
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "a trigger of the table refuses the row: %s",
						   message);
		kg_error_expected(err, "a row that the trigger accepts");
	}
	else if (kg_error_is_builtin(edata) || kg_error_is_ours(edata))
	{
		err = kg_error_new(
			KG_FAILED_BINDING,
			"the statement that writes the table of type \"%s\" failed",
			attempt->source->type->name);
		kg_error_expected(
			err,
			"a table or view that has the columns of the binding, and whose "
			"functions, triggers and policies raise no errors");
	}
	else
	{
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "a function of the table refuses the row");
		kg_error_expected(err, "values that the function accepts");
	}
	point(err, attempt, NULL);
	return err;
}

KgError *
kg_virtual_refused(const KgVAttempt *attempt, const ErrorData *edata)
{
	KgError *err = NULL;

	if (!kg_error_is_builtin(edata) || kg_error_is_ours(edata))
		return refused_otherwise(attempt, edata);
	switch (edata->sqlerrcode)
	{
		case ERRCODE_UNIQUE_VIOLATION:
		case ERRCODE_EXCLUSION_VIOLATION:
			return not_unique(attempt, edata);
		case ERRCODE_FOREIGN_KEY_VIOLATION:
			return no_target(attempt, edata);
		case ERRCODE_CHECK_VIOLATION:
			/*
			 * If no table is named, the error is of a domain or of a
			 * conversion. Try to convert each value to find the faulty one.
			 */
			if (edata->table_name == NULL)
				err = no_value(attempt);
			return err != NULL ? err : not_checked(attempt, edata);
		case ERRCODE_NOT_NULL_VIOLATION:
			return is_missing(attempt, edata);
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
		case ERRCODE_WITH_CHECK_OPTION_VIOLATION:
			return forbidden(attempt);
		default:
			if (ERRCODE_TO_CATEGORY(edata->sqlerrcode) ==
				ERRCODE_DATA_EXCEPTION)
				err = no_value(attempt);
			return err != NULL ? err : refused_otherwise(attempt, edata);
	}
}
