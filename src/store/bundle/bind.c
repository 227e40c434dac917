/*
 * bundle/bind.c
 *	  Creates entity types from tables of the user.
 *
 * The schema of a type is derived from the table's columns, keys and comments
 * at the time when the table is bound. It is an ordinary schema with x-table,
 * so the bundle can be exported, changed and applied again. bundle/bindings.c
 * checks the schema.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "model/annotation_names.h"
#include "model/bound_table.h"
#include "nodes/makefuncs.h"
#include "store/bundle/apply.h"
#include "store/bundle/bind.h"
#include "store/bundle/binding_draft.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

static const char *const members[] = {"table",
									  "entity_type",
									  "description",
									  "id",
									  "properties",
									  "label",
									  "aliases",
									  "references",
									  "hidden",
									  "untrusted",
									  "tools",
									  "shared",
									  "tenant_column",
									  "write",
									  "version_column",
									  NULL};

void
kg_draft_throw(const char *path, const char *expected)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT, "\"%s\" is not valid", path + 1);

	kg_error_path(err, "%s", path);
	kg_error_throw_expected(err, "%s", expected);
}

static KgDraftColumn *
find_column(const KgBindingDraft *bind, const char *name)
{
	for (int i = 0; i < bind->ncolumns; i++)
		if (strcmp(bind->columns[i].name, name) == 0)
			return &bind->columns[i];
	return NULL;
}

static KgDraftColumn *
require_column(const KgBindingDraft *bind, const char *name, const char *path)
{
	KgDraftColumn *column = find_column(bind, name);
	const char **names;
	KgError *err;

	if (column != NULL)
		return column;
	names = palloc((bind->ncolumns + 1) * sizeof(char *));
	err = kg_error_new(KG_INVALID_INPUT,
					   "table %s has no column \"%s\" that the caller may read",
					   bind->table,
					   name);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	for (int i = 0; i < bind->ncolumns; i++)
	{
		names[i] = bind->columns[i].name;
		kg_error_allow(err, names[i]);
	}
	kg_error_did_you_mean(err, kg_nearest(name, names, bind->ncolumns));
	kg_error_throw_expected(err, "a column of the table");
}

/*
 * Reads a member that is a string or an array of strings, and sets *n to their
 * number. Returns NULL if the member is missing. Raises an error if it has
 * another type.
 */
static const char **
read_strings(const JsonbContainer *object, const char *key, const char *path,
			 int *n)
{
	JsonbValue value;
	const char **strings;

	*n = 0;
	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (value.type == jbvString)
	{
		strings = palloc(sizeof(char *));
		strings[(*n)++] = kg_json_cstring(&value);
		return strings;
	}
	if (!kg_json_is_array(&value))
		kg_draft_throw(path, "a column, or an array of columns");
	strings = palloc((kg_json_length(kg_json_container(&value)) + 1) *
					 sizeof(char *));
	kg_json_each(it, kg_json_container(&value))
	{
		if (it.value.type != jbvString)
			kg_draft_throw(path, "names of columns");
		strings[(*n)++] = kg_json_cstring(&it.value);
	}
	return strings;
}

const char *
kg_draft_string(const JsonbContainer *object, const char *key, const char *path)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (value.type != jbvString)
		kg_draft_throw(psprintf("%s/%s", path, key), "a string");
	return kg_json_cstring(&value);
}

/* ---- the table ---- */

static void
find_table(KgBindingDraft *bind, const char *name)
{
	List *names = NIL;
	KgError *err;

	if (SplitIdentifierString(pstrdup(name), '.', &names) &&
		list_length(names) <= 2)
	{
		char *schema = list_length(names) == 2 ? linitial(names) : NULL;

		if (names != NIL)
			bind->relid = RangeVarGetRelid(
				makeRangeVar(schema, llast(names), -1), NoLock, true);
	}
	if (OidIsValid(bind->relid))
	{
		bind->table = quote_qualified_identifier(
			get_namespace_name(get_rel_namespace(bind->relid)),
			get_rel_name(bind->relid));
		return;
	}
	err = kg_error_new(KG_INVALID_INPUT, "table \"%s\" does not exist", name);
	kg_error_got_string(err, name);
	kg_error_throw_expected(err, "a table or view, as schema.table");
}

