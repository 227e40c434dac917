/*
 * put_update.c
 *	  Items of kg_update_entities(): properties to set and to unset.
 *
 * The stored entity is locked when it is read, so changes of other sessions
 * are not lost. The resulting document is checked like a document that was
 * sent as a whole.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/json.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "model/id.h"
#include "store/check/check.h"
#include "store/entity/put.h"
#include "utils/builtins.h"

static void
report(KgOutcome *outcome, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path);
	kg_outcome_error(outcome, err);
}

/* Returns the JSON Pointer path/key/name of a member. */
static char *
member_path(const char *path, const char *key, const JsonbValue *name)
{
	StringInfoData pointer;

	initStringInfo(&pointer);
	appendStringInfo(&pointer, "%s/%s", path, key);
	kg_json_pointer_append(
		&pointer, name->val.string.val, name->val.string.len);
	return pointer.data;
}

const char *
kg_patch_id(const KgType *type, const JsonbValue *value, const char *path,
			KgOutcome *outcome)
{
	KgError *err;
	int64 n;

	if (value->type == jbvString && value->val.string.len > 0 &&
		value->val.string.len <= KG_MAX_ID_BYTES)
		return kg_json_cstring(value);
	if (kg_json_int64(value, &n))
		return psprintf(INT64_FORMAT, n);
	if (value->type == jbvString && !type->number_ids)
		err = kg_error_new(KG_INVALID_INPUT,
						   "an id has %d bytes; 1 to %d are allowed",
						   value->val.string.len,
						   KG_MAX_ID_BYTES);
	else
		err = kg_error_new(KG_INVALID_INPUT,
						   "an id is not %s",
						   type->number_ids ? KG_ID_NUMBER : "a string");
	kg_error_got(err, value);
	kg_error_expected(err,
					  "the id of an entity, %s",
					  type->number_ids ? KG_ID_NUMBER
									   : psprintf("a string of 1 to %d bytes",
												  KG_MAX_ID_BYTES));
	report(outcome, err, path);
	return NULL;
}

int64
kg_patch_version(const JsonbContainer *object, const char *path,
				 KgOutcome *outcome)
{
	JsonbValue value;
	KgError *err;
	int64 n;

	if (kg_json_get(object, "expected_version", &value) == NULL)
		return 0;
	if (kg_json_int64(&value, &n) && n >= 1)
		return n;
	err = kg_error_new(KG_INVALID_INPUT, "a version is not an integer above 0");
	kg_error_got(err, &value);
	kg_error_expected(
		err, "the version of the entity in a reply, an integer of at least 1");
	report(outcome, err, psprintf("%s/expected_version", path));
	return 0;
}

