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

/*
 * The kinds of registered tools. A tool of the kind "sql" is parsed as
 * KG_DEFINED_QUERY, with a call of the tool "query".
 */
typedef enum KgDefinitionKind
{
	KG_DEFINED_QUERY,
	KG_DEFINED_COMPOSITE,
	KG_DEFINED_SEQUENCE,
	KG_DEFINED_FUNCTION
} KgDefinitionKind;

typedef struct KgOperationDefined
{
	/*
	 * Name of the operation; NULL: it is the only operation of the definition.
	 */
	const char *name;
	const char *tool;
	const char *path; /* JSON Pointer of the operation in the definition */
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
	/* names of the arguments: the properties of the input schema */
	const char **args;
	bool *required;
	const Jsonb **arg_schemas;
	/* index of the argument whose value selects the operation, or -1 */
	int select;
	int nops;
	KgOperationDefined *ops;
	const char *function; /* or NULL */
	/*
	 * Statement of a tool of the kind "sql", or NULL. The operation of such a
	 * tool calls the tool query with this statement.
	 */
	const char *sql;
	bool writes;
	bool usable; /* true: the tool can be called; set by kg_definition_bind() */
} KgDefinition;

/*
 * Returns a definition with all defaults written out, the form that is stored
 * and compared. default_of is the definition of the version that the member
 * "default_of" names, or NULL. If the definition has faults, reports them and
 * returns NULL. Raises KG_LIMIT_EXCEEDED if the definition is too large.
 */
extern Jsonb *kg_definition_normalise(const Jsonb *sent,
									  const Jsonb *default_of,
									  KgErrorList *errors);

/*
 * Returns a member of a definition that is a string. Returns NULL if there is
 * no such member.
 */
extern char *kg_definition_string(const Jsonb *definition, const char *key);

/* Parses a normalized definition. Returns NULL if it has faults. */
extern KgDefinition *kg_definition_read(const Jsonb *definition,
										KgErrorList *errors);

/*
 * Finds the tools that the operations call in the catalog, and checks that
 * they accept the arguments. If "strict" is true (at registration), also
 * checks values that depend on the limits in force. Returns whether the
 * definition has no faults. If errors is NULL, faults are not reported.
 */
extern bool kg_definition_bind(KgDefinition *definition,
							   const KgCatalog *catalog, bool strict,
							   KgErrorList *errors);

/*
 * Returns the function that a text names with its argument types. Returns
 * InvalidOid if it does not exist, or if the text has another form.
 */
extern Oid kg_definition_function_named(const char *name);

/*
 * Checks the statement of a tool of the kind "sql". Always checks that the
 * tables that the statement names exist. If "all" is true, also checks the
 * statement itself and the types of its parameters.
 */
extern void kg_definition_check_sql(const KgDefinition *definition,
									const KgCatalog *catalog, bool all,
									KgErrorList *errors);

/*
 * Returns the OID of the function that a tool of the kind function calls.
 * Raises KG_INTERNAL if the function no longer exists.
 */
extern Oid kg_definition_function(const KgDefinition *definition);

/* Returns the published schema of the tool's replies. */
extern Jsonb *kg_definition_output(const KgDefinition *definition,
								   const KgCatalog *catalog);

#endif /* KG_DEFINITION_H */
