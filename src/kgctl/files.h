/*
 * files.h
 *	  Whole files: reading with a limit, writing, listing a directory. On
 *	  failure, each function prints an error and returns false.
 */
#ifndef KG_FILES_H
#define KG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "kgctl/buf.h"

/* Maximal size of a file in bytes. jsonb can contain slightly more. */
#define KG_MAX_FILE ((size_t) 1000 * 1024 * 1024)

/*
 * Reads a file. The path "-" is standard input. On failure, prints an error and
 * returns false.
 */
extern bool kg_read_file(const char *path, KgBuf *out);
extern bool kg_write_file(const char *path, const char *data, size_t len,
						  int mode);
extern bool kg_make_directory(const char *path);
extern bool kg_is_directory(const char *path);

/*
 * These functions access files below a directory that another user may have
 * made. They refuse links that lead out of the directory, and files that are
 * not regular. kg_exists_below() returns whether there is a file, even if the
 * functions would refuse it.
 */
extern bool kg_exists_below(const char *dir, const char *name);
extern bool kg_read_below(const char *dir, const char *name, KgBuf *out);
extern bool kg_write_below(const char *dir, const char *name, const char *data,
						   size_t len, int mode);

/*
 * Lists the files in the directory "name" below dir whose names end in one of
 * the suffixes. A NULL ends the suffixes. The names are sorted. Hidden files
 * are omitted. On failure, prints an error and returns false.
 */
extern bool kg_list_below(const char *dir, const char *name,
						  const char *const *suffixes, char ***names,
						  size_t *count);
extern void kg_free_list(char **names, size_t count);

#endif /* KG_FILES_H */
