/*
 * enforce.h
 *	  The checks of references and of unique values at the end of a statement
 *	  or scope.
 *
 * Both functions run as the extension's owner, inside SPI_connect(). caller is
 * the user that kg_become_owner() saved.
 */
#ifndef KG_ENFORCE_H
#define KG_ENFORCE_H

#include "store/reference/scope.h"

/*
 * Checks the unchecked entries again after all rows are written. References
 * that had no target may have a target now. Applies x-on-delete to the
 * entities that refer to deleted entities. Raises the faults, or leaves them
 * to the deferred trigger kg_references.
 */
extern void kg_unchecked_enforce(const KgCatalog *catalog,
								 const KgUserContext *caller,
								 KgUnchecked *unchecked);

/*
 * Ends a scope. Checks the scope's unchecked entries, unless an outer scope of
 * the tenant will check them.
 */
extern void kg_scope_end(KgScope *scope, const KgUserContext *caller);

#endif /* KG_ENFORCE_H */
