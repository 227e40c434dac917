/*
 * files.h
 *	  Whole files: reading with a limit, writing, listing a directory.
 *	  Each function says what is wrong on standard error and then fails.
 */
#ifndef KG_FILES_H
#define KG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "kgctl/buf.h"

/* jsonb itself holds at most 1 GB less a little. */
#define KG_MAX_FILE ((size_t) 1000 * 1024 * 1024)

/* "-" is standard input. */
extern bool kg_read_file(const char *path, KgBuf *out);
extern bool kg_write_file(const char *path, const char *data, size_t len,
						  int mode);
extern bool kg_make_directory(const char *path);
extern bool kg_is_directory(const char *path);

/*
 * The same for what lies below a directory that may be anybody's: links that
 * lead out of it, and what is no regular file, are refused.
 */
extern bool kg_exists_below(const char *dir, const char *name);
extern bool kg_read_below(const char *dir, const char *name, KgBuf *out);
extern bool kg_write_below(const char *dir, const char *name, const char *data,
						   size_t len, int mode);

/*
 * The names in a directory below dir that end in one of the suffixes (NULL
 * after the last), sorted; hidden ones are left out.
 */
extern bool kg_list_below(const char *dir, const char *name,
						  const char *const *suffixes, char ***names,
						  size_t *count);
extern void kg_free_list(char **names, size_t count);

#endif /* KG_FILES_H */
