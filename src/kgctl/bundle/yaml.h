/*
 * yaml.h
 *	  The subset of YAML that represents JSON.
 *
 * Plain scalars are interpreted by the core schema of YAML 1.2 (section
 * 10.3.2): no and 2024-01-01 are strings. Values such as 01234 and .inf are
 * refused, so that no value is silently changed.
 */
#ifndef KG_YAML_H
#define KG_YAML_H

#include "kgctl/json.h"

/*
 * Parses one document. Returns NULL with *error (malloc'd) for invalid YAML,
 * duplicate keys, several documents, merge keys, tags that are not core tags,
 * and aliases that expand beyond a limit.
 */
extern KgJson *kg_yaml_parse(KgArena *arena, const char *text, size_t len,
							 const char *source, char **error);

/* Returns whether a file is YAML, by its name. */
extern bool kg_is_yaml(const char *path);

/* Writes a value so that kg_yaml_parse() returns an equal one. */
extern bool kg_yaml_write(KgBuf *out, const KgJson *value);

#endif /* KG_YAML_H */
