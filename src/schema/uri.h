/*
 * uri.h
 *	  URI references by RFC 3986, through liburiparser.
 */
#ifndef KG_URI_H
#define KG_URI_H

/* Syntax checks.  relative: a relative reference is good too. */
extern bool kg_uri_is_valid(const char *s, int len, bool relative);
extern bool kg_iri_is_valid(const char *s, int len, bool relative);

/*
 * ref resolved against the absolute base, without changing the case or the
 * escapes of either; NULL when one of them is not a URI.  Allocated in the
 * current memory context.
 */
extern char *kg_uri_resolve(const char *base, const char *ref);

/* Percent-decoded copy of a fragment, in *len bytes; NULL if malformed. */
extern char *kg_uri_unescape(const char *s, int *len);

#endif /* KG_URI_H */
