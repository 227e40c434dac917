/*
 * payload_ids.h
 *	  Tables that find the items of a payload by their ids. There is one table
 *	  per type. The tables live as long as the payload is applied.
 */
#ifndef KG_PAYLOAD_IDS_H
#define KG_PAYLOAD_IDS_H

#include "store/edge/given_edges.h"
#include "store/bundle/payload.h"

/* Creates the tables, without ids. Add each id when it is known. */
extern void kg_payload_ids_make(KgPayload *payload);

/*
 * Returns the table of a type, or NULL if the payload has no items of the
 * type.
 */
extern KgItemTable *kg_payload_ids(const KgPayload *payload, const char *type);

/*
 * Adds an item by its id, and returns the item. If another item of the payload
 * already has the id, returns that other item.
 */
extern KgPayloadItem *kg_item_enter(KgItemTable *table, KgPayloadItem *item);

/* Returns the item with this id, or NULL. */
extern KgPayloadItem *kg_item_find(const KgItemTable *table, const char *id);

/*
 * Sets the nodes of those ends of edges that are items of the payload and are
 * stored.
 */
extern void kg_payload_nodes(const KgPayload *payload, KgEdgeEnd *ends, int n);

#endif /* KG_PAYLOAD_IDS_H */
