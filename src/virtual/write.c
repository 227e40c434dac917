/*
 * write.c
 *	  Writing the rows of bound types.
 *
 * Each item is one INSERT, UPDATE or DELETE with the rights of the caller, in a
 * subtransaction, so the table's constraints, policies and triggers decide. A
 * row is read before it is changed. An UPDATE or DELETE changes the row only if
 * it still has the version that was read. The row is read again afterwards. The
 * item is rolled back if the caller would not see the row, or if the row refers
 * to a row that the caller does not see.
 *
 * Values pass through jsonb_to_record(), whose columns have the types of the
 * table's columns. Each name is qualified, so the caller's search_path can stay
 * in effect for the table's triggers.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "auth/identity.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/entity/entities.h"
#include "store/entity/new_ids.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "virtual/conditions.h"
#include "virtual/writing.h"

/* A row of the table, as read. */
typedef struct Row
{
	bool found;
	const char *id;
	int64 version; /* version of the row; below 0: a hash of its document */
	Jsonb *data;
} Row;

static KG_NORETURN void
fail(KgVWrite *w, KgError *err)
{
	w->err = err;
	kg_error_throw(err);
}

/* ---- statements ---- */

/*
 * Runs a statement with a new snapshot. Returns the number of rows processed.
 */
static uint64
execute(const KgSqlBuilder *b)
{
	MemoryContext old = CurrentMemoryContext;
	int result = SPI_execute_with_args(
		b->sql.data, b->nargs, b->argtypes, b->values, NULL, false, 0);

	MemoryContextSwitchTo(old);
	if (result < 0)
		elog(
			ERROR, "could not write a row: %s", SPI_result_code_string(result));
	return SPI_processed;
}

