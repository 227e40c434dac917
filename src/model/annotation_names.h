/*
 * annotation_names.h
 *	  The names of the x-* annotations, and the check for misspelled names.
 */
#ifndef KG_ANNOTATION_NAMES_H
#define KG_ANNOTATION_NAMES_H

#include "base/error.h"

/* The annotations of types come first, then those of properties. */
#define KG_ANNOTATIONS(X)                          \
	X(KG_X_ID_FIELD, "x-id-field")                 \
	X(KG_X_ID_GENERATE, "x-id-generate")           \
	X(KG_X_TOOL_EXPOSE, "x-tool-expose")           \
	X(KG_X_TOOL_DESCRIPTION, "x-tool-description") \
	X(KG_X_SUMMARY_FIELDS, "x-summary-fields")     \
	X(KG_X_PROPERTY_ORDER, "x-property-order")     \
	X(KG_X_LABEL_FIELD, "x-label-field")           \
	X(KG_X_ALIAS_FIELDS, "x-alias-fields")         \
	X(KG_X_SIGNS, "x-signs")                       \
	X(KG_X_SEARCH, "x-search")                     \
	X(KG_X_SCOPE_FIELD, "x-scope-field")           \
	X(KG_X_AUTHORIZE, "x-authorize")               \
	X(KG_X_FORMAT, "x-format")                     \
	X(KG_X_HISTORY, "x-history")                   \
	X(KG_X_VALID_FROM, "x-valid-from")             \
	X(KG_X_VALID_TO, "x-valid-to")                 \
	X(KG_X_TABLE, "x-table")                       \
	X(KG_X_INDEX, "x-index")                       \
	X(KG_X_ORDER, "x-order")                       \
	X(KG_X_REF, "x-ref")                           \
	X(KG_X_REF_FIELD, "x-ref-field")               \
	X(KG_X_RELATION, "x-relation")                 \
	X(KG_X_ON_DELETE, "x-on-delete")               \
	X(KG_X_DERIVED, "x-derived")                   \
	X(KG_X_CONTENT_TYPE, "x-content-type")         \
	X(KG_X_UNTRUSTED, "x-untrusted")               \
	X(KG_X_DETAIL, "x-detail")

#define KG_ANNOTATION(which, name) which,
typedef enum KgAnnotation
{
	KG_ANNOTATIONS(KG_ANNOTATION) KG_ANNOTATION_COUNT
} KgAnnotation;
#undef KG_ANNOTATION

extern const char *kg_annotation_name(KgAnnotation which);

/*
 * Reports each keyword that resembles an annotation but is not one, and each
 * annotation at a position without effect. Ignores other x-* keywords.
 */
extern void kg_annotations_check_names(const JsonbContainer *schema,
									   const char *path, KgErrorList *errors);

#endif /* KG_ANNOTATION_NAMES_H */
