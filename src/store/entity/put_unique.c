/*
 * put_unique.c
 *	  The unique values of kg_put_entities().
 *
 * An item may take a value from an entity that gives the value up in the same
 * call. If that entity is not written in the end (for example because one of
 * its references has no target), the end of the scope raises an error.
 */
#include "postgres.h"

#include "base/extension.h"
#include "model/key.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/entity/entities.h"
#include "store/entity/put.h"
#include "store/reference/unique.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

typedef struct Claims
{
	const KgCatalog *catalog; /* catalog as the owner sees it */
	const KgType *type;
	KgOutcomes *outcomes;
	const KgPutItem *items;
	KgUniqueRows unique;
	int *item_of; /* for each row, the index of its item */
	/*
	 * For each row, the node of another entity that has the row's value, or 0.
	 */
	int64 *holder;
	char **holder_id;
	/* hash table of Claim: finds the item that is to have a value */
	HTAB *values;
	HTAB *nodes; /* hash table of NodeItem: finds an item by its node */
} Claims;

/* The item that is to have a value. */
typedef struct Claim
{
	const char *field;
	const bytea *key;
	int item;
} Claim;

typedef struct NodeItem
{
	int64 node;
	int item;
} NodeItem;

static uint32
claim_hash(const void *key, Size size)
{
	const Claim *claim = key;

	return hash_combine(
		string_hash(claim->field, NAMEDATALEN),
		hash_bytes((const unsigned char *) VARDATA_ANY(claim->key),
				   VARSIZE_ANY_EXHDR(claim->key)));
}

static int
claim_match(const void *pa, const void *pb, Size size)
{
	const Claim *a = pa;
	const Claim *b = pb;

	return strcmp(a->field, b->field) != 0 ||
		   kg_key_compare(a->key, b->key) != 0;
}