static const char *
version_of(const KgVSource *source)
{
	const KgBoundTable *table = source->table;

	if (table->version.name != NULL)
		return psprintf("COALESCE(t.%s, 0)::pg_catalog.int8",
						table->version.name);
	/*
	 * Privileges on columns do not include system columns such as ctid and
	 * xmin.
	 */
	if ((table->kind == RELKIND_RELATION ||
		 table->kind == RELKIND_PARTITIONED_TABLE) &&
		pg_class_aclcheck(table->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return "t.xmin::pg_catalog.text::pg_catalog.int8";
	return NULL;
}

/*
 * Returns the row with this id. Its "found" is false if the caller sees no such
 * row. If rows have no column with a version, the version is a hash of the
 * document.
 */
static Row
read_row(const KgVWrite *w, const char *id)
{
	const KgVSource *source = w->source;
	Row row = {false};
	TupleTableSlot *slot;
	KgSqlBuilder b;

	kg_sql_start(&b, source->catalog);
	kg_sql_append(&b,
				  "SELECT %s, %s",
				  source->id,
				  w->version ? w->version : "0::pg_catalog.int8");
	(void) kg_vdocument(&b, source);
	kg_vfrom(&b, source, (char *const *) &id, 1, NULL);
	/* If rows have no versions, lock the row until it is written. */
	if (w->version == NULL && w->operation == KG_EXPOSE_UPDATE)
		kg_sql_append(&b, " FOR UPDATE OF t");
	(void) execute(&b);
	slot = MakeSingleTupleTableSlot(SPI_tuptable->tupdesc, &TTSOpsHeapTuple);
	/*
	 * Compare the ids as texts, because the condition may match another text of
	 * the key, such as 04 for 4.
	 */
	for (uint64 i = 0; i < SPI_processed && !row.found; i++)
	{
		ExecStoreHeapTuple(SPI_tuptable->vals[i], slot, false);
		row.id = TextDatumGetCString(kg_slot_datum(slot, 1));
		row.found = strcmp(row.id, id) == 0;
		row.version = DatumGetInt64(kg_slot_datum(slot, 2));
		row.data = kg_vdocument_of(source, slot, 3, row.id);
	}
	ExecDropSingleTupleTableSlot(slot);
	SPI_freetuptable(SPI_tuptable);
	if (row.found && w->version == NULL)
		row.version = -1 - (int64) hash_bytes((unsigned char *) row.data,
											  VARSIZE(row.data));
	return row;
}

/*
 * Appends the conditions that select the row only in the version that was read.
 */
static void
append_where(KgSqlBuilder *b, const KgVWrite *w)
{
	const KgVSource *source = w->source;
	const char *id = kg_vwrite_outcome(w)->id;

	kg_sql_append(b, " WHERE %s AND ", source->where ? source->where : "true");
	kg_vids(b, source->keys, source->nkeys, &id, 1);
	if (w->version != NULL)
		kg_sql_append(b,
					  " AND %s OPERATOR(pg_catalog.=) $%d",
					  w->version,
					  kg_sql_param_int64(b, kg_vwrite_outcome(w)->before));
}

/*
 * Returns the id that the statement returned if it wrote one row, otherwise
 * NULL.
 */
static const char *
returned_id(void)
{
	return SPI_processed == 1 ? kg_spi_cstring(0, 1) : NULL;
}

/* ---- references ---- */

/*
 * References to other rows: a row must not refer to a row that the caller does
 * not see, and an error of a constraint must not reveal that such a row exists.
 * So before the table checks its constraints, targets are looked up with the
 * caller's rights. They are looked up again in the written row, because
 * defaults and triggers may have set other values.
 */

static const KgBoundProperty *
property_of(const KgVSource *source, const KgField *field)
{
	return &source->table->properties[field - source->type->fields];
}

/* Returns the value that the item assigns to a column, or NULL. */
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

/*
 * Returns the value that the item assigns to the reference property, or to one
 * of its columns, or NULL.
 */
static const KgVAssigned *
assigned_reference(const KgVAttempt *attempt, const KgField *field)
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
	const KgVAssigned *assigned = assigned_reference(&w->attempt, field);
	KgError *err = kg_no_target_error(
		field, kg_json_cstring(&assigned->sent), "existing entity");

	kg_error_entity(err, kg_type_handle(w->type), kg_vwrite_outcome(w)->id);
	kg_error_path(
		err,
		"%s",
		kg_path_member(w->attempt.path, assigned->field->steps[0].key));
	return err;
}

/* Returns whether the reference leads from the row to itself. */
static bool
is_to_itself(const KgVWrite *w, const KgField *field)
{
	const char *id = kg_vwrite_outcome(w)->id;
	const KgVAssigned *assigned = assigned_reference(&w->attempt, field);

	return id != NULL &&
		   kg_catalog_type_in(w->source->catalog,
							  field->ref_bundle,
							  field->ref_type) == w->type &&
		   strcmp(kg_json_cstring(&assigned->sent), id) == 0;
}

/*
 * Returns the references that the item changes, by at least one of their
 * columns, and whose targets may be hidden from the caller.
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
			assigned_reference(&w->attempt, field) != NULL)
			references = lappend(references, (void *) field);
	}
	return references;
}

/* Returns whether the item sets all columns of the reference to values. */
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

/*
 * Appends for each reference an expression that is true if the reference has a
 * value, but no target that the caller sees.
 */
static void
append_unseen(KgSqlBuilder *b, const KgVWrite *w, List *references)
{
	ListCell *lc;

	foreach(lc, references)
	{
		const KgField *field = lfirst(lc);
		const KgVColumn *column = kg_vsource_column(w->source, field);

		kg_sql_append(b, "%s", foreach_current_index(lc) > 0 ? ", " : "");
		/*
		 * Without SELECT on the column, no expression can look up the target.
		 */
		if (column->sql == NULL)
			kg_sql_append(b, is_whole(w, field) ? "true" : "false");
		for (int i = 0; i < column->nkeys; i++)
			kg_sql_append(b, "%s IS NOT NULL AND ", column->keys[i].sql);
		if (column->sql != NULL)
			kg_sql_append(b, "(%s) IS NULL", column->seen);
	}
}

/*
 * Appends a SELECT of the readable columns of the references, with the values
 * that the statement will set.
 */
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

/*
 * Runs the statement and returns the references whose targets it has not found.
 */
static List *
find_unseen(const KgSqlBuilder *b, List *references)
{
	List *found = NIL;
	ListCell *lc;

	(void) execute(b);
	foreach(lc, references)
		for (uint64 i = 0; i < SPI_processed; i++)
			if (DatumGetBool(kg_spi_datum(i, foreach_current_index(lc) + 1)))
			{
				found = lappend(found, lfirst(lc));
				break;
			}
	return found;
}

/*
 * Reports an error for each reference of the item to a row that the caller does
 * not see.
 */
static void
check_references(KgVWrite *w)
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
	foreach(lc, find_unseen(&b, references))
		if (!is_to_itself(w, lfirst(lc)))
			kg_outcome_error(kg_vwrite_outcome(w), unseen(w, lfirst(lc)));
}

