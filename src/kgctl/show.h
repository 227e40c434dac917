/*
 * show.h
 *	  Text of others, files and servers, on its way to a terminal: what would
 *	  be an order to the terminal is written out instead.
 */
#ifndef KG_SHOW_H
#define KG_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The most bytes that kg_show() makes of one. */
#define KG_SHOW_MAX 6

/*
 * Copy s into out, at most size bytes with the NUL at the end: control
 * characters, those that turn the direction of text, and bytes that are not
 * UTF-8 become \x1b or \u202e.  Line ends stay where lines is true and are
 * spaces otherwise; tabs stay.  Returns the length of the copy.
 */
extern size_t kg_show(char *out, size_t size, const char *s, bool lines);

/* fprintf() of a text that is shown so; line ends stay. */
extern void kg_print(FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* KG_SHOW_H */
