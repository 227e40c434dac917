/*
 * schema.h
 *	  Validation of jsonb values with JSON Schema. A schema is compiled once
 *	  for many validations. A compiled schema has its own memory context and
 *	  does not change. Validation of a valid instance allocates no memory that
 *	  outlives the call.
 */
#ifndef KG_SCHEMA_H
#define KG_SCHEMA_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct KgSchema KgSchema;

typedef struct KgSchemaOptions
{
	/* URI of the dialect of schemas without $schema; NULL: 2020-12 */
	const char *dialect;
	const Jsonb *resources; /* {uri: schema} for $ref, or NULL */
	bool annotate_format;	/* the keyword "format" is only an annotation */
} KgSchemaOptions;

typedef struct KgSchemaError
{
	char *instance_path; /* JSON Pointer into the instance */
	/*
	 * JSON Pointer of the keyword in the schema. If the keyword is in one of
	 * the resources, "uri#" precedes the pointer.
	 */
	char *schema_path;
	/* path of the evaluation, which includes each $ref */
	char *keyword_location;
	/* the keyword's position as a URI; NULL if the schema has no $id */
	char *absolute_location;
	const char *keyword;
	Jsonb *value;	/* the invalid value, possibly shortened */
	char *expected; /* phrase that describes the valid values */
	char *missing;	/* name of a required property that is absent, or NULL */
	List *allowed;	/* List of char *: enum values or known properties */
	const char *did_you_mean; /* an element of allowed, or NULL */
	/*
	 * Violations in the branches of anyOf or oneOf, a List of KgSchemaError *.
	 * The violations of the nearest branch begin at the index "nearest"; their
	 * number is nearest_count.
	 */
	List *causes;
	int nearest;
	int nearest_count;
	/*
	 * The subschemas on the path. For each subschema, "steps" has the length of
	 * its prefix of keyword_location and of instance_path.
	 */
	int nsteps;
	int *steps; /* nsteps pairs of lengths */
} KgSchemaError;

/*
 * Returns an error if the schema's text is longer than
 * kg_graph.schema_max_bytes; otherwise NULL.
 */
extern struct KgError *kg_schema_size_error(const Jsonb *schema);

/*
 * Returns a schema, compiled in the current memory context.
 *
 * If the schema does not conform to its meta-schema, the dialect is unknown or
 * a $ref cannot be resolved, raises KG_INVALID_INPUT with the JSON Pointer of
 * the fault. Raises KG_LIMIT_EXCEEDED if a limit kg_graph.schema_* is exceeded.
 */
extern KgSchema *kg_schema_compile(const Jsonb *schema,
								   const KgSchemaOptions *options);

/*
 * Returns a compiled schema like kg_schema_compile(), but does not validate the
 * schema by its meta-schema. Used for the meta-schemas.
 */
extern KgSchema *kg_schema_compile_unchecked(const Jsonb *schema,
											 const KgSchemaOptions *options);

/*
 * Returns the compiled schema from the backend's cache, which is keyed by
 * content and of limited size. The result is valid until the end of the
 * caller's SQL function call.
 */
extern const KgSchema *kg_schema_fetch(const Jsonb *schema,
									   const KgSchemaOptions *options);

/*
 * Returns messages about keywords that the schema's dialect ignores, as a List
 * of char * that lives as long as the schema.
 */
extern List *kg_schema_warnings(const KgSchema *schema);

/*
 * Returns true if the instance is valid. Raises only errors about limits and
 * cancellation.
 */
extern bool kg_schema_is_valid(const KgSchema *schema,
							   const JsonbValue *instance);

/* Returns at most max_errors violations, as a List of KgSchemaError *. */
extern List *kg_schema_errors(const KgSchema *schema,
							  const JsonbValue *instance, int max_errors);

#endif /* KG_SCHEMA_H */
