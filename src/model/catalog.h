/*
 * catalog.h
 *	  Bundles, entity types, fields, relations and tools of a tenant, as
 *	  structs.
 *
 * A KgCatalog contains the part of a tenant's data that one role sees under one
 * snapshot. A catalog is read through SPI as that role, and cached by (tenant,
 * role, agent, scoped) and version (model/version.h) until the relcache
 * callback reports a change of a catalog table. A catalog remains valid until
 * the end of the transaction, even if a newer one replaces it. All rows of a
 * catalog are read at once, so that they belong to one snapshot. But a type's
 * schema is parsed only when the type is used (model/type_rows.c).
 */
#ifndef KG_CATALOG_H
#define KG_CATALOG_H

#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "model/operations.h"
#include "schema/schema.h"

/*
 * The kind of a field's values. It determines their comparison, order and
 * encoding as keys.
 */
typedef enum KgKind
{
	/* ordered by code point, or as versions if by_version is set */
	KG_KIND_STRING,
	KG_KIND_ENUM, /* ordered as the enum declares the values */
	KG_KIND_INTEGER,
	KG_KIND_NUMBER,
	KG_KIND_BOOLEAN,
	KG_KIND_DATE, /* text in the form full-date of RFC 3339 */
	/* an instant, with or without a time zone offset of its own */
	KG_KIND_DATETIME,
	KG_KIND_OBJECT, /* not indexable */
	KG_KIND_ANY		/* more than one type; not indexable */
} KgKind;

typedef enum KgOnDelete
{
	KG_ON_DELETE_RESTRICT,
	KG_ON_DELETE_CASCADE,
	KG_ON_DELETE_SET_NULL
} KgOnDelete;

/* A step of the path from an entity's document to a value. */
typedef struct KgStep
{
	const char *key; /* member name; NULL: every item of an array */
	int keylen;
} KgStep;

/* A declared property of a type, with or without annotations. */
typedef struct KgField
{
	const char *name; /* name of the field: its path with dots, such as "tags"
					   * or "address.city" */
	/* type that has the field; NULL: a relation's field */
	const struct KgType *type;
	/*
	 * Another field of a stored schema has this name, too. Only the first of
	 * these fields is indexed.
	 */
	bool repeats_name;
	int nsteps;
	KgStep *steps;
	KgKind kind;	 /* kind of the value or, for an array, of its items */
	bool is_array;	 /* a step of the path leads to every item of an array */
	bool nullable;	 /* allows null */
	bool required;	 /* required at every level of the path */
	bool indexed;	 /* x-index */
	bool by_version; /* x-order: "version" */
	/* an x-ref-field names this property, so its values must be unique */
	bool unique;
	/*
	 * Position in KgType.key_fields, if the field is indexed. The number of a
	 * stored count is above all positions (counted.h).
	 */
	int32 field_no;
	bool derived;	/* x-derived */
	bool counted;	/* x-derived with x-index: the count is stored as a key */
	bool untrusted; /* x-untrusted */
	bool detail;	/* x-detail */
	const char *format;		  /* or NULL */
	const char *content_type; /* x-content-type, or NULL */
	const char *title;
	const char *description;
	int nenum;
	/* values of the enum in the order of their declaration */
	const char **enum_values;
	/* x-ref */
	const char *ref_bundle; /* target's bundle; not NULL if ref_type is set */
	const char *ref_type;
	const char *ref_field; /* x-ref-field; NULL: the target's id */
	const char *relation;  /* x-relation, or the name in upper case */
	/* The field refers to a type with x-table, and its own type is stored. */
	bool ref_bound;
	int32 relation_no;
	KgOnDelete on_delete;
	/* x-derived */
	const char *derived_relation;
	bool derived_incoming;
} KgField;

/*
 * The properties with the beginning and the end of a period of validity
 * (x-valid-from and x-valid-to, model/period.h). If a property is NULL, the
 * period is unbounded on its side.
 */
typedef struct KgPeriod
{
	const KgField *from;
	const KgField *to;
} KgPeriod;

/*
 * The annotation x-authorize: an external authorizer decides which entities are
 * visible.
 */
typedef struct KgAuthorize
{
	const char *ability;
	const char *resource_type;
	/*
	 * Field with the resource's id; NULL: the entity's own id is the resource's
	 * id.
	 */
	const KgField *id_field;
} KgAuthorize;

/*
 * The annotation x-id-generate: how kg_graph generates the id of a new entity
 * without an id.
 */
