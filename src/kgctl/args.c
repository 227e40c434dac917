/*
 * args.c
 *	  Command-line options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/args.h"
#include "kgctl/buf.h"
#include "kgctl/log.h"

static const KgOption *
find_long(const KgOption *options, const char *name, size_t len)
{
	for (; options != NULL && options->name != NULL; options++)
		if (strlen(options->name) == len &&
			strncmp(options->name, name, len) == 0)
			return options;
	return NULL;
}

static const KgOption *
find_short(const KgOption *options, char letter)
{
	for (; options != NULL && options->name != NULL; options++)
		if (letter != 0 && options->letter == letter)
			return options;
	return NULL;
}

static bool
add_value(KgArgs *args, const KgOption *option, const char *value)
{
	if (!option->many && kg_args_has(args, option->name))
	{
		kg_error("option --%s is given twice", option->name);
		return false;
	}
	args->values = kg_realloc(args->values,
							  (args->nvalues + 1) * sizeof(KgValue));
	args->values[args->nvalues].option = option;
	args->values[args->nvalues++].value = value;
	return true;
}

/* One option at argv[*i]; *i moves on where its value is the next word. */
static bool
parse_option(KgArgs *args, int argc, char **argv, int *i, const KgOption *own,
			 const KgOption *common)
{
	const char *word = argv[*i];
	const KgOption *option;
	const char *value = NULL;

	if (word[1] == '-')
	{
		size_t len = strcspn(word + 2, "=");

		option = find_long(own, word + 2, len);
		if (option == NULL)
			option = find_long(common, word + 2, len);
		if (word[2 + len] == '=')
			value = word + 2 + len + 1;
	}
	else
	{
		option = find_short(own, word[1]);
		if (option == NULL)
			option = find_short(common, word[1]);
		if (word[2] != '\0')
			value = word + 2;
	}
	if (option == NULL)
	{
		kg_error("unknown option %s", word);
		return false;
	}
	if (option->arg == NULL && value != NULL)
	{
		kg_error("option --%s takes no value", option->name);
		return false;
	}
	if (option->arg != NULL && value == NULL)
	{
		if (*i + 1 >= argc)
		{
			kg_error(
				"option --%s needs a value: %s", option->name, option->arg);
			return false;
		}
		value = argv[++*i];
	}
	return add_value(args, option, value);
}

bool
kg_args_parse(KgArgs *args, int argc, char **argv, const KgOption *own,
			  const KgOption *common)
{
	bool options = true;
	int i;

	memset(args, 0, sizeof(*args));
	args->rest = kg_calloc((size_t) argc + 1, sizeof(char *));
	for (i = 0; i < argc; i++)
	{
		if (options && strcmp(argv[i], "--") == 0)
			options = false;
		else if (options && argv[i][0] == '-' && argv[i][1] != '\0')
		{
			if (!parse_option(args, argc, argv, &i, own, common))
				return false;
		}
		else
			args->rest[args->nrest++] = argv[i];
	}
	return true;
}

void
kg_args_free(KgArgs *args)
{
	free(args->values);
	free(args->rest);
	memset(args, 0, sizeof(*args));
}

const char *
kg_args_nth(const KgArgs *args, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < args->nvalues; i++)
		if (strcmp(args->values[i].option->name, name) == 0 && n-- == 0)
			return args->values[i].value ? args->values[i].value : "";
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
kg_args_number(const KgArgs *args, const char *name, long min, long max,
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

void
kg_args_help(const KgOption *options)
{
	for (; options != NULL && options->name != NULL; options++)
	{
		char left[64];

		snprintf(left,
				 sizeof(left),
				 "%s%c%s--%s%s%s",
				 options->letter ? "-" : "",
				 options->letter ? options->letter : ' ',
				 options->letter ? ", " : "   ",
				 options->name,
				 options->arg ? " " : "",
				 options->arg ? options->arg : "");
		printf("  %-30s %s\n", left, options->help);
	}
}