static bool
is_named(const JsonbContainer *names, const JsonbValue *key)
{
	if (names == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	kg_json_each(it, names)
		if (it.value.type == jbvString &&
			it.value.val.string.len == key->val.string.len &&
			memcmp(it.value.val.string.val,
				   key->val.string.val,
				   key->val.string.len) == 0)
			return true;
	return false;
}

/*
 * Returns the member "key" of the item, or NULL if it is missing. If it is not
 * an object, reports that and returns NULL.
 */
static const JsonbContainer *
read_object(const JsonbContainer *object, const char *key, const char *path,
			KgOutcome *outcome)
{
	JsonbValue value;
	KgError *err;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (kg_json_is_object(&value))
		return kg_json_container(&value);
	err = kg_error_new(KG_INVALID_INPUT, "\"%s\" is not an object", key);
	kg_error_got(err, &value);
	kg_error_expected(err, "an object {property: value}");
	report(outcome, err, psprintf("%s/%s", path, key));
	return NULL;
}

/*
 * Returns the values to add or to remove, by property. Reports a property that
 * is also in "set" or "unset".
 */
static const JsonbContainer *
read_values(const JsonbContainer *object, const char *key,
			const KgPutItem *item, const char *path, KgOutcome *outcome)
{
	const JsonbContainer *values = read_object(object, key, path, outcome);
	JsonbValue other;

	if (values == NULL)
		return NULL;
	kg_json_each(it, values)
	{
		char *name = kg_json_cstring(&it.key);
		const char *also = NULL;
		KgError *err;

		if (item->set != NULL && kg_json_get(item->set, name, &other) != NULL)
			also = "set";
		else if (is_named(item->unset, &it.key))
			also = "unset";
		if (also == NULL)
			continue;
		err = kg_error_new(KG_INVALID_INPUT,
						   "property \"%s\" is in \"%s\" and in \"%s\"",
						   name,
						   also,
						   key);
		kg_error_expected(err, "the property in only one of the two");
		report(outcome, err, member_path(path, key, &it.key));
	}
	return values;
}

static const JsonbContainer *
read_unset(const JsonbContainer *object, const JsonbContainer *set,
		   const char *path, KgOutcome *outcome)
{
	JsonbValue value;
	JsonbValue other;
	KgError *err;

	if (kg_json_get(object, "unset", &value) == NULL)
		return NULL;
	if (!kg_json_is_array(&value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "\"unset\" is not an array");
		kg_error_got(err, &value);
		kg_error_expected(err, "an array of property names");
		report(outcome, err, psprintf("%s/unset", path));
		return NULL;
	}
	kg_json_each(it, kg_json_container(&value))
	{
		char *name;

		if (it.value.type != jbvString)
			err = kg_error_new(KG_INVALID_INPUT,
							   "the name of a property is not a string");
		else if (name = kg_json_cstring(&it.value),
				 set != NULL && kg_json_get(set, name, &other) != NULL)
			err = kg_error_new(KG_INVALID_INPUT,
							   "property \"%s\" is in \"set\" and in \"unset\"",
							   name);
		else
			continue;
		kg_error_got(err, &it.value);
		kg_error_expected(err, "the name of a property that is not in \"set\"");
		report(outcome, err, psprintf("%s/unset/%d", path, it.index));
	}
	return kg_json_container(&value);
}

static const char *const patch_members[] = {
	"id", "set", "unset", "add", "remove", "expected_version", NULL};

static bool
is_patch_member(const char *name)
{
	for (int i = 0; patch_members[i]; i++)
		if (strcmp(patch_members[i], name) == 0)
			return true;
	return false;
}

/*
 * Writes the member "set" of a corrected item. In addition, it gets the
 * properties that the caller put beside "set".
 */
static void
write_set(const JsonbContainer *object, KgJsonWriter *w)
{
	JsonbValue set;

	kg_jw_kbegin_object(w, "set");
	if (kg_json_get(object, "set", &set))
		kg_jw_members(w, kg_json_container(&set));
	kg_json_each(it, object)
		if (!is_patch_member(kg_json_cstring(&it.key)))
			kg_jw_member(w, &it);
	kg_jw_end_object(w);
}

/*
 * If the caller put properties of the type beside "set", reports them, with a
 * corrected item. Returns false if there is nothing to correct, or if the item
 * has other faults.
 */
static bool
report_beside_set(const KgType *type, const JsonbContainer *object,
				  const char *path, KgOutcome *outcome)
{
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = path};
	const char *property = NULL;
	JsonbValue set;
	bool has_set = kg_json_get(object, "set", &set) != NULL;
	JsonbValue twice;
	KgJsonWriter w;
	KgError *err;

	if (has_set && !kg_json_is_object(&set))
		return false;
	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);
		const KgField *field;

		if (is_patch_member(name))
			continue;
		field = kg_type_field(type, name);
		if (field == NULL || field == type->id_field ||
			strcmp(field->steps[0].key, name) != 0 ||
			(has_set &&
			 kg_json_get(kg_json_container(&set), name, &twice) != NULL))
			return false;
		property = name;
	}
	if (property == NULL)
		return false;
	kg_jw_init_object(&w);
	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);

		if (is_patch_member(name) && strcmp(name, "set") != 0)
			kg_jw_member(&w, &it);
	}
	write_set(object, &w);
	change.value = kg_jw_finish(&w);
	err = kg_error_new(
		KG_INVALID_INPUT, "property \"%s\" must be in \"set\"", property);
	kg_error_got_string(err, property);
	kg_error_expected(err,
					  "an object \"set\" with the new values of properties");
	kg_error_change(err, &change);
	report(outcome, err, path);
	return true;
}

