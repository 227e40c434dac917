/*
 * splice.h
 *	  Insertion of complete jsonb documents into a new object, as copied bytes.
 */
#ifndef KG_SPLICE_H
#define KG_SPLICE_H

#include "utils/jsonb.h"

#define KG_SPLICE_MEMBERS 16

typedef struct KgSplice
{
	int n;
	struct
	{
		const char *key;
		int len;		  /* length of the key; bytes */
		JsonbValue value; /* scalar or jbvBinary; not copied */
	} members[KG_SPLICE_MEMBERS];
} KgSplice;

extern void kg_splice_init(KgSplice *splice);

/* Add a member.  Keys may come in any order, each at most once. */
extern void kg_splice_add(KgSplice *splice, const char *key,
						  const JsonbValue *value);
extern void kg_splice_jsonb(KgSplice *splice, const char *key,
							const Jsonb *value);
extern void kg_splice_string(KgSplice *splice, const char *key,
							 const char *value);
extern void kg_splice_bool(KgSplice *splice, const char *key, bool value);

/* Returns the object, palloc'd. */
extern Jsonb *kg_splice_finish(KgSplice *splice);
/* Returns an array whose only item is the object, palloc'd. */
extern Jsonb *kg_splice_finish_array(KgSplice *splice);

#endif /* KG_SPLICE_H */
