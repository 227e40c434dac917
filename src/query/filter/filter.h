/*
 * filter.h
 *	  Filters: {property: condition}, parsed, analysed against a type's fields,
 *	  and evaluated on a document.
 *
 * Parsing looks at the arguments only.  Analysing resolves the property,
 * checks the operator and the values against its declared type and encodes the
 * values as keys; it returns a copy, so that one parsed filter can be analysed
 * against several types.  query/sql.h turns an analysed filter into SQL;
 * kg_filter_matches() evaluates it on a jsonb object (edge properties).
 * Everything is allocated in the current memory context.
 */
#ifndef KG_FILTER_H
#define KG_FILTER_H

#include "base/error.h"
#include "base/json.h"
#include "model/catalog.h"
#include "model/key.h"
#include "query/argument/arguments.h"
#include "query/filter/operators.h"

typedef struct KgCondition
{
	/* parsed */
	const char *property;	   /* as asked */
	const char *property_path; /* JSON Pointer of the property */
	const char *path;		   /* and of the operand */
	KgOp op;
	const JsonbValue *read_bool; /* a string that was read as a flag */
	KgError *misread; /* what is wrong, unless the property is an object */
	const JsonbContainer *members; /* that has these: no operators */
	int nvalues;
	JsonbValue *values; /* operands; analysed: of the declared type */
	/* analysed */
	const KgField *field; /* NULL: the entity's id */
	bytea **keys;		  /* of the values; NULL for an id and parts of texts */
	bool counts;		  /* edges are counted for it (query/derived.h) */
} KgCondition;

typedef struct KgFilter
{
	int nconditions;
	KgCondition *conditions; /* all must hold */
	int nany;
	struct KgFilter **any; /* and one of these, if there are some */
} KgFilter;

/* What a property is used to do, in messages. */
#define KG_USE_FILTER "filter"
#define KG_USE_GROUP "group"

/* What a filter may name. */
typedef struct KgFilterTarget
{
	const char *what;	/* for messages: "entity type \"country\"" */
	const KgType *type; /* or NULL */
	int nfields;
	const KgField *fields;
	const KgField *id_field;  /* its name means the id too; or NULL */
	bool has_id;			  /* "id" is the entity's id */
	bool indexed_only;		  /* only x-index fields */
	bool no_arrays;			  /* only fields with one value */
	bool no_derived;		  /* only fields that are stored */
	bool counted;			  /* and counts with x-index, */
	bool kept;				  /* which are those that are kept */
	const KgCatalog *catalog; /* where they are read */
} KgFilterTarget;

/* Every stored property; query/filter/scan.h has those without x-index. */
extern KgFilterTarget kg_filter_target_type(const KgType *type);
/* The same, and counts with x-index, where they can be asked for. */
extern KgFilterTarget kg_filter_target_counted(const KgCatalog *catalog,
											   const KgType *type);
/* Edge properties of a relation: every declared scalar or array of them. */
/*
 * A declared value of an enum as JSON has it: for a field of numbers a number.
 */
extern void kg_field_enum_value(const KgField *field, int i, JsonbValue *value);

extern KgFilterTarget kg_filter_target_relation(const KgRelation *relation);

/*
 * The member "filters" of the object at a path, or NULL; an array is told what
 * it means as an object.
 */
extern const JsonbContainer *kg_filter_object(const JsonbContainer *object,
											  const char *path);

/* Is there nothing that must hold? */
extern bool kg_filter_is_empty(const KgFilter *filter);

/*
 * Parse {property: condition}, where "any" is what query/filter/any.h reads; NULL gives
 * an empty filter.
 */
extern KgFilter *kg_filter_parse(const JsonbContainer *filters,
								 const char *path);

/* One property's condition; the paths of the property and of the condition. */
extern KgFilter *kg_filter_parse_one(const char *property,
									 const char *property_path,
									 const char *path,
									 const JsonbValue *condition);

/*
 * Analyse against one target.  Raises KG_INVALID_INPUT with the allowed
 * properties, operators or values.  Repairs are reported once a path.
 */
extern KgFilter *kg_filter_analyse(const KgFilter *parsed,
								   const KgFilterTarget *target,
								   KgRepairs *repairs);

/*
 * Over several targets: result[i] is NULL where a property is not filterable
 * in target i, whose rows then do not match.  Raises where a property is
 * filterable in none.
 */
extern KgFilter **kg_filter_analyse_over(const KgFilter *parsed,
										 const KgFilterTarget *targets,
										 int ntargets, KgRepairs *repairs);

/*
 * The field that an argument names: NULL with *is_id for the id.  Raises
 * KG_INVALID_INPUT at path with the allowed names.  For sort and filters.
 */
extern const KgField *kg_target_field(const KgFilterTarget *target,
									  const char *name, const char *path,
									  const char *use, bool *is_id);

/* Does an analysed condition or filter hold for a document? */
extern bool kg_condition_matches(const KgCondition *condition,
								 const JsonbContainer *document);
extern bool kg_filter_matches(const KgFilter *filter,
							  const JsonbContainer *document);

/* "integer", "date-time". */
extern const char *kg_kind_code(KgKind kind);

#endif /* KG_FILTER_H */
