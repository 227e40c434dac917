/*
 * translate.c
 *	  Corrects statements in other dialects of SQL.
 *
 * A refused statement is read as tokens. Constructs of MySQL, SQL Server,
 * SQLite and Oracle with exactly one equivalent in PostgreSQL are replaced, and
 * all other text stays. The result is only proposed: it never runs in place of
 * the statement.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/translate.h"
#include "base/catch.h"
#include "base/json.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "parser/parser.h"
#include "query/argument/arguments.h"
#include "query/argument/repair.h"
#include "utils/builtins.h"

/* Statements with more tokens are not translated. */
#define KG_ASK_TOKENS 4000

typedef enum TokenKind
{
	WORD,
	NUMBER,
	STRING,	  /* 'text' */
	QUOTED,	  /* "name" */
	BACKTICK, /* `name` */
	SIGN	  /* any other character */
} TokenKind;

typedef struct Token
{
	TokenKind kind;
	const char *at;
	int len;
} Token;

typedef struct Translation
{
	const KgAsk *ask;
	const char *sent;
	const char *meant;
	Token *tokens;
	int n;
	int nquestions; /* number of "?" that were replaced by $n */
	/* number of named parameters that were replaced by $n */
	int nnamed;
	const char *top; /* the number n of a SELECT TOP n, or NULL */
	bool impossible;
	StringInfoData out;
} Translation;

/* ---- tokens ---- */

static bool
is_word(char c)
{
	return isalnum((unsigned char) c) || c == '_' || IS_HIGHBIT_SET(c);
}

/*
 * Returns the end of a text in quotation marks. A doubled quotation mark within
 * the text does not end it. Returns NULL if no quotation mark ends the text.
 */
static const char *
end_of_quoted(const char *at)
{
	char quote = *at++;

	while (*at != '\0' && (*at != quote || at[1] == quote))
		at += *at == quote ? 2 : 1;
	return *at == quote ? at + 1 : NULL;
}

/* Returns the end of the white space and comments that begin at a position. */
static const char *
skip_blanks(const char *at)
{
	for (;;)
	{
		if (isspace((unsigned char) *at))
			at++;
		else if (at[0] == '-' && at[1] == '-')
			at += strcspn(at, "\n");
		else if (at[0] == '/' && at[1] == '*' && strstr(at, "*/") != NULL)
			at = strstr(at, "*/") + 2;
		else
			return at;
	}
}

/*
 * Reads the tokens of a statement. Returns false if the statement has a
 * construct that this file cannot read.
 */
static bool
read_tokens(Translation *t, const char *sql)
{
	t->tokens = palloc((strlen(sql) + 1) * sizeof(Token));
	for (const char *at = skip_blanks(sql); *at != '\0'; at = skip_blanks(at))
	{
		Token *token = &t->tokens[t->n++];
		const char *end = at + 1;

		token->at = at;
		token->kind = *at == '\''					 ? STRING
					  : *at == '"'					 ? QUOTED
					  : *at == '`'					 ? BACKTICK
					  : isdigit((unsigned char) *at) ? NUMBER
					  : is_word(*at)				 ? WORD
													 : SIGN;
		if (token->kind == WORD || token->kind == NUMBER)
			while (is_word(*end) || (token->kind == NUMBER && *end == '.'))
				end++;
		else if (token->kind != SIGN)
			end = end_of_quoted(at);
		/*
		 * A text in quotation marks without an end may be a text with
		 * backslashes (E'...'). Such texts, and texts between $$, are not
		 * supported.
		 */
		if (end == NULL || t->n > KG_ASK_TOKENS ||
			(*at == '$' && end[0] == '$'))
			return false;
		token->len = (int) (end - at);
		at = end;
	}
	return true;
}

static bool
is_sign(const Translation *t, int i, const char *signs)
{
	return i >= 0 && i < t->n && t->tokens[i].kind == SIGN &&
		   strchr(signs, *t->tokens[i].at) != NULL;
}

static bool
is_named(const Translation *t, int i, const char *word)
{
	return i >= 0 && i < t->n && t->tokens[i].kind == WORD &&
		   t->tokens[i].len == (int) strlen(word) &&
		   pg_strncasecmp(t->tokens[i].at, word, t->tokens[i].len) == 0;
}

static bool
is_one_of(const Translation *t, int i, const char *const *words, int n)
{
	for (int w = 0; w < n; w++)
		if (is_named(t, i, words[w]))
			return true;
	return false;
}

static bool
is_kind(const Translation *t, int i, TokenKind kind)
{
	return i >= 0 && i < t->n && t->tokens[i].kind == kind;
}

/*
 * Returns the index of the parenthesis that closes the parenthesis at i, or -1.
 */
