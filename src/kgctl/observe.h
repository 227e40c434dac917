/*
 * observe.h
 *	  Counting an answered message in the metrics.
 */
#ifndef KG_OBSERVE_H
#define KG_OBSERVE_H

#include "kgctl/call.h"

/*
 * Counts a message. us is the time in microseconds from the message to its
 * answer.
 */
extern void kg_observe(const KgMessage *msg, const KgAnswer *answer,
					   int64_t us);

#endif /* KG_OBSERVE_H */
