/*
 * input.h
 *	  A file that is read in parts. Its format (plain, gzip or zstd) is
 *	  detected by its first bytes. "-" is standard input. The size of the file
 *	  is not limited.
 */
#ifndef KG_KGCTL_INPUT_H
#define KG_KGCTL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KgctlInput
{
	const char *path; /* path of the file, as messages show it */
	/*
	 * buffer of the bytes that were read; the bytes from start to end are not
	 * consumed yet
	 */
	char *data;
	size_t start;		/* index of the first unconsumed byte */
	size_t end;			/* index after the last unconsumed byte */
	bool eof;			/* the end of the file was read */
	char *error;		/* text of the error if reading has failed, or NULL */
	uint64_t offset;	/* position of data[start] in the decompressed text */
	uint64_t hash;		/* hash of the decompressed text before data[start] */
	unsigned long line; /* line number of data[start], from 1 */
	uint64_t size;		/* size of the file in bytes; 0: unknown */
	uint64_t read;		/* number of bytes of the file read so far */
	struct KgCodec *codec;
	size_t cap;
	int fd;
} KgctlInput;

/* Returns the size of a file in bytes, or 0 if it is unknown. */
extern uint64_t kg_input_size(const char *path);

/* Opens a file. On failure, prints an error and returns false. */
extern bool kgctl_input_open(KgctlInput *in, const char *path);
extern void kg_input_close(KgctlInput *in);

/*
 * Reads at least one more byte. data may be reallocated. Returns false at the
 * end of the file or after an error.
 */
extern bool kg_input_more(KgctlInput *in);

/* Consumes the next len bytes of the input. */
extern void kg_input_take(KgctlInput *in, size_t len);

/*
 * Consumes all bytes before an offset. Returns false if the input is shorter.
 */
extern bool kg_input_skip(KgctlInput *in, uint64_t offset);

#endif /* KG_KGCTL_INPUT_H */
