/*
 * write_values.c
 *	  Assigning the values of an item to the columns that a statement sets.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/json.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "virtual/writing.h"

/* Returns whether the field is a member of the document's root object. */
static bool
is_root(const KgField *field)
{
	return field->steps[0].key != NULL &&
		   (field->nsteps == 1 ||
			(field->nsteps == 2 && field->steps[1].key == NULL));
}

static KgError *
unknown_property(const KgVWrite *w, const char *name)
{
	const KgType *type = w->type;
	const char **names = palloc((type->nfields + 1) * sizeof(char *));
	int n = 0;
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"type \"%s\" has no property \"%s\"",
								type->name,
								name);

	for (int i = 0; i < type->nfields; i++)
		if (is_root(&type->fields[i]) && w->source->columns[i].sql != NULL)
		{
			names[n] = type->fields[i].name;
			kg_error_allow(err, names[n++]);
		}
	kg_error_got_string(err, name);
	kg_error_did_you_mean(err, kg_nearest(name, names, n));
	kg_error_expected(err, "the name of a property");
	return err;
}

/* Returns the top-level property of this name, or NULL. */
const KgField *
kg_vroot_field(const KgType *type, const char *name)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if (is_root(field) && strcmp(field->steps[0].key, name) == 0)
			return field;
	}
	return NULL;
}

static bool
is_computed(Oid relid, AttrNumber number)
{
	HeapTuple tuple = SearchSysCacheAttNum(relid, number);
	bool computed;

	if (!HeapTupleIsValid(tuple))
		return false;
	computed = ((Form_pg_attribute) GETSTRUCT(tuple))->attgenerated != '\0' ||
			   ((Form_pg_attribute) GETSTRUCT(tuple))->attidentity ==
				   ATTRIBUTE_IDENTITY_ALWAYS;
	ReleaseSysCache(tuple);
	return computed;
}

static void
report_property(const KgVWrite *w, const KgField *field, KgError *err)
{
	kg_error_entity(err, kg_type_handle(w->type), kg_vwrite_outcome(w)->id);
	kg_error_path(
		err, "%s", kg_path_member(w->attempt.path, field->steps[0].key));
	kg_outcome_error(kg_vwrite_outcome(w), err);
}

static void
report_contradiction(const KgVWrite *w, const KgField *field,
					 const KgVAssigned *other, const JsonbValue *value)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"properties \"%s\" and \"%s\" are stored in "
								"the same column and have different values",
								other->field->name,
								field->name);

	kg_error_got(err, value);
	kg_error_expected(err, "only one of the properties, or equal values");
	report_property(w, field, err);
}

static void
assign_column(KgVWrite *w, const KgField *field, const KgBoundColumn *column,
			  const JsonbValue *value, const JsonbValue *sent)
{
	const KgBoundTable *table = w->source->table;
	KgVAssigned *assigned = palloc(sizeof(*assigned));
	ListCell *lc;

	foreach(lc, w->attempt.assigned)
	{
		const KgVAssigned *other = lfirst(lc);

		if (other->column->number != column->number)
			continue;
		/*
		 * The column is part of the id and also a property. Both values must be
		 * equal.
		 */
		if (field != NULL && other->field != NULL &&
			strcmp(kg_json_cstring(value), kg_json_cstring(&other->value)) != 0)
			report_contradiction(w, field, other, value);
		return;
	}
	if (field != NULL &&
		(is_computed(table->relid, column->number) ||
		 (w->operation == KG_EXPOSE_UPDATE && table->version.name != NULL &&
		  column->number == table->version.number)))
	{
		KgError *err = kg_error_new(KG_INVALID_INPUT,
									"property \"%s\" is computed by the table",
									field->name);

		kg_error_keyword(err, "readOnly");
		kg_error_got(err, value);
		kg_error_expected(err, "an item without this property");
		report_property(w, field, err);
		return;
	}
	if (table->tenant.name != NULL && column->number == table->tenant.number &&
		field != NULL && !kg_json_string_is(value, w->tenant))
	{
		KgError *err = kg_error_new(
			KG_FORBIDDEN,
			"property \"%s\" contains the tenant and cannot be written",
			field->name);

		kg_error_got(err, value);
		kg_error_expected(err, "an item without this property");
		report_property(w, field, err);
		return;
	}
	assigned->field = field;
	assigned->column = column;
	assigned->value = *value;
	assigned->sent = *sent;
	w->attempt.assigned = lappend(w->attempt.assigned, assigned);
}

