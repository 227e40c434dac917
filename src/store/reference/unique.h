/*
 * unique.h
 *	  Unique values: if an x-ref-field names a property, each value of the
 *	  property belongs to one entity.
 *
 * kg_unique_key has a row for each such value. Concurrent writers of a value
 * wait for each other in its primary key. A statement inserts rows in batches,
 * so a value that another entity has may become free in a later batch.
 * Therefore an entity with such a value is recorded, and checked again when
 * the statement or the scope ends. Missing values and nulls have no row.
 */
#ifndef KG_UNIQUE_H
#define KG_UNIQUE_H

#include "base/error.h"
#include "model/catalog.h"
#include "model/packed_keys.h"
#include "store/derived/columns.h"
#include "store/derived/extract.h"
#include "store/reference/references.h"

/*
 * A batch of rows of kg_unique_key. Before they are written, the rows of the
 * nodes in "stale" are deleted.
 */
typedef struct KgUniqueRows
{
	MemoryContext context;
	KgColumns rows; /* columns: type_no, field, key, node */
	KgNodeList stale;
} KgUniqueRows;

extern void kg_unique_init(KgUniqueRows *unique, MemoryContext context);
/* Returns the unique field of a packed key, or NULL. */
extern const KgField *kg_unique_field(const KgType *type,
									  const KgPackedKey *key);
/* Adds the rows of an entity. keys is the value of its column index_keys. */
extern void kg_unique_add(KgUniqueRows *unique, const KgType *type, int64 node,
						  const bytea *keys);
/*
 * Returns whether both values of index_keys have equal keys of unique fields.
 */
extern bool kg_unique_same(const KgType *type, const bytea *a, const bytea *b);

/*
 * Writes a batch. If another node has a value of a row, adds the row's node to
 * the list "taken".
 */
extern void kg_unique_write(const char *tenant, KgUniqueRows *unique,
							KgNodeList *taken);

/*
 * Checks the values of these nodes again. Raises an error if another node
 * still has such a value.
 */
extern void kg_unique_enforce(const KgCatalog *catalog,
							  const KgNodeList *nodes);

/* A row whose value another node already has. */
typedef struct KgUniqueHolder
{
	int row;
	int64 node;
	char *id;
} KgUniqueHolder;

/*
 * Finds the rows whose value now belongs to another node. Returns the number
 * of these rows.
 */
extern int kg_unique_holders(const char *tenant, const KgColumns *rows,
							 KgUniqueHolder **holders);

/* Deletes the rows of a property that no x-ref-field names any more. */
extern void kg_unique_clear(const char *tenant, int32 type_no,
							const char *field);

/*
 * Returns the error for an entity with a unique value that another entity has.
 * If id is NULL, the caller may see neither ids nor the value, and the error
 * does not contain them. other is the id of the other entity, or NULL. data is
 * the entity's document; path is the document's position in the arguments.
 */
extern KgError *kg_unique_error(const KgType *type, const KgField *field,
								const char *id, const Jsonb *data,
								const JsonbValue *value, const char *other,
								const char *path);

#endif /* KG_UNIQUE_H */
