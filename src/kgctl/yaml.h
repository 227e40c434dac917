/*
 * yaml.h
 *	  YAML as far as it is JSON in another dress.
 *
 * A plain scalar is null ("~", "null" or nothing), true, false, or a number by
 * the grammar of JSON; everything else is a string, so that neither no nor
 * 01234 nor 2024-01-01 turns into something its author did not write.
 */
#ifndef KG_YAML_H
#define KG_YAML_H

#include "kgctl/json.h"

/*
 * Parse one document.  NULL with *error (malloc'd) for what is not YAML, for
 * duplicate keys, several documents, merge keys, tags other than the core
 * ones, and aliases that unfold beyond a limit.
 */
extern KgJson *kg_yaml_parse(KgArena *arena, const char *text, size_t len,
							 const char *source, char **error);

/* Write a value so that kg_yaml_parse() reads the same one. */
extern bool kg_yaml_write(KgBuf *out, const KgJson *value);

#endif /* KG_YAML_H */
