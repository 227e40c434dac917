/*
 * bundle/relations.c
 *	  The relations of a bundle after the apply. They are the relations that
 *	  its payload declares, the relations that its types derive and, in a
 *	  merge, the other stored relations. All are checked together, so that a
 *	  stored bundle can always be applied again.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "base/spi.h"
#include "base/text.h"
#include "model/annotation_names.h"
#include "model/annotations.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "store/edge/edge_key.h"
#include "store/bundle/numbers.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/*
 * A variant (relation with one pair of types): a row of kg_relation after the
 * apply.
 */
typedef struct KgNewVariant
{
	const char *relation;
	const char *from_type;
	const char *to_bundle;
	const char *to_type;
	/* property whose values derive the edges; NULL: declared relation */
	const char *property;
	const Jsonb *schema;
	const char *inverse;
	bool symmetric;
	const char *key;
	bool history;
	const char *description;
	int nfields; /* number of fields, if the schema is valid */
	KgField *fields;
	KgPeriod period;
	int expose; /* KG_EXPOSE_* flags, equal in all variants of a relation */
	const char *path; /* path of the declaration in the payload; NULL: stored */
} KgNewVariant;

static bool
is_derived(const KgNewVariant *variant)
{
	return variant->property != NULL;
}

static bool
same_ends(const KgNewVariant *a, const KgNewVariant *b)
{
	return strcmp(a->relation, b->relation) == 0 &&
		   strcmp(a->from_type, b->from_type) == 0 &&
		   strcmp(a->to_type, b->to_type) == 0 &&
		   strcmp(a->to_bundle, b->to_bundle) == 0;
}

static void
report(KgApply *apply, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path ? path : "/relations");
	kg_error_report(&apply->errors, err);
}

static const char *
end_name(const KgApply *apply, const KgNewVariant *variant)
{
	if (strcmp(variant->to_bundle, apply->payload->name) == 0)
		return variant->to_type;
	return psprintf("%s/%s", variant->to_bundle, variant->to_type);
}

/*
 * Adds a variant, unless the list has a variant of this relation with these
 * ends. Reports a second declaration in the payload. The payload's variants are
 * added first, so they have precedence over stored variants.
 */
static void
add_variant(KgApply *apply, const KgNewVariant *variant)
{
	KgNewVariant *copy;
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach(lc, apply->variants)
	{
		const KgNewVariant *other = lfirst(lc);
		KgError *err;

		if (!same_ends(other, variant) ||
			is_derived(other) != is_derived(variant))
			continue;
		if (is_derived(variant) || variant->path == NULL)
			return;
		err = kg_error_new(KG_INVALID_INPUT,
						   "relation \"%s\" from \"%s\" to \"%s\" is "
						   "declared twice",
						   variant->relation,
						   variant->from_type,
						   end_name(apply, variant));
		kg_error_got_string(err, variant->relation);
		kg_error_expected(err, "another name, or only one of the declarations");
		report(apply, err, variant->path);
		return;
	}
	copy = palloc(sizeof(KgNewVariant));
	*copy = *variant;
	apply->variants = lappend(apply->variants, copy);
}

static void
derive_variants(KgApply *apply, const KgType *type, const char *path)
{
	for (int i = 0; type && i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		KgNewVariant variant = {0};

		if (field->ref_type == NULL)
			continue;
		variant.relation = field->relation;
		variant.from_type = type->name;
		variant.to_bundle = field->ref_bundle ? field->ref_bundle
											  : apply->payload->name;
		variant.to_type = field->ref_type;
		variant.property = field->name;
		variant.history = type->history;
		variant.path = path;
		add_variant(apply, &variant);
	}
}

/*
 * Splits the end of a declared relation, which is "type" of this bundle or
 * "bundle/type".
 */
static void
split_end(const KgApply *apply, const char *end, const char **bundle,
		  const char **type)
{
	const char *slash = strchr(end, '/');

	*bundle = slash ? pnstrdup(end, slash - end) : apply->payload->name;
	*type = slash ? slash + 1 : end;
}

