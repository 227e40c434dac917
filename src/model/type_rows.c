/*
 * type_rows.c
 *	  Types of a catalog. Their rows are read together with the catalog, under
 *	  one snapshot. A schema is parsed when its type is used.
 *
 * The properties of a type also depend on other types: an x-ref-field of
 * another type makes a property unique, and the target of a reference may be
 * bound to a table. So a type is complete only after the schemas that refer to
 * it, and those to which it refers, have been parsed, too. To find out whether
 * a schema has an annotation, it is parsed only if it contains the bytes of the
 * annotation's name, or a $ref to a schema that does.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "model/annotation_names.h"
#include "model/annotations.h"
#include "model/counted.h"
#include "model/period.h"
#include "model/type_rows.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- names of annotations in schemas ---- */

static bool
contains(const Jsonb *json, const char *text)
{
	return memmem(json, VARSIZE(json), text, strlen(text)) != NULL;
}

/*
 * Returns true if the schema or one of the bundle's definitions contains the
 * text.
 */
static bool
mentions(const KgTypeRow *row, const char *text)
{
	return contains(row->schema, text) ||
		   (row->definitions != NULL && contains(row->schema, "$ref") &&
			contains(row->definitions, text));
}

/* ---- parsing ---- */

static bool
has_key_field(const KgType *type, const char *name)
{
	for (int i = 0; i < type->nkey_fields; i++)
		if (strcmp(type->key_fields[i], name) == 0)
			return true;
	return false;
}

void
kg_type_add_key_fields(KgType *type, const KgType *parsed)
{
	int n = type->nkey_fields;
	const char **names = palloc((n + parsed->nfields + 1) * sizeof(char *));

	if (n > 0)
		memcpy(names, type->key_fields, n * sizeof(char *));
	for (int i = 0; i < parsed->nfields; i++)
		if (parsed->fields[i].indexed &&
			!has_key_field(type, parsed->fields[i].name))
			names[n++] = parsed->fields[i].name;
	qsort(names + type->nkey_fields,
		  n - type->nkey_fields,
		  sizeof(char *),
		  pg_qsort_strcmp);
	type->key_fields = names;
	type->nkey_fields = n;
}

/*
 * Sets field_no in the fields of a stored type, from kg_entity_type.key_fields.
 * If this column lacks an indexed field, because the row was written manually,
 * the field gets the next number.
 */
static void
number_fields(KgType *type, ArrayType *stored)
{
	type->key_fields = kg_array_texts(stored, false, &type->nkey_fields);
	kg_type_add_key_fields(type, type);
	for (int i = 0; i < type->nfields; i++)
		for (int j = 0; j < type->nkey_fields; j++)
			if (type->fields[i].indexed &&
				strcmp(type->key_fields[j], type->fields[i].name) == 0)
				type->fields[i].field_no = j + 1;
	for (int i = 0; i < type->nfields; i++)
	{
		if (!type->fields[i].counted)
			continue;
		type->fields[i].field_no += KG_COUNTED_FIELDS;
		type->ncounted++;
	}
}

/*
 * Records, for the targets of the type's references, the properties that its
 * x-ref-fields name.
 */
static void
name_values(const KgTypeRow *row, const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		KgTypeRow *target;

		if (field->ref_field == NULL)
			continue;
		target = (KgTypeRow *) kg_catalog_find_row(
			row->catalog, field->ref_bundle, field->ref_type);
		if (target != NULL)
			target->named = lappend(target->named, (void *) field->ref_field);
	}
}

