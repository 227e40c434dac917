/*
 * keyword.c
 *	  The keywords of JSON Schema.
 */
#include "postgres.h"

#include "schema/keyword.h"

#define D4 KG_SINCE_04
#define D6 KG_SINCE_06
#define D7 KG_SINCE_07
#define D19 KG_SINCE_2019
#define ALL (KG_OPENAPI_30 | D4)
#define OLD (D4 & ~KG_DRAFT_2020)

/*
 * The keywords in byte order of their names, as in KgKeyword; "$" is first.
 * "definitions" and "dependencies" remain valid in later drafts, for schemas
 * that were moved from an earlier draft unchanged. The meta-schemas still
 * describe both. Draft-04's "id" is not in the list, because only the registry
 * reads identifiers.
 */
static const struct
{
	const char *name;
	uint8 shape;
	uint8 dialects;
	uint8 vocabulary;
} keywords[KG_KW_COUNT] = {
	{"$anchor", KG_SHAPE_NONE, D19, KG_VOCAB_CORE},
	{"$comment", KG_SHAPE_NONE, D7, KG_VOCAB_CORE},
	{"$defs", KG_SHAPE_MAP, D19, KG_VOCAB_CORE},
	{"$dynamicAnchor", KG_SHAPE_NONE, KG_DRAFT_2020, KG_VOCAB_CORE},
	{"$dynamicRef", KG_SHAPE_NONE, KG_DRAFT_2020, KG_VOCAB_CORE},
	{"$id", KG_SHAPE_NONE, D6, KG_VOCAB_CORE},
	{"$recursiveAnchor", KG_SHAPE_NONE, KG_DRAFT_2019, KG_VOCAB_CORE},
	{"$recursiveRef", KG_SHAPE_NONE, KG_DRAFT_2019, KG_VOCAB_CORE},
	{"$ref", KG_SHAPE_NONE, ALL, KG_VOCAB_CORE},
	{"$schema", KG_SHAPE_NONE, ALL, KG_VOCAB_CORE},
	{"$vocabulary", KG_SHAPE_NONE, D19, KG_VOCAB_CORE},
	{"additionalItems", KG_SHAPE_SCHEMA, OLD, KG_VOCAB_APPLICATOR},
	{"additionalProperties", KG_SHAPE_SCHEMA, ALL, KG_VOCAB_APPLICATOR},
	{"allOf", KG_SHAPE_ARRAY, ALL, KG_VOCAB_APPLICATOR},
	{"anyOf", KG_SHAPE_ARRAY, ALL, KG_VOCAB_APPLICATOR},
	{"const", KG_SHAPE_NONE, D6, KG_VOCAB_VALIDATION},
	{"contains", KG_SHAPE_SCHEMA, D6, KG_VOCAB_APPLICATOR},
	{"contentEncoding", KG_SHAPE_NONE, D7, KG_VOCAB_CONTENT},
	{"contentMediaType", KG_SHAPE_NONE, D7, KG_VOCAB_CONTENT},
	{"contentSchema", KG_SHAPE_SCHEMA, D19, KG_VOCAB_CONTENT},
	{"definitions", KG_SHAPE_MAP, D4, KG_VOCAB_CORE},
	{"dependencies", KG_SHAPE_DEPENDENCIES, D4, KG_VOCAB_APPLICATOR},
	{"dependentRequired", KG_SHAPE_NONE, D19, KG_VOCAB_VALIDATION},
	{"dependentSchemas", KG_SHAPE_MAP, D19, KG_VOCAB_APPLICATOR},
	{"else", KG_SHAPE_SCHEMA, D7, KG_VOCAB_APPLICATOR},
	{"enum", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"exclusiveMaximum", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"exclusiveMinimum", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"format", KG_SHAPE_NONE, ALL, KG_VOCAB_FORMAT},
	{"if", KG_SHAPE_SCHEMA, D7, KG_VOCAB_APPLICATOR},
	{"items", KG_SHAPE_SCHEMA_OR_ARRAY, ALL, KG_VOCAB_APPLICATOR},
	{"maxContains", KG_SHAPE_NONE, D19, KG_VOCAB_VALIDATION},
	{"maxItems", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"maxLength", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"maxProperties", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"maximum", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"minContains", KG_SHAPE_NONE, D19, KG_VOCAB_VALIDATION},
	{"minItems", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"minLength", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"minProperties", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"minimum", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"multipleOf", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"not", KG_SHAPE_SCHEMA, ALL, KG_VOCAB_APPLICATOR},
	{"nullable", KG_SHAPE_NONE, KG_OPENAPI_30, KG_VOCAB_VALIDATION},
	{"oneOf", KG_SHAPE_ARRAY, ALL, KG_VOCAB_APPLICATOR},
	{"pattern", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"patternProperties", KG_SHAPE_MAP, D4, KG_VOCAB_APPLICATOR},
	{"prefixItems", KG_SHAPE_ARRAY, KG_DRAFT_2020, KG_VOCAB_APPLICATOR},
	{"properties", KG_SHAPE_MAP, ALL, KG_VOCAB_APPLICATOR},
	{"propertyNames", KG_SHAPE_SCHEMA, D6, KG_VOCAB_APPLICATOR},
	{"required", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"then", KG_SHAPE_SCHEMA, D7, KG_VOCAB_APPLICATOR},
	{"type", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
	{"unevaluatedItems", KG_SHAPE_SCHEMA, D19, KG_VOCAB_UNEVALUATED},
	{"unevaluatedProperties", KG_SHAPE_SCHEMA, D19, KG_VOCAB_UNEVALUATED},
	{"uniqueItems", KG_SHAPE_NONE, ALL, KG_VOCAB_VALIDATION},
};

const char *
kg_keyword_name(KgKeyword keyword)
{
	return keyword < KG_KW_COUNT ? keywords[keyword].name : "";
}

KgKeyword
kg_keyword_find(const char *name, int len)
{
	int low = 0;
	int high = KG_KW_COUNT - 1;

	while (low <= high)
	{
		int mid = (low + high) / 2;
		int cmp = strncmp(name, keywords[mid].name, len);

		if (cmp == 0 && keywords[mid].name[len] != '\0')
			cmp = -1;
		if (cmp == 0)
			return (KgKeyword) mid;
		if (cmp < 0)
			high = mid - 1;
		else
			low = mid + 1;
	}
	return KG_KW_NONE;
}

KgJsShape
kg_keyword_shape(KgKeyword keyword)
{
	return (KgJsShape) keywords[keyword].shape;
}

bool
kg_keyword_asserts(KgKeyword keyword)
{
	return (keywords[keyword].vocabulary &
			(KG_VOCAB_APPLICATOR | KG_VOCAB_UNEVALUATED | KG_VOCAB_VALIDATION |
			 KG_VOCAB_FORMAT)) != 0;
}

bool
kg_keyword_exists(KgKeyword keyword, KgDialect dialect)
{
	return (keywords[keyword].dialects & dialect) != 0;
}

bool
kg_keyword_applies(KgKeyword keyword, KgDialect dialect, int vocabularies)
{
	if (!kg_keyword_exists(keyword, dialect))
		return false;
	/*
	 * Draft 2019-09 has unevaluatedItems and unevaluatedProperties in the
	 * applicator vocabulary.
	 */
	if (dialect == KG_DRAFT_2019 &&
		keywords[keyword].vocabulary == KG_VOCAB_UNEVALUATED)
		return (vocabularies & KG_VOCAB_APPLICATOR) != 0;
	if (keywords[keyword].vocabulary == KG_VOCAB_FORMAT)
		return (vocabularies & (KG_VOCAB_FORMAT | KG_VOCAB_FORMAT_ASSERTION)) !=
			   0;
	return KG_DIALECT_IS_OLD(dialect) ||
		   (keywords[keyword].vocabulary & vocabularies) != 0;
}
