/*
 * utf8.h
 *	  UTF-8: encoding and decoding of a code point, validation.
 */
#ifndef KG_UTF8_H
#define KG_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write a code point (not a surrogate, at most 0x10FFFF); the bytes written. */
extern size_t kg_utf8_encode(uint32_t code, char out[4]);

/* The code point at text; the bytes it takes, 0 where it is malformed. */
extern size_t kg_utf8_decode(const char *text, size_t left, uint32_t *code);

/* Whether text is well-formed UTF-8; *at is the first bad byte. */
extern bool kg_utf8_valid(const char *text, size_t len, size_t *at);

#endif /* KG_UTF8_H */
