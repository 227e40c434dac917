/*
 * cite.h
 *	  The argument "citations": the versions of the entities in a reply.
 */
#ifndef KG_CITE_H
#define KG_CITE_H

#include "model/catalog.h"
#include "tools/reply/reply.h"

/* An entity in a reply, with the index of its item. */
typedef struct KgCited
{
	const KgType *type;
	const char *id;
	int item;	   /* negative: reported with every reply */
	int64 version; /* set by kg_cite(); 0: the entity does not exist */
} KgCited;

/* Returns whether the tool has the argument and the caller set it. */
extern bool kg_cite_wanted(const KgInput *in);

/*
 * Reads the versions of the entities, and stores them in the draft, which
 * reports them by handle.
 */
extern void kg_cite(KgDraft *draft, KgCited *cited, int n);

/*
 * Write and measure the citations of the listed items, for
 * tools/reply/reply.c.
 */
extern void kg_citations_write(const KgDraft *draft, int listed,
							   KgJsonWriter *w);
extern void kg_citations_measure(const KgDraft *draft, Size *whole, Size *stub);

#endif /* KG_CITE_H */
