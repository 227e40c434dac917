/*
 * registry.h
 *	  What can be referred to during compilation: documents, the resources
 *	  with an $id inside them, and their anchors.
 */
#ifndef KG_REGISTRY_H
#define KG_REGISTRY_H

#include "base/error.h"
#include "schema/program.h"

/* Where a subschema stands. */
typedef struct KgPlace
{
	KgVal schema; /* object or boolean */
	KgResource *resource;
	const char *pointer; /* inside the document */
} KgPlace;

typedef struct KgRegistry KgRegistry;

/* Tables are made in work, everything else in the current context. */
extern KgRegistry *kg_registry_create(const KgSchemaOptions *options,
									  MemoryContext work);

/* The document to compile; its resource. */
extern KgResource *kg_registry_add_root(KgRegistry *registry,
										const KgVal *schema);

/*
 * What the reference in a subschema of base leads to.  Raises
 * KG_INVALID_INPUT at the pointer where it leads nowhere.
 */
extern void kg_registry_resolve(KgRegistry *registry, KgResource *base,
								const char *ref, const char *pointer,
								KgPlace *place);

/* The $dynamicAnchor of this name in a resource; false where there is none. */
extern bool kg_registry_dynamic_anchor(KgRegistry *registry,
									   const KgResource *resource,
									   const char *name, KgPlace *place);
/* Whether the root of the resource has "$recursiveAnchor": true. */
extern bool kg_registry_recursive_anchor(const KgResource *resource);

/* Resource of a subschema met while compiling: its own or its parent's. */
extern KgResource *kg_registry_enter(KgRegistry *registry, KgResource *parent,
									 const KgVal *schema);

/* All resources known so far, in order of registration. */
extern int kg_registry_count(const KgRegistry *registry);
extern KgResource *kg_registry_nth(const KgRegistry *registry, int n);

/* A schema that is not one: raise KG_INVALID_INPUT at the pointer. */
extern KgError *kg_schema_error(const KgResource *resource, const char *pointer,
								const char *fmt, ...) pg_attribute_printf(3, 4);

#endif /* KG_REGISTRY_H */
