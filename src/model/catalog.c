/*
 * catalog.c
 *	  Loading and caching of the catalogs of tenants.
 *
 * A catalog has a memory context of its own. If the catalog is stale or
 * evicted, its context is freed only at the end of the transaction, because
 * callers have pointers into it.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/snapshot.h"
#include "base/spi.h"
#include "model/annotations.h"
#include "model/binding.h"
#include "model/catalog.h"
#include "model/lock.h"
#include "model/period.h"
#include "catalog/pg_type.h"
#include "model/tool_version.h"
#include "model/type_rows.h"
#include "model/version.h"
#include "common/md5.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Entry
{
	KgCacheEntry entry; /* cache entry; its hash is the role's OID */
	KgCatalog catalog;
	KgCatalogVersion version;
	bool newest; /* the catalog was the newest version when kg_catalog_newest()
				  * found it */
	KgSeenSnapshot seen; /* last snapshot known to show this version */
} Entry;

bool kg_catalog_ever_authorizes = false;

/* Maximum number of cached catalogs. A pooled backend serves many tenants. */
static const int most = 64;
static const int most_kb = 64 * 1024;
/*
 * The cache of catalogs. An entry becomes stale when any table of the catalog
 * changes, for any tenant.
 */
static KgCache catalogs = {
	"catalog", &most, KG_STALE_BY_CATALOG, .most_kb = &most_kb};

/*
 * Returns a jsonb column of the current row, copied into the current context.
 */