static void
declare_variants(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->nrelations; i++)
	{
		const KgPayloadRelation *relation = &payload->relations[i];
		KgNewVariant variant = {0};
		const char *own;

		variant.relation = relation->name;
		split_end(apply, relation->from, &own, &variant.from_type);
		split_end(apply, relation->to, &variant.to_bundle, &variant.to_type);
		variant.schema = relation->schema;
		variant.inverse = relation->inverse;
		variant.symmetric = relation->symmetric;
		variant.key = relation->key;
		variant.history = relation->history;
		variant.description = relation->description;
		variant.expose = relation->expose;
		variant.path = relation->path;
		add_variant(apply, &variant);
	}
}

/*
 * Adds the stored variants of declared relations that the payload does not
 * name. A merge keeps these relations.
 */
static void
keep_variants(KgApply *apply)
{
	const KgCatalog *before = apply->before;

	for (int i = 0; i < before->nrelations; i++)
	{
		const KgRelation *relation = &before->relations[i];

		if (relation->derived ||
			strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
		{
			const KgType *from = kg_catalog_type_no(
				before, relation->variants[j].from_type_no);
			const KgType *to = kg_catalog_type_no(
				before, relation->variants[j].to_type_no);
			KgNewVariant variant = {0};

			if (from == NULL || to == NULL)
				continue;
			variant.relation = relation->name;
			variant.from_type = from->name;
			variant.to_bundle = to->bundle;
			variant.to_type = to->name;
			variant.schema = relation->variants[j].schema;
			variant.inverse = relation->inverse;
			variant.symmetric = relation->symmetric;
			variant.key = relation->key;
			variant.history = relation->history;
			variant.description = relation->variants[j].description;
			variant.expose = relation->expose;
			add_variant(apply, &variant);
		}
	}
}

static void
gather_variants(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	apply->variants = NIL;
	for (int i = 0; i < payload->ntypes; i++)
		derive_variants(
			apply, payload->types[i].parsed, payload->types[i].path);
	declare_variants(apply);
	if (!apply->options.merge)
		return;
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, payload->name) == 0 &&
			kg_payload_type(payload, type->name) == NULL)
			derive_variants(apply, type, NULL);
	}
	keep_variants(apply);
}

/* ---- checks ---- */

static void
check_ends(KgApply *apply, const KgPayloadRelation *relation, bool only_others)
{
	const char *own = apply->payload->name;
	const char *bundle;
	const char *type;

	split_end(apply, relation->from, &bundle, &type);
	if (strcmp(bundle, own) != 0)
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT,
			"a relation must start at an entity type of its own bundle");

		kg_error_got_string(err, relation->from);
		kg_error_expected(err, "an entity type of this bundle");
		report(apply, err, psprintf("%s/from", relation->path));
	}
	else if (!only_others && !kg_bundle_has_type(apply, bundle, type))
		kg_bundle_unknown_type(
			apply, relation->from, NULL, psprintf("%s/from", relation->path));
	split_end(apply, relation->to, &bundle, &type);
	if (only_others && strcmp(bundle, own) == 0)
		return;
	if (!kg_bundle_has_type(apply, bundle, type))
		kg_bundle_unknown_type(
			apply, relation->to, NULL, psprintf("%s/to", relation->path));
}

/*
 * Reports two variants of one relation if they differ in a property that all
 * variants must share, such as symmetric, or if only one variant is derived.
 */
static void
check_alike(KgApply *apply, const KgNewVariant *a, const KgNewVariant *b)
{
	KgError *err;

	if (is_derived(a) != is_derived(b))
		err = kg_error_new(KG_INVALID_INPUT,
						   "relation \"%s\" is declared, and is also derived "
						   "from an \"x-ref\"",
						   a->relation);
	else if (a->symmetric != b->symmetric ||
			 !kg_text_same(a->inverse, b->inverse) ||
			 !kg_text_same(a->key, b->key) || a->expose != b->expose ||
			 (a->history != b->history && !is_derived(a)))
		err = kg_error_new(
			KG_INVALID_INPUT,
			"declarations of relation \"%s\" differ in \"inverse\", "
			"\"symmetric\", \"key\", \"history\" or \"tools\"",
			a->relation);
	else
		return;
	kg_error_got_string(err, a->relation);
	kg_error_expected(err, "another name, or equal values in all declarations");
	report(apply, err, b->path ? b->path : a->path);
}

