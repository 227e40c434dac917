/*
 * reply.h
 *	  One place that makes a reply: measures it, cuts it to max_bytes, and says
 *	  what is missing, marked and repaired.
 *
 *	  What is measured is the reply as PostgreSQL writes jsonb as text: what the
 *	  SQL function returns, and the structured content of an MCP result.  A reply
 *	  that is too long is written again with less: first without its extras
 *	  (properties of edges where there is no next page, texts), then with the
 *	  last items without their data, then without the last items, then without
 *	  hints.  Nothing is estimated, so everything counts: arguments that "next"
 *	  repeats, cursors, names of what is unknown.
 *
 *	  A tool writes the members that are its own; the envelope (total, returned,
 *	  truncated, reason, next, withheld, hints, untrusted, repaired) is written
 *	  here, from what the draft says.
 */
#ifndef KG_REPLY_H
#define KG_REPLY_H

#include "base/json.h"
#include "model/marks.h"
#include "tools/input/input.h"

#define KG_TOKEN_BYTES 4 /* that a token of max_tokens stands for */

/* The arguments max_bytes and, where the tool has it, max_tokens. */
extern int64 kg_input_max_bytes(const KgInput *in);
/*
 * The argument limit, where it has no default of its own what it was.  0 asks
 * for the counts alone; raises where that comes with a cursor.
 */
extern int64 kg_input_limit(const KgInput *in, int64 otherwise);

/* How much of a reply is written. */
typedef struct KgFit
{
	int n;		/* items there are: */
	int listed; /* the first so many are named, */
	int whole;	/* the first so many of these with all their data */
	int extras; /* the first so many */
	int hints;	/* the first so many */
	/*
	 * What is left out would take so many bytes; 0: nothing is, or so many may
	 * not be asked for.
	 */
	int64 needed;
} KgFit;

/* How much is left out, by the units that "withheld" counts. */
typedef struct KgWithheld
{
	int items;
	int properties; /* items without their data; of graphs: */
	int node_properties;
	int edge_properties;
	int observations; /* of the toolset memory */
	int relations;
} KgWithheld;

/* What to send next; NULL, negative and 0 members are as they were sent. */
typedef struct KgNext
{
	const char *cursor;
	int64 offset;
	const Jsonb *ids;
	int64 max_bytes;
} KgNext;

typedef struct KgDraft
{
	const KgInput *input; /* of the call */
	int64 max_bytes;
	/* what may be left out */
	int n;	   /* items */
	int least; /* of them are always named: a page that ends where it began
				* could not be gone on from */
	int nextras;
	const Jsonb *hints; /* NULL: the reply has none */
	bool paged;			/* "next" can begin with any item */
	bool solid;	 /* an item without its data does not show that it is one */
	int untried; /* items that max_bytes surely has no room for, */
	bool untried_at_least; /* of which there may be more */
	/* About how long everything is, where that is known without measuring. */
	Size rough;
	/* Lengths as text, with their separators: of each item, and each extra. */
	void (*measure)(void *items, Size *whole, Size *stub, Size *extra);
	/*
	 * Called before what fits is written, where items are not all of a kind: to
	 * count what is withheld and to mark what is shown.  NULL: items that are
	 * not whole are counted as "properties".
	 */
	void (*cut)(void *items, const KgFit *fit, KgWithheld *withheld,
				KgMarks *marks);
	void *items;
	/* the envelope */
	int64 total;		 /* -1: not told */
	bool at_least;		 /* there may be more than total */
	const char *untold;	 /* what kept it from being told, or NULL */
	bool counts;		 /* only: limit is 0, and leaves nothing out */
	bool terse;			 /* "returned", "truncated": false are not told */
	bool more;			 /* limit leaves out items after these */
	const char *stopped; /* why there may be others, with no way to them */
	int64 highest_limit; /* > 0: told where the reply is truncated */
	KgMarks marks;
	const struct KgCited
		*cited; /* versions that are told (tools/reply/cite.h); or NULL */
	int ncited;
	const JsonbContainer *own; /* members that have names of the envelope's */
	/* the tool's own members */
	void (*write)(void *state, const KgFit *fit, KgJsonWriter *w);
	/* Of a page: what begins with an item after the first.  NULL: no pages. */
	void (*next)(void *state, int item, KgNext *next);
	void *state;
} KgDraft;

extern void kg_draft_init(KgDraft *draft, const KgInput *input,
						  int64 max_bytes);
/* The reply.  Raises KG_LIMIT_EXCEEDED where even the shortest is too long. */
extern Jsonb *kg_draft_finish(const KgDraft *draft);

/* That error, of a reply that takes so many bytes at least. */
extern KG_NORETURN void kg_throw_too_small(const KgInput *in, int64 max_bytes,
										   int64 size) KG_NORETURN_TAIL;
/* Its member that says so, and what it expects. */
#define KG_AT_LEAST "at_least"
extern char *kg_expect_at_least(const char *name, int64 least, int unit);

#endif /* KG_REPLY_H */
