/*
 * raw.h
 *	  Parses a query, and checks the raw tree before any name is looked up.
 */
#ifndef KG_ASK_RAW_H
#define KG_ASK_RAW_H

#include "ask/ask.h"

/*
 * Parses the text, checks nodes and names of the raw tree, and records each
 * table that the tree names (ask/tables.h). Returns the tree. Names are
 * checked here, because the analysis of a name would read the catalogs, run
 * input functions and reveal which names exist.
 */
extern RawStmt *kg_ask_parse(KgAsk *ask);

#endif /* KG_ASK_RAW_H */