static void
check_key(KgApply *apply, const KgNewVariant *variant, const KgField *fields,
		  int n)
{
	KgError *err = variant->key ? kg_edge_key_fault(variant->key, fields, n)
								: NULL;

	if (err)
		report(apply,
			   err,
			   variant->path ? psprintf("%s/key", variant->path) : NULL);
}

static bool
same_field(const KgField *a, const KgField *b)
{
	return kg_text_same(a ? a->name : NULL, b ? b->name : NULL);
}

/*
 * Reports two variants of a relation that differ in their periods. They must
 * be equal, because an edge names only its relation, not its variant.
 */
static void
check_periods_alike(KgApply *apply, const KgNewVariant *a,
					const KgNewVariant *b)
{
	KgError *err;

	if (same_field(a->period.from, b->period.from) &&
		same_field(a->period.to, b->period.to))
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "declarations of relation \"%s\" differ in "
					   "\"x-valid-from\" or \"x-valid-to\"",
					   a->relation);
	kg_error_got_string(err, a->relation);
	kg_error_expected(err, "equal values in the schema of each declaration");
	report(apply, err, b->path ? b->path : a->path);
}

/*
 * Checks the schema of a variant. Returns false if it is not valid. A variant
 * that a merge keeps is checked, too, because the definitions to which it
 * refers may have changed.
 */
static bool
check_schema(KgApply *apply, KgNewVariant *variant)
{
	const char *path = "/definitions";

	if (variant->schema == NULL)
	{
		check_key(apply, variant, NULL, 0);
		return true;
	}
	if (variant->path)
	{
		path = psprintf("%s/schema", variant->path);
		kg_annotations_check_names(
			&variant->schema->root, path, &apply->errors);
	}
	if (!kg_bundle_check_schema(apply,
								variant->schema,
								psprintf("relation \"%s\"", variant->relation),
								path))
		return false;
	variant->nfields = kg_properties_parse(variant->schema,
										   apply->payload->definitions,
										   path,
										   &apply->errors,
										   &variant->fields,
										   &variant->period);
	check_key(apply, variant, variant->fields, variant->nfields);
	return true;
}

static void
check_variants(KgApply *apply)
{
	for (int i = 0; i < list_length(apply->variants); i++)
	{
		KgNewVariant *variant = list_nth(apply->variants, i);
		const KgNewVariant *first = NULL;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i && first == NULL; j++)
		{
			first = list_nth(apply->variants, j);
			if (strcmp(first->relation, variant->relation) != 0)
				first = NULL;
		}
		if (first != NULL)
			check_alike(apply, first, variant);
		if (variant->symmetric && variant->inverse)
		{
			KgError *err = kg_error_new(KG_INVALID_INPUT,
										"a symmetric relation is its own "
										"inverse and cannot have \"inverse\"");

			kg_error_got_string(err, variant->relation);
			kg_error_expected(err, "either \"inverse\" or \"symmetric\"");
			report(apply, err, variant->path);
		}
		if (check_schema(apply, variant) && first != NULL)
			check_periods_alike(apply, first, variant);
	}
}

/* A property of a variant's edges. */
typedef struct EdgeProperty
{
	const KgNewVariant *variant;
	const KgField *field;
} EdgeProperty;

static int
compare_properties(const void *pa, const void *pb)
{
	const EdgeProperty *a = pa;
	const EdgeProperty *b = pb;
	int order = strcmp(a->variant->relation, b->variant->relation);

	return order != 0 ? order : strcmp(a->field->name, b->field->name);
}

static void
report_same_name(KgApply *apply, const EdgeProperty *a, const EdgeProperty *b)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT,
		"two properties of relation \"%s\" have the name \"%s\"",
		a->variant->relation,
		a->field->name);

	kg_error_got_string(err, a->field->name);
	kg_error_expected(
		err,
		"another key in \"%s\" of one declaration or in \"%s\" of another",
		kg_field_pointer(a->field),
		kg_field_pointer(b->field));
	report(apply, err, b->variant->path ? b->variant->path : a->variant->path);
}

/*
 * Reports properties of the same name that differ between variants of a
 * relation. They must be equal, because a filter applies to the whole
 * relation.
 */
