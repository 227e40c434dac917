/*
 * adjacency.c
 *	  The packed form of a node's edges in one direction.
 *
 * Differences of ascending node numbers take two or three bytes where a row of
 * kg_edge takes fifty and its index entries another seventy; a node of 3,000
 * edges stays in one heap tuple.
 */
#include "postgres.h"

#include "query/adjacency.h"

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

static inline const uint8 *
read_number(const uint8 *p, const uint8 *end, uint64 *number)
{
	uint64 result = 0;
	int shift = 0;

	for (;;)
	{
		uint8 byte;

		if (unlikely(p >= end || shift > 63))
			elog(ERROR, "malformed row of kg_adjacency");
		byte = *p++;
		result |= (uint64) (byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			break;
		shift += 7;
	}
	*number = result;
	return p;
}

void
kg_adjacency_append(StringInfo packed, int32 relation_no, const int64 *targets,
					int n)
{
	StringInfoData group;
	int64 last = 0;

	initStringInfo(&group);
	for (int i = 0; i < n; i++)
	{
		append_number(&group, (uint64) targets[i] - (uint64) last);
		last = targets[i];
	}
	append_number(packed, (uint32) relation_no);
	append_number(packed, group.len);
	appendBinaryStringInfo(packed, group.data, group.len);
	pfree(group.data);
}

int64
kg_adjacency_visit(int64 node, const bytea *packed, bool backward,
				   const KgRelationSet *relations, KgNeighborFunction found,
				   void *arg)
{
	const uint8 *p = (const uint8 *) VARDATA_ANY(packed);
	const uint8 *end = p + VARSIZE_ANY_EXHDR(packed);
	int64 batch[KG_BATCH];
	KgNeighbors neighbors;
	int64 total = 0;

	memset(&neighbors, 0, sizeof(neighbors));
	neighbors.node = node;
	neighbors.backward = backward;
	neighbors.neighbors = batch;
	while (p < end)
	{
		const uint8 *group_end;
		uint64 number;
		uint64 length;
		uint64 target = 0;
		int n = 0;

		p = read_number(p, end, &number);
		p = read_number(p, end, &length);
		if (length > (uint64) (end - p))
			elog(ERROR, "malformed row of kg_adjacency");
		group_end = p + length;
		neighbors.relation_no = (int32) number;
		if (!kg_relation_set_has(relations, neighbors.relation_no))
		{
			p = group_end;
			continue;
		}
		while (p < group_end)
		{
			uint64 delta;

			p = read_number(p, group_end, &delta);
			target += delta;
			batch[n++] = (int64) target;
			if (n == KG_BATCH || p == group_end)
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
