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
typedef struct KgJsPlace
{
	KgJsVal schema; /* object or boolean */
	KgJsResource *resource;
	const char *pointer; /* inside the document */
} KgJsPlace;

typedef struct KgJsRegistry KgJsRegistry;

/* Tables are made in work, everything else in the current context. */
extern KgJsRegistry *kg_registry_create(const KgSchemaOptions *options,
										MemoryContext work);

/* The document to compile; its resource. */
extern KgJsResource *kg_registry_add_root(KgJsRegistry *registry,
										  const KgJsVal *schema);

/*
 * What the reference in a subschema of base leads to.  Raises
 * KG_INVALID_INPUT at the pointer where it leads nowhere.
 */
extern void kg_registry_resolve(KgJsRegistry *registry, KgJsResource *base,
								const char *ref, const char *pointer,
								KgJsPlace *place);

/* The $dynamicAnchor of this name in a resource; false where there is none. */
extern bool kg_registry_dynamic_anchor(KgJsRegistry *registry,
									   const KgJsResource *resource,
									   const char *name, KgJsPlace *place);
/* Whether the root of the resource has "$recursiveAnchor": true. */
extern bool kg_registry_recursive_anchor(const KgJsResource *resource);

/* Resource of a subschema met while compiling: its own or its parent's. */
extern KgJsResource *kg_registry_enter(KgJsRegistry *registry,
									   KgJsResource *parent,
									   const KgJsVal *schema);

/* All resources known so far, in order of registration. */
extern int kg_registry_count(const KgJsRegistry *registry);
extern KgJsResource *kg_registry_nth(const KgJsRegistry *registry, int n);

/* A schema that is not one: raise KG_INVALID_INPUT at the pointer. */
extern KgError *kg_schema_error(const KgJsResource *resource,
								const char *pointer, const char *fmt, ...)
	pg_attribute_printf(3, 4);

#endif /* KG_REGISTRY_H */
