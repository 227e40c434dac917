/*
 * unite.h
 *	  The union of documents of entities or edges that describe the same thing.
 *
 * The union is formed for each property. Arrays are united, a period becomes
 * the period that includes all periods, and a missing value is filled in.
 * Labels that are not chosen become aliases. If other values differ, there is
 * a conflict, which the caller decides.
 */
#ifndef KG_UNITE_H
#define KG_UNITE_H

#include "base/json.h"
#include "model/catalog.h"

/* Rules for the union of documents of a type or of a relation. */
typedef struct KgUniteRules
{
	const KgField *fields;
	int nfields;
	const KgPeriod *period;
	const KgField *label; /* or NULL */
	/* array that gets the labels that are not chosen, or NULL */
	const KgField *aliases;
	/* values that the caller chose for conflicts {property: value}, or NULL */
	const JsonbContainer *values;
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
	/* value in each document; jbvNull: the document has no value */
	JsonbValue *values;
	/* index of the document whose value is used; -1: undecided */
	int decided;
} KgUniteConflict;

/*
 * Returns the union of n documents; a document may be NULL. prefer is the index
 * of the document whose values are used in conflicts, or -1. Adds the conflicts
 * (KgUniteConflict *) to *conflicts. If a conflict is not decided, the union
 * has the first value. Returns NULL if all documents are NULL and the rules
 * have no values.
 */
extern Jsonb *kg_unite(const KgUniteRules *rules, Jsonb *const *documents,
					   int n, int prefer, List **conflicts);

#endif /* KG_UNITE_H */
