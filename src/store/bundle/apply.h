/*
 * bundle/apply.h
 *	  Applying, dropping and exporting a bundle as the current role.
 */
#ifndef KG_BUNDLE_APPLY_H
#define KG_BUNDLE_APPLY_H

#include "store/bundle/bundle.h"

/*
 * Applies a bundle, and returns the reply of kg_apply_bundle(). Needs write
 * access. Raises one error that lists all faults. With the option dry_run, the
 * faults are in the reply and nothing is written.
 */
extern Jsonb *kg_bundle_apply(const Jsonb *bundle, const Jsonb *options);

/*
 * Applies a bundle, as kg_bundle_apply() does, but reads it from JSON text. The
 * text is not converted to jsonb as a whole.
 */
extern Jsonb *kg_bundle_apply_text(const text *bundle, const Jsonb *options);

/*
 * Deletes a bundle with all its contents, and returns the reply of
 * kg_drop_bundle(). Raises an error if other bundles refer to it.
 */
extern Jsonb *kg_bundle_drop(const char *name, const Jsonb *options);

/*
 * Returns the bundle in the form that kg_bundle_apply() takes. Needs read
 * access.
 */
extern Jsonb *kg_bundle_export(const char *name);
/*
 * Returns the bundle as rows (part text, name text, value jsonb) of a
 * set-returning function.
 */
extern void kg_bundle_export_parts(const char *name, FunctionCallInfo fcinfo);

/*
 * Returns the bundle of this name in the catalog. Raises KG_NOT_FOUND if there
 * is no such bundle.
 */
extern const KgBundle *kg_bundle_require(const KgCatalog *catalog,
										 const char *name);

#endif /* KG_BUNDLE_APPLY_H */
