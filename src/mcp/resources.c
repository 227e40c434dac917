/*
 * resources.c
 *	  The methods resources/list, resources/templates/list and resources/read.
 *
 *	  kg://bundle/BUNDLE                overview of a bundle
 *	  kg://bundle/BUNDLE/schema/TYPE    the JSON Schema of a type
 *	  kg://entity/HANDLE                an entity; TYPE:ID or BUNDLE/TYPE:ID
 *	  memory://knowledge-graph          result of read_graph, if it is a tool
 *	  ui://kg_graph/explorer            the page of mcp/app.h, if agreed on
 *
 * Parts are percent-encoded as required in a URI.  Resources that the caller
 * does not see are reported as missing.
 */
#include "postgres.h"

#include "base/text.h"
#include "model/memory.h"
#include "mb/pg_wchar.h"
#include "mcp/app.h"
#include "mcp/app_page.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "tools/memory/memory.h"
#include "tools/reply/shape.h"
#include "utils/builtins.h"
#include "virtual/virtual.h"

#define BUNDLE_PREFIX "kg://bundle/"
#define ENTITY_PREFIX "kg://entity/"
#define SCHEMA_PART "/schema/"
#define MEMORY_URI "memory://knowledge-graph"

static char *
bundle_uri(const KgBundle *bundle)
{
	return psprintf(BUNDLE_PREFIX "%s", bundle->name);
}

static char *
schema_uri(const char *bundle, const char *name)
{
	return psprintf(BUNDLE_PREFIX "%s" SCHEMA_PART "%s", bundle, name);
}

static void
write_resource(const KgMcpRequest *req, KgJsonWriter *w, const char *uri,
			   const char *name, const char *title, const char *description,
			   const char *mime)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "uri", uri);
	kg_jw_kstring(w, "name", name);
	if (title && req->revision >= KG_MCP_2025_06_18)
		kg_jw_kstring(w, "title", title);
	kg_jw_kstring_if(w, "description", description);
	kg_jw_kstring(w, "mimeType", mime);
	kg_jw_end_object(w);
}

static bool
has_memory(const KgMcpRequest *req, const KgCatalog *catalog)
{
	KgMemory memory;

	return kg_memory_find(catalog, &memory) &&
		   kg_agent_has_tool(req->agent, KG_TOOLSET_MEMORY, "read_graph");
}

bool
kg_mcp_may_be_told(const KgMcpRequest *req, const JsonbValue *uri)
{
	return uri->type == jbvString && (!kg_json_string_is(uri, MEMORY_URI) ||
									  has_memory(req, kg_running_catalog()));
}

static void
write_schema(const KgMcpRequest *req, KgJsonWriter *w, const KgType *type)
{
	write_resource(req,
				   w,
				   schema_uri(type->bundle, type->name),
				   kg_type_handle(type),
				   type->title,
				   type->description,
				   "application/schema+json");
}

void
kg_mcp_write_schemas(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgCatalog *catalog = kg_running_catalog();

	for (int i = 0; i < catalog->ntypes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		write_schema(req, w, kg_type_of(&catalog->types[i]));
	}
}

bool
kg_mcp_resources_list(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgCatalog *catalog = kg_running_catalog();
	int n = catalog->nbundles + catalog->ntypes;
	const char **uris = palloc((n + 2) * sizeof(char *));
	int start;
	int end;

	for (int i = 0; i < catalog->nbundles; i++)
		uris[i] = bundle_uri(&catalog->bundles[i]);
	for (int i = 0; i < catalog->ntypes; i++)
		uris[catalog->nbundles + i] = schema_uri(catalog->types[i].bundle,
												 catalog->types[i].name);
	if (has_memory(req, catalog))
		uris[n++] = MEMORY_URI;
	if (req->app)
		uris[n++] = KG_MCP_APP_URI;
	if (!kg_mcp_page(req, uris, n, &start, &end))
		return false;
	kg_jw_kbegin_array(w, "resources");
	for (int i = start; i < end; i++)
	{
		if (i < catalog->nbundles)
			write_resource(req,
						   w,
						   uris[i],
						   catalog->bundles[i].name,
						   NULL,
						   catalog->bundles[i].description,
						   "application/json");
		else if (i < catalog->nbundles + catalog->ntypes)
			write_schema(
				req, w, kg_type_of(&catalog->types[i - catalog->nbundles]));
		else if (strcmp(uris[i], MEMORY_URI) == 0)
			write_resource(req,
						   w,
						   uris[i],
						   "knowledge-graph",
						   "Knowledge Graph",
						   "The full knowledge graph with all entities and "
						   "relations",
						   "application/json");
		else
			write_resource(req,
						   w,
						   uris[i],
						   "explorer",
						   "Explorer",
						   "The page that shows what tools answer",
						   KG_MCP_APP_MIME);
	}
	kg_jw_end_array(w);
	kg_mcp_end_page(req, w, uris, n, end);
	return true;
}

