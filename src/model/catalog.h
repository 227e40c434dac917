/*
 * catalog.h
 *	  Bundles, entity types, fields, relations and tools of a tenant, as
 *	  structs.
 *
 * A KgCatalog has the part of a tenant that one role sees under one snapshot.
 * A catalog is read through SPI as that role, and cached by (tenant, role,
 * agent, scoped) and version (model/version.h) until the relcache callback
 * reports a change of a catalog table. A catalog remains valid until the end
 * of the transaction, even if a newer one replaces it. It is read as a whole,
 * so that it is of one snapshot, but a type's schema is parsed when the type
 * is used (model/type_rows.c).
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
 * The kind of a field's values: their comparison, order and encoding as keys.
 */
typedef enum KgKind
{
	KG_KIND_STRING, /* ordered by code point, or by_version */
	KG_KIND_ENUM,	/* ordered by declaration */
	KG_KIND_INTEGER,
	KG_KIND_NUMBER,
	KG_KIND_BOOLEAN,
	KG_KIND_DATE,	  /* full-date text */
	KG_KIND_DATETIME, /* an instant */
	KG_KIND_OBJECT,	  /* not indexable */
	KG_KIND_ANY		  /* more than one type; not indexable */
} KgKind;

typedef enum KgOnDelete
{
	KG_ON_DELETE_RESTRICT,
	KG_ON_DELETE_CASCADE,
	KG_ON_DELETE_SET_NULL
} KgOnDelete;

/* A step of the path from the root of an entity to a value. */
typedef struct KgStep
{
	const char *key; /* member name; NULL: every item of an array */
	int keylen;
} KgStep;

/* A declared property of a type, with or without annotations. */
typedef struct KgField
{
	const char *name; /* dotted path: "tags", "address.city" */
	/* type that has the field; NULL: a relation's field */
	const struct KgType *type;
	/*
	 * another field of a stored schema has this name, too; only the first is
	 * indexed
	 */
	bool repeats_name;
	int nsteps;
	KgStep *steps;
	KgKind kind;	 /* the kind of the value, or of the items of an array */
	bool is_array;	 /* some step is to every item */
	bool nullable;	 /* allows null */
	bool required;	 /* required at every level */
	bool indexed;	 /* x-index */
	bool by_version; /* x-order: "version" */
	bool unique;	 /* named by some x-ref-field */
	/* if indexed: position in key_fields, or above all positions (counted.h) */
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
	const char **enum_values; /* in declaration order */
	/* x-ref */
	const char *ref_bundle; /* target's bundle; not NULL if ref_type is set */
	const char *ref_type;
	const char *ref_field; /* x-ref-field; NULL: the target's id */
	const char *relation;  /* x-relation, or the name in upper case */
	/* the property of a stored type refers to a type with x-table */
	bool ref_bound;
	int32 relation_no;
	KgOnDelete on_delete;
	/* x-derived */
	const char *derived_relation;
	bool derived_incoming;
} KgField;

/*
 * x-valid-from and x-valid-to: the properties with the beginning and the end
 * of a period of validity (model/period.h). NULL means unbounded on this side.
 */
typedef struct KgPeriod
{
	const KgField *from;
	const KgField *to;
} KgPeriod;

/* x-authorize: an external function decides the visibility of entities. */
typedef struct KgAuthorize
{
	const char *ability;
	const char *resource_type;
	/* field with the resource's id; NULL: the entity's own id */
	const KgField *id_field;
} KgAuthorize;

/*
 * x-id-generate: how kg_graph makes the id of a new entity that is sent
 * without an id.
 */
typedef struct KgIdGenerate
{
	bool uuid;
	/* prefix of ids with numbers in sequence; NULL: no sequence */
	const char *prefix;
	int digits; /* number of digits of these numbers */
	bool table; /* the table that the type reads makes the id */
} KgIdGenerate;

