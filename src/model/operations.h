/*
 * operations.h
 *	  What the generated tools do: one list for the annotation x-tool-expose and
 *	  a relation's "tools", for rows of kg_tool, for names and for hints.
 */
#ifndef KG_OPERATIONS_H
#define KG_OPERATIONS_H

#include "base/compat.h"

#define KG_EXPOSE_LIST 1
#define KG_EXPOSE_GET 2
#define KG_EXPOSE_LIST_IDS 4
#define KG_EXPOSE_CREATE 8
#define KG_EXPOSE_UPDATE 16
#define KG_EXPOSE_DELETE 32
#define KG_EXPOSE_LINK 64
#define KG_EXPOSE_UNLINK 128
#define KG_EXPOSE_HISTORY 256

#define KG_EXPOSE_READING \
	(KG_EXPOSE_LIST | KG_EXPOSE_GET | KG_EXPOSE_LIST_IDS | KG_EXPOSE_HISTORY)
/* What a caller without write access has none of. */
#define KG_EXPOSE_WRITING                                                      \
	(KG_EXPOSE_CREATE | KG_EXPOSE_UPDATE | KG_EXPOSE_DELETE | KG_EXPOSE_LINK | \
	 KG_EXPOSE_UNLINK)
#define KG_EXPOSE_DELETING (KG_EXPOSE_DELETE | KG_EXPOSE_UNLINK)
/* What a relation may name; the others are a type's. */
#define KG_EXPOSE_OF_RELATION (KG_EXPOSE_LINK | KG_EXPOSE_UNLINK)

typedef struct KgOperation
{
	int expose; /* its bit */
	const char *name;
	const char *before; /* the name of the type or relation, */
	const char *after;	/* in that of the tool */
	bool destructive;
	bool idempotent;
} KgOperation;

/* All of them by number; NULL after the last. */
extern const KgOperation *kg_operation(int number);
/* By bit, and by name; NULL where there is none such. */
extern const KgOperation *kg_operation_of(int expose);
extern const KgOperation *kg_operation_named(const char *name, int len);

/* The tool's name, palloc'd. */
extern char *kg_operation_tool(const KgOperation *operation, const char *name);

#endif /* KG_OPERATIONS_H */
