/*
 * unique.h
 *	  Unique values: each value of a property that an x-ref-field names
 *	  belongs to one entity.
 *
 * kg_unique_key has a row for each such value. Its primary key decides between
 * concurrent writers, which wait for each other there. A statement inserts the
 * rows of its entities in batches. A value that another entity has may become
 * free in a later batch. So the entity with this value is remembered, and
 * checked again when the statement or the scope ends. Missing values and nulls
 * have no row.
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
 * The rows of a batch. Stale rows of nodes are deleted before the rows are
 * written.
 */
typedef struct KgUniqueRows
{
	MemoryContext context;
	KgColumns rows; /* type_no, field, key, node */
	KgNodeList stale;
} KgUniqueRows;

extern void kg_unique_init(KgUniqueRows *unique, MemoryContext context);
/* Returns the unique field of a packed key, or NULL. */
extern const KgField *kg_unique_field(const KgType *type,
									  const KgPackedKey *key);
/* Adds the rows of an entity; keys is its index_keys. */
extern void kg_unique_add(KgUniqueRows *unique, const KgType *type, int64 node,
						  const bytea *keys);
/*
 * Returns whether both values of index_keys have equal keys of unique fields.
 */
extern bool kg_unique_same(const KgType *type, const bytea *a, const bytea *b);

/* Writes a batch. Adds nodes with a value that another node has to taken. */
extern void kg_unique_write(const char *tenant, KgUniqueRows *unique,
							KgNodeList *taken);

/* Checks these nodes again. Raises an error for values that are still taken. */
extern void kg_unique_enforce(const KgCatalog *catalog,
							  const KgNodeList *nodes);

/* A row whose value another node has. */
typedef struct KgUniqueHolder
{
	int row;
	int64 node;
	char *id;
} KgUniqueHolder;

/*
 * Finds the rows whose value now belongs to another node. Returns their
 * number.
 */
extern int kg_unique_holders(const char *tenant, const KgColumns *rows,
							 KgUniqueHolder **holders);

/* Deletes the rows of a property that no x-ref-field names any more. */
extern void kg_unique_clear(const char *tenant, int32 type_no,
							const char *field);

/*
 * Returns the error for an entity whose value another entity has. If id is
 * NULL, the error contains neither ids nor the value, for a caller that may not
 * see them. other, the id of the other entity, may be NULL. data is the
 * entity's document, stored or to be written; path is its position in the
 * arguments.
 */
extern KgError *kg_unique_error(const KgType *type, const KgField *field,
								const char *id, const Jsonb *data,
								const JsonbValue *value, const char *other,
								const char *path);

#endif /* KG_UNIQUE_H */
