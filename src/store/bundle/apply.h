/*
 * bundle/apply.h
 *	  Applying, dropping and exporting a bundle as the current role.
 */
#ifndef KG_BUNDLE_APPLY_H
#define KG_BUNDLE_APPLY_H

#include "store/bundle/bundle.h"

/*
 * Raises one error that lists all faults; with dry_run they are in the result
 * and nothing is written.  Needs write access.
 */
extern Jsonb *kg_bundle_apply(const Jsonb *bundle, const Jsonb *options);

/* The same of JSON text, which is not converted as a whole. */
extern Jsonb *kg_bundle_apply_text(const text *bundle, const Jsonb *options);

/* Everything of a bundle; refused while other bundles refer to it. */
extern Jsonb *kg_bundle_drop(const char *name, const Jsonb *options);

/* The bundle as kg_bundle_apply() takes it; needs read access. */
extern Jsonb *kg_bundle_export(const char *name);
/* The same as rows (part text, name text, value jsonb), a set's result. */
extern void kg_bundle_export_parts(const char *name, FunctionCallInfo fcinfo);

/* A bundle of the catalog; raises KG_NOT_FOUND. */
extern const KgBundle *kg_bundle_require(const KgCatalog *catalog,
										 const char *name);

#endif /* KG_BUNDLE_APPLY_H */
