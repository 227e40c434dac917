/*
 * shape.h
 *	  Parts of replies that several tools share: projection, marks.
 */
#ifndef KG_SHAPE_H
#define KG_SHAPE_H

#include "base/json.h"
#include "catalog/catalog.h"
#include "query/marks.h"
#include "tools/input.h"

/* Fields to show of an entity's data; NULL shows all. */
typedef struct KgProjection
{
	int nfields;
	const KgField **fields;
} KgProjection;

/* The argument "fields", or NULL.  Raises with the allowed names. */
extern KgProjection *kg_projection_parse(const KgType *type, const KgInput *in);
/* data with the projected fields only. */
extern Jsonb *kg_projection_apply(const KgProjection *projection,
								  const Jsonb *data);
/* Does a shown property have to be computed? */
extern bool kg_projection_derives(const KgType *type,
								  const KgProjection *projection);
/* The declared values of an enum, as they are to be sent; nothing for others. */
extern void kg_enum_write(const KgField *field, const char *key,
						  KgJsonWriter *w);

/* What is to be known of the shown fields. */
extern KgMarks kg_projection_marks(const KgType *type,
								   const KgProjection *projection);

#endif /* KG_SHAPE_H */
