/*
 * image.h
 *	  What two versions of a document differ in, property by property.
 */
#ifndef KG_IMAGE_H
#define KG_IMAGE_H

#include "base/json.h"

/* Byte for byte: 1.0 is not 1.00. */
extern bool kg_image_same(const Jsonb *a, const Jsonb *b);
extern bool kg_image_same_value(const JsonbValue *a, const JsonbValue *b);

/*
 * A property that is not in both, or not the same.  NULL: the document does not
 * have it.
 */
typedef void (*KgDifference)(const JsonbValue *key, const JsonbValue *before,
							 const JsonbValue *after, void *arg);
extern void kg_image_differences(const Jsonb *before, const Jsonb *after,
								 KgDifference each, void *arg);

/*
 * The member key: of a document its properties that the other one has not, or
 * not so; all of it where the other is NULL, and nothing where it is NULL
 * itself.
 */
extern void kg_image_write_changed(KgJsonWriter *w, const char *key,
								   const Jsonb *image, const Jsonb *other);

#endif /* KG_IMAGE_H */
