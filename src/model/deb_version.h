/*
 * deb_version.h
 *	  Versions as bytes whose order is that of deb-version(7).
 */
#ifndef KG_DEB_VERSION_H
#define KG_DEB_VERSION_H

#include "lib/stringinfo.h"

/*
 * Append the order of a version, [epoch:]upstream[-revision].  No such bytes are
 * the beginning of others, and versions that are alike ("1.0" and "1.00-0") have
 * the same.  Any text is a version: what is no number before a colon is not an
 * epoch.
 */
extern void kg_deb_version_append(StringInfo buf, const char *text, int len);

/* How long the order at the beginning of some bytes is. */
extern int kg_deb_version_length(const uint8 *bytes, int len);

#endif /* KG_DEB_VERSION_H */
