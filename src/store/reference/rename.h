/*
 * rename.h
 *	  Changes or removes references to merged or deleted entities in the
 *	  documents that contain them.
 */
#ifndef KG_RENAME_H
#define KG_RENAME_H

#include "base/json.h"
#include "model/catalog.h"

/* A value that named a merged entity. */
typedef struct KgRenamed
{
	const char *from;
	int len;	/* length of "from" in bytes */
	int entity; /* index of the merged entity that had the value */
} KgRenamed;

/* The values of one property of merged entities, to which references refer. */
typedef struct KgRenamedOf
{
	const KgField *field; /* property of the merged type */
	int n;
	KgRenamed *values; /* sorted by "from" after kg_rename_sort() */
	/* new value of all these references; NULL: they do not change */
	const char *to;
} KgRenamedOf;

typedef struct KgRename
{
	const KgType *type; /* type of the merged entities */
	int n;
	/* the id, and each unique property: one element for each */
	KgRenamedOf *of;
	/*
	 * Index of the merged entity whose document is rewritten, or -1. The
	 * entity's references to the other merged entities are removed. -1 is for
	 * the document of an unmerged entity, or of the result of the merge.
	 */
	int self;
} KgRename;

/*
 * Returns a KgRename without values. It has an element for the id and for each
 * other unique property of the type. Each element has room for n values.
 */
extern KgRename kg_rename_make(const KgType *type, int n);
/*
 * Adds a value that is replaced in references: "from" is the value of the
 * property rename->of[of] in the merged entity with the index "entity".
 */
extern void kg_rename_add(KgRename *rename, int of, const char *from,
						  int entity);
extern void kg_rename_sort(KgRename *rename);

/*
 * Returns whether the type has a property that refers to the type of the
 * merged entities.
 */
extern bool kg_rename_refers(const KgRename *rename, const KgType *type);

/*
 * Returns the document in which references to the merged entities have their
 * new values. An array does not get a duplicate. Returns data if no value
 * changes.
 */
extern Jsonb *kg_rename_in(const KgRename *rename, const KgType *type,
						   Jsonb *data);

/* Returns the document with the id "to" in place of the id "from". */
extern Jsonb *kg_rename_id(const KgType *type, const char *from, const char *to,
						   Jsonb *data);

/*
 * Returns the document without references of the field that have this value. A
 * scalar becomes null if its schema allows null, and is omitted otherwise. An
 * array item is removed. Returns data if no value changes.
 */
extern Jsonb *kg_rename_without(const KgField *field, const char *value,
								Jsonb *data);

#endif /* KG_RENAME_H */