/* Reads those columns of the table that the caller may read. */
static void
read_columns(KgBindingDraft *bind)
{
	int n = 0;

	KG_SPI_EXEC("SELECT a.attname::text, a.attnum::bigint, a.atttypid, "
				"a.atttypmod, a.attnotnull, "
				"col_description(a.attrelid, a.attnum), "
				"a.atthasdef OR a.attidentity <> '', "
				"a.attgenerated <> '' OR a.attidentity = 'a' "
				"FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 "
				"AND NOT a.attisdropped "
				"AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') "
				"ORDER BY a.attnum",
				kg_arg(OIDOID, ObjectIdGetDatum(bind->relid)));
	bind->columns = palloc0((SPI_processed + 1) * sizeof(KgDraftColumn));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgDraftColumn *column = &bind->columns[n];
		int32 typmod = DatumGetInt32(kg_spi_datum(i, 4));
		Oid declared = DatumGetObjectId(kg_spi_datum(i, 3));
		Oid type = getBaseTypeAndTypmod(declared, &typmod);
		bool isnull;
		Datum comment = kg_spi_value(i, 6, &isnull);

		column->name = kg_spi_cstring(i, 1);
		column->number = kg_spi_int64(i, 2);
		column->declared = declared;
		column->type = type;
		column->typmod = typmod;
		column->made = DatumGetBool(kg_spi_datum(i, 7));
		column->computed = DatumGetBool(kg_spi_datum(i, 8));
		column->required = DatumGetBool(kg_spi_datum(i, 5)) && !column->made;
		column->comment = isnull ? NULL : TextDatumGetCString(comment);
		column->property = kg_bound_is_shown(type) ? column->name : NULL;
		n++;
	}
	bind->ncolumns = n;
}

/*
 * Reads the names of the id's columns from the mapping, or else from the
 * table's primary key. Raises an error if neither names columns, or a column
 * cannot be used.
 */
static void
read_id(KgBindingDraft *bind)
{
	bind->id = read_strings(bind->mapping, "id", "/id", &bind->nid);
	if (bind->id == NULL)
	{
		KG_SPI_EXEC("SELECT a.attname::text FROM pg_index i "
					"CROSS JOIN LATERAL unnest(i.indkey::int2[]) "
					"WITH ORDINALITY k(number, place) "
					"JOIN pg_attribute a ON a.attrelid = i.indrelid "
					"AND a.attnum = k.number "
					"WHERE i.indrelid = $1 AND i.indisprimary "
					"AND k.place <= i.indnkeyatts ORDER BY k.place",
					kg_arg(OIDOID, ObjectIdGetDatum(bind->relid)));
		bind->nid = SPI_processed;
		bind->id = palloc((SPI_processed + 1) * sizeof(char *));
		for (int i = 0; i < bind->nid; i++)
			bind->id[i] = kg_spi_cstring(i, 1);
	}
	if (bind->nid == 0)
		kg_draft_throw("/id",
					   "\"id\": the columns that identify a row, because the "
					   "table has no primary key");
	for (int i = 0; i < bind->nid; i++)
		(void) require_column(bind, bind->id[i], "/id");
}

/* ---- properties ---- */

static void
read_property(KgBindingDraft *bind, const char *name, const JsonbValue *value)
{
	char *path = psprintf("/properties/%s", name);
	const char *of = NULL;
	KgDraftColumn *column;

	if (value->type == jbvString)
		of = kg_json_cstring(value);
	else if (kg_json_is_object(value))
		of = kg_draft_string(kg_json_container(value), "column", path);
	if (of == NULL)
		kg_draft_throw(path, "a column, or an object with \"column\"");
	column = require_column(bind, of, path);
	column->property = name;
	if (kg_json_is_object(value))
		column->description = kg_draft_string(
			kg_json_container(value), "description", path);
}

static void
read_properties(KgBindingDraft *bind)
{
	JsonbValue value;
	const char **names;
	int n;

	if (kg_json_get(bind->mapping, "properties", &value))
	{
		if (!kg_json_is_object(&value))
			kg_draft_throw("/properties", "an object {property: column}");
		for (int i = 0; i < bind->ncolumns; i++)
			bind->columns[i].property = NULL;
		kg_json_each(it, kg_json_container(&value))
			read_property(bind, kg_json_cstring(&it.key), &it.value);
	}
	names = read_strings(bind->mapping, "hidden", "/hidden", &n);
	for (int i = 0; i < n; i++)
		require_column(bind, names[i], "/hidden")->property = NULL;
	names = read_strings(bind->mapping, "untrusted", "/untrusted", &n);
	for (int i = 0; i < n; i++)
		require_column(bind, names[i], "/untrusted")->untrusted = true;
}

