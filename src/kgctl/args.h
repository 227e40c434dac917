/*
 * args.h
 *	  Commands and their options.  Unknown and repeated options are refused: a
 *	  mistyped option must not silently leave a safe setting off.
 */
#ifndef KG_ARGS_H
#define KG_ARGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgValue
{
	const char *name; /* of the option, in the text that describes it */
	size_t len;
	const char *value;
} KgValue;

typedef struct KgArgs
{
	KgValue *values;
	size_t nvalues;
	const char **rest; /* what is not an option */
	size_t nrest;
} KgArgs;

/* Exit codes of kgctl (docs/kgctl.md). */
typedef enum KgExit
{
	KG_EXIT_OK = 0,
	KG_EXIT_DIFFERENT = 1, /* diff: not the same; call: the tool failed */
	KG_EXIT_USAGE = 2,	   /* options, arguments */
	KG_EXIT_INTERNAL = 3,  /* out of memory and the like */
	KG_EXIT_INPUT = 4,	   /* a file that cannot be read or is not right */
	KG_EXIT_DATABASE = 5,  /* no connection, lost connection, SQL error */
	KG_EXIT_REFUSED = 6,   /* the database refused the bundle or the token */
	KG_EXIT_INTERRUPTED = 130
} KgExit;

/*
 * A command of kgctl.  Its options are described by a line each, which is what
 * its help shows: "-l, --long NAME<tab>what it is<newline>", without the letter
 * or the value where there is none, NAME... where it may be given again.
 */
typedef struct KgCommand
{
	const char *name;
	const char *arguments; /* in the usage, after the options */
	const char *about;
	const char *options;
	const char *common; /* options that it shares with others */
	size_t min;			/* arguments */
	size_t max;
	int (*run)(const KgArgs *args); /* an exit code */
} KgCommand;

/* Run a command with the words after its name; the exit code. */
extern int kg_command_run(const KgCommand *command, int argc, char **argv);

extern const char *kg_args_get(const KgArgs *args, const char *name);
extern bool kg_args_has(const KgArgs *args, const char *name);

/* The n-th value of an option that may be repeated, or NULL. */
extern const char *kg_args_nth(const KgArgs *args, const char *name, size_t n);

/* A number with a range; false after a message. */
extern bool kg_args_number(const KgArgs *args, const char *name, long min,
						   long max, long *value);

#endif /* KG_ARGS_H */
