/*
 * show.h
 *	  Safe output of text from files and servers on a terminal: control
 *	  characters are escaped.
 */
#ifndef KG_SHOW_H
#define KG_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Maximal number of bytes that kg_show() writes for one byte. */
#define KG_SHOW_MAX 6

/*
 * Copies s to out, at most size bytes including the final NUL. Control
 * characters, characters that change the direction of text, and invalid UTF-8
 * are escaped as \x1b or \u202e. Line ends are retained if lines is set, and
 * become spaces otherwise. Tabs are retained. Returns the length of the copy.
 */
extern size_t kg_show(char *out, size_t size, const char *s, bool lines);

/*
 * Prints formatted text like fprintf(). The text is escaped by kg_show(), and
 * line ends are retained.
 */
extern void kg_print(FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* KG_SHOW_H */
