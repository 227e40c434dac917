/*
 * amend.h
 *	  Converts errors that the server raises about a query to errors of a tool.
 */
#ifndef KG_ASK_AMEND_H
#define KG_ASK_AMEND_H

#include "ask/ask.h"

/*
 * If an error of the server is about the query or its resources, raises it
 * again as an error of a tool. Otherwise returns. arg is the KgAsk *.
 */
extern void kg_ask_amend(ErrorData *edata, void *arg);

#endif /* KG_ASK_AMEND_H */
