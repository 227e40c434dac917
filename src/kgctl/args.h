/*
 * args.h
 *	  Command-line options.  Unknown and repeated options are refused: a
 *	  mistyped option must not silently leave a safe setting off.
 */
#ifndef KG_ARGS_H
#define KG_ARGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KgOption
{
	const char *name; /* long name without dashes */
	char letter;	  /* short name or 0 */
	const char *arg;  /* name of its argument in the help; NULL: a flag */
	bool many;		  /* may be given several times */
	const char *help;
} KgOption;

typedef struct KgValue
{
	const KgOption *option;
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
 * Parse argv[0..argc-1] by the two option tables (each ended by a NULL name;
 * the second may be NULL).  False after a message on standard error.
 */
extern bool kg_args_parse(KgArgs *args, int argc, char **argv,
						  const KgOption *own, const KgOption *common);
extern void kg_args_free(KgArgs *args);

extern const char *kg_args_get(const KgArgs *args, const char *name);
extern bool kg_args_has(const KgArgs *args, const char *name);

/* The n-th value of an option that may be repeated, or NULL. */
extern const char *kg_args_nth(const KgArgs *args, const char *name, size_t n);

/* A number with a range; false after a message. */
extern bool kg_args_number(const KgArgs *args, const char *name, long min,
						   long max, long *value);

extern void kg_args_help(const KgOption *options);

#endif /* KG_ARGS_H */
