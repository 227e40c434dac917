/*
 * bundle.h
 *	  Bundles on disk: a directory (docs/kgctl.md, "The layout of a bundle")
 *	  or one JSON or YAML file. A bundle is read into the payload of
 *	  kg_apply_bundle(), and written from the result of kg_export_bundle().
 */
#ifndef KG_KGCTL_BUNDLE_H
#define KG_KGCTL_BUNDLE_H

#include <stdio.h>

#include "kgctl/args.h"
#include "kgctl/json.h"

typedef struct KgctlBundle
{
	KgArena *arena;
	KgJson *root;	  /* the payload of kg_apply_bundle() */
	const char *name; /* name of the bundle (bundle_name) */
	/* declarations of the stored bundle, if the payload has no schemas; or NULL */
	const KgJson *stored;
	/* text of a JSON file; for other formats empty until the payload is sent */
	KgBuf text;
	/* texts of other files; values of the payload point into these texts */
	KgBuf *parts;
	size_t nparts;
	size_t nfiles;
	size_t nentities;
	size_t nedges;
} KgctlBundle;

/*
 * Reads a bundle. Checks everything that needs no database: the layout,
 * duplicate names and the outer structure. Prints faults as file:line on
 * standard error, and returns false if there are any.
 */
extern bool kg_bundle_read(const char *path, KgctlBundle *bundle);
extern void kg_bundle_free(KgctlBundle *bundle);

/* Returns the payload as JSON text. */
extern const char *kg_bundle_text(KgctlBundle *bundle);

/*
 * Applies a bundle, or only checks it if dry_run is set, and prints the
 * database's answer. Returns the exit code (in send.c).
 */
extern int kg_bundle_send(const KgArgs *args, KgctlBundle *bundle, bool merge,
						  bool dry_run, long max_errors, long revision);

/* Reports a fault as file:line. Returns false. */
extern bool kg_bundle_complain(const KgJson *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Checks the outer structure of the payload, and duplicate entities and tools
 * (in bundle/check.c). Prints faults, and returns false if there are any.
 */
extern bool kgctl_bundle_check(KgctlBundle *bundle);

/*
 * Returns the id of an entity, or NULL. The type's schema declares the property
 * that has the id. The result is in the arena if the item is raw (unparsed
 * text).
 */
extern const KgJson *kg_bundle_entity_id(const KgctlBundle *bundle,
										 KgArena *arena,
										 const char *entity_type,
										 const KgJson *item);

/*
 * Returns a name of an edge, made from its relation, ends and key. Forms of an
 * edge that kg_apply_bundle() treats as equal have equal names. Type names have
 * the form in which the bundle declares them.
 */
extern const char *kg_edge_name(KgArena *arena, const KgJson *bundle,
								const KgJson *edge);

/*
 * Returns the name of a type without the prefix "bundle/", if the prefix names
 * this bundle.
 */
extern const char *kg_bundle_own_name(const KgJson *bundle, const char *type);

/*
 * Return a copy of a relation or a tool without the members that have their
 * default values (in declared.c).
 */
extern const KgJson *kg_declared_relation(KgArena *arena, const KgJson *bundle,
										  const KgJson *relation);
extern const KgJson *kg_declared_tool(KgArena *arena, const KgJson *tool);

/*
 * Returns the value that an error of the database refers to: the value at the
 * JSON Pointer inside the named entity, schema, relation or edge. entity_type
 * and id may be NULL. Returns NULL if the value is not found.
 */
extern const KgJson *kg_bundle_locate(KgctlBundle *bundle,
									  const char *entity_type, const char *id,
									  const char *pointer);

/*
 * Writes the payload as a directory. On failure, prints an error and returns
 * false. It is a failure if the directory already has files, unless force is
 * set.
 */
extern bool kg_bundle_write(const KgJson *payload, const char *path,
							bool force);

/*
 * A comparison of the stored bundle with the wanted bundle. Stored edges are
 * passed one at a time and are not retained.
 */
typedef struct KgDiff KgDiff;

extern KgDiff *kg_diff_new(const KgJson *wanted);
extern void kg_diff_edge(KgDiff *diff, const KgJson *stored);

/*
 * Compares the stored bundle, whose edges were passed to kg_diff_edge(), with
 * the wanted bundle. Prints a line for each object that differs and, unless
 * brief is set, a line for each changed member. stored is NULL if no bundle is
 * stored. Returns the number of differences.
 */
extern size_t kg_diff_print(KgDiff *diff, FILE *out, const KgJson *stored,
							bool brief);
extern void kg_diff_free(KgDiff *diff);

#endif /* KG_KGCTL_BUNDLE_H */
