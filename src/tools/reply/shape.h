/*
 * shape.h
 *	  Parts of replies that several tools share: projections and marks.
 */
#ifndef KG_SHAPE_H
#define KG_SHAPE_H

#include "base/json.h"
#include "model/catalog.h"
#include "model/marks.h"
#include "query/graph/ref_path.h"
#include "tools/input/input.h"

/*
 * The fields of an entity's data that are shown. A NULL projection shows all.
 */
typedef struct KgProjection
{
	int nfields;
	const KgField **fields;
	int npaths; /* paths through references that are shown, too */
	const KgRefPath **paths;
} KgProjection;

/* A type, or a relation, whose properties can be shown. */
typedef struct KgShownOf
{
	const char *what; /* for messages: "entity type \"country\"" */
	const char *name; /* "country", and with its bundle, or NULL */
	const char *handle;
	int nfields;
	const KgField *fields;
	const KgField *id_field; /* or NULL */
	const KgType *type;		 /* NULL: a relation */
} KgShownOf;

/*
 * Names "prefix.name" that do not belong to an element of "of", with their
 * paths.
 */
typedef struct KgNamesApart
{
	const char *prefix;
	List *names; /* without the prefix */
	List *paths;
} KgNamesApart;

/*
 * Reads an argument that names properties of one or several of these types. A
 * name is a property's name, or a path through references. If the tool allows
 * it, a name may also be "type.name", or "*" for all. Sets one projection for
 * each element of "of". NULL shows all fields; a projection without fields
 * shows no field. Returns false if the argument is absent. Raises an error if
 * no element has a named property. If apart is not NULL, it collects the names
 * that begin with its prefix, without an error.
 */
extern bool kg_projections_read(const KgInput *in, const char *key,
								const KgShownOf *of, int n,
								KgProjection **projections,
								KgNamesApart *apart);
/*
 * Adds the property or path of this name to the projections of the elements
 * that have it. Raises an error if no element has it. prefix is the prefix of
 * the name as it was sent, or NULL.
 */
extern void kg_projections_add(KgProjection **projections, const KgShownOf *of,
							   int n, const char *prefix, const char *name,
							   const char *path);
/* Returns an empty projection with room for nfields fields. */
extern KgProjection *kg_projection_new(int nfields);
/* Adds a field, if the projection does not contain it. */
extern void kg_projection_add(KgProjection *projection, const KgField *field);
/*
 * Reads the argument "fields"; returns NULL if it is absent. Errors list the
 * allowed names.
 */
extern KgProjection *kg_projection_parse(const KgType *type, const KgInput *in);
/* Returns the data with the projected fields only. */
extern Jsonb *kg_projection_apply(const KgProjection *projection,
								  const Jsonb *data);
/*
 * Adds the values of the projection's paths to the data of n visible nodes. A
 * missing or hidden value is null. If a path leads through an array, its value
 * is an array. "at" is the JSON Pointer of the argument, for errors.
 */
extern void kg_projection_reach(const KgProjection *projection, KgGraph *graph,
								const int64 *nodes, Jsonb **data, uint32 n,
								const char *at);
/* Returns whether a shown property must be computed. */
extern bool kg_projection_derives(const KgType *type,
								  const KgProjection *projection);

/* Returns the marks of the shown fields. */
extern KgMarks kg_projection_marks(const KgType *type,
								   const KgProjection *projection);

#endif /* KG_SHAPE_H */
