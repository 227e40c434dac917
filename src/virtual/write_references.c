/*
 * write_references.c
 *	  The references that an item of a write sets.
 *
 * A row must not refer to a row that the caller does not see, and the caller
 * must not learn from a constraint that such a row exists.  So targets are
 * looked up as the caller before the table checks its constraints.  They are
 * looked up again in the row as written, which may have other values by defaults
 * and triggers.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "store/check/check.h"
#include "utils/builtins.h"
#include "virtual/conditions.h"
#include "virtual/virtual.h"
#include "virtual/writing.h"

static const KgBoundProperty *
property_of(const KgVSource *source, const KgField *field)
{
	return &source->table->properties[field - source->type->fields];
}

/* Returns the assigned value of a column, or NULL. */
static const KgVAssigned *
assigned_to(const KgVAttempt *attempt, const KgBoundColumn *column)
{
	ListCell *lc;

	foreach(lc, attempt->assigned)
		if (((const KgVAssigned *) lfirst(lc))->column->number ==
			column->number)
			return lfirst(lc);
	return NULL;
}

const KgVAssigned *
kg_vassigned_reference(const KgVAttempt *attempt, const KgField *field)
{
	const KgBoundProperty *property = property_of(attempt->source, field);
	const KgVAssigned *found = NULL;

	for (int i = 0; i < property->ncolumns; i++)
	{
		const KgVAssigned *assigned = assigned_to(attempt,
												  &property->columns[i]);

		if (assigned == NULL || assigned->field == NULL)
			continue;
		if (assigned->field == field)
			return assigned;
		if (found == NULL)
			found = assigned;
	}
	return found;
}

/* Returns an error for a reference whose target the caller does not see. */
static KgError *
unseen(const KgVWrite *w, const KgField *field)
{
	const KgVAssigned *assigned = kg_vassigned_reference(&w->attempt, field);
	KgError *err = kg_no_target_error(
		field, kg_json_cstring(&assigned->sent), "existing entity");

	kg_error_entity(err, kg_type_handle(w->type), kg_vwrite_outcome(w)->id);
	kg_error_path(
		err,
		"%s",
		kg_path_member(w->attempt.path, assigned->field->steps[0].key));
	return err;
}

/* Returns whether the reference is from the row to itself. */
static bool
is_to_itself(const KgVWrite *w, const KgField *field)
{
	const char *id = kg_vwrite_outcome(w)->id;
	const KgVAssigned *assigned = kg_vassigned_reference(&w->attempt, field);

	return id != NULL &&
		   kg_catalog_type_in(w->source->catalog,
							  field->ref_bundle,
							  field->ref_type) == w->type &&
		   strcmp(kg_json_cstring(&assigned->sent), id) == 0;
}

/*
 * Returns the references that the item sets by one of their columns, and whose
 * target may be hidden from the caller.
 */
static List *
references_of(const KgVWrite *w)
{
	List *references = NIL;

	for (int i = 0; i < w->type->nfields; i++)
	{
		const KgField *field = &w->type->fields[i];
		const KgVColumn *column = &w->source->columns[i];

		if (field->ref_type != NULL &&
			(column->sql == NULL || column->seen != NULL) &&
			kg_vassigned_reference(&w->attempt, field) != NULL)
			references = lappend(references, (void *) field);
	}
	return references;
}

/* Returns whether the item sets each column of the reference to a value. */
static bool
is_whole(const KgVWrite *w, const KgField *field)
{
	const KgBoundProperty *property = property_of(w->source, field);

	for (int i = 0; i < property->ncolumns; i++)
	{
		const KgVAssigned *assigned = assigned_to(&w->attempt,
												  &property->columns[i]);

		if (assigned == NULL || assigned->value.type == jbvNull)
			return false;
	}
	return true;
}

