/*
 * schema_tool.c
 *	  The tool "schema": types and relations as one text.
 */
#include "postgres.h"

#include "tools/compact/compact.h"
#include "tools/graph/graph.h"
#include "tools/compact/schema_text.h"

/* Maximum bytes of the reply's members other than the text. */
#define KG_SCHEMA_ENVELOPE 200

static Jsonb *
write_reply(const KgSchemaText *schema, const KgCatalog *catalog)
{
	bool withheld = schema->descriptions > 0 || schema->types > 0 ||
					schema->relations > 0 || schema->unnamed > 0;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "schema", schema->text);
	kg_jw_kstring(&w, "revision", catalog->revision);
	kg_jw_kbool(&w, "truncated", withheld);
	if (withheld)
	{
		kg_jw_kstring(&w, "reason", "max_bytes");
		kg_jw_kbegin_object(&w, "withheld");
		kg_jw_kint(&w, "descriptions", schema->descriptions);
		kg_jw_kint(&w, "properties_of_types", schema->types);
		kg_jw_kint(&w, "properties_of_relations", schema->relations);
		kg_jw_kint(&w, "lines", schema->unnamed);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

Jsonb *
kg_tool_schema(const Jsonb *arguments)
{
	KgGraphCall call;
	KgSchemaText schema;
	const KgType *type;
	int64 room;
	int64 size;
	Jsonb *reply;

	kg_graph_call_begin(&call, "schema", arguments);
	type = kg_call_type(&call, &call.input, "type");
	room = call.max_bytes - KG_SCHEMA_ENVELOPE;
	/*
	 * A quote or a newline in the text takes two bytes in JSON, so the reply
	 * may be too long. The loop then tries again with a shorter text.
	 */
	do
	{
		kg_schema_text(&schema, call.catalog, type, Max(room, 0));
		reply = write_reply(&schema, call.catalog);
		size = kg_json_text_size(&reply->root);
		room -= size - call.max_bytes;
	} while (size > call.max_bytes && room > 0);
	if (size > call.max_bytes)
		kg_throw_too_small(&call.input, call.max_bytes, size);
	kg_graph_call_end(&call);
	return reply;
}
