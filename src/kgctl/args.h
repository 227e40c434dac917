/*
 * args.h
 *	  Commands and their options. Unknown and repeated options are refused,
 *	  so that a mistyped option does not silently leave a protection off.
 */
#ifndef KG_ARGS_H
#define KG_ARGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgValue
{
	/* the option's name, which points into KgCommand.options */
	const char *name;
	size_t len;
	const char *value;
} KgValue;

typedef struct KgArgs
{
	KgValue *values;
	size_t nvalues;
	const char **rest; /* arguments that are not options */
	size_t nrest;
} KgArgs;

/* Exit codes of kgctl (docs/kgctl.md). */
typedef enum KgExit
{
	KG_EXIT_OK = 0,
	KG_EXIT_DIFFERENT = 1, /* diff: differences; call: the tool failed */
	KG_EXIT_USAGE = 2,	   /* options, arguments */
	KG_EXIT_INTERNAL = 3,  /* out of memory and other internal errors */
	KG_EXIT_INPUT = 4,	   /* a file is unreadable or invalid */
	KG_EXIT_DATABASE = 5,  /* no connection, lost connection, SQL error */
	KG_EXIT_REFUSED = 6,   /* the database refused the bundle or the token */
	KG_EXIT_INTERRUPTED = 130
} KgExit;

/*
 * A command of kgctl. Each option is a line of "options", which the help
 * prints: "-l, --long NAME<tab>description<newline>". The letter and the value
 * may be omitted; NAME... marks an option that may be repeated.
 */
typedef struct KgCommand
{
	const char *name;
	const char *arguments; /* shown in the usage after the options */
	const char *about;
	const char *options;
	const char *common; /* options shared with other commands */
	size_t min;			/* minimal number of arguments */
	size_t max;
	int (*run)(const KgArgs *args); /* returns an exit code */
} KgCommand;

/*
 * Runs a command with the words after the command's name. Returns the exit
 * code.
 */
extern int kg_command_run(const KgCommand *command, int argc, char **argv);

extern const char *kg_args_get(const KgArgs *args, const char *name);
extern bool kg_args_has(const KgArgs *args, const char *name);

/*
 * Returns the n-th value of a repeated option, or NULL if the option has fewer
 * values.
 */
extern const char *kg_args_nth(const KgArgs *args, const char *name, size_t n);

/*
 * Sets *value to an option's number, which must be from min to max. If it is
 * not, prints an error and returns false. If the option is not given, leaves
 * *value unchanged and returns true.
 */
extern bool kgctl_args_number(const KgArgs *args, const char *name, long min,
							  long max, long *value);

/*
 * Sets *delimiter to the character of the option --delimiter, which separates
 * cells, or to otherwise. On failure, prints an error and returns false.
 */
extern bool kg_args_delimiter(const KgArgs *args, char otherwise,
							  char *delimiter);

#endif /* KG_ARGS_H */
