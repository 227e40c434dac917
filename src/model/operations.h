/*
 * operations.h
 *	  Operations of the generated tools. This single list is used for the
 *	  annotation x-tool-expose, the member "tools" of a relation, the rows of
 *	  kg_tool, and the names and hints of tools.
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
#define KG_EXPOSE_MERGE 512

#define KG_EXPOSE_READING \
	(KG_EXPOSE_LIST | KG_EXPOSE_GET | KG_EXPOSE_LIST_IDS | KG_EXPOSE_HISTORY)
/* Operations that require write access. */
#define KG_EXPOSE_WRITING                                                      \
	(KG_EXPOSE_CREATE | KG_EXPOSE_UPDATE | KG_EXPOSE_DELETE | KG_EXPOSE_LINK | \
	 KG_EXPOSE_UNLINK | KG_EXPOSE_MERGE)
/* Operations that the member "write" of x-table may contain. */
#define KG_EXPOSE_ROWS (KG_EXPOSE_CREATE | KG_EXPOSE_UPDATE | KG_EXPOSE_DELETE)
#define KG_EXPOSE_DELETING \
	(KG_EXPOSE_DELETE | KG_EXPOSE_UNLINK | KG_EXPOSE_MERGE)
/* Operations of relations; all others are operations of types. */
#define KG_EXPOSE_OF_RELATION (KG_EXPOSE_LINK | KG_EXPOSE_UNLINK)

typedef struct KgOperation
{
	int expose; /* KG_EXPOSE_* bit */
	const char *name;
	/* text before the type's or relation's name in the tool's name */
	const char *before;
	/* text after the type's or relation's name in the tool's name */
	const char *after;
	bool destructive;
	bool idempotent;
} KgOperation;

/* The operations, in the order in which a type's tools are created. */
typedef enum KgOperationNo
{
	KG_OPERATION_LIST,
	KG_OPERATION_GET,
	KG_OPERATION_LIST_IDS,
	KG_OPERATION_CREATE,
	KG_OPERATION_UPDATE,
	KG_OPERATION_DELETE,
	KG_OPERATION_MERGE,
	KG_OPERATION_HISTORY,
	KG_OPERATION_LINK,
	KG_OPERATION_UNLINK,
	KG_NOPERATIONS
} KgOperationNo;

extern const KgOperation kg_operations[KG_NOPERATIONS];

/*
 * Returns an operation by its number, or NULL if no operation has this number.
 */
extern const KgOperation *kg_operation(int number);
/* Return an operation by its KG_EXPOSE_* bit or by its name, or NULL. */
extern const KgOperation *kg_operation_of(int expose);
extern const KgOperation *kg_operation_named(const char *name, int len);

/* Returns the name of the operation's tool for a type or relation, palloc'd. */
extern char *kg_operation_tool(const KgOperation *operation, const char *name);

#endif /* KG_OPERATIONS_H */
