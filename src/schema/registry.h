/*
 * registry.h
 *	  The documents, resources with $id and anchors that references may name
 *	  during compilation.
 */
#ifndef KG_REGISTRY_H
#define KG_REGISTRY_H

#include "base/error.h"
#include "schema/program.h"

/* The location of a subschema. */
typedef struct KgJsPlace
{
	KgJsVal schema; /* object or boolean */
	KgJsResource *resource;
	const char *pointer; /* JSON Pointer in the document */
} KgJsPlace;

typedef struct KgJsRegistry KgJsRegistry;

/*
 * Creates a registry.  Hash tables are allocated in work, all else in the
 * current context.
 */
extern KgJsRegistry *kg_registry_create(const KgSchemaOptions *options,
										MemoryContext work);

/* Adds the root document and returns its resource. */
extern KgJsResource *kg_registry_add_root(KgJsRegistry *registry,
										  const KgJsVal *schema);

/*
 * Resolves a reference in a subschema of base and sets *place to its target.
 * Raises KG_INVALID_INPUT with the pointer if there is no target.
 */
extern void kg_registry_resolve(KgJsRegistry *registry, KgJsResource *base,
								const char *ref, const char *pointer,
								KgJsPlace *place);

/*
 * Finds the $dynamicAnchor of this name in a resource.  Returns false if it
 * does not exist.
 */
extern bool kg_registry_dynamic_anchor(KgJsRegistry *registry,
									   const KgJsResource *resource,
									   const char *name, KgJsPlace *place);
/* Returns true if the root of the resource has "$recursiveAnchor": true. */
extern bool kg_registry_recursive_anchor(const KgJsResource *resource);

/*
 * Returns the resource of a subschema during compilation: its own or its
 * parent's.
 */
extern KgJsResource *kg_registry_enter(KgJsRegistry *registry,
									   KgJsResource *parent,
									   const KgJsVal *schema);

/* Returns the number of known resources, which are in order of registration. */
extern int kg_registry_count(const KgJsRegistry *registry);
extern KgJsResource *kg_registry_nth(const KgJsRegistry *registry, int n);

/*
 * Returns an error KG_INVALID_INPUT for an invalid schema, with the pointer
 * as its path.
 */
extern KgError *kg_schema_error(const KgJsResource *resource,
								const char *pointer, const char *fmt, ...)
	pg_attribute_printf(3, 4);

#endif /* KG_REGISTRY_H */
