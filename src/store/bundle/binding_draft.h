/*
 * bundle/binding_draft.h
 *	  Drafts of types and relations that read tables of the user.
 *
 * A draft is derived from the system catalogs: the columns that the caller may
 * read, and the table's keys, comments, enums, domains and checks. It is
 * written as a member of a bundle.
 */
#ifndef KG_BINDING_DRAFT_H
#define KG_BINDING_DRAFT_H

#include "base/json.h"
#include "model/catalog.h"

typedef struct KgDraftColumn
{
	const char *name;
	int64 number;
	Oid declared; /* type in the table, which may be a domain */
	Oid type;	  /* the type of the column; for a domain, its base type */
	int32 typmod;
	bool required;
	bool made; /* the table supplies a value for new rows */
	/* The column is generated, so no statement can set it. */
	bool computed;
	const char *comment; /* or NULL */
	/* name of the property; NULL: the column is not shown */
	const char *property;
	const char *description; /* or NULL */
	bool untrusted;
} KgDraftColumn;

/* A property that refers to another bound type. */
typedef struct KgDraftReference
{
	const char *property;
	int ncolumns;
	const char **columns;
	const char *to; /* bundle/type */
	const char *relation;
} KgDraftReference;

/* A foreign key of the table. */
typedef struct KgDraftKey
{
	/* name of the referenced table, qualified and quoted */
	const char *table;
	int ncolumns;
	const char **columns;
	const char **keys; /* columns of the referenced table */
	/* the referenced table has a column with the table's name */
	bool has_own_name;
} KgDraftKey;

typedef struct KgBindingDraft
{
	const KgCatalog *catalog;
	const char *bundle;
	const JsonbContainer *mapping;
	Oid relid;
	const char *table; /* name of the table, qualified and quoted */
	const char *type;
	int ncolumns;
	KgDraftColumn *columns;
	int nid;
	const char **id;
	const char *id_property;
	List *foreign_keys; /* List of KgDraftKey * */
	List *references;	/* List of KgDraftReference * */
	/* drafts of types that are created together with this type */
	List *others;
} KgBindingDraft;

/* Reads the table, its columns and its id. */
extern void kg_draft_begin(KgBindingDraft *draft, const KgCatalog *catalog,
						   const char *bundle, const char *table,
						   const Jsonb *mapping);
/*
 * Collects the references of the draft: those in the mapping, or else one for
 * each foreign key that refers to a bound type of the catalog or of the other
 * drafts.
 */
extern void kg_draft_refer(KgBindingDraft *draft);
/*
 * Returns the name ("type" or "bundle/type") of the type that a foreign key
 * refers to, or NULL.
 */
extern const char *kg_draft_target(const KgBindingDraft *draft,
								   const KgDraftKey *key);

/* Writes the bundle's name and version, and begins its array of types. */
extern void kg_draft_write_bundle(KgJsonWriter *w, const KgBindingDraft *draft);
extern void kg_draft_write_type(KgJsonWriter *w, const KgBindingDraft *draft);
/*
 * Writes a relation whose edges are the rows of a table with two foreign keys.
 */
extern void kg_draft_write_relation(KgJsonWriter *w,
									const KgBindingDraft *draft,
									const char *name, const KgDraftKey *from,
									const KgDraftKey *to);

/*
 * Returns the string "key" of a mapping or of options, or NULL if it is
 * missing. Raises KG_INVALID_INPUT if it is not a string.
 */
extern const char *kg_draft_string(const JsonbContainer *object,
								   const char *key, const char *path);
/*
 * Raises KG_INVALID_INPUT for the member at path of a mapping or of options.
 */
extern KG_NORETURN void kg_draft_throw(const char *path, const char *expected);

/*
 * Returns the texts that CHECK constraints of the column or of its domain
 * allow by IN. Returns NIL if there is no such constraint (allowed_texts.c).
 */
extern List *kg_allowed_texts(Oid relid, const KgDraftColumn *column);

#endif /* KG_BINDING_DRAFT_H */
