/*
 * deb_version.h
 *	  Versions as bytes, ordered as deb-version(7).
 */
#ifndef KG_DEB_VERSION_H
#define KG_DEB_VERSION_H

#include "lib/stringinfo.h"

/*
 * Appends the order of a version, [epoch:]upstream[-revision].
 *
 * No result is a prefix of another.  Equal versions ("1.0" and "1.00-0") have
 * equal bytes.  Any text is a version; text before a colon that is not a
 * number is not an epoch.
 */
extern void kg_deb_version_append(StringInfo buf, const char *text, int len);

/* Returns the length of the version's order at the start of the bytes. */
extern int kg_deb_version_length(const uint8 *bytes, int len);

#endif /* KG_DEB_VERSION_H */
