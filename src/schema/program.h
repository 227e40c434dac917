/*
 * program.h
 *	  A compiled schema, the output of compile.c and the input of run.c. Every
 *	  subschema is a node. A node has a flat list of instructions for each
 *	  instance type, so that the interpreter does not check keywords that
 *	  cannot apply.
 *
 * All data are in the memory context of the KgSchema, and do not change after
 * compilation. Names and enum values point into the copies of the schema
 * documents in that context.
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
	/* Instructions that check the value alone, up to KG_JS_OP_LAST_PLAIN. */
	KG_JS_OP_MIN_LENGTH,
	KG_JS_OP_MAX_LENGTH,
	KG_JS_OP_DFA,
	KG_JS_OP_FORMAT,
	KG_JS_OP_MINIMUM,
	KG_JS_OP_MAXIMUM,
	KG_JS_OP_EXCLUSIVE_MINIMUM,
	KG_JS_OP_EXCLUSIVE_MAXIMUM,
	KG_JS_OP_MULTIPLE_OF,
	KG_JS_OP_FAIL, /* each value of this type is invalid */
	KG_JS_OP_CONST,
	KG_JS_OP_ENUM,
	KG_JS_OP_MIN_ITEMS, /* also minProperties */
	KG_JS_OP_MAX_ITEMS, /* also maxProperties */
	KG_JS_OP_LAST_PLAIN = KG_JS_OP_MAX_ITEMS,
	/* Instructions that check the value alone, but may take long. */
	KG_JS_OP_PATTERN,
	KG_JS_OP_MULTIPLE_OF_BIG,
	/* Instructions that combine subschemas. */
	KG_JS_OP_REF,
	KG_JS_OP_DYNAMIC_REF,
	KG_JS_OP_RECURSIVE_REF,
	KG_JS_OP_ALL_OF,
	KG_JS_OP_ANY_OF,
	KG_JS_OP_ONE_OF,
	KG_JS_OP_NOT,
	KG_JS_OP_IF,
	/* Instructions for arrays. */
	KG_JS_OP_UNIQUE,
	KG_JS_OP_ITEMS,
	KG_JS_OP_CONTAINS,
	KG_JS_OP_UNEVALUATED_ITEMS,
	/* Instructions for objects. */
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
	uint32 mask;		  /* number of slots - 1; masks a hash */
	const uint32 *slots;  /* index of a value + 1; 0: free */
	const uint32 *hashes; /* hashes of the values */
	const KgJsVal *values;
} KgJsEnum;

typedef struct KgJsPatternNode
{
	const KgDfa *dfa; /* the DFA, or NULL */
	const KgPattern *pattern;
	const KgJsNode *node;
	const char *source; /* key in patternProperties */
	uint32 source_len;
} KgJsPatternNode;

typedef struct KgJsProperty
{
	uint64 prefix; /* kg_key_prefix() of the name */
	const char *name;
	uint32 len;
	bool required;
	bool declared;		  /* the name is in "properties" */
	const KgJsNode *node; /* NULL if the name is only in "required" */
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
	const KgJsProperty *properties; /* ordered like jsonb's keys */
	/*
	 * For each length, the index of the first property that is at least as
	 * long.
	 */
	int by_length[KG_LENGTH_BUCKETS + 1];
	int nrequired;
	int npatterns;
	const KgJsPatternNode *patterns;
	/* node of additionalProperties; NULL: any value is valid */
	const KgJsNode *additional;
	const KgJsNode *names;
	/*
	 * additionalProperties is present, so the members that it covers count as
	 * evaluated.
	 */
	bool marks_additional;
} KgJsObjectPlan;

typedef struct KgJsItemsPlan
{
	int nprefix;
	const KgJsNode *const *prefix;
	/* schema of the items after the prefix; NULL: any value is valid */
	const KgJsNode *rest;
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
	const KgJsNode *node; /* node of dependentSchemas */
	int nrequired;		  /* number of names of dependentRequired */
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
	const KgJsNode *consequence; /* "then", or NULL */
	const KgJsNode *alternative; /* "else", or NULL */
} KgJsCondition;

typedef struct KgJsDynamicRef
{
	/* The target of the reference if no dynamic anchor overrides it. */
	const KgJsNode *target;
	const char *anchor;
} KgJsDynamicRef;

typedef struct KgJsInstr
{
	uint8 op;	   /* a KgJsOp */
	uint8 keyword; /* the KgKeyword that the instruction implements */
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
#define KG_JS_NODE_FALSE 1		  /* the node is the boolean schema false */
#define KG_JS_NODE_TRACKS_ITEMS 2 /* the node has unevaluatedItems */
#define KG_JS_NODE_TRACKS_PROPERTIES 4 /* the node has unevaluatedProperties */

struct KgJsNode
{
	uint8 types; /* mask of allowed types, including KG_JS_INTEGER */
	/* mask of the types for which all instructions check the value alone */
	uint8 plain;
	uint8 flags;
	/* Instructions for each instance type; NULL: no checks besides the type. */
	const KgJsInstr *code[KG_JS_NTYPES];
	const KgJsResource *resource;
	const char *pointer; /* JSON Pointer in the document */
	KgJsVal source;		 /* the JSON value of the subschema */
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
	const char *uri; /* absolute URI without fragment */
	/*
	 * URI of the document that contains the resource; NULL: the root document
	 */
	const char *document;
	/* JSON Pointer of the resource's root in the document */
	const char *pointer;
	KgJsVal root;
	KgDialect dialect;
	int vocabularies;
	bool assert_format;
	bool checked; /* the resource was validated against its meta-schema */
	bool used;	  /* a node of the resource was compiled */
	int ndynamic;
	KgJsDynamicAnchor *dynamic;
};

struct KgSchema
{
	KgSchemaOptions options;
	MemoryContext context;
	const KgJsNode *root;
	bool is_dynamic; /* the schema uses $dynamicRef or $recursiveRef */
	int nnodes;
	List *warnings; /* List of char * */
};

#endif /* KG_PROGRAM_H */
