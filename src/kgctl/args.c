/*
 * args.c
 *	  Commands and their options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/args.h"
#include "kgctl/buf.h"
#include "kgctl/log.h"

static const char help_option[] = "-h, --help\tshow this help\n";

/* An option, parsed from a line of KgCommand.options. */
typedef struct Option
{
	char letter;	  /* 0: none */
	const char *name; /* name of len bytes */
	size_t len;
	const char *arg; /* name of the option's value, of arglen bytes, or NULL */
	size_t arglen;
	bool many;
	const char *line;
	size_t
		left; /* number of bytes before the description in the option's line */
} Option;

/*
 * Reads the option at *text and advances *text. Returns false at the end of the
 * text.
 */
static bool
next_option(const char **text, Option *o)
{
	const char *line = *text;

	if (*line == '\0')
		return false;
	o->line = line;
	o->left = strcspn(line, "\t");
	o->letter = line[1] == '-' ? 0 : line[1];
	o->name = line + (o->letter != 0 ? strlen("-x, --") : strlen("--"));
	o->len = strcspn(o->name, " \t");
	o->arg = o->name[o->len] == ' ' ? o->name + o->len + 1 : NULL;
	o->arglen = o->arg != NULL ? (size_t) (line + o->left - o->arg) : 0;
	o->many = strncmp(line + o->left - 3, "...", 3) == 0;
	*text = strchr(line, '\n') + 1;
	return true;
}

/*
 * Finds an option by its letter, or by a long name of len bytes. Returns false
 * if there is no such option.
 */
static bool
find_option(const char *const *texts, const char *word, size_t len, Option *o)
{
	const char *text;

	for (; (text = *texts) != NULL; texts++)
		while (next_option(&text, o))
			if (word[1] == '-'
					? o->len == len && memcmp(o->name, word + 2, len) == 0
					: o->letter == word[1])
				return true;
	return false;
}

static bool
add_value(KgArgs *args, const Option *o, const char *value)
{
	for (size_t i = 0; i < args->nvalues && !o->many; i++)
		if (args->values[i].name == o->name)
		{
			kg_error("option --%.*s is given twice", (int) o->len, o->name);
			return false;
		}
	args->values = kg_realloc(args->values,
							  (args->nvalues + 1) * sizeof(KgValue));
	args->values[args->nvalues].name = o->name;
	args->values[args->nvalues].len = o->len;
	args->values[args->nvalues++].value = value;
	return true;
}

/*
 * Parses the option at argv[*i]. Advances *i if the option's value is the next
 * word. On a fault, prints an error and returns false.
 */
static bool
parse_option(KgArgs *args, int argc, char **argv, int *i,
			 const char *const *texts)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-';
	size_t len = is_long ? strcspn(word + 2, "=") : 0;
	const char *value = is_long ? word + 2 + len : word + 2;
	bool given = *value != '\0';
	Option o;

	if (!find_option(texts, word, len, &o))
		kg_error("unknown option %s", word);
	else if (o.arg == NULL && given)
		kg_error("option --%.*s takes no value", (int) o.len, o.name);
	else if (o.arg != NULL && !given && *i + 1 >= argc)
		kg_error("option --%.*s needs a value: %.*s",
				 (int) o.len,
				 o.name,
				 (int) o.arglen,
				 o.arg);
	else if (o.arg == NULL || given)
		return add_value(args, &o, value + (is_long && given));
	else
		return add_value(args, &o, argv[++*i]);
	return false;
}

/* Parses all arguments. On a fault, prints an error and returns false. */
static bool
parse(KgArgs *args, int argc, char **argv, const char *const *texts)
{
	bool options = true;

	args->rest = kg_calloc((size_t) argc + 1, sizeof(char *));
	for (int i = 0; i < argc; i++)
	{
		if (options && strcmp(argv[i], "--") == 0)
			options = false;
		else if (options && argv[i][0] == '-' && argv[i][1] != '\0')
		{
			if (!parse_option(args, argc, argv, &i, texts))
				return false;
		}
		else
			args->rest[args->nrest++] = argv[i];
	}
	return true;
}

static void
show_help(const KgCommand *command, const char *const *texts)
{
	const char *text;
	Option o;

	printf(
		"Usage: kgctl %s [OPTION]...%s\n\n", command->name, command->arguments);
	for (; (text = *texts) != NULL; texts++)
		while (next_option(&text, &o))
			printf("  %s%-*.*s %.*s",
				   o.letter != 0 ? "" : "    ",
				   o.letter != 0 ? 30 : 26,
				   (int) o.left,
				   o.line,
				   (int) (text - o.line - (long) o.left - 1),
				   o.line + o.left + 1);
}

int
kg_command_run(const KgCommand *command, int argc, char **argv)
{
	const char *texts[] = {
		command->options, command->common, help_option, NULL};
	KgArgs args;
	int code = KG_EXIT_USAGE;

	memset(&args, 0, sizeof(args));
	if (parse(&args, argc, argv, texts))
	{
		if (kg_args_has(&args, "help"))
		{
			show_help(command, texts);
			code = KG_EXIT_OK;
		}
		else if (args.nrest < command->min || args.nrest > command->max)
			kg_error("usage: kgctl %s [OPTION]...%s",
					 command->name,
					 command->arguments);
		else
			code = command->run(&args);
	}
	free(args.values);
	free(args.rest);
	return code;
}

const char *
kg_args_nth(const KgArgs *args, const char *name, size_t n)
{
	for (size_t i = 0; i < args->nvalues; i++)
		if (args->values[i].len == strlen(name) &&
			memcmp(args->values[i].name, name, strlen(name)) == 0 && n-- == 0)
			return args->values[i].value;
	return NULL;
}

const char *
kg_args_get(const KgArgs *args, const char *name)
{
	return kg_args_nth(args, name, 0);
}

bool
kg_args_has(const KgArgs *args, const char *name)
{
	return kg_args_nth(args, name, 0) != NULL;
}

bool
kgctl_args_number(const KgArgs *args, const char *name, long min, long max,
				  long *value)
{
	const char *text = kg_args_get(args, name);
	char *end;
	long n;

	if (text == NULL)
		return true;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || n < min || n > max)
	{
		kg_error("option --%s must be a number from %ld to %ld, not \"%s\"",
				 name,
				 min,
				 max,
				 text);
		return false;
	}
	*value = n;
	return true;
}

bool
kg_args_delimiter(const KgArgs *args, char otherwise, char *delimiter)
{
	const char *given = kg_args_get(args, "delimiter");

	*delimiter = otherwise;
	if (given == NULL)
		return true;
	if (strlen(given) == 1 && (*given & 0x80) == 0 &&
		strchr("\"\n\r", *given) == NULL)
	{
		*delimiter = *given;
		return true;
	}
	kg_error("--delimiter: \"%s\" is not a single character of ASCII that can "
			 "separate cells",
			 given);
	return false;
}
