/*
 * app_page.c
 *	  The explorer's page: a file on the server, beside the extension's own
 *	  files.
 */
#include "postgres.h"

#include "base/settings.h"
#include "mb/pg_wchar.h"
#include "mcp/app_page.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include <sys/stat.h>

/* A limit above the size of the built page (explorer/build.mjs). */
#define KG_MCP_APP_BYTES (1024 * 1024)

/* Text by which the page is recognized. kgctl searches for it, too. */
static const char page_mark[] = "\"kg-endpoint\" content=\"mcp\"";

/* Returns the path of the page, or NULL if a DBA disabled the page. */
static char *
page_path(void)
{
	char share[MAXPGPATH];

	if (kg_setting_explorer_file[0] == '\0')
		return NULL;
	if (is_absolute_path(kg_setting_explorer_file))
		return kg_setting_explorer_file;
	get_share_path(my_exec_path, share);
	return psprintf("%s/extension/%s", share, kg_setting_explorer_file);
}

/*
 * Returns the whole file with a terminating zero byte, or NULL if it cannot be
 * read.
 */
static char *
read_file(const char *path, size_t *len)
{
	FILE *file = AllocateFile(path, PG_BINARY_R);
	char *text;
	bool ok;
	int saved;

	if (file == NULL)
		return NULL;
	text = palloc(KG_MCP_APP_BYTES + 1);
	*len = fread(text, 1, KG_MCP_APP_BYTES, file);
	ok = ferror(file) == 0;
	saved = errno;
	text[*len] = '\0';
	FreeFile(file);
	errno = saved;
	return ok ? text : NULL;
}

static int
setting_hint(void)
{
	return errhint(
		"Set \"%s\" to the installed page, or to an empty string for no page.",
		"kg_graph.explorer_file");
}

/*
 * Returns the page. If the file cannot be read, or is not the explorer's page,
 * writes a message to the log and returns NULL.
 */
static char *
read_page(const char *path)
{
	size_t len = 0;
	char *text = read_file(path, &len);

	/*
	 * The setting may name any file of the server, so only a file that is the
	 * explorer's page is returned.
	 */
	if (text == NULL)
	{
		ereport(LOG,
				(errmsg("could not read \"%s\": %m", path), setting_hint()));
		return NULL;
	}
	if (len < KG_MCP_APP_BYTES && strlen(text) == len &&
		strstr(text, page_mark) != NULL &&
		pg_encoding_verifymbstr(PG_UTF8, text, len) == (int) len)
		return text;
	ereport(LOG,
			(errmsg("\"%s\" is not the page of the explorer", path),
			 setting_hint()));
	return NULL;
}

char *
kg_mcp_app_page(void)
{
	char *path = page_path();

	return path ? read_page(path) : NULL;
}

/*
 * The file must be read in order to check it. It is read again only if the
 * setting names another file, or if the file has changed.
 */
bool
kg_mcp_app_page_exists(void)
{
	static char *seen_path = NULL;
	static struct stat seen;
	static bool is_page;
	struct stat found;
	char *path = page_path();

	if (path == NULL || stat(path, &found) != 0 || !S_ISREG(found.st_mode))
		return false;
	if (seen_path == NULL || strcmp(path, seen_path) != 0 ||
		found.st_dev != seen.st_dev || found.st_ino != seen.st_ino ||
		found.st_size != seen.st_size || found.st_mtime != seen.st_mtime)
	{
		char *copy = MemoryContextStrdup(TopMemoryContext, path);

		if (seen_path != NULL)
			pfree(seen_path);
		seen_path = copy;
		seen = found;
		is_page = read_page(path) != NULL;
	}
	return is_page;
}

void
kg_mcp_app_write_page_meta(KgJsonWriter *w)
{
	/*
	 * The security policy lists no origin, so the page may not connect to any
	 * server.
	 */
	kg_jw_kjsonb(w,
				 "_meta",
				 kg_json_parse("{\"ui\": {\"prefersBorder\": true, "
							   "\"permissions\": {\"clipboardWrite\": {}}}}"));
}