typedef struct KgIdGenerate
{
	bool uuid;
	/* Prefix of ids with sequential numbers; NULL: ids are not sequential. */
	const char *prefix;
	int digits; /* number of digits of the sequential numbers */
	bool table; /* the bound table generates the id */
} KgIdGenerate;

typedef struct KgType
{
	int32 type_no;
	const char *bundle;
	const char *name;
	/* bundle and name as values of type text, in a type of a catalog */
	Datum bundle_text;
	Datum name_text;
	const char *title;
	const char *description;
	const char *tool_description;
	const Jsonb *schema;
	const char *schema_hash;
	int expose; /* KG_EXPOSE_* */
	int nfields;
	KgField *fields; /* the fields; an object's field precedes the fields of its
					  * members */
	const KgField *id_field;
	/* the id is an integer; then id_field is indexed (model/id.h) */
	bool number_ids;
	KgIdGenerate id_generate;
	const KgField *label_field;	  /* x-label-field, or NULL */
	const KgField *scope_field;	  /* x-scope-field, or NULL */
	const KgAuthorize *authorize; /* x-authorize, or NULL */
	/* x-table (model/binding.h), or NULL */
	const struct KgTableBinding *binding;
	KgPeriod period;
	int naliases;
	const KgField **alias_fields;
	bool signs;	 /* x-signs: signs in the label and aliases are terms, too */
	int nsearch; /* x-search: number of fields whose words are indexed */
	const KgField **search_fields;
	int nsummary;
	const KgField **summary_fields;
	bool has_unique;   /* a field has "unique" set */
	bool refers_bound; /* a field has ref_bound set */
	int ncounted;	   /* number of counted fields */
	int nkey_fields;   /* number of elements of key_fields */
	const char **key_fields;
	bool annotate_format; /* x-format: "annotate" */
	bool history;		  /* x-history */
	/* Time from which kg_history has all changes; 0: no history. */
	TimestampTz history_since;
	/* new entities get a version above this one (store/history/freed.h) */
	int64 version_above;
	bool ambiguous; /* another visible bundle has a type of this name */
	/* schemas of the bundle by URI, {uri: schema}; or NULL */
	const Jsonb *definitions;
	/* Memory context of the catalog, for data that are created on demand. */
	MemoryContext context;
	/* compiled schema; NULL until kg_type_schema() is called */
	const KgSchema *compiled;
} KgType;

/* The part of a relation that joins one pair of types. */
typedef struct KgVariant
{
	int32 from_type_no;
	int32 to_type_no;
	/*
	 * The x-ref property from which the edges are derived; NULL for declared
	 * relations.
	 */
	const char *property;
	/* JSON Schema of the edges' properties, or NULL */
	const Jsonb *schema;
	const char *description; /* description of the relation, or NULL */
	/*
	 * The type that represents the edges if they are rows of a table
	 * (model/binding.h), or NULL.
	 */
	const struct KgType *edges;
} KgVariant;

typedef struct KgRelation
{
	int32 relation_no;
	const char *bundle;
	const char *name;
	const char *inverse; /* name of the inverse direction, or NULL */
	bool symmetric;
	/*
	 * the edges are derived from an x-ref property; otherwise the relation is
	 * declared, and its edges are written explicitly
	 */
	bool derived;
	const char *key; /* property that distinguishes parallel edges, or NULL */
	bool history;	 /* changes of the relation's edges are recorded */
	/* Time from which kg_history has all changes; 0: no history. */
	TimestampTz history_since;
	int expose; /* KG_EXPOSE_* bits, if the relation is declared */
	int nvariants;
	KgVariant *variants;
	const Jsonb *definitions; /* {uri: schema} of the bundle, or NULL */
	/* number of fields of edge properties, of all variants together */
	int nfields;
	KgField *fields;
	KgPeriod period; /* period of validity; equal in all variants */
} KgRelation;

typedef struct KgBundle
{
	const char *name;
	const char *version;
	const char *description;
	const char *instructions;
	int64 revision;
	/* schemas of the bundle by URI, {uri: schema}; or NULL */
	const Jsonb *definitions;
} KgBundle;

/*
 * A row of an entity type in the catalog. kg_type_of() parses the row's schema
 * when the type is first used.
 */
typedef struct KgTypeRow
{
	int32 type_no;
	int32 position;
	const char *bundle;
	const char *name;
	bool ambiguous; /* another visible bundle has a type of this name */
	const Jsonb *schema;
	const Jsonb *definitions; /* {uri: schema} of the bundle, or NULL */
	const char *schema_hash;
	ArrayType *key_fields;
	TimestampTz history_since;
	int64 version_above;
	struct KgCatalog *catalog;
	KgType *type; /* parsed type; NULL until the schema is parsed */
	/* "type" includes the marks that x-ref-fields of other types set */
	bool complete;
	/* List of char *: properties of this type that x-ref-fields name */
	List *named;
	/* bits of the KgTraits that kg_row_has() has already determined */
	int known_traits;
	int traits; /* bits of the known traits that the type has */
} KgTypeRow;