static int
closing(const Translation *t, int i)
{
	int depth = 0;

	for (; i < t->n; i++)
	{
		depth += is_sign(t, i, "(") - is_sign(t, i, ")");
		if (depth == 0)
			return i;
	}
	return -1;
}

/* ---- output of tokens and calls ---- */

static void write_tokens(Translation *t, int from, int to);

/*
 * Writes the white space and comments between the previous token and a token.
 */
static void
write_gap(Translation *t, int i)
{
	const char *from = i > 0 ? t->tokens[i - 1].at + t->tokens[i - 1].len
							 : t->ask->sql;

	appendBinaryStringInfo(&t->out, from, t->tokens[i].at - from);
}

static void
write_name(Translation *t, const char *name, int len)
{
	appendStringInfo(&t->out, "\"%.*s\"", len, name);
}

/*
 * Writes a format of dates ('%Y-%m') as a format of to_char(). If the format
 * has letters other than codes, to_char() has no equivalent, and the
 * translation is marked as impossible.
 */
static void
write_format(Translation *t, const Token *token)
{
	static const char *const codes[][2] = {{"Y", "YYYY"},
										   {"m", "MM"},
										   {"d", "DD"},
										   {"H", "HH24"},
										   {"M", "MI"},
										   {"i", "MI"},
										   {"S", "SS"},
										   {"s", "SS"},
										   {"j", "DDD"}};

	if (token->kind != STRING)
		t->impossible = true;
	for (int i = 0; i < token->len && !t->impossible; i++)
	{
		const char *code = NULL;

		if (token->at[i] != '%')
		{
			t->impossible = isalpha((unsigned char) token->at[i]);
			appendStringInfoChar(&t->out, token->at[i]);
			continue;
		}
		i++;
		for (int c = 0; c < lengthof(codes); c++)
			if (token->at[i] == *codes[c][0])
				code = codes[c][1];
		if (code == NULL)
			t->impossible = true;
		else
			appendStringInfoString(&t->out, code);
	}
}

/*
 * Writes the call that begins at token i and ends at token "end", in the form
 * of a pattern (kg_ask_function_pattern()).
 */
static void
write_pattern(Translation *t, const char *pattern, const int *commas, int end)
{
	for (const char *p = pattern; *p != '\0'; p++)
	{
		int first;
		int last;

		if ((*p != '$' && *p != '@') || !isdigit((unsigned char) p[1]))
		{
			appendStringInfoChar(&t->out, *p);
			continue;
		}
		first = commas[p[1] - '1'] + 1;
		last = commas[p[1] - '0'];
		if (first >= last || (*p == '@' && last - first != 1))
			t->impossible = true;
		else if (*p == '@')
			write_format(t, &t->tokens[first]);
		else
		{
			/* Removes the white space before the argument. */
			int at = t->out.len;

			write_tokens(t, first, last);
			while (isspace((unsigned char) t->out.data[at]))
				memmove(
					t->out.data + at, t->out.data + at + 1, t->out.len-- - at);
		}
		p++;
	}
}

/*
 * Writes a call of a function of another dialect. Returns the index of the
 * token after the call, or i if no such call begins at token i.
 */
static int
write_call(Translation *t, int i)
{
	int end = is_kind(t, i, WORD) && is_sign(t, i + 1, "(") ? closing(t, i + 1)
															: -1;
	int commas[4] = {i + 1};
	int nargs = 0;
	const char *pattern;

	if (end < 0)
		return i;
	for (int a = i + 2; a < end; a++)
	{
		if (is_sign(t, a, "("))
			a = closing(t, a);
		else if (is_sign(t, a, ","))
		{
			if (++nargs == 3)
				return i;
			commas[nargs] = a;
		}
	}
	if (end > i + 2)
		commas[++nargs] = end;
	pattern = kg_ask_function_pattern(
		pnstrdup(t->tokens[i].at, t->tokens[i].len), nargs);
	if (pattern == NULL)
		return i;
	write_gap(t, i);
	write_pattern(t, pattern, commas, end);
	return end + 1;
}

/* ---- other constructs ---- */

/*
 * Translates LIMIT a, b and SELECT TOP n. Returns the index of the next token,
 * or i if no such clause begins at token i.
 */