/*
 * Returns an error if the written row refers to a row that the caller does not
 * see, or NULL.
 */
static KgError *
review_references(const KgVWrite *w, const char *id)
{
	List *references = references_of(w);
	KgSqlBuilder b;

	if (references == NIL)
		return NULL;
	kg_sql_start(&b, w->source->catalog);
	kg_sql_append(&b, "SELECT ");
	append_unseen(&b, w, references);
	kg_vfrom(&b, w->source, (char *const *) &id, 1, NULL);
	references = find_unseen(&b, references);
	return references != NIL ? unseen(w, linitial(references)) : NULL;
}

/* ---- after a statement ---- */

static KG_NORETURN void
fail_kept(KgVWrite *w, const char *done)
{
	KgError *err = kg_error_new(
		KG_FORBIDDEN,
		"the row was not %s: a policy or a trigger of the table prevented it",
		done);

	kg_error_entity(err, kg_type_handle(w->type), kg_vwrite_outcome(w)->id);
	kg_error_expected(err,
					  "a row that the policies allow the caller to change");
	fail(w, err);
}

/*
 * Called if the statement does not find a row that was read before. Returns if
 * the row does not exist any more, otherwise raises an error.
 */
static void
review_lost(KgVWrite *w, const char *done)
{
	KgOutcome *outcome = kg_vwrite_outcome(w);
	Row row = read_row(w, outcome->id);
	KgError *err;

	if (!row.found)
		return;
	if (row.version == outcome->before)
		fail_kept(w, done);
	err = kg_error_new(KG_CONFLICT,
					   "another session changed the row at the same time");
	kg_error_entity(err, kg_type_handle(w->type), outcome->id);
	kg_error_expected(err, "the same call, sent again");
	kg_throw_again(err);
}

/*
 * Reads the row again after it was written, and returns it. Raises an error if
 * the caller does not see the row, or if the row refers to a row that the
 * caller does not see.
 */
static Row
review(KgVWrite *w, const char *id)
{
	Row row = read_row(w, id);
	KgError *err;

	if (!row.found)
	{
		err = kg_error_new(KG_FORBIDDEN,
						   "the caller would not see the row after this write");

		kg_error_entity(err, kg_type_handle(w->type), kg_vwrite_outcome(w)->id);
		kg_error_path(err, "%s", w->attempt.path);
		kg_error_expected(err, "a row that the caller may read");
		fail(w, err);
	}
	err = review_references(w, id);
	if (err != NULL)
		fail(w, err);
	return row;
}

static void
set_version(const KgVWrite *w, const Row *row)
{
	kg_vwrite_outcome(w)->version = w->version ? row->version : 0;
}

/* ---- create ---- */

static void
create_row(KgVWrite *w)
{
	KgOutcome *outcome = kg_vwrite_outcome(w);
	const Jsonb *data = w->items[w->i].data;
	const char *id;
	Row row;
	ListCell *lc;
	KgSqlBuilder b;

	kg_json_each(it, &data->root)
		kg_vassign(w, kg_json_cstring(&it.key), &it.value);
	kg_vassign_tenant(w);
	if (outcome->errors.total == 0)
		check_references(w);
	if (outcome->errors.total > 0)
		return;
	kg_sql_start(&b, w->source->catalog);
	kg_sql_append(&b, "INSERT INTO %s AS t ", w->source->table->name);
	if (w->attempt.assigned == NIL)
		kg_sql_append(&b, "DEFAULT VALUES");
	else
	{
		kg_sql_append(&b, "(");
		foreach(lc, w->attempt.assigned)
			kg_sql_append(&b,
						  "%s%s",
						  foreach_current_index(lc) > 0 ? ", " : "",
						  ((KgVAssigned *) lfirst(lc))->column->name);
		kg_sql_append(
			&b,
			") SELECT r.* FROM pg_catalog.jsonb_to_record($%d) r",
			kg_sql_param(&b, JSONBOID, JsonbPGetDatum(kg_vrecord_of(w))));
		kg_vrecord(&b, w->source, w->attempt.assigned);
	}
	kg_sql_append(&b, " RETURNING %s", w->source->id);
	(void) execute(&b);
	id = returned_id();
	if (id == NULL)
		fail_kept(w, "written");
	row = review(w, id);
	if (outcome->id != NULL && strcmp(outcome->id, id) != 0)
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT,
			"the id of the written row is \"%s\", not the id of the item",
			id);

		kg_error_path(err, "%s", w->attempt.path);
		kg_error_expected(
			err, "the item without \"id\", or with the id \"%s\"", id);
		fail(w, err);
	}
	outcome->generated = outcome->id == NULL;
	outcome->id = id;
	outcome->verdict = KG_VERDICT_CREATED;
	set_version(w, &row);
}

