/*
 * files.c
 *	  Whole files: reading with a limit, writing, listing a directory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kgctl/files.h"
#include "kgctl/log.h"

bool
kg_read_file(const char *path, KgBuf *out)
{
	bool standard_input = strcmp(path, "-") == 0;
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char chunk[65536];
	ssize_t n;
	int saved;

	if (fd < 0)
	{
		kg_error("%s: %s", path, strerror(errno));
		return false;
	}
	kg_buf_add(out, "", 0);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0)
	{
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || out->len + (size_t) n > KG_MAX_FILE)
			break;
		kg_buf_add(out, chunk, (size_t) n);
	}
	saved = errno;
	if (!standard_input)
		close(fd);
	if (n == 0)
		return true;
	kg_error(
		"%s: %s", path, n < 0 ? strerror(saved) : "larger than jsonb can be");
	return false;
}

bool
kg_write_file(const char *path, const char *data, size_t len, int mode)
{
	int fd;
	bool ok = true;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t) mode);
	if (fd < 0)
	{
		kg_error("%s: %s", path, strerror(errno));
		return false;
	}
	while (len > 0 && ok)
	{
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		ok = n >= 0;
		if (ok)
		{
			data += n;
			len -= (size_t) n;
		}
	}
	/* A full disk may show only here. */
	if (close(fd) != 0)
		ok = false;
	if (!ok)
		kg_error("%s: %s", path, strerror(errno));
	return ok;
}

bool
kg_make_directory(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return true;
	kg_error("%s: %s", path, strerror(errno));
	return false;
}

bool
kg_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name);
	size_t k = strlen(suffix);

	return n > k && name[0] != '.' && strcmp(name + n - k, suffix) == 0;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

bool
kg_list_directory(const char *path, const char *suffix1, const char *suffix2,
				  char ***names, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	*names = NULL;
	*count = 0;
	if (dir == NULL)
	{
		kg_error("%s: %s", path, strerror(errno));
		return false;
	}
	while ((entry = readdir(dir)) != NULL)
	{
		if (!has_suffix(entry->d_name, suffix1) &&
			!has_suffix(entry->d_name, suffix2))
			continue;
		*names = kg_realloc(*names, (*count + 1) * sizeof(char *));
		(*names)[(*count)++] = kg_strdup(entry->d_name);
	}
	closedir(dir);
	if (*count > 0)
		qsort(*names, *count, sizeof(char *), compare_names);
	return true;
}

void
kg_free_list(char **names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
