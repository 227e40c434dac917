/*
 * image.h
 *	  Differences of two versions of a document, property by property.
 */
#ifndef KG_IMAGE_H
#define KG_IMAGE_H

#include "base/json.h"

/*
 * kg_image_same() returns whether both documents are equal byte for byte, so
 * that 1.0 differs from 1.00. kg_image_same_value() compares two values in this
 * way; both may be NULL.
 */
extern bool kg_image_same(const Jsonb *a, const Jsonb *b);
extern bool kg_image_same_value(const JsonbValue *a, const JsonbValue *b);

/*
 * Called for each property that is in one document only, or has different
 * values. before or after is NULL if that document does not have the property.
 */
typedef void (*KgDifference)(const JsonbValue *key, const JsonbValue *before,
							 const JsonbValue *after, void *arg);
extern void kg_image_differences(const Jsonb *before, const Jsonb *after,
								 KgDifference each, void *arg);

/*
 * Writes the member "key" with the properties of image that "other" lacks or
 * has with another value. If other is NULL, writes all properties. If image is
 * NULL, writes nothing.
 */
extern void kg_image_write_changed(KgJsonWriter *w, const char *key,
								   const Jsonb *image, const Jsonb *other);

#endif /* KG_IMAGE_H */