void
kg_patch_read(const KgType *type, int i, const JsonbValue *value,
			  KgOutcome *outcome, KgPutItem *item)
{
	const JsonbContainer *object = kg_json_container(value);
	char *path = psprintf("/items/%d", i);
	JsonbValue id;
	KgError *err;

	if (!kg_outcome_is_object(
			outcome,
			value,
			path,
			"an object {\"id\", \"set\", \"unset\", \"add\", \"remove\"}"))
		return;
	if (!report_beside_set(type, object, path, outcome))
		kg_check_members(object, patch_members, path, &outcome->errors);
	if (kg_json_get(object, "id", &id) != NULL)
		outcome->id = kg_patch_id(type, &id, psprintf("%s/id", path), outcome);
	else
	{
		err = kg_error_new(KG_INVALID_INPUT, "key \"id\" is missing");
		kg_error_expected(err, "the id of an entity");
		report(outcome, err, psprintf("%s/id", path));
	}
	item->expected = kg_patch_version(object, path, outcome);
	item->set = read_object(object, "set", path, outcome);
	item->unset = read_unset(object, item->set, path, outcome);
	item->add = read_values(object, "add", item, path, outcome);
	item->remove = read_values(object, "remove", item, path, outcome);
	if (item->set != NULL || item->unset != NULL || item->add != NULL ||
		item->remove != NULL || outcome->errors.total > 0)
		return;
	err = kg_error_new(KG_INVALID_INPUT, "the item has no change");
	kg_error_expected(
		err, "at least one of \"set\", \"unset\", \"add\" and \"remove\"");
	report(outcome, err, path);
}

/*
 * Maximum number of recorded changes that are read to find the properties that
 * changed since a version.
 */
#define KG_LOOKED_THROUGH 100

typedef struct Since
{
	const char *tenant;
	const KgType *type;
	const char *id;
	int64 version;
	List *names; /* names of the changed properties */
} Since;

static void
add_changed(Since *since, const Jsonb *before, const Jsonb *after)
{
	Jsonb *changes = kg_patch_changes(before, after);
	JsonbValue property;

	kg_json_each(it, &changes->root)
	{
		char *name;
		ListCell *lc;

		(void) kg_json_get(kg_json_container(&it.value), "property", &property);
		name = kg_json_cstring(&property);
		foreach(lc, since->names)
			if (strcmp(lfirst(lc), name) == 0)
				break;
		if (lc == NULL)
			since->names = lappend(since->names, name);
	}
}

/*
 * Reads those recorded changes that the policy of the history shows to the
 * caller.
 */
static void
read_changed(void *arg)
{
	Since *since = arg;
	/*
	 * Rows of an outer statement may still be in use, so its result is saved.
	 */
	SPITupleTable *outer = SPI_tuptable;
	uint64 outer_rows = SPI_processed;

	KG_SPI_EXEC("SELECT coalesce(before, '{}'), coalesce(after, '{}') "
				"FROM @kg_history WHERE tenant = $1 AND type_no = $2 "
				"AND entity_id = $3 AND version > $4 "
				"ORDER BY at, version LIMIT " CppAsString2(KG_LOOKED_THROUGH),
				kg_arg_text(since->tenant),
				kg_arg_int4(since->type->type_no),
				kg_arg_text(since->id),
				kg_arg_int8(since->version));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		add_changed(since,
					DatumGetJsonbP(kg_spi_datum(i, 1)),
					DatumGetJsonbP(kg_spi_datum(i, 2)));
	}
	SPI_freetuptable(SPI_tuptable);
	SPI_tuptable = outer;
	SPI_processed = outer_rows;
}

static Jsonb *
changed_since(const KgType *type, const char *id, int64 version)
{
	Since since = {kg_identity_require(KG_ACCESS_WRITE), type, id, version};
	KgJsonWriter w;
	ListCell *lc;

	kg_identity_as_tool(read_changed, &since);
	kg_jw_init_array(&w);
	foreach(lc, since.names)
		kg_jw_string(&w, lfirst(lc));
	return kg_jw_finish(&w);
}

KgError *
kg_moved_error(const KgType *type, const char *id, int64 expected,
			   int64 version)
{
	KgError *err = kg_error_new(
		KG_CONFLICT,
		"the entity was changed: its version is " INT64_FORMAT
		", not " INT64_FORMAT,
		version,
		expected);

	kg_error_entity(err, kg_type_handle(type), id);
	kg_error_got_jsonb(err, kg_json_parse(psprintf(INT64_FORMAT, expected)));
	kg_error_expected(err,
					  "the same change with the present version, after the "
					  "entity was read again");
	kg_error_member_int(err, "current_version", version);
	if (type->history)
		kg_error_member(
			err, "changed_since", changed_since(type, id, expected));
	return err;
}