/* ---- update ---- */

/*
 * Returns whether the update sets, adds to or removes the property at the
 * pointer.
 */
static bool
is_touched(const KgPutItem *item, const char *pointer)
{
	const JsonbContainer *objects[] = {item->set, item->add, item->remove};
	int len = *pointer == '/' ? strcspn(pointer + 1, "/") : 0;
	char *name = pnstrdup(pointer + (len > 0), len);
	JsonbValue value;

	for (int i = 0; i < lengthof(objects); i++)
		if (objects[i] != NULL && kg_json_get(objects[i], name, &value))
			return true;
	return false;
}

static bool
is_same_violation(const KgError *a, const KgError *b)
{
	JsonbValue x;
	JsonbValue y;

	return strcmp(kg_error_message(a), kg_error_message(b)) == 0 &&
		   kg_json_get(&kg_error_object(a)->root, "expected", &x) &&
		   kg_json_get(&kg_error_object(b)->root, "expected", &y) &&
		   kg_json_same_value(&x, &y);
}

/*
 * Returns whether the row had the same violation of the schema before the
 * update.
 */
static bool
was_violated(const KgVWrite *w, const KgErrorList *before, const KgError *err)
{
	const KgPutItem *item = &w->items[w->i];
	const char *path = kg_error_said(err)->path;
	ListCell *lc;

	foreach(lc, before->errors)
	{
		const char *pointer = kg_error_said(lfirst(lc))->path;

		if (path != NULL && pointer != NULL && !is_touched(item, pointer) &&
			strcmp(path, kg_patch_pointer(item, w->i, pointer)) == 0 &&
			is_same_violation(err, lfirst(lc)))
			return true;
	}
	return false;
}

/*
 * Drops the violations that the row had before the update. They occur because
 * the schema may be narrower than the table, and because columns without SELECT
 * are missing in the document.
 */
static void
drop_old_violations(const KgVWrite *w)
{
	KgErrorList *errors = &kg_vwrite_outcome(w)->errors;
	const KgPutItem *item = &w->items[w->i];
	KgErrorList before = {NIL, errors->limit, 0};
	List *left = NIL;
	ListCell *lc;

	if (errors->total == 0 || item->old == NULL ||
		errors->total > list_length(errors->errors))
		return;
	(void) kg_entity_check(
		w->type, kg_vwrite_outcome(w)->id, item->old, "", &before);
	foreach(lc, errors->errors)
		if (!was_violated(w, &before, lfirst(lc)))
			left = lappend(left, lfirst(lc));
	errors->errors = left;
	errors->total = list_length(left);
}

static char *
member_name(const JsonbContainer *members, const KgJsonIter *it)
{
	return kg_json_cstring(JsonContainerIsArray(members) ? &it->value
														 : &it->key);
}

static bool
is_readable(const KgVWrite *w, const KgField *field)
{
	return kg_bound_is_readable(
		&w->source->table->properties[field - w->type->fields]);
}

/*
 * Returns whether the item removes a property that the row may have although
 * the document does not: the caller may not read its column, or does not see
 * the row to which the reference leads.
 */
