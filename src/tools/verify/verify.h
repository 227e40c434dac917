/*
 * verify.h
 *	  verify_claims: a call in progress.
 *
 *	  verify/read.c reads the claims and judges what needs no look at the data,
 *	  verify/look.c looks everything up that they name, set-wise, verify/judge.c
 *	  judges by what was found, verify/calls.c makes the calls that claims hold,
 *	  verify.c is the tool.
 *
 *	  Nothing that a caller does not see is told apart from what is not there:
 *	  whatever is judged after the look-up begins with what was found of it.
 */
#ifndef KG_TOOLS_VERIFY_H
#define KG_TOOLS_VERIFY_H

#include "tools/registered/definition.h"
#include "tools/dispatch.h"
#include "tools/graph/graph.h"

#define KG_CLAIM_HANDLES 21 /* of a path, as the template says */
/* Claims of entities and names that find nothing are told what is near. */
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

/* A handle in a claim, and what it means. */
typedef struct KgMention
{
	char *given;
	KgRef ref;	  /* id NULL: nothing, or nothing that is visible */
	List *others; /* KgRef *: what else an id without a type means */
	int64 version;
} KgMention;

/* An edge as a claim needs it, or refutes it. */
typedef struct KgTriple
{
	int hop; /* of the claim */
	const KgRelation *relation;
	int from; /* mentions, in the stored direction */
	int to;
	bool reversed; /* the other way round than claimed */
	int n;		   /* stored ones; parallel edges are several */
	List *edges;   /* of their properties, Jsonb * or NULL */
} KgTriple;

typedef struct KgClaim
{
	int index;
	KgClaimKind kind;
	JsonbValue value;
	KgInput in;
	bool has_id;
	JsonbValue id;
	int64 version; /* 0: none is claimed */
	int first;	   /* mention, of so many */
	int nmentions;
	char **relations; /* between two each: their names */
	const char *rest; /* of a handle whose type there is not: ":id" */
	/* of a property */
	char *property;
	JsonbValue is;
	const KgField *field;
	const KgFilter *filter; /* analysed against field's type; or NULL */
	const char *text;		/* folded, instead */
	/* of edges: by relation of the catalog, NULL: properties are not claimed */
	KgFilter **edge_filters;
	int ntriples;
	KgTriple *triples;
	/* of a call */
	KgToolCall called; /* as it was sent */
	KgCallable callable;
	const Jsonb *arguments;
	const char *within; /* where they are, once it is called */
	/* of a name */
	char *name; /* folded */
	const KgType *type;
	List *named; /* KgRef * */
	bool crowded;
	/* the verdict */
	bool judged;
	KgVerdict verdict;
	const char *reason;
	const Jsonb *error;
	const Jsonb *correction;
	List *corrected; /* fields that the correction shows */
	const char *nearest;
	bool stale;
	bool complete;
	List *handles;	   /* char *, evidence */
	List *edges;	   /* Jsonb *, evidence */
	Jsonb *written[2]; /* as it is told: its verdict, and all of it */
} KgClaim;

typedef struct KgVerify
{
	KgGraphCall call;
	int n;
	KgClaim *claims;
	int nmentions;
	int room;
	KgMention *mentions;
	KgNodeSet set; /* of entities that are read, */
	KgRef *rows;   /* and their rows */
	int left;	   /* bytes of arguments that registered tools may make */
} KgVerify;

/* Judge, where nothing has judged it before. */
extern void kg_claim_judge(KgClaim *claim, KgVerdict verdict,
						   const char *reason);
/* Do it for a claim; what it raises judges the claim. */
typedef void (*KgClaimWork)(KgVerify *v, KgClaim *claim);
extern void kg_claim_try(KgVerify *v, KgClaim *claim, bool statements,
						 KgClaimWork work);

/* The types that a handle may be of, by its text; none: it names none. */
extern int kg_claim_types(const KgVerify *v, const KgMention *mention,
						  uint16 *ranks);
/* The condition of a property claim against a type. */
extern void kg_claim_analyse(KgVerify *v, KgClaim *claim, const KgType *type);
/* Returns whether a fixed tool takes the argument. */
extern bool kg_callable_declares(const KgCallable *callable, const char *name);
extern void kg_claims_read(KgVerify *v);
extern void kg_claims_look_up(KgVerify *v);
extern void kg_claims_judge(KgVerify *v);
extern void kg_claims_call(KgVerify *v);

/* An edge as evidence: {type, from, to, properties?}. */
extern Jsonb *kg_claim_edge(const char *type, const char *from, const char *to,
							const Jsonb *properties);

/* {key: value} */
extern Jsonb *kg_claim_correction(const char *key, const JsonbValue *value);

extern Jsonb *kg_tool_verify_claims(const Jsonb *arguments);

#endif /* KG_TOOLS_VERIFY_H */
