/*
 * writing.c
 *	  Is a table of ours being written by a statement further up?
 *
 * A function in RETURNING, or a trigger that fires before ours, is called when
 * rows are gone or new and the rows derived from them are not yet.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/identity.h"
#include "catalog/writing.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/relcache.h"

bool
kg_being_written(const char *table)
{
	Relation rel;
	bool used;

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	rel = RelationIdGetRelation(kg_relation_oid(table));
	if (!RelationIsValid(rel))
		return false;
	/* Who has not written it in this transaction does not write it now. */
	used = rel->rd_refcnt > 1 &&
		   CheckRelationLockedByMe(rel, RowExclusiveLock, true);
	RelationClose(rel);
	return used;
}

bool
kg_derived_rows_suffice(const KgCatalog *catalog)
{
	return catalog->plain_visibility &&
		   SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA &&
		   !kg_being_written("kg_entity");
}