/*
 * Assigns a property to its column. An id of several columns is split, and each
 * part is assigned to its column. Reports an error if the property is unknown
 * or the value does not have the right number of parts.
 */
void
kg_vassign(KgVWrite *w, const char *name, const JsonbValue *value)
{
	const KgField *field = kg_vroot_field(w->type, name);
	const KgBoundProperty *property;
	JsonbValue part = *value;
	char **parts = NULL;
	KgError *err;

	if (field == NULL)
	{
		err = unknown_property(w, name);
		kg_error_path(err, "%s", w->attempt.path);
		kg_outcome_error(kg_vwrite_outcome(w), err);
		return;
	}
	property = field == w->type->id_field
				   ? &w->source->table->id
				   : &w->source->table->properties[field - w->type->fields];
	if (property->ncolumns > 1 && value->type == jbvString)
		parts = kg_bound_id_parts(kg_json_cstring(value), property->ncolumns);
	if (property->ncolumns == 0 ||
		(property->ncolumns > 1 && parts == NULL && value->type != jbvNull))
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "the value of property \"%s\" does not have a part "
						   "for each of its columns",
						   field->name);
		kg_error_got(err, value);
		kg_error_expected(
			err, "a string of %d values, joined by \"/\"", property->ncolumns);
		report_property(w, field, err);
		return;
	}
	for (int i = 0; i < property->ncolumns; i++)
	{
		if (parts != NULL)
			part = kg_json_string_value(parts[i]);
		assign_column(w, field, &property->columns[i], &part, value);
	}
}

Jsonb *
kg_vrecord_of(const KgVWrite *w)
{
	KgJsonWriter out;
	ListCell *lc;

	kg_jw_init_object(&out);
	foreach(lc, w->attempt.assigned)
	{
		const KgVAssigned *assigned = lfirst(lc);

		kg_jw_key(&out, psprintf("c%d", assigned->column->number));
		kg_jw_value(&out, &assigned->value);
	}
	return kg_jw_finish(&out);
}

void
kg_vassign_tenant(KgVWrite *w)
{
	const KgBoundTable *table = w->source->table;
	JsonbValue tenant = kg_json_string_value(w->tenant);

	/*
	 * Assign the tenant unless the table computes the column. In either case,
	 * the written row is read again, so it must belong to the tenant.
	 */
	if (table->tenant.name != NULL &&
		!is_computed(table->relid, table->tenant.number))
		assign_column(w, NULL, &table->tenant, &tenant, &tenant);
}

void
kg_vrecord(KgSqlBuilder *b, const KgVSource *source, const List *assigned)
{
	ListCell *lc;

	kg_sql_append(b, "(");
	foreach(lc, assigned)
	{
		const KgBoundColumn *column = ((KgVAssigned *) lfirst(lc))->column;
		Oid type;
		int32 typmod;
		Oid collation;

		get_atttypetypmodcoll(
			source->table->relid, column->number, &type, &typmod, &collation);
		kg_sql_append(b,
					  "%sc%d %s",
					  foreach_current_index(lc) > 0 ? ", " : "",
					  column->number,
					  format_type_extended(type,
										   typmod,
										   FORMAT_TYPE_TYPEMOD_GIVEN |
											   FORMAT_TYPE_FORCE_QUALIFY));
		if (OidIsValid(collation))
			kg_sql_append(b, " COLLATE %s", generate_collation_name(collation));
	}
	kg_sql_append(b, ")");
}
