/*
 * schema.h
 *	  JSON Schema: compile once, validate many, over binary jsonb.
 *
 * A compiled schema lives in one memory context and is immutable.  Validation
 * of a valid instance allocates nothing that outlives the call.
 */
#ifndef KG_SCHEMA_H
#define KG_SCHEMA_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct KgSchema KgSchema;

typedef struct KgSchemaOptions
{
	const char *dialect;	/* URI of the default dialect; NULL: 2020-12 */
	const Jsonb *resources; /* {uri: schema} that $ref may name, or NULL */
	bool annotate_format;	/* true: format is an annotation only */
} KgSchemaOptions;

typedef struct KgSchemaError
{
	char *instance_path; /* JSON Pointer into the instance */
	/*
	 * Where the keyword stands: JSON Pointer into the schema, behind "uri#"
	 * where that is one of the resources.
	 */
	char *schema_path;
	char *keyword_location;	 /* the way there, through every $ref */
	char *absolute_location; /* as a URI; NULL where the schema has no $id */
	const char *keyword;
	Jsonb *value;	/* the offending value, maybe shortened */
	char *expected; /* what the keyword wants, for people and models */
	List *allowed;	/* of char *: values of an enum, known properties */
	const char *did_you_mean; /* one of these, or NULL */
	/*
	 * anyOf, oneOf: the violations in the branches, a List of
	 * KgSchemaError *; those of the nearest branch begin at index nearest.
	 */
	List *causes;
	int nearest;
	int nearest_count;
	/*
	 * The subschemas on the way: for each, how much of keyword_location and
	 * of instance_path leads to it.
	 */
	int nsteps;
	int *steps; /* pairs */
} KgSchemaError;

/* Is it longer than kg_graph.schema_max_bytes, as text?  NULL where it is not. */
extern struct KgError *kg_schema_size_error(const Jsonb *schema);

/*
 * Compile in the current memory context.  Raises KG_INVALID_INPUT with the
 * JSON Pointer of what is wrong for a schema that its meta-schema refuses, an
 * unknown dialect or a $ref that cannot be resolved here;
 * KG_LIMIT_EXCEEDED past a limit of kg_graph.schema_*.
 */
extern KgSchema *kg_schema_compile(const Jsonb *schema,
								   const KgSchemaOptions *options);

/* The same without a look at the meta-schema; for the meta-schemas. */
extern KgSchema *kg_schema_compile_unchecked(const Jsonb *schema,
											 const KgSchemaOptions *options);

/*
 * The compiled form from the backend's bounded cache, keyed by content.  Good
 * until the end of the caller's SQL call.
 */
extern const KgSchema *kg_schema_fetch(const Jsonb *schema,
									   const KgSchemaOptions *options);

/* Fast path: true if valid.  Raises only for limits and cancel. */
extern bool kg_schema_is_valid(const KgSchema *schema,
							   const JsonbValue *instance);

/* All violations up to max_errors, as a List of KgSchemaError *. */
extern List *kg_schema_errors(const KgSchema *schema,
							  const JsonbValue *instance, int max_errors);

#endif /* KG_SCHEMA_H */
