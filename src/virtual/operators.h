/*
 * operators.h
 *	  The operators of the types of columns.
 */
#ifndef KG_VIRTUAL_OPERATORS_H
#define KG_VIRTUAL_OPERATORS_H

/* Returns an operator of the type's order, qualified, or NULL. */
extern const char *kg_voperator(Oid type, int strategy);

/* Returns whether that operator is leakproof. */
extern bool kg_voperator_is_leakproof(Oid type, int strategy);

/* Returns whether equal values of the type have the same text. */
extern bool kg_vequals_as_text(Oid type);

extern bool kg_vis_integer(Oid type);

#endif /* KG_VIRTUAL_OPERATORS_H */
