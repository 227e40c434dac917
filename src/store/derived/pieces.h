/*
 * pieces.h
 *	  Maintenance of kg_trigram from the terms of entities.
 */
#ifndef KG_PIECES_H
#define KG_PIECES_H

#include "store/derived/columns.h"

/* Adds the rows (trigram, term) of kg_trigram for a term. */
extern void kg_pieces_of_term(KgColumns *rows, const char *term);

/*
 * After the transaction has written terms to kg_term (written), writes the
 * pieces that kg_trigram lacks, and locks the others. After it has deleted
 * terms, deletes the pieces of those that no entity has any more. If counted,
 * the quota of bytes counts the change. Raises KG_QUOTA_EXCEEDED. Runs as the
 * extension's owner, inside SPI.
 */
extern void kg_pieces_change(const char *tenant, const Datum *terms, int n,
							 bool written, bool counted);

#endif /* KG_PIECES_H */