typedef struct KgType
{
	int32 type_no;
	const char *bundle;
	const char *name;
	const char *title;
	const char *description;
	const char *tool_description;
	const Jsonb *schema;
	const char *schema_hash;
	int expose; /* KG_EXPOSE_* */
	int nfields;
	KgField *fields; /* parents before members */
	const KgField *id_field;
	KgIdGenerate id_generate;
	const KgField *label_field;	  /* or NULL */
	const KgField *scope_field;	  /* or NULL */
	const KgAuthorize *authorize; /* or NULL */
	const struct KgTableBinding
		*binding; /* x-table (model/binding.h), or NULL */
	KgPeriod period;
	int naliases;
	const KgField **alias_fields;
	bool signs;	 /* x-signs: signs of label and aliases are terms */
	int nsearch; /* x-search: number of fields whose words are indexed */
	const KgField **search_fields;
	int nsummary;
	const KgField **summary_fields;
	bool has_unique;   /* some field is unique */
	bool refers_bound; /* some field is ref_bound */
	int ncounted;	   /* number of counted fields */
	int nkey_fields;   /* number of field_no positions */
	const char **key_fields;
	bool annotate_format; /* x-format: "annotate" */
	bool history;		  /* x-history */
	/* start of complete changes in kg_history; 0: none */
	TimestampTz history_since;
	int64 version_above; /* of its entities (store/history/freed.h) */
	bool ambiguous;		 /* another visible bundle has a type of this name */
	const Jsonb *definitions; /* {uri: schema} of the bundle, or NULL */
	MemoryContext context;	  /* of the catalog; for data made on demand */
	const KgSchema *compiled; /* NULL until kg_type_schema() */
} KgType;

typedef struct KgVariant
{
	int32 from_type_no;
	int32 to_type_no;
	/* x-ref property from which the edges are derived, or NULL */
	const char *property;
	/* JSON Schema of the edges' properties, or NULL */
	const Jsonb *schema;
	const char *description; /* or NULL */
	/* edges are rows of a table (model/binding.h); or NULL */
	const struct KgType *edges;
} KgVariant;

typedef struct KgRelation
{
	int32 relation_no;
	const char *bundle;
	const char *name;
	const char *inverse; /* or NULL */
	bool symmetric;
	/* derived from an x-ref; false: declared, edges are explicit */
	bool derived;
	const char *key; /* property that identifies parallel edges, or NULL */
	bool history;	 /* changes of its edges are recorded */
	/* start of complete changes in kg_history; 0: none */
	TimestampTz history_since;
	int expose; /* KG_EXPOSE_*; if declared */
	int nvariants;
	KgVariant *variants;
	int nfields; /* number of fields of edge properties, over all variants */
	KgField *fields;
	KgPeriod period; /* equal in all variants */
} KgRelation;

typedef struct KgBundle
{
	const char *name;
	const char *version;
	const char *description;
	const char *instructions;
	int64 revision;
	const Jsonb *definitions; /* {uri: schema}, or NULL */
} KgBundle;

/*
 * A type of a catalog. The catalog has the rows of all its types; the schema
 * of a row is parsed by kg_type_of() when the type is used.
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
	KgType *type;  /* NULL until the schema is parsed */
	bool complete; /* type includes marks from other types */
	List *named;   /* List of char *: its properties that x-ref-fields name */
} KgTypeRow;

/* Annotations that make calls check or read more than the data of a type. */
typedef enum KgTrait
{
	KG_TRAIT_TABLE,		/* x-table */
	KG_TRAIT_AUTHORIZE, /* x-authorize */
	KG_TRAIT_PERIOD,	/* x-valid-from or x-valid-to */
	KG_TRAIT_HISTORY,	/* x-history */
	KG_TRAIT_SEARCH,	/* x-search */
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
	List *naming;		 /* rows whose schemas mention x-ref-field */
	int nrelations;
	KgRelation *relations; /* ordered by bundle, name */
	int ntools;
	KgTool *tools; /* ordered by name */
	int nregistered;
	/* ordered by name (model/tool_version.h) */
	struct KgRegisteredName *registered;
	List *aliases;		  /* List of KgToolAlias * */
	uint64 id;			  /* unique among the catalogs of this backend */
	uint64 generation;	  /* changes after each known change */
	const char *revision; /* text that changes with each bundle */
	bool
		/* its snapshot shows bundles that the caller does not see */
		lacks_bundles;
	MemoryContext context;
	bool authorizes;	   /* some type has x-authorize */
	bool edge_history;	   /* some relation has history */
	int known_traits;	   /* bits of KgTrait that kg_catalog_has() knows */
	int traits;			   /* those that some type or relation has */
	bool plain_visibility; /* a role that sees the tenant sees every entity */
} KgCatalog;

