/*
 * payload_ids.h
 *	  The items of a payload by their ids, a table a type, for as long as it is
 *	  applied.
 */
#ifndef KG_PAYLOAD_IDS_H
#define KG_PAYLOAD_IDS_H

#include "store/edge/given_edges.h"
#include "store/bundle/payload.h"

/* Tables without ids, which are entered when they are known. */
extern void kg_payload_ids_make(KgPayload *payload);

/* The table of a type; NULL where the payload has no items of it. */
extern KgItemTable *kg_payload_ids(const KgPayload *payload, const char *type);

/* Enter an item by its id; the one that has it, which may be another. */
extern KgPayloadItem *kg_item_enter(KgItemTable *table, KgPayloadItem *item);

/* The item of an id, or NULL. */
extern KgPayloadItem *kg_item_find(const KgItemTable *table, const char *id);

/* Fill in the nodes of ends that are stored items of the payload. */
extern void kg_payload_nodes(const KgPayload *payload, KgEdgeEnd *ends, int n);

#endif /* KG_PAYLOAD_IDS_H */
