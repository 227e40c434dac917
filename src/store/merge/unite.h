/*
 * unite.h
 *	  The union of documents of entities or edges that are the same.
 *
 * Property by property: arrays are united, periods include all periods, labels
 * that are left become aliases, and a missing value is filled. Other values
 * that differ are a conflict, which the caller decides.
 */
#ifndef KG_UNITE_H
#define KG_UNITE_H

#include "base/json.h"
#include "model/catalog.h"

/* The properties of a type, or of a relation. */
typedef struct KgUniteRules
{
	const KgField *fields;
	int nfields;
	const KgPeriod *period;
	const KgField *fixed;	/* the first document decides; or NULL */
	const KgField *label;	/* or NULL */
	const KgField *aliases; /* array for the labels that are left; or NULL */
	const JsonbContainer *values; /* decided values by property; or NULL */
	int max_bytes; /* maximum size of the union's JSON text; 0: no limit */
} KgUniteRules;

/* Returns the rules of a type. The rules of a relation have no values. */
extern KgUniteRules kg_unite_type(const KgType *type,
								  const JsonbContainer *values);
extern KgUniteRules kg_unite_relation(const KgRelation *relation);

/* A property with different values in the documents. */
typedef struct KgUniteConflict
{
	char *property;
	JsonbValue *values; /* indexed by document; jbvNull: it has no value */
	int decided;		/* the document whose value is taken; -1: undecided */
} KgUniteConflict;

/*
 * Returns the union of n documents; a document may be NULL. prefer is the
 * document whose values are taken in a conflict, or -1. Adds the conflicts,
 * KgUniteConflict *, to *conflicts. In an undecided conflict the union has the
 * first value. Returns NULL if all documents are NULL.
 */
extern Jsonb *kg_unite(const KgUniteRules *rules, Jsonb *const *documents,
					   int n, int prefer, List **conflicts);

#endif /* KG_UNITE_H */