static const struct
{
	const char *uri;
	const char *name;
	const char *title;
	const char *description;
	const char *mime;
} templates[] = {
	{BUNDLE_PREFIX "{bundle}",
	 "bundle",
	 "Bundle",
	 "What is in a bundle: its types and relations",
	 "application/json"},
	{BUNDLE_PREFIX "{bundle}" SCHEMA_PART "{entity_type}",
	 "schema",
	 "Schema of an entity type",
	 "The JSON Schema that every entity of the type satisfies",
	 "application/schema+json"},
	{ENTITY_PREFIX "{handle}",
	 "entity",
	 "Entity",
	 "One entity by its handle, for example country:FR",
	 "application/json"},
};

bool
kg_mcp_is_template(const char *uri)
{
	for (int i = 0; i < lengthof(templates); i++)
		if (strcmp(templates[i].uri, uri) == 0)
			return true;
	return false;
}

bool
kg_mcp_templates_list(KgMcpRequest *req, KgJsonWriter *w)
{
	const char *names[lengthof(templates)];
	int start;
	int end;

	for (int i = 0; i < lengthof(templates); i++)
		names[i] = templates[i].uri;
	if (!kg_mcp_page(req, names, lengthof(templates), &start, &end))
		return false;
	kg_jw_kbegin_array(w, "resourceTemplates");
	for (int i = start; i < end; i++)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "uriTemplate", templates[i].uri);
		kg_jw_kstring(w, "name", templates[i].name);
		if (req->revision >= KG_MCP_2025_06_18)
			kg_jw_kstring(w, "title", templates[i].title);
		kg_jw_kstring(w, "description", templates[i].description);
		kg_jw_kstring(w, "mimeType", templates[i].mime);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	kg_mcp_end_page(req, w, names, lengthof(templates), end);
	return true;
}

/* Decodes a percent-encoded text. Returns NULL if the text is malformed. */
static char *
percent_decode(const char *in)
{
	char *out = palloc(strlen(in) + 1);
	int n = 0;

	while (*in)
	{
		int high;
		int low;

		if (*in != '%')
		{
			out[n++] = *in++;
			continue;
		}
		high = kg_hex_digit(in[1]);
		low = high < 0 ? -1 : kg_hex_digit(in[2]);
		if (low < 0 || high * 16 + low == 0)
			return NULL;
		out[n++] = high * 16 + low;
		in += 3;
	}
	out[n] = '\0';
	return pg_encoding_verifymbstr(PG_UTF8, out, n) == n ? out : NULL;
}

static void
write_relations(const KgCatalog *catalog, const KgBundle *bundle,
				KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "relations");
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (strcmp(relation->bundle, bundle->name) != 0)
			continue;
		for (int v = 0; v < relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v];
			const KgType *from = kg_catalog_type_no(catalog,
													variant->from_type_no);
			const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);

			/*
			 * The caller does not see the type at one end, so the relation
			 * between these types is omitted.
			 */
			if (from == NULL || to == NULL)
				continue;
			kg_jw_begin_object(w);
			kg_jw_kstring(w, "name", relation->name);
			kg_jw_kstring(w, "from", kg_type_handle(from));
			kg_jw_kstring(w, "to", kg_type_handle(to));
			kg_jw_end_object(w);
		}
	}
	kg_jw_end_array(w);
}

/* Returns the overview of a bundle. */
static Jsonb *
describe_bundle(const KgCatalog *catalog, const KgBundle *bundle)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "bundle", bundle->name);
	kg_jw_kstring(&w, "version", bundle->version);
	kg_jw_kint(&w, "revision", bundle->revision);
	kg_jw_kstring(&w, "description", bundle->description);
	kg_jw_kstring(&w, "instructions", bundle->instructions);
	kg_jw_kbegin_array(&w, "types");
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type;

		if (strcmp(catalog->types[i].bundle, bundle->name) != 0)
			continue;
		type = kg_type_of(&catalog->types[i]);
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "entity_type", kg_type_handle(type));
		kg_jw_kstring(&w, "title", type->title);
		kg_jw_kstring(&w, "description", type->description);
		kg_jw_kstring(&w, "schema", schema_uri(type->bundle, type->name));
		kg_jw_end_object(&w);
	}
	kg_jw_end_array(&w);
	write_relations(catalog, bundle, &w);
	return kg_jw_finish(&w);
}