static bool
has_property(const KgBindingDraft *bind, const char *name)
{
	for (int i = 0; i < bind->ncolumns; i++)
		if (bind->columns[i].property != NULL &&
			strcmp(bind->columns[i].property, name) == 0)
			return true;
	return false;
}

static bool
is_reference(const KgBindingDraft *bind, const char *property)
{
	ListCell *lc;

	foreach(lc, bind->references)
		if (strcmp(((KgDraftReference *) lfirst(lc))->property, property) == 0)
			return true;
	return false;
}

static bool
is_property(const KgBindingDraft *bind, const char *name)
{
	return has_property(bind, name) || is_reference(bind, name);
}

/*
 * Sets the name of the property for the id. It is the property of the id's
 * column. If several columns form the id, it is "id", or another name if a
 * property has this name.
 */
static void
name_id(KgBindingDraft *bind)
{
	KgDraftColumn *column = find_column(bind, bind->id[0]);

	if (bind->nid == 1)
	{
		if (column->property == NULL)
			column->property = column->name;
		bind->id_property = column->property;
		return;
	}
	bind->id_property = !has_property(bind, "id") ? "id" : "entity_key";
	while (has_property(bind, bind->id_property))
		bind->id_property = psprintf("%s_", bind->id_property);
}

/* ---- references ---- */

static void
add_reference(KgBindingDraft *bind, const char *property, const char **columns,
			  int n, const char *to, const char *relation)
{
	KgDraftReference *reference = palloc0(sizeof(*reference));

	reference->property = property;
	reference->columns = columns;
	reference->ncolumns = n;
	reference->to = to;
	reference->relation = relation;
	bind->references = lappend(bind->references, reference);
	/* The column is shown as a reference and not as another property. */
	for (int i = 0; i < bind->ncolumns && n == 1; i++)
		if (strcmp(bind->columns[i].name, columns[0]) == 0 &&
			bind->columns[i].property != bind->id_property)
			bind->columns[i].property = NULL;
}

static void
read_reference(KgBindingDraft *bind, const char *property,
			   const JsonbValue *value)
{
	char *path = psprintf("/references/%s", property);
	const JsonbContainer *object = kg_json_container(value);
	const char **columns;
	const char *to;
	int n;

	if (!kg_json_is_object(value))
		kg_draft_throw(path, "an object with \"columns\" and \"to\"");
	columns = read_strings(object, "columns", psprintf("%s/columns", path), &n);
	to = kg_draft_string(object, "to", path);
	if (n == 0 || to == NULL)
		kg_draft_throw(path, "an object with \"columns\" and \"to\"");
	for (int i = 0; i < n; i++)
		(void) require_column(bind, columns[i], path);
	add_reference(bind,
				  property,
				  columns,
				  n,
				  to,
				  kg_draft_string(object, "relation", path));
}

/*
 * Returns whether the foreign key refers to the table and the id of the type
 * that is being created.
 */
static bool
is_of_table(const KgBindingDraft *bind, const KgDraftKey *key)
{
	if (strcmp(bind->table, key->table) != 0 || key->ncolumns != bind->nid)
		return false;
	for (int j = 0; j < bind->nid; j++)
		if (strcmp(bind->id[j], key->keys[j]) != 0)
			return false;
	return true;
}

const char *
kg_draft_target(const KgBindingDraft *bind, const KgDraftKey *key)
{
	ListCell *lc;

	if (is_of_table(bind, key))
		return bind->type;
	foreach(lc, bind->others)
		if (is_of_table(lfirst(lc), key))
			return ((const KgBindingDraft *) lfirst(lc))->type;
	for (int i = 0; i < bind->catalog->ntypes; i++)
	{
		const KgType *type = kg_type_of(&bind->catalog->types[i]);
		const KgTableBinding *binding = type->binding;
		/*
		 * Drafts replace the stored types of their bundle, so a stored type of
		 * this bundle is ignored.
		 */
		bool same = binding != NULL && binding->nid == key->ncolumns &&
					(bind->others == NIL ||
					 strcmp(type->bundle, bind->bundle) != 0) &&
					strcmp(binding->table, key->table) == 0;

		for (int j = 0; same && j < key->ncolumns; j++)
			same = strcmp(binding->id[j], key->keys[j]) == 0;
		if (same)
			return strcmp(type->bundle, bind->bundle) == 0
					   ? type->name
					   : psprintf("%s/%s", type->bundle, type->name);
	}
	return NULL;
}

/* Maximum length of a relation's name. */
#define KG_RELATION_NAME 63

