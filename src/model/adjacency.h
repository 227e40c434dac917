/*
 * adjacency.h
 *	  The packed form of edges (kg_adjacency).
 *
 * A node's edges in one direction: for each relation, ascending, its number,
 * the bytes of its targets, and the targets ascending, the first as it is and
 * the others as differences (0 for a parallel edge); all numbers in base 128, least significant group
 * first.
 *
 * The edges of a block, which is KG_BLOCK nodes of successive numbers, in one
 * direction: four bytes of which nodes have any, a bit each, the least
 * significant byte first; a byte for each of these of how many bytes its
 * edges take; the edges.  A node of so many that a byte cannot say it has a
 * row of its own.
 *
 * The key of a row: n > 0 is the n-th block, which begins at KG_BLOCK *
 * (n - 1) + 1, and n < 0 the node -n by itself.
 */
#ifndef KG_ADJACENCY_H
#define KG_ADJACENCY_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/* Two integers hold a bit for each; sql/30_tables.sql says the number. */
#define KG_BLOCK 32
#define KG_BLOCK_TEXT CppAsString2(KG_BLOCK) /* in statements */
/*
 * A node whose edges take more bytes, both directions together, has a row of
 * its own: so a block fits into a page.
 */
#define KG_BLOCK_SHARE 240

static inline int64
kg_block_of(int64 node)
{
	return (node - 1) / KG_BLOCK + 1;
}

static inline int64
kg_block_first(int64 block)
{
	return (block - 1) * KG_BLOCK + 1;
}

static inline uint32
kg_block_bit(int64 node)
{
	return (uint32) 1 << ((node - 1) % KG_BLOCK);
}

/* Which relations are followed in one direction. */
typedef struct KgRelationSet
{
	bool all;
	int n;
	int32 *numbers; /* ascending */
} KgRelationSet;

extern bool kg_relation_set_has(const KgRelationSet *set, int32 relation_no);

/* Neighbours of one node over one relation in one direction. */
typedef struct KgNeighbors
{
	int64 node;
	int32 relation_no;
	bool backward; /* the stored edges run from the neighbours to the node */
	const int64 *neighbors;
	int n;
	const Jsonb *properties; /* n is 1 where properties were asked for */
} KgNeighbors;

typedef void (*KgNeighborFunction)(const KgNeighbors *found, void *arg);

/* The packed edges of one node in one direction. */
typedef struct KgPacked
{
	int64 node;
	bool backward;
	const uint8 *edges;
	Size len;
} KgPacked;

/* They are read group by group, of each group target by target. */
typedef struct KgPackedGroup
{
	int32 relation_no;
	const uint8 *at; /* the next target, which is the last plus a difference */
	const uint8 *end;
} KgPackedGroup;

/*
 * Append one relation's group; targets ascending, one as often as there are
 * parallel edges to it.
 */
extern void kg_adjacency_append(StringInfo packed, int32 relation_no,
								const int64 *targets, int n);

/*
 * The next group of those over relations of the set, *at being where it begins;
 * false where there is none.  Raises XX001 where the bytes are not of this form.
 */
extern bool kg_packed_group(const KgPacked *packed, const uint8 **at,
							const KgRelationSet *relations,
							KgPackedGroup *group);

extern const uint8 *kg_packed_number(const uint8 *p, const uint8 *end,
									 uint64 *number);

/* The next target; most differences take two bytes. */
static inline int64
kg_group_next(KgPackedGroup *group, int64 last)
{
	const uint8 *p = group->at;
	uint64 difference;

	if (likely(group->end - p >= 3) && (p[0] & p[1] & p[2] & 0x80) == 0)
	{
		if (p[0] < 0x80)
		{
			difference = p[0];
			group->at = p + 1;
		}
		else if (p[1] < 0x80)
		{
			difference = (uint64) p[1] << 7 | (p[0] & 0x7f);
			group->at = p + 2;
		}
		else
		{
			difference = (uint64) p[2] << 14 | (uint64) (p[1] & 0x7f) << 7 |
						 (p[0] & 0x7f);
			group->at = p + 3;
		}
	}
	else
		group->at = kg_packed_number(p, group->end, &difference);
	return (int64) ((uint64) last + difference);
}

/*
 * Deliver the neighbours over the relations of the set; returns how many.
 */
extern int64 kg_adjacency_visit(const KgPacked *packed,
								const KgRelationSet *relations,
								KgNeighborFunction found, void *arg);

/* A block in one direction, in the making. */
typedef struct KgBlockBuilder
{
	uint32 nodes;
	int n;
	uint8 lengths[KG_BLOCK];
	StringInfoData edges;
} KgBlockBuilder;

extern void kg_block_begin(KgBlockBuilder *builder);
/* Nodes ascending; len is 1 to KG_BLOCK_SHARE. */
extern void kg_block_add(KgBlockBuilder *builder, int64 node, const char *edges,
						 int len);
/* NULL where nothing was added. */
extern bytea *kg_block_end(KgBlockBuilder *builder);

/* A block in one direction, being read node by node, ascending. */
typedef struct KgBlockReader
{
	uint32 rest; /* the nodes not yet passed */
	const uint8 *length;
	const uint8 *edges;
	const uint8 *end;
} KgBlockReader;

extern void kg_block_open(KgBlockReader *reader, const bytea *block);
/* The node's edges; NULL where it has none. */
extern const uint8 *kg_block_edges(KgBlockReader *reader, int64 node,
								   Size *len);

/* Node numbers (int64), ascending. */
extern int kg_compare_nodes(const void *a, const void *b, void *arg);

#endif /* KG_ADJACENCY_H */