static void
check_names_alike(KgApply *apply)
{
	EdgeProperty *properties;
	int n = 0;
	ListCell *lc;

	foreach(lc, apply->variants)
		n += ((KgNewVariant *) lfirst(lc))->nfields;
	properties = palloc(Max(1, n) * sizeof(EdgeProperty));
	n = 0;
	foreach(lc, apply->variants)
	{
		const KgNewVariant *variant = lfirst(lc);

		for (int i = 0; i < variant->nfields; i++)
			properties[n++] = (EdgeProperty){variant, &variant->fields[i]};
	}
	qsort(properties, n, sizeof(EdgeProperty), compare_properties);
	for (int i = 1; i < n; i++)
	{
		const EdgeProperty *a = &properties[i - 1];
		const EdgeProperty *b = &properties[i];

		CHECK_FOR_INTERRUPTS();
		if (a->variant != b->variant && compare_properties(a, b) == 0 &&
			!kg_field_same_path(a->field, b->field))
			report_same_name(apply, a, b);
	}
	pfree(properties);
}

/*
 * Reports an inverse name that is also the name of a relation. In a query, the
 * direction would be ambiguous.
 */
static void
report_inverse(KgApply *apply, const char *relation, const char *inverse,
			   const char *path)
{
	KgError *err;

	if (path == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"inverse \"%s\" of relation \"%s\" is also the name of a relation",
		inverse,
		relation);
	kg_error_got_string(err, inverse);
	kg_error_expected(err,
					  strcmp(relation, inverse) == 0
						  ? "\"symmetric\": true, or another name"
						  : "a name that no relation has");
	report(apply, err, path);
}

/*
 * Checks inverse names. Tools accept the names and inverse names of all
 * relations of the tenant.
 */
static void
check_inverses(KgApply *apply)
{
	const KgCatalog *before = apply->before;
	ListCell *lc;

	foreach(lc, apply->variants)
	{
		const KgNewVariant *variant = lfirst(lc);
		ListCell *other;

		CHECK_FOR_INTERRUPTS();
		foreach(other, apply->variants)
		{
			const KgNewVariant *named = lfirst(other);

			if (!kg_text_same(variant->inverse, named->relation))
				continue;
			report_inverse(apply,
						   variant->relation,
						   variant->inverse,
						   variant->path ? variant->path : named->path);
			break;
		}
		for (int i = 0; i < before->nrelations; i++)
		{
			const KgRelation *relation = &before->relations[i];

			if (strcmp(relation->bundle, apply->payload->name) == 0)
				continue;
			if (kg_text_same(variant->inverse, relation->name))
				report_inverse(
					apply, variant->relation, variant->inverse, variant->path);
			if (kg_text_same(relation->inverse, variant->relation))
				report_inverse(
					apply, relation->name, relation->inverse, variant->path);
		}
	}
}

/*
 * Reports declared relations of other bundles that have a type to be deleted
 * at an end.
 */
static void
check_foreign_relations(KgApply *apply)
{
	const KgCatalog *before = apply->before;
	const char *own = apply->payload->name;

	for (int i = 0; i < before->nrelations; i++)
	{
		const KgRelation *relation = &before->relations[i];

		/*
		 * A derived relation needs no check here, because the property that
		 * derives it is checked.
		 */
		if (relation->derived || strcmp(relation->bundle, own) == 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
		{
			const KgType *to = kg_catalog_type_no(
				before, relation->variants[j].to_type_no);
			KgError *err;

			if (to == NULL || strcmp(to->bundle, own) != 0 ||
				kg_bundle_has_type(apply, own, to->name))
				continue;
			err = kg_error_new(KG_REFERENCE_MISSING,
							   "entity type \"%s\" cannot be deleted, because "
							   "relation \"%s\" of bundle \"%s\" ends at it",
							   to->name,
							   relation->name,
							   relation->bundle);
			kg_error_got_string(err, to->name);
			kg_error_expected(err,
							  "a bundle with this type, or the same bundle "
							  "after the relation was changed");
			report(apply, err, "/schemas");
		}
	}
}

static bool
had_relation(const KgApply *apply, const char *name)
{
	for (int i = 0; i < apply->before->nrelations; i++)
		if (strcmp(apply->before->relations[i].name, name) == 0)
			return true;
	return false;
}

bool
kg_bundle_has_relation(const KgApply *apply, const char *name)
{
	const KgPayload *payload = apply->payload;
	ListCell *lc;

	foreach(lc, apply->variants)
		if (strcmp(((KgNewVariant *) lfirst(lc))->relation, name) == 0)
			return true;
	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];

		if (strcmp(relation->name, name) == 0 &&
			strcmp(relation->bundle, payload->name) != 0)
			return true;
	}
	/* If a type is invalid, the relations that it derives are unknown. */
	for (int i = 0; i < payload->ntypes; i++)
		if (payload->types[i].parsed == NULL)
			return true;
	return false;
}

