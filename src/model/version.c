/*
 * version.c
 *	  The version of a tenant's catalog that a snapshot shows.
 *
 * A change of a bundle, its types or its relations rewrites the bundle's row.
 * Therefore the visible versions of these rows identify the catalog. Their TIDs
 * and the transactions that wrote them are hashed. The rows are read without a
 * plan, because planning and executing a query would take as long as a whole
 * call. This scan ignores the caller's rights, but only the hash is used.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "base/extension.h"
#include "model/version.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/*
 * Hashes the rows of a tenant, found by an index whose first column is the
 * tenant. Returns the number of rows.
 */
static int
hash_rows(const char *table, Datum tenant, Snapshot snapshot, uint64 *hash)
{
	static const char *const columns[] = {"tenant"};
	Relation rel = table_open(kg_relation_oid(table), AccessShareLock);
	int n = 0;
	int column;
	Oid index;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	if (!rel->rd_indexvalid)
		list_free(RelationGetIndexList(rel));
	index = rel->rd_pkindex;
	kg_find_columns(RelationGetDescr(rel), columns, 1, &column);
	ScanKeyInit(&key,
				(AttrNumber) (column + 1),
				BTEqualStrategyNumber,
				F_TEXTEQ,
				tenant);
	scan = systable_beginscan(rel, index, OidIsValid(index), snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		uint64 row[] = {(uint64) ItemPointerGetBlockNumber(&tuple->t_self)
								<< 16 |
							ItemPointerGetOffsetNumber(&tuple->t_self),
						HeapTupleHeaderGetRawXmin(tuple->t_data)};

		*hash = hash_bytes_extended((unsigned char *) row, sizeof(row), *hash);
		n++;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return n;
}

KgCatalogVersion
kg_catalog_version(const char *tenant, Snapshot snapshot)
{
	KgCatalogVersion version = {0};
	Datum wanted = CStringGetTextDatum(tenant);

	version.nbundles = hash_rows("kg_bundle", wanted, snapshot, &version.hash);
	/*
	 * A registration of a tool rewrites the rows of all bundles. If the tenant
	 * has no bundle, it rewrites the tenant's row, so hash that row.
	 */
	version.shows = version.nbundles > 0 ||
					hash_rows("kg_tenant", wanted, snapshot, &version.hash) > 0;
	pfree(DatumGetPointer(wanted));
	return version;
}
