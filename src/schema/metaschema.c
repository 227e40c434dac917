/*
 * metaschema.c
 *	  The meta-schemas of the dialects: found by URI, compiled on first use,
 *	  and cached for the life of the backend.
 */
#include "postgres.h"

#include "base/json.h"
#include "schema/metaschema.h"
#include "schema/program.h"
#include "utils/memutils.h"

static const struct
{
	KgDialect dialect;
	const char *uri;
	const char *name;
} dialects[] = {
	{KG_DRAFT_2020, "https://json-schema.org/draft/2020-12/schema", "2020-12"},
	{KG_DRAFT_2019, "https://json-schema.org/draft/2019-09/schema", "2019-09"},
	{KG_DRAFT_07, "http://json-schema.org/draft-07/schema", "draft-07"},
	{KG_DRAFT_06, "http://json-schema.org/draft-06/schema", "draft-06"},
	{KG_DRAFT_04, "http://json-schema.org/draft-04/schema", "draft-04"},
	{KG_OPENAPI_30, "https://spec.openapis.org/oas/3.0/dialect", "openapi-3.0"},
	/* Common variants of the URIs of old drafts. */
	{KG_DRAFT_07, "https://json-schema.org/draft-07/schema", "draft7"},
	{KG_DRAFT_06, "https://json-schema.org/draft-06/schema", "draft6"},
	{KG_DRAFT_04, "https://json-schema.org/draft-04/schema", "draft4"},
};

static const KgSchema *compiled[lengthof(dialects)];

const char *
kg_metaschema_text(const char *uri)
{
	const KgMetaschemaText *text;

	for (text = kg_metaschema_texts; text->uri != NULL; text++)
	{
		if (strcmp(text->uri, uri) == 0)
			return text->text;
	}
	return NULL;
}

int
kg_metaschema_dialect(const char *uri)
{
	size_t len = strlen(uri);

	if (len > 0 && uri[len - 1] == '#')
		len--;
	for (int i = 0; i < lengthof(dialects); i++)
	{
		if ((strlen(dialects[i].uri) == len &&
			 strncmp(dialects[i].uri, uri, len) == 0) ||
			strcmp(dialects[i].name, uri) == 0)
			return dialects[i].dialect;
	}
	return 0;
}

KgDialect
kg_metaschema_document_dialect(const JsonbContainer *document)
{
	JsonbValue uri;
	int dialect = 0;

	if (kg_json_get(document, "$schema", &uri) && uri.type == jbvString)
		dialect = kg_metaschema_dialect(kg_json_cstring(&uri));
	return dialect != 0 ? (KgDialect) dialect : KG_DRAFT_2020;
}

/* Returns the index of the entry with a dialect's official URI. */
static int
dialect_index(KgDialect dialect)
{
	int i;

	for (i = 0; dialects[i].dialect != dialect; i++)
		;
	return i;
}

const char *
kg_metaschema_name(KgDialect dialect)
{
	return dialects[dialect_index(dialect)].name;
}

void
kg_metaschema_allow(KgError *err)
{
	for (int i = 0; i < lengthof(dialects); i++)
	{
		if (dialect_index(dialects[i].dialect) == i)
			kg_error_allow(err, dialects[i].uri);
	}
}

const KgSchema *
kg_metaschema_compiled(KgDialect dialect)
{
	KgSchemaOptions options = {.annotate_format = true};
	MemoryContext work;
	MemoryContext caller;
	KgSchema *schema;
	int i = dialect_index(dialect);

	if (compiled[i] != NULL)
		return compiled[i];
	work = AllocSetContextCreate(
		CurrentMemoryContext, "kg meta-schema", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	schema = kg_schema_compile_unchecked(
		kg_json_parse(kg_metaschema_text(dialects[i].uri)), &options);
	MemoryContextSetParent(schema->context, CacheMemoryContext);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	compiled[i] = schema;
	return schema;
}
