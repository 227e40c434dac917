/*
 * program.h
 *	  A compiled schema, the output of compile.c and the input of run.c.
 *
 * Every subschema is a node.  A node has one flat list of instructions for
 * each instance type, so that the interpreter does not check keywords that
 * cannot apply.  Everything is in the memory context of the KgSchema and
 * immutable after compilation.  Names and enum values point into the copies of
 * the schema documents in that context.
 */
#ifndef KG_PROGRAM_H
#define KG_PROGRAM_H

#include "schema/format.h"
#include "schema/keyword.h"
#include "schema/number.h"
#include "schema/pattern.h"
#include "schema/schema.h"
#include "schema/value.h"

typedef enum KgJsOp
{
	KG_JS_OP_END,
	/* checks of the value alone, up to KG_JS_OP_LAST_PLAIN */
	KG_JS_OP_MIN_LENGTH,
	KG_JS_OP_MAX_LENGTH,
	KG_JS_OP_DFA,
	KG_JS_OP_FORMAT,
	KG_JS_OP_MINIMUM,
	KG_JS_OP_MAXIMUM,
	KG_JS_OP_EXCLUSIVE_MINIMUM,
	KG_JS_OP_EXCLUSIVE_MAXIMUM,
	KG_JS_OP_MULTIPLE_OF,
	KG_JS_OP_FAIL, /* no value of this type is valid */
	KG_JS_OP_CONST,
	KG_JS_OP_ENUM,
	KG_JS_OP_MIN_ITEMS, /* and minProperties */
	KG_JS_OP_MAX_ITEMS, /* and maxProperties */
	KG_JS_OP_LAST_PLAIN = KG_JS_OP_MAX_ITEMS,
	/* checks of the value alone that may take long */
	KG_JS_OP_PATTERN,
	KG_JS_OP_MULTIPLE_OF_BIG,
	/* combinations */
	KG_JS_OP_REF,
	KG_JS_OP_DYNAMIC_REF,
	KG_JS_OP_RECURSIVE_REF,
	KG_JS_OP_ALL_OF,
	KG_JS_OP_ANY_OF,
	KG_JS_OP_ONE_OF,
	KG_JS_OP_NOT,
	KG_JS_OP_IF,
	/* arrays */
	KG_JS_OP_UNIQUE,
	KG_JS_OP_ITEMS,
	KG_JS_OP_CONTAINS,
	KG_JS_OP_UNEVALUATED_ITEMS,
	/* objects */
	KG_JS_OP_OBJECT,
	KG_JS_OP_DEPENDENT_REQUIRED,
	KG_JS_OP_DEPENDENT_SCHEMAS,
	KG_JS_OP_UNEVALUATED_PROPERTIES
} KgJsOp;

typedef struct KgJsNode KgJsNode;
typedef struct KgJsResource KgJsResource;

typedef struct KgJsNodeList
{
	int n;
	const KgJsNode *node[FLEXIBLE_ARRAY_MEMBER];
} KgJsNodeList;

typedef struct KgJsEnum
{
	int n;
	uint32 mask;		  /* number of slots - 1 */
	const uint32 *slots;  /* index of a value + 1; 0: free */
	const uint32 *hashes; /* hashes of the values */
	const KgJsVal *values;
} KgJsEnum;

typedef struct KgJsPatternNode
{
	const KgDfa *dfa; /* or NULL */
	const KgPattern *pattern;
	const KgJsNode *node;
	const char *source; /* the key in patternProperties */
	uint32 source_len;
} KgJsPatternNode;

typedef struct KgJsProperty
{
	uint64 prefix; /* kg_key_prefix() of the name */
	const char *name;
	uint32 len;
	bool required;
	bool declared;		  /* in "properties" */
	const KgJsNode *node; /* NULL if the name is in "required" only */
	int npatterns;		  /* number of patternProperties that match the name */
	const KgJsPatternNode *const *patterns;
} KgJsProperty;

#define KG_LENGTH_BUCKETS 32

/*
 * The keywords properties, required, patternProperties, additionalProperties
 * and propertyNames of a node.
 */
