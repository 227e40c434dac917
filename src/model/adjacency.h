/*
 * adjacency.h
 *	  The packed form of edges (kg_adjacency).
 *
 * The edges of a node in one direction are stored as groups, one for each
 * relation, ordered by the relation's number. A group has the relation's
 * number, the length of its targets in bytes, and the targets in ascending
 * order. The first target is stored as a number, and each further target as the
 * difference to its predecessor. The difference is 0 for a parallel edge. All
 * numbers are variable-length (7 bits a byte, least significant first).
 *
 * A block has KG_BLOCK nodes with successive numbers. In each direction it
 * consists of: four bytes with a bit for each node that has edges, least
 * significant byte first; for each such node a byte with the length of its
 * edges; the edges. A node whose edges are longer than a block permits has a
 * row of its own.
 *
 * The key of a row is n > 0 for the n-th block, which begins at node KG_BLOCK *
 * (n - 1) + 1, or n < 0 for the node -n alone.
 */
#ifndef KG_ADJACENCY_H
#define KG_ADJACENCY_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/*
 * Number of nodes of a block. The masks in KgBlockBuilder and KgBlockReader
 * have a bit for each node. The number is also written in sql/30_tables.sql.
 */
#define KG_BLOCK 32
#define KG_BLOCK_TEXT CppAsString2(KG_BLOCK) /* for use in SQL texts */
/*
 * Maximal size in bytes of one node's edges in a block, for both directions
 * together. A node with more edges has a row of its own. So a block fits into a
 * page.
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

/* The neighbors of a node along the edges of one relation in one direction. */
typedef struct KgNeighbors
{
	int64 node;
	int32 relation_no;
	/* edges are stored with the neighbor as source and node as target */
	bool backward;
	const int64 *neighbors;
	int n;
	/* properties of the edge, if they were requested; then n is 1 */
	const Jsonb *properties;
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

/*
 * A group (one relation) of packed edges, whose targets are read one after the
 * other.
 */
typedef struct KgPackedGroup
{
	int32 relation_no;
	const uint8 *at; /* pointer to the next difference to read */
	const uint8 *end;
} KgPackedGroup;

/*
 * Appends the group of a relation. targets must be ascending; a target is
 * repeated for parallel edges.
 */
extern void kg_adjacency_append(StringInfo packed, int32 relation_no,
								const int64 *targets, int n);

/*
 * Reads the next group whose relation is in the set, and advances *at. Returns
 * false if no such group is left. Raises an error with SQLSTATE XX001 if the
 * bytes are malformed.
 */
extern bool kg_packed_group(const KgPacked *packed, const uint8 **at,
							const KgRelationSet *relations,
							KgPackedGroup *group);

extern const uint8 *kg_packed_number(const uint8 *p, const uint8 *end,
									 uint64 *number);

/*
 * Returns the next target of a group. last is the previous target. Has a fast
 * path for differences of two bytes, which are the most frequent.
 */
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
 * Calls found() for the neighbors along the relations of the set. Returns the
 * number of neighbors.
 */
extern int64 kg_adjacency_visit(const KgPacked *packed,
								const KgRelationSet *relations,
								KgNeighborFunction found, void *arg);

/* A block under construction, in one direction. */
typedef struct KgBlockBuilder
{
	uint32 nodes;
	int n;
	uint8 lengths[KG_BLOCK];
	StringInfoData edges;
} KgBlockBuilder;

extern void kg_block_begin(KgBlockBuilder *builder);
/*
 * Adds the packed edges of a node to the block. Nodes must be added in
 * ascending order. len is from 1 to KG_BLOCK_SHARE.
 */
extern void kg_block_add(KgBlockBuilder *builder, int64 node, const char *edges,
						 int len);
/* Returns the finished block, or NULL if no node was added. */
extern bytea *kg_block_end(KgBlockBuilder *builder);

/*
 * A reader of a block in one direction. Nodes must be requested in ascending
 * order.
 */
typedef struct KgBlockReader
{
	uint32 rest; /* a bit for each node that is not read yet */
	const uint8 *length;
	const uint8 *edges;
	const uint8 *end;
} KgBlockReader;

extern void kg_block_open(KgBlockReader *reader, const bytea *block);
/*
 * Returns the packed edges of a node and sets *len, or returns NULL if the node
 * has no edges.
 */
extern const uint8 *kg_block_edges(KgBlockReader *reader, int64 node,
								   Size *len);

/* Compares int64 values, such as node numbers, for qsort_arg(). */
extern int kg_compare_nodes(const void *a, const void *b, void *arg);

#endif /* KG_ADJACENCY_H */
