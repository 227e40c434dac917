/*
 * input.h
 *	  A file that is read piece by piece: plain, gzip or zstd, detected by
 *	  its first bytes. "-" is standard input. The size of the file is not
 *	  limited.
 */
#ifndef KG_KGCTL_INPUT_H
#define KG_KGCTL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KgctlInput
{
	const char *path;	/* as messages name it */
	char *data;			/* bytes that are read and not yet taken: */
	size_t start;		/* index of the first byte */
	size_t end;			/* index after the last byte */
	bool eof;			/* the end of the file was read */
	char *error;		/* why reading has failed, or NULL */
	uint64_t offset;	/* position of data[start] in the text */
	uint64_t hash;		/* hash of the text before data[start] */
	unsigned long line; /* line number of data[start], from 1 */
	uint64_t size;		/* size of the file in bytes; 0: unknown */
	uint64_t read;		/* bytes of the file read so far */
	struct KgCodec *codec;
	size_t cap;
	int fd;
} KgctlInput;

/* Returns the size of a file in bytes, or 0 if it is unknown. */
extern uint64_t kg_input_size(const char *path);

/* Opens a file. Returns false after a message. */
extern bool kgctl_input_open(KgctlInput *in, const char *path);
extern void kg_input_close(KgctlInput *in);

/*
 * Reads at least one more byte; data may move. Returns false at the end or
 * after an error.
 */
extern bool kg_input_more(KgctlInput *in);

/* Removes the next len bytes from the input. */
extern void kg_input_take(KgctlInput *in, size_t len);

/* Removes all bytes up to an offset. Returns false if the input is shorter. */
extern bool kg_input_skip(KgctlInput *in, uint64_t offset);

#endif /* KG_KGCTL_INPUT_H */
