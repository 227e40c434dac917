/*
 * fuzz_yaml.c
 *	  The YAML reader: no input does harm, and what is read can be written and
 *	  read again as the same value.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/yaml.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	KgArena *arena = kg_arena_new();
	char *error = NULL;
	KgJson *value = kg_yaml_parse(
		arena, (const char *) data, size, "input", &error);

	if ((value == NULL) != (error != NULL))
		abort();
	if (value != NULL)
	{
		KgBuf out;

		kg_buf_init(&out);
		/* Aliases may stand for more than is worth writing. */
		kg_json_write(&out, value, -1);
		if (out.len < 100000)
		{
			KgJson *again;
			char *error2 = NULL;

			out.len = 0;
			if (!kg_yaml_write(&out, value))
				abort();
			again = kg_yaml_parse(arena, out.data, out.len, NULL, &error2);
			if (again == NULL || !kg_json_equal(value, again))
			{
				fprintf(stderr, "%s\n%s\n", out.data, error2 ? error2 : "");
				abort();
			}
		}
		kg_buf_free(&out);
	}
	free(error);
	kg_arena_free(arena);
	return 0;
}