const KgType *
kg_type_parsed(const KgTypeRow *row)
{
	KgTypeRow *mutable = (KgTypeRow *) row;
	MemoryContext context;
	MemoryContext old;
	KgType *type;

	if (row->type != NULL)
		return row->type;
	/*
	 * Parse in a context of its own, so that an error leaves no memory in the
	 * catalog's context, which lives longer.
	 */
	context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph type", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	type = kg_type_parse(
		row->bundle, row->name, row->schema, row->definitions, "", NULL);
	type->type_no = row->type_no;
	type->bundle_text = CStringGetTextDatum(row->bundle);
	type->name_text = CStringGetTextDatum(row->name);
	type->schema_hash = row->schema_hash;
	number_fields(type, row->key_fields);
	type->history_since = row->history_since;
	type->version_above = row->version_above;
	type->ambiguous = row->ambiguous;
	type->context = row->catalog->context;
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type && !type->fields[i].ref_bundle)
			type->fields[i].ref_bundle = type->bundle;
	MemoryContextSwitchTo(row->catalog->context);
	name_values(row, type);
	MemoryContextSetParent(context, row->catalog->context);
	mutable->type = type;
	MemoryContextSwitchTo(old);
	return type;
}

/* ---- properties that depend on other types ---- */

static int
compare_relation(const void *key, const void *relation)
{
	const KgRelation *sought = key;
	const KgRelation *other = relation;
	int order = strcmp(sought->bundle, other->bundle);

	return order != 0 ? order : strcmp(sought->name, other->name);
}

const KgRelation *
kg_catalog_find_relation(const KgCatalog *catalog, const char *bundle,
						 const char *name)
{
	const KgRelation sought = {.bundle = bundle, .name = name};

	return bsearch(&sought,
				   catalog->relations,
				   catalog->nrelations,
				   sizeof(KgRelation),
				   compare_relation);
}

void
kg_type_mark_unique(KgType *type, const char *ref_field)
{
	for (int i = 0; i < type->nfields; i++)
	{
		KgField *field = &type->fields[i];

		if (strcmp(field->name, ref_field) != 0 || !field->indexed ||
			field->counted || field == type->id_field)
			continue;
		field->unique = true;
		type->has_unique = true;
	}
}

/*
 * Parses all schemas with an x-ref-field whose target is this type, and marks
 * the properties that these x-ref-fields name as unique.
 */
static void
mark_unique(const KgTypeRow *row)
{
	const KgCatalog *catalog = row->catalog;
	ListCell *lc;

	foreach(lc, catalog->naming)
	{
		const KgTypeRow *other = lfirst(lc);

		if (other->type == NULL && mentions(other, row->name))
			(void) kg_type_parsed(other);
	}
	foreach(lc, row->named)
		kg_type_mark_unique(row->type, lfirst(lc));
}

/*
 * Sets ref_bound in a reference of a stored type, if the target type is bound
 * to a table. No row is derived from such a reference.
 */
static void
mark_bound(KgType *type, KgField *field, const KgCatalog *catalog)
{
	const KgTypeRow *target = kg_catalog_find_row(
		catalog, field->ref_bundle, field->ref_type);

	field->ref_bound = target != NULL && kg_row_has(target, KG_TRAIT_TABLE);
	type->refers_bound |= field->ref_bound;
}

const KgType *
kg_type_of(const KgTypeRow *row)
{
	KgTypeRow *mutable = (KgTypeRow *) row;
	const KgCatalog *catalog = row->catalog;
	KgType *type;

	if (row->complete)
		return row->type;
	type = (KgType *) kg_type_parsed(row);
	for (int i = 0; i < type->nfields; i++)
	{
		KgField *field = &type->fields[i];
		const KgRelation *relation;

		if (field->ref_type == NULL)
			continue;
		relation = kg_catalog_find_relation(
			catalog, type->bundle, field->relation);
		if (relation != NULL)
			field->relation_no = relation->relation_no;
		if (type->binding == NULL)
			mark_bound(type, field, catalog);
	}
	mark_unique(row);
	mutable->complete = true;
	return type;
}

/* ---- traits ---- */

static bool
has_table(const KgType *type)
{
	return type->binding != NULL;
}

static bool
has_authorize(const KgType *type)
{
	return type->authorize != NULL;
}

