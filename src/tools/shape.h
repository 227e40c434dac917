/*
 * shape.h
 *	  Parts of replies that several tools share: projection, byte budget.
 */
#ifndef KG_SHAPE_H
#define KG_SHAPE_H

#include "base/json.h"
#include "catalog/catalog.h"
#include "query/args.h"

/* Fields to show of an entity's data; NULL shows all. */
typedef struct KgProjection
{
	int nfields;
	const KgField **fields;
} KgProjection;

/* The argument "fields", or NULL.  Raises with the allowed names. */
extern KgProjection *kg_projection_parse(const KgType *type,
										 const JsonbContainer *arguments);
/* data with the projected fields only. */
extern Jsonb *kg_projection_apply(const KgProjection *projection,
								  const Jsonb *data);
/* Does a shown property have to be computed? */
extern bool kg_projection_derives(const KgType *type,
								  const KgProjection *projection);
/*
 * What is to be known of the shown fields: "untrusted", the names of those with
 * text from outside, and "content_types", the media types of those that have
 * one.
 */
extern void kg_marks_write(const KgType *type, const KgProjection *projection,
						   KgJsonWriter *w);

/* The argument max_bytes, or its default. */
extern int64 kg_budget_parse(const JsonbContainer *arguments,
							 KgRepairs *repairs);

/* Length of a datum as JSON text. */
extern int64 kg_text_length(const Jsonb *jsonb);

/*
 * How items fit: the first full ones whole, then stubs, up to listed; the rest
 * is cut.  Each size is of JSON text with its separator.
 */
typedef struct KgFit
{
	int full;
	int listed;
} KgFit;

extern KgFit kg_budget_fit(int64 max_bytes, int64 base, const int64 *full,
						   const int64 *stub, int n);

/* Writes the member "withheld" where anything was. */
extern void kg_withheld_write(KgJsonWriter *w, int properties, int items);

#endif /* KG_SHAPE_H */
