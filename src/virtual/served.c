/*
 * served.c
 *	  The check whether an index serves a condition on a bound type. If no
 *	  index serves any condition of a filter, PostgreSQL reads the whole
 *	  table. If policies of the table apply to the caller, PostgreSQL uses an
 *	  index only for leakproof operators.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/error.h"
#include "base/settings.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "model/bound_index.h"
#include "utils/rls.h"
#include "virtual/conditions.h"
#include "virtual/operators.h"
#include "virtual/served.h"

/*
 * Returns the table that has the columns of a property, and sets numbers to the
 * numbers of these columns in that table. Returns InvalidOid for a view of an
 * unsupported form.
 */
static Oid
base_of(const KgBoundTable *table, const KgBoundProperty *property,
		int64 *numbers)
{
	for (int i = 0; i < property->ncolumns; i++)
		numbers[i] = property->columns[i].number;
	return kg_bound_base(table->relid, numbers, property->ncolumns);
}

KgServed
kg_vserved(const KgBoundTable *table, const KgBoundProperty *property,
		   int strategy)
{
	KgServed served = {false, true};
	int64 *numbers = palloc(Max(1, property->ncolumns) * sizeof(int64));
	Oid base = base_of(table, property, numbers);

	if (!OidIsValid(base))
		return served;
	served.indexed = kg_bound_has_index(
		base, numbers, property->ncolumns, false);
	if (check_enable_rls(base, InvalidOid, true) != RLS_ENABLED)
		return served;
	for (int i = 0; i < property->ncolumns; i++)
		served.leakproof &= kg_voperator_is_leakproof(property->columns[i].type,
													  strategy);
	return served;
}

char *
kg_vindex_text(const KgBoundTable *table, const KgBoundProperty *property)
{
	int64 *numbers = palloc(Max(1, property->ncolumns) * sizeof(int64));
	Oid base = base_of(table, property, numbers);

	/*
	 * Return no command for a view, whose column names may differ from the
	 * table's, or for a foreign table, which has no local indexes.
	 */
	if (!OidIsValid(base) || base != table->relid ||
		table->kind == RELKIND_FOREIGN_TABLE)
		return NULL;
	return kg_bound_index_text(table, property, false);
}

static const KgBoundProperty *
property_of(const KgVSource *source, const KgField *field)
{
	return field == NULL
			   ? &source->table->id
			   : &source->table->properties[field - source->type->fields];
}

static bool
condition_is_served(const KgVSource *source, const KgCondition *condition)
{
	const KgBoundProperty *property = property_of(source, condition->field);
	int strategy = kg_vstrategy(condition);
	KgServed served;

	/*
	 * A property of several columns is compared as one text, which no index
	 * serves. Only the columns of the id are compared one by one.
	 */
	if (strategy == InvalidStrategy ||
		(condition->field == NULL ? strategy != BTEqualStrategyNumber
								  : property->ncolumns != 1))
		return false;
	served = kg_vserved(source->table, property, strategy);
	return served.indexed && served.leakproof;
}

static bool
filter_is_served(const KgVSource *source, const KgFilter *filter)
{
	for (int i = 0; i < filter->nconditions; i++)
		if (condition_is_served(source, &filter->conditions[i]))
			return true;
	for (int i = 0; i < filter->nany; i++)
		if (!filter_is_served(source, filter->any[i]))
			return false;
	return filter->nany > 0;
}

/*
 * Returns the part of a filter that no index serves: the filter itself, or the
 * first such alternative if the filter has only alternatives.
 */
static const KgFilter *
unserved_part(const KgVSource *source, const KgFilter *filter)
{
	for (int i = 0; i < filter->nany && filter->nconditions == 0; i++)
		if (!filter_is_served(source, filter->any[i]))
			return filter->any[i];
	return filter;
}

/*
 * Returns the CREATE INDEX command of an index that would serve a condition of
 * the filter, or NULL.
 */
