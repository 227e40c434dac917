/*
 * pieces.h
 *	  Maintenance of kg_trigram, which has the pieces (trigrams) of the terms
 *	  of entities.
 */
#ifndef KG_PIECES_H
#define KG_PIECES_H

#include "store/derived/columns.h"

/*
 * Adds the rows (trigram, term) of a term, which are to be stored in
 * kg_trigram.
 */
extern void kg_pieces_of_term(KgColumns *rows, const char *term);

/*
 * Updates the pieces (rows of kg_trigram) of terms that the transaction has
 * written to kg_term or deleted. If "written" is true, inserts the pieces that
 * kg_trigram lacks, and locks the others. If "written" is false, deletes the
 * pieces of each term that no entity has any more. If "counted" is true, the
 * quota of bytes counts the change. Raises KG_QUOTA_EXCEEDED. Runs as the
 * extension's owner, inside SPI.
 */
extern void kg_pieces_change(const char *tenant, const Datum *terms, int n,
							 bool written, bool counted);

#endif /* KG_PIECES_H */