/*
 * Reports stored types with a property that counts edges of a relation to be
 * deleted.
 */
static void
check_counted(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, payload->name) == 0 &&
			(!apply->options.merge || kg_payload_type(payload, type->name)))
			continue;
		for (int j = 0; j < type->nfields; j++)
		{
			const char *counted = type->fields[j].derived_relation;
			KgError *err;

			if (counted == NULL || kg_bundle_has_relation(apply, counted) ||
				!had_relation(apply, counted))
				continue;
			err = kg_error_new(
				KG_REFERENCE_MISSING,
				"relation \"%s\" cannot be deleted, because property \"%s\" of "
				"type \"%s/%s\" counts its edges",
				counted,
				type->fields[j].name,
				type->bundle,
				type->name);
			kg_error_keyword(err, "x-derived");
			kg_error_got_string(err, counted);
			kg_error_expected(
				err,
				"a bundle with this relation, or the same bundle after the "
				"\"x-derived\" of the property was removed");
			report(apply, err, NULL);
		}
	}
}

List *
kg_bundle_exposed(const KgApply *apply)
{
	List *result = NIL;
	ListCell *lc;

	foreach(lc, apply->variants)
	{
		const KgNewVariant *variant = lfirst(lc);
		KgExposed *exposed;
		bool known = variant->expose == 0;
		ListCell *cell;

		foreach(cell, result)
			known |= strcmp(((KgExposed *) lfirst(cell))->relation,
							variant->relation) == 0;
		if (known)
			continue;
		exposed = palloc(sizeof(KgExposed));
		exposed->relation = variant->relation;
		exposed->expose = variant->expose;
		exposed->path = variant->path ? variant->path : "/relations";
		result = lappend(result, exposed);
	}
	return result;
}

void
kg_bundle_check_relations(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	gather_variants(apply);
	check_variants(apply);
	check_names_alike(apply);
	check_inverses(apply);
	for (int i = 0; i < payload->nrelations; i++)
		check_ends(apply, &payload->relations[i], false);
	check_foreign_relations(apply);
	check_counted(apply);
}

void
kg_bundle_check_other_relations(KgApply *apply)
{
	for (int i = 0; i < apply->payload->nrelations; i++)
		check_ends(apply, &apply->payload->relations[i], true);
	check_inverses(apply);
	check_foreign_relations(apply);
	check_counted(apply);
}