/*
 * Returns the overview or a schema for kg://bundle/..., or NULL if it does not
 * exist.
 */
static Jsonb *
read_bundle(const KgCatalog *catalog, const char *rest, const char **mime)
{
	const char *part = strstr(rest, SCHEMA_PART);
	char *name = percent_decode(part ? pnstrdup(rest, part - rest) : rest);
	char *type_name;
	const KgType *type;

	*mime = "application/json";
	if (name == NULL)
		return NULL;
	if (part != NULL)
	{
		type_name = percent_decode(part + strlen(SCHEMA_PART));
		type = type_name ? kg_catalog_type_in(catalog, name, type_name) : NULL;
		*mime = "application/schema+json";
		return type ? (Jsonb *) type->schema : NULL;
	}
	for (int i = 0; i < catalog->nbundles; i++)
		if (strcmp(catalog->bundles[i].name, name) == 0)
			return describe_bundle(catalog, &catalog->bundles[i]);
	return NULL;
}

/*
 * Returns the entity as kg_get() does, including counts of edges and marks of
 * untrusted text.
 */
static Jsonb *
read_entity(const KgCatalog *catalog, const char *rest)
{
	char *handle = percent_decode(rest);
	char *colon = handle ? strchr(handle, ':') : NULL;
	const KgType *type;
	const KgGot *got;
	char *id;
	KgMarks marks;
	KgJsonWriter w;

	if (colon == NULL)
		return NULL;
	type = kg_catalog_type(catalog, pnstrdup(handle, colon - handle));
	if (type == NULL)
		return NULL;
	id = colon + 1;
	got = kg_engine_get(catalog, type, &id, 1);
	if (got->data == NULL)
		return NULL;
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", kg_type_handle(type));
	kg_jw_kstring(&w, "id", id);
	kg_jw_kjsonb(&w, "data", got->data);
	marks = kg_projection_marks(type, NULL);
	kg_marks_write(&marks, &w);
	return kg_jw_finish(&w);
}

bool
kg_mcp_refuse_resource(KgMcpRequest *req, const char *uri)
{
	return kg_mcp_refuse(req,
						 req->revision < KG_MCP_2026_07_28
							 ? KG_MCP_RESOURCE_NOT_FOUND
							 : KG_MCP_INVALID_PARAMS,
						 kg_mcp_error_data("uri", uri),
						 "the resource does not exist");
}

bool
kg_mcp_resources_read(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgCatalog *catalog = kg_running_catalog();
	char *uri = kg_mcp_string_param(req, "uri");
	const char *mime = "application/json";
	bool is_page;
	Jsonb *content = NULL;
	const char *text = NULL;

	if (uri == NULL)
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "params.uri must be a string");
	if (strncmp(uri, BUNDLE_PREFIX, strlen(BUNDLE_PREFIX)) == 0)
		content = read_bundle(catalog, uri + strlen(BUNDLE_PREFIX), &mime);
	else if (strncmp(uri, ENTITY_PREFIX, strlen(ENTITY_PREFIX)) == 0)
		content = read_entity(catalog, uri + strlen(ENTITY_PREFIX));
	else if (strcmp(uri, MEMORY_URI) == 0 && has_memory(req, catalog))
		content = kg_memory_graph();
	is_page = req->app && strcmp(uri, KG_MCP_APP_URI) == 0;
	if (is_page)
	{
		mime = KG_MCP_APP_MIME;
		text = kg_mcp_app_page();
	}
	else if (content != NULL)
		text = kg_json_text(&content->root);
	if (text == NULL)
		return kg_mcp_refuse_resource(req, uri);
	kg_jw_kbegin_array(w, "contents");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "uri", uri);
	kg_jw_kstring(w, "mimeType", mime);
	kg_jw_kstring(w, "text", text);
	if (is_page)
		kg_mcp_app_write_page_meta(w);
	kg_jw_end_object(w);
	kg_jw_end_array(w);
	kg_mcp_cache_hints(req, w);
	return true;
}
