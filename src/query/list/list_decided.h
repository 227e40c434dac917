/*
 * list_decided.h
 *	  The total of a type that somebody else decides about.
 */
#ifndef KG_LIST_DECIDED_H
#define KG_LIST_DECIDED_H

#include "query/list/list.h"

/*
 * Does a key tell what is asked about an entity, and does nothing else hide any?
 * Texts are the same where their keys are; numbers and instants need not be.
 */
extern bool kg_list_counts_by_decision(const KgListQuery *query);

/* Is this source made of such keys, and of nothing else? */
extern bool kg_list_is_of_decision(const KgListQuery *query,
								   const KgSource *source);

/* Entities of it that are seen; *all: each could be decided. */
extern int64 kg_list_count_by_decision(const KgListQuery *query,
									   const KgSource *source, bool *all);

#endif /* KG_LIST_DECIDED_H */