static JsonbValue *
values_of(const JsonbContainer *values, const char *name, JsonbValue *value)
{
	if (values == NULL)
		return NULL;
	return kg_json_get(values, name, value) != NULL ? value : NULL;
}

/*
 * The origin of a value of a changed array. Equal values are sorted in this
 * order.
 */
typedef enum Origin
{
	REMOVED,
	STORED,
	ADDED
} Origin;

typedef struct ArrayValue
{
	Jsonb *value;
	Origin origin;
	int index;
	/* flag: the result contains the value; NULL: the value is to be removed */
	bool *kept;
} ArrayValue;

static int
compare_values(const void *pa, const void *pb)
{
	const ArrayValue *a = pa;
	const ArrayValue *b = pb;
	int cmp = compareJsonbContainers(&a->value->root, &b->value->root);

	CHECK_FOR_INTERRUPTS();
	if (cmp != 0)
		return cmp;
	return a->origin != b->origin ? (int) a->origin - (int) b->origin
								  : a->index - b->index;
}

static int
count_values(const JsonbValue *values)
{
	if (values == NULL)
		return 0;
	return kg_json_is_array(values) ? kg_json_length(kg_json_container(values))
									: 1;
}

/*
 * Adds the values of an array, or a single value, to the array "list". Adds
 * nothing if values is NULL. Returns their number.
 */
static int
list_values(const JsonbValue *values, Origin origin, ArrayValue *list)
{
	int n = 0;

	if (values == NULL)
		return 0;
	if (!kg_json_is_array(values))
	{
		list[n++] = (ArrayValue){kg_json_datum(values), origin};
		return n;
	}
	kg_json_each(it, kg_json_container(values))
	{
		CHECK_FOR_INTERRUPTS();
		list[n] = (ArrayValue){kg_json_datum(&it.value), origin, n};
		n++;
	}
	return n;
}

/*
 * Marks the values that the result contains. These are the stored values that
 * are not to be removed, and the values to add. A value is added only once, and
 * only if no equal stored value remains. The list must be sorted by
 * compare_values().
 */
static void
mark_kept(const ArrayValue *list, int n)
{
	bool removed = false;
	bool present = false;

	for (int i = 0; i < n; i++)
	{
		const ArrayValue *value = &list[i];

		if (i == 0 || !kg_json_same(list[i - 1].value, value->value))
			removed = present = false;
		if (value->origin == REMOVED)
			removed = true;
		else if (value->origin == STORED ? !removed : !present)
			*value->kept = present = true;
	}
}

/*
 * Writes the array of a property: first the stored values without the values
 * to remove, then the values to add. old is NULL if the property is not
 * stored.
 */
static void
write_array(KgJsonWriter *w, const JsonbValue *old, const JsonbValue *add,
			const JsonbValue *remove)
{
	int nremoved = count_values(remove);
	int n = nremoved + count_values(old) + count_values(add);
	ArrayValue *list = palloc((n + 1) * sizeof(ArrayValue));
	Jsonb **values = palloc((n + 1) * sizeof(Jsonb *));
	bool *kept = palloc0((n + 1) * sizeof(bool));
	int at = list_values(remove, REMOVED, list);

	at += list_values(old, STORED, list + at);
	(void) list_values(add, ADDED, list + at);
	for (int i = nremoved; i < n; i++)
	{
		list[i].kept = &kept[i];
		values[i] = list[i].value;
	}
	qsort(list, n, sizeof(ArrayValue), compare_values);
	mark_kept(list, n);
	kg_jw_begin_array(w);
	for (int i = nremoved; i < n; i++)
		if (kept[i])
			kg_jw_jsonb(w, values[i]);
	kg_jw_end_array(w);
}

/*
 * Writes the array of a stored property with the changes of "add" and
 * "remove". Returns false if these do not name the property, or if its stored
 * value is not an array.
 */
static bool
write_stored_array(KgJsonWriter *w, const KgPutItem *item, const KgJsonIter *it)
{
	char *name;
	JsonbValue values[2];
	JsonbValue *add;
	JsonbValue *remove;

	if (item->add == NULL && item->remove == NULL)
		return false;
	name = kg_json_cstring(&it->key);
	add = values_of(item->add, name, &values[0]);
	remove = values_of(item->remove, name, &values[1]);
	if ((add == NULL && remove == NULL) || !kg_json_is_array(&it->value))
		return false;
	kg_jw_key(w, name);
	write_array(w, &it->value, add, remove);
	return true;
}

