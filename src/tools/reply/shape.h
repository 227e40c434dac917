/*
 * shape.h
 *	  Parts of replies that several tools share: projection, marks.
 */
#ifndef KG_SHAPE_H
#define KG_SHAPE_H

#include "base/json.h"
#include "model/catalog.h"
#include "model/marks.h"
#include "tools/input/input.h"

/* Fields to show of an entity's data; NULL shows all. */
typedef struct KgProjection
{
	int nfields;
	const KgField **fields;
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
} KgShownOf;

/*
 * An argument that names properties of one or several of these: by name, and
 * where the tool says so as "type.name", or "*" for all.  Into projections, by
 * place: NULL shows all, one without fields none.  False where it was not sent.
 * Raises where none of them has a name.
 */
extern bool kg_projections_read(const KgInput *in, const char *key,
								const KgShownOf *of, int n,
								KgProjection **projections);
/* A projection that has room for so many. */
extern KgProjection *kg_projection_new(int nfields);
/* Show one more, once. */
extern void kg_projection_add(KgProjection *projection, const KgField *field);
/* The argument "fields", or NULL.  Raises with the allowed names. */
extern KgProjection *kg_projection_parse(const KgType *type, const KgInput *in);
/* data with the projected fields only. */
extern Jsonb *kg_projection_apply(const KgProjection *projection,
								  const Jsonb *data);
/* Does a shown property have to be computed? */
extern bool kg_projection_derives(const KgType *type,
								  const KgProjection *projection);

/* What is to be known of the shown fields. */
extern KgMarks kg_projection_marks(const KgType *type,
								   const KgProjection *projection);

#endif /* KG_SHAPE_H */
