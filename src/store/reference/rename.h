/*
 * rename.h
 *	  Changes or removes the references in documents that refer to merged or
 *	  deleted entities.
 */
#ifndef KG_RENAME_H
#define KG_RENAME_H

#include "base/json.h"
#include "model/catalog.h"

/* A value that named a merged entity. */
typedef struct KgRenamed
{
	const char *from;
	int len;	/* length of from; bytes */
	int entity; /* number of the entity that had the value */
} KgRenamed;

/* The values of one property to which references refer. */
typedef struct KgRenamedOf
{
	const KgField *field; /* property of the merged type */
	int n;
	KgRenamed *values; /* ordered by from after kg_rename_sort() */
	const char *to;	   /* the new value of all references; NULL: they stay */
} KgRenamedOf;

typedef struct KgRename
{
	const KgType *type; /* type of the merged entities */
	int n;
	KgRenamedOf *of; /* the id, and each property that is unique */
	/*
	 * number of the entity whose document is rewritten: its references to other
	 * merged entities are removed. -1: a document of another entity, or of the
	 * result
	 */
	int self;
} KgRename;

/* Makes a rename without values, for the id and the unique properties. */
extern KgRename kg_rename_make(const KgType *type, int n);
/* Adds a value of the property with this index in rename->of. */
extern void kg_rename_add(KgRename *rename, int of, const char *from,
						  int entity);
extern void kg_rename_sort(KgRename *rename);

/* Returns whether a type has a property that refers to the merged type. */
extern bool kg_rename_refers(const KgRename *rename, const KgType *type);

/*
 * Returns the document with other values in its references to the merged
 * entities. An array does not get the same value twice. Returns data if no
 * value changes.
 */
extern Jsonb *kg_rename_in(const KgRename *rename, const KgType *type,
						   Jsonb *data);

/*
 * Returns the document without the field's references by the value. A scalar
 * becomes null if its schema allows null, and is omitted otherwise. An item is
 * removed from its array. Returns data if no value changes.
 */
extern Jsonb *kg_rename_without(const KgField *field, const char *value,
								Jsonb *data);

#endif /* KG_RENAME_H */
