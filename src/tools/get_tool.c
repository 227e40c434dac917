/*
 * get_tool.c
 *	  get_<type>: entities by id.
 */
#include "postgres.h"

#include "query/get.h"
#include "query/hints.h"
#include "tools/catalog_tools.h"
#include "tools/published.h"
#include "tools/shape.h"
#include "utils/builtins.h"

#define KG_MAX_HINTED_IDS 5

static void
write_entity(const char *id, const Jsonb *data, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", id);
	if (data)
		kg_jw_kjsonb(w, "data", data);
	kg_jw_end_object(w);
}

static KgFit
fit_entities(const KgGot *got, int n, int64 max_bytes, int64 missing_bytes)
{
	KgFit fit = {n, n};
	int64 *full;
	int64 *stub;
	int64 upper = 0;
	int64 base = 400 + missing_bytes;

	for (int i = 0; i < n; i++)
		upper += got[i].data ? 6 * (int64) VARSIZE(got[i].data) + 900 : 0;
	if (upper + base <= max_bytes)
		return fit;
	full = palloc0(Max(1, n) * sizeof(int64));
	stub = palloc0(Max(1, n) * sizeof(int64));
	for (int i = 0; i < n; i++)
	{
		if (got[i].data == NULL)
			continue;
		stub[i] = strlen(got[i].id) + 12;
		full[i] = stub[i] + kg_text_length(got[i].data) + 10;
	}
	return kg_budget_fit(max_bytes, base, full, stub, n);
}

/* The nearest ids for those not found; the first few. */
static void
write_hints(const KgCatalog *catalog, const KgType *type, const KgGot *got,
			int n, bool single, KgJsonWriter *w)
{
	int hinted = 0;

	for (int i = 0; i < n && hinted < KG_MAX_HINTED_IDS; i++)
	{
		if (got[i].data)
			continue;
		if (hinted++ == 0)
		{
			kg_jw_key(w, "hints");
			kg_jw_begin_array(w);
		}
		kg_jw_begin_object(w);
		kg_jw_kstring(
			w, "path", single ? "/id" : psprintf("/ids/%d", got[i].index));
		kg_jw_kstring(w, "value", got[i].id);
		kg_jw_key(w, "nearest");
		kg_hints_write_nearest(catalog, type, got[i].id, w);
		kg_jw_end_object(w);
	}
	if (hinted > 0)
		kg_jw_end_array(w);
}

static void
write_entities(const KgGot *got, int n, const KgFit *fit, KgJsonWriter *w)
{
	int listed = 0;
	int stubs = 0;
	int cut = 0;

	kg_jw_key(w, "entities");
	kg_jw_begin_array(w);
	for (int i = 0; i < n; i++)
	{
		if (got[i].data == NULL)
			continue;
		if (i >= fit->listed)
		{
			cut++;
			continue;
		}
		write_entity(got[i].id, i < fit->full ? got[i].data : NULL, w);
		stubs += i >= fit->full;
		listed++;
	}
	kg_jw_end_array(w);
	kg_jw_key(w, "not_found");
	kg_jw_begin_array(w);
	for (int i = 0; i < n; i++)
		if (got[i].data == NULL)
			kg_jw_string(w, got[i].id);
	kg_jw_end_array(w);
	kg_jw_kint(w, "returned", listed);
	kg_jw_kbool(w, "truncated", stubs + cut > 0);
	if (stubs + cut == 0)
		return;
	kg_jw_kstring(w, "reason", "max_bytes");
	kg_jw_key(w, "next");
	kg_jw_begin_object(w);
	kg_jw_key(w, "ids");
	kg_jw_begin_array(w);
	for (int i = fit->full; i < n; i++)
		if (got[i].data)
			kg_jw_string(w, got[i].id);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
	kg_withheld_write(w, stubs, cut);
}

static Jsonb *
get_many(const KgCatalog *catalog, const KgType *type, char **ids, int n,
		 const KgProjection *projection, int64 max_bytes, bool single,
		 const KgRepairs *repairs)
{
	KgGot *got = kg_get_entities(catalog, type, ids, n);
	int64 missing_bytes = 0;
	bool missing = false;
	KgFit fit;
	KgJsonWriter w;

	for (int i = 0; i < n; i++)
	{
		if (got[i].data == NULL)
		{
			missing = true;
			missing_bytes += strlen(ids[i]) + 4;
		}
		else if (projection)
			got[i].data = kg_projection_apply(projection, got[i].data);
	}
	fit = fit_entities(got, n, max_bytes, missing_bytes);
	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	if (single)
	{
		kg_jw_key(&w, "entity");
		if (got[0].data == NULL)
			kg_jw_null(&w);
		else
			write_entity(ids[0], fit.full > 0 ? got[0].data : NULL, &w);
		kg_jw_kint(&w, "returned", got[0].data ? 1 : 0);
		kg_jw_kbool(&w, "truncated", fit.full == 0);
		if (fit.full == 0)
		{
			kg_jw_kstring(&w, "reason", "max_bytes");
			kg_withheld_write(&w, 1, 0);
		}
	}
	else
		write_entities(got, n, &fit, &w);
	if (missing)
		write_hints(catalog, type, got, n, single, &w);
	kg_marks_write(type, projection, &w);
	if (repairs)
		kg_repairs_write(repairs, &w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_tool_get(const KgCatalog *catalog, const KgType *type,
			const Jsonb *arguments)
{
	static const char *const known[] = {"ids", "id", "fields", "max_bytes"};
	const JsonbContainer *root = kg_args_root(arguments);
	KgRepairs repairs = {NIL};
	KgProjection *projection;
	int64 max_bytes;
	JsonbValue one;
	bool has_one;
	char **ids;
	int n;

	kg_args_known(root, "", known, lengthof(known));
	ids = kg_args_ids(root, "ids", "", KG_MAX_GET_IDS, &n);
	has_one = kg_json_get(root, "id", &one) != NULL;
	if ((ids != NULL) == has_one)
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT,
			has_one ? "ids and id are given: one of them, not both"
					: "one of ids and id must be given");

		kg_error_path(err, "/ids");
		kg_error_expected(
			err, "ids, an array of 1 to %d ids, or id, one id", KG_MAX_GET_IDS);
		kg_error_throw(err);
	}
	projection = kg_projection_parse(type, root);
	max_bytes = kg_budget_parse(root, &repairs);
	if (has_one)
	{
		ids = palloc(sizeof(char *));
		ids[0] = kg_args_as_id(&one, "/id");
		n = 1;
	}
	if (repairs.repairs == NIL &&
		!kg_published_accepts(catalog, type, KG_EXPOSE_GET, arguments))
		kg_published_refuse(type, KG_EXPOSE_GET, arguments);
	return get_many(
		catalog, type, ids, n, projection, max_bytes, has_one, &repairs);
}
