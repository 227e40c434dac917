/*
 * metaschema.h
 *	  The embedded meta-schemas of the dialects.
 */
#ifndef KG_METASCHEMA_H
#define KG_METASCHEMA_H

#include "base/error.h"
#include "schema/keyword.h"
#include "schema/schema.h"

/*
 * Returns the text of an embedded document by its URI without fragment, or
 * NULL.
 */
extern const char *kg_metaschema_text(const char *uri);
/* Returns the dialect that a $schema names, or 0 if it is not supported. */
extern int kg_metaschema_dialect(const char *uri);
/*
 * Returns the dialect that a document's $schema names, or draft 2020-12 if it
 * names none that is known.
 */
extern KgDialect kg_metaschema_document_dialect(const Jsonb *document);
/* Returns the short name of a dialect. */
extern const char *kg_metaschema_name(KgDialect dialect);
/* Adds the URIs of the dialects to the allowed values of an error. */
extern void kg_metaschema_allow(KgError *err);
/*
 * Returns the compiled meta-schema of a dialect.  It lives as long as the
 * backend.
 */
extern const KgSchema *kg_metaschema_compiled(KgDialect dialect);

/* The JSON files of metaschema/; metaschema/data.awk makes data.c of them. */
typedef struct KgMetaschemaText
{
	const char *uri;
	const char *text;
} KgMetaschemaText;

extern const KgMetaschemaText kg_metaschema_texts[];

#endif /* KG_METASCHEMA_H */
