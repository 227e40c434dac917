/*
 * utf8.h
 *	  UTF-8: encoding and decoding of a code point, validation.
 */
#ifndef KG_UTF8_H
#define KG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes a code point (not a surrogate, at most 0x10FFFF). Returns the number
 * of bytes.
 */
extern size_t kg_utf8_encode(uint32_t code, char out[4]);

/*
 * Reads the code point at text. Returns its length in bytes, or 0 if it is
 * malformed.
 */
extern size_t kg_utf8_decode(const char *text, size_t left, uint32_t *code);

/*
 * Returns whether text is well-formed UTF-8. If not, sets *at to the index of
 * the first invalid byte.
 */
extern bool kg_utf8_valid(const char *text, size_t len, size_t *at);

#endif /* KG_UTF8_H */