static bool
was_there(const KgApply *apply, const KgNewVariant *variant)
{
	const KgCatalog *before = apply->before;
	const KgType *from = kg_catalog_type_in(
		before, apply->payload->name, variant->from_type);
	const KgType *to = kg_catalog_type_in(
		before, variant->to_bundle, variant->to_type);

	for (int i = 0; from && to && i < before->nrelations; i++)
	{
		const KgRelation *relation = &before->relations[i];

		if (strcmp(relation->name, variant->relation) != 0 ||
			strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
			if (relation->variants[j].from_type_no == from->type_no &&
				relation->variants[j].to_type_no == to->type_no)
				return true;
	}
	return false;
}

bool
kg_bundle_changes_relations(const KgApply *apply)
{
	int stored = 0;
	ListCell *lc;

	for (int i = 0; i < apply->before->nrelations; i++)
		if (strcmp(apply->before->relations[i].bundle, apply->payload->name) ==
			0)
			stored += apply->before->relations[i].nvariants;
	if (stored != list_length(apply->variants))
		return true;
	foreach(lc, apply->variants)
		if (!was_there(apply, lfirst(lc)))
			return true;
	return false;
}

/* ---- writing ---- */

/*
 * Returns whether a relation keeps its number. A declared relation keeps it as
 * long as it is declared, and a derived relation as long as it is derived. If
 * the kind changes, the number changes, because explicit edges cannot become
 * derived edges or vice versa.
 */
static bool
continues(const KgApply *apply, const KgRelation *relation,
		  const KgNewVariant *variant)
{
	return strcmp(relation->name, variant->relation) == 0 &&
		   strcmp(relation->bundle, apply->payload->name) == 0 &&
		   relation->derived == is_derived(variant);
}

static int32
relation_number(KgApply *apply, const KgNewVariant *variant,
				const int32 *numbers, int n)
{
	for (int i = 0; i < apply->before->nrelations; i++)
		if (continues(apply, &apply->before->relations[i], variant))
			return apply->before->relations[i].relation_no;
	for (int i = 0; i < n; i++)
	{
		const KgNewVariant *other = list_nth(apply->variants, i);

		if (strcmp(other->relation, variant->relation) == 0)
			return numbers[i];
	}
	return kg_number_new(apply, KG_NUMBERED_RELATION);
}

/*
 * Deletes the edges of relations that the bundle no longer has, and the history
 * of these edges. Only explicit edges are counted as deleted.
 */
static void
delete_relations(KgApply *apply)
{
	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];
		bool kept = false;
		ListCell *lc;

		if (strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		foreach(lc, apply->variants)
			kept |= continues(apply, relation, lfirst(lc));
		if (kept)
			continue;
		/*
		 * After this lock, no session can add edges, and all edges added
		 * before are visible.
		 */
		(void) kg_lock_relation_exclusive(relation->relation_no);
		KG_SPI_LATEST("DELETE FROM @kg_edge WHERE tenant = $1 "
					  "AND relation_no = $2",
					  kg_arg_text(apply->tenant),
					  kg_arg_int4(relation->relation_no));
		if (!relation->derived)
			kg_apply_counts(apply, &apply->edge_counts, relation->name)
				->deleted += SPI_processed;
		KG_SPI_LATEST("DELETE FROM @kg_history WHERE tenant = $1 "
					  "AND type_no IS NULL AND relation_no = $2",
					  kg_arg_text(apply->tenant),
					  kg_arg_int4(relation->relation_no));
	}
}

/*
 * The number of columns of kg_relation; arrays of values are in the order of
 * the table's columns.
 */
#define KG_RELATION_COLUMNS 14

/*
 * Returns the time since when changes of a relation's edges are recorded, or
 * 0. Changes of derived edges are recorded if all referring types have
 * x-history, so that the history is complete.
 */
static TimestampTz
history_since(const KgApply *apply, const KgNewVariant *variant)
{
	ListCell *lc;

	foreach(lc, apply->variants)
	{
		const KgNewVariant *other = lfirst(lc);

		if (strcmp(other->relation, variant->relation) == 0 && !other->history)
			return 0;
	}
	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];

		if (continues(apply, relation, variant) && relation->history)
			return relation->history_since;
	}
	return GetCurrentTimestamp();
}

static void
variant_row(const KgApply *apply, const KgNewVariant *v, int32 number,
			KgArg *args)
{
	TimestampTz since = history_since(apply, v);

	args[0] = kg_arg_text(apply->tenant);
	args[1] = kg_arg_text(apply->payload->name);
	args[2] = kg_arg_text(v->relation);
	args[3] = kg_arg_text(v->from_type);
	args[4] = kg_arg_text(v->to_bundle);
	args[5] = kg_arg_text(v->to_type);
	args[6] = kg_arg_int4(number);
	args[7] = kg_arg_text(v->property);
	args[8] = kg_arg_jsonb(v->schema);
	args[9] = kg_arg_text(v->inverse);
	args[10] = kg_arg_bool(v->symmetric);
	args[11] = kg_arg_text(v->description);
	args[12] = kg_arg_text(v->key);
	args[13] = (KgArg){TIMESTAMPTZOID, since == 0, TimestampTzGetDatum(since)};
}

/*
 * Reports a relation with stored edges that gets another key property, because
 * the stored keys are values of the previous property. The caller must have
 * locked the relations.
 */
