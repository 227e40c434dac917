/*
 * verify.h
 *	  A call of verify_claims.
 *
 *	  verify/read.c reads the claims and judges those that need no data.
 *	  verify/look.c looks up all names in sets. verify/judge.c judges by the
 *	  rows found. verify/calls.c runs the calls within claims. verify.c is the
 *	  tool.
 *
 *	  Data that the caller cannot see gives the same verdict as data that does
 *	  not exist: every verdict after the look-up is based on the rows found.
 */
#ifndef KG_TOOLS_VERIFY_H
#define KG_TOOLS_VERIFY_H

#include "tools/registered/definition.h"
#include "tools/dispatch.h"
#include "tools/graph/graph.h"

/* maximum number of handles of a path, as in the template */
#define KG_CLAIM_HANDLES 21
/* Maximum number of claims without a match that get suggestions. */
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
	/* the entity; its id is NULL if no visible entity was found */
	KgRef ref;
	/* KgRef *: further entities with this id, if the handle has no type */
	List *others;
	int64 version;
} KgMention;

/* An edge that supports or refutes a claim. */
typedef struct KgTriple
{
	int hop; /* index of the hop in the claim */
	const KgRelation *relation;
	int from; /* indexes of mentions, in the stored direction */
	int to;
	bool reversed; /* the stored edge has the opposite direction */
	int n;		   /* number of stored edges; > 1 if they are parallel */
	List *edges;   /* properties of these edges, Jsonb * or NULL */
} KgTriple;

typedef struct KgClaim
{
	int index;
	KgClaimKind kind;
	JsonbValue value;
	KgInput in;
	bool has_id;
	JsonbValue id;
	int64 version; /* 0: no version is claimed */
	int first;	   /* index of the first mention */
	int nmentions;
	char **relations; /* names of the relations of each hop */
	const char *rest; /* ":id", of a handle whose type does not exist */
	/* for a claim about a property: */
	char *property;
	JsonbValue is;
	const KgField *field;
	const KgFilter *filter; /* analysed against field's type; or NULL */
	const char *text;		/* folded text, used instead of a filter */
	/*
	 * For edges: filters by relation of the catalog, or NULL if no properties
	 * are claimed.
	 */
	KgFilter **edge_filters;
	int ntriples;
	KgTriple *triples;
	/* for a call: */
	KgToolCall called; /* as it was sent */
	KgCallable callable;
	const Jsonb *arguments;
	const char *within; /* path of the arguments of the claim's call */
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
	List *corrected; /* fields in the correction */
	const char *nearest;
	bool stale;
	bool complete;
	List *handles; /* char *, evidence */
	List *edges;   /* Jsonb *, evidence */
	/* the claim as reported: with only the verdict, and with all members */
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
	KgNodeSet set; /* entities that are read */
	KgRef *rows;   /* rows of the set */
	int left;	   /* bytes left for the arguments of registered tools */
} KgVerify;

/* Sets the verdict, if the claim is not judged yet. */
extern void kg_claim_judge(KgClaim *claim, KgVerdict verdict,
						   const char *reason);
/* Runs a function for a claim. An error that it raises becomes the verdict. */
typedef void (*KgClaimWork)(KgVerify *v, KgClaim *claim);
extern void kg_claim_try(KgVerify *v, KgClaim *claim, bool statements,
						 KgClaimWork work);

/*
 * Sets the ranks of the types that a handle may have, by its text. Returns
 * their number; 0: no type has that name.
 */
extern int kg_claim_types(const KgVerify *v, const KgMention *mention,
						  uint16 *ranks);
/* Analyses the condition of a property claim for a type. */
extern void kg_claim_analyse(KgVerify *v, KgClaim *claim, const KgType *type);
/* Returns whether a fixed tool takes the argument. */
extern bool kg_callable_declares(const KgCallable *callable, const char *name);
extern void kg_claims_read(KgVerify *v);
extern void kg_claims_look_up(KgVerify *v);
extern void kg_claims_judge(KgVerify *v);
extern void kg_claims_call(KgVerify *v);

/* Returns an edge as evidence: {type, from, to, properties?}. */
extern Jsonb *kg_claim_edge(const char *type, const char *from, const char *to,
							const Jsonb *properties);

/* Returns {key: value}. */
extern Jsonb *kg_claim_correction(const char *key, const JsonbValue *value);

extern Jsonb *kg_tool_verify_claims(const Jsonb *arguments);

#endif /* KG_TOOLS_VERIFY_H */
