/*
 * cmd_tools.c
 *	  kgctl tools, call, login, logout.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/show.h"

static const char tools_options[] =
	"--json\tprint the list as JSON, schemas included\n";

static const char call_options[] =
	"-c, --compact\tprint the answer on one line\n";

static const char login_options[] = "--no-save\tonly check the token\n";

static void
print_json(const KgJson *root, bool compact)
{
	KgBuf out;

	kg_buf_init(&out);
	kg_json_write(&out, root, compact ? -1 : 0);
	puts(out.data);
	kg_buf_free(&out);
}

/*
 * Prints one line per tool: its name and the first sentence of its description.
 */
static void
print_tools(const KgJson *root)
{
	const KgJson *list = root->kind == KG_JSON_ARRAY
							 ? root
							 : kgctl_json_get(root, "tools");

	for (size_t i = 0; i < kgctl_json_length(list); i++)
	{
		const char *name = kg_json_get_text(list->u.items[i], "name");
		const char *about = kg_json_get_text(list->u.items[i], "description");
		size_t n = about ? strcspn(about, "\n") : 0;
		const char *stop = about ? strstr(about, ". ") : NULL;

		if (stop != NULL && (size_t) (stop - about) < n)
			n = (size_t) (stop - about) + 1;
		kg_print(stdout,
				 "%-32s %.*s\n",
				 name ? name : "?",
				 (int) n,
				 about ? about : "");
	}
}

