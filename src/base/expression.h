/*
 * expression.h
 *	  Expression trees of policies and queries.
 */
#ifndef KG_EXPRESSION_H
#define KG_EXPRESSION_H

#include "nodes/nodes.h"

/*
 * Returns the name of the extension's function that the expression calls, or
 * NULL if it calls no function of the extension.
 */
extern const char *kg_own_call(const Node *expression);

/* Returns the expression below all RelabelType nodes. */
extern Node *kg_without_relabels(Node *expression);

#endif /* KG_EXPRESSION_H */
