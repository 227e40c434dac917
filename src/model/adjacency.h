/*
 * adjacency.h
 *	  The packed form of edges (kg_adjacency).
 *
 * The edges of a node in one direction are groups, one for each relation, in
 * ascending order: the relation's number, the bytes of its targets, and the
 * targets in ascending order.  The first target is stored as it is and each
 * other one as the difference to its predecessor, 0 for a parallel edge.  All
 * numbers are in base 128, least significant group first.
 *
 * A block is KG_BLOCK nodes of successive numbers.  Its edges in one direction
 * are: four bytes with a bit for each node that has edges, least significant
 * byte first; for each such node a byte with the length of its edges; the
 * edges.  A node whose edges are too long for that byte has a row of its own.
 *
 * The key of a row is n > 0 for the n-th block, which begins at node KG_BLOCK
 * * (n - 1) + 1, or n < 0 for the node -n alone.
 */
#ifndef KG_ADJACENCY_H
#define KG_ADJACENCY_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/*
 * Nodes of a block.  Two integers have a bit for each node; sql/30_tables.sql
 * contains the number, too.
 */
#define KG_BLOCK 32
#define KG_BLOCK_TEXT CppAsString2(KG_BLOCK) /* for SQL texts */
/*
 * Maximum bytes of a node's edges in a block, both directions together.  A
 * node with more has a row of its own, so that a block fits into a page.
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

/* The relations that a search follows in one direction. */
typedef struct KgRelationSet
{
	bool all;
	int n;
	int32 *numbers; /* ascending */
} KgRelationSet;

extern bool kg_relation_set_has(const KgRelationSet *set, int32 relation_no);

/* The neighbors of a node over one relation in one direction. */
typedef struct KgNeighbors
{
	int64 node;
	int32 relation_no;
	bool backward; /* edges are stored from neighbor to node */
	const int64 *neighbors;
	int n;
	const Jsonb *properties; /* edge properties; if requested, n is 1 */
} KgNeighbors;

typedef void (*KgNeighborFunction)(const KgNeighbors *found, void *arg);

/* The packed edges of a node in one direction. */
typedef struct KgPacked
{
	int64 node;
	bool backward;
	const uint8 *edges;
	Size len;
} KgPacked;

/* A group of packed edges, read target by target. */
typedef struct KgPackedGroup
{
	int32 relation_no;
	const uint8 *at; /* next difference to read */
	const uint8 *end;
} KgPackedGroup;

/*
 * Appends the group of a relation.  Targets are ascending, repeated for
 * parallel edges.
 */
extern void kg_adjacency_append(StringInfo packed, int32 relation_no,
								const int64 *targets, int n);

/*
 * Reads the next group of a relation in the set, and advances *at. Returns
 * false if there is no more group. Raises an error with SQLSTATE XX001 if the
 * bytes are malformed.
 */
extern bool kg_packed_group(const KgPacked *packed, const uint8 **at,
							const KgRelationSet *relations,
							KgPackedGroup *group);

extern const uint8 *kg_packed_number(const uint8 *p, const uint8 *end,
									 uint64 *number);

/* Reads the next target.  Most differences take two bytes. */
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
 * Calls found() for the neighbors over the relations of the set. Returns their
 * number.
 */
extern int64 kg_adjacency_visit(const KgPacked *packed,
								const KgRelationSet *relations,
								KgNeighborFunction found, void *arg);

/* A block in one direction under construction. */
typedef struct KgBlockBuilder
{
	uint32 nodes;
	int n;
	uint8 lengths[KG_BLOCK];
	StringInfoData edges;
} KgBlockBuilder;

extern void kg_block_begin(KgBlockBuilder *builder);
/* Adds a node's edges.  Nodes are ascending; len is 1 to KG_BLOCK_SHARE. */
extern void kg_block_add(KgBlockBuilder *builder, int64 node, const char *edges,
						 int len);
/* Returns the block, or NULL if no node was added. */
extern bytea *kg_block_end(KgBlockBuilder *builder);

/* Reader of a block in one direction, node by node in ascending order. */
typedef struct KgBlockReader
{
	uint32 rest; /* bits of the nodes that follow */
	const uint8 *length;
	const uint8 *edges;
	const uint8 *end;
} KgBlockReader;

extern void kg_block_open(KgBlockReader *reader, const bytea *block);
/* Returns the node's edges, or NULL if it has no edges. */
extern const uint8 *kg_block_edges(KgBlockReader *reader, int64 node,
								   Size *len);

/* qsort_arg() comparison of int64, such as node numbers. */
extern int kg_compare_nodes(const void *a, const void *b, void *arg);

#endif /* KG_ADJACENCY_H */
