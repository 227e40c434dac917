/*
 * amend.h
 *	  Errors of the server about a query, in the words of a tool.
 */
#ifndef KG_ASK_AMEND_H
#define KG_ASK_AMEND_H

#include "ask/ask.h"

/*
 * Raises an error of the server again as an error of a tool, if it is about the
 * query or its resources; else returns.  The argument is the KgAsk.
 */
extern void kg_ask_amend(ErrorData *edata, void *arg);

#endif /* KG_ASK_AMEND_H */
