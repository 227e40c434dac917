/*
 * words/lists.h
 *	  The word lists of this folder, for query/argument/names.c.
 *
 *	  words/lists.awk makes lists.c of the text files. A list is an array of
 *	  groups, and a group an array of words with one meaning. The first word is
 *	  kg_graph's. Both end with NULL.
 */
#ifndef KG_WORD_LISTS_H
#define KG_WORD_LISTS_H

extern const char *const *const kg_words_of_names[];
extern const char *const *const kg_words_of_values[];

#endif /* KG_WORD_LISTS_H */