/*
 * Features of a type that make calls check or read more than the type's own
 * data.
 */
typedef enum KgTrait
{
	KG_TRAIT_TABLE,		/* x-table */
	KG_TRAIT_AUTHORIZE, /* x-authorize */
	KG_TRAIT_PERIOD,	/* x-valid-from or x-valid-to */
	KG_TRAIT_HISTORY,	/* x-history */
	KG_TRAIT_SEARCH,	/* x-search */
	KG_TRAIT_SUMMARY,	/* x-summary-fields */
	KG_TRAIT_MENTIONS,	/* a property total_mentions */
	KG_TRAIT_COUNTS		/* x-derived with x-index */
} KgTrait;
#define KG_TRAITS (KG_TRAIT_COUNTS + 1)

typedef struct KgTool
{
	const char *name;
	int operation; /* one of KG_EXPOSE_* */
	const char *bundle;
	const KgTypeRow *row;		/* the tool's type, or NULL */
	const KgRelation *relation; /* the tool's relation, if row is NULL */
} KgTool;

/* An alias of a registered tool. */
typedef struct KgToolAlias
{
	const char *alias;
	const char *tool;
} KgToolAlias;

typedef struct KgCatalog
{
	const char *tenant;
	Oid role;
	/*
	 * the caller's agent, or NULL; it restricts the visible part of the tenant
	 */
	const char *agent;
	bool scoped; /* the caller's token has scope paths */
	int nbundles;
	KgBundle *bundles; /* ordered by name */
	int ntypes;
	KgTypeRow *types;	 /* ordered by bundle, position, name */
	KgTypeRow **by_name; /* ordered by name, bundle */
	List *naming;		 /* List of KgTypeRow *: types whose schemas contain
						  * x-ref-field */
	int nrelations;
	KgRelation *relations; /* ordered by bundle, name */
	int ntools;
	KgTool *tools; /* ordered by name */
	int nregistered;
	/* ordered by name (model/tool_version.h) */
	struct KgRegisteredName *registered;
	List *aliases; /* List of KgToolAlias * */
	uint64 id; /* identifies the catalog among all catalogs of this backend */
	/* changes whenever the cached catalogs are refreshed after a change */
	uint64 generation;
	const char *revision; /* text that changes with each change of a bundle */
	bool
		/* The snapshot shows bundles that the caller does not see. */
		lacks_bundles;
	MemoryContext context;
	bool authorizes;   /* some type has x-authorize */
	bool edge_history; /* some relation records the changes of its edges */
	/* bits of the KgTraits that kg_catalog_has() has already determined */
	int known_traits;
	int traits; /* bits of the known traits that a type or relation has */
	/* a role that may see the tenant may see each entity of the tenant */
	bool plain_visibility;
} KgCatalog;

/* Set if any catalog of this backend has had a type with x-authorize. */
extern bool kg_catalog_ever_authorizes;

/*
 * Return the catalog of a tenant as visible to the current role.
 * kg_catalog_get() returns the catalog that the caller's snapshot shows, for
 * readers under this snapshot. kg_catalog_newest() returns the newest catalog,
 * for writers after they have taken their locks.
 */
extern const KgCatalog *kg_catalog_get(const char *tenant);
extern const KgCatalog *kg_catalog_newest(const char *tenant);
/*
 * Locks the given types against changes until the end of the transaction, and
 * returns the newest catalog. type_nos may contain a number twice. Raises
 * KG_CONFLICT if the transaction's snapshot shows another schema of a type.
 */
extern const KgCatalog *kg_catalog_locked(const char *tenant,
										  const int32 *type_nos, int n);
/*
 * Raises KG_CONFLICT, because the call has found data of a type or relation
 * that the catalog does not have.
 */
extern KG_NORETURN void kg_catalog_throw_changed(void);
/* Raises KG_CONFLICT, because the snapshot shows no tenant of this name. */
extern KG_NORETURN void kg_catalog_throw_named(const char *tenant);
/*
 * Raises KG_CONFLICT, because the type needed no decisions of the authorizer
 * when the snapshot was taken, and needs them now.
 */
extern KG_NORETURN void kg_catalog_throw_authorizes(const KgType *type);
/*
 * Returns the catalog of the caller's tenant. Raises KG_NO_TENANT if the caller
 * has no tenant. Within a call, use kg_running_catalog().
 */
