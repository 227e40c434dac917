/*
 * ref_path.h
 *	  Paths through references, as "supplier.country.name".
 *
 * Each part except the last is the name of a property with x-ref. The last
 * part is a property of the entity to which the path leads. The values of a
 * path are the values of this property in the visible entities at its end.
 * Lists, replies and groups read the values of paths through this module.
 */
#ifndef KG_REF_PATH_H
#define KG_REF_PATH_H

#include "query/graph/traverse.h"

#define KG_MAX_REFERENCES 3

typedef struct KgRefPath
{
	const char *name;
	int nsteps;
	/* a step for each reference of the path */
	KgStepSpec steps[KG_MAX_REFERENCES];
	bool many; /* a reference on the way is an array */
	/* the type of the entities at the beginning of the path */
	const KgType *from;
	/* the type of the entity at the end of the path */
	const KgType *type;
	/* the property of that entity; NULL: its id */
	const KgField *field;
	const char *end_name; /* the name of that property */
} KgRefPath;

/*
 * Returns the path that a name means for entities of a type; NULL if the name
 * does not begin with a reference, or is a property itself. at is the JSON
 * Pointer of the name. If the name is wrong after a reference, raises
 * KG_INVALID_INPUT, or with find_only returns NULL.
 */
extern const KgRefPath *kg_ref_path(const KgCatalog *catalog,
									const KgType *type, const char *name,
									const char *at, bool find_only);

/*
 * Returns the path from a reference by id to the label of its entity, such as
 * "customer.name". Returns NULL if the referenced type has no label other than
 * the id, or has x-authorize. Returns NULL, too, if another property of "type"
 * has the same relation and target type, or if the call reads the past.
 */
extern const char *kg_ref_label(const KgCatalog *catalog, const KgType *type,
								const KgField *reference);

/*
 * Returns whether the property of the type is a reference by id whose values
 * are the ids at the ends of the edges of its relation.
 */
extern bool kg_ref_is_edges(const KgCatalog *catalog, const KgType *type,
							const KgField *reference);

/* The values of a path for some nodes. */
typedef struct KgRefValues KgRefValues;

/*
 * Reads the values of the path for visible nodes of the type at its beginning.
 * Checks the estimated cost first; the error has the path "at".
 */
extern KgRefValues *kg_ref_values(KgGraph *graph, const KgRefPath *path,
								  const int64 *nodes, uint32 n, const char *at);
/*
 * Reads the values of several paths of one type, and sets values[i] to those of
 * paths[i]. Paths over the same references are walked once.
 */
extern void kg_ref_values_of(KgGraph *graph, const KgRefPath *const *paths,
							 int npaths, const int64 *nodes, uint32 n,
							 const char *at, KgRefValues **values);
/*
 * Visits the values of the path for one of the nodes passed to kg_ref_values().
 * Each item of an array is a value. A missing value is not visited.
 */
extern void kg_ref_values_visit(const KgRefValues *values, int64 node,
								KgFieldVisitor visit, void *arg);
/*
 * Returns the sort key of the only value for one of the nodes passed to
 * kg_ref_values(), in the current context. Returns kg_key_missing() if the node
 * has no value.
 */
extern bytea *kg_ref_values_key(const KgRefValues *values, int64 node);

#endif /* KG_REF_PATH_H */
