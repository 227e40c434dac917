/*
 * commands.h
 *	  The commands of kgctl.
 */
#ifndef KG_COMMANDS_H
#define KG_COMMANDS_H

#include "kgctl/args.h"

extern const KgCommand kg_command_apply;
extern const KgCommand kg_command_validate;
extern const KgCommand kg_command_diff;
extern const KgCommand kg_command_export;
extern const KgCommand kg_command_suggest;
extern const KgCommand kg_command_load;
extern const KgCommand kg_command_types;
extern const KgCommand kg_command_tools;
extern const KgCommand kg_command_call;
extern const KgCommand kg_command_query;
extern const KgCommand kg_command_login;
extern const KgCommand kg_command_logout;
extern const KgCommand kg_command_memory;
extern const KgCommand kg_command_mcp;
extern const KgCommand kg_command_serve;
extern const KgCommand kg_command_cluster;

#endif /* KG_COMMANDS_H */
