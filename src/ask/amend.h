/*
 * amend.h
 *	  Converts errors that the server raises about a query to errors of a tool.
 */
#ifndef KG_ASK_AMEND_H
#define KG_ASK_AMEND_H

#include "ask/ask.h"

/*
 * Raises an error of the server again as an error of a tool, if the error is about
 * the query or its resources.  Otherwise returns.  arg is the KgAsk.
 */
extern void kg_ask_amend(ErrorData *edata, void *arg);

#endif /* KG_ASK_AMEND_H */
