/*
 * words.h
 *	  Maintenance of kg_word and kg_word_count from the texts of entities.
 *	  Used by derive.c.
 */
#ifndef KG_WORDS_H
#define KG_WORDS_H

#include "model/word.h"
#include "store/derived/columns.h"
#include "store/reference/references.h"

typedef struct KgWordRows
{
	KgColumns rows;	  /* columns: word, type_no, node, frequency, length */
	KgNodeList stale; /* nodes whose rows are replaced */
} KgWordRows;

extern void kg_word_rows_init(KgWordRows *words, MemoryContext context);
extern void kg_word_rows_add(KgWordRows *words, int32 type_no, int64 node,
							 const KgWords *of);
extern void kg_word_rows_write(const char *tenant, const KgWordRows *words);

#endif /* KG_WORDS_H */
