/*
 * yaml.h
 *	  YAML as far as it is JSON in another dress.
 *
 * A plain scalar is what the core schema of YAML 1.2 says (section 10.3.2):
 * neither no nor 2024-01-01 is more than text.  01234, .inf and the like are
 * refused, so that nothing turns into what its author did not write.
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

/* Whether a file is YAML, by its name. */
extern bool kg_is_yaml(const char *path);

/* Write a value so that kg_yaml_parse() reads the same one. */
extern bool kg_yaml_write(KgBuf *out, const KgJson *value);

#endif /* KG_YAML_H */