extern const KgCatalog *kg_catalog_of_caller(void);

/* Returns a type's tool for an operation (KG_EXPOSE_*), or NULL. */
extern const KgTool *kg_catalog_tool_of(const KgCatalog *catalog,
										const KgType *type, int operation);

/*
 * Find a type by "type" or "bundle/type". kg_catalog_type() returns NULL if the
 * name is unknown or ambiguous. kg_catalog_require_type() raises an error at
 * path instead: KG_UNKNOWN_TYPE with the nearest name if the name is unknown,
 * and KG_INVALID_INPUT with the possible names if it is ambiguous.
 */
extern const KgType *kg_catalog_type(const KgCatalog *catalog,
									 const char *name);
extern const KgType *kg_catalog_require_type(const KgCatalog *catalog,
											 const char *name,
											 const char *path);
extern const KgType *kg_catalog_type_in(const KgCatalog *catalog,
										const char *bundle, const char *name);
extern const KgTypeRow *kg_catalog_find_row(const KgCatalog *catalog,
											const char *bundle,
											const char *name);

/* Returns the type of a row.  Parses its schema on first use. */
extern const KgType *kg_type_of(const KgTypeRow *row);
extern const KgType *kg_tool_type(const KgTool *tool);

/*
 * Return whether a type, or any type of the catalog, has the trait. Only
 * schemas that contain the trait's annotation are parsed. kg_type_with()
 * returns the type if it has the trait, otherwise NULL.
 */
extern bool kg_row_has(const KgTypeRow *row, KgTrait trait);
extern bool kg_catalog_has(const KgCatalog *catalog, KgTrait trait);
extern const KgType *kg_type_with(const KgTypeRow *row, KgTrait trait);

/*
 * Returns true if the caller sees a type at each end of the relation.
 * Otherwise, replies do not mention the relation.
 */
extern bool kg_catalog_joins(const KgCatalog *catalog,
							 const KgRelation *relation);
extern const KgType *kg_catalog_type_no(const KgCatalog *catalog,
										int32 type_no);
extern const KgRelation *kg_catalog_relation_no(const KgCatalog *catalog,
												int32 relation_no);
extern const KgTool *kg_catalog_tool(const KgCatalog *catalog,
									 const char *name);
extern const KgField *kg_type_field(const KgType *type, const char *name);

/*
 * Marks the property that an x-ref-field names as unique, unless it is the id,
 * which is unique anyway.
 */
extern void kg_type_mark_unique(KgType *type, const char *ref_field);

/*
 * Adds the x-index properties of parsed, another version of the type, to the
 * type's key_fields. Properties that are already in key_fields keep their
 * numbers. New properties follow in the order of their names.
 */
extern void kg_type_add_key_fields(KgType *type, const KgType *parsed);

/*
 * Returns the compiled schema of a type. It is compiled on first use and cached
 * with the catalog.
 */
extern const KgSchema *kg_type_schema(const KgType *type);

/*
 * Returns the name of a type in replies: "type", or "bundle/type" if "type" is
 * ambiguous.
 */
extern const char *kg_type_handle(const KgType *type);
extern const char *kg_row_handle(const KgTypeRow *row);

/*
 * Visits the values of a field in an entity. The visitor is called once for a
 * scalar, once for each item of an array, and not at all for a missing value.
 * A JSON null is a value.
 */
typedef void (*KgFieldVisitor)(const JsonbValue *value, void *arg);
extern void kg_field_visit(const KgField *field, const JsonbContainer *root,
						   KgFieldVisitor visitor, void *arg);

/*
 * Returns true if the document has an array of the field without items. Returns
 * false if the array is missing.
 */
extern bool kg_field_is_empty(const KgField *field, const JsonbContainer *root);

/* Returns true if fields of two schemas have equal paths. */
extern bool kg_field_same_path(const KgField *a, const KgField *b);

/*
 * Returns the JSON Pointer of a field's value in a document. For items of an
 * array, returns the pointer of the array.
 */
extern char *kg_field_pointer(const KgField *field);
/*
 * Returns the JSON Pointer of a field's subschema in the type's schema. It is
 * correct only if no $ref or branch leads to the field.
 */
extern char *kg_field_schema_pointer(const KgField *field);

/*
 * Reads the first value of a field that is not null. Returns false if there is
 * no such value.
 */
extern bool kg_field_value(const KgField *field, const JsonbContainer *root,
						   JsonbValue *value);

#endif /* KG_CATALOG_H */