static Jsonb *
row_jsonb(uint64 row, int column)
{
	bool isnull;
	Datum value = kg_spi_value(row, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

/*
 * Returns a column of type text, copied into the current context. Avoids the
 * output function, which would be looked up for each value.
 */
static const char *
row_text(uint64 row, int column)
{
	bool isnull;
	Datum value = kg_spi_value(row, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static void
load_bundles(KgCatalog *catalog, const Datum *tenant, MemoryContext context)
{
	StringInfoData revisions;
	char hash[33];
	const char *errstr;
	const char *latest = "";

	KG_SPI_READ("SELECT bundle, version, description, instructions, revision, "
				"definitions, to_char(updated_at AT TIME ZONE 'UTC', "
				"'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') "
				"FROM @kg_bundle WHERE tenant = $1 ORDER BY bundle",
				kg_arg(TEXTOID, *tenant));
	MemoryContextSwitchTo(context);
	catalog->nbundles = SPI_processed;
	catalog->bundles = palloc0(Max(1, SPI_processed) * sizeof(KgBundle));
	initStringInfo(&revisions);
	for (int i = 0; i < catalog->nbundles; i++)
	{
		KgBundle *bundle = &catalog->bundles[i];
		const char *updated = row_text(i, 7);

		bundle->name = row_text(i, 1);
		bundle->version = row_text(i, 2);
		bundle->description = row_text(i, 3);
		bundle->instructions = row_text(i, 4);
		bundle->revision = kg_spi_int64(i, 5);
		bundle->definitions = row_jsonb(i, 6);
		appendStringInfo(
			&revisions, "%s:" INT64_FORMAT ";", bundle->name, bundle->revision);
		if (strcmp(updated, latest) > 0)
			latest = updated;
	}
	if (!pg_md5_hash(revisions.data, revisions.len, hash, &errstr))
		elog(ERROR, "could not compute a hash: %s", errstr);
	catalog->revision = psprintf("%s#%.12s", latest, hash);
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Adds a field of a variant to the fields of the relation. If several variants
 * have a property of this name, the property of the first variant takes
 * precedence.
 */
static void
add_edge_field(KgRelation *relation, const KgField *field)
{
	for (int i = 0; i < relation->nfields; i++)
		if (strcmp(relation->fields[i].name, field->name) == 0)
		{
			relation->fields[i].repeats_name |= !kg_field_same_path(
				&relation->fields[i], field);
			return;
		}
	relation->fields = relation->fields
						   ? repalloc(relation->fields,
									  (relation->nfields + 1) * sizeof(KgField))
						   : palloc(sizeof(KgField));
	relation->fields[relation->nfields++] = *field;
}

static void
add_variant(KgCatalog *catalog, KgRelation *relation, uint64 row)
{
	const KgTypeRow *from = kg_catalog_find_row(
		catalog, relation->bundle, row_text(row, 4));
	const KgTypeRow *to = kg_catalog_find_row(
		catalog, row_text(row, 5), row_text(row, 6));
	KgVariant *variant;

	if (from == NULL || to == NULL)
		return;
	if (relation->variants == NULL)
		relation->variants = palloc(sizeof(KgVariant));
	else
		relation->variants = repalloc(
			relation->variants, (relation->nvariants + 1) * sizeof(KgVariant));
	variant = &relation->variants[relation->nvariants++];
	variant->from_type_no = from->type_no;
	variant->to_type_no = to->type_no;
	variant->property = row_text(row, 7);
	variant->schema = row_jsonb(row, 8);
	variant->description = row_text(row, 11);
	variant->edges = NULL;
	relation->definitions = from->definitions;
	if (variant->schema)
	{
		KgField *fields;
		KgPeriod period;
		JsonbValue table;
		int n = kg_properties_parse(
			variant->schema, relation->definitions, "", NULL, &fields, &period);

		if (kg_period_any(&period))
		{
			relation->period = period;
			catalog->traits |= 1 << KG_TRAIT_PERIOD;
			catalog->known_traits |= 1 << KG_TRAIT_PERIOD;
		}
		for (int i = 0; i < n; i++)
			add_edge_field(relation, &fields[i]);
		if (kg_json_get(&variant->schema->root, "x-table", &table) != NULL &&
			kg_binding_names_table(&table))
			variant->edges = kg_binding_of_edges(variant->schema,
												 relation->bundle,
												 relation->name,
												 fields,
												 n,
												 kg_type_parsed(from),
												 kg_type_parsed(to),
												 "",
												 NULL);
	}
}

static void
load_relations(KgCatalog *catalog, const Datum *tenant, MemoryContext context)
{
	KgRelation *relation = NULL;

	KG_SPI_READ(
		"SELECT bundle, relation, relation_no, from_type, to_bundle, "
		"to_type, property, schema, inverse, is_symmetric, description, "
		"key, history_since "
		"FROM @kg_relation WHERE tenant = $1 "
		"ORDER BY bundle, relation, from_type, to_bundle, to_type",
		kg_arg(TEXTOID, *tenant));
	MemoryContextSwitchTo(context);
	catalog->relations = palloc0(Max(1, SPI_processed) * sizeof(KgRelation));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		int32 no = DatumGetInt32(kg_spi_value(i, 3, &isnull));

		if (relation == NULL || relation->relation_no != no)
		{
			relation = &catalog->relations[catalog->nrelations++];
			relation->relation_no = no;
			relation->bundle = row_text(i, 1);
			relation->name = row_text(i, 2);
			relation->derived = row_text(i, 7) != NULL;
			relation->inverse = row_text(i, 9);
			relation->symmetric = DatumGetBool(kg_spi_datum(i, 10));
			relation->key = row_text(i, 12);
			relation->history_since = DatumGetTimestampTz(
				kg_spi_value(i, 13, &isnull));
			relation->history = !isnull;
			catalog->edge_history |= relation->history;
		}
		add_variant(catalog, relation, i);
	}
	SPI_freetuptable(SPI_tuptable);
}

static const char *
slot_text(const TupleTableSlot *slot, int column)
{
	return TextDatumGetCString(slot->tts_values[column]);
}

static int
compare_tools(const void *a, const void *b)
{
	return strcmp(((const KgTool *) a)->name, ((const KgTool *) b)->name);
}

static bool
is_text(const TupleTableSlot *slot, int column, const char *name)
{
	const text *value = DatumGetTextPP(slot->tts_values[column]);
	size_t len = VARSIZE_ANY_EXHDR(value);

	return strlen(name) == len && memcmp(VARDATA_ANY(value), name, len) == 0;
}

/*
 * Returns the type of a tool. Checks the previous tool's type first, because
 * most tools of a type follow one another.
 */
static const KgTypeRow *
type_of_tool(const KgCatalog *catalog, const TupleTableSlot *slot)
{
	const KgTypeRow *last = catalog->ntools > 0
								? catalog->tools[catalog->ntools - 1].row
								: NULL;

	if (slot->tts_isnull[2])
		return NULL;
	if (last != NULL && is_text(slot, 2, last->name) &&
		is_text(slot, 1, last->bundle))
		return last;
	return kg_catalog_find_row(catalog, slot_text(slot, 1), slot_text(slot, 2));
}

/*
 * Adds a row of kg_tool, with the columns that load_tools() selects. Ignores a
 * row whose type or relation is not in the catalog.
 */
static void
add_tool(TupleTableSlot *slot, void *arg)
{
	KgCatalog *catalog = arg;
	KgTool tool = {NULL};
	const text *operation;

	slot_getallattrs(slot);
	tool.row = type_of_tool(catalog, slot);
	if (!slot->tts_isnull[4])
		tool.relation = kg_catalog_find_relation(
			catalog, slot_text(slot, 1), slot_text(slot, 4));
	if (tool.row == NULL && tool.relation == NULL)
		return;
	tool.bundle = tool.row != NULL ? tool.row->bundle : tool.relation->bundle;
	tool.name = slot_text(slot, 0);
	operation = DatumGetTextPP(slot->tts_values[3]);
	tool.operation = kg_operation_named(VARDATA_ANY(operation),
										VARSIZE_ANY_EXHDR(operation))
						 ->expose;
	if (tool.relation != NULL)
		((KgRelation *) tool.relation)->expose |= tool.operation;
	catalog->tools = kg_array_grown(
		catalog->tools, catalog->ntools, sizeof(KgTool));
	catalog->tools[catalog->ntools++] = tool;
}

static void
load_tools(KgCatalog *catalog, const Datum *tenant)
{
	static KgSaved saved;

	catalog->tools = palloc(sizeof(KgTool));
	/*
	 * Do not use ORDER BY, because PostgreSQL's sort takes longer than the
	 * whole read. The tools are sorted below.
	 */
	kg_spi_read_each(&saved,
					 add_tool,
					 catalog,
					 "SELECT tool, bundle, entity_type, operation, relation "
					 "FROM @kg_tool WHERE tenant = $1 "
					 "AND operation NOT IN ('registered', 'alias')",
					 kg_arg(TEXTOID, *tenant));
	qsort(catalog->tools, catalog->ntools, sizeof(KgTool), compare_tools);
}

static void
load(void *arg)
{
	Entry *entry = arg;
	KgCatalog *catalog = &entry->catalog;
	MemoryContext context = entry->entry.context;
	MemoryContext old = CurrentMemoryContext;
	Datum tenant;

	kg_spi_begin_load_seen();
	MemoryContextSwitchTo(context);
	tenant = CStringGetTextDatum(catalog->tenant);
	load_bundles(catalog, &tenant, context);
	kg_load_types(catalog, &tenant);
	load_relations(catalog, &tenant, context);
	load_tools(catalog, &tenant);
	kg_load_tool_versions(catalog, &tenant, context);
	catalog->lacks_bundles = catalog->nbundles < entry->version.nbundles;
	catalog->authorizes = kg_catalog_has(catalog, KG_TRAIT_AUTHORIZE);
	kg_catalog_ever_authorizes |= catalog->authorizes;
	kg_spi_end_load();
	MemoryContextSwitchTo(old);
}

static bool
same_agent(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The key of a lookup in the cache, and further requirements. */
typedef struct Wanted
{
	const char *tenant;
	Oid role;
	const char *agent;
	bool scoped;
	Snapshot snapshot;
	KgCatalogVersion version;
} Wanted;

static Wanted
wanted_by_caller(const char *tenant)
{
	Wanted wanted = {tenant,
					 GetUserId(),
					 kg_identity_agent(),
					 kg_identity_scoped(),
					 GetActiveSnapshot()};

	kg_identity_require_row_security();
	return wanted;
}

static bool
is_callers(const Entry *entry, const Wanted *wanted)
{
	const KgCatalog *catalog = &entry->catalog;

	return catalog->scoped == wanted->scoped &&
		   strcmp(catalog->tenant, wanted->tenant) == 0 &&
		   same_agent(catalog->agent, wanted->agent);
}

static bool
is_seen(const void *entry, const void *wanted)
{
	return is_callers(entry, wanted) &&
		   kg_snapshot_seen(&((const Entry *) entry)->seen,
							((const Wanted *) wanted)->snapshot);
}

static bool
is_newest(const void *entry, const void *wanted)
{
	return is_callers(entry, wanted) && ((const Entry *) entry)->newest;
}

static bool
is_version(const void *entry, const void *wanted)
{
	const KgCatalogVersion *a = &((const Entry *) entry)->version;
	const KgCatalogVersion *b = &((const Wanted *) wanted)->version;

	return is_callers(entry, wanted) && a->hash == b->hash &&
		   a->nbundles == b->nbundles;
}

/*
 * Loads the catalog under the active snapshot, which shows the version
 * "wanted". Adds it to the cache and returns its entry.
 */
static Entry *
load_entry(const Wanted *wanted)
{
	static uint64 next_id = 1;
	Entry *fresh = kg_cache_make(&catalogs, sizeof(*fresh));
	MemoryContext context = fresh->entry.context;
	KgCatalog *catalog = &fresh->catalog;

	catalog->context = context;
	catalog->tenant = MemoryContextStrdup(context, wanted->tenant);
	catalog->role = wanted->role;
	if (wanted->agent)
		catalog->agent = MemoryContextStrdup(context, wanted->agent);
	catalog->scoped = wanted->scoped;
	catalog->id = next_id++;
	catalog->generation = kg_generation();
	fresh->version = wanted->version;
	kg_identity_as_tool(load, fresh);
	kg_cache_keep(&catalogs, fresh, wanted->role);
	return fresh;
}

/*
 * Returns the cache entry of the version that the active snapshot shows. Loads
 * the catalog if it is not cached.
 */
static Entry *
entry_of_version(Wanted *wanted)
{
	Entry *entry;

	wanted->version = kg_catalog_version(wanted->tenant, GetActiveSnapshot());
	entry = kg_cache_find(&catalogs, wanted->role, is_version, wanted);
	return entry ? entry : load_entry(wanted);
}

/*
 * Returns the catalog of a cache entry. Before that, sets plain_visibility to
 * the caller's present visibility, independent of the snapshot.
 * plain_visibility is the only part of a catalog that depends on memberships.
 */
static const KgCatalog *
use(Entry *entry)
{
	/*
	 * Pin the entry, because pointers to its types and fields must be valid
	 * until the transaction ends.
	 */
	kg_cache_pin(entry, TopTransactionContext);
	entry->catalog.plain_visibility = !entry->catalog.lacks_bundles &&
									  !entry->catalog.authorizes &&
									  kg_visibility_is_whole();
	return &entry->catalog;
}

static Entry *
seen_entry(const char *tenant)
{
	Wanted wanted = wanted_by_caller(tenant);
	Entry *entry = kg_cache_find(&catalogs, wanted.role, is_seen, &wanted);

	if (entry == NULL)
	{
		entry = entry_of_version(&wanted);
		kg_snapshot_remember(
			&entry->seen, wanted.snapshot, entry->entry.context);
	}
	return entry;
}

const KgCatalog *
kg_catalog_get(const char *tenant)
{
	return use(seen_entry(tenant));
}

/*
 * Returns the unit that uses one snapshot, the statement or the transaction,
 * for error messages.
 */
static const char *
span_of_snapshot(void)
{
	return IsolationUsesXactSnapshot() ? "transaction" : "statement";
}

void
kg_catalog_throw_named(const char *tenant)
{
	const char *span = span_of_snapshot();
	KG_THROW(KG_CONFLICT,
			 .message = psprintf(
				 "tenant \"%s\" was given its name after the %s began",
				 tenant,
				 span),
			 .expected = psprintf("the same call in a new %s", span));
}

void
kg_catalog_throw_authorizes(const KgType *type)
{
	const char *span = span_of_snapshot();
	KG_THROW(KG_CONFLICT,
			 .message = psprintf("another session added \"x-authorize\" to "
								 "entity type \"%s\" after the %s began",
								 type->name,
								 span),
			 .keyword = "x-authorize",
			 .expected = psprintf("the same call in a new %s", span));
}

static const KgTypeRow *
find_type_no(const KgCatalog *catalog, int32 type_no)
{
	for (int i = 0; i < catalog->ntypes; i++)
		if (catalog->types[i].type_no == type_no)
			return &catalog->types[i];
	return NULL;
}

/*
 * Raises an error if a type requires decisions of the authorizer now, but did
 * not when the snapshot was taken. Policies use the newest schema, so the call
 * would silently find no entity of the type.
 */
static void
require_same_authorities(const KgCatalog *catalog)
{
	const KgCatalog *newest = kg_catalog_newest(catalog->tenant);

	if (newest == catalog || !newest->authorizes)
		return;
	for (int i = 0; i < newest->ntypes; i++)
	{
		const KgTypeRow *now = &newest->types[i];
		const KgTypeRow *row = find_type_no(catalog, now->type_no);

		if (row != NULL && kg_row_has(now, KG_TRAIT_AUTHORIZE) &&
			!kg_row_has(row, KG_TRAIT_AUTHORIZE))
			kg_catalog_throw_authorizes(kg_type_of(row));
	}
}

const KgCatalog *
kg_catalog_of_caller(void)
{
	const char *tenant = kg_identity_current(KG_ACCESS_READ);
	Entry *entry = seen_entry(tenant ? tenant
									 : kg_identity_require(KG_ACCESS_READ));
	const KgCatalog *catalog = use(entry);

	if (!entry->version.shows)
		kg_catalog_throw_named(catalog->tenant);
	kg_agent_require(catalog->tenant);
	if (!entry->newest)
		require_same_authorities(catalog);
	return catalog;
}

/*
 * Returns the tenant's newest catalog, as visible to the current role. Accepts
 * invalidations first. A session that waited for a row lock, and has locked no
 * table since, has not processed the invalidations of the commits that it
 * waited for.
 */
const KgCatalog *
kg_catalog_newest(const char *tenant)
{
	Wanted wanted = wanted_by_caller(tenant);
	uint64 generation;
	Entry *entry;

	AcceptInvalidationMessages();
	entry = kg_cache_find(&catalogs, wanted.role, is_newest, &wanted);
	if (entry == NULL)
	{
		generation = kg_generation();
		kg_push_newest_snapshot();
		entry = entry_of_version(&wanted);
		PopActiveSnapshot();
		/*
		 * If changes arrived while the catalog was read, the snapshot may be
		 * too old to show them.
		 */
		entry->newest = generation == kg_generation();
	}
	return use(entry);
}

/*
 * Raises an error if the transaction's snapshot shows other schemas than the
 * newest. Derived rows follow the newest schemas, but the transaction would see
 * entities of older schemas. Changes of schemas by the transaction itself are
 * visible, also those by the current command.
 */
static void
require_seen_types(const KgCatalog *newest)
{
	const KgCatalog *seen;

	if (!IsolationUsesXactSnapshot())
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	seen = kg_catalog_get(newest->tenant);
	PopActiveSnapshot();
	for (int i = 0; i < seen->ntypes && seen != newest; i++)
	{
		const KgTypeRow *row = &seen->types[i];
		const KgTypeRow *now = find_type_no(newest, row->type_no);

		if (now != NULL && strcmp(now->schema_hash, row->schema_hash) == 0)
			continue;
		KG_THROW(KG_CONFLICT,
				 .message = psprintf("another session changed entity type "
									 "\"%s\" after the transaction began",
									 kg_row_handle(row)),
				 .expected = "the same transaction, run again");
	}
}

const KgCatalog *
kg_catalog_locked(const char *tenant, const int32 *type_nos, int n)
{
	const KgCatalog *newest;

	for (int i = 0; i < n; i++)
		if (i == 0 || type_nos[i] != type_nos[i - 1])
			(void) kg_lock_type_shared(type_nos[i]);
	newest = kg_catalog_newest(tenant);
	require_seen_types(newest);
	return newest;
}

void
kg_catalog_throw_changed(void)
{
	KG_THROW(KG_CONFLICT,
			 .message = "another session changed a bundle at the same time",
			 .expected = "the same call, sent again");
}

bool
kg_catalog_joins(const KgCatalog *catalog, const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
		if (find_type_no(catalog, relation->variants[i].from_type_no) &&
			find_type_no(catalog, relation->variants[i].to_type_no))
			return true;
	return false;
}

const KgType *
kg_catalog_type_in(const KgCatalog *catalog, const char *bundle,
				   const char *name)
{
	const KgTypeRow *row = kg_catalog_find_row(catalog, bundle, name);

	return row != NULL ? kg_type_of(row) : NULL;
}

static const KgTypeRow *
find_row(const KgCatalog *catalog, const char *name)
{
	const char *slash = strchr(name, '/');
	const KgTypeRow *found = NULL;

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgTypeRow *row = &catalog->types[i];

		if (slash)
		{
			if (strcmp(row->name, slash + 1) == 0 &&
				strlen(row->bundle) == slash - name &&
				strncmp(row->bundle, name, slash - name) == 0)
				return row;
		}
		else if (strcmp(row->name, name) == 0)
		{
			if (found)
				return NULL;
			found = row;
		}
	}
	return found;
}

const KgType *
kg_catalog_type(const KgCatalog *catalog, const char *name)
{
	const KgTypeRow *row = find_row(catalog, name);

	return row != NULL ? kg_type_of(row) : NULL;
}

const KgType *
kg_catalog_require_type(const KgCatalog *catalog, const char *name,
						const char *path)
{
	const KgType *type = kg_catalog_type(catalog, name);
	const char **handles;
	KgError *err;
	bool ambiguous = false;

	if (type != NULL)
		return type;
	handles = palloc(Max(1, catalog->ntypes) * sizeof(char *));
	for (int i = 0; i < catalog->ntypes; i++)
	{
		handles[i] = kg_row_handle(&catalog->types[i]);
		ambiguous |= strcmp(catalog->types[i].name, name) == 0;
	}
	if (ambiguous)
	{
		err = kg_error_new(
			KG_INVALID_INPUT, "entity type \"%s\" is in several bundles", name);
		kg_error_expected(err, "bundle/type");
		for (int i = 0; i < catalog->ntypes; i++)
			if (strcmp(catalog->types[i].name, name) == 0)
				kg_error_allow(err, handles[i]);
	}
	else
	{
		err = kg_error_new(
			KG_UNKNOWN_TYPE, "entity type \"%s\" does not exist", name);
		kg_error_expected(err, "an entity type of this tenant");
		for (int i = 0; i < catalog->ntypes; i++)
			kg_error_allow(err, handles[i]);
		kg_error_did_you_mean(err, kg_nearest(name, handles, catalog->ntypes));
	}
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	kg_error_throw(err);
}

const KgType *
kg_catalog_type_no(const KgCatalog *catalog, int32 type_no)
{
	const KgTypeRow *row = find_type_no(catalog, type_no);

	return row != NULL ? kg_type_of(row) : NULL;
}

const KgRelation *
kg_catalog_relation_no(const KgCatalog *catalog, int32 relation_no)
{
	for (int i = 0; i < catalog->nrelations; i++)
		if (catalog->relations[i].relation_no == relation_no)
			return &catalog->relations[i];
	return NULL;
}

static int
compare_name(const void *name, const void *tool)
{
	return strcmp(name, ((const KgTool *) tool)->name);
}

const KgTool *
kg_catalog_tool(const KgCatalog *catalog, const char *name)
{
	return bsearch(
		name, catalog->tools, catalog->ntools, sizeof(KgTool), compare_name);
}

const KgTool *
kg_catalog_tool_of(const KgCatalog *catalog, const KgType *type, int operation)
{
	for (int i = 0; i < catalog->ntools; i++)
		if (catalog->tools[i].row != NULL &&
			catalog->tools[i].row->type == type &&
			catalog->tools[i].operation == operation)
			return &catalog->tools[i];
	return NULL;
}

const KgSchema *
kg_type_schema(const KgType *type)
{
	KgType *mutable = (KgType *) type;
	KgSchemaOptions options = {NULL, type->definitions, type->annotate_format};
	MemoryContext context;
	MemoryContext old;

	if (type->compiled != NULL)
		return type->compiled;
	/*
	 * Compile in a context of its own, so that an error leaves no memory in the
	 * type's context, which lives longer.
	 */
	context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph schema", ALLOCSET_START_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	mutable->compiled = kg_schema_compile(type->schema, &options);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, type->context);
	return type->compiled;
}

const KgType *
kg_tool_type(const KgTool *tool)
{
	return tool->row != NULL ? kg_type_of(tool->row) : NULL;
}

static const char *
handle_of(const char *bundle, const char *name, bool ambiguous)
{
	return ambiguous ? psprintf("%s/%s", bundle, name) : name;
}

const char *
kg_type_handle(const KgType *type)
{
	return handle_of(type->bundle, type->name, type->ambiguous);
}

const char *
kg_row_handle(const KgTypeRow *row)
{
	return handle_of(row->bundle, row->name, row->ambiguous);
}
