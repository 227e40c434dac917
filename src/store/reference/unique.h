/*
 * unique.h
 *	  Values that an x-ref-field names belong to one entity each.
 *
 * kg_unique_key has a row for each value of such a property; its primary key
 * decides between concurrent writers, who wait for each other there.  A
 * statement inserts the rows of its entities batch by batch; a value that is
 * taken may yet become free in a later batch, so its entity is remembered and
 * looked at again when the statement, or the write scope, ends.  Missing values
 * and nulls have no row.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_UNIQUE_H
#define KG_UNIQUE_H

#include "base/error.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/derived/extract.h"
#include "store/reference/references.h"

/* The rows of a batch; nodes whose rows are stale lose them first. */
typedef struct KgUniqueRows
{
	MemoryContext context;
	KgColumns rows; /* type_no, field, key, node */
	KgNodeList stale;
} KgUniqueRows;

extern void kg_unique_init(KgUniqueRows *unique, MemoryContext context);
/* keys are the entity's index_keys. */
extern void kg_unique_add(KgUniqueRows *unique, const KgType *type, int64 node,
						  const bytea *keys);
/* Have both the same keys of unique fields? */
extern bool kg_unique_same(const KgType *type, const bytea *a, const bytea *b);

/* Write a batch; nodes with a value that another node has go to taken. */
extern void kg_unique_write(const char *tenant, KgUniqueRows *unique,
							KgNodeList *taken);

/* Look at these nodes again; raises what is still taken. */
extern void kg_unique_enforce(const KgCatalog *catalog,
							  const KgNodeList *nodes);

/* A row that another node has. */
typedef struct KgUniqueHolder
{
	int row;
	int64 node;
	char *id;
} KgUniqueHolder;

/* Who has the values of the rows by now, if it is not the row's own node. */
extern int kg_unique_holders(const char *tenant, const KgColumns *rows,
							 KgUniqueHolder **holders);

/* No x-ref-field names the property any more. */
extern void kg_unique_clear(const char *tenant, int32 type_no,
							const char *field);

/*
 * The error for an entity whose value another one has.  Without an id it says
 * neither which they are nor what the value is, for a caller who may not see
 * them; other, the id of the one that has the value, may be left out alone.
 * data is what the entity has or is to have; path is where it stands in the
 * arguments.
 */
extern KgError *kg_unique_error(const KgType *type, const KgField *field,
								const char *id, const Jsonb *data,
								const JsonbValue *value, const char *other,
								const char *path);

#endif /* KG_UNIQUE_H */
