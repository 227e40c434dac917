/*
 * uri.h
 *	  URI references (RFC 3986), by liburiparser.
 */
#ifndef KG_URI_H
#define KG_URI_H

/*
 * Returns true if the string is a URI or, if relative is true, a relative
 * reference.
 */
extern bool kg_uri_is_valid(const char *s, int len, bool relative);
extern bool kg_iri_is_valid(const char *s, int len, bool relative);

/*
 * Resolves the URI reference ref against an absolute base, in the current
 * memory context. Does not normalize case or escapes. Returns NULL if base or
 * ref is invalid.
 */
extern char *kg_uri_resolve(const char *base, const char *ref);

/*
 * Returns a percent-decoded copy of a fragment and sets *len to its length in
 * bytes. Returns NULL if the fragment is malformed.
 */
extern char *kg_uri_unescape(const char *s, int *len);

#endif /* KG_URI_H */
