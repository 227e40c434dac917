/*
 * repair.c
 *	  Corrections of arguments.
 *
 * An error or a hint reports which argument is wrong. This file adds the
 * corrected call if only one correction is likely.
 */
#include "postgres.h"

#include "base/meaning.h"
#include "model/catalog.h"
#include "model/term.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "query/argument/repair.h"
#include "query/run/running.h"

/* Longer arguments are not repeated in a correction. */
#define KG_MAX_CALL_BYTES 4096

void
kg_repair_begin(const char *tool, const Jsonb *arguments)
{
	KgCall *call = kg_running_call();

	if (call == NULL)
		return;
	/*
	 * The caller of a registered tool must not learn which tools the registered
	 * tool runs.
	 */
	call->tool = call->registered ? NULL : tool;
	call->arguments = call->registered ? NULL : arguments;
}

/*
 * Returns the running call if its arguments are an object that can be repeated;
 * otherwise NULL.
 */
static const KgCall *
repairable(void)
{
	const KgCall *call = kg_running_call();

	if (call == NULL || call->arguments == NULL ||
		!JB_ROOT_IS_OBJECT(call->arguments) ||
		VARSIZE(call->arguments) > KG_MAX_CALL_BYTES)
		return NULL;
	return call;
}

/* ---- changes of arguments ---- */

/*
 * Writes the changed value. In an array, only the items that equal the wrong
 * value change.
 */
static void
write_instead(KgJsonWriter *w, const JsonbValue *value, const KgInstead *change)
{
	if (change->got == NULL || !kg_json_is_array(value))
	{
		kg_jw_jsonb(w, change->value);
		return;
	}
	kg_jw_begin_array(w);
	kg_json_each(it, kg_json_container(value))
		if (kg_json_same(kg_json_datum(&it.value), change->got))
			kg_jw_jsonb(w, change->value);
		else
			kg_jw_value(w, &it.value);
	kg_jw_end_array(w);
}

static void
write_changed(KgJsonWriter *w, const JsonbContainer *container,
			  const char *path, const KgInstead *change)
{
	bool object = JsonContainerIsObject(container);
	JsonbValue taken;

	check_stack_depth();
	object ? kg_jw_begin_object(w) : kg_jw_begin_array(w);
	kg_json_each(it, container)
	{
		char *here = object ? kg_path_member(path, kg_json_cstring(&it.key))
							: kg_path_index(path, it.index);
		int len = strlen(here);
		bool is_it = strcmp(here, change->path) == 0;

		if (is_it && change->kind == KG_INSTEAD_OUT)
			continue;
		/*
		 * If the object already has the correct name, the member stays as it
		 * is.
		 */
		if (object && is_it && change->kind == KG_INSTEAD_KEY &&
			kg_json_get(container, change->key, &taken) != NULL)
			is_it = false;
		if (object && is_it && change->kind == KG_INSTEAD_KEY)
			kg_jw_key(w, change->key);
		else if (object)
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (is_it && change->value != NULL)
			write_instead(w, &it.value, change);
		else if (it.value.type == jbvBinary &&
				 strncmp(here, change->path, len) == 0 &&
				 change->path[len] == '/')
			write_changed(w, kg_json_container(&it.value), here, change);
		else
			kg_jw_value(w, &it.value);
	}
	object ? kg_jw_end_object(w) : kg_jw_end_array(w);
}

/* Writes the container with a member added at the path. */
static void
write_added(KgJsonWriter *w, const JsonbContainer *container, const char *path,
			const KgInstead *change)
{
	bool object = JsonContainerIsObject(container);

	check_stack_depth();
	object ? kg_jw_begin_object(w) : kg_jw_begin_array(w);
	kg_json_each(it, container)
	{
		char *here = object ? kg_path_member(path, kg_json_cstring(&it.key))
							: kg_path_index(path, it.index);
		int len = strlen(here);

		if (object)
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (it.value.type == jbvBinary &&
			strncmp(here, change->path, len) == 0 &&
			(change->path[len] == '/' || change->path[len] == '\0'))
			write_added(w, kg_json_container(&it.value), here, change);
		else
			kg_jw_value(w, &it.value);
	}
	if (object && strcmp(path, change->path) == 0)
		kg_jw_kjsonb(w, change->key, change->value);
	object ? kg_jw_end_object(w) : kg_jw_end_array(w);
}

