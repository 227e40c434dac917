/*
 * get.h
 *	  Entities of one type by id.
 */
#ifndef KG_GET_H
#define KG_GET_H

#include "model/catalog.h"

typedef struct KgGot
{
	const char *id;
	int index;	 /* in the arguments */
	int64 node;	 /* where the type has derived properties or n is not 1 */
	Jsonb *data; /* NULL where there is none that the caller may see */
} KgGot;

/* n entities in the order of ids, which are distinct. */
extern KgGot *kg_get_entities(const KgCatalog *catalog, const KgType *type,
							  char **ids, int n);

/* One entity's data or NULL: the shortest way. */
extern Jsonb *kg_get_data(const KgCatalog *catalog, const KgType *type,
						  text *id);

#endif /* KG_GET_H */