/*
 * Returns a relation's name for a column: the name in upper case without
 * "_id", such as ACCOUNT for account_id. If this is not a valid name of a
 * relation, adds a prefix, such as TO_K for k.
 */
static const char *
relation_of(const char *column)
{
	int len = strlen(column);
	char *name;

	if (len > 3 && pg_strcasecmp(column + len - 3, "_id") == 0)
		len -= 3;
	name = pnstrdup(column, len);
	for (char *p = name; *p; p++)
	{
		if (*p >= 'a' && *p <= 'z')
			*p -= 'a' - 'A';
		else if (!((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
			*p = '_';
	}
	if (len < 2 || !(name[0] >= 'A' && name[0] <= 'Z'))
		name = psprintf("TO_%s", name);
	len = Min(strlen(name), KG_RELATION_NAME);
	while (len > 2 && name[len - 1] == '_')
		len--;
	name[len] = '\0';
	return name;
}

static const char **
names_in(uint64 row, int column, int *n)
{
	return kg_array_texts(
		DatumGetArrayTypeP(kg_spi_datum(row, column)), false, n);
}

/*
 * Reads the foreign keys whose columns the caller may read. A repeated foreign
 * key is left out.
 */
static void
read_foreign_keys(KgBindingDraft *bind)
{
	KG_SPI_EXEC(
		"SELECT format('%I.%I', n.nspname, t.relname), "
		"ARRAY(SELECT a.attname::text FROM unnest(c.conkey) "
		"WITH ORDINALITY k(number, place) JOIN pg_attribute a "
		"ON a.attrelid = c.conrelid AND a.attnum = k.number ORDER BY place), "
		"ARRAY(SELECT a.attname::text FROM unnest(c.confkey) "
		"WITH ORDINALITY k(number, place) JOIN pg_attribute a "
		"ON a.attrelid = c.confrelid AND a.attnum = k.number ORDER BY place), "
		"EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.confrelid "
		"AND a.attname = t.relname AND NOT a.attisdropped) "
		"FROM pg_constraint c JOIN pg_class t ON t.oid = c.confrelid "
		"JOIN pg_namespace n ON n.oid = t.relnamespace "
		"WHERE c.conrelid = $1 AND c.contype = 'f' AND c.conparentid = 0 "
		"AND NOT EXISTS (SELECT FROM pg_constraint d "
		"WHERE d.conrelid = c.conrelid AND d.contype = 'f' "
		"AND d.confrelid = c.confrelid AND d.conkey = c.conkey "
		"AND d.confkey = c.confkey AND d.conname < c.conname) "
		"ORDER BY c.conname",
		kg_arg(OIDOID, ObjectIdGetDatum(bind->relid)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgDraftKey *key = palloc(sizeof(KgDraftKey));
		bool readable = true;

		key->table = kg_spi_cstring(i, 1);
		key->columns = names_in(i, 2, &key->ncolumns);
		key->keys = names_in(i, 3, &key->ncolumns);
		key->has_own_name = DatumGetBool(kg_spi_datum(i, 4));
		for (int j = 0; j < key->ncolumns; j++)
			readable &= find_column(bind, key->columns[j]) != NULL;
		if (readable)
			bind->foreign_keys = lappend(bind->foreign_keys, key);
	}
}

/*
 * Returns a name for a reference that cannot have the name of its column: the
 * name of the target type, with a number if a property has this name. Adds
 * "_row" if the referenced table has a column with the table's own name.
 * Otherwise the name would be ambiguous in an SQL query that joins both tables.
 */
static const char *
reference_name(const KgBindingDraft *bind, const KgDraftKey *key,
			   const char *to)
{
	const char *slash = strchr(to, '/');
	const char *type = psprintf(
		"%s%s", slash ? slash + 1 : to, key->has_own_name ? "_row" : "");
	const char *name = type;

	for (int n = 2;
		 is_property(bind, name) || strcmp(name, bind->id_property) == 0;
		 n++)
		name = psprintf("%s_%d", type, n);
	return name;
}

/* Returns whether a column is shown, as a property or as a reference. */
static bool
is_shown(const KgBindingDraft *bind, const char *column)
{
	ListCell *lc;

	if (find_column(bind, column)->property != NULL)
		return true;
	foreach(lc, bind->references)
	{
		const KgDraftReference *reference = lfirst(lc);

		if (reference->ncolumns == 1 &&
			strcmp(reference->columns[0], column) == 0)
			return true;
	}
	return false;
}

/*
 * Returns whether the foreign key refers from the id of each row to the id of
 * the same row.
 */
static bool
is_to_itself(const KgBindingDraft *bind, const KgDraftKey *key)
{
	if (!is_of_table(bind, key))
		return false;
	for (int i = 0; i < key->ncolumns; i++)
		if (strcmp(key->columns[i], key->keys[i]) != 0)
			return false;
	return true;
}

/*
 * Adds a reference for a foreign key if its columns are shown and the
 * referenced table is bound, too. The reference replaces the property of its
 * column. If the key has several columns, or if its column is the id or already
 * a reference, the reference is an additional property.
 */
static void
add_foreign_key(KgBindingDraft *bind, const KgDraftKey *key)
{
	const char *to = kg_draft_target(bind, key);
	const char *property = find_column(bind, key->columns[0])->property;

	if (to == NULL || is_to_itself(bind, key))
		return;
	for (int i = 0; i < key->ncolumns; i++)
		if (!is_shown(bind, key->columns[i]))
			return;
	if (key->ncolumns > 1 || property == NULL ||
		strcmp(property, bind->id_property) == 0)
		property = reference_name(bind, key, to);
	add_reference(
		bind, property, key->columns, key->ncolumns, to, relation_of(property));
}

void
kg_draft_refer(KgBindingDraft *bind)
{
	JsonbValue value;
	ListCell *lc;

	if (kg_json_get(bind->mapping, "references", &value) == NULL)
	{
		foreach(lc, bind->foreign_keys)
			add_foreign_key(bind, lfirst(lc));
		return;
	}
	if (!kg_json_is_object(&value))
		kg_draft_throw("/references", "an object {property: reference}");
	kg_json_each(it, kg_json_container(&value))
		read_reference(bind, kg_json_cstring(&it.key), &it.value);
}

/* ---- the schema ---- */

static void
write_enum(KgJsonWriter *w, Oid type)
{
	KG_SPI_EXEC("SELECT enumlabel::text FROM pg_enum WHERE enumtypid = $1 "
				"ORDER BY enumsortorder",
				kg_arg(OIDOID, ObjectIdGetDatum(type)));
	kg_jw_kbegin_array(w, "enum");
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_jw_string(w, kg_spi_cstring(i, 1));
	kg_jw_end_array(w);
}

static void
write_type(KgJsonWriter *w, Oid type, int32 typmod)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
	{
		kg_jw_kstring(w, "type", "array");
		kg_jw_kbegin_object(w, "items");
		write_type(w, getBaseType(element), -1);
		kg_jw_end_object(w);
		return;
	}
	switch (type)
	{
		case BOOLOID:
			kg_jw_kstring(w, "type", "boolean");
			return;
		case INT2OID:
		case INT4OID:
		case INT8OID:
			kg_jw_kstring(w, "type", "integer");
			return;
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			kg_jw_kstring(w, "type", "number");
			return;
		case JSONOID:
		case JSONBOID:
			return;
		default:
			break;
	}
	if (get_typtype(type) == TYPTYPE_COMPOSITE)
	{
		kg_jw_kstring(w, "type", "object");
		return;
	}
	kg_jw_kstring(w, "type", "string");
	if (get_typtype(type) == TYPTYPE_ENUM)
		write_enum(w, type);
	else if (type == DATEOID)
		kg_jw_kstring(w, "format", "date");
	else if (type == TIMESTAMPTZOID)
		kg_jw_kstring(w, "format", "date-time");
	else if (type == UUIDOID)
		kg_jw_kstring(w, "format", "uuid");
	else if ((type == VARCHAROID || type == BPCHAROID) && typmod > VARHDRSZ)
		kg_jw_kint(w, "maxLength", typmod - VARHDRSZ);
}

/*
 * Writes the type of a column, and the texts that its CHECK constraints allow.
 */
static void
write_column_type(KgJsonWriter *w, const KgBindingDraft *bind,
				  const KgDraftColumn *column)
{
	List *texts = kg_allowed_texts(bind->relid, column);

	write_type(w, column->type, column->typmod);
	if (texts != NIL)
		kg_jw_klist(w, "enum", texts);
	if (column->computed)
		kg_jw_kbool(w, "readOnly", true);
}

static void
write_column(KgJsonWriter *w, const KgBindingDraft *bind,
			 const KgDraftColumn *column)
{
	const char *description = column->description ? column->description
												  : column->comment;

	kg_jw_kbegin_object(w, column->property);
	if (strcmp(column->property, bind->id_property) == 0)
		kg_jw_kstring(w, "type", "string");
	else
		write_column_type(w, bind, column);
	kg_jw_kstring_if(w, "description", description);
	if (column->untrusted)
		kg_jw_kbool(w, "x-untrusted", true);
	kg_jw_end_object(w);
}

/*
 * Returns whether the table supplies the id of a new row: by a default, or
 * from other columns.
 */
static bool
makes_id(const KgBindingDraft *bind)
{
	return bind->nid > 1 || find_column(bind, bind->id[0])->made;
}

/*
 * Writes x-property-order: the properties in the order of their columns, then
 * the references.
 */
static void
write_order(KgJsonWriter *w, const KgBindingDraft *bind)
{
	ListCell *lc;

	kg_jw_kbegin_array(w, kg_annotation_name(KG_X_PROPERTY_ORDER));
	if (bind->nid > 1)
		kg_jw_string(w, bind->id_property);
	for (int i = 0; i < bind->ncolumns; i++)
		if (bind->columns[i].property != NULL)
			kg_jw_string(w, bind->columns[i].property);
	foreach(lc, bind->references)
	{
		const KgDraftReference *reference = lfirst(lc);

		if (!has_property(bind, reference->property))
			kg_jw_string(w, reference->property);
	}
	kg_jw_end_array(w);
}

static void
write_properties(KgJsonWriter *w, const KgBindingDraft *bind)
{
	const char *tenant;
	ListCell *lc;

	kg_jw_kbegin_object(w, "properties");
	if (bind->nid > 1)
	{
		kg_jw_kbegin_object(w, bind->id_property);
		kg_jw_kstring(w, "type", "string");
		kg_jw_end_object(w);
	}
	for (int i = 0; i < bind->ncolumns; i++)
		if (bind->columns[i].property != NULL &&
			!is_reference(bind, bind->columns[i].property))
			write_column(w, bind, &bind->columns[i]);
	foreach(lc, bind->references)
	{
		const KgDraftReference *reference = lfirst(lc);

		kg_jw_kbegin_object(w, reference->property);
		kg_jw_kstring(w, "type", "string");
		kg_jw_kstring(w, "x-ref", reference->to);
		kg_jw_kstring_if(w, "x-relation", reference->relation);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
	tenant = kg_draft_string(bind->mapping, "tenant_column", "");
	kg_jw_kbegin_array(w, "required");
	if (!makes_id(bind))
		kg_jw_string(w, bind->id_property);
	for (int i = 0; i < bind->ncolumns; i++)
	{
		const KgDraftColumn *column = &bind->columns[i];

		/*
		 * The tenant's column needs no value, because a new row has the
		 * caller's tenant.
		 */
		if (column->required && column->property != NULL &&
			(tenant == NULL || strcmp(column->name, tenant) != 0) &&
			strcmp(column->property, bind->id_property) != 0 &&
			!is_reference(bind, column->property))
			kg_jw_string(w, column->property);
	}
	kg_jw_end_array(w);
}

static void
write_names(KgJsonWriter *w, const char *key, const char *const *names, int n)
{
	kg_jw_kbegin_array(w, key);
	for (int i = 0; i < n; i++)
		kg_jw_string(w, names[i]);
	kg_jw_end_array(w);
}

/* Writes the members of x-table that come from the mapping. */
static void
write_options(KgJsonWriter *w, const KgBindingDraft *bind)
{
	static const char *const names[] = {"shared", "write"};
	static const char *const columns[] = {"tenant_column", "version_column"};
	JsonbValue value;

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_get(bind->mapping, names[i], &value))
		{
			kg_jw_key(w, names[i]);
			kg_jw_value(w, &value);
		}
	for (int i = 0; i < lengthof(columns); i++)
		kg_jw_kstring_if(
			w, columns[i], kg_draft_string(bind->mapping, columns[i], ""));
}

static void
write_table(KgJsonWriter *w, const KgBindingDraft *bind)
{
	ListCell *lc;

	kg_jw_kbegin_object(w, "x-table");
	kg_jw_kstring(w, "name", bind->table);
	write_names(w, "id", bind->id, bind->nid);
	kg_jw_kbegin_object(w, "columns");
	for (int i = 0; i < bind->ncolumns; i++)
		if (bind->columns[i].property != NULL &&
			strcmp(bind->columns[i].property, bind->columns[i].name) != 0)
			kg_jw_kstring(w, bind->columns[i].property, bind->columns[i].name);
	foreach(lc, bind->references)
	{
		const KgDraftReference *reference = lfirst(lc);

		write_names(
			w, reference->property, reference->columns, reference->ncolumns);
	}
	kg_jw_end_object(w);
	write_options(w, bind);
	kg_jw_end_object(w);
}

/*
 * Returns the property for a name in the mapping, which may name a property or
 * a column. Raises an error if it names neither, or a column that the binding
 * does not include.
 */
static const char *
property_of(const KgBindingDraft *bind, const char *name, const char *path)
{
	const char *property;

	if (is_property(bind, name))
		return name;
	property = require_column(bind, name, path)->property;
	if (property == NULL)
		kg_draft_throw(path, "a column that the binding includes");
	return property;
}

static const char *
comment_of(Oid relid)
{
	bool isnull;
	Datum comment;

	KG_SPI_EXEC("SELECT obj_description($1, 'pg_class')",
				kg_arg(OIDOID, ObjectIdGetDatum(relid)));
	comment = kg_spi_value(0, 1, &isnull);
	return isnull ? NULL : TextDatumGetCString(comment);
}

static void
write_schema(KgJsonWriter *w, const KgBindingDraft *bind)
{
	const char *description = kg_draft_string(bind->mapping, "description", "");
	const char *label = kg_draft_string(bind->mapping, "label", "");
	const char **names;
	int n;
	JsonbValue value;

	kg_jw_kbegin_object(w, "schema");
	kg_jw_kstring(w, "type", "object");
	kg_jw_kstring_if(
		w, "description", description ? description : comment_of(bind->relid));
	kg_jw_kstring(w, "x-id-field", bind->id_property);
	if (makes_id(bind))
		kg_jw_kstring(w, "x-id-generate", "table");
	if (label != NULL)
		kg_jw_kstring(w, "x-label-field", property_of(bind, label, "/label"));
	names = read_strings(bind->mapping, "aliases", "/aliases", &n);
	for (int i = 0; i < n; i++)
		names[i] = property_of(bind, names[i], "/aliases");
	if (n > 0)
		write_names(w, "x-alias-fields", names, n);
	kg_jw_key(w, "x-tool-expose");
	if (kg_json_get(bind->mapping, "tools", &value))
		kg_jw_value(w, &value);
	else
		kg_jw_jsonb(w, kg_json_parse("[\"list\", \"get\", \"list_ids\"]"));
	write_table(w, bind);
	write_order(w, bind);
	write_properties(w, bind);
	kg_jw_end_object(w);
}

/*
 * Returns the version of the stored bundle, or the initial version for a new
 * bundle.
 */
static const char *
version_of(const KgBindingDraft *bind)
{
	for (int i = 0; i < bind->catalog->nbundles; i++)
		if (strcmp(bind->catalog->bundles[i].name, bind->bundle) == 0)
			return bind->catalog->bundles[i].version;
	return "1.0.0";
}

/*
 * Returns a name for the type: the name of the table, in which "_" replaces
 * characters that a type's name cannot have.
 */
static const char *
type_name_of(Oid relid)
{
	char *name = get_rel_name(relid);
	int len;

	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char) *p) || IS_HIGHBIT_SET(*p))
			*p = '_';
	while (*name == '_' || isdigit((unsigned char) *name))
		name++;
	len = strlen(name);
	while (len > 0 && name[len - 1] == '_')
		name[--len] = '\0';
	return len > 1 ? name : psprintf("table_%s", len > 0 ? name : "1");
}