static bool
removes_hidden(const KgVWrite *w)
{
	const KgPutItem *item = &w->items[w->i];
	JsonbValue value;

	if (item->unset == NULL)
		return false;
	kg_json_each(it, item->unset)
	{
		const KgField *field = kg_vroot_field(w->type,
											  member_name(item->unset, &it));

		if (field != NULL && field != w->type->id_field &&
			!kg_field_value(field, &item->old->root, &value) &&
			(field->ref_type != NULL || !is_readable(w, field)))
			return true;
	}
	return false;
}

/*
 * Reports the members of add or remove whose arrays the caller may not read:
 * the new array cannot be computed.
 */
static void
check_readable(KgVWrite *w, const JsonbContainer *members, const char *name)
{
	if (members == NULL)
		return;
	kg_json_each(it, members)
	{
		char *property = kg_json_cstring(&it.key);
		const KgField *field = kg_vroot_field(w->type, property);
		KgError *err;

		if (field == NULL || field == w->type->id_field ||
			is_readable(w, field))
			continue;
		err = kg_error_new(KG_FORBIDDEN,
						   "the caller may not read property \"%s\", so its "
						   "items cannot be changed",
						   property);
		kg_error_path(err, "/items/%d/%s/%s", w->i, name, property);
		kg_error_expected(err, "\"set\" with the whole array");
		kg_outcome_error(kg_vwrite_outcome(w), err);
	}
}

static void
assign_members(KgVWrite *w, const JsonbContainer *members)
{
	const KgPutItem *item = &w->items[w->i];
	JsonbValue value;

	if (members == NULL)
		return;
	kg_json_each(it, members)
	{
		char *name = member_name(members, &it);

		if (kg_json_get(&item->data->root, name, &value) == NULL)
			value.type = jbvNull;
		/* Skip a property whose value the row already has. */
		if (kg_vroot_field(w->type, name) != w->type->id_field)
			kg_vassign(w, name, &value);
	}
}

/*
 * Reports an error if the caller has sent an expected version, but rows have no
 * versions.
 */
static void
check_expected(const KgVWrite *w, int64 expected, const char *path)
{
	KgError *err;

	if (expected == 0 || w->version != NULL)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "rows of type \"%s\" have no versions",
					   w->type->name);
	kg_error_path(err, "%s/expected_version", path);
	kg_error_expected(err,
					  "an item without \"expected_version\", or a binding with "
					  "\"version_column\"");
	kg_error_leave_out(err);
	kg_outcome_error(kg_vwrite_outcome(w), err);
}

static void
append_set(KgSqlBuilder *b, const KgVWrite *w)
{
	const char *version = w->source->table->version.name;
	ListCell *lc;

	foreach(lc, w->attempt.assigned)
	{
		const KgBoundColumn *column = ((KgVAssigned *) lfirst(lc))->column;

		kg_sql_append(b,
					  "%s%s = r.c%d",
					  foreach_current_index(lc) > 0 ? ", " : "",
					  column->name,
					  column->number);
	}
	if (version != NULL)
		kg_sql_append(b,
					  ", %s = COALESCE(t.%s, 0) OPERATOR(pg_catalog.+) 1",
					  version,
					  version);
}

static void
update_row(KgVWrite *w)
{
	KgOutcome *outcome = kg_vwrite_outcome(w);
	KgPutItem *item = &w->items[w->i];
	Row row = read_row(w, outcome->id);
	const char *id;
	KgSqlBuilder b;

	item->node = row.found;
	item->old = row.data;
	outcome->before = row.version;
	check_expected(w, item->expected, psprintf("/items/%d", w->i));
	if (outcome->errors.total > 0)
		return;
	kg_patch_apply(w->type, w->i, w->outcomes, item);
	drop_old_violations(w);
	check_readable(w, item->add, "add");
	check_readable(w, item->remove, "remove");
	if (outcome->errors.total > 0)
		return;
	item->same = item->same && !removes_hidden(w);
	assign_members(w, item->set);
	assign_members(w, item->unset);
	assign_members(w, item->add);
	assign_members(w, item->remove);
	if (outcome->errors.total > 0)
		return;
	if (item->same || w->attempt.assigned == NIL)
	{
		outcome->verdict = KG_VERDICT_UNCHANGED;
		set_version(w, &row);
		return;
	}
	check_references(w);
	if (outcome->errors.total > 0)
		return;
	kg_sql_start(&b, w->source->catalog);
	kg_sql_append(&b, "UPDATE %s SET ", w->source->from);
	append_set(&b, w);
	kg_sql_append(&b,
				  " FROM pg_catalog.jsonb_to_record($%d) r",
				  kg_sql_param(&b, JSONBOID, JsonbPGetDatum(kg_vrecord_of(w))));
	kg_vrecord(&b, w->source, w->attempt.assigned);
	append_where(&b, w);
	kg_sql_append(&b, " RETURNING %s", w->source->id);
	(void) execute(&b);
	id = returned_id();
	if (id == NULL)
	{
		review_lost(w, "changed");
		item->node = 0;
		kg_patch_apply(w->type, w->i, w->outcomes, item);
		return;
	}
	if (strcmp(id, outcome->id) != 0)
	{
		KgError *err = kg_error_new(KG_INVALID_INPUT,
									"an id cannot be changed");

		kg_error_entity(err, kg_type_handle(w->type), outcome->id);
		kg_error_path(err, "%s", w->attempt.path);
		kg_error_expected(err, "the present values of the columns of the id");
		fail(w, err);
	}
	row = review(w, id);
	outcome->verdict = KG_VERDICT_UPDATED;
	outcome->changed = kg_patch_changes(item->old, row.data);
	set_version(w, &row);
}

