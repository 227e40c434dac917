#include "kgctl/commands.h"
#include "kgctl/args.h"
int
kg_cmd_mcp(int argc, char **argv)
{
	(void) argc;
	(void) argv;
	return KG_EXIT_USAGE;
}
int
kg_cmd_serve(int argc, char **argv)
{
	(void) argc;
	(void) argv;
	return KG_EXIT_USAGE;
}
