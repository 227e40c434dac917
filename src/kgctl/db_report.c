/*
 * db_report.c
 *	  Printing errors of the database. A line begins with file:line if the
 *	  source of the value is known. The members of the JSON in DETAIL follow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/db.h"
#include "kgctl/log.h"
#include "kgctl/result.h"

static const char *
first_text(const KgJson *object, const char *a, const char *b)
{
	const char *text = kg_json_get_text(object, a);

	return text ? text : kg_json_get_text(object, b);
}

static void
add_value(KgBuf *line, const char *label, const KgJson *value)
{
	KgBuf text;
	size_t cut = 120;

	if (value == NULL || value->kind == KG_JSON_NULL)
		return;
	kg_buf_init(&text);
	if (value->kind == KG_JSON_STRING && strcmp(label, "got") != 0)
		kg_buf_add(&text, value->u.text, value->len);
	else
		kg_json_write(&text, value, -1);
	if (text.len > cut)
	{
		while (cut > 0 && ((unsigned char) text.data[cut] & 0xC0) == 0x80)
			cut--;
		text.data[cut] = '\0';
		kg_buf_printf(line, "; %s %s...", label, text.data);
	}
	else
		kg_buf_printf(line, "; %s %s", label, text.data);
	kg_buf_free(&text);
}

/*
 * Skips one step of a JSON Pointer: "/name", or "/digits" if name is NULL.
 * Returns NULL if the path does not begin with this step.
 */
static const char *
skip_step(const char *path, const char *name)
{
	size_t n;

	if (path == NULL || *path != '/')
		return NULL;
	n = strcspn(path + 1, "/");
	if (name == NULL ? n == 0 || strspn(path + 1, "0123456789") < n
					 : n != strlen(name) || strncmp(path + 1, name, n) != 0)
		return NULL;
	return path + 1 + n;
}

/*
 * Returns the part of a JSON Pointer inside a named object: "/name" for
 * "/entities/0/items/3/name". Returns NULL if the path does not start in the
 * payload.
 */
static const char *
inside(const char *path)
{
	const char *rest;

	rest = skip_step(skip_step(path, "entities"), NULL);
	rest = skip_step(skip_step(rest, "items"), NULL);
	if (rest == NULL)
		rest = skip_step(skip_step(skip_step(path, "schemas"), NULL), "schema");
	if (rest == NULL)
		rest = skip_step(skip_step(path, "relations"), NULL);
	if (rest == NULL)
		rest = skip_step(skip_step(path, "edges"), NULL);
	return rest;
}

static const KgJson *
locate(KgctlBundle *bundle, const char *type, const char *id, const char *path)
{
	const KgJson *found = NULL;

	if (bundle == NULL)
		return NULL;
	if (inside(path) != NULL)
		found = kg_bundle_locate(bundle, NULL, NULL, path);
	if (found == NULL || found == bundle->root)
		found = kg_bundle_locate(bundle, type, id, path);
	if (found == NULL)
		found = kg_bundle_locate(bundle, type, NULL, NULL);
	return found;
}

/* Appends the error to a line that begins with the error's position. */
static void
report_at(KgBuf *line, const KgJson *error)
{
	const char *type = first_text(error, "type", "entity_type");
	const char *id = first_text(error, "id", "entity_id");
	const char *path = first_text(error, "path", "pointer");
	const char *message = first_text(error, "message", "keyword");

	if (type != NULL)
		kg_buf_printf(line,
					  "%s%s%s%s: ",
					  type,
					  id ? " \"" : "",
					  id ? id : "",
					  id ? "\"" : "");
	/* Omit the part of the path that the line already contains. */
	if (type != NULL && inside(path) != NULL)
		path = inside(path);
	if (path != NULL && *path != '\0')
		kg_buf_printf(line, "%s: ", path);
	kg_buf_puts(line, message ? message : "refused");
	add_value(line, "got", kgctl_json_get(error, "got"));
	add_value(line, "got", kgctl_json_get(error, "value"));
	add_value(line, "expected", kgctl_json_get(error, "expected"));
	add_value(line, "allowed", kgctl_json_get(error, "allowed"));
	add_value(line, "did you mean", kgctl_json_get(error, "did_you_mean"));
	kg_error("%s", line->data);
}

static void
report_one(KgctlBundle *bundle, const KgJson *error)
{
	const KgJson *place = locate(bundle,
								 first_text(error, "type", "entity_type"),
								 first_text(error, "id", "entity_id"),
								 first_text(error, "path", "pointer"));
	KgBuf line;

	kg_buf_init(&line);
	if (place != NULL)
	{
		kg_buf_puts(&line, place->source ? place->source : "?");
		if (place->line > 0)
			kg_buf_printf(&line, ":%u", place->line);
		kg_buf_puts(&line, ": ");
	}
	report_at(&line, error);
	kg_buf_free(&line);
}

void
kg_report_row(const char *path, unsigned long row, const KgJson *error)
{
	KgBuf line;

	kg_buf_init(&line);
	kg_buf_printf(&line, "%s:%lu: ", path, row);
	report_at(&line, error);
	kg_buf_free(&line);
}

size_t
kg_report_errors(KgctlBundle *bundle, const KgJson *error)
{
	const KgJson *list = error->kind == KG_JSON_ARRAY
							 ? error
							 : kgctl_json_get(error, "errors");

	if (kgctl_json_length(list) == 0)
	{
		if (error->kind != KG_JSON_OBJECT)
			return 0;
		report_one(bundle, error);
		return 1;
	}
	for (size_t i = 0; i < list->len; i++)
		report_one(bundle, list->u.items[i]);
	return list->len;
}

void
kg_report_result(KgDb *db, const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *detail = kg_result_words(res, PG_DIAG_MESSAGE_DETAIL);
	const char *hint = kg_result_words(res, PG_DIAG_MESSAGE_HINT);
	const char *message = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);
	KgArena *arena = kg_arena_new();
	KgJson *error = NULL;
	char *ignored = NULL;

	if (detail != NULL && detail[0] == '{')
		error = kgctl_json_parse(arena, detail, strlen(detail), NULL, &ignored);
	if (error != NULL && kgctl_json_get(error, "code") != NULL)
	{
		const KgJson *list = kgctl_json_get(error, "errors");

		db->exit = KG_EXIT_REFUSED;
		kg_report_errors(db->bundle, error);
		if (list != NULL && list->kind == KG_JSON_ARRAY)
			kg_error("%s: %s",
					 kg_json_get_text(error, "code"),
					 message ? message : "");
	}
	else
	{
		if (strncmp(state, "28", 2) == 0 || strcmp(state, "42501") == 0)
			db->exit = KG_EXIT_REFUSED;
		kg_error("%s (SQLSTATE %s)%s%s",
				 message ? message : "error",
				 state,
				 detail ? ": " : "",
				 detail ? detail : "");
	}
	if (hint != NULL)
		kg_error("hint: %s", hint);
	free(ignored);
	kg_arena_free(arena);
}
