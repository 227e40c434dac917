/*
 * annotation_names.h
 *	  The x-* annotations by name, and the check for misspelt ones.
 */
#ifndef KG_ANNOTATION_NAMES_H
#define KG_ANNOTATION_NAMES_H

#include "base/error.h"

typedef enum KgAnnotation
{
	/* of a type */
	KG_X_ID_FIELD,
	KG_X_TOOL_EXPOSE,
	KG_X_TOOL_DESCRIPTION,
	KG_X_SUMMARY_FIELDS,
	KG_X_LABEL_FIELD,
	KG_X_ALIAS_FIELDS,
	KG_X_SEARCH,
	KG_X_SCOPE_FIELD,
	KG_X_AUTHORIZE,
	KG_X_FORMAT,
	KG_X_HISTORY,
	/* of a type or of a relation */
	KG_X_VALID_FROM,
	KG_X_VALID_TO,
	/* of a property */
	KG_X_INDEX,
	KG_X_ORDER,
	KG_X_REF,
	KG_X_REF_FIELD,
	KG_X_RELATION,
	KG_X_ON_DELETE,
	KG_X_DERIVED,
	KG_X_CONTENT_TYPE,
	KG_X_UNTRUSTED,
	KG_X_DETAIL
} KgAnnotation;

#define KG_ANNOTATION_COUNT (KG_X_DETAIL + 1)

extern const char *kg_annotation_name(KgAnnotation which);

/*
 * Report every keyword of a schema that was meant to be one of ours but is not,
 * and every one of ours that stands where it has no effect.  Other x-*
 * keywords are none of our business.
 */
extern void kg_annotations_check_names(const JsonbContainer *schema,
									   const char *path, KgErrorList *errors);

#endif /* KG_ANNOTATION_NAMES_H */
