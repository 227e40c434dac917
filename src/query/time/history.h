/*
 * history.h
 *	  Reading kg_history as the caller: under its policies, and only
 *	  changes of entities that the caller may see now.
 */
#ifndef KG_QUERY_HISTORY_H
#define KG_QUERY_HISTORY_H

#include "model/catalog.h"
#include "query/sql.h"

typedef struct KgChange
{
	int64 change;
	int64 transaction;
	const char *at;
	const char *by;
	/* subject, agent, tool and reason may be NULL */
	const char *subject;
	const char *agent;
	const char *tool;
	const char *reason;
	const char *verdict;
	int64 version;
	/* the entity before the change; NULL: the change created it */
	Jsonb *before;
	/* the entity after the change; NULL: the change deleted it */
	Jsonb *after;
	TimestampTz time;
	int32
		/*
		 * number of the type of an entity, with its id; 0 and NULL for an edge
		 */
		type_no;
	const char *id;
	int32
		/*
		 * number of the relation of an edge, with its key and nodes; 0 for an
		 * entity
		 */
		relation_no;
	const char *key;
	int64 nodes[2]; /* source and target */
	/* number (xid8) of the change's transaction, set by kg_changes_read() */
	uint64 xid;
	/*
	 * Handles of the nodes, set by kg_history_recent(); NULL: deleted since
	 * then.
	 */
	const char *ends[2];
} KgChange;

/*
 * The position from which reading continues: only changes before it are read.
 * time 0: begin with the newest.
 */
typedef struct KgHistoryPlace
{
	TimestampTz time;
	int64 number; /* version of an entity, or number of a change of an edge */
} KgHistoryPlace;

/*
 * Reads at most n changes of an entity, the newest first, below a position.
 * Returns the number of changes read; 0 if the entity is hidden from the
 * caller. For an entity that was deleted, its last state decides whether it is
 * hidden.
 */
extern int kg_history_read(const KgCatalog *catalog, const KgType *type,
						   const char *id, const KgHistoryPlace *below, int n,
						   KgChange *changes);

/* A selection of changes of several types. */
typedef struct KgRecent
{
	TimestampTz since; /* 0: any */
	const KgType **types;
	int ntypes;
	/* changes of edges too, if the caller sees the whole tenant */
	bool edges;
	/* only changes by the caller's role, subject and agent */
	bool mine;
	int64 below; /* only numbers below this change; 0: any */
} KgRecent;

/*
 * Reads at most n of the changes that "recent" selects, the newest first.
 * Returns the number of changes read.
 */
extern int kg_history_recent(const KgCatalog *catalog, const KgRecent *recent,
							 int n, KgChange *changes);

/* A position among the changes: the position of the next change to read. */
typedef struct KgChangePosition
{
	uint64 xid; /* number (xid8) of the transaction of that change */
	/* the last change of the transaction that was read, or 0 */
	int64 change;
} KgChangePosition;

/* The changes that can be followed. */
typedef struct KgFollowed
{
	const int32 *types; /* numbers of the types */
	int ntypes;
	const int32 *relations;
	int nrelations;
	uint64 end; /* transaction number: all transactions before it have ended */
	/*
	 * If a position was returned with another mark, changes after it, up to
	 * this transaction, may be missing. Both 0: no changes are missing.
	 */
	uint64 pruned;
	int64 mark;
	TimestampTz created; /* when the tenant was created */
} KgFollowed;

/* Sets the members end, pruned, mark and created. Reads no change. */
extern void kg_changes_state(const KgCatalog *catalog, KgFollowed *followed);

/*
 * Reads at most n changes from a position on, in the order of transactions and
 * changes, up to the end, until the documents exceed max_bytes. Returns the
 * number of changes read, and sets the position of the next change. The
 * documents before the changes are not read. Changes of edges are read for
 * callers that see the whole tenant only; their ends are NULL if they do not
 * exist any more.
 */
extern int kg_changes_read(const KgCatalog *catalog, const KgFollowed *followed,
						   KgChangePosition *position, int n, Size max_bytes,
						   KgChange *changes);

/*
 * Returns whether kg_history_read() would find any change. For an existing
 * entity: whether the caller sees it.
 */
extern bool kg_history_sees(const KgCatalog *catalog, const KgType *type,
							const char *id);

/*
 * Returns whether the caller may see the entity of a node in its state at a
 * time. The node must have had the id at that time, or have been the last node
 * with this id before that time. Returns false if the type hides some of its
 * entities and had no history at that time.
 */
extern bool kg_history_saw(const KgCatalog *catalog, const KgType *type,
						   const char *id, int64 node, TimestampTz time);

/*
 * Returns whether the caller may see every change of the node in a transaction.
 * This must be so for a change of one of the node's edges in the same
 * transaction to be visible, because that change may show a state that no other
 * session has seen.
 */
extern bool kg_history_saw_all(const KgCatalog *catalog, const KgType *type,
							   int64 node, int64 transaction);

/* Returns the nodes that have or had an id, as an array. */
extern Datum kg_history_nodes(const KgCatalog *catalog, const KgType *type,
							  const char *id);

/*
 * kg_history_select() begins a SELECT of the tenant's changes from kg_history
 * with the alias h; the caller appends further conditions and the order.
 * kg_history_run() reads the changes.
 */
extern void kg_history_select(KgSqlBuilder *b, const KgCatalog *catalog);
extern int kg_history_run(const KgSqlBuilder *b, KgChange *changes);

/* Returns the entity as it was at the time, or NULL. */
extern Jsonb *kg_history_at(const KgCatalog *catalog, const KgType *type,
							const char *id, TimestampTz time);

#endif /* KG_QUERY_HISTORY_H */
