/*
 * keyword.h
 *	  The keywords of JSON Schema: their names, the form of their subschemas,
 *	  and the dialects and vocabularies that have them.
 */
#ifndef KG_KEYWORD_H
#define KG_KEYWORD_H

/*
 * Dialects in the order of their publication. The schemas of OpenAPI 3.0 derive
 * from draft-04.
 */
typedef enum KgDialect
{
	KG_OPENAPI_30 = 1,
	KG_DRAFT_04 = 2,
	KG_DRAFT_06 = 4,
	KG_DRAFT_07 = 8,
	KG_DRAFT_2019 = 16,
	KG_DRAFT_2020 = 32
} KgDialect;

/* Sets of dialects: a draft and all later ones. */
#define KG_SINCE_2019 (KG_DRAFT_2019 | KG_DRAFT_2020)
#define KG_SINCE_07 (KG_DRAFT_07 | KG_SINCE_2019)
#define KG_SINCE_06 (KG_DRAFT_06 | KG_SINCE_07)
#define KG_SINCE_04 (KG_DRAFT_04 | KG_SINCE_06)

/*
 * True for dialects before 2019-09. They have no vocabularies, an identifier
 * that is only a fragment is an anchor, and keywords beside $ref are ignored.
 * False for 0, the unknown dialect.
 */
#define KG_DIALECT_IS_OLD(dialect) ((dialect) != 0 && (dialect) <= KG_DRAFT_07)
/* True if exclusiveMinimum and exclusiveMaximum are booleans. */
#define KG_DIALECT_HAS_BOOLEAN_BOUNDS(dialect) ((dialect) <= KG_DRAFT_04)

/*
 * Vocabularies of 2019-09 and later. Older dialects are treated as if they had
 * all vocabularies.
 */
#define KG_VOCAB_CORE 1
#define KG_VOCAB_APPLICATOR 2
#define KG_VOCAB_UNEVALUATED 4
#define KG_VOCAB_VALIDATION 8
#define KG_VOCAB_FORMAT 16
#define KG_VOCAB_FORMAT_ASSERTION 32
#define KG_VOCAB_CONTENT 64
#define KG_VOCAB_METADATA 128
#define KG_VOCAB_STANDARD                                         \
	(KG_VOCAB_CORE | KG_VOCAB_APPLICATOR | KG_VOCAB_UNEVALUATED | \
	 KG_VOCAB_VALIDATION | KG_VOCAB_FORMAT | KG_VOCAB_CONTENT |   \
	 KG_VOCAB_METADATA)

/* Indexes into the table in keyword.c, which is sorted by name. */
typedef enum KgKeyword
{
	KG_KW_ANCHOR,
	KG_KW_COMMENT,
	KG_KW_DEFS,
	KG_KW_DYNAMIC_ANCHOR,
	KG_KW_DYNAMIC_REF,
	KG_KW_ID,
	KG_KW_RECURSIVE_ANCHOR,
	KG_KW_RECURSIVE_REF,
	KG_KW_REF,
	KG_KW_SCHEMA,
	KG_KW_VOCABULARY,
	KG_KW_ADDITIONAL_ITEMS,
	KG_KW_ADDITIONAL_PROPERTIES,
	KG_KW_ALL_OF,
	KG_KW_ANY_OF,
	KG_KW_CONST,
	KG_KW_CONTAINS,
	KG_KW_CONTENT_ENCODING,
	KG_KW_CONTENT_MEDIA_TYPE,
	KG_KW_CONTENT_SCHEMA,
	KG_KW_DEFINITIONS,
	KG_KW_DEPENDENCIES,
	KG_KW_DEPENDENT_REQUIRED,
	KG_KW_DEPENDENT_SCHEMAS,
	KG_KW_ELSE,
	KG_KW_ENUM,
	KG_KW_EXCLUSIVE_MAXIMUM,
	KG_KW_EXCLUSIVE_MINIMUM,
	KG_KW_FORMAT,
	KG_KW_IF,
	KG_KW_ITEMS,
	KG_KW_MAX_CONTAINS,
	KG_KW_MAX_ITEMS,
	KG_KW_MAX_LENGTH,
	KG_KW_MAX_PROPERTIES,
	KG_KW_MAXIMUM,
	KG_KW_MIN_CONTAINS,
	KG_KW_MIN_ITEMS,
	KG_KW_MIN_LENGTH,
	KG_KW_MIN_PROPERTIES,
	KG_KW_MINIMUM,
	KG_KW_MULTIPLE_OF,
	KG_KW_NOT,
	KG_KW_NULLABLE,
	KG_KW_ONE_OF,
	KG_KW_PATTERN,
	KG_KW_PATTERN_PROPERTIES,
	KG_KW_PREFIX_ITEMS,
	KG_KW_PROPERTIES,
	KG_KW_PROPERTY_NAMES,
	KG_KW_REQUIRED,
	KG_KW_THEN,
	KG_KW_TYPE,
	KG_KW_UNEVALUATED_ITEMS,
	KG_KW_UNEVALUATED_PROPERTIES,
	KG_KW_UNIQUE_ITEMS,
	KG_KW_COUNT,
	KG_KW_NONE = KG_KW_COUNT
} KgKeyword;

/* The positions of subschemas in the value of a keyword. */
typedef enum KgJsShape
{
	KG_SHAPE_NONE,
	KG_SHAPE_SCHEMA,
	KG_SHAPE_ARRAY,
	KG_SHAPE_MAP,
	KG_SHAPE_SCHEMA_OR_ARRAY, /* used by "items" */
	KG_SHAPE_DEPENDENCIES	  /* members are schemas or arrays of names */
} KgJsShape;

extern const char *kg_keyword_name(KgKeyword keyword);
extern KgKeyword kg_keyword_find(const char *name, int len);
extern KgJsShape kg_keyword_shape(KgKeyword keyword);
/* Returns true for a keyword that can make a value invalid. */
extern bool kg_keyword_asserts(KgKeyword keyword);
/* Returns true if the dialect has the keyword. */
extern bool kg_keyword_exists(KgKeyword keyword, KgDialect dialect);
extern bool kg_keyword_applies(KgKeyword keyword, KgDialect dialect,
							   int vocabularies);

#endif /* KG_KEYWORD_H */
