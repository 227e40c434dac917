/*
 * detoast.h
 *	  Decompression of large values.
 */
#ifndef KG_DETOAST_H
#define KG_DETOAST_H

/*
 * Returns the value decompressed if it is large and was stored compressed, or
 * else the value itself.
 */
extern Datum kg_detoast_large(Datum value);

#endif /* KG_DETOAST_H */