/* ---- delete ---- */

static void
delete_row(KgVWrite *w)
{
	KgOutcome *outcome = kg_vwrite_outcome(w);
	int64 expected = w->expected[w->i];
	Row row = read_row(w, outcome->id);
	KgSqlBuilder b;
	KgError *err;

	outcome->verdict = KG_VERDICT_NOT_FOUND;
	outcome->before = row.version;
	if (!row.found)
	{
		outcome->nearest = kg_outcomes_nearest(
			w->outcomes, w->type, outcome->id);
		return;
	}
	check_expected(w, expected, psprintf("/ids/%d", w->i));
	if (outcome->errors.total == 0 && expected != 0 && expected != row.version)
	{
		err = kg_moved_error(w->type, outcome->id, expected, row.version);
		kg_error_path(err, "/ids/%d/expected_version", w->i);
		kg_outcome_error(outcome, err);
	}
	if (outcome->errors.total > 0)
		return;
	kg_sql_start(&b, w->source->catalog);
	kg_sql_append(&b, "DELETE FROM %s", w->source->from);
	append_where(&b, w);
	kg_sql_append(&b, " RETURNING %s", w->source->id);
	(void) execute(&b);
	if (SPI_processed == 0)
	{
		review_lost(w, "deleted");
		return;
	}
	if (read_row(w, outcome->id).found)
		fail_kept(w, "deleted");
	outcome->verdict = KG_VERDICT_DELETED;
	set_version(w, &row);
}

/* ---- deferred constraints ---- */

static void
check_constraints(void *arg)
{
	MemoryContext old = CurrentMemoryContext;

	(void) SPI_execute(arg, false, 0);
	MemoryContextSwitchTo(old);
}

/*
 * Returns the statement that makes the table's deferrable constraints
 * immediate, so that PostgreSQL checks them. Returns NULL if there are no such
 * constraints.
 */
static const char *
constraints_of(const KgVSource *source)
{
	MemoryContext old = CurrentMemoryContext;
	StringInfoData sql;

	KG_SPI_EXEC(
		"SELECT DISTINCT format('%I.%I', n.nspname, c.conname) "
		"FROM pg_trigger t JOIN pg_constraint c ON c.oid = t.tgconstraint "
		"JOIN pg_namespace n ON n.oid = c.connamespace "
		"WHERE t.tgrelid = ANY ($1) AND t.tgdeferrable",
		kg_arg(OIDARRAYOID, kg_vwritten_tables(source)));
	MemoryContextSwitchTo(old);
	if (SPI_processed == 0)
		return NULL;
	initStringInfo(&sql);
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(&sql,
						 "%s%s",
						 i > 0 ? ", " : "SET CONSTRAINTS ",
						 kg_spi_cstring(i, 1));
	appendStringInfoString(&sql, " IMMEDIATE");
	SPI_freetuptable(SPI_tuptable);
	return sql.data;
}

/*
 * Checks the constraints that the table defers to the end of the transaction.
 * Returns the error, or NULL. Afterwards the constraints are deferred again.
 */
