/*
 * cite.h
 *	  The argument "citations": which version of each entity a reply tells of.
 */
#ifndef KG_CITE_H
#define KG_CITE_H

#include "model/catalog.h"
#include "tools/reply/reply.h"

/* An entity that a reply tells of, with the item that it is told in. */
typedef struct KgCited
{
	const KgType *type;
	const char *id;
	int item;	   /* negative: it is always told */
	int64 version; /* filled in; 0: it is not there */
} KgCited;

/* Is the argument given, of a tool that has it? */
extern bool kg_cite_wanted(const KgInput *in);

/* Read their versions, and have the draft tell {handle: version}. */
extern void kg_cite(KgDraft *draft, KgCited *cited, int n);

/* Those of items that are named, for tools/reply/reply.c. */
extern void kg_citations_write(const KgDraft *draft, int listed,
							   KgJsonWriter *w);
extern void kg_citations_measure(const KgDraft *draft, Size *whole, Size *stub);

#endif /* KG_CITE_H */
