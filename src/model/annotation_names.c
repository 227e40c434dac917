/*
 * annotation_names.c
 *	  The names of the x-* annotations, and the check for misspelled names.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/annotation_names.h"
#include "miscadmin.h"

#define KG_NAME(which, name) name,
static const char *const names[] = {KG_ANNOTATIONS(KG_NAME)};
#undef KG_NAME

/* The values of these keywords are data, not schemas. */
static const char *const data_keywords[] = {
	"enum", "const", "default", "examples"};

/*
 * The values of these keywords map names to schemas; the names are not
 * keywords.
 */
static const char *const map_keywords[] = {"properties",
										   "patternProperties",
										   "$defs",
										   "definitions",
										   "dependentSchemas",
										   "dependencies"};

/* Annotations inside the values of these keywords are not read. */
static const char *const blind_keywords[] = {"patternProperties",
											 "additionalProperties",
											 "unevaluatedProperties",
											 "propertyNames",
											 "not",
											 "if",
											 "then",
											 "else",
											 "contains",
											 "prefixItems",
											 "unevaluatedItems",
											 "dependentSchemas"};

const char *
kg_annotation_name(KgAnnotation which)
{
	return names[which];
}

static bool
one_of(const char *name, const char *const *list, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/*
 * Returns the annotation that begins with the words of this name:
 * x-alias-fields for x-alias. The last word may be in the plural, as in
 * x-aliases.
 */
static const char *
begun(const char *name)
{
	static const char *const endings[] = {"", "s", "es"};
	int len = strlen(name);

	for (int e = 0; e < lengthof(endings); e++)
	{
		int stem = len - (int) strlen(endings[e]);

		if (stem < 4 || pg_strcasecmp(name + stem, endings[e]) != 0)
			continue;
		for (int i = 0; i < lengthof(names); i++)
			if (pg_strncasecmp(name, names[i], stem) == 0 &&
				(names[i][stem] == '-' || names[i][stem] == '\0'))
				return names[i];
	}
	return NULL;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		   (c >= '0' && c <= '9');
}

/*
 * Returns the annotation with equal letters, if case, hyphens and underscores
 * are ignored. Examples: xindex, x_index, X-idField.
 */
static const char *
same_letters(const char *name)
{
	for (int i = 0; i < lengthof(names); i++)
	{
		const char *given = name;
		const char *wanted = names[i];

		for (;;)
		{
			while (*given && !is_word(*given))
				given++;
			while (*wanted == '-')
				wanted++;
			if (*given == '\0' || pg_tolower(*given) != *wanted)
				break;
			given++;
			wanted++;
		}
		if (*given == '\0' && *wanted == '\0')
			return names[i];
	}
	return NULL;
}

/*
 * Returns the annotation whose name this name continues, such as x-relation for
 * x-relationship. For x-ref, only names that begin with x-refer count, such as
 * x-reference; x-refresh is not a form of x-ref.
 */
static const char *
continued(const char *name)
{
	if (pg_strncasecmp(name, "x-refer", 7) == 0)
		return names[KG_X_REF];
	for (int i = 0; i < lengthof(names); i++)
	{
		int len = strlen(names[i]);

		if (len > 6 && pg_strncasecmp(name, names[i], len) == 0 &&
			is_word(name[len]))
			return names[i];
	}
	return NULL;
}

/*
 * Returns the annotation that an unknown keyword probably stands for, or NULL.
 */
static const char *
meant(const char *name)
{
	char *hyphened;
	const char *near = same_letters(name);

	if (near != NULL || (name[1] != '-' && name[1] != '_'))
		return near;
	hyphened = pstrdup(name);
	for (char *p = hyphened; *p; p++)
		if (*p == '_')
			*p = '-';
	near = begun(hyphened);
	if (near == NULL)
		near = continued(hyphened);
	if (near != NULL)
		return near;
	/*
	 * Require more than a small edit distance for short names: x-ray is not
	 * x-ref.
	 */
	near = kg_nearest(hyphened, names, lengthof(names));
	if (near != NULL && abs((int) strlen(near) - (int) strlen(name)) <= 2 &&
		(strlen(near) > 6 || pg_strncasecmp(near, hyphened, 4) == 0))
		return near;
	/* Any name such as x-ref-type or x-ref-entity probably stands for x-ref. */
	return pg_strncasecmp(hyphened, "x-ref-", 6) == 0 ? names[KG_X_REF] : NULL;
}

static void
check_keyword(const char *name, bool blind, const char *pointer,
			  KgErrorList *errors)
{
	KgError *err;

	if (one_of(name, names, lengthof(names)))
	{
		if (!blind)
			return;
		err = kg_error_new(KG_INVALID_INPUT,
						   "annotation \"%s\" has no effect in this subschema",
						   name);
		kg_error_expected(err,
						  "annotations on properties that are declared "
						  "by name under \"properties\"");
	}
	else
	{
		const char *near = meant(name);

		if (near == NULL)
			return;
		err = kg_error_new(
			KG_INVALID_INPUT, "annotation \"%s\" is not known", name);
		kg_error_did_you_mean(err, near);
		for (int i = 0; i < lengthof(names); i++)
			kg_error_allow(err, names[i]);
	}
	kg_error_keyword(err, pstrdup(name));
	kg_error_path(err, "%s", pointer);
	kg_error_report(errors, err);
}

static void
check(const JsonbContainer *container, bool is_map, bool blind,
	  const char *pointer, KgErrorList *errors)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	kg_json_each(it, container)
	{
		const JsonbContainer *below = kg_json_container(&it.value);
		StringInfoData here;
		char *key = NULL;
		bool map = false;
		bool hidden = blind;

		initStringInfo(&here);
		appendStringInfoString(&here, pointer);
		if (it.is_object)
		{
			key = kg_json_cstring(&it.key);
			kg_json_pointer_append(&here, key, strlen(key));
			if (!is_map)
			{
				if (key[0] == 'x' || key[0] == 'X')
					check_keyword(key, blind, here.data, errors);
				if (pg_strncasecmp(key, "x-", 2) == 0)
					continue;
				if (one_of(key, data_keywords, lengthof(data_keywords)))
					continue;
				map = one_of(key, map_keywords, lengthof(map_keywords));
				hidden |= one_of(key, blind_keywords, lengthof(blind_keywords));
			}
		}
		else
			appendStringInfo(&here, "/%d", it.index);
		if (below)
			check(below, map, hidden, here.data, errors);
		pfree(here.data);
	}
}

void
kg_annotations_check_names(const JsonbContainer *schema, const char *path,
						   KgErrorList *errors)
{
	check(schema, false, false, path, errors);
}
