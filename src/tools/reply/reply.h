/*
 * reply.h
 *	  Builds replies: measures a reply, shortens it to max_bytes, and adds the
 *	  members that report omissions, marks and repairs.
 *
 *	  The length that counts is that of the jsonb value as text. The SQL
 *	  function returns that text, and an MCP result has it as structured
 *	  content. A reply that is too long is written again with less data. It
 *	  first loses its extras (texts, or properties of edges if there is no
 *	  next page), then the data of the last items, then the last items
 *	  themselves, then hints. Lengths are measured, not estimated. They
 *	  include the arguments in "next", cursors, and names of unknown items.
 *
 *	  A tool writes its own members. This module adds the members of the
 *	  envelope: total, returned, truncated, reason, next, withheld, hints,
 *	  untrusted, repaired.
 */
#ifndef KG_REPLY_H
#define KG_REPLY_H

#include "base/json.h"
#include "model/marks.h"
#include "tools/input/input.h"

/* number of bytes that a token of max_tokens counts as */
#define KG_TOKEN_BYTES 4

/*
 * Returns the maximum size of the reply in bytes: max_bytes or, if the tool
 * has this argument and it is lower, max_tokens.
 */
extern int64 kg_input_max_bytes(const KgInput *in);
/*
 * Returns the argument "limit"; 0 requests only the counts. If the argument is
 * absent, returns the default of the schema, or "otherwise" if the schema has
 * no default. Raises KG_INVALID_INPUT if limit is 0 and the call has a cursor.
 */
extern int64 kg_input_limit(const KgInput *in, int64 otherwise);

/* The parts that a reply includes. */
typedef struct KgFit
{
	int n;		/* number of items */
	int listed; /* number of items, from the first, that are listed */
	int whole;	/* number of items, from the first, that have all their data */
	int extras; /* number of extras, from the first */
	int hints;	/* number of hints, from the first */
	/*
	 * Value of max_bytes with which nothing would be omitted. 0 means that
	 * nothing is omitted, or that the value would exceed the maximum.
	 */
	int64 needed;
} KgFit;

/* Numbers of omitted parts: the members of "withheld" in a reply. */
typedef struct KgWithheld
{
	int items;
	/* items without their data; graph tools use the next two members instead */
	int properties;
	int node_properties;
	int edge_properties;
	int observations; /* used only by the toolset memory */
	int relations;
} KgWithheld;

/*
 * Values of arguments for the next call. Arguments whose member is NULL,
 * negative or 0 stay as they were sent.
 */
typedef struct KgNext
{
	const char *cursor;
	int64 offset;
	const Jsonb *ids;
	int64 max_bytes;
} KgNext;

typedef struct KgDraft
{
	const KgInput *input; /* arguments of the call, with their schema */
	int64 max_bytes;
	/* The parts that may be omitted: */
	int n;	   /* number of items */
	int least; /* number of items, from the first, that are always listed */
	int nextras;
	const Jsonb *hints; /* or NULL */
	bool paged;			/* true: "next" can begin at any item */
	/*
	 * true: an item is never listed without its data, because it would not be
	 * recognizable
	 */
	bool solid;
	/*
	 * number of further items that were not added because they cannot fit into
	 * max_bytes
	 */
	int untried;
	bool untried_at_least; /* true: untried is a lower bound */
	/*
	 * Approximate bytes of the whole reply, if known without measuring;
	 * otherwise 0.
	 */
	Size rough;
	/*
	 * Sets the size in bytes, as text with separators, of each item with its
	 * data (whole), of each item without its data (stub), and of each extra.
	 */
	void (*measure)(void *items, Size *whole, Size *stub, Size *extra);
	/*
	 * Called before the reply is written, if items are of several kinds.
	 * Counts the omitted parts in "withheld", and marks the shown parts in
	 * "marks". NULL: items without all their data are counted as "properties".
	 */
	void (*cut)(void *items, const KgFit *fit, KgWithheld *withheld,
				KgMarks *marks);
	void *items;
	/* Values of the envelope: */
	int64 total;		/* number of all results; -1: not reported */
	bool at_least;		/* total is a lower bound */
	const char *untold; /* reason why total is not reported, or NULL */
	/*
	 * true: limit is 0, so only counts are requested and nothing counts as
	 * omitted
	 */
	bool counts;
	bool terse; /* true: omit "returned", and "truncated" if it is false */
	bool more;	/* true: "limit" excludes further items */
	/* reason why no call can request the items that follow, or NULL */
	const char *stopped;
	/*
	 * maximum of "limit", which is reported if the reply is truncated; 0: not
	 * reported
	 */
	int64 highest_limit;
	KgMarks marks;
	/* Entities whose versions are reported (tools/reply/cite.h), or NULL. */
	const struct KgCited *cited;
	int ncited;
	/* Members of the tool that have the name of a member of the envelope. */
	const JsonbContainer *own;
	/* Writes the tool's own members. */
	void (*write)(void *state, const KgFit *fit, KgJsonWriter *w);
	/*
	 * Sets in "next" the values of arguments for a page that begins with the
	 * item. NULL: the tool has no pages.
	 */
	void (*next)(void *state, int item, KgNext *next);
	void *state;
} KgDraft;

extern void kg_draft_init(KgDraft *draft, const KgInput *input,
						  int64 max_bytes);
/*
 * Returns the reply. Raises KG_LIMIT_EXCEEDED if even the shortest reply is
 * too long.
 */
extern Jsonb *kg_draft_finish(const KgDraft *draft);

/* Raises KG_LIMIT_EXCEEDED because the reply has at least "size" bytes. */
extern KG_NORETURN void kg_throw_too_small(const KgInput *in, int64 max_bytes,
										   int64 size);
/*
 * KG_AT_LEAST is the member of the error KG_LIMIT_EXCEEDED that has the least
 * sufficient value of max_bytes. The function returns the text for its member
 * "expected".
 */
#define KG_AT_LEAST "at_least"
extern char *kg_expect_at_least(const char *name, int64 least, int unit);

#endif /* KG_REPLY_H */
