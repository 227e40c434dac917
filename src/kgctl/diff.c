/*
 * diff.c
 *	  How two bundles differ: "+" is only in the files, "-" only in the
 *	  database, "~" in both and not the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle.h"
#include "kgctl/show.h"

/* One thing of a bundle: a type, an entity, a relation, an edge. */
typedef struct Thing
{
	const char *kind;
	const char *name; /* unique within its kind */
	const KgJson *value;
} Thing;

typedef struct Things
{
	KgArena *arena;
	Thing *list;
	size_t n;
} Things;

static void
add(Things *things, const char *kind, const char *name, const KgJson *value)
{
	if ((things->n & (things->n - 1)) == 0)
		things->list = kg_realloc(
			things->list, (things->n ? things->n * 2 : 1) * sizeof(Thing));
	things->list[things->n].kind = kind;
	things->list[things->n].name = name;
	things->list[things->n++].value = value;
}

static const char *
text_or(const KgJson *object, const char *key, const char *otherwise)
{
	const char *text = kg_json_get_text(object, key);

	return text ? text : otherwise;
}

static size_t
length(const KgJson *array)
{
	return array && array->kind == KG_JSON_ARRAY ? array->len : 0;
}

static void
collect_entities(Things *things, const KgBundle *bundle)
{
	const KgJson *sets = kg_json_get(bundle->root, "entities");
	size_t i;
	size_t k;

	for (i = 0; i < length(sets); i++)
	{
		const char *type = text_or(sets->u.items[i], "entity_type", "?");
		const KgJson *items = kg_json_get(sets->u.items[i], "items");

		for (k = 0; k < length(items); k++)
		{
			const KgJson *id = kg_bundle_entity_id(
				bundle, type, items->u.items[k]);
			char *name = kg_format("%s:%s", type, id ? id->u.text : "?");

			add(things,
				"entity",
				kg_arena_strndup(things->arena, name, strlen(name)),
				items->u.items[k]);
			free(name);
		}
	}
}

static void
collect(Things *things, const KgJson *payload)
{
	static const char *const texts[] = {
		"version", "description", "instructions", "definitions"};
	KgBundle bundle;
	const KgJson *list;
	size_t i;

	memset(&bundle, 0, sizeof(bundle));
	bundle.root = (KgJson *) payload;
	for (i = 0; i < 4; i++)
	{
		const KgJson *value = kg_json_get(payload, texts[i]);

		if (value != NULL && value->kind != KG_JSON_NULL)
			add(things, "bundle", texts[i], value);
	}
	list = kg_json_get(payload, "schemas");
	for (i = 0; i < length(list); i++)
		add(things,
			"type",
			text_or(list->u.items[i], "entity_type", "?"),
			kg_json_get(list->u.items[i], "schema"));
	list = kg_json_get(payload, "relations");
	for (i = 0; i < length(list); i++)
	{
		const KgJson *r = list->u.items[i];
		char *name = kg_format("%s %s -> %s",
							   text_or(r, "name", "?"),
							   text_or(r, "from", "?"),
							   text_or(r, "to", "?"));

		add(things,
			"relation",
			kg_arena_strndup(things->arena, name, strlen(name)),
			r);
		free(name);
	}
	collect_entities(things, &bundle);
	list = kg_json_get(payload, "edges");
	for (i = 0; i < length(list); i++)
	{
		const KgJson *e = list->u.items[i];
		char *name = kg_format("%s %s -> %s",
							   text_or(e, "relation", "?"),
							   text_or(e, "from", "?"),
							   text_or(e, "to", "?"));

		add(things,
			"edge",
			kg_arena_strndup(things->arena, name, strlen(name)),
			e);
		free(name);
	}
}

static int
compare(const void *a, const void *b)
{
	const Thing *x = a;
	const Thing *y = b;
	int order = strcmp(x->kind, y->kind);

	return order ? order : strcmp(x->name, y->name);
}

static void
print_value(FILE *out, const char *sign, const char *where, const KgJson *value)
{
	KgBuf text;

	kg_buf_init(&text);
	kg_json_write(&text, value, -1);
	if (text.len > 200)
	{
		size_t cut = 197;

		/* Never in the middle of a character. */
		while (cut > 0 && ((unsigned char) text.data[cut] & 0xC0) == 0x80)
			cut--;
		text.len = cut;
		kg_buf_puts(&text, "...");
	}
	kg_print(out, "    %s %s: %s\n", sign, *where ? where : "/", text.data);
	kg_buf_free(&text);
}

/* The values below two unequal ones that differ, with their JSON Pointers. */
static void
print_inside(FILE *out, const KgJson *old, const KgJson *new, const char *where)
{
	size_t i;

	if (old != NULL && new != NULL &&
		old->kind == KG_JSON_OBJECT &&new->kind == KG_JSON_OBJECT)
	{
		for (i = 0; i < old->len + new->len; i++)
		{
			const KgMember *m = i < old->len ? &old->u.members[i]
											 : &new->u.members[i - old->len];
			const KgJson *x = kg_json_get(old, m->key);
			const KgJson *y = kg_json_get(new, m->key);
			char *path;

			/* What both have is looked at once. */
			if ((i >= old->len && x != NULL) || kg_json_equal(x, y))
				continue;
			path = kg_format("%s/%s", where, m->key);
			print_inside(out, x, y, path);
			free(path);
		}
		return;
	}
	if (old != NULL)
		print_value(out, "-", where, old);
	if (new != NULL)
		print_value(out, "+", where, new);
}

size_t
kg_bundle_diff(FILE *out, const KgJson *stored, const KgJson *wanted,
			   bool brief)
{
	Things old = {kg_arena_new(), NULL, 0};
	Things new = {old.arena, NULL, 0};
	size_t differences = 0;
	size_t i = 0;
	size_t k = 0;

	if (stored != NULL)
		collect(&old, stored);
	collect(&new, wanted);
	if (old.n > 0)
		qsort(old.list, old.n, sizeof(Thing), compare);
	if (new.n > 0)
		qsort(new.list, new.n, sizeof(Thing), compare);
	while (i < old.n || k < new.n)
	{
		int order = i >= old.n	 ? 1
					: k >= new.n ? -1
								 : compare(&old.list[i], &new.list[k]);

		if (order < 0)
		{
			kg_print(out, "- %s %s\n", old.list[i].kind, old.list[i].name);
			differences++;
		}
		else if (order > 0)
		{
			kg_print(out, "+ %s %s\n", new.list[k].kind, new.list[k].name);
			differences++;
		}
		else if (!kg_json_equal(old.list[i].value, new.list[k].value))
		{
			kg_print(out, "~ %s %s\n", old.list[i].kind, old.list[i].name);
			if (!brief)
				print_inside(out, old.list[i].value, new.list[k].value, "");
			differences++;
		}
		i += order <= 0;
		k += order >= 0;
	}
	free(old.list);
	free(new.list);
	kg_arena_free(old.arena);
	return differences;
}
