/*
 * shape.h
 *	  Parts of replies that several tools have in common: the choice of
 *	  properties (projections), and marks of untrusted text.
 */
#ifndef KG_SHAPE_H
#define KG_SHAPE_H

#include "base/json.h"
#include "model/catalog.h"
#include "model/marks.h"
#include "query/graph/ref_path.h"
#include "tools/input/input.h"

/*
 * The fields of an entity's data that a reply shows. A NULL projection shows
 * all fields.
 */
typedef struct KgProjection
{
	int nfields;
	const KgField **fields;
	/* number of paths through references that are shown in addition */
	int npaths;
	const KgRefPath **paths;
} KgProjection;

/* A type, or a relation, whose properties can be shown. */
typedef struct KgShownOf
{
	const char *what; /* phrase for messages: "entity type \"country\"" */
	/* name, "country", or NULL; handle is the name with its bundle */
	const char *name;
	const char *handle;
	int nfields;
	const KgField *fields;
	const KgField *id_field; /* or NULL */
	const KgType *type;		 /* the type; NULL: a relation */
} KgShownOf;

/*
 * Names that begin with a prefix, such as "edge.since". kg_projections_read()
 * collects those that are no property of its types or relations. paths has the
 * JSON Pointers of the names.
 */
typedef struct KgNamesApart
{
	const char *prefix;
	List *names; /* the names without the prefix */
	List *paths;
} KgNamesApart;

/*
 * Reads an argument that has names of properties of some types or relations. A
 * name is that of a property, or a path through references. If the tool allows
 * it, a name may also be "type.name", or "*" for all properties.
 *
 * Sets one projection for each element of "of". NULL shows all fields, and a
 * projection without fields shows none. Returns false if the argument is
 * absent. Raises an error if no element has a named property. If apart is not
 * NULL, names that begin with its prefix are collected there, without an
 * error.
 */
extern bool kg_projections_read(const KgInput *in, const char *key,
								const KgShownOf *of, int n,
								KgProjection **projections,
								KgNamesApart *apart);
/*
 * Adds the property or path with this name to the projection of each element of
 * "of" that has it. Raises an error if no element has it. prefix is the prefix
 * of the name as it was sent, or NULL.
 */
extern void kg_projections_add(KgProjection **projections, const KgShownOf *of,
							   int n, const char *prefix, const char *name,
							   const char *path);
/* Returns an empty projection with room for nfields fields. */
extern KgProjection *kg_projection_new(int nfields);
/* Adds a field, unless the projection already contains it. */
extern void kg_projection_add(KgProjection *projection, const KgField *field);
/*
 * Reads the argument "fields". Returns NULL if it is absent. Errors list the
 * allowed names.
 */
extern KgProjection *kg_projection_parse(const KgType *type, const KgInput *in);
/* Returns the data with only the fields of the projection. */
extern Jsonb *kg_projection_apply(const KgProjection *projection,
								  const Jsonb *data);
/*
 * Adds the values of the projection's paths through references to the data of n
 * visible nodes. If a value is missing or hidden, adds null. If a path leads
 * through an array, its value is an array. "at" is the JSON Pointer of the
 * argument, for errors.
 */
extern void kg_projection_reach(const KgProjection *projection, KgGraph *graph,
								const int64 *nodes, Jsonb **data, uint32 n,
								const char *at);
/* Returns whether the projection shows a computed property (x-derived). */
extern bool kg_projection_derives(const KgType *type,
								  const KgProjection *projection);

/*
 * Returns the marks of untrusted text for the fields that the projection
 * shows.
 */
extern KgMarks kg_projection_marks(const KgType *type,
								   const KgProjection *projection);

#endif /* KG_SHAPE_H */
