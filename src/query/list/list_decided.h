/*
 * list_decided.h
 *	  The total of a type with x-authorize, computed from the decisions
 *	  for its distinct keys.
 */
#ifndef KG_LIST_DECIDED_H
#define KG_LIST_DECIDED_H

#include "query/list/list.h"

/*
 * Returns whether a key identifies the resource about which the authorizer
 * decides, and nothing else hides entities. A key identifies only a string or a
 * value of an enum: numbers and instants with equal keys may differ.
 */
extern bool kg_list_counts_by_decision(const KgListQuery *query);

/*
 * Returns whether the source reads only keys that identify a resource about
 * which the authorizer decides.
 */
extern bool kg_list_is_of_decision(const KgListQuery *query,
								   const KgSource *source);

/*
 * Returns the number of the source's entities that the caller sees. Sets *all
 * to whether all entities could be decided.
 */
extern int64 kg_list_count_by_decision(const KgListQuery *query,
									   const KgSource *source, bool *all);

#endif /* KG_LIST_DECIDED_H */
