/*
 * registry.h
 *	  The documents, resources and anchors that references may name. Used
 *	  during compilation.
 */
#ifndef KG_REGISTRY_H
#define KG_REGISTRY_H

#include "base/error.h"
#include "schema/program.h"

/* The location of a subschema. */
typedef struct KgJsPlace
{
	KgJsVal schema; /* an object or a boolean */
	KgJsResource *resource;
	const char *pointer; /* JSON Pointer of the subschema in the document */
} KgJsPlace;

typedef struct KgJsRegistry KgJsRegistry;

/*
 * Returns a new registry. Its hash tables are allocated in the context work,
 * all other data in the current context. Raises an error if the dialect in the
 * options is unknown.
 */
extern KgJsRegistry *kg_registry_create(const KgSchemaOptions *options,
										MemoryContext work);

/* Adds the root document and returns its resource. */
extern KgJsResource *kg_registry_add_root(KgJsRegistry *registry,
										  const KgJsVal *schema);

/*
 * Resolves a reference in a subschema of the resource base, and sets *place to
 * its target. If there is no target, raises KG_INVALID_INPUT with pointer as
 * the path.
 */
extern void kg_registry_resolve(KgJsRegistry *registry, KgJsResource *base,
								const char *ref, const char *pointer,
								KgJsPlace *place);

/*
 * Finds the $dynamicAnchor of this name in a resource. Returns false if the
 * resource does not have it.
 */
extern bool kg_registry_dynamic_anchor(KgJsRegistry *registry,
									   const KgJsResource *resource,
									   const char *name, KgJsPlace *place);
/* Returns true if the root of the resource has "$recursiveAnchor": true. */
extern bool kg_registry_recursive_anchor(const KgJsResource *resource);

/*
 * Returns the resource to which a subschema belongs, during compilation. This
 * is the subschema's own resource, or its parent's resource.
 */
extern KgJsResource *kg_registry_enter(KgJsRegistry *registry,
									   KgJsResource *parent,
									   const KgJsVal *schema);

/*
 * Return the number of known resources, and the resource of an index. Resources
 * are in the order of their registration.
 */
extern int kg_registry_count(const KgJsRegistry *registry);
extern KgJsResource *kg_registry_nth(const KgJsRegistry *registry, int n);

/*
 * Returns an error KG_INVALID_INPUT for a fault in a schema, with pointer as
 * its path.
 */
extern KgError *kg_schema_error(const KgJsResource *resource,
								const char *pointer, const char *fmt, ...)
	pg_attribute_printf(3, 4);

#endif /* KG_REGISTRY_H */
