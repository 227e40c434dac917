/*
 * definition.h
 *	  A registered tool's definition, read; and whether what it calls takes what
 *	  it sends.
 *
 *	  Made in the current memory context and immutable.
 */
#ifndef KG_DEFINITION_H
#define KG_DEFINITION_H

#include "model/catalog.h"
#include "schema/schema.h"
#include "tools/callable.h"
#include "tools/registered/template.h"

#define KG_DEFAULT_TOOLSET "tools"

typedef enum KgDefinitionKind
{
	KG_DEFINED_QUERY,
	KG_DEFINED_COMPOSITE,
	KG_DEFINED_SEQUENCE,
	KG_DEFINED_FUNCTION
} KgDefinitionKind;

typedef struct KgOperationDefined
{
	const char *name; /* NULL: the only one */
	const char *tool;
	const char *path; /* JSON Pointer into the definition */
	KgTemplate *arguments;
	KgCallable callable; /* kg_definition_bind() */
} KgOperationDefined;

typedef struct KgDefinition
{
	const Jsonb *source;
	const char *name;
	const char *version;
	KgDefinitionKind kind;
	const char *title;		 /* or NULL */
	const char *description; /* or NULL */
	const char *toolset;
	bool blank_is_absent;
	const Jsonb *input_schema;
	const Jsonb *output_schema; /* or NULL */
	const KgSchema *input;
	const KgSchema *output; /* or NULL */
	int nargs;
	const char **args; /* properties of the input */
	bool *required;
	const Jsonb **arg_schemas;
	int select; /* the argument that chooses, or -1 */
	int nops;
	KgOperationDefined *ops;
	const char *function; /* or NULL */
	bool writes;
	bool usable; /* kg_definition_bind(): all that it names is there */
} KgDefinition;

/*
 * A definition as it was sent, with what it leaves out written out: the form
 * that is stored and compared.  default_of is the definition of the version that
 * "default_of" names, or NULL.  Faults are reported; NULL where the name, the
 * version or the kind is at fault.
 */
extern Jsonb *kg_definition_normalise(const Jsonb *sent,
									  const Jsonb *default_of,
									  KgErrorList *errors);

/* A member that is a string, or NULL. */
extern char *kg_definition_string(const Jsonb *definition, const char *key);

/* Read a normalised definition; NULL where there are faults. */
extern KgDefinition *kg_definition_read(const Jsonb *definition,
										KgErrorList *errors);

/*
 * Find what its operations call in the catalog, and look whether these take
 * what is sent; at registration (strict) also what depends on limits in force.
 * Without errors, only whether.
 */
extern bool kg_definition_bind(KgDefinition *definition,
							   const KgCatalog *catalog, bool strict,
							   KgErrorList *errors);

/* The function, which may be gone: raises KG_INTERNAL. */
extern Oid kg_definition_function(const KgDefinition *definition);

/* What is published of its replies. */
extern Jsonb *kg_definition_output(const KgDefinition *definition,
								   const KgCatalog *catalog);

#endif /* KG_DEFINITION_H */
