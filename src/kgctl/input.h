/*
 * input.h
 *	  A file that is read in pieces: plain, gzip or zstd, which its first bytes
 *	  tell; "-" is standard input.  How large it is does not matter.
 */
#ifndef KG_KGCTL_INPUT_H
#define KG_KGCTL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KgInput
{
	const char *path;	/* as messages name it */
	char *data;			/* what is read and not taken: */
	size_t start;		/* its first byte */
	size_t end;			/* and the one after its last */
	bool eof;			/* nothing follows */
	char *error;		/* why nothing can be read any more, or NULL */
	uint64_t offset;	/* of data[start], in the text */
	uint64_t hash;		/* of the text before it */
	unsigned long line; /* of data[start], from 1 */
	uint64_t size;		/* of the file, or 0 where that is not known */
	uint64_t read;		/* bytes of the file so far */
	struct KgCodec *codec;
	size_t cap;
	int fd;
} KgInput;

/* Bytes of a file; 0 where that is not known. */
extern uint64_t kg_input_size(const char *path);

/* False after a message. */
extern bool kg_input_open(KgInput *in, const char *path);
extern void kg_input_close(KgInput *in);

/*
 * Read at least one byte more; data may move.  False at the end, or after an
 * error.
 */
extern bool kg_input_more(KgInput *in);

/* The next bytes are done with. */
extern void kg_input_take(KgInput *in, size_t len);

/* Take all up to an offset; false where there is less. */
extern bool kg_input_skip(KgInput *in, uint64_t offset);

#endif /* KG_KGCTL_INPUT_H */
