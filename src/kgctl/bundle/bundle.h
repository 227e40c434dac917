/*
 * bundle.h
 *	  Bundles on disk: a directory (docs/kgctl.md, "The layout of a bundle") or
 *	  one JSON or YAML file, read into the payload of kg_apply_bundle() and
 *	  written from what kg_export_bundle() returns.
 */
#ifndef KG_KGCTL_BUNDLE_H
#define KG_KGCTL_BUNDLE_H

#include <stdio.h>

#include "kgctl/json.h"

typedef struct KgBundle
{
	KgArena *arena;
	KgJson *root;	  /* the payload */
	const char *name; /* bundle_name */
	KgBuf text;		  /* of a JSON file; else empty until it is sent */
	KgBuf *parts;	  /* texts of other files that values point into */
	size_t nparts;
	size_t nfiles;
	size_t nentities;
	size_t nedges;
} KgBundle;

/*
 * Read and check what can be checked without a database: the layout, names
 * that are there twice, the outer shape.  Says what is wrong as file:line on
 * standard error.
 */
extern bool kg_bundle_read(const char *path, KgBundle *bundle);
extern void kg_bundle_free(KgBundle *bundle);

/* The payload as text. */
extern const char *kg_bundle_text(KgBundle *bundle);

/* Say what is wrong as file:line; false. */
extern bool kg_bundle_complain(const KgJson *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Checks of the payload; in bundle/check.c. */
extern bool kg_bundle_check(KgBundle *bundle);

/*
 * The id of an entity as its type's schema declares it, or NULL.  In the arena
 * where the item is raw.
 */
extern const KgJson *kg_bundle_entity_id(const KgBundle *bundle, KgArena *arena,
										 const char *entity_type,
										 const KgJson *item);

/*
 * The relation, ends and key of an edge, the same for all that kg_apply_bundle()
 * takes for one edge; names are as a bundle declares them.
 */
extern const char *kg_edge_name(KgArena *arena, const KgJson *bundle,
								const KgJson *edge);

/* A name of a type without the name of the bundle, if that is this one. */
extern const char *kg_bundle_own_name(const KgJson *bundle, const char *type);

/* Relations and tools without what says nothing; in declared.c. */
extern const KgJson *kg_declared_relation(KgArena *arena, const KgJson *bundle,
										  const KgJson *relation);
extern const KgJson *kg_declared_tool(KgArena *arena, const KgJson *tool);

/*
 * Where an error of the database happened: the entity, the schema, the
 * relation or edge that it names, and in there the value at the pointer.
 * Both names may be NULL.  NULL where the place is not known.
 */
extern const KgJson *kg_bundle_locate(KgBundle *bundle, const char *entity_type,
									  const char *id, const char *pointer);

/* Write payload as a directory; refuses one that has files unless force. */
extern bool kg_bundle_write(const KgJson *payload, const char *path,
							bool force);

/*
 * A comparison of what is stored with what is wanted, where the stored edges
 * come one after another, none of which has to be kept.
 */
typedef struct KgDiff KgDiff;

extern KgDiff *kg_diff_new(const KgJson *wanted);
extern void kg_diff_edge(KgDiff *diff, const KgJson *stored);

/* With the rest of what is stored (NULL: nothing); the differences. */
extern size_t kg_diff_print(KgDiff *diff, FILE *out, const KgJson *stored,
							bool brief);
extern void kg_diff_free(KgDiff *diff);

#endif /* KG_KGCTL_BUNDLE_H */
