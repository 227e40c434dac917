/*
 * edges.h
 *	  Explicit edges: their checks, and the statements of all functions that
 *	  write them for a caller.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#ifndef KG_EDGES_H
#define KG_EDGES_H

#include "base/error.h"
#include "base/extension.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/edge/edge_key.h"
#include "utils/hsearch.h"
#include "utils/snapshot.h"

/* Columns of a batch of edges. */
#define KG_EDGE_SOURCE 0	 /* int8 */
#define KG_EDGE_RELATION 1	 /* int4 */
#define KG_EDGE_TARGET 2	 /* int8 */
#define KG_EDGE_KEY 3		 /* text, see store/edge/edge_key.h */
#define KG_EDGE_PROPERTIES 4 /* jsonb */
#define KG_EDGE_COLUMNS 5

extern void kg_edges_init(KgColumns *edges, MemoryContext context);
/*
 * Adds a row. properties may be NULL. The properties are not copied and must
 * live as long as the rows.
 */
extern void kg_edges_add(KgColumns *edges, int64 source, int32 relation_no,
						 int64 target, const char *key,
						 const Jsonb *properties);

/* Adds a copy of a row of another batch. */
extern void kg_edges_copy(KgColumns *edges, const KgColumns *from, int row);

/*
 * Describes how kg_edges_check() reports faults. The path of a fault is
 * "<path>/<number>". numbers has the number of each row; if it is NULL, the
 * number is the row's index. Faults are added to errors or, if by_row is set,
 * to errors[number].
 */
typedef struct KgEdgeReport
{
	const char *path;
	const int *numbers;
	bool by_row;
	KgErrorList *errors;
	/*
	 * The ends of some rows are swapped, as in the arguments of
	 * kg_edges_write_turned().
	 */
	bool turned;
} KgEdgeReport;

/*
 * kg_edges_lock() locks the relations of the edges against changes until the
 * transaction ends, and returns the catalog at that time. kg_edges_check()
 * locks the ends of explicit edges, and checks relation, variant and
 * properties. Both run as the extension's owner, inside SPI_connect().
 */
extern const KgCatalog *kg_edges_lock(const char *tenant,
									  const KgColumns *edges);
extern void kg_edges_check(const KgCatalog *catalog,
						   const KgUserContext *caller, const KgColumns *edges,
						   const KgEdgeReport *report);

/* The number of rows of one relation. */
typedef struct KgRowCount
{
	int32 number;
	int64 n;
} KgRowCount;

/*
 * Returns the rows (number, count) of the last SPI statement as KgRowCount *.
 */
extern List *kg_row_counts(void);

/*
 * Returns the number of explicit edges of each relation of the tenant, as
 * KgRowCount *. Relations without edges are omitted. Reads with the active
 * snapshot if read_only is true.
 */
extern List *kg_edges_count(const char *tenant, bool read_only);

/*
 * The last edge that kg_edges_read() has read; all zeroes before the first
 * edge.
 */
typedef struct KgEdgePlace
{
	int64 source;
	int64 target;
	char key[KG_MAX_EDGE_KEY + 1];
} KgEdgePlace;

/*
 * Reads explicit edges of a relation: at most limit edges after *place, in the
 * order of the primary key. Also reads edges that were committed after the
 * transaction's snapshot.
 */
extern void kg_edges_read(const char *tenant, int32 relation_no,
						  KgEdgePlace *place, int limit, KgColumns *edges);

/*
 * Results of the comparison of an edge with the stored edges: not stored;
 * stored with other properties; stored with equal properties.
 */
#define KG_EDGE_NONE 0
#define KG_EDGE_OTHER 1
#define KG_EDGE_SAME 2

/*
 * Compares edges with the stored edges, as the current role. Sets found[i] to a
 * KG_EDGE_* value for each row.
 */
extern void kg_edges_compare(const char *tenant, const KgColumns *edges,
							 int *found);
/*
 * Compares edges as kg_edges_compare() does, and sets states to the state of
 * each stored edge. The state changes with each write of the edge. It consists
 * of the transaction and the position of the edge's row, because an edge has no
 * version.
 */
extern void kg_edges_compare_states(const char *tenant, const KgColumns *edges,
									int *found, int64 *states);
/*
 * Locks the stored edges that are to be updated (KG_EDGE_OTHER), in the order
 * of the primary key. Then sets found and states of these edges again, so that
 * they include changes that other sessions made since the comparison. Locks
 * nothing in a read-only transaction.
 */
extern void kg_edges_hold(const char *tenant, const KgColumns *edges,
						  int *found, int64 *states);
/*
 * Sets newer[i] for each edge whose stored row another session has written
 * since the snapshot "than".
 */
extern void kg_edges_find_newer(const char *tenant, const KgColumns *edges,
								Snapshot than, bool *newer);
/*
 * Returns the state of an edge from a row of SPI_tuptable. The given column
 * and the next column have xmin and ctid.
 */
extern int64 kg_edge_state(uint64 row, int column);
/*
 * Compares edges as kg_edges_compare() does, but with the newest snapshot, even
 * if the transaction has a fixed snapshot.
 */
extern void kg_edges_compare_latest(const char *tenant, const KgColumns *edges,
									int *found);
/*
 * Writes the edges that are not KG_EDGE_SAME, as the current role. The ends
 * are already swapped by kg_edges_turn(). If another session has since written
 * one of the symmetric edges, the call is begun again (kg_again()). found
 * becomes KG_EDGE_NONE for each created edge and KG_EDGE_OTHER for each
 * updated edge. Returns an array that marks the edges that triggers or
 * policies prevented from being written, or NULL if there are no such edges.
 */
extern const bool *kg_edges_write_turned(const KgCatalog *catalog,
										 const KgColumns *edges, int *found);
/*
 * Writes edges as kg_edges_write_turned() does, and returns the same marks. But
 * the caller does not swap ends: each edge is written in the direction in which
 * it is passed.
 */
extern const bool *kg_edges_write(const char *tenant, const KgColumns *edges,
								  int *found);

/*
 * Deletes explicit edges. SPI_tuptable gets the number of each deleted edge,
 * from 1, in column 1, and the state of the edge from column 2 on. If "whole"
 * is false, deletes only edges between entities that the current role sees.
 */
extern void kg_edges_delete(const char *tenant, const KgColumns *edges,
							bool whole);

/*
 * Returns the error KG_CONFLICT for an edge that was not stored when it was
 * looked up, but that another session has since written.
 */
extern KgError *kg_edge_lost_race(void);
/*
 * Begins the call again if that is possible. Otherwise raises the error of
 * kg_edge_lost_race().
 */
extern KG_NORETURN void kg_edge_throw_lost_race(void);

#endif /* KG_EDGES_H */
