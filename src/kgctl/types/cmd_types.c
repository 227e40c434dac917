/*
 * types/cmd_types.c
 *	  kgctl types: writes the types of a bundle as TypeScript or zod, or the
 *	  caller's tools as OpenAPI.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/log.h"
#include "kgctl/stored.h"
#include "kgctl/types/types.h"

static const char types_options[] =
	"--format FORMAT\ttypescript (default) or zod, of a bundle; or openapi, of "
	"the tools at kgctl serve\n"
	"--server URL\twith openapi: the address of kgctl serve (default "
	"http://127.0.0.1:8765)\n";

/*
 * Appends the OpenAPI description of the tools. On failure, prints an error and
 * returns false.
 */
static bool
add_tools(KgDb *db, KgArena *arena, const char *server, KgBuf *out)
{
	const KgJson *tools;
	char *text = NULL;
	bool ok;

	ok = kg_db_call(db, "kg_list_tools", "", NULL, &text) &&
		 (tools = kg_db_read(db, arena, text, NULL)) != NULL;
	if (ok)
		kg_types_openapi(tools, server, out);
	free(text);
	return ok;
}

static bool
add_bundle(KgDb *db, KgArena *arena, const char *name, bool zod, KgBuf *out)
{
	const KgJson *bundle = kg_stored_declared(db, arena, name);

	if (bundle == NULL)
		return false;
	if (zod)
		kg_types_zod(arena, bundle, out);
	else
		kg_types_typescript(arena, bundle, out);
	return true;
}

static int
run_types(const KgArgs *args)
{
	const char *format = kg_args_get(args, "format");
	const char *server = kg_args_get(args, "server");
	bool openapi = format != NULL && strcmp(format, "openapi") == 0;
	bool zod = format != NULL && strcmp(format, "zod") == 0;
	KgArena *arena;
	KgBuf out;
	KgDb db;
	int code = KG_EXIT_OK;

	if (format != NULL && !openapi && !zod && strcmp(format, "typescript") != 0)
	{
		kg_error("--format: \"%s\" is not typescript, zod or openapi", format);
		return KG_EXIT_USAGE;
	}
	if (openapi != (args->nrest == 0) || (server != NULL && !openapi))
	{
		kg_error(openapi  ? "types: --format openapi describes all tools and "
							"takes no bundle"
				 : server ? "types: --server requires --format openapi"
						  : "types: the name of a bundle is required");
		return KG_EXIT_USAGE;
	}
	arena = kg_arena_new();
	kg_buf_init(&out);
	if (!kg_db_open(&db, args) ||
		!(openapi
			  ? add_tools(
					&db, arena, server ? server : "http://127.0.0.1:8765", &out)
			  : add_bundle(&db, arena, args->rest[0], zod, &out)))
		code = db.exit;
	else
		fwrite(out.data, 1, out.len, stdout);
	kg_db_close(&db);
	kg_buf_free(&out);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_types = {
	"types",
	" [BUNDLE]",
	"types of a bundle for TypeScript or zod; tools as OpenAPI",
	types_options,
	kg_db_options,
	0,
	1,
	run_types};
