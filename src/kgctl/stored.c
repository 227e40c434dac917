/*
 * stored.c
 *	  A stored bundle, read from the rows of kg_export_bundle_parts().
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/log.h"
#include "kgctl/stored.h"

#define PARTS_SQL                                             \
	"SELECT part, name, value FROM @.kg_export_bundle_parts(" \
	"$1::pg_catalog.text)"

typedef enum Place
{
	AT_START,
	IN_HEAD, /* the text of the outermost object is open and has members */
	IN_ITEMS,
	IN_EDGES
} Place;

typedef struct Reading
{
	KgBuf *text;
	Place place;
	KgBuf type;	 /* entity type of the items being written */
	bool joined; /* the array that is open has members */
	KgEdgeFn each;
	void *arg;
	KgArena *scratch;
} Reading;

static void
begin_edges(Reading *r)
{
	kg_buf_puts(r->text, r->place == IN_ITEMS ? "]}]" : ",\"entities\":[]");
	kg_buf_puts(r->text, ",\"edges\":[");
	r->joined = false;
	r->place = IN_EDGES;
}

/*
 * Appends the text of an array without its brackets. Returns false if the text
 * is not an array.
 */
static bool
add_members(Reading *r, const char *text, size_t len)
{
	if (len < 2 || text[0] != '[' || text[len - 1] != ']')
		return false;
	if (len == 2)
		return true;
	if (r->joined)
		kg_buf_putc(r->text, ',');
	kg_buf_add(r->text, text + 1, len - 2);
	r->joined = true;
	return true;
}

static bool
take_head(Reading *r, const char *text, size_t len)
{
	if (r->place != AT_START || len < 3 || text[0] != '{' ||
		text[len - 1] != '}')
		return false;
	kg_buf_add(r->text, text, len - 1);
	r->place = IN_HEAD;
	return true;
}

static bool
take_items(Reading *r, const char *type, const char *text, size_t len)
{
	bool same = r->place == IN_ITEMS && strcmp(r->type.data, type) == 0;

	if (r->place != IN_HEAD && r->place != IN_ITEMS)
		return false;
	if (!same)
	{
		kg_buf_puts(r->text, r->place == IN_HEAD ? ",\"entities\":[" : "]},");
		kg_buf_puts(r->text, "{\"entity_type\":");
		kg_buf_json(r->text, type, strlen(type));
		kg_buf_puts(r->text, ",\"items\":[");
		r->type.len = 0;
		kg_buf_puts(&r->type, type);
		r->joined = false;
		r->place = IN_ITEMS;
	}
	return add_members(r, text, len);
}

static bool
give_edges(Reading *r, const char *text, size_t len)
{
	char *error = NULL;
	const KgJson *edges = kgctl_json_parse(
		r->scratch, text, len, "database", &error);
	bool ok = edges != NULL && edges->kind == KG_JSON_ARRAY;

	free(error);
	for (size_t i = 0; ok && i < edges->len; i++)
		r->each(r->arg, edges->u.items[i]);
	kg_arena_reset(r->scratch);
	return ok;
}

static bool
take_edges(Reading *r, const char *text, size_t len)
{
	if (r->place == AT_START)
		return false;
	if (r->each)
		return give_edges(r, text, len);
	if (r->place != IN_EDGES)
		begin_edges(r);
	return add_members(r, text, len);
}

/*
 * Takes one row of the result of PARTS_SQL: appends it to the text, or passes
 * its edges to each(). Returns false if the row is malformed or each() fails.
 */
static bool
take_part(void *arg, const PGresult *row)
{
	Reading *r = arg;
	const char *part;
	const char *text;
	size_t len;

	if (PQnfields(row) != 3 || PQgetisnull(row, 0, 2))
		return false;
	part = PQgetvalue(row, 0, 0);
	text = PQgetvalue(row, 0, 2);
	len = (size_t) PQgetlength(row, 0, 2);
	if (strcmp(part, "bundle") == 0)
		return take_head(r, text, len);
	if (strcmp(part, "items") == 0)
		return take_items(r, PQgetvalue(row, 0, 1), text, len);
	return strcmp(part, "edges") == 0 && take_edges(r, text, len);
}

bool
kg_stored_read(KgDb *db, const char *name, KgBuf *text, KgEdgeFn each,
			   void *arg)
{
	Reading r = {.text = text, .each = each, .arg = arg};
	bool ok;

	r.scratch = kg_arena_new();
	kg_buf_init(&r.type);
	db->missing_ok = true;
	ok = kg_db_label(db, "reading") &&
		 kg_db_rows(db, PARTS_SQL, name, take_part, &r);
	if (ok && r.place != AT_START)
	{
		if (r.place != IN_EDGES)
			begin_edges(&r);
		kg_buf_puts(text, "]}");
	}
	kg_buf_free(&r.type);
	kg_arena_free(r.scratch);
	return ok;
}

/* ---- the target of a load ---- */

/*
 * Always restrict the tenant, because a role that bypasses policies sees the
 * rows of all tenants.
 */
