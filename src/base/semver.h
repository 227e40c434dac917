/*
 * semver.h
 *	  Versions as semver.org 2.0.0 has them.
 */
#ifndef KG_SEMVER_H
#define KG_SEMVER_H

#include "postgres.h"

/* Bytes of a version; the standard has no limit. */
#define KG_MAX_VERSION 128

typedef struct KgSemver
{
	bool prerelease;
	/*
	 * Bytes that compare as the versions do; those that differ in build
	 * metadata only have the same.
	 */
	bytea *precedence;
} KgSemver;

/* False where the text is no version.  Allocates in the current context. */
extern bool kg_semver_read(const char *text, KgSemver *version);

#endif /* KG_SEMVER_H */