static void
check_changed_keys(KgApply *apply)
{
	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];
		const KgNewVariant *variant = NULL;
		ListCell *lc;
		KgError *err;

		foreach(lc, apply->variants)
			if (continues(apply, relation, lfirst(lc)))
				variant = lfirst(lc);
		if (variant == NULL || kg_text_same(variant->key, relation->key))
			continue;
		KG_SPI_LATEST("SELECT FROM @kg_edge WHERE tenant = $1 "
					  "AND relation_no = $2 LIMIT 1",
					  kg_arg_text(apply->tenant),
					  kg_arg_int4(relation->relation_no));
		SPI_freetuptable(SPI_tuptable);
		if (SPI_processed == 0)
			continue;
		err = kg_error_new(KG_CONFLICT,
						   "the key of relation \"%s\" cannot change while "
						   "it has edges",
						   relation->name);
		kg_error_got_string(err, variant->key ? variant->key : "");
		kg_error_expected(err,
						  "the present \"key\", or another key after the "
						  "relation's edges were deleted");
		report(apply,
			   err,
			   variant->path ? psprintf("%s/key", variant->path) : NULL);
	}
}

/*
 * Returns whether the stored variants are exactly the variants after the
 * apply.
 */
static bool
relations_stored(const KgApply *apply, const int32 *numbers)
{
	static KgSaved compare_saved;

	KG_SPI_EXEC("SELECT count(*) FROM @kg_relation WHERE tenant = $1 "
				"AND bundle = $2",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name));
	if (kg_spi_int64(0, 1) != list_length(apply->variants))
		return false;
	for (int i = 0; i < list_length(apply->variants); i++)
	{
		KgArg args[KG_RELATION_COLUMNS];

		variant_row(apply, list_nth(apply->variants, i), numbers[i], args);
		kg_spi_exec_args(
			&compare_saved,
			"SELECT FROM @kg_relation WHERE tenant = $1 AND bundle = $2 "
			"AND relation = $3 AND from_type = $4 AND to_bundle = $5 "
			"AND to_type = $6 AND relation_no = $7 "
			"AND property IS NOT DISTINCT FROM $8 "
			"AND schema IS NOT DISTINCT FROM $9 "
			"AND inverse IS NOT DISTINCT FROM $10 "
			"AND is_symmetric = $11 "
			"AND description IS NOT DISTINCT FROM $12 "
			"AND key IS NOT DISTINCT FROM $13 "
			"AND (history_since IS NULL) = ($14 IS NULL)",
			KG_RELATION_COLUMNS,
			args);
		if (SPI_processed == 0)
			return false;
	}
	return true;
}

/*
 * Writes the relations. If any row differs, replaces all rows, because there
 * are few.
 */
void
kg_bundle_write_relations(KgApply *apply)
{
	static KgSaved insert_saved;
	int n = list_length(apply->variants);
	int32 *numbers = palloc(Max(1, n) * sizeof(int32));

	for (int i = 0; i < n; i++)
		numbers[i] = relation_number(
			apply, list_nth(apply->variants, i), numbers, i);
	delete_relations(apply);
	if (relations_stored(apply, numbers))
		return;
	apply->changed = true;
	for (int i = 0; i < apply->before->nrelations; i++)
		if (strcmp(apply->before->relations[i].bundle, apply->payload->name) ==
			0)
			(void) kg_lock_relation_exclusive(
				apply->before->relations[i].relation_no);
	check_changed_keys(apply);
	KG_SPI_EXEC("DELETE FROM @kg_relation WHERE tenant = $1 AND bundle = $2",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name));
	for (int i = 0; i < n; i++)
	{
		KgArg args[KG_RELATION_COLUMNS];

		variant_row(apply, list_nth(apply->variants, i), numbers[i], args);
		if (!kg_spi_insert_args(
				&insert_saved,
				"kg_relation_pkey",
				"INSERT INTO @kg_relation(tenant, bundle, relation, "
				"from_type, to_bundle, to_type, relation_no, property, "
				"schema, inverse, is_symmetric, description, key, "
				"history_since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
				"$10, $11, $12, $13, $14)",
				KG_RELATION_COLUMNS,
				args))
			kg_catalog_throw_changed();
	}
}