void
kg_draft_begin(KgBindingDraft *bind, const KgCatalog *catalog,
			   const char *bundle, const char *table, const Jsonb *mapping)
{
	memset(bind, 0, sizeof(*bind));
	bind->catalog = catalog;
	bind->bundle = bundle;
	bind->mapping = &mapping->root;
	find_table(bind, table);
	bind->type = kg_draft_string(bind->mapping, "entity_type", "");
	if (bind->type == NULL)
		bind->type = type_name_of(bind->relid);
	read_columns(bind);
	read_id(bind);
	read_properties(bind);
	name_id(bind);
	read_foreign_keys(bind);
}

void
kg_draft_write_bundle(KgJsonWriter *w, const KgBindingDraft *bind)
{
	kg_jw_init_object(w);
	kg_jw_kstring(w, "bundle_name", bind->bundle);
	kg_jw_kstring(w, "version", version_of(bind));
	kg_jw_kbegin_array(w, "schemas");
}

void
kg_draft_write_type(KgJsonWriter *w, const KgBindingDraft *bind)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "entity_type", bind->type);
	write_schema(w, bind);
	kg_jw_end_object(w);
}

/* ---- relations ---- */

static bool
has_column(const KgDraftKey *key, const char *name)
{
	for (int i = 0; i < key->ncolumns; i++)
		if (strcmp(key->columns[i], name) == 0)
			return true;
	return false;
}

