/*
 * report.c
 *	  kg_binding_report(), the report of a bound type. It reads only system
 *	  catalogs, never a row of the table.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "model/bound_index.h"
#include "model/bound_rows.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "virtual/served.h"

static void
write_columns(KgJsonWriter *w, const KgBoundProperty *property)
{
	kg_jw_kbegin_array(w, "columns");
	for (int i = 0; i < property->ncolumns; i++)
		kg_jw_string(w, property->columns[i].name);
	kg_jw_end_array(w);
}

/*
 * Writes whether an index serves comparisons of the columns. If there is no
 * such index, writes the CREATE INDEX command that would create it. If no index
 * would help, because the operator is not leakproof, writes "leakproof": false
 * instead.
 */
static void
write_served(KgJsonWriter *w, const KgBoundTable *table,
			 const KgBoundProperty *property)
{
	KgServed served = kg_vserved(table, property, BTEqualStrategyNumber);

	kg_jw_kstring(
		w, "read", served.indexed && served.leakproof ? "index" : "scan");
	if (!served.leakproof)
		kg_jw_kbool(w, "leakproof", false);
	else if (!served.indexed)
		kg_jw_kstring_if(w, "create_index", kg_vindex_text(table, property));
}

static void
write_properties(KgJsonWriter *w, const KgType *type, const KgBoundTable *table,
				 bool relations)
{
	kg_jw_kbegin_array(w, relations ? "relations" : "properties");
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgBoundProperty *property = &table->properties[i];

		CHECK_FOR_INTERRUPTS();
		if (property->ncolumns == 0 || field == type->id_field ||
			(field->ref_type != NULL) != relations)
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "property", field->name);
		if (relations)
			kg_jw_kstring(w, "to", field->ref_type);
		write_columns(w, property);
		if (!kg_bound_is_readable(property))
			kg_jw_kbool(w, "readable", false);
		write_served(w, table, property);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

/*
 * Writes whether an index finds the rows of the tenant.  Without it, a list
 * without filters may read the rows of all tenants.
 */
static void
write_tenant(KgJsonWriter *w, const KgBoundTable *table)
{
	KgBoundColumn column = table->tenant;
	KgBoundProperty property = {1, &column, NULL};
	bool indexed;

	if (column.name == NULL)
	{
		column.number = kg_bound_rows_column(table->relid, GetUserId());
		if (column.number <= 0)
			return;
		column.name = quote_identifier(
			get_attname(table->relid, column.number, false));
		column.type = get_atttype(table->relid, column.number);
	}
	indexed = kg_vserved(table, &property, BTEqualStrategyNumber).indexed;
	kg_jw_kbegin_object(w, "tenant");
	write_columns(w, &property);
	kg_jw_kstring(w, "read", indexed ? "index" : "scan");
	if (!indexed)
		kg_jw_kstring_if(w, "create_index", kg_vindex_text(table, &property));
	kg_jw_end_object(w);
}

static bool
is_bound_column(const KgType *type, const KgBoundTable *table, int64 number)
{
	for (int i = 0; i < type->nfields; i++)
		for (int j = 0; j < table->properties[i].ncolumns; j++)
			if (table->properties[i].columns[j].number == number)
				return true;
	return false;
}

/*
 * Writes the names of the table's columns that are not properties of the type.
 */
static void
write_left_out(KgJsonWriter *w, const KgType *type, const KgBoundTable *table)
{
	KG_SPI_EXEC("SELECT attname::text, attnum::bigint, atttypid FROM "
				"pg_attribute WHERE attrelid = $1 AND attnum > 0 "
				"AND NOT attisdropped ORDER BY attnum",
				kg_arg(OIDOID, ObjectIdGetDatum(table->relid)));
	kg_jw_kbegin_array(w, "left_out");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Oid column_type = DatumGetObjectId(kg_spi_datum(i, 3));

		if (is_bound_column(type, table, kg_spi_int64(i, 2)))
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "column", kg_spi_cstring(i, 1));
		kg_jw_kstring(w, "type", format_type_be(column_type));
		if (!kg_bound_is_shown(column_type))
			kg_jw_kbool(w, "shown", false);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static void
write_table(KgJsonWriter *w, const KgType *type, const KgBoundTable *table)
{
	const KgTableBinding *binding = type->binding;
	Oid base = kg_bound_base(table->relid, NULL, 0);
	double rows = OidIsValid(base) ? kg_bound_rows(base) : -1;

	kg_jw_kstring(w, "table", table->name);
	kg_jw_kstring(w,
				  "limited_by",
				  binding->tenant_column ? "tenant_column"
				  : binding->shared		 ? "nothing: it is shared"
										 : "its policies or views");
	if (table->kind == RELKIND_FOREIGN_TABLE)
		kg_jw_kbool(w, "foreign", true);
	kg_jw_kbool(w,
				"policies",
				OidIsValid(base) &&
					check_enable_rls(base, InvalidOid, true) == RLS_ENABLED);
	if (rows >= 0)
		kg_jw_kint(w, "rows_estimate", (int64) rows);
	else
		kg_jw_kstring(w, "statistics", psprintf("ANALYZE %s", table->name));
	kg_jw_kbegin_object(w, "id");
	write_columns(w, &table->id);
	write_served(w, table, &table->id);
	kg_jw_end_object(w);
	write_tenant(w, table);
	write_properties(w, type, table, false);
	write_properties(w, type, table, true);
	write_left_out(w, type, table);
}

Jsonb *
kg_binding_report(const KgType *type)
{
	KgErrorList faults = {NIL, 100, 0};
	const KgBoundTable *table;
	ListCell *lc;
	KgJsonWriter w;

	if (type->binding == NULL)
		kg_error_throw_expected(
			kg_error_new(KG_INVALID_INPUT,
						 "entity type \"%s\" reads no table",
						 kg_type_handle(type)),
			"a type with \"x-table\"");
	table = kg_bound_resolve(type, GetUserId(), "", &faults);
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", kg_type_handle(type));
	if (table != NULL)
		write_table(&w, type, table);
	kg_jw_kbegin_array(&w, "problems");
	foreach(lc, faults.errors)
		kg_jw_string(&w, kg_error_message(lfirst(lc)));
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}