Jsonb *
kg_changed(const JsonbContainer *container, const char *path,
		   const KgInstead *change)
{
	KgJsonWriter w;

	if (change->kind == KG_INSTEAD_VALUE && strcmp(path, change->path) == 0)
	{
		JsonbValue whole;

		kg_json_root(change->value, &whole);
		return kg_json_datum(&whole);
	}
	kg_jw_init(&w);
	if (change->kind == KG_INSTEAD_ADD)
		write_added(&w, container, path, change);
	else
		write_changed(&w, container, path, change);
	return kg_jw_finish(&w);
}

static bool
value_at(const JsonbContainer *container, const char *path, const char *at,
		 JsonbValue *value)
{
	check_stack_depth();
	kg_json_each(it, container)
	{
		char *here = it.is_object
						 ? kg_path_member(path, kg_json_cstring(&it.key))
						 : kg_path_index(path, it.index);
		int len = strlen(here);

		if (strncmp(here, at, len) != 0)
			continue;
		if (at[len] == '\0')
		{
			*value = it.value;
			return true;
		}
		if (at[len] == '/' && it.value.type == jbvBinary)
			return value_at(kg_json_container(&it.value), here, at, value);
	}
	return false;
}

bool
kg_repair_value_at(const char *path, JsonbValue *value)
{
	const KgCall *call = repairable();

	return call != NULL && value_at(&call->arguments->root, "", path, value);
}

void
kg_correct(KgCorrection *correction, const KgInstead *change)
{
	const KgCall *call = repairable();
	const Jsonb *before = correction->arguments;
	Jsonb *after;

	if (call == NULL)
		return;
	if (before == NULL)
		before = call->arguments;
	after = kg_changed(&before->root, "", change);
	if (!kg_json_same(before, after))
		correction->arguments = after;
}

void
kg_correct_set(KgCorrection *correction, const char *path, const char *key,
			   const Jsonb *value)
{
	KgInstead change = {
		.kind = KG_INSTEAD_ADD, .path = path, .key = key, .value = value};

	kg_correct(correction, &change);
}

void
kg_correct_out(KgCorrection *correction, const char *path)
{
	KgInstead change = {.kind = KG_INSTEAD_OUT, .path = path};

	kg_correct(correction, &change);
}

static void
write_strings(KgJsonWriter *w, char **parts, int n)
{
	for (int i = 0; i < n; i++)
		kg_jw_string(w, parts[i]);
}

void
kg_correct_list(KgCorrection *correction, const char *path,
				const JsonbValue *got, char **parts, int n, bool condition)
{
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = path};
	JsonbValue there;
	KgJsonWriter w;

	if (!kg_repair_value_at(path, &there))
		return;
	if (!kg_json_is_array(&there))
	{
		/* "eq" takes only one value. */
		if (!condition || strcmp(kg_path_last(path), "eq") == 0)
			return;
		kg_jw_init_object(&w);
		kg_jw_kbegin_array(&w, "in");
		write_strings(&w, parts, n);
		kg_jw_end_array(&w);
	}
	else
	{
		kg_jw_init_array(&w);
		kg_json_each(it, kg_json_container(&there))
			if (kg_json_same(kg_json_datum(&it.value), kg_json_datum(got)))
				write_strings(&w, parts, n);
			else
				kg_jw_value(&w, &it.value);
	}
	change.value = kg_jw_finish(&w);
	kg_correct(correction, &change);
}

void
kg_repair_take(const char *path, const Jsonb *used)
{
	KgCall *call = kg_running_call();
	KgInstead change = {.kind = used ? KG_INSTEAD_VALUE : KG_INSTEAD_OUT,
						.path = path,
						.value = used};

	if (repairable() != NULL)
		call->arguments = kg_changed(&call->arguments->root, "", &change);
}