/*
 * Returns whether a column is a property of edges. The table's rows are edges,
 * and from and to are its two foreign keys.
 */
static bool
is_of_edges(const KgBindingDraft *bind, const KgDraftColumn *column,
			const KgDraftKey *from, const KgDraftKey *to)
{
	const char *tenant = kg_draft_string(bind->mapping, "tenant_column", "");

	return column->property != NULL && !has_column(from, column->name) &&
		   !has_column(to, column->name) &&
		   (tenant == NULL || strcmp(tenant, column->name) != 0);
}

static bool
is_end(const char *name)
{
	return strcmp(name, "from") == 0 || strcmp(name, "to") == 0;
}

static void
write_edges_table(KgJsonWriter *w, const KgBindingDraft *bind,
				  const KgDraftKey *from, const KgDraftKey *to)
{
	kg_jw_kbegin_object(w, "x-table");
	kg_jw_kstring(w, "name", bind->table);
	write_names(w, "from", from->columns, from->ncolumns);
	write_names(w, "to", to->columns, to->ncolumns);
	kg_jw_kbegin_object(w, "columns");
	for (int i = 0; i < bind->ncolumns; i++)
		if (is_of_edges(bind, &bind->columns[i], from, to) &&
			is_end(bind->columns[i].name))
			kg_jw_kstring(w, bind->columns[i].property, bind->columns[i].name);
	kg_jw_end_object(w);
	write_options(w, bind);
	kg_jw_end_object(w);
}

