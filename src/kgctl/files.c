/*
 * files.c
 *	  Whole files: reading with a limit, writing, listing a directory.
 */
#define _GNU_SOURCE /* O_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kgctl/args.h"
#include "kgctl/files.h"
#include "kgctl/log.h"

/* Size in bytes from which a file is mapped. Smaller files are read. */
#define MAP_FROM (1024 * 1024)

/* Ends the program after SIGBUS: a mapped file was truncated. */
static void
on_truncated(int sig)
{
	static const char text[] = "kgctl: a file was cut off while it was read\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(KG_EXIT_INTERNAL);
	_exit(KG_EXIT_INPUT);
}

/*
 * Maps a large file, so that its bytes are in memory only once, in the page
 * cache. A NUL follows the bytes of the file. Returns false if the file must be
 * read instead.
 */
static bool
map_file(int fd, KgBuf *out)
{
	struct stat st;
	struct sigaction action;
	size_t size;
	char *data;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < MAP_FROM ||
		st.st_size > (off_t) KG_MAX_FILE || lseek(fd, 0, SEEK_CUR) != 0)
		return false;
	size = (size_t) st.st_size;
	data = mmap(NULL,
				size + 1,
				PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS,
				-1,
				0);
	if (data == MAP_FAILED)
		return false;
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_truncated;
	sigaction(SIGBUS, &action, NULL);
	if (mmap(data,
			 size,
			 PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED,
			 fd,
			 0) == MAP_FAILED)
	{
		munmap(data, size + 1);
		return false;
	}
	out->data = data;
	out->len = size;
	out->mapped = size + 1;
	return true;
}

/*
 * Reads an open file to its end and closes it. On failure, prints an error and
 * returns false.
 */
static bool
read_all(int fd, const char *path, KgBuf *out)
{
	char chunk[65536];
	ssize_t n;
	int saved;

	if (map_file(fd, out))
	{
		if (fd != STDIN_FILENO)
			close(fd);
		return true;
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
	if (fd != STDIN_FILENO)
		close(fd);
	if (n == 0)
		return true;
	kg_error(
		"%s: %s", path, n < 0 ? strerror(saved) : "larger than jsonb can be");
	return false;
}

bool
kg_read_file(const char *path, KgBuf *out)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO
									: open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return read_all(fd, path, out);
	kg_error("%s: %s", path, strerror(errno));
	return false;
}

/*
 * Opens a file one path component at a time, without following links. Returns
 * its descriptor, or -1 and errno on failure. Replaces openat2() for kernels
 * before 5.6.
 */
static int
open_steps(int dir, const char *name, int flags, int mode)
{
	int at = dup(dir);

	for (;;)
	{
		size_t n = strcspn(name, "/");
		char *step = kg_strndup(name, n);
		bool last = name[n] == '\0';
		int next = openat(at,
						  step,
						  O_NOFOLLOW | O_CLOEXEC |
							  (last ? flags : O_PATH | O_DIRECTORY),
						  (mode_t) mode);
		int saved = errno;

		free(step);
		close(at);
		errno = saved;
		if (next < 0 || last)
			return next;
		at = next;
		name += n + strspn(name + n, "/");
	}
}

/*
 * Opens a file below the directory dir. No link in the name may lead out of
 * dir. Opening a pipe does not block. mode is the mode of a created file
 * (O_CREAT). Returns -1 and sets errno on failure.
 */
static int
open_below(const char *dir, const char *name, int flags, int mode)
{
	struct open_how how;
	int base = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;
	int saved;

	if (base < 0)
		return -1;
	memset(&how, 0, sizeof(how));
	how.flags = (uint64_t) (flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	how.mode = (uint64_t) mode;
	how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
	fd = (int) syscall(SYS_openat2, base, name, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open_steps(base, name, flags | O_NONBLOCK | O_NOCTTY, mode);
	saved = errno;
	close(base);
	errno = saved;
	return fd;
}

static void
complain_below(const char *dir, const char *name)
{
	kg_error("%s/%s: %s",
			 dir,
			 name,
			 errno == EXDEV || errno == ELOOP
				 ? "a link that leads out of the bundle's directory"
				 : strerror(errno));
}

/*
 * Opens a regular file below the directory dir, as open_below() opens any file.
 * On failure, prints an error and returns -1.
 */
static int
open_file_below(const char *dir, const char *name, int flags, int mode)
{
	int fd = open_below(dir, name, flags, mode);
	struct stat st;

	if (fd < 0)
		complain_below(dir, name);
	else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
	{
		kg_error("%s/%s: not a regular file", dir, name);
		close(fd);
		fd = -1;
	}
	return fd;
}

bool
kg_exists_below(const char *dir, const char *name)
{
	int fd = open_below(dir, name, O_RDONLY, 0);

	/*
	 * If opening fails for another reason than ENOENT, the file exists. The
	 * error is reported when the file is read.
	 */
	if (fd < 0)
		return errno != ENOENT;
	close(fd);
	return true;
}

bool
kg_read_below(const char *dir, const char *name, KgBuf *out)
{
	int fd = open_file_below(dir, name, O_RDONLY, 0);
	char *path;
	bool ok;

	if (fd < 0)
		return false;
	path = kg_format("%s/%s", dir, name);
	ok = read_all(fd, path, out);
	free(path);
	return ok;
}

/*
 * Writes data to an open file and closes it. On failure, prints an error and
 * returns false.
 */
static bool
write_all(int fd, const char *path, const char *data, size_t len)
{
	bool ok = true;

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
	/* Some file systems report a full disk only when the file is closed. */
	if (close(fd) != 0)
		ok = false;
	if (!ok)
		kg_error("%s: %s", path, strerror(errno));
	return ok;
}

bool
kg_write_file(const char *path, const char *data, size_t len, int mode)
{
	int fd = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t) mode);

	if (fd >= 0)
		return write_all(fd, path, data, len);
	kg_error("%s: %s", path, strerror(errno));
	return false;
}

bool
kg_write_below(const char *dir, const char *name, const char *data, size_t len,
			   int mode)
{
	int fd = open_file_below(dir, name, O_WRONLY | O_CREAT, mode);
	char *path;
	bool ok;

	if (fd < 0)
		return false;
	path = kg_format("%s/%s", dir, name);
	ok = ftruncate(fd, 0) == 0;
	if (ok)
		ok = write_all(fd, path, data, len);
	else
	{
		kg_error("%s: %s", path, strerror(errno));
		close(fd);
	}
	free(path);
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
has_suffix(const char *name, const char *const *suffixes)
{
	while (*suffixes != NULL && !kg_ends_with(name, *suffixes))
		suffixes++;
	return *suffixes != NULL && name[0] != '.';
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

bool
kg_list_below(const char *dir, const char *name, const char *const *suffixes,
			  char ***names, size_t *count)
{
	int fd = open_below(dir, name, O_RDONLY | O_DIRECTORY, 0);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	*names = NULL;
	*count = 0;
	if (list == NULL)
	{
		complain_below(dir, name);
		return false;
	}
	while ((entry = readdir(list)) != NULL)
	{
		if (!has_suffix(entry->d_name, suffixes))
			continue;
		*names = kg_realloc(*names, (*count + 1) * sizeof(char *));
		(*names)[(*count)++] = kg_strdup(entry->d_name);
	}
	closedir(list);
	if (*count > 0)
		qsort(*names, *count, sizeof(char *), compare_names);
	return true;
}

void
kg_free_list(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