Jsonb *
kg_patch_merged(const KgPutItem *item)
{
	KgJsonWriter w;
	JsonbValue stored;

	kg_jw_init_object(&w);
	kg_json_each(it, &item->old->root)
		if (!is_named(item->unset, &it.key) &&
			!write_stored_array(&w, item, &it))
			kg_jw_member(&w, &it);
	if (item->add != NULL)
		kg_json_each(it, item->add)
		{
			char *name = kg_json_cstring(&it.key);

			if (kg_json_get(&item->old->root, name, &stored) != NULL)
				continue;
			kg_jw_key(&w, name);
			write_array(&w, NULL, &it.value, NULL);
		}
	/*
	 * A jsonb uses the later of two members with the same name, so "set" has
	 * precedence.
	 */
	if (item->set != NULL)
		kg_jw_members(&w, item->set);
	return kg_jw_finish(&w);
}

static bool
touches(const KgPutItem *item, const KgField *field)
{
	const char *name = field->steps[0].key;
	JsonbValue key = kg_json_string_value(name);
	JsonbValue value;

	return is_named(item->unset, &key) ||
		   values_of(item->set, name, &value) != NULL ||
		   values_of(item->add, name, &value) != NULL ||
		   values_of(item->remove, name, &value) != NULL;
}

bool
kg_patch_refers(const KgType *type, const KgPutItem *item)
{
	for (int i = 0; i < type->nfields; i++)
		if ((type->fields[i].ref_type != NULL || type->fields[i].unique) &&
			touches(item, &type->fields[i]))
			return true;
	return false;
}

/* Reports the name of a property that neither the type nor the entity has. */
static void
check_name(const KgType *type, const KgPutItem *item, char *name,
		   const char *path, KgOutcome *outcome)
{
	const char **names;
	JsonbValue value;
	KgError *err;
	int n = 0;

	if (kg_type_field(type, name) != NULL ||
		kg_json_get(&item->old->root, name, &value) != NULL)
		return;
	names = palloc(Max(1, type->nfields) * sizeof(char *));
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].nsteps == 1)
			names[n++] = type->fields[i].name;
	err = kg_error_new(KG_INVALID_INPUT,
					   "type \"%s\" has no property \"%s\"",
					   type->name,
					   name);
	kg_error_got_string(err, name);
	kg_error_expected(err, "the name of a property");
	kg_error_did_you_mean(err, kg_nearest(name, names, n));
	report(outcome, err, path);
	pfree(names);
}

/* Checks the names of the properties in "unset" and "remove". */
static void
check_names(const KgType *type, const KgPutItem *item, const char *path,
			KgOutcome *outcome)
{
	if (item->unset != NULL)
		kg_json_each(it, item->unset)
			check_name(type,
					   item,
					   kg_json_cstring(&it.value),
					   psprintf("%s/unset/%d", path, it.index),
					   outcome);
	if (item->remove != NULL)
		kg_json_each(it, item->remove)
			check_name(type,
					   item,
					   kg_json_cstring(&it.key),
					   member_path(path, "remove", &it.key),
					   outcome);
}

/*
 * Reports properties in "add" or "remove" whose stored values are not arrays.
 */
static void
check_arrays(const KgPutItem *item, const JsonbContainer *values,
			 const char *key, const char *path, KgOutcome *outcome)
{
	if (values == NULL)
		return;
	kg_json_each(it, values)
	{
		char *name = kg_json_cstring(&it.key);
		JsonbValue stored;
		KgError *err;

		if (kg_json_get(&item->old->root, name, &stored) == NULL ||
			kg_json_is_array(&stored))
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT, "property \"%s\" is not an array", name);
		kg_error_expected(err, "a whole new array for the property in \"set\"");
		report(outcome, err, member_path(path, key, &it.key));
	}
}

