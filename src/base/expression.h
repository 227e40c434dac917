/*
 * expression.h
 *	  Expressions of policies and queries, as the server has them.
 */
#ifndef KG_EXPRESSION_H
#define KG_EXPRESSION_H

#include "nodes/nodes.h"

/* The name of the extension's function that is called; NULL: it is no such call. */
extern const char *kg_own_call(const Node *expression);

/* What is below changes of type that change no value. */
extern Node *kg_without_relabels(Node *expression);

#endif /* KG_EXPRESSION_H */
