/*
 * operators.h
 *	  Comparison operators of the types of columns.
 */
#ifndef KG_VIRTUAL_OPERATORS_H
#define KG_VIRTUAL_OPERATORS_H

/*
 * Returns the qualified operator of a B-tree strategy in the type's default
 * order, or NULL.
 */
extern const char *kg_voperator(Oid type, int strategy);

/* Returns whether the operator that kg_voperator() returns is leakproof. */
extern bool kg_voperator_is_leakproof(Oid type, int strategy);

/* Returns whether equal values of the type have the same text. */
extern bool kg_vequals_as_text(Oid type);

extern bool kg_vis_integer(Oid type);

#endif /* KG_VIRTUAL_OPERATORS_H */
