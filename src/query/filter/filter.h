/*
 * filter.h
 *	  Filters: {property: condition}, parsed, analysed against a type's
 *	  fields, and evaluated on a document.
 *
 * Parsing reads only the arguments. Analysis resolves the property, checks
 * the operator and the values against its declared type, and encodes the
 * values as keys. It returns a copy, so one parsed filter can be analysed
 * against several types. query/sql.h turns an analysed filter into SQL;
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
	const char *property;	   /* name of the property in the arguments */
	const char *property_path; /* JSON Pointer of property */
	const char *path;		   /* JSON Pointer of the operand */
	KgOp op;
	const JsonbValue *read_bool; /* a string that was read as a boolean */
	/* an array that was read as the operand of "in" */
	const JsonbValue *read_list;
	/*
	 * the error about an object without operators, which the analysis raises;
	 * or NULL
	 */
	KgError *misread;
	/* members of an object without operators, or NULL */
	const JsonbContainer *members;
	int nvalues;
	/* operands; the analysis converts them to the property's declared type */
	JsonbValue *values;
	/* analysed */
	const KgField *field; /* NULL: the entity's id */
	/* keys of values; NULL for an id and parts of texts */
	bytea **keys;
	/*
	 * the property counts edges, which are counted for the condition
	 * (query/derived.h)
	 */
	bool counts;
} KgCondition;

typedef struct KgFilter
{
	int nconditions;
	KgCondition *conditions; /* all must be true */
	int nany;
	/* if nany > 0, at least one of these filters must be true, too */
	struct KgFilter **any;
} KgFilter;

/*
 * Raises KG_INVALID_INPUT for a condition that is a list of values without an
 * operator. The correction is the operator "in".
 */
extern KG_NORETURN void kg_filter_throw_list(const KgCondition *condition);

/* The use of a property, as error messages name it. */
#define KG_USE_FILTER "filter"
#define KG_USE_GROUP "group"

/* The properties that a filter may name. */
typedef struct KgFilterTarget
{
	/* owner of the properties, for messages: "entity type \"country\"" */
	const char *what;
	const KgType *type; /* or NULL */
	int nfields;
	const KgField *fields;
	/* the field whose name means the id, or NULL */
	const KgField *id_field;
	bool has_id;	   /* "id" is the entity's id */
	bool indexed_only; /* only fields with x-index are allowed */
	bool no_arrays;	   /* only fields with one value are allowed */
	bool no_derived;   /* only fields that are stored are allowed */
	bool counted;	   /* counts of edges with x-index are allowed, too */
	/* the counts with x-index are read from their stored values */
	bool kept;
	const KgCatalog *catalog; /* catalog for counting edges */
} KgFilterTarget;

/*
 * Returns the target in which filters may name every stored property of the
 * type. Conditions on properties without x-index are tested on documents
 * (query/filter/scan.h).
 */
extern KgFilterTarget kg_filter_target_type(const KgType *type);
/*
 * Returns the target of kg_filter_target_type() with the counts that have
 * x-index, if these counts can be read.
 */
extern KgFilterTarget kg_filter_target_counted(const KgCatalog *catalog,
											   const KgType *type);
/*
 * Sets *value to a declared value of an enum as JSON: a number if the field
 * has numbers.
 */
extern void kg_field_enum_value(const KgField *field, int i, JsonbValue *value);

/*
 * Returns the target with the edge properties of a relation: every declared
 * scalar or array of scalars.
 */
extern KgFilterTarget kg_filter_target_relation(const KgRelation *relation);

/*
 * Returns the object of filters that is the member "key" of the object at path;
 * NULL: no such member. Raises KG_INVALID_INPUT if the member is not an object.
 * If it is an array of filters or a text in SQL, the error has the equivalent
 * object as its correction.
 */
extern const JsonbContainer *kg_filter_object(const JsonbContainer *object,
											  const char *key,
											  const char *path);

/* Returns whether the filter has no condition. */
extern bool kg_filter_is_empty(const KgFilter *filter);

/*
 * Parses {property: condition}; query/filter/any.h parses "any". NULL gives an
 * empty filter.
 */
extern KgFilter *kg_filter_parse(const JsonbContainer *filters,
								 const char *path);

/*
 * Parses one property's condition. The paths lead to the property and to the
 * condition.
 */
extern KgFilter *kg_filter_parse_one(const char *property,
									 const char *property_path,
									 const char *path,
									 const JsonbValue *condition);

/*
 * Analyses a filter against one target. Raises KG_INVALID_INPUT for a wrong
 * property, operator or value; the error has the allowed ones. Each repair is
 * reported once for each path.
 */
extern KgFilter *kg_filter_analyse(KgFilter *parsed,
								   const KgFilterTarget *target,
								   KgRepairs *repairs);

/*
 * Analyses a filter against several targets. If a property is not filterable
 * in target i, result[i] is NULL: no row of this target matches. Raises
 * KG_INVALID_INPUT if a property is filterable in no target.
 */
extern KgFilter **kg_filter_analyse_over(KgFilter *parsed,
										 const KgFilterTarget *targets,
										 int ntargets, KgRepairs *repairs);

/*
 * Returns the field that an argument of a filter or sort names. For an id, sets
 * *is_id, and returns NULL if the ids are strings. Raises KG_INVALID_INPUT at
 * path, with the allowed names, for any other name.
 */
extern const KgField *kg_target_field(const KgFilterTarget *target,
									  const char *name, const char *path,
									  const char *use, bool *is_id);

/* Return whether an analysed condition or filter is true for a document. */
extern bool kg_condition_matches(const KgCondition *condition,
								 const JsonbContainer *document);
extern bool kg_filter_matches(const KgFilter *filter,
							  const JsonbContainer *document);

/* Returns the name of a kind, such as "integer" or "date-time". */
extern const char *kg_kind_code(KgKind kind);

#endif /* KG_FILTER_H */
