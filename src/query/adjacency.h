/*
 * adjacency.h
 *	  The packed form of a node's edges in one direction (kg_adjacency).
 *
 * For each relation, ascending: its number, the bytes of its targets, and the
 * targets ascending, the first as it is and the others as differences; all
 * numbers in base 128, least significant group first.
 */
#ifndef KG_ADJACENCY_H
#define KG_ADJACENCY_H

#include "lib/stringinfo.h"
#include "query/frontier.h"

/* Append one relation's group; targets ascending and distinct. */
extern void kg_adjacency_append(StringInfo packed, int32 relation_no,
								const int64 *targets, int n);

/*
 * Deliver the neighbours over the relations of the set; returns how many.
 * Raises an internal error where the bytes are not of this form.
 */
extern int64 kg_adjacency_visit(int64 node, const bytea *packed, bool backward,
								const KgRelationSet *relations,
								KgNeighborFunction found, void *arg);

#endif /* KG_ADJACENCY_H */
