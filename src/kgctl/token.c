/*
 * token.c
 *	  The sources of a command's bearer token. There is no option for the
 *	  token itself, because each user of the machine can read the command
 *	  line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/log.h"

/*
 * Returns the path kgctl/token in $XDG_CONFIG_HOME or ~/.config. Returns NULL
 * if there is no home directory. If make is set, creates the directory.
 */
static char *
saved_path(bool make)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	char *dir;
	char *path;

	if (base != NULL && *base == '/')
		dir = kg_format("%s/kgctl", base);
	else if (home != NULL && *home == '/')
		dir = kg_format("%s/.config/kgctl", home);
	else
		return NULL;
	if (make)
	{
		char *slash = strrchr(dir, '/');

		*slash = '\0';
		(void) mkdir(dir, 0700);
		*slash = '/';
		(void) mkdir(dir, 0700);
	}
	path = kg_format("%s/token", dir);
	free(dir);
	return path;
}

static bool
tidy(KgBuf *text, const char *path, char **token)
{
	size_t start = 0;

	while (text->len > 0 && strchr(" \t\r\n", text->data[text->len - 1]))
		text->len--;
	while (start < text->len && strchr(" \t\r\n", text->data[start]))
		start++;
	if (start == text->len || text->len - start > KG_MAX_TOKEN)
	{
		kg_error("%s: no token of 1 to %d bytes", path, KG_MAX_TOKEN);
		return false;
	}
	for (size_t i = start; i < text->len; i++)
		if (text->data[i] <= ' ' || text->data[i] > '~')
		{
			kg_error("%s: not a bearer token", path);
			return false;
		}
	*token = kg_strndup(text->data + start, text->len - start);
	return true;
}

bool
kg_token_read(const char *path, char **token)
{
	KgBuf text;
	bool ok;

	kg_buf_init(&text);
	ok = kg_read_file(path, &text) && tidy(&text, path, token);
	kg_buf_free(&text);
	return ok;
}

bool
kg_token_find(const KgArgs *args, bool saved, char **token)
{
	const char *path = kg_args_get(args, "token-file");
	const char *value = getenv("KGCTL_TOKEN");
	char *own;
	bool ok = true;

	*token = NULL;
	if (path != NULL)
		return kg_token_read(path, token);
	if (value != NULL && *value != '\0')
	{
		KgBuf text;

		kg_buf_init(&text);
		kg_buf_puts(&text, value);
		ok = tidy(&text, "KGCTL_TOKEN", token);
		kg_buf_free(&text);
		return ok;
	}
	if (!saved)
		return true;
	own = saved_path(false);
	if (own != NULL && access(own, F_OK) == 0)
		ok = kg_token_read(own, token);
	free(own);
	return ok;
}

bool
kg_token_save(const char *token)
{
	char *path = saved_path(true);
	bool ok;

	if (path == NULL)
	{
		kg_error("the token cannot be saved, because HOME is not set");
		return false;
	}
	/*
	 * Create the file anew, because an existing file may have other
	 * permissions.
	 */
	(void) unlink(path);
	ok = kg_write_file(path, token, strlen(token), 0600);
	free(path);
	return ok;
}

bool
kg_token_forget(void)
{
	char *path = saved_path(false);
	bool ok = path == NULL || unlink(path) == 0 || errno == ENOENT;

	if (!ok)
		kg_error("%s: %s", path, strerror(errno));
	free(path);
	return ok;
}