typedef struct KgJsObjectPlan
{
	int nproperties;
	const KgJsProperty *properties; /* in the order of jsonb's keys */
	/* Index of the first property of at least this length. */
	int by_length[KG_LENGTH_BUCKETS + 1];
	int nrequired;
	int npatterns;
	const KgJsPatternNode *patterns;
	const KgJsNode *additional; /* NULL: any value is valid */
	const KgJsNode *names;
	/* additionalProperties is present, so it marks members */
	bool marks_additional;
} KgJsObjectPlan;

typedef struct KgJsItemsPlan
{
	int nprefix;
	const KgJsNode *const *prefix;
	const KgJsNode *rest; /* NULL: any value is valid */
	bool marks_rest;
	uint8 prefix_keyword;
	uint8 rest_keyword;
} KgJsItemsPlan;

typedef struct KgJsContainsPlan
{
	const KgJsNode *node;
	int64 min;
	int64 max; /* -1: no maximum */
	bool marks;
} KgJsContainsPlan;

typedef struct KgJsDependency
{
	const char *name;
	uint32 len;
	const KgJsNode *node; /* dependentSchemas */
	int nrequired;		  /* dependentRequired */
	const KgJsVal *required;
} KgJsDependency;

typedef struct KgJsDependencies
{
	int n;
	KgJsDependency item[FLEXIBLE_ARRAY_MEMBER];
} KgJsDependencies;

typedef struct KgJsCondition
{
	const KgJsNode *condition;
	const KgJsNode *consequence; /* or NULL */
	const KgJsNode *alternative; /* or NULL */
} KgJsCondition;

typedef struct KgJsDynamicRef
{
	/* the target of the reference, if no dynamic anchor overrides it */
	const KgJsNode *target;
	const char *anchor;
} KgJsDynamicRef;

typedef struct KgJsInstr
{
	uint8 op;	   /* KgJsOp */
	uint8 keyword; /* KgKeyword that the instruction implements */
	int64 n;	   /* a length or count */
	union
	{
		const KgJsNode *node;
		const KgJsNodeList *list;
		const KgJsObjectPlan *object;
		const KgJsItemsPlan *items;
		const KgJsContainsPlan *contains;
		const KgJsDependencies *dependencies;
		const KgJsCondition *condition;
		const KgJsDynamicRef *dynamic;
		const KgPattern *pattern;
		const KgDfa *dfa;
		const KgJsEnum *values;
		const KgJsVal *value;
		const KgDivisor *divisor;
		const char *number;
		KgFormatCheck format;
	} u;
} KgJsInstr;

/* Flags of a node. */
#define KG_JS_NODE_FALSE 1			   /* the boolean schema false */
#define KG_JS_NODE_TRACKS_ITEMS 2	   /* has unevaluatedItems */
#define KG_JS_NODE_TRACKS_PROPERTIES 4 /* has unevaluatedProperties */

struct KgJsNode
{
	uint8 types; /* mask of allowed types, with KG_JS_INTEGER */
	uint8 plain; /* mask of types that need only checks of the value alone */
	uint8 flags;
	/* Instructions for each instance type; NULL: no further checks. */
	const KgJsInstr *code[KG_JS_NTYPES];
	const KgJsResource *resource;
	const char *pointer; /* JSON Pointer in the document */
	KgJsVal source;		 /* the subschema */
};

/* A $dynamicAnchor of a resource, or its $recursiveAnchor (name is NULL). */
typedef struct KgJsDynamicAnchor
{
	const char *name;
	const KgJsNode *node;
} KgJsDynamicAnchor;

/* A schema resource: a schema with its own URI. */
struct KgJsResource
{
	const char *uri; /* absolute, without fragment */
	/* URI of the containing document; NULL: root document */
	const char *document;
	const char *pointer; /* JSON Pointer of its root in the document */
	KgJsVal root;
	KgDialect dialect;
	int vocabularies;
	bool assert_format;
	bool checked; /* validated against its meta-schema */
	bool used;	  /* contains a compiled node */
	int ndynamic;
	KgJsDynamicAnchor *dynamic;
};

struct KgSchema
{
	KgSchemaOptions options;
	MemoryContext context;
	const KgJsNode *root;
	bool is_dynamic; /* uses $dynamicRef or $recursiveRef */
	int nnodes;
	List *warnings; /* of char * */
};

#endif /* KG_PROGRAM_H */
