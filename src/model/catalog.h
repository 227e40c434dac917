/*
 * catalog.h
 *	  Bundles, entity types, fields, relations and tools of a tenant, as structs.
 *
 * A KgCatalog is what one role sees of one tenant under one snapshot; it is read
 * through SPI as that role and kept per (tenant, role, agent, scoped) and version
 * (model/version.h) until the relcache callback says that a catalog table
 * changed.  A catalog obtained stays readable until the end of
 * the transaction, even when a newer one replaces it.
 */
#ifndef KG_CATALOG_H
#define KG_CATALOG_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "model/operations.h"
#include "schema/schema.h"

/* How a field's values are compared, sorted and encoded as keys. */
typedef enum KgKind
{
	KG_KIND_STRING, /* by code point, or by_version */
	KG_KIND_ENUM,	/* by declaration order */
	KG_KIND_INTEGER,
	KG_KIND_NUMBER,
	KG_KIND_BOOLEAN,
	KG_KIND_DATE,	  /* full-date text */
	KG_KIND_DATETIME, /* an instant */
	KG_KIND_OBJECT,	  /* not indexable */
	KG_KIND_ANY		  /* no single type; not indexable */
} KgKind;

typedef enum KgOnDelete
{
	KG_ON_DELETE_RESTRICT,
	KG_ON_DELETE_CASCADE,
	KG_ON_DELETE_SET_NULL
} KgOnDelete;

/* A step of the path from an entity's root to a value. */
typedef struct KgStep
{
	const char *key; /* member name; NULL: every item of an array */
	int keylen;
} KgStep;

/* A property of a type: any that is declared, annotated or not. */
typedef struct KgField
{
	const char *name;		   /* dotted path; "tags", "address.city" */
	const struct KgType *type; /* that has it; NULL: a relation's */
	bool repeats_name;		   /* so has another, of a stored schema: only
								* the first one is indexed */
	int nsteps;
	KgStep *steps;
	KgKind kind;			  /* of the value, or of the items of an array */
	bool is_array;			  /* some step is "every item" */
	bool nullable;			  /* null is among its types */
	bool required;			  /* at every level */
	bool indexed;			  /* x-index */
	bool by_version;		  /* x-order: "version" */
	bool unique;			  /* some x-ref-field names it */
	int32 field_no;			  /* where indexed: its place in key_fields, or
							   * above all (counted.h) */
	bool derived;			  /* x-derived */
	bool counted;			  /* and x-index: keys say what is counted */
	bool untrusted;			  /* x-untrusted */
	bool detail;			  /* x-detail */
	const char *format;		  /* or NULL */
	const char *content_type; /* x-content-type, or NULL */
	const char *title;
	const char *description;
	int nenum;
	const char **enum_values; /* as text, in declaration order */
	/* x-ref */
	const char *ref_bundle; /* resolved: never NULL where ref_type is set */
	const char *ref_type;
	const char *ref_field; /* x-ref-field, or NULL: the target's id */
	const char *relation;  /* x-relation or the name upper-cased */
	int32 relation_no;
	KgOnDelete on_delete;
	/* x-derived */
	const char *derived_relation;
	bool derived_incoming;
} KgField;

/*
 * x-valid-from, x-valid-to: the properties that say from when, and until before
 * when, what has them holds (model/period.h); NULL: always.
 */
typedef struct KgPeriod
{
	const KgField *from;
	const KgField *to;
} KgPeriod;

/* x-authorize: who may see an entity is decided elsewhere. */
typedef struct KgAuthorize
{
	const char *ability;
	const char *resource_type;
	const KgField *id_field; /* of the resource; NULL: the entity's own id */
} KgAuthorize;

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
	const KgField *label_field;	  /* or NULL */
	const KgField *scope_field;	  /* or NULL */
	const KgAuthorize *authorize; /* or NULL */
	KgPeriod period;
	int naliases;
	const KgField **alias_fields;
	bool signs;	 /* x-signs: those in label and aliases are terms */
	int nsearch; /* x-search: whose words are searched */
	const KgField **search_fields;
	int nsummary;
	const KgField **summary_fields;
	bool has_unique; /* some field is unique */
	int ncounted;	 /* fields that are */
	int nkey_fields; /* what field_no counts */
	const char **key_fields;
	bool annotate_format;	   /* x-format: "annotate" */
	bool history;			   /* x-history */
	TimestampTz history_since; /* kg_history has every change; 0: none */
	int64 version_above;	   /* of its entities (store/history/freed.h) */
	bool ambiguous;			   /* another bundle in view has the name too */
	const Jsonb *definitions;  /* of the bundle, {uri: schema}; or NULL */
	MemoryContext context;	   /* of the catalog; for what is made on demand */
	const KgSchema *compiled;  /* use kg_type_schema() */
} KgType;

typedef struct KgVariant
{
	int32 from_type_no;
	int32 to_type_no;
	const char *property;	 /* x-ref property it derives from, or NULL */
	const Jsonb *schema;	 /* of edge properties, or NULL */
	const char *description; /* or NULL */
} KgVariant;