static void
create_tables(Claims *claims)
{
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = offsetof(Claim, item);
	ctl.entrysize = sizeof(Claim);
	ctl.hash = claim_hash;
	ctl.match = claim_match;
	ctl.hcxt = CurrentMemoryContext;
	claims->values = hash_create("kg_graph put values",
								 1024,
								 &ctl,
								 HASH_ELEM | HASH_FUNCTION | HASH_COMPARE |
									 HASH_CONTEXT);
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(NodeItem);
	ctl.hcxt = CurrentMemoryContext;
	claims->nodes = hash_create("kg_graph put nodes",
								1024,
								&ctl,
								HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/*
 * Collects the unique values of the valid items, and the items by their nodes.
 */
static void
gather(Claims *claims)
{
	int capacity = 0;

	for (int i = 0; i < claims->outcomes->n; i++)
	{
		const KgPutItem *item = &claims->items[i];
		int before = claims->unique.rows.nrows;

		CHECK_FOR_INTERRUPTS();
		if (claims->outcomes->items[i].errors.total > 0)
			continue;
		if (item->node != 0)
		{
			NodeItem *entry = hash_search(
				claims->nodes, &item->node, HASH_ENTER, NULL);

			entry->item = i;
		}
		kg_unique_add(&claims->unique,
					  claims->type,
					  item->node,
					  kg_extract_keys(claims->type, item->data));
		if (claims->unique.rows.nrows > capacity)
		{
			capacity = claims->unique.rows.capacity;
			claims->item_of = claims->item_of
								  ? repalloc_huge(claims->item_of,
												  (Size) capacity * sizeof(int))
								  : MemoryContextAllocHuge(CurrentMemoryContext,
														   (Size) capacity *
															   sizeof(int));
		}
		for (int row = before; row < claims->unique.rows.nrows; row++)
			claims->item_of[row] = i;
	}
}

static void
find_holders(Claims *claims)
{
	int nrows = claims->unique.rows.nrows;
	KgUniqueHolder *holders;
	int n;

	claims->holder = MemoryContextAllocExtended(CurrentMemoryContext,
												(Size) nrows * sizeof(int64),
												MCXT_ALLOC_HUGE |
													MCXT_ALLOC_ZERO);
	claims->holder_id = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) nrows * sizeof(char *),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	n = kg_unique_holders(
		claims->catalog->tenant, &claims->unique.rows, &holders);
	for (int i = 0; i < n; i++)
	{
		claims->holder[holders[i].row] = holders[i].node;
		claims->holder_id[holders[i].row] = holders[i].id;
	}
}

static void
report(Claims *claims, int row, const char *other)
{
	const KgColumns *rows = &claims->unique.rows;
	int i = claims->item_of[row];
	const KgField *field = kg_type_field(
		claims->type, TextDatumGetCString(rows->values[1][row]));
	JsonbValue value;

	kg_key_decode(field, DatumGetByteaPP(rows->values[2][row]), &value);
	kg_outcome_error(&claims->outcomes->items[i],
					 kg_unique_error(claims->type,
									 field,
									 claims->outcomes->items[i].id,
									 claims->items[i].data,
									 &value,
									 other,
									 psprintf("/items/%d", i)));
}

/*
 * Reports an item if its own entity already has the value. This occurs if
 * another session created the entity after the item was looked up. Returns
 * whether the item was reported.
 */
static bool
report_taken(Claims *claims, int row)
{
	int item = claims->item_of[row];
	KgOutcome *outcome = &claims->outcomes->items[item];
	KgError *err;

	if (strcmp(claims->holder_id[row], outcome->id) != 0)
		return false;
	err = kg_id_taken_error(claims->type, outcome->id);
	kg_error_path(err, "/items/%d", item);
	kg_outcome_error(outcome, err);
	return true;
}

/*
 * Returns whether the entity that has the value is an item of the call that
 * gives the value up.
 */
static bool
gives_up(Claims *claims, int row)
{
	NodeItem *entry = hash_search(
		claims->nodes, &claims->holder[row], HASH_FIND, NULL);

	return entry && claims->outcomes->items[entry->item].errors.total == 0;
}

static void
claim(Claims *claims, int row)
{
	const KgColumns *rows = &claims->unique.rows;
	int item = claims->item_of[row];
	Claim key = {TextDatumGetCString(rows->values[1][row]),
				 DatumGetByteaPP(rows->values[2][row]),
				 item};
	Claim *entry;
	bool found;

	if (claims->outcomes->items[item].errors.total > 0)
		return;
	if (claims->holder[row] != 0 && !gives_up(claims, row))
	{
		if (!report_taken(claims, row))
			report(claims,
				   row,
				   claims->catalog->plain_visibility ? claims->holder_id[row]
													 : NULL);
		return;
	}
	entry = hash_search(claims->values, &key, HASH_ENTER, &found);
	if (!found)
		entry->item = item;
	else if (entry->item != item)
		report(claims, row, claims->outcomes->items[entry->item].id);
}

void
kg_put_check_unique(const char *tenant, int32 type_no, KgOutcomes *outcomes,
					const KgPutItem *items)
{
	Claims claims = {NULL};
	KgUserContext user;

	kg_become_owner(&user);
	claims.catalog = kg_catalog_newest(tenant);
	claims.type = kg_catalog_type_no(claims.catalog, type_no);
	if (claims.type && claims.type->has_unique)
	{
		claims.outcomes = outcomes;
		claims.items = items;
		kg_unique_init(&claims.unique, CurrentMemoryContext);
		create_tables(&claims);
		gather(&claims);
		find_holders(&claims);
		/*
		 * An item that already has a value has precedence over items that
		 * would take the value.
		 */
		for (int row = 0; row < claims.unique.rows.nrows; row++)
			if (claims.holder[row] == 0 && items[claims.item_of[row]].node != 0)
				claim(&claims, row);
		for (int row = 0; row < claims.unique.rows.nrows; row++)
			if (claims.holder[row] != 0 || items[claims.item_of[row]].node == 0)
				claim(&claims, row);
	}
	kg_restore_user(&user);
}
