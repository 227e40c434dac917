/*
 * diff.c
 *	  Differences of two bundles. "+" marks a part that is only in the files,
 *	  "-" a part only in the database, "~" a part in both that differs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/show.h"

/* A part of a bundle: a type, an entity, a relation, an edge. */
typedef struct Thing
{
	const char *kind;
	const char *name; /* unique among the parts of one kind */
	const KgJson *value;
} Thing;

typedef struct Things
{
	KgArena *arena;
	Thing *list;
	size_t n;
} Things;

/* An edge of the wanted bundle, found by a hash of its name. */
typedef struct Edge
{
	uint64_t hash;
	uint32_t index;
	bool met; /* a stored edge with this name was found */
} Edge;

struct KgDiff
{
	KgArena *arena;	  /* memory for names, and for stored edges that differ */
	KgArena *scratch; /* memory for one item at a time */
	const KgJson *wanted;
	Things old;
	Things new;
	Edge *edges; /* ordered by hash, then as in the wanted bundle */
	size_t nedges;
};

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

static void
collect_entities(Things *things, KgArena *scratch, const KgctlBundle *bundle)
{
	const KgJson *sets = kgctl_json_get(bundle->root, "entities");

	for (size_t i = 0; i < kgctl_json_length(sets); i++)
	{
		const char *type = kg_json_text_or(
			sets->u.items[i], "entity_type", "?");
		const KgJson *items = kgctl_json_get(sets->u.items[i], "items");

		for (size_t k = 0; k < kgctl_json_length(items); k++)
		{
			const KgJson *id = kg_bundle_entity_id(
				bundle, scratch, type, items->u.items[k]);

			add(things,
				"entity",
				kg_arena_format(
					things->arena, "%s:%s", type, id ? id->u.text : "?"),
				items->u.items[k]);
			kg_arena_reset(scratch);
		}
	}
}

static const char *
name_relation(KgArena *arena, const KgJson *relation)
{
	return kg_arena_format(arena,
						   "%s %s -> %s",
						   kg_json_text_or(relation, "name", "?"),
						   kg_json_text_or(relation, "from", "?"),
						   kg_json_text_or(relation, "to", "?"));
}

/* Collects all parts of a bundle except its edges. */
static void
collect(Things *things, KgArena *scratch, const KgJson *payload)
{
	static const char *const texts[] = {
		"version", "description", "instructions", "definitions"};
	KgctlBundle bundle;
	const KgJson *list;

	memset(&bundle, 0, sizeof(bundle));
	bundle.root = (KgJson *) payload;
	for (size_t i = 0; i < 4; i++)
	{
		const KgJson *value = kgctl_json_get(payload, texts[i]);

		if (value != NULL && value->kind != KG_JSON_NULL)
			add(things, "bundle", texts[i], value);
	}
	list = kgctl_json_get(payload, "schemas");
	for (size_t i = 0; i < kgctl_json_length(list); i++)
		add(things,
			"type",
			kg_json_text_or(list->u.items[i], "entity_type", "?"),
			kgctl_json_get(list->u.items[i], "schema"));
	list = kgctl_json_get(payload, "relations");
	for (size_t i = 0; i < kgctl_json_length(list); i++)
	{
		const KgJson *relation = kg_declared_relation(
			things->arena, payload, list->u.items[i]);

		add(things,
			"relation",
			name_relation(things->arena, relation),
			relation);
	}
	list = kgctl_json_get(payload, "tools");
	for (size_t i = 0; i < kgctl_json_length(list); i++)
		add(things,
			"tool",
			kg_arena_format(things->arena,
							"%s %s",
							kg_json_text_or(list->u.items[i], "name", "?"),
							kg_json_text_or(list->u.items[i], "version", "?")),
			kg_declared_tool(things->arena, list->u.items[i]));
	collect_entities(things, scratch, &bundle);
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

		/* Do not cut within a character. */
		while (cut > 0 && ((unsigned char) text.data[cut] & 0xC0) == 0x80)
			cut--;
		text.len = cut;
		kg_buf_puts(&text, "...");
	}
	kg_print(out, "    %s %s: %s\n", sign, *where ? where : "/", text.data);
	kg_buf_free(&text);
}

