/*
 * property_order.h
 *	  The order of a schema's properties. jsonb does not retain it, so it is
 *	  stored in the annotation "x-property-order".
 */
#ifndef KG_PROPERTY_ORDER_H
#define KG_PROPERTY_ORDER_H

#include "kgctl/json.h"

/*
 * Sets the annotation to the order of the schema's properties. Does nothing if
 * the schema has the annotation, or if jsonb stores the properties in this
 * order. Returns whether it has set the annotation.
 */
extern bool kg_property_order_keep(KgArena *arena, KgJson *schema);

/* Sorts the properties of a stored schema in the order of the annotation. */
extern void kg_property_order_restore(KgJson *schema);

#endif /* KG_PROPERTY_ORDER_H */