static ErrorData *
check_deferred(const KgVWrite *w)
{
	return w->constraints == NULL ? NULL
								  : kg_catch_refusal(KG_CATCH_UNDO,
													 check_constraints,
													 (void *) w->constraints);
}

static void
report_refused(KgVWrite *w, const ErrorData *edata)
{
	KgError *err = w->err != NULL ? w->err
								  : kg_virtual_refused(&w->attempt, edata);

	kg_outcome_error(kg_vwrite_outcome(w), err);
}

/*
 * Raises the error of a deferred constraint. Any item of the call may have
 * caused it.
 */
static KG_NORETURN void
throw_deferred(KgVWrite *w, const ErrorData *edata)
{
	KgVAttempt *attempt = &w->attempt;

	attempt->id = NULL;
	attempt->assigned = NIL;
	attempt->deferred = true;
	attempt->path = w->operation == KG_EXPOSE_DELETE ? "/ids" : "/items";
	kg_error_throw(kg_virtual_refused(attempt, edata));
}

/* ---- items ---- */

static void
write_item(void *arg)
{
	KgVWrite *w = arg;
	ErrorData *edata;

	switch (w->operation)
	{
		case KG_EXPOSE_CREATE:
			create_row(w);
			break;
		case KG_EXPOSE_UPDATE:
			update_row(w);
			break;
		default:
			delete_row(w);
			break;
	}
	if (w->outcomes->atomic || kg_vwrite_outcome(w)->errors.total > 0)
		return;
	edata = check_deferred(w);
	if (edata != NULL)
		ReThrowError(edata);
}

static void
begin_item(KgVWrite *w, int i)
{
	bool deletes = w->operation == KG_EXPOSE_DELETE;

	w->i = i;
	w->err = NULL;
	w->attempt.source = w->source;
	w->attempt.operation = w->operation;
	w->attempt.id = kg_vwrite_outcome(w)->id;
	w->attempt.assigned = NIL;
	w->attempt.path = psprintf(deletes ? "/ids/%d"
							   : w->operation == KG_EXPOSE_UPDATE
								   ? "/items/%d/set"
								   : "/items/%d",
							   i);
}

static void
check_twice(const KgVWrite *w, int i)
{
	const KgOutcome *items = w->outcomes->items;

	for (int j = 0; items[i].id != NULL && j < i; j++)
		if (items[j].id != NULL && strcmp(items[j].id, items[i].id) == 0)
		{
			kg_outcomes_twice(w->outcomes, i, w->type);
			return;
		}
}

/*
 * Reads the i-th item as a new row. It must be an object that conforms to the
 * schema; its id may be missing.
 */
static void
read_new(KgVWrite *w, int i, const JsonbValue *value)
{
	KgOutcome *outcome = &w->outcomes->items[i];
	const KgType *type = w->type;
	char *path = psprintf("/items/%d", i);
	JsonbValue id;

	if (!kg_outcome_is_object(
			outcome, value, path, "an object with the properties of an entity"))
		return;
	w->items[i].data = kg_json_datum(value);
	if (!kg_makes_ids(type) ||
		kg_field_value(type->id_field, kg_json_container(value), &id))
		outcome->id = kg_entity_id(
			type, w->items[i].data, path, &outcome->errors);
	(void) kg_entity_check(
		type, outcome->id, w->items[i].data, path, &outcome->errors);
}

static void
read_items(KgVWrite *w, const JsonbContainer *items)
{
	kg_json_each(it, items)
	{
		CHECK_FOR_INTERRUPTS();
		if (w->operation == KG_EXPOSE_CREATE)
			read_new(w, it.index, &it.value);
		else if (w->operation == KG_EXPOSE_UPDATE)
			kg_patch_read(w->type,
						  it.index,
						  &it.value,
						  &w->outcomes->items[it.index],
						  &w->items[it.index]);
		if (w->operation != KG_EXPOSE_DELETE)
			check_twice(w, it.index);
	}
}

