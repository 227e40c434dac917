/*
 * fuzz_json.c
 *	  The JSON reader: what it accepts it writes and reads again as the same
 *	  value; and it accepts what jansson accepts, and nothing else, but for the
 *	  numbers that jansson cannot hold and the depth.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "kgctl/json.h"

static void
check(int condition, const char *what)
{
	if (!condition)
	{
		fprintf(stderr, "fuzz_json: %s\n", what);
		abort();
	}
}

static int
jansson_accepts(const char *text, size_t len, int *unsure)
{
	json_error_t error;
	json_t *root = json_loadb(
		text, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	enum json_error_code code = json_error_code(&error);
	int ok = root != NULL;

	/* To jansson, a NUL byte is the end. */
	*unsure = memchr(text, '\0', len) != NULL ||
			  (!ok && (code == json_error_numeric_overflow ||
					   code == json_error_stack_overflow));
	json_decref(root);
	return ok;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	KgArena *arena = kg_arena_new();
	const char *text = (const char *) data;
	char *error = NULL;
	KgJson *value = kgctl_json_parse(arena, text, size, "input", &error);
	int unsure;
	int theirs = jansson_accepts(text, size, &unsure);
	int bom = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;

	check((value == NULL) == (error != NULL), "an error without a message");
	if (value == NULL && theirs && !unsure)
		check(strstr(error, "nested too deeply") != NULL,
			  "refused what jansson accepts");
	if (value != NULL && !theirs && !bom)
		check(unsure, "accepted what jansson refuses");
	if (value != NULL)
	{
		KgBuf out;
		KgJson *again;
		char *error2 = NULL;
		const char *found;
		size_t len;

		kg_buf_init(&out);
		kg_json_write(&out, value, (int) (size % 2) - 1);
		again = kgctl_json_parse(arena, out.data, out.len, NULL, &error2);
		check(again != NULL, "its own text cannot be read");
		check(kg_json_equal(value, again) && kg_json_equal(again, value),
			  "another value after writing");
		if (value->kind == KG_JSON_OBJECT && value->len > 0 &&
			strpbrk(value->u.members[0].key, "\"\\\b\f\n\r\t") == NULL &&
			strlen(value->u.members[0].key) == value->u.members[0].keylen)
			(void) kg_json_scan(
				out.data, out.len, value->u.members[0].key, &found, &len);
		(void) kg_json_nearest(arena, value, "/a/0/b~1c/~0/1");
		kg_buf_free(&out);
	}
	/* The scanner reads the database's own text only, but must not overrun. */
	{
		const char *found;
		size_t len;

		if (kg_json_scan(text, size, "error", &found, &len))
			check(found + len <= text + size, "scanned beyond the end");
	}
	free(error);
	kg_arena_free(arena);
	return 0;
}
