/*
 * observe.h
 *	  What an answer to a message is counted as.
 */
#ifndef KG_OBSERVE_H
#define KG_OBSERVE_H

#include "kgctl/call.h"

/* us: microseconds from the message to its answer. */
extern void kg_observe(const KgMessage *msg, const KgAnswer *answer,
					   int64_t us);

#endif /* KG_OBSERVE_H */
