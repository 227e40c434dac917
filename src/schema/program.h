/*
 * program.h
 *	  A compiled schema: what compile.c builds and run.c executes.
 *
 * Every subschema is a node.  A node has one flat list of instructions for
 * each type of instance, so that the interpreter never looks at what cannot
 * apply.  Everything lives in the memory context of the KgSchema and does not
 * change after compilation; names and enum values point into the copies of the
 * schema documents that the same context holds.
 */
#ifndef KG_PROGRAM_H
#define KG_PROGRAM_H

#include "schema/format.h"
#include "schema/keyword.h"
#include "schema/number.h"
#include "schema/pattern.h"
#include "schema/schema.h"
#include "schema/value.h"

typedef enum KgOp
{
	KG_OP_END,
	/* of the value alone, up to KG_OP_LAST_PLAIN */
	KG_OP_MIN_LENGTH,
	KG_OP_MAX_LENGTH,
	KG_OP_DFA,
	KG_OP_FORMAT,
	KG_OP_MINIMUM,
	KG_OP_MAXIMUM,
	KG_OP_EXCLUSIVE_MINIMUM,
	KG_OP_EXCLUSIVE_MAXIMUM,
	KG_OP_MULTIPLE_OF,
	KG_OP_FAIL, /* of this type nothing can be valid */
	KG_OP_CONST,
	KG_OP_ENUM,
	KG_OP_MIN_ITEMS, /* and minProperties */
	KG_OP_MAX_ITEMS, /* and maxProperties */
	KG_OP_LAST_PLAIN = KG_OP_MAX_ITEMS,
	/* of the value alone, but they may take long */
	KG_OP_PATTERN,
	KG_OP_MULTIPLE_OF_BIG,
	/* combinations */
	KG_OP_REF,
	KG_OP_DYNAMIC_REF,
	KG_OP_RECURSIVE_REF,
	KG_OP_ALL_OF,
	KG_OP_ANY_OF,
	KG_OP_ONE_OF,
	KG_OP_NOT,
	KG_OP_IF,
	/* arrays */
	KG_OP_UNIQUE,
	KG_OP_ITEMS,
	KG_OP_CONTAINS,
	KG_OP_UNEVALUATED_ITEMS,
	/* objects */
	KG_OP_OBJECT,
	KG_OP_DEPENDENT_REQUIRED,
	KG_OP_DEPENDENT_SCHEMAS,
	KG_OP_UNEVALUATED_PROPERTIES
} KgOp;

typedef struct KgNode KgNode;
typedef struct KgResource KgResource;

typedef struct KgNodeList
{
	int n;
	const KgNode *node[FLEXIBLE_ARRAY_MEMBER];
} KgNodeList;

typedef struct KgEnum
{
	int n;
	uint32 mask;		  /* of slots */
	const uint32 *slots;  /* index + 1 of a value, 0: free */
	const uint32 *hashes; /* of the values */
	const KgVal *values;
} KgEnum;

typedef struct KgPatternNode
{
	const KgDfa *dfa; /* or NULL */
	const KgPattern *pattern;
	const KgNode *node;
	const char *source; /* key in patternProperties */
	uint32 source_len;
} KgPatternNode;

typedef struct KgProperty
{
	uint64 prefix; /* kg_key_prefix() of the name */
	const char *name;
	uint32 len;
	bool required;
	bool declared;		/* in "properties" */
	const KgNode *node; /* NULL where only required */
	int npatterns;		/* patternProperties that the name matches */
	const KgPatternNode *const *patterns;
} KgProperty;

#define KG_LENGTH_BUCKETS 32

/* properties, required, patternProperties, additionalProperties, names */
typedef struct KgObjectPlan
{
	int nproperties;
	const KgProperty *properties; /* in jsonb's order */
	/* Index of the first property of this length or a longer one. */
	int by_length[KG_LENGTH_BUCKETS + 1];
	int nrequired;
	int npatterns;
	const KgPatternNode *patterns;
	const KgNode *additional; /* NULL: anything */
	const KgNode *names;
	bool marks_additional; /* the keyword is there, so it evaluates */
} KgObjectPlan;

typedef struct KgItemsPlan
{
	int nprefix;
	const KgNode *const *prefix;
	const KgNode *rest; /* NULL: anything */
	bool marks_rest;
	uint8 prefix_keyword;
	uint8 rest_keyword;
} KgItemsPlan;

typedef struct KgContainsPlan
{
	const KgNode *node;
	int64 min;
	int64 max; /* -1: none */
	bool marks;
} KgContainsPlan;

typedef struct KgDependency
{
	const char *name;
	uint32 len;
	const KgNode *node; /* dependentSchemas */
	int nrequired;		/* dependentRequired */
	const KgVal *required;
} KgDependency;

typedef struct KgDependencies
{
	int n;
	KgDependency item[FLEXIBLE_ARRAY_MEMBER];
} KgDependencies;

typedef struct KgCondition
{
	const KgNode *condition;
	const KgNode *consequence; /* or NULL */
	const KgNode *alternative; /* or NULL */
} KgCondition;

typedef struct KgDynamicRef
{
	const KgNode *target; /* where it leads when nothing overrides it */
	const char *anchor;
} KgDynamicRef;

typedef struct KgInstr
{
	uint8 op;	   /* KgOp */
	uint8 keyword; /* KgKeyword that it came from */
	int64 n;	   /* a length or count */
	union
	{
		const KgNode *node;
		const KgNodeList *list;
		const KgObjectPlan *object;
		const KgItemsPlan *items;
		const KgContainsPlan *contains;
		const KgDependencies *dependencies;
		const KgCondition *condition;
		const KgDynamicRef *dynamic;
		const KgPattern *pattern;
		const KgDfa *dfa;
		const KgEnum *values;
		const KgVal *value;
		const KgDivisor *divisor;
		const char *number;
		KgFormatCheck format;
	} u;
} KgInstr;

/* Flags of a node. */
#define KG_NODE_FALSE 1				/* the boolean schema false */
#define KG_NODE_TRACKS_ITEMS 2		/* has unevaluatedItems */
#define KG_NODE_TRACKS_PROPERTIES 4 /* has unevaluatedProperties */

struct KgNode
{
	uint8 types; /* mask of allowed types, with KG_T_INTEGER */
	uint8 plain; /* mask of types whose code looks at the value alone */
	uint8 flags;
	/* For an instance of each type; NULL: nothing more to check. */
	const KgInstr *code[KG_NTYPES];
	const KgResource *resource;
	const char *pointer; /* JSON Pointer inside the document */
	KgVal source;		 /* the subschema itself */
};

/* A $dynamicAnchor of a resource, or its $recursiveAnchor (name NULL). */
typedef struct KgDynamicAnchor
{
	const char *name;
	const KgNode *node;
} KgDynamicAnchor;

/* A schema with an identity of its own. */
struct KgResource
{
	const char *uri;	  /* absolute, without fragment */
	const char *document; /* URI of the document it stands in; NULL: root */
	const char *pointer;  /* of its root inside the document */
	KgVal root;
	KgDialect dialect;
	int vocabularies;
	bool assert_format;
	bool checked; /* against its meta-schema */
	bool used;	  /* a node stands in it */
	int ndynamic;
	KgDynamicAnchor *dynamic;
};

struct KgSchema
{
	KgSchemaOptions options;
	MemoryContext context;
	const KgNode *root;
	bool is_dynamic; /* uses $dynamicRef or $recursiveRef */
	int nnodes;
};

#endif /* KG_PROGRAM_H */
