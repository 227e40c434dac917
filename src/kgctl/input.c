/*
 * input.c
 *	  Reading a file in parts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "kgctl/buf.h"
#include "kgctl/input.h"
#include "kgctl/log.h"

#define CHUNK (64 * 1024)
#define HASH_START 14695981039346656037u
#define HASH_PRIME 1099511628211u

/* Maximal window of zstd: limits the memory of the decoder to 32 MB. */
#define ZSTD_WINDOW_LOG 25

typedef enum Form
{
	FORM_UNKNOWN,
	FORM_PLAIN,
	FORM_GZIP,
	FORM_ZSTD
} Form;

typedef struct KgCodec
{
	Form form;
	unsigned char raw[CHUNK];
	size_t at; /* index of the next byte in raw */
	size_t end;
	bool eof;	 /* the end of the file was read */
	bool inside; /* the current position is inside a compressed stream */
	z_stream gzip;
	ZSTD_DCtx *zstd;
} KgCodec;

uint64_t
kg_input_size(const char *path)
{
	struct stat st;
	bool standard = strcmp(path, "-") == 0;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0 ||
		!S_ISREG(st.st_mode))
		return 0;
	return (uint64_t) st.st_size;
}

bool
kgctl_input_open(KgctlInput *in, const char *path)
{
	struct stat st;
	bool standard = strcmp(path, "-") == 0;

	memset(in, 0, sizeof(*in));
	in->path = standard ? "standard input" : path;
	in->line = 1;
	in->hash = HASH_START;
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) != 0)
	{
		kg_error("%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode))
	{
		kg_error("%s: is a directory; name the files in it", path);
		return false;
	}
	if (S_ISREG(st.st_mode))
	{
		in->size = (uint64_t) st.st_size;
		(void) posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	in->codec = kg_calloc(1, sizeof(KgCodec));
	return true;
}

void
kg_input_close(KgctlInput *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	if (in->codec != NULL)
	{
		if (in->codec->form == FORM_GZIP)
			inflateEnd(&in->codec->gzip);
		ZSTD_freeDCtx(in->codec->zstd);
	}
	free(in->codec);
	free(in->data);
	free(in->error);
	memset(in, 0, sizeof(*in));
}

static bool
fail(KgctlInput *in, char *error)
{
	free(in->error);
	in->error = error;
	in->eof = true;
	return false;
}

/*
 * Appends more of the file to raw, which must have free space. Sets eof at the
 * end of the file. Returns false on failure.
 */
static bool
read_raw(KgctlInput *in)
{
	KgCodec *c = in->codec;
	ssize_t n;

	do
		n = read(in->fd, c->raw + c->end, sizeof(c->raw) - c->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(in, kg_format("cannot be read: %s", strerror(errno)));
	c->eof = n == 0;
	c->end += (size_t) n;
	in->read += (uint64_t) n;
	return true;
}

static bool
refill(KgctlInput *in)
{
	in->codec->at = in->codec->end = 0;
	return read_raw(in);
}

static bool
find_form(KgctlInput *in)
{
	static const unsigned char gzip[] = {0x1F, 0x8B};
	static const unsigned char zstd[] = {0x28, 0xB5, 0x2F, 0xFD};
	KgCodec *c = in->codec;

	/* Repeat, because one read of a pipe may return a single byte. */
	while (c->end < sizeof(zstd) && !c->eof)
		if (!read_raw(in))
			return false;
	c->form = FORM_PLAIN;
	if (c->end >= sizeof(gzip) && memcmp(c->raw, gzip, sizeof(gzip)) == 0)
	{
		c->form = FORM_GZIP;
		/* The window has 15 bits; adding 16 selects the format of gzip. */
		if (inflateInit2(&c->gzip, 15 + 16) != Z_OK)
			return fail(in, kg_strdup("no memory to decompress it"));
	}
	else if (c->end >= sizeof(zstd) && memcmp(c->raw, zstd, sizeof(zstd)) == 0)
	{
		c->form = FORM_ZSTD;
		c->zstd = ZSTD_createDCtx();
		if (c->zstd == NULL ||
			ZSTD_isError(ZSTD_DCtx_setParameter(
				c->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
			return fail(in, kg_strdup("no memory to decompress it"));
	}
	return true;
}

static bool
fail_compressed(KgctlInput *in, const char *what)
{
	return fail(in,
				kg_format("the compressed data is damaged after line %lu (%s); "
						  "the lines before were read",
						  in->line,
						  what));
}

/*
 * Decompresses some bytes of gzip. A file may contain several compressed
 * streams. Returns false on failure.
 */
static bool
inflate_some(KgctlInput *in, char *out, size_t room, size_t *n)
{
	KgCodec *c = in->codec;
	int status;

	if (!c->inside && inflateReset(&c->gzip) != Z_OK)
		return fail_compressed(in, "gzip");
	c->inside = true;
	c->gzip.next_in = c->raw + c->at;
	c->gzip.avail_in = (uInt) (c->end - c->at);
	c->gzip.next_out = (unsigned char *) out;
	c->gzip.avail_out = (uInt) room;
	status = inflate(&c->gzip, Z_NO_FLUSH);
	c->at = c->end - c->gzip.avail_in;
	*n = room - c->gzip.avail_out;
	if (status == Z_STREAM_END)
		c->inside = false;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		return fail_compressed(in, c->gzip.msg ? c->gzip.msg : "gzip");
	return true;
}

static bool
zstd_some(KgctlInput *in, char *out, size_t room, size_t *n)
{
	KgCodec *c = in->codec;
	ZSTD_inBuffer from = {c->raw, c->end, c->at};
	ZSTD_outBuffer to = {out, room, 0};
	size_t left = ZSTD_decompressStream(c->zstd, &to, &from);

	c->at = from.pos;
	*n = to.pos;
	if (ZSTD_isError(left))
		return ZSTD_getErrorCode(left) ==
					   ZSTD_error_frameParameter_windowTooLarge
				   ? fail(in,
						  kg_strdup("is compressed with a window of more than "
									"32 MB; use zstd -dc --long=31 FILE | "
									"kgctl load ... -"))
				   : fail_compressed(in, ZSTD_getErrorName(left));
	c->inside = left != 0;
	return true;
}

static bool
plain_some(KgctlInput *in, char *out, size_t room, size_t *n)
{
	KgCodec *c = in->codec;

	*n = c->end - c->at < room ? c->end - c->at : room;
	memcpy(out, c->raw + c->at, *n);
	c->at += *n;
	return true;
}

/*
 * Reads and decodes some bytes of text. Sets *n to 0 at the end of the file.
 * Returns false on failure.
 */
static bool
decode(KgctlInput *in, char *out, size_t room, size_t *n)
{
	KgCodec *c = in->codec;

	*n = 0;
	if (c->form == FORM_UNKNOWN && !find_form(in))
		return false;
	for (;;)
	{
		bool ok;

		if (c->at == c->end && !c->eof && !refill(in))
			return false;
		if (c->at == c->end && c->eof)
		{
			/*
			 * Call zstd before reading more, because zstd may still hold
			 * decoded bytes.
			 */
			if (c->inside && c->form == FORM_ZSTD &&
				(!zstd_some(in, out, room, n) || *n > 0))
				return in->error == NULL;
			if (c->inside)
				return fail(
					in,
					kg_format("ends in the middle of the compressed data, "
							  "after line %lu: it is not whole",
							  in->line));
			return true;
		}
		ok = c->form == FORM_GZIP	? inflate_some(in, out, room, n)
			 : c->form == FORM_ZSTD ? zstd_some(in, out, room, n)
									: plain_some(in, out, room, n);
		if (!ok || *n > 0)
			return ok;
	}
}

bool
kg_input_more(KgctlInput *in)
{
	size_t n;

	if (in->eof)
		return false;
	if (in->start > 0 && in->cap - in->end < CHUNK)
	{
		memmove(in->data, in->data + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->cap - in->end < CHUNK)
	{
		in->cap = in->cap == 0 ? 4 * CHUNK : in->cap + in->cap / 2;
		in->data = kg_realloc(in->data, in->cap);
	}
	if (!decode(in, in->data + in->end, in->cap - in->end, &n))
		return false;
	in->end += n;
	if (n == 0)
		in->eof = true;
	return n > 0;
}

void
kg_input_take(KgctlInput *in, size_t len)
{
	const char *p = in->data + in->start;
	uint64_t hash = in->hash;
	unsigned long line = in->line;

	for (size_t i = 0; i < len; i++)
	{
		hash = (hash ^ (unsigned char) p[i]) * HASH_PRIME;
		line += p[i] == '\n';
	}
	in->hash = hash;
	in->line = line;
	in->start += len;
	in->offset += len;
}

bool
kg_input_skip(KgctlInput *in, uint64_t offset)
{
	while (in->offset < offset)
	{
		uint64_t left = offset - in->offset;

		if (in->start == in->end && !kg_input_more(in))
			return false;
		if (left > in->end - in->start)
			left = in->end - in->start;
		kg_input_take(in, (size_t) left);
	}
	return true;
}
