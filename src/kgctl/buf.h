/*
 * buf.h
 *	  A growable byte buffer, and the memory allocation of kgctl.
 *
 * If memory is exhausted, the program ends: no caller could continue, and a
 * gateway that is restarted loses no state.
 */
#ifndef KG_BUF_H
#define KG_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KgBuf
{
	char *data; /* NUL-terminated unless nothing was appended */
	size_t len;
	size_t cap;
	size_t mapped; /* size in bytes of the read-only file mapping at data; 0:
				    * data is not mapped */
} KgBuf;

extern void *kg_malloc(size_t size);
extern void *kg_calloc(size_t count, size_t size);
extern void *kg_realloc(void *ptr, size_t size);
extern char *kg_strdup(const char *s);
extern char *kg_strndup(const char *s, size_t len);
extern char *kg_format(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

extern bool kg_ends_with(const char *s, const char *suffix);

/*
 * Returns the 64-bit FNV-1a hash of data, with its upper half folded into the
 * lower half. Another seed gives another hash.
 */
extern uint64_t kg_hash(uint64_t seed, const char *data, size_t len);

extern void kg_buf_init(KgBuf *buf);
extern void kg_buf_free(KgBuf *buf);
extern void kg_buf_reserve(KgBuf *buf, size_t more);
extern void kg_buf_add(KgBuf *buf, const char *data, size_t len);
extern void kg_buf_puts(KgBuf *buf, const char *s);
extern void kg_buf_putc(KgBuf *buf, char c);
/*
 * Appends 128 random bits in hexadecimal. Returns false if the system provides
 * no random bits.
 */
extern bool kg_buf_random(KgBuf *buf);
extern void kg_buf_printf(KgBuf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
extern void kg_buf_vprintf(KgBuf *buf, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Appends s as a JSON string with quotes. */
extern void kg_buf_json(KgBuf *buf, const char *s, size_t len);

/*
 * Returns the data as a malloc'd string, which the caller frees. The buffer is
 * empty afterwards.
 */
extern char *kg_buf_detach(KgBuf *buf);

#endif /* KG_BUF_H */