static void
write_items(void *arg)
{
	KgVWrite *w = arg;
	KgOutcomes *outcomes = w->outcomes;
	/*
	 * Write the items in a fixed order, so that two calls that change the same
	 * rows do not deadlock.
	 */
	const int *order = kg_outcomes_order(outcomes);
	ErrorData *edata;

	for (int i = 0; i < outcomes->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		begin_item(w, w->operation == KG_EXPOSE_CREATE ? i : order[i]);
		if (kg_vwrite_outcome(w)->errors.total > 0)
			continue;
		edata = kg_catch_refusal(KG_CATCH_KEEP, write_item, w);
		if (edata != NULL)
			report_refused(w, edata);
	}
	kg_outcomes_settle(outcomes, w->tenant);
	if (!outcomes->atomic || outcomes->n == 0)
		return;
	edata = check_deferred(w);
	if (edata == NULL)
		return;
	w->err = NULL;
	if (outcomes->n > 1)
		throw_deferred(w, edata);
	report_refused(w, edata);
	kg_outcomes_settle(outcomes, w->tenant);
}

/*
 * Replaces the text of an error that ends the call, such as a lock that is not
 * available, because a user's function may have raised it. The server log has
 * the original text.
 */
static void
withhold_text(ErrorData *edata, void *arg)
{
	if (kg_error_is_builtin(edata))
		return;
	edata->detail_log = edata->message;
	edata->message = psprintf("a function of the table of type \"%s\" failed",
							  ((const KgVWrite *) arg)->type->name);
	edata->detail = edata->hint = edata->context = NULL;
	edata->schema_name = edata->table_name = edata->column_name = NULL;
	edata->datatype_name = edata->constraint_name = NULL;
	edata->internalquery = NULL;
	edata->internalpos = 0;
}

void
kg_virtual_write(const KgCatalog *catalog, const KgType *type, int operation,
				 const JsonbContainer *items, const int64 *expected,
				 KgOutcomes *outcomes)
{
	KgVWrite w = {kg_vsource(catalog, type), type, operation};

	w.tenant = kg_identity_require(KG_ACCESS_WRITE);
	w.version = version_of(w.source);
	w.constraints = constraints_of(w.source);
	w.expected = expected;
	w.outcomes = outcomes;
	w.items = palloc0(Max(1, outcomes->n) * sizeof(KgPutItem));
	outcomes->type = type;
	read_items(&w, items);
	kg_catch_amend(write_items, withhold_text, &w);
}

/* ---- versions, replies that are sent again ---- */

/* The ids and versions of rows, for kg_virtual_versions(). */
typedef struct Versions
{
	const char *const *ids;
	int64 *versions;
	int n;
} Versions;

static bool
take_version(TupleTableSlot *slot, void *arg)
{
	const Versions *rows = arg;
	const char *id = TextDatumGetCString(kg_slot_datum(slot, 1));

	for (int i = 0; i < rows->n; i++)
		if (strcmp(rows->ids[i], id) == 0)
			rows->versions[i] = DatumGetInt64(kg_slot_datum(slot, 2));
	return true;
}

void
kg_virtual_versions(const KgCatalog *catalog, const KgType *type,
					const char *const *ids, int64 *versions, int n)
{
	const KgVSource *source = kg_vsource(catalog, type);
	const char *version = version_of(source);
	Versions rows = {ids, versions, n};
	KgSqlBuilder b;

	memset(versions, 0, n * sizeof(int64));
	if (version == NULL)
		return;
	kg_sql_start(&b, catalog);
	kg_sql_append(&b, "SELECT %s, %s", source->id, version);
	kg_vfrom(&b, source, (char *const *) ids, n, NULL);
	kg_virtual_run(source, &b, true, take_version, &rows);
}

static bool *
find_rows(const char *const *ids, int n, void *arg)
{
	bool *seen = palloc0(Max(1, n) * sizeof(bool));
	char **known = palloc(Max(1, n) * sizeof(char *));
	KgGot *got;

	for (int i = 0; i < n; i++)
		known[i] = pstrdup(ids[i] != NULL ? ids[i] : "");
	got = kg_virtual_get(arg, known, n);
	for (int i = 0; i < n; i++)
		seen[i] = ids[i] != NULL && got[i].data != NULL;
	return seen;
}

Jsonb *
kg_virtual_withhold(const KgCatalog *catalog, const KgType *type,
					const Jsonb *reply)
{
	return kg_idempotency_withhold(
		reply, find_rows, (void *) kg_vsource(catalog, type));
}
