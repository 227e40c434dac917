/*
 * yaml_write.c
 *	  Writing JSON values as YAML, through libyaml's emitter.
 */
#include <string.h>
#include <yaml.h>

#include "kgctl/bundle/yaml.h"

static int
append(void *data, unsigned char *bytes, size_t size)
{
	kg_buf_add(data, (const char *) bytes, size);
	return 1;
}

/*
 * Returns whether a string must be quoted. Without quotes, kg_yaml_parse() or
 * other readers (YAML 1.1) would read such a string as another type.
 */
static bool
needs_quotes(const char *s, size_t len)
{
	static const char *const words[] = {"null",
										"true",
										"false",
										"yes",
										"no",
										"on",
										"off",
										"y",
										"n",
										"~",
										"<<",
										"="};

	if (len == 0)
		return true;
	if (strchr("0123456789+-.", s[0]) != NULL)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(s, words[i]) == 0)
			return true;
	return false;
}

static bool
emit_scalar(yaml_emitter_t *emitter, const char *s, size_t len,
			yaml_scalar_style_t style)
{
	yaml_event_t event;

	return yaml_scalar_event_initialize(&event,
										NULL,
										NULL,
										(const yaml_char_t *) s,
										(int) len,
										1,
										1,
										style) &&
		   yaml_emitter_emit(emitter, &event);
}

static bool
emit_string(yaml_emitter_t *emitter, const char *s, size_t len)
{
	yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;

	/*
	 * With the style that libyaml chooses, a carriage return or a tab may be
	 * lost.
	 */
	if (needs_quotes(s, len) || strpbrk(s, "\r\t\n") != NULL)
		style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	return emit_scalar(emitter, s, len, style);
}

static bool
emit(yaml_emitter_t *emitter, const KgJson *value)
{
	yaml_event_t event;

	switch (value->kind)
	{
		case KG_JSON_NULL:
			return emit_scalar(emitter, "null", 4, YAML_PLAIN_SCALAR_STYLE);
		case KG_JSON_BOOL:
			return emit_scalar(emitter,
							   value->u.boolean ? "true" : "false",
							   value->u.boolean ? 4 : 5,
							   YAML_PLAIN_SCALAR_STYLE);
		case KG_JSON_NUMBER:
			return emit_scalar(
				emitter, value->u.text, value->len, YAML_PLAIN_SCALAR_STYLE);
		case KG_JSON_STRING:
			return emit_string(emitter, value->u.text, value->len);
		case KG_JSON_ARRAY:
			if (!yaml_sequence_start_event_initialize(
					&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE) ||
				!yaml_emitter_emit(emitter, &event))
				return false;
			for (size_t i = 0; i < value->len; i++)
				if (!emit(emitter, value->u.items[i]))
					return false;
			return yaml_sequence_end_event_initialize(&event) &&
				   yaml_emitter_emit(emitter, &event);
		case KG_JSON_RAW:
			return false; /* raw values occur only in bundles that are read */
		case KG_JSON_OBJECT:
			if (!yaml_mapping_start_event_initialize(
					&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE) ||
				!yaml_emitter_emit(emitter, &event))
				return false;
			for (size_t i = 0; i < value->len; i++)
				if (!emit_string(emitter,
								 value->u.members[i].key,
								 value->u.members[i].keylen) ||
					!emit(emitter, value->u.members[i].value))
					return false;
			return yaml_mapping_end_event_initialize(&event) &&
				   yaml_emitter_emit(emitter, &event);
	}
	return false;
}

bool
kg_yaml_write(KgBuf *out, const KgJson *value)
{
	yaml_emitter_t emitter;
	yaml_event_t event;
	bool ok;

	if (!yaml_emitter_initialize(&emitter))
		return false;
	yaml_emitter_set_output(&emitter, append, out);
	yaml_emitter_set_encoding(&emitter, YAML_UTF8_ENCODING);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	ok = yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) &&
		 yaml_emitter_emit(&emitter, &event) &&
		 yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
		 yaml_emitter_emit(&emitter, &event) && emit(&emitter, value) &&
		 yaml_document_end_event_initialize(&event, 1) &&
		 yaml_emitter_emit(&emitter, &event) &&
		 yaml_stream_end_event_initialize(&event) &&
		 yaml_emitter_emit(&emitter, &event);
	yaml_emitter_delete(&emitter);
	return ok;
}
