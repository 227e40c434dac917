/*
 * version.h
 *	  Which catalog of a tenant a snapshot shows.
 */
#ifndef KG_CATALOG_VERSION_H
#define KG_CATALOG_VERSION_H

#include "utils/snapshot.h"

typedef struct KgCatalogVersion
{
	uint64 hash; /* of the rows of kg_bundle that are visible */
	int nbundles;
	bool shows; /* the tenant, by this name */
} KgCatalogVersion;

/* Of all the tenant's bundles, whatever the caller may see of them. */
extern KgCatalogVersion kg_catalog_version(const char *tenant,
										   Snapshot snapshot);

#endif /* KG_CATALOG_VERSION_H */
