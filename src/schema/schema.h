/*
 * schema.h
 *	  Validation of binary jsonb with JSON Schema; a schema is compiled once for
 *	  many validations.
 *
 * A compiled schema is in one memory context and immutable.  Validation of a
 * valid instance allocates no memory that outlives the call.
 */
#ifndef KG_SCHEMA_H
#define KG_SCHEMA_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct KgSchema KgSchema;

typedef struct KgSchemaOptions
{
	const char *dialect;	/* URI of the default dialect; NULL: 2020-12 */
	const Jsonb *resources; /* {uri: schema} for $ref, or NULL */
	bool annotate_format;	/* format is an annotation only */
} KgSchemaOptions;

typedef struct KgSchemaError
{
	char *instance_path; /* JSON Pointer into the instance */
	/*
	 * JSON Pointer of the keyword in the schema, after "uri#" if it is in one
	 * of the resources.
	 */
	char *schema_path;
	char *keyword_location;	 /* path of the evaluation, through every $ref */
	char *absolute_location; /* as a URI; NULL if the schema has no $id */
	const char *keyword;
	Jsonb *value;	/* the invalid value, possibly shortened */
	char *expected; /* phrase about the valid values */
	char *missing;	/* name of a required property that is absent, or NULL */
	List *allowed;	/* List of char *: enum values or known properties */
	const char *did_you_mean; /* one of allowed, or NULL */
	/*
	 * Violations in the branches of anyOf or oneOf, a List of KgSchemaError *.
	 * The violations of the nearest branch begin at the index "nearest".
	 */
	List *causes;
	int nearest;
	int nearest_count;
	/*
	 * The subschemas on the path: for each, the lengths of its prefix of
	 * keyword_location and of instance_path.
	 */
	int nsteps;
	int *steps; /* nsteps pairs of lengths */
} KgSchemaError;

/*
 * Returns an error if the schema's text is longer than
 * kg_graph.schema_max_bytes, or NULL.
 */
extern struct KgError *kg_schema_size_error(const Jsonb *schema);

/*
 * Compiles a schema in the current memory context.
 *
 * Raises KG_INVALID_INPUT with the JSON Pointer of the fault if the
 * meta-schema refuses the schema, the dialect is unknown or a $ref cannot be
 * resolved.  Raises KG_LIMIT_EXCEEDED above a limit of kg_graph.schema_*.
 */
extern KgSchema *kg_schema_compile(const Jsonb *schema,
								   const KgSchemaOptions *options);

/* Compiles a meta-schema, without validation by its own meta-schema. */
extern KgSchema *kg_schema_compile_unchecked(const Jsonb *schema,
											 const KgSchemaOptions *options);

/*
 * Returns the compiled schema from the backend's bounded cache, keyed by
 * content.  Valid until the end of the caller's SQL call.
 */
extern const KgSchema *kg_schema_fetch(const Jsonb *schema,
									   const KgSchemaOptions *options);

/*
 * Returns messages about keywords that the schema's dialect ignores, as a List
 * of char * that lives as long as the schema.
 */
extern List *kg_schema_warnings(const KgSchema *schema);

/*
 * Returns true if the instance is valid.  Raises errors of limits and
 * cancellation only.
 */
extern bool kg_schema_is_valid(const KgSchema *schema,
							   const JsonbValue *instance);

/* Returns the violations, at most max_errors, as a List of KgSchemaError *. */
extern List *kg_schema_errors(const KgSchema *schema,
							  const JsonbValue *instance, int max_errors);

#endif /* KG_SCHEMA_H */
