/*
 * payload_ids.h
 *	  The items of a payload by their ids: one table per type, as long as
 *	  the payload is applied.
 */
#ifndef KG_PAYLOAD_IDS_H
#define KG_PAYLOAD_IDS_H

#include "store/edge/given_edges.h"
#include "store/bundle/payload.h"

/* Makes the tables, without ids. Each id is added when it is known. */
extern void kg_payload_ids_make(KgPayload *payload);

/* Returns the table of a type, or NULL if the payload has no items of it. */
extern KgItemTable *kg_payload_ids(const KgPayload *payload, const char *type);

/*
 * Adds an item by its id. Returns the item that has this id. If another item
 * of the payload already has the id, returns that item.
 */
extern KgPayloadItem *kg_item_enter(KgItemTable *table, KgPayloadItem *item);

/* Returns the item with this id, or NULL. */
extern KgPayloadItem *kg_item_find(const KgItemTable *table, const char *id);

/* Fills in the nodes of ends that are stored items of the payload. */
extern void kg_payload_nodes(const KgPayload *payload, KgEdgeEnd *ends, int n);

#endif /* KG_PAYLOAD_IDS_H */
