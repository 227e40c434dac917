/*
 * bundle/send.c
 *	  Sending a bundle to the database, and printing the changes or the
 *	  errors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/db.h"
#include "kgctl/log.h"
#include "kgctl/show.h"

static void
add_options(KgBuf *out, const KgArgs *args, bool merge, bool dry_run,
			long max_errors, long revision)
{
	json_t *options = json_pack("{s:b, s:i, s:s}",
								"dry_run",
								dry_run,
								"max_errors",
								(int) max_errors,
								"mode",
								merge ? "merge" : "replace");

	if (kg_args_has(args, "expected-revision"))
		json_object_set_new(
			options, "expected_revision", json_integer(revision));
	kg_json_write_made(out, options);
}

/*
 * Writes an object such as {"a": 3, "b": {"c": 4}} as "a 3, b c 4". Omits
 * zeros.
 */
static void
add_counts(KgBuf *out, const KgJson *value, const char *prefix)
{
	for (size_t i = 0;
		 value != NULL && value->kind == KG_JSON_OBJECT && i < value->len;
		 i++)
	{
		const KgctlMember *m = &value->u.members[i];
		char *name = kg_format("%s %s", prefix, m->key);

		if (m->value->kind == KG_JSON_NUMBER &&
			strcmp(m->value->u.text, "0") != 0)
			kg_buf_printf(
				out, "%s%s %s", out->len ? ", " : "", name, m->value->u.text);
		else if (m->value->kind == KG_JSON_OBJECT)
			add_counts(out, m->value, name);
		free(name);
	}
}

static void
print_warnings(const KgJson *answer)
{
	const KgJson *warnings = kgctl_json_get(answer, "warnings");

	for (size_t i = 0; i < kgctl_json_length(warnings); i++)
	{
		const KgJson *w = warnings->u.items[i];
		KgBuf text;

		kg_buf_init(&text);
		if (kgctl_json_text(w) != NULL)
			kg_buf_puts(&text, kgctl_json_text(w));
		else if (kg_json_get_text(w, "message") != NULL)
			kg_buf_puts(&text, kg_json_get_text(w, "message"));
		else
			kg_json_write(&text, w, -1);
		kg_error("warning: %s", text.data);
		kg_buf_free(&text);
	}
}

/*
 * Prints the changes that the database has made, or would make in a dry run.
 * Returns the exit code.
 */
static int
print_answer(const KgArgs *args, KgctlBundle *bundle, const KgJson *root,
			 bool dry_run)
{
	static const char *const counted[] = {"entities", "relations", "tools"};
	const KgJson *errors = kgctl_json_get(root, "errors");
	const KgJson *revision = kgctl_json_get(root, "revision");
	KgBuf counts;

	if (kgctl_json_length(errors) > 0)
	{
		size_t n = kg_report_errors(bundle, errors);

		kg_error("%s: %zu error%s, nothing was changed",
				 bundle->name,
				 n,
				 n == 1 ? "" : "s");
		return KG_EXIT_REFUSED;
	}
	print_warnings(root);
	kg_buf_init(&counts);
	if (kg_args_has(args, "json"))
	{
		kg_json_write(&counts, root, -1);
		puts(counts.data);
	}
	else if (!kg_args_has(args, "quiet"))
	{
		/*
		 * Members other than counts are skipped, such as the diff of a dry run
		 * and the options for its next page.
		 */
		for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
			add_counts(&counts, kgctl_json_get(root, counted[i]), counted[i]);
		if (revision->kind == KG_JSON_NUMBER)
			kg_buf_printf(&counts,
						  "%srevision %s",
						  counts.len ? ", " : "",
						  revision->u.text);
		kg_print(stdout,
				 "%s: %s%s%s\n",
				 bundle->name,
				 dry_run ? "valid" : "applied",
				 counts.len ? ": " : "",
				 counts.len ? counts.data : "");
	}
	kg_buf_free(&counts);
	return KG_EXIT_OK;
}

int
kg_bundle_send(const KgArgs *args, KgctlBundle *bundle, bool merge,
			   bool dry_run, long max_errors, long revision)
{
	KgDb db;
	KgBuf options;
	const char *values[2];
	char *answer = NULL;
	const KgJson *read = NULL;
	bool ok;
	char *label = kg_format("%s %zu entities and %zu edges of %s",
							dry_run ? "checking" : "applying",
							bundle->nentities,
							bundle->nedges,
							bundle->name);
	int code;

	kg_buf_init(&options);
	add_options(&options, args, merge, dry_run, max_errors, revision);
	values[0] = kg_bundle_text(bundle);
	values[1] = options.data;
	/*
	 * A custom plan would include the values as constants, and so need memory
	 * for a second copy of the bundle.
	 */
	ok = kg_db_open(&db, args) &&
		 kg_db_set(&db, "plan_cache_mode", "force_generic_plan") &&
		 kg_db_label(&db, label);
	db.bundle = bundle;
	if (ok &&
		kg_db_call(
			&db, "kg_apply_bundle_text", "text jsonb", values, &answer) &&
		(read = kg_db_read(&db, bundle->arena, answer, "revision")) != NULL &&
		kg_db_commit(&db))
		code = print_answer(args, bundle, read, dry_run);
	else
		code = db.exit;
	kg_db_close(&db);
	kg_buf_free(&options);
	free(answer);
	free(label);
	return code;
}
