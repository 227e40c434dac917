/*
 * semver.h
 *	  Versions as defined by semver.org 2.0.0.
 */
#ifndef KG_SEMVER_H
#define KG_SEMVER_H

#include "postgres.h"

/* Maximum length of a version; bytes.  The standard has no limit. */
#define KG_MAX_VERSION 128

typedef struct KgSemver
{
	bool prerelease;
	/*
	 * Bytes whose order is the order of the versions. Versions that differ only
	 * in build metadata have equal bytes.
	 */
	bytea *precedence;
} KgSemver;

/*
 * Parses a version, allocating in the current context.  Returns false if the
 * text is not a version.
 */
extern bool kg_semver_read(const char *text, KgSemver *version);

#endif /* KG_SEMVER_H */
