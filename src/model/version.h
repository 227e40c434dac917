/*
 * version.h
 *	  The version of a tenant's catalog that a snapshot shows.
 */
#ifndef KG_CATALOG_VERSION_H
#define KG_CATALOG_VERSION_H

#include "utils/snapshot.h"

typedef struct KgCatalogVersion
{
	uint64 hash; /* hash of the visible rows of kg_bundle */
	int nbundles;
	bool shows; /* the snapshot shows a tenant of the given name */
} KgCatalogVersion;

/*
 * Returns the version of the catalog under a snapshot. The version depends on
 * all bundles of the tenant, including those hidden from the caller.
 */
extern KgCatalogVersion kg_catalog_version(const char *tenant,
										   Snapshot snapshot);

#endif /* KG_CATALOG_VERSION_H */
