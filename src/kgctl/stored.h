/*
 * stored.h
 *	  A stored bundle, read from the rows of kg_export_bundle_parts().
 */
#ifndef KG_KGCTL_STORED_H
#define KG_KGCTL_STORED_H

#include "kgctl/db.h"
#include "kgctl/json.h"

/*
 * Reads a bundle as the text of kg_export_bundle(). If each is not NULL, the
 * text has no edges, and each() is called for every edge; the edge's arena is
 * reset afterwards. If the bundle does not exist, text stays empty. On failure,
 * prints an error and returns false.
 */
typedef void (*KgEdgeFn)(void *arg, const KgJson *edge);

extern bool kg_stored_read(KgDb *db, const char *name, KgBuf *text,
						   KgEdgeFn each, void *arg);

/*
 * The target of a load: an entity type or a relation. Its name may have the
 * prefix "bundle/".
 */
typedef struct KgTarget
{
	KgArena *arena;
	/*
	 * schema of entities or of edge properties; NULL: the edges have no
	 * properties, or variants of the relation differ
	 */
	const KgJson *schema;
	const char *id_field; /* property that has the id of an entity */
	const char *key; /* property that distinguishes parallel edges, or NULL */
} KgTarget;

/*
 * Reads the bundle's name, version, schemas and relations. On failure, prints
 * an error and returns NULL.
 */
extern const KgJson *kg_stored_declared(KgDb *db, KgArena *arena,
										const char *name);

/*
 * Reads the declaration of the entity type or, if edges is set, of the relation
 * into *target. On failure, prints an error and returns false.
 */
extern bool kg_stored_target(KgDb *db, const char *name, bool edges,
							 KgTarget *target);

#endif /* KG_KGCTL_STORED_H */
