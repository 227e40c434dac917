/*
 * leaves.h
 *	  Reads the entries of a b-tree from its leaf pages.
 */
#ifndef KG_LEAVES_H
#define KG_LEAVES_H

#include "access/itup.h"
#include "access/relscan.h"
#include "storage/buf.h"

typedef struct KgLeaves
{
	IndexScanDesc scan;
	Buffer buffer; /* the pinned page, or InvalidBuffer */
	BlockNumber next;
	OffsetNumber at; /* offset of the next entry on the current page */
	OffsetNumber last;
	/* index of the next row in that entry's posting list */
	uint16 posting;
	PGAlignedBlock page; /* copy of the page */
} KgLeaves;

/* A column of an index: its name in the table, and its type. */
typedef struct KgLeafColumn
{
	const char *name;
	Oid type;
} KgLeafColumn;

/*
 * Opens and returns an index of a table of the extension. Raises an error if
 * the index is not a valid b-tree of exactly these columns: entries would have
 * another form.
 */
extern Relation kg_leaves_open(const char *name, Relation table,
							   const KgLeafColumn *columns, int n);

/*
 * Begins reading at a leaf page that is not behind the first entry that matches
 * the keys of index_rescan(). This page may have entries before the first
 * match.
 */
extern void kg_leaves_begin(KgLeaves *leaves, IndexScanDesc scan);
/*
 * Returns the next entry and sets its row, or returns NULL after the last entry
 * of the index.  The entry is valid until the next call.
 */
extern IndexTuple kg_leaves_next(KgLeaves *leaves, ItemPointer *row);
/*
 * Return the start and the end of the values of an entry that has no null
 * value.
 */
extern const char *kg_leaves_values(IndexTuple entry);
extern const char *kg_leaves_end_of(IndexTuple entry);
extern void kg_leaves_end(KgLeaves *leaves);

#endif /* KG_LEAVES_H */
