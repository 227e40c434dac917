/*
 * splice.h
 *	  Putting finished jsonb documents into an object without taking them
 *	  apart: their bytes are copied as they are.
 */
#ifndef KG_SPLICE_H
#define KG_SPLICE_H

#include "utils/jsonb.h"

#define KG_SPLICE_MEMBERS 8

typedef struct KgSplice
{
	int n;
	struct
	{
		const char *key;
		int len;		  /* of it */
		JsonbValue value; /* scalar or jbvBinary; borrowed */
	} members[KG_SPLICE_MEMBERS];
} KgSplice;

extern void kg_splice_init(KgSplice *splice);

/* Keys may come in any order, each once. */
extern void kg_splice_add(KgSplice *splice, const char *key,
						  const JsonbValue *value);
extern void kg_splice_jsonb(KgSplice *splice, const char *key,
							const Jsonb *value);
extern void kg_splice_string(KgSplice *splice, const char *key,
							 const char *value);
extern void kg_splice_bool(KgSplice *splice, const char *key, bool value);

/* The object; palloc'd. */
extern Jsonb *kg_splice_finish(KgSplice *splice);
/* An array that has the object alone. */
extern Jsonb *kg_splice_finish_array(KgSplice *splice);

#endif /* KG_SPLICE_H */
