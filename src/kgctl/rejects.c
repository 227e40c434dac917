/*
 * rejects.c
 *	  The file of rejected rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kgctl/log.h"
#include "kgctl/rejects.h"
#include "kgctl/utf8.h"

static bool
open_file(KgRejects *rejects, const char *path, int flags)
{
	struct stat st;

	memset(rejects, 0, sizeof(*rejects));
	rejects->path = path;
	rejects->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	if (rejects->fd < 0 && errno == EEXIST)
		kg_error("%s exists; use --force to overwrite it, or --resume to "
				 "continue it",
				 path);
	else if (rejects->fd < 0 || fstat(rejects->fd, &st) != 0)
		kg_error("%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		kg_error("%s: not a regular file", path);
	else
		return true;
	return false;
}

bool
kg_rejects_open(KgRejects *rejects, const char *path, bool force)
{
	return open_file(rejects, path, force ? O_TRUNC : O_EXCL);
}

bool
kg_rejects_go_on(KgRejects *rejects, const char *path, uint64_t size)
{
	struct stat st;

	if (!open_file(rejects, path, 0))
		return false;
	if (fstat(rejects->fd, &st) != 0 || (uint64_t) st.st_size < size)
	{
		kg_error(
			"%s is shorter than it was when the load stopped; name another "
			"file for the rest",
			path);
		return false;
	}
	rejects->size = size;
	return true;
}

void
kg_rejects_close(KgRejects *rejects)
{
	if (rejects->path != NULL && rejects->fd >= 0)
		close(rejects->fd);
	kg_buf_free(&rejects->added);
}

/* Appends a text of a file as a JSON string. The text may contain any bytes. */
static void
add_text(KgBuf *out, const char *text, size_t len)
{
	KgBuf clean;
	size_t i = 0;

	kg_buf_init(&clean);
	while (i < len)
	{
		uint32_t code;
		size_t n = kg_utf8_decode(text + i, len - i, &code);

		if (n > 0)
			kg_buf_add(&clean, text + i, n);
		else
			kg_buf_printf(&clean, "\\x%02x", (unsigned char) text[i]);
		i += n > 0 ? n : 1;
	}
	kg_buf_json(out, clean.len ? clean.data : "", clean.len);
	kg_buf_free(&clean);
}

void
kg_rejects_add(KgRejects *rejects, const char *file, unsigned long line,
			   const KgJson *error, const char *item, size_t itemlen,
			   const char *text, size_t textlen)
{
	KgBuf *out = &rejects->added;

	if (rejects->path == NULL)
		return;
	kg_buf_puts(out, "{\"file\":");
	add_text(out, file, strlen(file));
	kg_buf_printf(out, ",\"line\":%lu,\"error\":", line);
	kg_json_write(out, error, -1);
	if (item != NULL)
	{
		kg_buf_puts(out, ",\"item\":");
		kg_buf_add(out, item, itemlen);
	}
	else if (text != NULL)
	{
		kg_buf_puts(out, ",\"text\":");
		add_text(out, text, textlen);
	}
	kg_buf_puts(out, "}\n");
}

bool
kg_rejects_write(KgRejects *rejects)
{
	size_t at = 0;

	if (rejects->path == NULL || rejects->added.len == 0)
		return true;
	if (ftruncate(rejects->fd, (off_t) rejects->size) != 0)
	{
		kg_error("%s: %s", rejects->path, strerror(errno));
		return false;
	}
	while (at < rejects->added.len)
	{
		ssize_t n = pwrite(rejects->fd,
						   rejects->added.data + at,
						   rejects->added.len - at,
						   (off_t) (rejects->size + at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
		{
			kg_error("%s: %s", rejects->path, strerror(errno));
			return false;
		}
		at += (size_t) n;
	}
	if (fdatasync(rejects->fd) == 0)
		return true;
	kg_error("%s: %s", rejects->path, strerror(errno));
	return false;
}

void
kg_rejects_keep(KgRejects *rejects)
{
	rejects->size += rejects->added.len;
	rejects->added.len = 0;
}
