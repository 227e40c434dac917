/*
 * buf.h
 *	  Growable byte buffer and the allocation helpers of kgctl.
 *
 * Out of memory ends the program: every caller would do the same, and a
 * gateway that is restarted loses nothing.
 */
#ifndef KG_BUF_H
#define KG_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KgBuf
{
	char *data; /* always NUL-terminated once anything was appended */
	size_t len;
	size_t cap;
	size_t mapped; /* bytes of a mapping of a file, not to be added to; or 0 */
} KgBuf;

extern void *kg_malloc(size_t size);
extern void *kg_calloc(size_t count, size_t size);
extern void *kg_realloc(void *ptr, size_t size);
extern char *kg_strdup(const char *s);
extern char *kg_strndup(const char *s, size_t len);
extern char *kg_format(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

extern bool kg_ends_with(const char *s, const char *suffix);

/* FNV-1a, of 64 bits, its upper half folded into the lower one. */
extern uint64_t kg_hash(uint64_t seed, const char *data, size_t len);

extern void kg_buf_init(KgBuf *buf);
extern void kg_buf_free(KgBuf *buf);
extern void kg_buf_reserve(KgBuf *buf, size_t more);
extern void kg_buf_add(KgBuf *buf, const char *data, size_t len);
extern void kg_buf_puts(KgBuf *buf, const char *s);
extern void kg_buf_putc(KgBuf *buf, char c);
/* 128 random bits in hexadecimal; false where there are none to be had. */
extern bool kg_buf_random(KgBuf *buf);
extern void kg_buf_printf(KgBuf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
extern void kg_buf_vprintf(KgBuf *buf, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Append s as a JSON string, quotes included. */
extern void kg_buf_json(KgBuf *buf, const char *s, size_t len);

/* The data as a malloc'd string the caller frees; the buffer is empty after. */
extern char *kg_buf_detach(KgBuf *buf);

#endif /* KG_BUF_H */
