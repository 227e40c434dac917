/*
 * metaschema.h
 *	  The embedded meta-schemas of the dialects.
 */
#ifndef KG_METASCHEMA_H
#define KG_METASCHEMA_H

#include "base/error.h"
#include "schema/keyword.h"
#include "schema/schema.h"

/* Returns the text of an embedded document, or NULL. uri has no fragment. */
extern const char *kg_metaschema_text(const char *uri);
/*
 * Returns the dialect whose URI or short name is the value of a $schema, or 0
 * if the dialect is not supported.
 */
extern int kg_metaschema_dialect(const char *uri);
/*
 * Returns the dialect of a document according to its $schema. Returns draft
 * 2020-12 if $schema is absent or unknown. The document of a boolean schema is
 * NULL.
 */
extern KgDialect kg_metaschema_document_dialect(const JsonbContainer *document);
/* Returns the short name of a dialect. */
extern const char *kg_metaschema_name(KgDialect dialect);
/* Adds the URIs of the dialects to the list of allowed values in an error. */
extern void kg_metaschema_allow(KgError *err);
/*
 * Returns the compiled meta-schema of a dialect. It exists for the life of the
 * backend.
 */
extern const KgSchema *kg_metaschema_compiled(KgDialect dialect);

/*
 * The embedded documents, made from the JSON files of metaschema/.
 * metaschema/data.awk writes them to data.c.
 */
typedef struct KgMetaschemaText
{
	const char *uri;
	const char *text;
} KgMetaschemaText;

extern const KgMetaschemaText kg_metaschema_texts[];

#endif /* KG_METASCHEMA_H */
