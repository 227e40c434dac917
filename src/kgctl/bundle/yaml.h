/*
 * yaml.h
 *	  The subset of YAML that represents JSON.
 *
 * Unquoted scalars are interpreted by the core schema of YAML 1.2 (section
 * 10.3.2), so "no" and "2024-01-01" are strings. Values such as 01234 and .inf
 * are refused, because other readers interpret them differently.
 */
#ifndef KG_YAML_H
#define KG_YAML_H

#include "kgctl/json.h"

/*
 * Parses one document. For invalid YAML, returns NULL and sets *error
 * (malloc'd). Duplicate keys, several documents, merge keys, tags other than
 * core tags, and aliases that expand beyond a limit are invalid too.
 */
extern KgJson *kg_yaml_parse(KgArena *arena, const char *text, size_t len,
							 const char *source, char **error);

/* Returns whether the suffix of a file's name is one of YAML. */
extern bool kg_is_yaml(const char *path);

/*
 * Writes a value as YAML. kg_yaml_parse() of the text returns an equal value.
 * Returns false on failure.
 */
extern bool kg_yaml_write(KgBuf *out, const KgJson *value);

#endif /* KG_YAML_H */