static int
write_limit(Translation *t, int i)
{
	if (is_named(t, i, "limit") && is_kind(t, i + 1, NUMBER) &&
		is_sign(t, i + 2, ",") && is_kind(t, i + 3, NUMBER))
	{
		write_gap(t, i);
		appendStringInfo(&t->out,
						 "LIMIT %.*s OFFSET %.*s",
						 t->tokens[i + 3].len,
						 t->tokens[i + 3].at,
						 t->tokens[i + 1].len,
						 t->tokens[i + 1].at);
		return i + 4;
	}
	if (i == 1 && is_named(t, 0, "select") && is_named(t, 1, "top") &&
		is_kind(t, 2, NUMBER))
	{
		t->top = pnstrdup(t->tokens[2].at, t->tokens[2].len);
		return 3;
	}
	return i;
}

/*
 * Translates parameters to $n: "?", and ":name", "@name" or "$name", which name
 * a member of params. Returns the index of the next token, or i if no such
 * parameter begins at token i.
 */
static int
write_parameter(Translation *t, int i)
{
	const JsonbContainer *params = t->ask->params;
	const Token *name = &t->tokens[i + 1];

	if (params == NULL || !is_sign(t, i, "?:@$"))
		return i;
	if (*t->tokens[i].at == '?')
	{
		if (!JsonContainerIsArray(params) ||
			t->nquestions == kg_json_length(params))
			return i;
		write_gap(t, i);
		appendStringInfo(&t->out, "$%d", ++t->nquestions);
		return i + 1;
	}
	if (!JsonContainerIsObject(params) || !is_kind(t, i + 1, WORD) ||
		name->at != t->tokens[i].at + 1 || is_sign(t, i - 1, ":"))
		return i;
	kg_json_each(it, params)
		if (it.key.val.string.len == name->len &&
			memcmp(it.key.val.string.val, name->at, name->len) == 0)
		{
			write_gap(t, i);
			appendStringInfo(&t->out, "$%d", it.index + 1);
			t->nnamed++;
			return i + 2;
		}
	return i;
}

/*
 * Returns whether the token is used as the name of a column, although it is a
 * keyword ("from" or "to").
 */
static bool
is_column(const Translation *t, int i)
{
	static const char *const before[] = {"where", "and", "or", "on", "by"};
	static const char *const after[] = {"from", "as"};

	if (is_named(t, i, "to"))
		return !is_named(t, i + 1, "month") && !is_named(t, i + 1, "second") &&
			   !is_named(t, i + 1, "minute") && !is_named(t, i + 1, "hour");
	if (!is_named(t, i, "from"))
		return false;
	if (is_named(t, i - 1, "select"))
		return is_one_of(t, i + 1, after, lengthof(after)) ||
			   is_sign(t, i + 1, ",");
	return is_one_of(t, i - 1, before, lengthof(before)) ||
		   is_sign(t, i - 1, ",=<>") ||
		   (is_sign(t, i - 1, "(") && is_sign(t, i + 1, ")"));
}

/*
 * Writes a name that has the quotation marks of another dialect, or that is a
 * keyword, in double quotes. Returns the index of the next token, or i if token
 * i is not such a name.
 */
static int
write_quoted(Translation *t, int i)
{
	const Token *token = &t->tokens[i];

	if (token->kind == BACKTICK &&
		memchr(token->at + 1, '"', token->len - 2) == NULL)
	{
		write_gap(t, i);
		write_name(t, token->at + 1, token->len - 2);
		return i + 1;
	}
	/*
	 * After a name or a parenthesis, "[" begins a subscript, so it does not
	 * quote a name.
	 */
	if (is_sign(t, i, "[") && is_kind(t, i + 1, WORD) &&
		is_sign(t, i + 2, "]") && !is_kind(t, i - 1, QUOTED) &&
		!is_sign(t, i - 1, ")]") &&
		(!is_kind(t, i - 1, WORD) ||
		 t->tokens[i - 1].at + t->tokens[i - 1].len < token->at))
	{
		write_gap(t, i);
		write_name(t, t->tokens[i + 1].at, t->tokens[i + 1].len);
		return i + 3;
	}
	if (is_column(t, i))
	{
		write_gap(t, i);
		write_name(t, token->at, token->len);
		return i + 1;
	}
	return i;
}

static bool
is_both(const char *bundle, const char *name, const char *schema,
		const char *table)
{
	return pg_strcasecmp(name, table) == 0 &&
		   (pg_strcasecmp(schema, "public") == 0 ||
			pg_strcasecmp(schema, bundle) == 0);
}

/*
 * Returns whether "schema.name" is a type or relation with this name, and the
 * schema is its bundle or "public".
 */
static bool
is_in_bundle(const KgCatalog *catalog, const char *schema, const char *name)
{
	for (int i = 0; i < catalog->ntypes; i++)
		if (is_both(
				catalog->types[i].bundle, catalog->types[i].name, schema, name))
			return true;
	for (int i = 0; i < catalog->nrelations; i++)
		if (is_both(catalog->relations[i].bundle,
					catalog->relations[i].name,
					schema,
					name))
			return true;
	return false;
}

