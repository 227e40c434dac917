/*
 * verify.h
 *	  A call of verify_claims.
 *
 *	  verify/read.c reads the claims and judges those that need no data.
 *	  verify/look.c looks up the names of all claims together. verify/judge.c
 *	  judges by the rows found. verify/calls.c runs the calls that claims
 *	  contain. verify.c is the tool.
 *
 *	  Data that the caller cannot see gives the same verdict as data that does
 *	  not exist, because all verdicts after the look-up are based on the rows
 *	  that it found.
 */
#ifndef KG_TOOLS_VERIFY_H
#define KG_TOOLS_VERIFY_H

#include "tools/registered/definition.h"
#include "tools/dispatch.h"
#include "tools/graph/graph.h"

/*
 * maximum number of handles in a claim about a path, equal to the maximum in
 * the template of the schema
 */
#define KG_CLAIM_HANDLES 21
/* Maximum number of claims that match nothing and get suggestions. */
#define KG_CLAIM_NEAREST 5

typedef enum KgVerdict
{
	KG_SUPPORTED,
	KG_CONTRADICTED,
	KG_NOT_THERE,
	KG_AMBIGUOUS,
	KG_UNSURE,
	KG_INVALID_CLAIM
} KgVerdict;

#define KG_NVERDICTS (KG_INVALID_CLAIM + 1)

typedef enum KgClaimKind
{
	KG_CLAIM_ENTITY,
	KG_CLAIM_PROPERTY,
	KG_CLAIM_EDGE,
	KG_CLAIM_PATH,
	KG_CLAIM_REACH,
	KG_CLAIM_COUNT,
	KG_CLAIM_NONE,
	KG_CLAIM_NAME
} KgClaimKind;

/* A handle in a claim, with the entity that it names. */
typedef struct KgMention
{
	char *given;
	/*
	 * The entity that the handle names. Its id is NULL if no visible entity
	 * was found.
	 */
	KgRef ref;
	/*
	 * List of KgRef *: further entities with this id, if the handle has no
	 * type.
	 */
	List *others;
	int64 version;
} KgMention;

/*
 * Stored edges between two mentioned entities that support or refute a claim.
 */
typedef struct KgTriple
{
	/*
	 * index of the hop, in the path of the claim, to which these edges belong
	 */
	int hop;
	const KgRelation *relation;
	/* indexes of the mentions at the source and target of the stored edges */
	int from;
	int to;
	/* true: the stored edges have the opposite direction of the claim */
	bool reversed;
	/* number of stored edges, which are parallel if there are several */
	int n;
	List *edges; /* List of Jsonb *: properties of each edge, or NULL */
} KgTriple;

typedef struct KgClaim
{
	int index;
	KgClaimKind kind;
	JsonbValue value;
	KgInput in;
	bool has_id;
	JsonbValue id;
	int64 version; /* claimed version; 0: the claim names no version */
	/* index of the claim's first mention (handle) among all mentions */
	int first;
	int nmentions;
	char **relations; /* indexed by hop: name of the relation */
	const char *rest; /* part ":id" of a handle whose type does not exist */
	/* Members for a claim about a property: */
	char *property;
	JsonbValue is;
	const KgField *field;
	/* claimed condition, analysed for the type of "field"; or NULL */
	const KgFilter *filter;
	/* case-folded text to compare instead of a filter, or NULL */
	const char *text;
	/*
	 * For a claim about edges: filters on the claimed properties, indexed by
	 * relation in the catalog. NULL if no properties are claimed.
	 */
	KgFilter **edge_filters;
	int ntriples;
	KgTriple *triples;
	/* for a call: */
	KgToolCall called; /* the call in the claim, as it was sent */
	KgCallable callable;
	const Jsonb *arguments;
	/* JSON Pointer of the arguments of the call in the claim */
	const char *within;
	const Jsonb *hints; /* hints of the reply, or NULL */
	const Jsonb *repaired;
	/* for a name: */
	char *name; /* folded */
	const KgType *type;
	List *named; /* KgRef * */
	bool crowded;
	/* the verdict: */
	bool judged;
	KgVerdict verdict;
	const char *reason;
	const Jsonb *error;
	const Jsonb *correction;
	List *corrected; /* members of the correction of the claim */
	const char *nearest;
	bool stale;
	bool complete;
	List *handles; /* List of char *: handles that are the evidence */
	List *edges;   /* List of Jsonb *: edges that are the evidence */
	/*
	 * The claim as JSON for the reply. Element 0: with only its verdict.
	 * Element 1: with all members.
	 */
	Jsonb *written[2];
} KgClaim;

typedef struct KgVerify
{
	KgGraphCall call;
	int n;
	KgClaim *claims;
	int nmentions;
	int room;
	KgMention *mentions;
	KgNodeSet set; /* nodes whose entities are read */
	KgRef *rows;   /* entities, indexed by node of the set */
	/* number of bytes that the arguments of registered tools may still have */
	int left;
} KgVerify;

/*
 * Sets the verdict on a claim. Does nothing if the claim already has a verdict.
 */
extern void kg_claim_judge(KgClaim *claim, KgVerdict verdict,
						   const char *reason);
/*
 * Runs a function for a claim. If the function raises an error, the error
 * decides the verdict. If "statements" is true, the function may run SQL
 * statements, so it runs in a subtransaction.
 */
typedef void (*KgClaimWork)(KgVerify *v, KgClaim *claim);
extern void kg_claim_try(KgVerify *v, KgClaim *claim, bool statements,
						 KgClaimWork work);

/*
 * Sets "ranks" to the ranks of the types that the entity of a handle may have,
 * according to the text of the handle. Returns the number of types, or 0 if no
 * type has the name in the handle.
 */
extern int kg_claim_types(const KgVerify *v, const KgMention *mention,
						  uint16 *ranks);
/*
 * Analyses the condition of a claim about a property, for an entity of the
 * type.
 */
extern void kg_claim_analyse(KgVerify *v, KgClaim *claim, const KgType *type);
/* Returns whether the callable is a fixed tool that has the argument. */
extern bool kg_callable_declares(const KgCallable *callable, const char *name);
extern void kg_claims_read(KgVerify *v);
extern void kg_claims_look_up(KgVerify *v);
extern void kg_claims_judge(KgVerify *v);
extern void kg_claims_call(KgVerify *v);

/*
 * Returns an edge in the form that evidence has: {type, from, to,
 * properties?}.
 */
extern Jsonb *kg_claim_edge(const char *type, const char *from, const char *to,
							const Jsonb *properties);

/* Returns a correction {key: value}. */
extern Jsonb *kg_claim_correction(const char *key, const JsonbValue *value);

extern Jsonb *kg_tool_verify_claims(const Jsonb *arguments);

#endif /* KG_TOOLS_VERIFY_H */