static bool
has_period(const KgType *type)
{
	return kg_period_any(&type->period);
}

static bool
has_history(const KgType *type)
{
	return type->history;
}

static bool
has_search(const KgType *type)
{
	return type->nsearch > 0;
}

static bool
has_summary(const KgType *type)
{
	return type->nsummary > 0;
}

static bool
has_mentions(const KgType *type)
{
	return kg_type_field(type, "total_mentions") != NULL;
}

static bool
has_counts(const KgType *type)
{
	return type->ncounted > 0;
}

static const struct
{
	/* text that every schema with an annotation of the trait contains */
	const char *mention;
	bool (*has)(const KgType *type);
} traits[KG_TRAITS] = {[KG_TRAIT_TABLE] = {"x-table", has_table},
					   [KG_TRAIT_AUTHORIZE] = {"x-authorize", has_authorize},
					   [KG_TRAIT_PERIOD] = {"x-valid-", has_period},
					   [KG_TRAIT_HISTORY] = {"x-history", has_history},
					   [KG_TRAIT_SEARCH] = {"x-search", has_search},
					   [KG_TRAIT_SUMMARY] = {"x-summary-fields", has_summary},
					   [KG_TRAIT_MENTIONS] = {"total_mentions", has_mentions},
					   [KG_TRAIT_COUNTS] = {"x-derived", has_counts}};

bool
kg_row_has(const KgTypeRow *row, KgTrait trait)
{
	KgTypeRow *mutable = (KgTypeRow *) row;
	bool has;

	if (row->known_traits & 1 << trait)
		return row->traits & 1 << trait;
	has = (row->type != NULL || mentions(row, traits[trait].mention)) &&
		  traits[trait].has(kg_type_parsed(row));
	mutable->known_traits |= 1 << trait;
	mutable->traits |= has << trait;
	return has;
}

const KgType *
kg_type_with(const KgTypeRow *row, KgTrait trait)
{
	return kg_row_has(row, trait) ? kg_type_of(row) : NULL;
}

bool
kg_catalog_has(const KgCatalog *catalog, KgTrait trait)
{
	KgCatalog *mutable = (KgCatalog *) catalog;
	bool found = false;

	if (catalog->known_traits & 1 << trait)
		return catalog->traits & 1 << trait;
	for (int i = 0; i < catalog->ntypes && !found; i++)
		found = kg_row_has(&catalog->types[i], trait);
	mutable->known_traits |= 1 << trait;
	mutable->traits |= found << trait;
	return found;
}

/* ---- rows ---- */

static int
compare_positions(const void *a, const void *b)
{
	const KgTypeRow *x = a;
	const KgTypeRow *y = b;
	int order = strcmp(x->bundle, y->bundle);

	if (order == 0)
		order = (x->position > y->position) - (x->position < y->position);
	return order != 0 ? order : strcmp(x->name, y->name);
}

static int
compare_names(const void *a, const void *b)
{
	const KgTypeRow *x = *(KgTypeRow *const *) a;
	const KgTypeRow *y = *(KgTypeRow *const *) b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : strcmp(x->bundle, y->bundle);
}

const KgTypeRow *
kg_catalog_find_row(const KgCatalog *catalog, const char *bundle,
					const char *name)
{
	const KgTypeRow sought = {.bundle = bundle, .name = name};
	const KgTypeRow *key = &sought;
	KgTypeRow **found = bsearch(&key,
								catalog->by_name,
								catalog->ntypes,
								sizeof(KgTypeRow *),
								compare_names);

	return found != NULL ? *found : NULL;
}

/*
 * Marks types whose names are ambiguous to the caller, even if the extension's
 * owner reads for the caller. A bundle that the caller's agent may not see
 * makes no name ambiguous.
 */
