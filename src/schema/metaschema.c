/*
 * metaschema.c
 *	  The meta-schemas of the dialects: found by URI, compiled when first needed
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
	/* A common variant of the former URI. */
	{KG_DRAFT_07, "https://json-schema.org/draft-07/schema", "draft7"},
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

const char *
kg_metaschema_uri(KgDialect dialect)
{
	for (int i = 0; i < lengthof(dialects); i++)
	{
		if (dialects[i].dialect == dialect)
			return dialects[i].uri;
	}
	return NULL;
}

const KgSchema *
kg_metaschema_compiled(KgDialect dialect)
{
	KgSchemaOptions options = {.annotate_format = true};
	MemoryContext work;
	MemoryContext caller;
	KgSchema *schema;
	int i;

	for (i = 0; dialects[i].dialect != dialect; i++)
		;
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
