/*
 * fit.h
 *	  One place that measures a reply and cuts it to max_bytes.
 *
 *	  What is measured is the reply as PostgreSQL writes jsonb as text: what the
 *	  SQL function returns, and the structured content of an MCP result.  A reply
 *	  that is too long is written again with less: first without its extras
 *	  (properties of edges where there is no next page, texts), then with the
 *	  last items without their data, then without the last items, then without
 *	  hints.  Nothing is estimated, so everything counts: arguments that "next"
 *	  repeats, cursors, names of what is unknown.
 */
#ifndef KG_FIT_H
#define KG_FIT_H

#include "base/json.h"
#include "query/args.h"

#define KG_MIN_REPLY_BYTES 1024 /* least max_bytes */
#define KG_TOKEN_BYTES 4		/* that a token of max_tokens stands for */

/* The default of max_bytes: never above its ceiling. */
extern int64 kg_default_reply_bytes(void);
/* The arguments max_bytes and, where the tool has it, max_tokens. */
extern int64 kg_read_max_bytes(const JsonbContainer *args, bool tokens,
							   KgRepairs *repairs);

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

typedef struct KgDraft
{
	const JsonbContainer *args;
	int64 max_bytes;
	int n;	   /* items */
	int least; /* of them are always named: a page that ends where it began
				* could not be gone on from */
	int nextras;
	const Jsonb *hints; /* NULL: the reply has none */
	bool paged;			/* "next" can begin with any item */
	bool solid; /* an item without its data does not show that it is one */
	bool more;	/* there are items that this reply does not even try */
	/* About how long everything is, where that is known without measuring. */
	Size rough;
	/* Lengths as text, with their separators: of each item, and each extra. */
	void (*measure)(void *state, Size *whole, Size *stub, Size *extra);
	Jsonb *(*write)(void *state, const KgFit *fit);
	void *state;
} KgDraft;

/* The reply.  Raises KG_LIMIT_EXCEEDED where even the shortest is too long. */
extern Jsonb *kg_draft_finish(const KgDraft *draft);

/* What to send next; NULL, negative and 0 members are as they were sent. */
typedef struct KgNext
{
	const char *cursor;
	int64 offset;
	const Jsonb *ids;
	int64 max_bytes;
} KgNext;

/*
 * The item that "next" has to begin with, or -1 for no next page: the first one
 * whose data is not in the reply.  Where that is the first of all, it is to be
 * asked for with next->max_bytes; where it may not be, it is gone past.
 */
extern int kg_fit_next(const KgFit *fit, bool more, KgNext *next);
/* The member "next": the arguments with what is to be sent instead. */
extern void kg_next_write(const JsonbContainer *args, const KgNext *next,
						  KgJsonWriter *w);
/* The same where there are no pages: all again, with as many bytes. */
extern void kg_next_write_bytes(const JsonbContainer *args, const KgFit *fit,
								KgJsonWriter *w);

/* Writes the member "withheld" where anything was. */
extern void kg_withheld_write(KgJsonWriter *w, int properties, int items);

/* Those of an array that are to be written, as the member "hints". */
extern void kg_hints_write_some(const Jsonb *hints, const KgFit *fit,
								KgJsonWriter *w);

/* Length of JSON as jsonb's output function writes it. */
extern Size kg_value_text_size(const JsonbValue *value);
extern Size kg_json_text_size(const JsonbContainer *container);
extern Size kg_string_text_size(const char *s, int len);
extern Size kg_int_text_size(int64 n);

#endif /* KG_FIT_H */