void
kg_draft_write_relation(KgJsonWriter *w, const KgBindingDraft *bind,
						const char *name, const KgDraftKey *from,
						const KgDraftKey *to)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", name);
	kg_jw_kstring(w, "from", kg_draft_target(bind, from));
	kg_jw_kstring(w, "to", kg_draft_target(bind, to));
	kg_jw_kstring_if(w, "description", comment_of(bind->relid));
	kg_jw_kbegin_object(w, "schema");
	kg_jw_kstring(w, "type", "object");
	kg_jw_kbegin_object(w, "properties");
	for (int i = 0; i < bind->ncolumns; i++)
	{
		KgDraftColumn *column = &bind->columns[i];

		if (!is_of_edges(bind, column, from, to))
			continue;
		/*
		 * An edge has members with these names ("from", "to"), so the property
		 * gets another name.
		 */
		if (is_end(column->name))
			column->property = psprintf("%s_value", column->name);
		write_column(w, bind, column);
	}
	kg_jw_end_object(w);
	write_edges_table(w, bind, from, to);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

/* ---- binding ---- */

/*
 * Raises an error if the mapping does not name the type and the bundle already
 * has a type of the default name that reads another table. That table can be in
 * another schema, or its name can differ in characters that were replaced by
 * "_".
 */