static void
mark_ambiguous(KgCatalog *catalog)
{
	int end;

	for (int start = 0; start < catalog->ntypes; start = end)
	{
		const char *name = catalog->by_name[start]->name;

		for (end = start + 1; end < catalog->ntypes &&
							  strcmp(catalog->by_name[end]->name, name) == 0;
			 end++)
			;
		for (int j = start; j < end && end - start > 1; j++)
		{
			const char *bundle = catalog->by_name[j]->bundle;

			if (!kg_agent_sees_bundle(bundle, strlen(bundle)))
				continue;
			for (int i = start; i < end; i++)
				catalog->by_name[i]->ambiguous |= i != j;
		}
	}
}

/*
 * Compares a name, which is a text datum, with a bundle's name like strcmp().
 */
static int
compare_bundle(const void *name, const void *bundle)
{
	const text *sought = name;
	const char *other = ((const KgBundle *) bundle)->name;
	size_t len = VARSIZE_ANY_EXHDR(sought);
	int order = strncmp(VARDATA_ANY(sought), other, len);

	return order != 0 ? order : other[len] == '\0' ? 0 : -1;
}

static const KgBundle *
find_bundle(const KgCatalog *catalog, const text *name)
{
	return bsearch(name,
				   catalog->bundles,
				   catalog->nbundles,
				   sizeof(KgBundle),
				   compare_bundle);
}

/*
 * Adds a row of kg_entity_type, with the columns of kg_load_types(). Ignores a
 * row whose bundle is not in the catalog.
 */
static void
add_row(TupleTableSlot *slot, void *arg)
{
	KgCatalog *catalog = arg;
	const KgBundle *bundle;
	const Datum *values;
	KgTypeRow *row;

	slot_getallattrs(slot);
	values = slot->tts_values;
	bundle = find_bundle(catalog, DatumGetTextPP(values[0]));
	if (bundle == NULL)
		return;
	catalog->types = kg_array_grown(
		catalog->types, catalog->ntypes, sizeof(KgTypeRow));
	row = &catalog->types[catalog->ntypes++];
	memset(row, 0, sizeof(*row));
	row->catalog = catalog;
	row->bundle = bundle->name;
	row->definitions = bundle->definitions;
	row->type_no = DatumGetInt32(values[1]);
	row->position = DatumGetInt32(values[2]);
	row->name = TextDatumGetCString(values[3]);
	row->schema = DatumGetJsonbPCopy(values[4]);
	row->schema_hash = TextDatumGetCString(values[5]);
	row->key_fields = DatumGetArrayTypePCopy(values[6]);
	row->history_since = DatumGetTimestampTz(values[7]);
	row->version_above = DatumGetInt64(values[8]);
}

void
kg_load_types(KgCatalog *catalog, const Datum *tenant)
{
	static KgSaved saved;

	catalog->types = palloc(sizeof(KgTypeRow));
	/*
	 * Do not use ORDER BY, because PostgreSQL's sort takes longer than the
	 * whole read. The rows are sorted below.
	 */
	kg_spi_read_each(&saved,
					 add_row,
					 catalog,
					 "SELECT bundle, type_no, position, entity_type, schema, "
					 "schema_hash, key_fields, history_since, version_above "
					 "FROM @kg_entity_type WHERE tenant = $1",
					 kg_arg(TEXTOID, *tenant));
	qsort(
		catalog->types, catalog->ntypes, sizeof(KgTypeRow), compare_positions);
	catalog->by_name = palloc((catalog->ntypes + 1) * sizeof(KgTypeRow *));
	for (int i = 0; i < catalog->ntypes; i++)
	{
		catalog->by_name[i] = &catalog->types[i];
		if (mentions(&catalog->types[i], "x-ref-field"))
			catalog->naming = lappend(catalog->naming, &catalog->types[i]);
	}
	qsort(
		catalog->by_name, catalog->ntypes, sizeof(KgTypeRow *), compare_names);
	mark_ambiguous(catalog);
}
