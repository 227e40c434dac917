/*
 * fuzz_bundle.c
 *	  Whatever a bundle looks like: checks, places and differences do no harm,
 *	  and a bundle does not differ from itself.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/message.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	/* What is wrong with the bundles is said there. */
	if (freopen("/dev/null", "w", stdout) == NULL)
		abort();
	return 0;
}

/* How many there are between two payloads. */
static size_t
differences(FILE *out, const KgJson *stored, const KgJson *wanted, bool brief)
{
	KgDiff *diff = kg_diff_new(wanted);
	const KgJson *edges = kgctl_json_get(stored, "edges");
	size_t n;
	size_t i;

	for (i = 0; i < kgctl_json_length(edges); i++)
		kg_diff_edge(diff, edges->u.items[i]);
	n = kg_diff_print(diff, out, stored, brief);
	kg_diff_free(diff);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	KgctlBundle bundle;
	KgMessage msg;
	char *error = NULL;
	int saved = dup(STDERR_FILENO);
	FILE *null = fopen("/dev/null", "w");

	memset(&bundle, 0, sizeof(bundle));
	bundle.arena = kg_arena_new();
	bundle.root = kgctl_json_parse(
		bundle.arena, (const char *) data, size, "input", &error);
	free(error);
	if (bundle.root != NULL)
	{
		dup2(fileno(null), STDERR_FILENO);
		if (kgctl_bundle_check(&bundle))
		{
			(void) kg_bundle_locate(&bundle, "t", "a", "/x/0");
			(void) kg_bundle_locate(&bundle, NULL, NULL, "/entities/0/items/1");
			if (differences(null, bundle.root, bundle.root, false) != 0)
				abort();
			(void) differences(null, NULL, bundle.root, true);
		}
		dup2(saved, STDERR_FILENO);
	}
	close(saved);
	fclose(null);
	kg_arena_free(bundle.arena);
	error = NULL;
	if (kg_message_parse(&msg, (const char *) data, size, &error))
	{
		KgBuf out;

		kg_buf_init(&out);
		(void) kg_message_name(&msg);
		kg_message_error(&out, msg.id, -1, msg.method ? msg.method : "");
		kg_message_with_revision(&out,
								 (const char *) data,
								 size,
								 "x",
								 &(KgAgreed){size % 2 == 1, size % 3 == 1});
		kg_buf_free(&out);
	}
	free(error);
	kg_message_free(&msg);
	free(kg_message_find_id((const char *) data, size));
	return 0;
}