/* Appends whether each reference has a value and no target that is seen. */
static void
append_unseen(KgSqlBuilder *b, const KgVWrite *w, List *references)
{
	ListCell *lc;

	foreach(lc, references)
	{
		const KgField *field = lfirst(lc);
		const KgVColumn *column = kg_vsource_column(w->source, field);

		kg_sql_append(b, "%s", foreach_current_index(lc) > 0 ? ", " : "");
		/* Nothing shows the target of a column without SELECT. */
		if (column->sql == NULL)
			kg_sql_append(b, is_whole(w, field) ? "true" : "false");
		for (int i = 0; i < column->nkeys; i++)
			kg_sql_append(b, "%s IS NOT NULL AND ", column->keys[i].sql);
		if (column->sql != NULL)
			kg_sql_append(b, "(%s) IS NULL", column->seen);
	}
}

/* Appends the columns of the references, as the statement will set them. */
static void
append_columns(KgSqlBuilder *b, const KgVWrite *w, List *references)
{
	List *numbers = NIL;
	ListCell *lc;

	kg_sql_append(b, "SELECT");
	foreach(lc, references)
	{
		const KgBoundProperty *property = property_of(w->source, lfirst(lc));

		for (int i = 0; i < property->ncolumns; i++)
		{
			const KgBoundColumn *column = &property->columns[i];

			if (list_member_int(numbers, column->number) || !column->readable)
				continue;
			kg_sql_append(b, numbers != NIL ? ", " : " ");
			numbers = lappend_int(numbers, column->number);
			if (assigned_to(&w->attempt, column) != NULL)
				kg_sql_append(b, "r.c%d AS %s", column->number, column->name);
			else if (w->operation == KG_EXPOSE_UPDATE)
				kg_sql_append(b, "t.%s", column->name);
			else
				kg_sql_append(b,
							  "NULL::%s AS %s",
							  format_type_be_qualified(column->type),
							  column->name);
		}
	}
	kg_sql_append(b, " FROM ");
	if (w->operation == KG_EXPOSE_UPDATE)
		kg_sql_append(b, "%s, ", w->source->from);
	kg_sql_append(b,
				  "pg_catalog.jsonb_to_record($%d) r",
				  kg_sql_param(b, JSONBOID, JsonbPGetDatum(kg_vrecord_of(w))));
	kg_vrecord(b, w->source, w->attempt.assigned);
}

/* Returns those of the references whose targets the statement does not find. */
static List *
run(const KgSqlBuilder *b, List *references)
{
	List *found = NIL;
	ListCell *lc;

	(void) kg_vexecute(b);
	foreach(lc, references)
		for (uint64 i = 0; i < SPI_processed; i++)
			if (DatumGetBool(kg_spi_datum(i, foreach_current_index(lc) + 1)))
			{
				found = lappend(found, lfirst(lc));
				break;
			}
	return found;
}

void
kg_vcheck_references(KgVWrite *w)
{
	const KgVSource *source = w->source;
	const char *id = kg_vwrite_outcome(w)->id;
	List *references = references_of(w);
	ListCell *lc;
	KgSqlBuilder b;

	if (references == NIL)
		return;
	kg_sql_start(&b, source->catalog);
	kg_sql_append(&b, "SELECT ");
	append_unseen(&b, w, references);
	kg_sql_append(&b, " FROM (");
	append_columns(&b, w, references);
	if (w->operation == KG_EXPOSE_UPDATE)
	{
		kg_sql_append(
			&b, " WHERE %s AND ", source->where ? source->where : "true");
		kg_vids(&b, source->keys, source->nkeys, &id, 1);
	}
	kg_sql_append(&b, ") t");
	foreach(lc, run(&b, references))
		if (!is_to_itself(w, lfirst(lc)))
			kg_outcome_error(kg_vwrite_outcome(w), unseen(w, lfirst(lc)));
}

KgError *
kg_vreview_references(const KgVWrite *w, const char *id)
{
	List *references = references_of(w);
	KgSqlBuilder b;

	if (references == NIL)
		return NULL;
	kg_sql_start(&b, w->source->catalog);
	kg_sql_append(&b, "SELECT ");
	append_unseen(&b, w, references);
	kg_vfrom(&b, w->source, (char *const *) &id, 1, NULL);
	references = run(&b, references);
	return references != NIL ? unseen(w, linitial(references)) : NULL;
}
