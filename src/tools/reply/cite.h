/*
 * cite.h
 *	  The argument "citations": the versions of the entities in a reply.
 */
#ifndef KG_CITE_H
#define KG_CITE_H

#include "model/catalog.h"
#include "tools/reply/reply.h"

/* An entity in a reply, and the index of the reply's item that contains it. */
typedef struct KgCited
{
	const KgType *type;
	const char *id;
	/* negative: the entity is reported even if items are omitted */
	int item;
	int64 version; /* set by kg_cite(); 0: the entity does not exist */
} KgCited;

/*
 * Returns whether the tool has the argument "citations" and the caller set it
 * to true.
 */
extern bool kg_cite_wanted(const KgInput *in);

/*
 * Reads the versions of the entities and stores them in the draft. The reply
 * then lists them by handle.
 */
extern void kg_cite(KgDraft *draft, KgCited *cited, int n);

/*
 * Write and measure the citations of the first "listed" items of the reply,
 * for tools/reply/reply.c.
 */
extern void kg_citations_write(const KgDraft *draft, int listed,
							   KgJsonWriter *w);
extern void kg_citations_measure(const KgDraft *draft, Size *whole, Size *stub);

#endif /* KG_CITE_H */
