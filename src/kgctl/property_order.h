/*
 * property_order.h
 *	  The order of a schema's properties, which jsonb forgets.
 *
 *	  The annotation "x-property-order" has it.
 */
#ifndef KG_PROPERTY_ORDER_H
#define KG_PROPERTY_ORDER_H

#include "kgctl/json.h"

/*
 * Sets the annotation to the order of the schema's properties. Does nothing if
 * the schema has the annotation, or if jsonb has the same order. Returns
 * whether it set the annotation.
 */
extern bool kg_property_order_keep(KgArena *arena, KgJson *schema);

/* Sorts the properties of a stored schema by the annotation. */
extern void kg_property_order_restore(KgJson *schema);

#endif /* KG_PROPERTY_ORDER_H */