static int
run_tools(const KgArgs *args)
{
	KgDb db;
	KgArena *arena = kg_arena_new();
	char *text = NULL;
	const KgJson *root;
	int code = KG_EXIT_OK;

	if (!kg_db_open(&db, args) ||
		!kg_db_call(&db, "kg_list_tools", "", NULL, &text) ||
		(root = kg_db_read(&db, arena, text, NULL)) == NULL)
		code = db.exit;
	else if (kg_args_has(args, "json"))
		print_json(root, true);
	else
		print_tools(root);
	kg_db_close(&db);
	free(text);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_tools = {"tools",
									"",
									"list the tools the caller sees",
									tools_options,
									kg_db_options,
									0,
									0,
									run_tools};

/*
 * Writes the words name=value as members of an object. A value that is valid
 * JSON is used as JSON. Returns false on failure.
 */
static bool
words_to_object(KgArena *arena, const KgArgs *args, KgBuf *out)
{
	KgJson *object = kg_json_object(arena);
	const KgctlMember *twice;

	for (size_t i = 1; i < args->nrest; i++)
	{
		const char *word = args->rest[i];
		const char *equals = strchr(word, '=');
		char *error = NULL;
		KgJson *value;

		if (equals == NULL || equals == word)
		{
			kg_error("\"%s\" is neither a JSON object nor name=value", word);
			return false;
		}
		value = kgctl_json_parse(
			arena, equals + 1, strlen(equals + 1), NULL, &error);
		if (value == NULL)
			value = kg_json_string(arena, equals + 1, strlen(equals + 1));
		free(error);
		kg_json_set(arena, object, word, (size_t) (equals - word), value);
	}
	if (kg_json_duplicate(object, &twice))
	{
		kg_error("argument \"%s\" is given twice", twice->key);
		return false;
	}
	kg_json_write(out, object, -1);
	return true;
}

/*
 * Reads the arguments of a tool: a JSON object, @FILE, "-" for standard input,
 * or words name=value. Returns false on failure.
 */
static bool
read_arguments(KgArena *arena, const KgArgs *args, KgBuf *out)
{
	const char *word = args->nrest > 1 ? args->rest[1] : "{}";
	char *error = NULL;
	bool ok;

	if (args->nrest > 2 ||
		(word[0] != '{' && word[0] != '@' && strcmp(word, "-") != 0))
		return words_to_object(arena, args, out);
	if (word[0] == '{')
		kg_buf_puts(out, word);
	else if (!kg_read_file(word[0] == '@' ? word + 1 : word, out))
		return false;
	ok = kgctl_json_parse(arena, out->data, out->len, NULL, &error) != NULL;
	if (!ok)
		kg_error("the arguments are not JSON: %s", error);
	free(error);
	return ok;
}

static int
call_tool(const KgArgs *args, KgArena *arena, const char *arguments)
{
	const char *values[2] = {args->rest[0], arguments};
	KgDb db;
	char *text = NULL;
	const KgJson *root;
	int code;

	if (kg_db_open(&db, args) &&
		kg_db_call(&db, "kg_call_tool", "text jsonb", values, &text) &&
		(root = kg_db_read(&db, arena, text, NULL)) != NULL &&
		kg_db_commit(&db))
	{
		/*
		 * Print the reply after the commit, because the reply may report a
		 * write.
		 */
		print_json(root, kg_args_has(args, "compact"));
		code = kg_json_is_true(kgctl_json_get(root, "isError"))
				   ? KG_EXIT_DIFFERENT
				   : KG_EXIT_OK;
	}
	else
		code = db.exit == KG_EXIT_REFUSED ? KG_EXIT_DIFFERENT : db.exit;
	kg_db_close(&db);
	free(text);
	return code;
}

static int
run_call(const KgArgs *args)
{
	KgArena *arena = kg_arena_new();
	KgBuf arguments;
	int code = KG_EXIT_USAGE;

	kg_buf_init(&arguments);
	if (read_arguments(arena, args, &arguments))
		code = call_tool(args, arena, arguments.data);
	kg_buf_free(&arguments);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_call = {"call",
								   " TOOL [{JSON}|@FILE|-|NAME=VALUE...]",
								   "call a tool",
								   call_options,
								   kg_db_options,
								   1,
								   1000,
								   run_call};

static struct termios echoing;

/* Restores the terminal if the user interrupts the prompt. */
static void
on_prompt_signal(int sig)
{
	(void) tcsetattr(STDIN_FILENO, TCSAFLUSH, &echoing);
	_exit(write(STDERR_FILENO, "\n", 1) < 0 ? KG_EXIT_INTERNAL
											: KG_EXIT_INTERRUPTED);
}

static void
catch_at_prompt(void (*handler)(int))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	/*
	 * SIGTTOU must not stop the process while the handler restores the terminal
	 * from the background.
	 */
	sigaddset(&action.sa_mask, SIGTTOU);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

/*
 * Reads a token from the terminal without echo. If standard input is no
 * terminal, reads the token from it. Returns false on failure.
 */
static bool
prompt_token(char **token)
{
	struct termios quiet;
	bool ok;

	if (tcgetattr(STDIN_FILENO, &echoing) != 0)
		return kg_token_read("-", token);
	fputs("Token (then Ctrl-D on an empty line): ", stderr);
	quiet = echoing;
	quiet.c_lflag &= ~(tcflag_t) ECHO;
	catch_at_prompt(on_prompt_signal);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	ok = kg_token_read("-", token);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &echoing);
	catch_at_prompt(SIG_DFL);
	fputc('\n', stderr);
	return ok;
}

static int
run_login(const KgArgs *args)
{
	KgDb db;
	char *token = NULL;
	char *tenant = NULL;
	int code = KG_EXIT_INPUT;

	if (kg_token_find(args, false, &token) &&
		(token != NULL || prompt_token(&token)))
	{
		/* kg_db_open() reads the token from the environment. */
		setenv("KGCTL_TOKEN", token, 1);
		if (!kg_db_open(&db, args) ||
			!kg_db_call(&db, "kg_tenant", "", NULL, &tenant))
			code = db.exit;
		else if (kg_args_has(args, "no-save") || kg_token_save(token))
		{
			kg_print(stdout, "tenant %s\n", tenant ? tenant : "(none)");
			code = KG_EXIT_OK;
		}
		kg_db_close(&db);
	}
	free(token);
	free(tenant);
	return code;
}

const KgCommand kg_command_login = {
	"login",
	"",
	"check a token and store it for later commands",
	login_options,
	kg_db_options,
	0,
	0,
	run_login};

static int
run_logout(const KgArgs *args)
{
	return kg_token_forget() ? KG_EXIT_OK : KG_EXIT_INPUT;
}

const KgCommand kg_command_logout = {"logout",
									 "",
									 "delete the stored token",
									 "",
									 kg_db_options,
									 0,
									 0,
									 run_logout};