/*
 * Replaces the name t->sent, which does not exist, by t->meant. If t->meant is
 * NULL, replaces the name by itself in single quotes. Also removes the name of
 * a bundle before the name of a table. Returns the index of the next token, or
 * i if nothing was replaced.
 */
static int
write_meant(Translation *t, int i)
{
	const Token *token = &t->tokens[i];
	bool quoted = token->kind == QUOTED;
	const char *name = token->at + quoted;
	int len = token->len - 2 * quoted;

	if ((is_named(t, i - 1, "from") || is_named(t, i - 1, "join")) &&
		is_kind(t, i, WORD) && is_sign(t, i + 1, ".") &&
		is_kind(t, i + 2, WORD) && t->ask->catalog != NULL &&
		is_in_bundle(t->ask->catalog,
					 pnstrdup(name, len),
					 pnstrdup(t->tokens[i + 2].at, t->tokens[i + 2].len)))
	{
		write_gap(t, i);
		appendBinaryStringInfo(
			&t->out, t->tokens[i + 2].at, t->tokens[i + 2].len);
		return i + 3;
	}
	if (t->sent == NULL || is_named(t, i - 1, "as") ||
		(token->kind != WORD && !quoted) || len != (int) strlen(t->sent) ||
		pg_strncasecmp(name, t->sent, len) != 0)
		return i;
	/*
	 * If t->meant is NULL, t->sent must be a text in double quotes, which MySQL
	 * allows.
	 */
	if (t->meant == NULL && (!quoted || !is_sign(t, i - 1, "=<>(,") ||
							 memchr(name, '\'', len) != NULL))
		return i;
	write_gap(t, i);
	if (t->meant == NULL)
		appendStringInfo(&t->out, "'%.*s'", len, name);
	else
		appendStringInfoString(&t->out, quote_identifier(t->meant));
	return i + 1;
}

/* ---- whole statements ---- */

static void
write_tokens(Translation *t, int from, int to)
{
	static int (*const writers[])(Translation * t, int i) = {
		write_call, write_limit, write_parameter, write_quoted, write_meant};

	check_stack_depth();
	for (int i = from; i < to;)
	{
		int next = i;

		for (int w = 0; w < lengthof(writers) && next == i; w++)
			next = writers[w](t, i);
		if (next == i)
		{
			write_gap(t, i);
			appendBinaryStringInfo(&t->out, t->tokens[i].at, t->tokens[i].len);
			next++;
		}
		i = next;
	}
}

static void
parse(void *arg)
{
	(void) raw_parser(arg, RAW_PARSE_DEFAULT);
}

/*
 * Returns the translated statement. Returns NULL if no construct needs a
 * translation, or if the result is not a statement.
 */
static Jsonb *
translated(Translation *t)
{
	JsonbValue value;

	if (!read_tokens(t, t->ask->sql))
		return NULL;
	initStringInfo(&t->out);
	write_tokens(t, 0, t->n);
	if (t->top != NULL)
		appendStringInfo(&t->out, " LIMIT %s", t->top);
	if (t->impossible || strcmp(t->out.data, t->ask->sql) == 0 ||
		(t->nquestions > 0 && t->nquestions < kg_json_length(t->ask->params)) ||
		kg_catch_refusal(KG_CATCH_MEMORY, parse, t->out.data) != NULL)
		return NULL;
	value = kg_json_string_value(t->out.data);
	return kg_json_datum(&value);
}

void
kg_ask_refuse_named(const char *sql, const JsonbValue *params)
{
	KgAsk ask = {.sql = sql, .params = kg_json_container(params)};
	Translation t = {.ask = &ask};
	KgError *err = kg_args_error("/params", params, "an array");
	KgInstead change = {.kind = KG_INSTEAD_VALUE};
	KgCorrection correction = {NULL};
	KgJsonWriter w;

	change.path = "/sql";
	change.value = translated(&t);
	if (change.value != NULL && t.nnamed >= kg_json_length(ask.params))
	{
		kg_correct(&correction, &change);
		kg_jw_init_array(&w);
		kg_json_each(it, ask.params)
			kg_jw_value(&w, &it.value);
		change.path = "/params";
		change.value = kg_jw_finish(&w);
		kg_correct(&correction, &change);
		kg_error_instead(err, "", correction.arguments);
	}
	kg_error_throw(err);
}

void
kg_ask_translate(const KgAsk *ask, KgError *err, const char *sent,
				 const char *meant)
{
	Translation t = {.ask = ask, .sent = sent, .meant = meant};

	kg_error_instead(err, "/sql", translated(&t));
}
