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
	OffsetNumber at; /* the next entry of the page */
	OffsetNumber last;
	uint16 posting;		 /* the next row of that entry */
	PGAlignedBlock page; /* a copy */
} KgLeaves;

/* A column of an index: its name in the table, and its type. */
typedef struct KgLeafColumn
{
	const char *name;
	Oid type;
} KgLeafColumn;

/*
 * Opens an index of a table of the extension.  Raises an error if the index is
 * not a valid b-tree of exactly these columns: entries would have another form.
 */
extern Relation kg_leaves_open(const char *name, Relation table,
							   const KgLeafColumn *columns, int n);

/*
 * Begins at a leaf page that is not behind the first entry with the keys of
 * index_rescan().  The page may have entries before that one.
 */
extern void kg_leaves_begin(KgLeaves *leaves, IndexScanDesc scan);
/*
 * Returns the next entry and sets its row, or returns NULL after the last entry
 * of the index.  The entry is valid until the next call.
 */
extern IndexTuple kg_leaves_next(KgLeaves *leaves, ItemPointer *row);
/* Returns the values of an entry that has no null value, and their end. */
extern const char *kg_leaves_values(IndexTuple entry);
extern const char *kg_leaves_end_of(IndexTuple entry);
extern void kg_leaves_end(KgLeaves *leaves);

#endif /* KG_LEAVES_H */