/* Did any catalog of this backend have a type with x-authorize? */
extern bool kg_catalog_ever_authorizes;

/*
 * Return the catalog of a tenant as visible to the current role.
 * kg_catalog_get() uses the caller's snapshot, for readers under it.
 * kg_catalog_newest() uses the newest state, for writers after taking locks.
 */
extern const KgCatalog *kg_catalog_get(const char *tenant);
extern const KgCatalog *kg_catalog_newest(const char *tenant);
/*
 * Locks these types against changes until the end of the transaction, and
 * returns the newest catalog. type_nos may contain a number twice. Raises
 * KG_CONFLICT if the transaction's snapshot shows another schema of a type.
 */
extern const KgCatalog *kg_catalog_locked(const char *tenant,
										  const int32 *type_nos, int n);
/* Raises KG_CONFLICT for data of types or relations that the catalog lacks. */
extern KG_NORETURN void kg_catalog_throw_changed(void);
/* Raises KG_CONFLICT if the snapshot does not show the tenant by this name. */
extern KG_NORETURN void kg_catalog_throw_named(const char *tenant);
/*
 * Raises KG_CONFLICT for a type that needed no decisions before and does now.
 */
extern KG_NORETURN void kg_catalog_throw_authorizes(const KgType *type);
/*
 * Returns the catalog of the caller's tenant.  Raises KG_NO_TENANT.  Within a
 * call, use kg_running_catalog().
 */
extern const KgCatalog *kg_catalog_of_caller(void);

/* Returns a type's tool for an operation (KG_EXPOSE_*), or NULL. */
extern const KgTool *kg_catalog_tool_of(const KgCatalog *catalog,
										const KgType *type, int operation);

/*
 * Find a type by "type" or "bundle/type".
 *
 * kg_catalog_type() returns NULL if the name is unknown or ambiguous.
 * kg_catalog_require_type() raises an error at path: KG_UNKNOWN_TYPE with the
 * nearest name, or KG_INVALID_INPUT with the handles of an ambiguous name.
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
 * Return whether a type, or any type of the catalog, has the trait.  Only
 * schemas that mention its annotation are parsed.
 */
extern bool kg_row_has(const KgTypeRow *row, KgTrait trait);
extern bool kg_catalog_has(const KgCatalog *catalog, KgTrait trait);

/*
 * Returns true if the caller sees types at both ends of the relation.  If not,
 * replies do not mention the relation.
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
 * Adds the x-index properties of a version of the type to its key_fields.
 * Properties that are already in key_fields keep their numbers. New properties
 * follow, in the order of their names.
 */
extern void kg_type_add_key_fields(KgType *type, const KgType *parsed);

/*
 * Returns the compiled schema, made on first use and cached with the catalog.
 */
extern const KgSchema *kg_type_schema(const KgType *type);

/* Returns the type's name in replies: "type", or "bundle/type" if ambiguous. */
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
 * Returns true if the field is an array without items, as opposed to missing.
 */
extern bool kg_field_is_empty(const KgField *field, const JsonbContainer *root);

/* Returns true if fields of two schemas have equal paths. */
extern bool kg_field_same_path(const KgField *a, const KgField *b);

/* Returns the JSON Pointer of a field, or of the array that contains it. */
extern char *kg_field_pointer(const KgField *field);
/*
 * Returns the JSON Pointer of a field's subschema, if no $ref or branch leads
 * to it.
 */
extern char *kg_field_schema_pointer(const KgField *field);

/*
 * Reads the first value that is not null.  Returns false if there is no such
 * value.
 */
extern bool kg_field_value(const KgField *field, const JsonbContainer *root,
						   JsonbValue *value);

#endif /* KG_CATALOG_H */