/* Prints, with their JSON Pointers, the parts in which two values differ. */
static void
print_inside(FILE *out, const KgJson *old, const KgJson *new, const char *where)
{
	if (old != NULL && new != NULL &&
		old->kind == KG_JSON_OBJECT &&new->kind == KG_JSON_OBJECT)
	{
		for (size_t i = 0; i < old->len + new->len; i++)
		{
			const KgctlMember *m = i < old->len ? &old->u.members[i]
												: &new->u.members[i - old->len];
			const KgJson *x = kgctl_json_get(old, m->key);
			const KgJson *y = kgctl_json_get(new, m->key);
			char *path;

			/* A member of both objects was compared in the first pass. */
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

static uint64_t
hash_name(const char *name)
{
	return kg_hash(0, name, strlen(name));
}

static int
compare_edges(const void *a, const void *b)
{
	const Edge *x = a;
	const Edge *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

KgDiff *
kg_diff_new(const KgJson *wanted)
{
	KgDiff *diff = kg_calloc(1, sizeof(KgDiff));
	const KgJson *edges = kgctl_json_get(wanted, "edges");

	diff->arena = kg_arena_new();
	diff->scratch = kg_arena_new();
	diff->wanted = wanted;
	diff->old.arena = diff->new.arena = diff->arena;
	diff->nedges = kgctl_json_length(edges);
	diff->edges = kg_calloc(diff->nedges, sizeof(Edge));
	for (size_t i = 0; i < diff->nedges; i++)
	{
		const KgJson *edge = kg_json_load(diff->scratch, edges->u.items[i]);

		diff->edges[i].hash = hash_name(
			kg_edge_name(diff->scratch, wanted, edge));
		diff->edges[i].index = (uint32_t) i;
		kg_arena_reset(diff->scratch);
	}
	qsort(diff->edges, diff->nedges, sizeof(Edge), compare_edges);
	return diff;
}

void
kg_diff_free(KgDiff *diff)
{
	free(diff->old.list);
	free(diff->new.list);
	free(diff->edges);
	kg_arena_free(diff->arena);
	kg_arena_free(diff->scratch);
	free(diff);
}

static const KgJson *
wanted_edge(const KgDiff *diff, const Edge *edge)
{
	return kgctl_json_get(diff->wanted, "edges")->u.items[edge->index];
}

/*
 * Returns the first wanted edge of the name that no stored edge has matched, or
 * NULL.
 */
static Edge *
find_edge(KgDiff *diff, const char *name)
{
	uint64_t hash = hash_name(name);
	size_t low = 0;
	size_t high = diff->nedges;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (diff->edges[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < diff->nedges && diff->edges[low].hash == hash; low++)
	{
		const KgJson *edge;

		if (diff->edges[low].met)
			continue;
		edge = kg_json_load(diff->scratch,
							wanted_edge(diff, &diff->edges[low]));
		if (strcmp(name, kg_edge_name(diff->scratch, diff->wanted, edge)) == 0)
			return &diff->edges[low];
	}
	return NULL;
}

static const char *
keep_text(KgDiff *diff, const char *text)
{
	return kg_arena_strndup(diff->arena, text, strlen(text));
}

/*
 * Returns a copy of a value, made by writing and parsing its text, so that it
 * outlives the scratch arena.
 */
static const KgJson *
keep_value(KgDiff *diff, const KgJson *value)
{
	KgJson *raw = kg_json_new(diff->arena, KG_JSON_RAW);
	KgBuf text;

	kg_buf_init(&text);
	kg_json_write(&text, value, -1);
	raw->u.text = keep_text(diff, text.data);
	raw->len = text.len;
	kg_buf_free(&text);
	return raw;
}

/*
 * Returns a loaded edge without the members that are part of its name. Missing
 * properties equal {}.
 */
static const KgJson *
of_edge(KgDiff *diff, const KgJson *edge)
{
	KgJson *properties = kgctl_json_get(edge, "properties");
	KgJson *of = kg_json_object(diff->scratch);

	if (properties != NULL && properties->len > 0)
		kg_json_put(diff->scratch, of, "properties", properties);
	return of;
}

void
kg_diff_edge(KgDiff *diff, const KgJson *stored)
{
	const KgJson *old = kg_json_load(diff->scratch, stored);
	const char *name = kg_edge_name(diff->scratch, diff->wanted, old);
	Edge *edge = find_edge(diff, name);

	if (edge == NULL)
		add(&diff->old, "edge", keep_text(diff, name), NULL);
	else
	{
		const KgJson *new = of_edge(
			diff, kg_json_load(diff->scratch, wanted_edge(diff, edge)));

		edge->met = true;
		old = of_edge(diff, old);
		if (!kg_json_equal(old, new))
		{
			const char *kept = keep_text(diff, name);

			add(&diff->old, "edge", kept, keep_value(diff, old));
			add(&diff->new, "edge", kept, keep_value(diff, new));
		}
	}
	kg_arena_reset(diff->scratch);
}

/* Collects the wanted edges that are not stored. */
static void
collect_unmet(KgDiff *diff)
{
	for (size_t i = 0; i < diff->nedges; i++)
	{
		const KgJson *value = wanted_edge(diff, &diff->edges[i]);

		if (diff->edges[i].met)
			continue;
		add(&diff->new,
			"edge",
			kg_edge_name(
				diff->arena, diff->wanted, kg_json_load(diff->scratch, value)),
			value);
		kg_arena_reset(diff->scratch);
	}
}

/* Prints how a part has changed. Returns whether it has changed. */
static bool
print_changed(KgDiff *diff, FILE *out, const Thing *old, const Thing *new,
			  bool brief)
{
	const KgJson *x = kg_json_load(diff->scratch, old->value);
	const KgJson *y = kg_json_load(diff->scratch, new->value);
	bool same = kg_json_equal(x, y);

	if (!same)
		kg_print(out, "~ %s %s\n", old->kind, old->name);
	if (!same && !brief)
		print_inside(out, x, y, "");
	kg_arena_reset(diff->scratch);
	return !same;
}

static void
sort_things(Things *things)
{
	if (things->n > 0)
		qsort(things->list, things->n, sizeof(Thing), compare);
}

size_t
kg_diff_print(KgDiff *diff, FILE *out, const KgJson *stored, bool brief)
{
	Things *old = &diff->old;
	Things *new = &diff->new;
	size_t differences = 0;
	size_t i = 0;
	size_t k = 0;

	if (stored != NULL)
		collect(old, diff->scratch, stored);
	collect(new, diff->scratch, diff->wanted);
	collect_unmet(diff);
	sort_things(old);
	sort_things(new);
	while (i < old->n || k < new->n)
	{
		int order = i >= old->n	  ? 1
					: k >= new->n ? -1
								  : compare(&old->list[i], &new->list[k]);

		if (order < 0)
			kg_print(out, "- %s %s\n", old->list[i].kind, old->list[i].name);
		else if (order > 0)
			kg_print(out, "+ %s %s\n", new->list[k].kind, new->list[k].name);
		differences += order != 0 ||
					   print_changed(
						   diff, out, &old->list[i], &new->list[k], brief);
		i += order <= 0;
		k += order >= 0;
	}
	return differences;
}
