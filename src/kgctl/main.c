/*
 * main.c
 *	  kgctl: bundles, tools and MCP for the extension kg_graph.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/commands.h"
#include "kgctl/json.h"
#include "kgctl/log.h"

static const KgCommand *const commands[] = {&kg_command_apply,
											&kg_command_validate,
											&kg_command_diff,
											&kg_command_export,
											&kg_command_suggest,
											&kg_command_load,
											&kg_command_types,
											&kg_command_tools,
											&kg_command_call,
											&kg_command_query,
											&kg_command_login,
											&kg_command_logout,
											&kg_command_memory,
											&kg_command_mcp,
											&kg_command_serve,
											&kg_command_cluster};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
usage(FILE *out)
{
	fputs("Usage: kgctl COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n", out);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->about);
	fputs("\nkgctl COMMAND --help shows the options of a command.\n", out);
}

int
main(int argc, char **argv)
{
	/*
	 * Use the C locale, because the format of numbers and messages must not
	 * depend on the locale.
	 */
	setlocale(LC_ALL, "C");
	signal(SIGPIPE, SIG_IGN);
	json_set_alloc_funcs(kg_malloc, free);
	if (argc < 2)
	{
		usage(stderr);
		return KG_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0)
	{
		usage(stdout);
		return KG_EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
	{
		puts("kgctl " KG_VERSION);
		return KG_EXIT_OK;
	}
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(argv[1], commands[i]->name) == 0)
		{
			int code = kg_command_run(commands[i], argc - 2, argv + 2);

			/*
			 * If standard output has failed (a full disk, a closed pipe), do
			 * not exit with success or "different", because a reader would take
			 * incomplete differences for complete ones.
			 */
			if ((fflush(stdout) != 0 || ferror(stdout)) &&
				(code == KG_EXIT_OK || code == KG_EXIT_DIFFERENT))
			{
				kg_error("cannot write standard output");
				code = KG_EXIT_INTERNAL;
			}
			return code;
		}
	kg_error("unknown command \"%s\"", argv[1]);
	usage(stderr);
	return KG_EXIT_USAGE;
}