typedef struct KgRelation
{
	int32 relation_no;
	const char *bundle;
	const char *name;
	const char *inverse; /* or NULL */
	bool symmetric;
	bool derived;	 /* from x-ref; else declared, edges explicit */
	const char *key; /* the property that tells parallel edges apart, or NULL */
	bool history;	 /* its edges' changes are kept */
	TimestampTz history_since; /* kg_history has them all; 0: none */
	int expose;				   /* KG_EXPOSE_* of a declared one */
	int nvariants;
	KgVariant *variants;
	int nfields; /* of edge properties, over the variants */
	KgField *fields;
	KgPeriod period; /* the same in all variants */
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

typedef struct KgTool
{
	const char *name;
	int operation; /* one of KG_EXPOSE_* */
	const char *bundle;
	const KgType *type;			/* NULL: it is of */
	const KgRelation *relation; /* this */
} KgTool;

/* Another name of a registered tool. */
typedef struct KgToolAlias
{
	const char *alias;
	const char *tool;
} KgToolAlias;

typedef struct KgCatalog
{
	const char *tenant;
	Oid role;
	const char *agent; /* of the caller, or NULL: part of what it sees */
	bool scoped;	   /* the caller's token has scope paths */
	int nbundles;
	KgBundle *bundles; /* by name */
	int ntypes;
	KgType **types; /* by bundle, position, name */
	int nrelations;
	KgRelation *relations; /* by bundle, name */
	int ntools;
	KgTool *tools; /* by name */
	int nregistered;
	struct KgRegisteredName *registered; /* by name (model/tool_version.h) */
	List *aliases;						 /* of KgToolAlias * */
	uint64 id;			  /* of no other catalog of this backend */
	uint64 generation;	  /* differs after any change that is known of */
	const char *revision; /* text that changes with any bundle */
	bool
		lacks_bundles; /* its snapshot shows some that the caller does not see */
	bool authorizes;   /* some type has x-authorize */
	bool edge_history; /* some relation has history */
	bool any_history;  /* some type */
	bool has_periods; /* some type or relation has x-valid-from or x-valid-to */
	bool searches_text;	   /* some type has x-search */
	bool counts;		   /* some type has a count with x-index */
	bool plain_visibility; /* whoever sees the tenant sees every entity */
} KgCatalog;

/* Has any catalog that this backend read a type with x-authorize? */
extern bool kg_catalog_ever_authorizes;

/*
 * The catalog of a tenant as the current role sees it: kg_catalog_get() as the
 * caller's snapshot shows it, for whoever reads under that snapshot;
 * kg_catalog_newest() as it is now, for whoever writes, after taking locks.
 */
extern const KgCatalog *kg_catalog_get(const char *tenant);
extern const KgCatalog *kg_catalog_newest(const char *tenant);
/*
 * The newest, in which these types, some perhaps named repeatedly, do not change
 * before the transaction ends.  Raises KG_CONFLICT where the transaction's
 * snapshot shows another schema of any type.
 */
extern const KgCatalog *kg_catalog_locked(const char *tenant,
										  const int32 *type_nos, int n);
/* Raise KG_CONFLICT: what was read is of types or relations it does not have. */
extern KG_NORETURN void kg_catalog_throw_changed(void) KG_NORETURN_TAIL;
/* Raise KG_CONFLICT: the snapshot does not show the tenant by this name. */
extern KG_NORETURN void
kg_catalog_throw_named(const char *tenant) KG_NORETURN_TAIL;
/* Raise KG_CONFLICT: a type that needed no decisions does by now. */
extern KG_NORETURN void
kg_catalog_throw_authorizes(const KgType *type) KG_NORETURN_TAIL;
/* That of the caller's tenant, or KG_NO_TENANT; within a call, kg_running_catalog(). */
extern const KgCatalog *kg_catalog_of_caller(void);

/* A type's tool of an operation (KG_EXPOSE_*), or NULL. */
extern const KgTool *kg_catalog_tool_of(const KgCatalog *catalog,
										const KgType *type, int operation);

/*
 * A type by "type" or "bundle/type".  kg_catalog_type() returns NULL where it
 * is unknown or ambiguous; kg_catalog_require_type() raises KG_UNKNOWN_TYPE
 * with the nearest, or KG_INVALID_INPUT listing the handles of an ambiguous
 * one, at path.
 */
extern const KgType *kg_catalog_type(const KgCatalog *catalog,
									 const char *name);
extern const KgType *kg_catalog_require_type(const KgCatalog *catalog,
											 const char *name,
											 const char *path);
extern const KgType *kg_catalog_type_in(const KgCatalog *catalog,
										const char *bundle, const char *name);
/* Has the caller types at both ends of it?  Else it is told of nowhere. */
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
 * A reference names this property of a type by x-ref-field: it is unique, unless
 * it is the id, which is so anyway.
 */
extern void kg_type_mark_unique(KgType *type, const char *ref_field);

/*
 * Add the x-index properties of a version of the type to its key_fields: those
 * that it has keep their numbers, new ones follow by name.
 */
extern void kg_type_add_key_fields(KgType *type, const KgType *parsed);

/* The compiled schema, made on first use and kept as long as the catalog. */
extern const KgSchema *kg_type_schema(const KgType *type);

/* How a type is called in replies: "type", or "bundle/type" if ambiguous. */
extern const char *kg_type_handle(const KgType *type);

/*
 * Visit the values of a field in an entity: one call for a scalar, one an
 * item for arrays; none where it is missing.  A JSON null is a value.
 */
typedef void (*KgFieldVisitor)(const JsonbValue *value, void *arg);
extern void kg_field_visit(const KgField *field, const JsonbContainer *root,
						   KgFieldVisitor visitor, void *arg);

/*
 * Whether the field is an array that is there and has no items: not missing,
 * though there is nothing to visit.
 */
extern bool kg_field_is_empty(const KgField *field, const JsonbContainer *root);

/* Do the fields of two schemas lead to values in the same place? */
extern bool kg_field_same_path(const KgField *a, const KgField *b);

/* The JSON Pointer of a field; of the array where it is in one. */
extern char *kg_field_pointer(const KgField *field);
/* That of its subschema, where no $ref and no branch lead to it. */
extern char *kg_field_schema_pointer(const KgField *field);

/* The first value that is not null, or false where there is none. */
extern bool kg_field_value(const KgField *field, const JsonbContainer *root,
						   JsonbValue *value);

#endif /* KG_CATALOG_H */
