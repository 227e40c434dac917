/*
 * edges.h
 *	  Explicit edges: what may be stored, and the statements of everybody who
 *	  writes them in a caller's name.
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
#define KG_EDGE_KEY 3		 /* text, of store/edge/edge_key.h */
#define KG_EDGE_PROPERTIES 4 /* jsonb */
#define KG_EDGE_COLUMNS 5

extern void kg_edges_init(KgColumns *edges, MemoryContext context);
/* A new row; the properties, which may be NULL, live as long as the rows. */
extern void kg_edges_add(KgColumns *edges, int64 source, int32 relation_no,
						 int64 target, const char *key,
						 const Jsonb *properties);

/* A row of others. */
extern void kg_edges_copy(KgColumns *edges, const KgColumns *from, int row);

/*
 * Lock the ends of explicit edges and check relation, variant and properties.
 * Faults are reported with the path "<path>/<number>", where numbers gives each
 * row's (NULL: its own), and added to errors or, where by_row is set, to the
 * list errors[number].  As the owner, inside SPI_connect().
 */
typedef struct KgEdgeReport
{
	const char *path;
	const int *numbers;
	bool by_row;
	KgErrorList *errors;
	bool turned; /* as kg_edges_write_turned() has them, raises as it does */
} KgEdgeReport;

/*
 * Lock the relations of edges against changes until the transaction ends, and
 * answer the catalog as it is then.
 */
extern const KgCatalog *kg_edges_lock(const char *tenant,
									  const KgColumns *edges);
extern void kg_edges_check(const KgCatalog *catalog,
						   const KgUserContext *caller, const KgColumns *edges,
						   const KgEdgeReport *report);

/* How many rows of a number there are. */
typedef struct KgRowCount
{
	int32 number;
	int64 n;
} KgRowCount;

/* The rows (number, count) of the statement that was run. */
extern List *kg_row_counts(void);

/*
 * The explicit edges of each relation of the tenant, as KgRowCount; one without
 * any is not among them.  By the active snapshot if read_only.
 */
extern List *kg_edges_count(const char *tenant, bool read_only);

/* The edge that was read last; zeroes before the first. */
typedef struct KgEdgePlace
{
	int64 source;
	int64 target;
	char key[KG_MAX_EDGE_KEY + 1];
} KgEdgePlace;

/*
 * The next explicit edges of a relation, in the order of the primary key;
 * committed since the transaction's snapshot too.
 */
extern void kg_edges_read(const char *tenant, int32 relation_no,
						  KgEdgePlace *place, int limit, KgColumns *edges);

/* Is an edge stored, and with the same properties? */
#define KG_EDGE_NONE 0
#define KG_EDGE_OTHER 1
#define KG_EDGE_SAME 2

/*
 * Compare edges with what is stored; then write those that are not the same.
 * As the current role.
 */
extern void kg_edges_compare(const char *tenant, const KgColumns *edges,
							 int *found);
/*
 * And the state of each that is stored, which is another one after any change:
 * an edge has no version, its row has a transaction and a place.
 */
extern void kg_edges_compare_states(const char *tenant, const KgColumns *edges,
									int *found, int64 *states);
/*
 * Lock those that are to be updated (KG_EDGE_OTHER), in the order of the key:
 * found and states are then of what is overwritten, whatever other sessions have
 * made of them since they were compared.  In a read-only transaction nothing is
 * locked.
 */
extern void kg_edges_hold(const char *tenant, const KgColumns *edges,
						  int *found, int64 *states);
/* Which of them are stored, as others have made them since the snapshot? */
extern void kg_edges_find_newer(const char *tenant, const KgColumns *edges,
								Snapshot than, bool *newer);
/* Of a row of SPI_tuptable that has them in two columns, xmin and ctid. */
extern int64 kg_edge_state(uint64 row, int column);
/* With what is committed by now, also where the transaction keeps a snapshot. */
extern void kg_edges_compare_latest(const char *tenant, const KgColumns *edges,
									int *found);
/*
 * Their ends are turned (kg_edges_turn()).  Where another session has made a
 * symmetric one of them by now, the call is to be done again (kg_again()).  Then found is what became of them: KG_EDGE_NONE where it was created,
 * KG_EDGE_OTHER where it was updated; the result is NULL or which of them triggers or policies kept from
 * being written.
 */
extern const bool *kg_edges_write_turned(const KgCatalog *catalog,
										 const KgColumns *edges, int *found);
/* The same as they are. */
extern const bool *kg_edges_write(const char *tenant, const KgColumns *edges,
								  int *found);

/*
 * Delete explicit edges; SPI_tuptable has the number, from 1, of each that was
 * there, and from column 2 what its state is of.  Not whole: of those between entities that the current role sees.
 */
extern void kg_edges_delete(const char *tenant, const KgColumns *edges,
							bool whole);

/* Raise KG_CONFLICT: another session wrote an edge that was not there before. */
extern KG_NORETURN void kg_edge_throw_lost_race(void) KG_NORETURN_TAIL;

#endif /* KG_EDGES_H */