static Jsonb *
make_call(const char *tool, const Jsonb *arguments)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tool", tool);
	kg_jw_kjsonb(&w, "arguments", arguments);
	return kg_jw_finish(&w);
}

Jsonb *
kg_correction_call(const KgCorrection *correction)
{
	const KgCall *call = repairable();

	if (call == NULL || call->tool == NULL || correction->arguments == NULL)
		return NULL;
	return make_call(call->tool, correction->arguments);
}

void
kg_correction_write(const KgCorrection *correction, KgJsonWriter *w)
{
	Jsonb *call = kg_correction_call(correction);

	if (call != NULL)
		kg_jw_kjsonb(w, "call", call);
}

/* ---- meaning of a text ---- */

bool
kg_is_certain(const char *given, const char *meant)
{
	return kg_is_respelling(given, meant) ||
		   kg_is_respelling(kg_term_fold(given, strlen(given)),
							kg_term_fold(meant, strlen(meant)));
}

/*
 * Returns the text in lower case without accents, with only letters and digits,
 * and numbers without leading zeros.
 */
static char *
bare(const char *text)
{
	char *folded = kg_term_fold(text, strlen(text));
	char *out = folded;
	bool number = false;

	for (const char *p = folded; *p != '\0'; p++)
	{
		unsigned char c = *p;
		bool digit = c >= '0' && c <= '9';

		if (!digit && c < 0x80 && !(c >= 'a' && c <= 'z'))
		{
			number = false;
			continue;
		}
		if (c == '0' && !number && p[1] >= '0' && p[1] <= '9')
			continue;
		number = digit;
		*out++ = *p;
	}
	*out = '\0';
	return folded;
}

/*
 * Returns the index of the only name that equals the text in the form of
 * bare(); -1: no name; -2: several.
 */
static int
only_same(const char *text, const char *const *names, int n)
{
	int found = -1;
	char *wanted = bare(text);

	if (wanted[0] == '\0')
		return -1;
	for (int i = 0; i < n; i++)
		if (names[i] != NULL && strcmp(bare(names[i]), wanted) == 0 &&
			kg_keeps_signs(text, names[i]))
			found = found == -1 ? i : -2;
	return found;
}

/*
 * Returns the index of the only name that the text certainly means
 * (kg_is_certain()); -1: no name; -2: several.
 */
static int
only_certain(const char *text, const char *const *names, int n)
{
	int found = -1;

	for (int i = 0; i < n; i++)
		if (names[i] != NULL && kg_is_certain(text, names[i]))
			found = found == -1 ? i : -2;
	return found;
}

int
kg_likely(const char *text, const char *const *names, const char *const *labels,
		  int n)
{
	int found = only_same(text, names, n);

	if (found == -1 && labels != NULL)
		found = only_same(text, labels, n);
	if (found == -1)
		found = only_certain(text, names, n);
	if (found == -1 && labels != NULL)
		found = only_certain(text, labels, n);
	return found < 0 ? -1 : found;
}

Jsonb *
kg_repair_as_member(const KgMember *member, const JsonbValue *value)
{
	bool array = member != NULL && member->array;

	/* null has no meaning, and an array of null has no meaning either. */
	if (value->type == jbvNull)
		return NULL;
	if (array && !kg_json_is_array(value))
		return kg_args_list_of(member, value);
	/* An array of one item stands for the item. */
	if (!array && kg_json_is_array(value) &&
		kg_json_length(kg_json_container(value)) == 1)
	{
		KgJsonIter it;

		kg_json_iter_init(&it, kg_json_container(value));
		(void) kg_json_iter_next(&it);
		return kg_json_datum(&it.value);
	}
	return NULL;
}

/* ---- errors ---- */

/*
 * Returns whether did_you_mean is another spelling of the wrong value, or
 * another name for the wrong value. Only then is the correction given as a
 * call.
 */
