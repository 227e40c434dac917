/*
 * commands.h
 *	  The commands of kgctl.  Each takes the words after its name and returns
 *	  an exit code of args.h.
 */
#ifndef KG_COMMANDS_H
#define KG_COMMANDS_H

extern int kg_cmd_apply(int argc, char **argv);
extern int kg_cmd_validate(int argc, char **argv);
extern int kg_cmd_diff(int argc, char **argv);
extern int kg_cmd_export(int argc, char **argv);
extern int kg_cmd_call(int argc, char **argv);
extern int kg_cmd_tools(int argc, char **argv);
extern int kg_cmd_login(int argc, char **argv);
extern int kg_cmd_logout(int argc, char **argv);
extern int kg_cmd_mcp(int argc, char **argv);
extern int kg_cmd_serve(int argc, char **argv);

#endif /* KG_COMMANDS_H */
