/*
 * bound_targets.c
 *	  References of stored entities to rows of tables of the user.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/derived/extract.h"
#include "store/reference/bound_targets.h"

KgBoundTargets kg_bound_targets = NULL;

/* Number of ids that one statement looks up. */
#define KG_TARGETS_AT_ONCE 10000

static bool
has_reference(const KgExtract *extract, const KgReferenceItem *reference)
{
	for (int i = 0; i < extract->nreferences; i++)
		if (extract->references[i].field == reference->field &&
			strcmp(extract->references[i].value, reference->value) == 0)
			return true;
	return false;
}

void
kg_bound_references_of(const KgType *type, int64 node, const Jsonb *before,
					   const Jsonb *data, KgReferenceList *references)
{
	KgExtract was = {0};
	KgExtract is = {0};

	if (!type->refers_bound)
		return;
	if (before != NULL)
		kg_extract_bound(type, before, &was);
	kg_extract_bound(type, data, &is);
	for (int i = 0; i < is.nreferences; i++)
		if (!has_reference(&was, &is.references[i]))
			kg_reference_add(references,
							 node,
							 is.references[i].field,
							 is.references[i].value);
}

static int
compare_references(const void *pa, const void *pb)
{
	const KgFieldReference *a = pa;
	const KgFieldReference *b = pb;
	int order = strcmp(a->field->ref_bundle, b->field->ref_bundle);

	if (order == 0)
		order = strcmp(a->field->ref_type, b->field->ref_type);
	return order ? order : strcmp(a->value, b->value);
}

/*
 * Looks up the targets of some references, beginning with reference i. These
 * are the next references with the same target type, at most KG_TARGETS_AT_ONCE
 * ids. Adds references without a target to "missing". Returns the index of the
 * next reference.
 *
 * The references must be sorted by compare_references(). Runs as the current
 * user.
 */
static int
find_some(const KgCatalog *catalog, const KgReferenceList *references, int i,
		  KgReferenceList *missing)
{
	const KgFieldReference *items = references->items;
	const KgField *field = items[i].field;
	const char **ids = palloc(KG_TARGETS_AT_ONCE * sizeof(char *));
	bool *found;
	int start = i;
	int at = 0;
	int n = 0;

	for (; i < references->n && n < KG_TARGETS_AT_ONCE; i++)
	{
		if (strcmp(items[i].field->ref_type, field->ref_type) != 0 ||
			strcmp(items[i].field->ref_bundle, field->ref_bundle) != 0)
			break;
		if (n == 0 || strcmp(ids[n - 1], items[i].value) != 0)
			ids[n++] = items[i].value;
	}
	found = kg_bound_targets(
		catalog,
		kg_catalog_type_in(catalog, field->ref_bundle, field->ref_type),
		ids,
		n);
	for (int j = start; j < i; j++)
	{
		at += strcmp(ids[at], items[j].value) != 0;
		if (!found[at])
			kg_reference_add(
				missing, items[j].source, items[j].field, items[j].value);
	}
	pfree(ids);
	return i;
}

void
kg_bound_references_find(const KgCatalog *catalog, const KgUserContext *caller,
						 KgReferenceList *references, KgReferenceList *missing)
{
	KgUserContext own;

	if (references->n == 0)
		return;
	qsort(references->items,
		  references->n,
		  sizeof(KgFieldReference),
		  compare_references);
	GetUserIdAndSecContext(&own.userid, &own.sec_context);
	kg_restore_user(caller);
	for (int i = 0; i < references->n;)
	{
		CHECK_FOR_INTERRUPTS();
		i = find_some(catalog, references, i, missing);
	}
	kg_restore_user(&own);
}
