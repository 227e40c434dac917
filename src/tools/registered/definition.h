/*
 * definition.h
 *	  The parsed definition of a registered tool, and the check of its calls
 *	  against the schemas of the tools that it calls.
 *
 *	  A definition is allocated in the current memory context and is
 *	  immutable.
 */
#ifndef KG_DEFINITION_H
#define KG_DEFINITION_H

#include "model/catalog.h"
#include "schema/schema.h"
#include "tools/callable.h"
#include "tools/registered/template.h"

#define KG_DEFAULT_TOOLSET "tools"

/* The kind "sql" is read as a query of the tool "query". */
typedef enum KgDefinitionKind
{
	KG_DEFINED_QUERY,
	KG_DEFINED_COMPOSITE,
	KG_DEFINED_SEQUENCE,
	KG_DEFINED_FUNCTION
} KgDefinitionKind;

typedef struct KgOperationDefined
{
	/* name of the operation; NULL: the definition has only one */
	const char *name;
	const char *tool;
	const char *path; /* JSON Pointer into the definition */
	KgTemplate *arguments;
	KgCallable callable; /* set by kg_definition_bind() */
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
	const char **args; /* names of the input's properties */
	bool *required;
	const Jsonb **arg_schemas;
	int select; /* index of the argument that selects the operation, or -1 */
	int nops;
	KgOperationDefined *ops;
	const char *function; /* or NULL */
	/*
	 * statement of the kind "sql", whose operation is the tool query; or NULL
	 */
	const char *sql;
	bool writes;
	bool usable; /* set by kg_definition_bind(): can be called */
} KgDefinition;

/*
 * Returns a definition with all defaults written out, which is the form that
 * is stored and compared. default_of is the definition of the version that the
 * member "default_of" names, or NULL. Reports faults. Returns NULL if the
 * name, the version or the kind is invalid.
 */
extern Jsonb *kg_definition_normalise(const Jsonb *sent,
									  const Jsonb *default_of,
									  KgErrorList *errors);

/* Returns a member that is a string, or NULL. */
extern char *kg_definition_string(const Jsonb *definition, const char *key);

/* Parses a normalized definition. Returns NULL if it has faults. */
extern KgDefinition *kg_definition_read(const Jsonb *definition,
										KgErrorList *errors);

/*
 * Finds the tools of the operations in the catalog and checks that they accept
 * the arguments. If "strict" is true (at registration), also checks the values
 * that depend on the limits in force. If errors is NULL, reports no errors and
 * only returns the result.
 */
extern bool kg_definition_bind(KgDefinition *definition,
							   const KgCatalog *catalog, bool strict,
							   KgErrorList *errors);

/*
 * Returns the function with this name and argument types. Returns InvalidOid if
 * it does not exist or the text has another form.
 */
extern Oid kg_definition_function_named(const char *name);

/*
 * Checks the statement of the kind "sql": the tables that it names exist; if all
 * is set, also the statement itself, and the types of its parameters.
 */
extern void kg_definition_check_sql(const KgDefinition *definition,
									const KgCatalog *catalog, bool all,
									KgErrorList *errors);

/* Returns the function. Raises KG_INTERNAL if it no longer exists. */
extern Oid kg_definition_function(const KgDefinition *definition);

/* Returns the published schema of the tool's replies. */
extern Jsonb *kg_definition_output(const KgDefinition *definition,
								   const KgCatalog *catalog);

#endif /* KG_DEFINITION_H */