static bool
means_one(const KgInstead *said)
{
	JsonbValue got;

	if (said->doubtful || said->meant == NULL || said->got == NULL)
		return false;
	kg_json_root(said->got, &got);
	return said->sure || kg_is_certain(kg_json_cstring(&got), said->meant);
}

/*
 * Sets the change that replaces a wrong name or value by did_you_mean. Returns
 * false if did_you_mean is not certainly meant.
 */
static bool
change_of_meant(const KgError *err, KgInstead *change)
{
	const KgInstead *said = kg_error_said(err);
	JsonbValue got;
	JsonbValue there;
	JsonbValue meant;
	JsonbValue number;

	if (said->path == NULL || !means_one(said) ||
		!kg_repair_value_at(said->path, &there))
		return false;
	memset(change, 0, sizeof(*change));
	change->path = said->path;
	kg_json_root(said->got, &got);
	if (got.type == jbvString &&
		kg_json_string_is(&got, kg_path_last(said->path)))
	{
		change->kind = KG_INSTEAD_KEY;
		change->key = said->meant;
		change->value = kg_repair_as_member(said->member, &there);
		return true;
	}
	if (there.type != jbvBinary &&
		!kg_json_same(kg_json_datum(&there), said->got))
		return false;
	meant = kg_json_string_value(said->meant);
	if (got.type == jbvNumeric && kg_json_number_of(&meant, &number))
		meant = number;
	change->kind = KG_INSTEAD_VALUE;
	change->got = said->got;
	change->value = kg_json_datum(&meant);
	return true;
}

/*
 * Sets *change to the change that an error suggests. Returns false if the error
 * suggests no change.
 */
static bool
suggested_change(const KgError *err, KgInstead *change)
{
	const KgInstead *said = kg_error_said(err);

	if (said->kind == KG_INSTEAD_NONE)
		return change_of_meant(err, change);
	*change = *said;
	return true;
}

bool
kg_correct_error(KgCorrection *correction, const KgError *err)
{
	const KgInstead *said = kg_error_said(err);
	KgInstead change;

	if (said->tool != NULL || said->doubtful || said->only_example)
		return false;
	if (!suggested_change(err, &change))
		return false;
	kg_correct(correction, &change);
	return true;
}

/*
 * Adds the corrected call to an error, if the error suggests a correction. If
 * the arguments are only an example, or no tool is known, adds the arguments as
 * an example. kg_error_complete calls this function for each error that
 * kg_graph raises.
 */
static void
complete(KgError *err)
{
	const KgCall *call = kg_running_call();
	const KgInstead *said = kg_error_said(err);
	const Jsonb *arguments = NULL;
	const char *tool;
	KgInstead change;

	switch ((int) kg_error_code(err))
	{
		case KG_INVALID_INPUT:
		case KG_UNKNOWN_TYPE:
		case KG_UNKNOWN_TOOL:
		case KG_NOT_FOUND:
		case KG_LIMIT_EXCEEDED:
			break;
		default:
			return;
	}
	call = repairable();
	if (call == NULL)
		return;
	tool = call->tool;
	if (kg_error_code(err) == KG_UNKNOWN_TOOL && said->tool == NULL)
	{
		if (!means_one(said))
			return;
		tool = said->meant;
		arguments = call->arguments;
	}
	else if (said->tool != NULL)
	{
		tool = said->tool;
		arguments = said->value ? said->value : call->arguments;
	}
	else if (suggested_change(err, &change))
		arguments = kg_changed(&call->arguments->root, "", &change);
	if (arguments == NULL || !JB_ROOT_IS_OBJECT(arguments) ||
		(tool == call->tool && kg_json_same(arguments, call->arguments)))
		return;
	/* Without a tool, the correction is an example of the arguments. */
	if (said->only_example || tool == NULL)
		kg_error_member(err, "example", (Jsonb *) arguments);
	else
		kg_error_member(err, "call", make_call(tool, arguments));
}

void
kg_repair_init(void)
{
	kg_error_complete = complete;
}
