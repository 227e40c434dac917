/*
 * reply.h
 *	  Builds replies: measures a reply, shortens it to max_bytes, and adds the
 *	  members that report omissions, marks and repairs.
 *
 *	  The measured length is that of the jsonb value as text. The SQL function
 *	  returns that text; an MCP result has it as structured content. A reply
 *	  that is too long is written again with less data. It first loses its
 *	  extras (texts; properties of edges if there is no next page), then the
 *	  data of the last items, then the last items, then hints. Lengths are
 *	  measured, not estimated. They include the arguments in "next", cursors,
 *	  and names of unknown items.
 *
 *	  A tool writes its own members. This module writes the envelope from the
 *	  draft: total, returned, truncated, reason, next, withheld, hints,
 *	  untrusted, repaired.
 */
#ifndef KG_REPLY_H
#define KG_REPLY_H

#include "base/json.h"
#include "model/marks.h"
#include "tools/input/input.h"

#define KG_TOKEN_BYTES 4 /* bytes for each token of max_tokens */

/*
 * Returns the limit in bytes, from max_bytes and, if the tool has it,
 * max_tokens.
 */
extern int64 kg_input_max_bytes(const KgInput *in);
/*
 * Returns the argument "limit". If it is absent, returns the default of the
 * schema, or "otherwise" if the schema has no default. 0 requests only the
 * counts. Raises KG_INVALID_INPUT if limit is 0 and the call has a cursor.
 */
extern int64 kg_input_limit(const KgInput *in, int64 otherwise);

/* The parts of a reply that are written. */
typedef struct KgFit
{
	int n;		/* number of items */
	int listed; /* number of leading items that are listed */
	int whole;	/* number of leading items that have all their data */
	int extras; /* number of leading extras */
	int hints;	/* number of leading hints */
	/*
	 * Value of max_bytes with which nothing would be omitted. 0: nothing is
	 * omitted, or the value would exceed the maximum.
	 */
	int64 needed;
} KgFit;

/* Numbers of omitted parts, by the units of "withheld". */
typedef struct KgWithheld
{
	int items;
	int properties; /* number of items without their data; for graphs: */
	int node_properties;
	int edge_properties;
	int observations; /* for the toolset memory: */
	int relations;
} KgWithheld;

/*
 * Arguments of the next call. Members that are NULL, negative or 0 stay as
 * sent.
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
	const KgInput *input; /* arguments of the call */
	int64 max_bytes;
	/* parts that may be omitted: */
	int n;	   /* number of items */
	int least; /* leading items that are always listed */
	int nextras;
	const Jsonb *hints; /* or NULL */
	bool paged;			/* "next" can begin at any item */
	/*
	 * items may not be written without their data, because they would not be
	 * recognizable
	 */
	bool solid;
	int untried;		   /* further items that cannot fit into max_bytes */
	bool untried_at_least; /* untried is a lower bound */
	/*
	 * Approximate length of the whole reply, if it is known without measuring.
	 */
	Size rough;
	/*
	 * Sets the lengths in bytes, as text with separators, of each item and
	 * extra.
	 */
	void (*measure)(void *items, Size *whole, Size *stub, Size *extra);
	/*
	 * Counts the withheld parts and marks the shown ones, if items are of
	 * several kinds. Called before the reply is written. NULL: items without
	 * all data count as "properties".
	 */
	void (*cut)(void *items, const KgFit *fit, KgWithheld *withheld,
				KgMarks *marks);
	void *items;
	/* the envelope: */
	int64 total;		/* -1: not reported */
	bool at_least;		/* total is a lower bound */
	const char *untold; /* reason why total is not reported, or NULL */
	bool counts; /* limit is 0: only counts are requested, nothing is omitted */
	bool terse;	 /* omit "returned" and a false "truncated" */
	bool more;	 /* limit excludes items after these */
	const char *stopped; /* why further items cannot be requested; or NULL */
	int64 highest_limit; /* > 0: reported if the reply is truncated */
	KgMarks marks;
	/* reported versions (tools/reply/cite.h); or NULL */
	const struct KgCited *cited;
	int ncited;
	/* the tool's members with names of the envelope */
	const JsonbContainer *own;
	/* Writes the tool's own members. */
	void (*write)(void *state, const KgFit *fit, KgJsonWriter *w);
	/*
	 * Sets the arguments of a page that begins with an item after the first.
	 * NULL: the tool has no pages.
	 */
	void (*next)(void *state, int item, KgNext *next);
	void *state;
} KgDraft;

extern void kg_draft_init(KgDraft *draft, const KgInput *input,
						  int64 max_bytes);
/*
 * Returns the reply. Raises KG_LIMIT_EXCEEDED if the shortest reply is too
 * long.
 */
extern Jsonb *kg_draft_finish(const KgDraft *draft);

/* Raises KG_LIMIT_EXCEEDED for a reply of at least size bytes. */
extern KG_NORETURN void kg_throw_too_small(const KgInput *in, int64 max_bytes,
										   int64 size);
/*
 * The member of the error KG_LIMIT_EXCEEDED with the minimum of max_bytes, and
 * the text of its member "expected".
 */
#define KG_AT_LEAST "at_least"
extern char *kg_expect_at_least(const char *name, int64 least, int unit);

#endif /* KG_REPLY_H */
