/*
 * adjacency.c
 *	  The packed form of edges (kg_adjacency). Targets are stored as
 *	  differences of ascending node numbers. A difference takes two or three
 *	  bytes. An edge's row in kg_edge takes fifty bytes, and its index entries
 *	  another seventy. The packed edges of a node with 3,000 edges fit into
 *	  one heap tuple. Nodes that were created together, such as the neighbors
 *	  of a hub, have close numbers, so one block often has the edges of
 *	  several nodes that a search needs. An index on blocks is a fraction of
 *	  the size of an index on nodes.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "base/error.h"
#include "model/adjacency.h"

#define KG_BATCH 256

static void
append_number(StringInfo buf, uint64 number)
{
	while (number >= 0x80)
	{
		appendStringInfoCharMacro(buf, (char) (number | 0x80));
		number >>= 7;
	}
	appendStringInfoCharMacro(buf, (char) number);
}

static KG_NORETURN void
throw_malformed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("packed edges in kg_adjacency are malformed"),
			 errhint("SELECT kg_pack() packs the edges of the tenant again.")));
}

const uint8 *
kg_packed_number(const uint8 *p, const uint8 *end, uint64 *number)
{
	uint64 result = 0;
	int shift = 0;

	for (;;)
	{
		uint8 byte;

		if (unlikely(p >= end || shift > 63))
			throw_malformed();
		byte = *p++;
		result |= (uint64) (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			break;
		shift += 7;
	}
	*number = result;
	return p;
}

static int
number_size(uint64 number)
{
	return pg_leftmost_one_pos64(number | 1) / 7 + 1;
}

void
kg_adjacency_append(StringInfo packed, int32 relation_no, const int64 *targets,
					int n)
{
	uint64 size = 0;
	int64 last = 0;

	for (int i = 0; i < n; i++)
	{
		size += number_size((uint64) targets[i] - (uint64) last);
		last = targets[i];
	}
	append_number(packed, (uint32) relation_no);
	append_number(packed, size);
	last = 0;
	for (int i = 0; i < n; i++)
	{
		append_number(packed, (uint64) targets[i] - (uint64) last);
		last = targets[i];
	}
}

bool
kg_relation_set_has(const KgRelationSet *set, int32 relation_no)
{
	int low = 0;
	int high = set->n - 1;

	if (set->all)
		return true;
	while (low <= high)
	{
		int middle = (low + high) / 2;

		if (set->numbers[middle] == relation_no)
			return true;
		if (set->numbers[middle] < relation_no)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return false;
}

bool
kg_packed_group(const KgPacked *packed, const uint8 **at,
				const KgRelationSet *relations, KgPackedGroup *group)
{
	const uint8 *p = *at;
	const uint8 *end = packed->edges + packed->len;
	uint64 number;
	uint64 length;

	while (p < end)
	{
		p = kg_packed_number(p, end, &number);
		p = kg_packed_number(p, end, &length);
		if (length > (uint64) (end - p))
			throw_malformed();
		group->relation_no = (int32) number;
		group->at = p;
		group->end = p += length;
		if (kg_relation_set_has(relations, group->relation_no))
		{
			*at = p;
			return true;
		}
	}
	return false;
}

int64
kg_adjacency_visit(const KgPacked *packed, const KgRelationSet *relations,
				   KgNeighborFunction found, void *arg)
{
	const uint8 *at = packed->edges;
	int64 batch[KG_BATCH];
	KgNeighbors neighbors;
	KgPackedGroup group;
	int64 total = 0;

	memset(&neighbors, 0, sizeof(neighbors));
	neighbors.node = packed->node;
	neighbors.backward = packed->backward;
	neighbors.neighbors = batch;
	while (kg_packed_group(packed, &at, relations, &group))
	{
		int64 target = 0;
		int n = 0;

		neighbors.relation_no = group.relation_no;
		while (group.at < group.end)
		{
			target = kg_group_next(&group, target);
			batch[n++] = target;
			if (n == KG_BATCH || group.at == group.end)
			{
				neighbors.n = n;
				found(&neighbors, arg);
				total += n;
				n = 0;
			}
		}
	}
	return total;
}

void
kg_block_begin(KgBlockBuilder *builder)
{
	builder->nodes = 0;
	builder->n = 0;
	initStringInfo(&builder->edges);
}

void
kg_block_add(KgBlockBuilder *builder, int64 node, const char *edges, int len)
{
	uint32 bit = kg_block_bit(node);

	Assert(len > 0 && len <= KG_BLOCK_SHARE && builder->nodes < bit);
	builder->nodes |= bit;
	builder->lengths[builder->n++] = (uint8) len;
	appendBinaryStringInfo(&builder->edges, edges, len);
}

bytea *
kg_block_end(KgBlockBuilder *builder)
{
	Size size = VARHDRSZ + sizeof(uint32) + builder->n + builder->edges.len;
	bytea *block;
	uint8 *p;

	if (builder->n == 0)
		return NULL;
	block = palloc(size);
	SET_VARSIZE(block, size);
	p = (uint8 *) VARDATA(block);
	for (int i = 0; i < 4; i++)
		*p++ = (uint8) (builder->nodes >> (8 * i));
	memcpy(p, builder->lengths, builder->n);
	memcpy(p + builder->n, builder->edges.data, builder->edges.len);
	return block;
}

void
kg_block_open(KgBlockReader *reader, const bytea *block)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(block);

	reader->end = p + VARSIZE_ANY_EXHDR(block);
	if (VARSIZE_ANY_EXHDR(block) < sizeof(uint32))
		throw_malformed();
	reader->rest = (uint32) p[0] | (uint32) p[1] << 8 | (uint32) p[2] << 16 |
				   (uint32) p[3] << 24;
	reader->length = p + sizeof(uint32);
	reader->edges = reader->length + pg_popcount32(reader->rest);
	if (reader->edges > reader->end)
		throw_malformed();
}

const uint8 *
kg_block_edges(KgBlockReader *reader, int64 node, Size *len)
{
	uint32 bit = kg_block_bit(node);
	const uint8 *edges;

	while ((reader->rest & (bit - 1)) != 0)
	{
		reader->edges += *reader->length++;
		reader->rest &= reader->rest - 1;
	}
	if ((reader->rest & bit) == 0)
		return NULL;
	edges = reader->edges;
	*len = *reader->length;
	if (edges + *len > reader->end)
		throw_malformed();
	return edges;
}

int
kg_compare_nodes(const void *a, const void *b, void *arg)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}
