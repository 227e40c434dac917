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

/* The names in a directory that end in one of the two suffixes, sorted. */
extern bool kg_list_directory(const char *path, const char *suffix1,
							  const char *suffix2, char ***names,
							  size_t *count);
extern void kg_free_list(char **names, size_t count);

#endif /* KG_FILES_H */
