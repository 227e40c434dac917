/*
 * output.c
 *	  Violations as jsonb.
 *
 * "flag", "basic" and "detailed" are those of the specification (JSON Schema
 * Core 2020-12, section 12.4).  "model", ours, is an array of what a person or
 * a language model needs to repair the value: where, which keyword, what it
 * got and what it wants.
 */
#include "postgres.h"

#include "base/json.h"
#include "schema/output.h"

static void
write_locations(KgJsonWriter *w, const KgSchemaError *error)
{
	kg_jw_kstring(w, "keywordLocation", error->keyword_location);
	if (error->absolute_location)
		kg_jw_kstring(w, "absoluteKeywordLocation", error->absolute_location);
	kg_jw_kstring(w, "instanceLocation", error->instance_path);
}

static void
write_unit(KgJsonWriter *w, const KgSchemaError *error)
{
	kg_jw_begin_object(w);
	kg_jw_kbool(w, "valid", false);
	write_locations(w, error);
	kg_jw_kstring(w, "error", psprintf("must be %s", error->expected));
	kg_jw_end_object(w);
}

static void
write_model(KgJsonWriter *w, const KgSchemaError *error)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", error->instance_path);
	kg_jw_kstring(w, "keyword", error->keyword);
	kg_jw_kstring(w, "schema_path", error->schema_path);
	kg_jw_kjsonb(w, "got", error->value);
	kg_jw_kstring(w, "expected", error->expected);
	kg_jw_end_object(w);
}

Jsonb *
kg_output(KgOutput output, List *errors, int max_errors)
{
	KgJsonWriter w;
	ListCell *lc;

	kg_jw_init(&w);
	if (output == KG_OUTPUT_MODEL)
	{
		kg_jw_begin_array(&w);
		foreach(lc, errors)
			write_model(&w, lfirst(lc));
		kg_jw_end_array(&w);
		return kg_jw_finish(&w);
	}
	kg_jw_begin_object(&w);
	kg_jw_kbool(&w, "valid", errors == NIL);
	if (output != KG_OUTPUT_FLAG && errors != NIL)
	{
		kg_jw_kstring(&w, "keywordLocation", "");
		kg_jw_kstring(&w, "instanceLocation", "");
		kg_jw_key(&w, "errors");
		kg_jw_begin_array(&w);
		foreach(lc, errors)
			write_unit(&w, lfirst(lc));
		kg_jw_end_array(&w);
	}
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}