const char *
kg_patch_pointer(const KgPutItem *item, int i, const char *pointer)
{
	if (item->add != NULL)
		kg_json_each(it, item->add)
		{
			char *path = psprintf("/items/%d", i);
			char *member = member_path(path, "add", &it.key);
			const char *name = member + strlen(path) + strlen("/add");
			int len = strlen(name);

			if (strncmp(pointer, name, len) == 0 &&
				(pointer[len] == '/' || pointer[len] == '\0'))
				return member;
		}
	return psprintf(
		"/items/%d/%s%s", i, item->add && !item->set ? "add" : "set", pointer);
}

/*
 * Converts the paths of errors from paths in the merged document to paths in
 * the arguments.
 */
static void
point_to_arguments(const KgPutItem *item, int i, const char *set,
				   const KgErrorList *errors)
{
	int len = strlen(set);
	ListCell *lc;

	foreach(lc, errors->errors)
	{
		const char *path = kg_error_said(lfirst(lc))->path;

		if (path != NULL && strncmp(path, set, len) == 0)
			kg_error_path(
				lfirst(lc), "%s", kg_patch_pointer(item, i, path + len));
	}
}

static void
check_merged(const KgType *type, int i, const KgPutItem *item,
			 KgOutcome *outcome)
{
	char *set = psprintf("/items/%d/set", i);
	char *id = kg_entity_id(type, item->data, set, &outcome->errors);
	KgError *err;

	if (id != NULL && strcmp(id, outcome->id) != 0)
	{
		err = kg_error_new(KG_INVALID_INPUT, "an id cannot be changed");
		kg_error_entity(err, kg_type_handle(type), outcome->id);
		kg_error_got_string(err, id);
		kg_error_expected(err, "the present id, or no id");
		report(outcome,
			   err,
			   psprintf("%s%s", set, kg_field_pointer(type->id_field)));
	}
	(void) kg_entity_check(
		type, outcome->id, item->data, set, &outcome->errors);
	kg_entity_check_scope(type, outcome->id, item->data, set, &outcome->errors);
	if (item->add != NULL)
		point_to_arguments(item, i, set, &outcome->errors);
}

void
kg_patch_apply(const KgType *type, int i, KgOutcomes *outcomes, KgPutItem *item)
{
	KgOutcome *outcome = &outcomes->items[i];
	char *path = psprintf("/items/%d", i);

	if (item->node == 0)
	{
		kg_outcomes_report_missing(outcomes, i, type, psprintf("%s/id", path));
		return;
	}
	if (item->expected != 0 && item->expected != outcome->before)
	{
		report(
			outcome,
			kg_moved_error(type, outcome->id, item->expected, outcome->before),
			psprintf("%s/expected_version", path));
		return;
	}
	check_names(type, item, path, outcome);
	check_arrays(item, item->add, "add", path, outcome);
	check_arrays(item, item->remove, "remove", path, outcome);
	item->data = kg_patch_merged(item);
	item->same = compareJsonbContainers(&item->old->root, &item->data->root) ==
				 0;
	if (!item->same)
		check_merged(type, i, item, outcome);
	item->refers = kg_patch_refers(type, item);
}

static void
write_change(KgJsonWriter *w, const JsonbValue *name, const JsonbValue *before,
			 const JsonbValue *after)
{
	kg_jw_begin_object(w);
	kg_jw_key(w, "property");
	kg_jw_value(w, name);
	if (before != NULL)
	{
		kg_jw_key(w, "before");
		kg_jw_value(w, before);
	}
	if (after != NULL)
	{
		kg_jw_key(w, "after");
		kg_jw_value(w, after);
	}
	kg_jw_end_object(w);
}

Jsonb *
kg_patch_changes(const Jsonb *before, const Jsonb *after)
{
	KgJsonWriter w;
	KgJsonIter it;
	KgJsonIter other;

	kg_jw_init_array(&w);
	kg_json_iter_init(&it, &before->root);
	kg_json_iter_init(&other, &after->root);
	while (kg_json_iter_next(&it))
	{
		if (!kg_json_iter_find(&other, &it.key))
			write_change(&w, &it.key, &it.value, NULL);
		else if (!kg_json_same_value(&it.value, &other.value))
			write_change(&w, &it.key, &it.value, &other.value);
	}
	kg_json_iter_init(&it, &after->root);
	kg_json_iter_init(&other, &before->root);
	while (kg_json_iter_next(&it))
		if (!kg_json_iter_find(&other, &it.key))
			write_change(&w, &it.key, NULL, &it.value);
	return kg_jw_finish(&w);
}
