/*
 * merged.c
 *	  Ids of entities that were merged into others.
 *
 * A row of kg_freed leads from an id to a node, and from the node of an entity
 * that was merged itself to the next node. So the undo of a merge does not
 * affect other merges. The rows are read as the owner, because callers may not
 * read kg_freed.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/has_column.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "query/merged.h"
#include "query/time/past.h"
#include "utils/memutils.h"

/* Sets the type and the node that the id was merged into. */
static bool
find_id(const KgCatalog *catalog, const KgType *type, const char *id,
		KgMerged *merged)
{
	bool found;

	KG_SPI_READ("SELECT f.type_no::bigint, f.target FROM @kg_freed f "
				"WHERE f.tenant = $1 AND f.entity_id = $2 "
				"AND f.target IS NOT NULL AND ($3 = 0 OR f.type_no = $3) "
				"AND NOT EXISTS (SELECT FROM @kg_entity_type t "
				"JOIN @kg_entity e ON e.tenant = $1 "
				"AND e.bundle = t.bundle AND e.entity_type = t.entity_type "
				"AND e.entity_id = $2 WHERE t.tenant = $1 "
				"AND t.type_no = f.type_no) LIMIT 2",
				kg_arg_text(catalog->tenant),
				kg_arg_text(id),
				kg_arg_int4(type == NULL ? 0 : type->type_no));
	found = SPI_processed == 1;
	if (found)
	{
		merged->type = kg_catalog_type_no(catalog, (int32) kg_spi_int64(0, 1));
		merged->node = kg_spi_int64(0, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return found && merged->type != NULL;
}

/* Sets the id of the node. Returns false if the node is not stored. */
static bool
find_stored(const KgCatalog *catalog, MemoryContext context, KgMerged *merged)
{
	bool found;

	KG_SPI_READ("SELECT entity_id FROM @kg_entity WHERE tenant = $1 "
				"AND node = $2",
				kg_arg_text(catalog->tenant),
				kg_arg_int8(merged->node));
	found = SPI_processed > 0;
	if (found)
		merged->id = MemoryContextStrdup(context, kg_spi_cstring(0, 1));
	SPI_freetuptable(SPI_tuptable);
	return found;
}

/*
 * Replaces the node by the node of the entity into which its entity was
 * merged.
 */
static bool
find_next(const KgCatalog *catalog, KgMerged *merged)
{
	bool found;

	KG_SPI_READ("SELECT target FROM @kg_freed WHERE tenant = $1 "
				"AND node = $2 AND node IS NOT NULL",
				kg_arg_text(catalog->tenant),
				kg_arg_int8(merged->node));
	found = SPI_processed > 0;
	if (found)
		merged->node = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return found;
}

bool
kg_merged_find(const KgCatalog *catalog, const KgType *type, const char *id,
			   KgMerged *merged)
{
	MemoryContext context = CurrentMemoryContext;
	KgUserContext caller;
	bool found;
	bool stored = false;

	if (kg_past_asked() || (type != NULL && type->binding != NULL) ||
		!kg_has_column("kg_freed", "target"))
		return false;
	kg_spi_begin_as_owner(&caller);
	found = find_id(catalog, type, id, merged);
	/* The last entity of a chain is stored, or was deleted. */
	while (found && !(stored = find_stored(catalog, context, merged)))
	{
		CHECK_FOR_INTERRUPTS();
		found = find_next(catalog, merged);
	}
	kg_spi_end_as_owner(&caller);
	MemoryContextSwitchTo(context);
	return stored;
}

bool
kg_merged_replace(const KgCatalog *catalog, const KgType *type, char **ids,
				  int n)
{
	bool any = false;

	for (int i = 0; i < n; i++)
	{
		KgMerged merged;

		CHECK_FOR_INTERRUPTS();
		if (!kg_merged_find(catalog, type, ids[i], &merged))
			continue;
		ids[i] = merged.id;
		any = true;
	}
	return any;
}