#define NAMED(column)                                             \
	"tenant OPERATOR(pg_catalog.=) @.kg_tenant() AND (" column    \
	" OPERATOR(pg_catalog.=) $1::pg_catalog.text OR bundle "      \
	"OPERATOR(pg_catalog.||) '/' OPERATOR(pg_catalog.||) " column \
	" OPERATOR(pg_catalog.=) $1)"
#define TYPE_SQL                                                      \
	"SELECT bundle, schema, NULL FROM @.kg_entity_type WHERE " NAMED( \
		"entity_type")
#define RELATION_SQL                                          \
	"SELECT DISTINCT bundle, schema, key FROM @.kg_relation " \
	"WHERE property IS NULL AND " NAMED("relation")

typedef struct Finding
{
	KgTarget *target;
	const char *bundle; /* bundle of the first declaration found */
	bool several;
} Finding;

static bool
take_target(void *arg, const PGresult *row)
{
	Finding *f = arg;
	const char *bundle = PQgetvalue(row, 0, 0);
	char *error = NULL;

	if (PQnfields(row) != 3)
		return false;
	/*
	 * This is a second row: variants of the relation have different schemas or
	 * keys, so the types of the properties are unknown. If the row is of
	 * another bundle, the caller refuses the name.
	 */
	if (f->bundle != NULL)
	{
		f->several = f->several || strcmp(f->bundle, bundle) != 0;
		f->target->schema = NULL;
		return true;
	}
	f->bundle = kg_arena_strndup(f->target->arena, bundle, strlen(bundle));
	if (!PQgetisnull(row, 0, 2))
		f->target->key = kg_arena_strndup(f->target->arena,
										  PQgetvalue(row, 0, 2),
										  (size_t) PQgetlength(row, 0, 2));
	if (PQgetisnull(row, 0, 1))
		return true;
	f->target->schema = kgctl_json_parse(f->target->arena,
										 PQgetvalue(row, 0, 1),
										 (size_t) PQgetlength(row, 0, 1),
										 "database",
										 &error);
	free(error);
	return f->target->schema != NULL;
}

bool
kg_stored_target(KgDb *db, const char *name, bool edges, KgTarget *target)
{
	const char *kind = edges ? "relation" : "entity type";
	Finding f = {.target = target};

	target->schema = NULL;
	target->key = NULL;
	if (!kg_db_rows(db, edges ? RELATION_SQL : TYPE_SQL, name, take_target, &f))
		return false;
	target->id_field = kg_json_get_text(target->schema, "x-id-field");
	if (f.bundle != NULL && !f.several)
		return true;
	db->exit = KG_EXIT_REFUSED;
	if (f.several)
		kg_error("several bundles have the %s \"%s\"; write it as BUNDLE/%s",
				 kind,
				 name,
				 name);
	else
		kg_error("there is no %s \"%s\"%s",
				 kind,
				 name,
				 edges ? " that has edges of its own; the edges of a reference "
						 "property are loaded with the entities"
					   : "; kgctl apply makes types");
	return false;
}

/* ---- declarations ---- */

#define ITS                                              \
	"tenant OPERATOR(pg_catalog.=) b.tenant AND bundle " \
	"OPERATOR(pg_catalog.=) b.bundle"
#define DECLARED_SQL                                                           \
	"SELECT pg_catalog.jsonb_build_object('bundle_name', bundle, 'version', "  \
	"version, 'schemas', (SELECT pg_catalog.jsonb_agg("                        \
	"pg_catalog.jsonb_build_object('entity_type', entity_type, 'schema', "     \
	"schema) ORDER BY position, entity_type) FROM @.kg_entity_type WHERE " ITS \
	"), 'relations', (SELECT pg_catalog.jsonb_agg("                            \
	"pg_catalog.jsonb_build_object('name', relation, 'from', from_type, "      \
	"'schema', schema)) FROM @.kg_relation WHERE property IS NULL AND " ITS    \
	")) FROM @.kg_bundle b WHERE tenant OPERATOR(pg_catalog.=) "               \
	"@.kg_tenant() AND bundle OPERATOR(pg_catalog.=) $1::pg_catalog.text"

typedef struct Declared
{
	KgArena *arena;
	const KgJson *found;
} Declared;

static bool
take_declared(void *arg, const PGresult *row)
{
	Declared *d = arg;
	char *error = NULL;

	d->found = kgctl_json_parse(d->arena,
								PQgetvalue(row, 0, 0),
								(size_t) PQgetlength(row, 0, 0),
								"database",
								&error);
	free(error);
	return d->found != NULL;
}

const KgJson *
kg_stored_declared(KgDb *db, KgArena *arena, const char *name)
{
	Declared d = {arena, NULL};

	if (!kg_db_rows(db, DECLARED_SQL, name, take_declared, &d))
		return NULL;
	if (d.found == NULL)
	{
		kg_error("bundle \"%s\" does not exist; run kgctl apply to create it",
				 name);
		db->exit = KG_EXIT_REFUSED;
	}
	return d.found;
}
