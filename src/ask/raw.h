/*
 * raw.h
 *	  The check before anything is looked up.
 */
#ifndef KG_ASK_RAW_H
#define KG_ASK_RAW_H

#include "ask/ask.h"

/*
 * Parses the text, checks the tree by nodes and names, and notes each table that
 * it names (ask/tables.h).  Analysis of a name reads the catalogs, runs input
 * functions and says which names exist, so names are checked here.
 */
extern RawStmt *kg_ask_parse(KgAsk *ask);

#endif /* KG_ASK_RAW_H */
