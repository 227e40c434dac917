/*
 * detoast.h
 *	  Large values that were stored compressed.
 */
#ifndef KG_DETOAST_H
#define KG_DETOAST_H

/* The value as it is read by others, decompressed if it was and is large. */
extern Datum kg_detoast_large(Datum value);

#endif /* KG_DETOAST_H */