static void
require_own_type(const KgBindingDraft *bind)
{
	const KgType *type;
	JsonbValue ignored;

	if (kg_json_get(bind->mapping, "entity_type", &ignored) != NULL)
		return;
	type = kg_catalog_type_in(bind->catalog, bind->bundle, bind->type);
	if (type != NULL && type->binding != NULL &&
		strcmp(type->binding->table, bind->table) != 0)
		kg_draft_throw("/entity_type",
					   psprintf("\"entity_type\": another name, because "
								"\"%s\" reads %s; or \"%s\", to let it "
								"read %s",
								type->name,
								type->binding->table,
								type->name,
								bind->table));
}

Jsonb *
kg_bind_table(const char *bundle, const char *table, const Jsonb *mapping)
{
	KgBindingDraft bind;
	KgJsonWriter w;

	kg_check_options(mapping, members);
	kg_draft_begin(&bind,
				   kg_catalog_newest(kg_identity_require(KG_ACCESS_WRITE)),
				   bundle,
				   table,
				   mapping);
	require_own_type(&bind);
	kg_draft_refer(&bind);
	kg_draft_write_bundle(&w, &bind);
	kg_draft_write_type(&w, &bind);
	kg_jw_end_array(&w);
	return kg_bundle_apply(kg_jw_finish(&w),
						   kg_json_parse("{\"mode\": \"merge\"}"));
}