static char *
index_for(const KgVSource *source, const KgFilter *filter)
{
	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *condition = &filter->conditions[i];
		const KgBoundProperty *property = property_of(source, condition->field);
		int strategy = kg_vstrategy(condition);

		if (strategy != InvalidStrategy && property->ncolumns == 1 &&
			kg_vserved(source->table, property, strategy).leakproof &&
			!kg_vserved(source->table, property, strategy).indexed)
			return kg_vindex_text(source->table, property);
	}
	return NULL;
}

static void
allow_indexed(KgError *err, const KgVSource *source)
{
	for (int i = 0; i < source->type->nfields; i++)
	{
		const KgField *field = &source->type->fields[i];
		const KgBoundProperty *property = property_of(source, field);
		KgServed served;

		if (property->ncolumns != 1 || field->is_array)
			continue;
		served = kg_vserved(source->table, property, BTEqualStrategyNumber);
		if (served.indexed && served.leakproof)
			kg_error_allow(err, field->name);
	}
}

/*
 * Returns the estimated number of rows of the table if it is too large to be
 * read as a whole; otherwise -1.
 */
static double
rows_of_large(const KgVSource *source)
{
	const KgBoundTable *table = source->table;
	Oid base;
	double rows;

	if (table == NULL || kg_setting_max_unindexed < 0 ||
		table->kind == RELKIND_FOREIGN_TABLE)
		return -1;
	base = kg_bound_base(table->relid, NULL, 0);
	rows = OidIsValid(base) ? kg_bound_rows(base) : -1;
	return rows > kg_setting_max_unindexed ? rows : -1;
}

bool
kg_vsource_is_large(const KgVSource *source)
{
	return rows_of_large(source) >= 0;
}

bool
kg_vfilter_is_served(const KgVSource *source, const KgFilter *filter)
{
	return !kg_vsource_is_large(source) || filter_is_served(source, filter);
}

static KgError *
unserved(const KgVSource *source, const char *part, double rows)
{
	KgError *err = kg_error_new(
		KG_LIMIT_EXCEEDED,
		"no index of table %s serves the %s, and the table has about %.0f "
		"rows; kg_graph.max_unindexed allows %d",
		source->table->name,
		part,
		rows,
		kg_setting_max_unindexed);

	kg_error_entity(err, source->type->name, NULL);
	allow_indexed(err, source);
	return err;
}

void
kg_vfilter_require_index(const KgVSource *source, const KgFilter *filter)
{
	double rows;
	char *index;
	KgError *err;

	if (filter == NULL || kg_filter_is_empty(filter))
		return;
	rows = rows_of_large(source);
	if (rows < 0 || filter_is_served(source, filter))
		return;
	filter = unserved_part(source, filter);
	err = unserved(source, "filter", rows);
	if (filter->nconditions > 0)
		kg_error_path(err, "%s", filter->conditions[0].path);
	index = index_for(source, filter);
	kg_error_throw_expected(
		err,
		"%s%sa condition on an id or on an allowed property, by equality or a "
		"range",
		index ? index : "",
		index ? "; or " : "");
}

void
kg_vsort_require_index(const KgVSource *source, const KgFilter *filter,
					   const KgField *field)
{
	double rows = rows_of_large(source);
	const KgBoundProperty *property;
	char *index;
	KgError *err;

	if (rows < 0 || (filter != NULL && filter_is_served(source, filter)))
		return;
	property = property_of(source, field);
	/* No index serves a value that depends on the visibility of another row. */
	if (kg_vsource_column(source, field)->seen == NULL &&
		field->kind != KG_KIND_ENUM &&
		kg_vserved(source->table, property, BTLessStrategyNumber).indexed)
		return;
	err = unserved(source, "sort", rows);
	kg_error_path(err, "/sort/0/field");
	kg_error_got_string(err, field->name);
	index = field->ref_type == NULL && field->kind != KG_KIND_ENUM
				? kg_vindex_text(source->table, property)
				: NULL;
	kg_error_throw_expected(
		err,
		"%s%sa sort by an allowed property, or a filter that an index serves",
		index ? index : "",
		index ? "; or " : "");
}
