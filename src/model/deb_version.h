/*
 * deb_version.h
 *	  Versions as bytes, ordered as deb-version(7).
 */
#ifndef KG_DEB_VERSION_H
#define KG_DEB_VERSION_H

#include "lib/stringinfo.h"

/*
 * Appends bytes that order a version, [epoch:]upstream[-revision]. The bytes of
 * one version are never a prefix of another's. Equal versions ("1.0" and
 * "1.00-0") have equal bytes. Any text is a version. If the text before a colon
 * is not a number, it is not an epoch.
 */
extern void kg_deb_version_append(StringInfo buf, const char *text, int len);

/*
 * Returns the length of the bytes that order a version, at the start of the
 * given bytes.
 */
extern int kg_deb_version_length(const uint8 *bytes, int len);

#endif /* KG_DEB_VERSION_H */
