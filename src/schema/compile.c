/*
 * compile.c
 *	  Compiler from a schema document to nodes and instructions: the control of
 *	  the compilation, references, and the keywords that combine subschemas.
 *
 * A compiled schema, including a copy of its document, has its own memory
 * context, which is a member of the result. The schema's context is a child of
 * the caller's context. So if compilation fails, both are freed together.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "miscadmin.h"
#include "schema/compile.h"
#include "schema/metaschema.h"
#include "utils/memutils.h"

typedef struct NodeEntry
{
	const char *container; /* key */
	KgJsNode *node;
} NodeEntry;

static KgJsNode *compile_node(KgJsCompiler *c, const KgJsVal *schema,
							  KgJsResource *resource, const char *pointer);

void
kg_emit(KgJsBuild *b, int mask, const KgJsInstr *instr)
{
	for (int type = 0; type < KG_JS_NTYPES; type++)
	{
		KgJsCode *code = &b->code[type];

		if ((mask & KG_MASK(type)) == 0)
			continue;
		/* Always keep one free element for the end instruction. */
		if (code->n + 1 >= code->allocated)
		{
			code->allocated = code->allocated ? code->allocated * 2 : 4;
			code->instr = code->instr
							  ? repalloc(code->instr,
										 code->allocated * sizeof(KgJsInstr))
							  : palloc(code->allocated * sizeof(KgJsInstr));
		}
		code->instr[code->n++] = *instr;
		memset(&code->instr[code->n], 0, sizeof(KgJsInstr));
	}
}

void
kg_keyword_error(const KgJsBuild *b, KgKeyword keyword, const char *expected)
{
	const char *name = kg_keyword_name(keyword);
	KgError *err = kg_schema_error(b->resource,
								   psprintf("%s/%s", b->pointer, name),
								   "\"%s\" must be %s",
								   name,
								   expected);
	JsonbValue value;

	kg_val_to_value(&b->keyword[keyword], &value);
	kg_error_got(err, &value);
	kg_error_throw_expected(err, "%s", expected);
}

int64
kg_keyword_count(const KgJsBuild *b, KgKeyword keyword)
{
	const KgJsVal *v = &b->keyword[keyword];
	int64 n;

	if (v->type != KG_JS_NUMBER || !kg_number_is_integer(v->data))
		kg_keyword_error(b, keyword, "a non-negative integer");
	if (!kg_number_int64(v->data, &n))
		return KG_COUNT_HUGE;
	if (n < 0)
		kg_keyword_error(b, keyword, "a non-negative integer");
	return n;
}

void
kg_compile_count(KgJsBuild *b, KgKeyword keyword, KgJsOp op, int mask)
{
	KgJsInstr instr = {.op = op, .keyword = keyword};

	if (!b->has[keyword])
		return;
	instr.n = kg_keyword_count(b, keyword);
	kg_emit(b, mask, &instr);
}

bool
kg_compile_flag(const KgJsBuild *b, KgKeyword keyword)
{
	if (!b->has[keyword])
		return false;
	if (b->keyword[keyword].type != KG_JS_BOOL)
		kg_keyword_error(b, keyword, "a boolean");
	return b->keyword[keyword].len != 0;
}

void
kg_compile_check(const KgJsCompiler *c)
{
	CHECK_FOR_INTERRUPTS();
	if (c->steps <= kg_setting_schema_max_steps || !c->check_metaschema)
		return;
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("patterns of the schema take more steps than %d",
							kg_setting_schema_max_steps),
		.hint = "See kg_graph.schema_max_steps.");
}

typedef struct PatternEntry
{
	const char *source; /* key */
	const KgPattern *pattern;
} PatternEntry;

const KgPattern *
kg_keyword_pattern(const KgJsBuild *b, KgKeyword keyword, const char *source,
				   int len)
{
	const char *text = pnstrdup(source, len);
	KgPatternFault fault;
	PatternEntry *entry = hash_search(
		b->compiler->patterns, &text, HASH_FIND, NULL);
	const KgPattern *pattern;
	KgError *err;

	if (entry != NULL)
		return entry->pattern;
	pattern = kg_pattern_compile(source, len, &fault, &b->compiler->steps);
	kg_compile_check(b->compiler);
	if (pattern != NULL)
	{
		entry = hash_search(b->compiler->patterns, &text, HASH_ENTER, NULL);
		entry->pattern = pattern;
		return pattern;
	}
	err = kg_schema_error(
		b->resource,
		psprintf("%s/%s", b->pointer, kg_keyword_name(keyword)),
		"regular expression is refused: %s",
		fault.message);
	if (fault.limit)
		kg_error_recode(err, KG_LIMIT_EXCEEDED);
	kg_error_got_string(err, text);
	kg_error_throw_expected(err,
							fault.limit ? "a smaller regular expression"
										: "a regular expression of ECMA-262");
}

const KgJsNode *
kg_compile_sub(KgJsBuild *b, KgKeyword keyword, const char *name, int len,
			   int index, const KgJsVal *schema)
{
	StringInfoData pointer;

	initStringInfo(&pointer);
	appendStringInfo(&pointer, "%s/%s", b->pointer, kg_keyword_name(keyword));
	if (name != NULL)
		kg_json_pointer_append(&pointer, name, len);
	if (index >= 0)
		appendStringInfo(&pointer, "/%d", index);
	if (schema->type != KG_JS_OBJECT && schema->type != KG_JS_BOOL)
		kg_error_throw(kg_schema_error(b->resource,
									   pointer.data,
									   "a subschema must be an object or a "
									   "boolean"));
	return compile_node(b->compiler, schema, b->resource, pointer.data);
}

static const KgJsNode *
compile_keyword_sub(KgJsBuild *b, KgKeyword keyword)
{
	return kg_compile_sub(b, keyword, NULL, 0, -1, &b->keyword[keyword]);
}

/* ---- references ---- */

/* Returns true if any $dynamicRef has this name. */
static bool
is_wanted(const KgJsCompiler *c, const char *name)
{
	ListCell *lc;

	foreach(lc, c->dynamic_names)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	}
	return false;
}

static char *
reference_text(KgJsBuild *b, KgKeyword keyword)
{
	if (b->keyword[keyword].type != KG_JS_STRING)
		kg_keyword_error(b, keyword, "a URI reference");
	return kg_val_cstring(&b->keyword[keyword]);
}

static const KgJsNode *
resolve(KgJsBuild *b, KgKeyword keyword, const char *ref, KgJsPlace *place)
{
	kg_registry_resolve(b->compiler->registry,
						b->resource,
						ref,
						psprintf("%s/%s", b->pointer, kg_keyword_name(keyword)),
						place);
	return compile_node(
		b->compiler, &place->schema, place->resource, place->pointer);
}

static void
compile_ref(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_REF, .keyword = KG_KW_REF};
	KgJsPlace place;

	instr.u.node = resolve(b, KG_KW_REF, reference_text(b, KG_KW_REF), &place);
	kg_emit(b, KG_MASK_ANY, &instr);
}

/*
 * Compiles a $dynamicRef. It is dynamic only if its initial target is a
 * $dynamicAnchor of that name. Otherwise it is compiled as a $ref.
 */
static void
compile_dynamic_ref(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_REF, .keyword = KG_KW_DYNAMIC_REF};
	char *ref = reference_text(b, KG_KW_DYNAMIC_REF);
	char *anchor = strchr(ref, '#');
	const KgJsNode *target;
	KgJsPlace place;
	KgJsPlace anchored;

	target = resolve(b, KG_KW_DYNAMIC_REF, ref, &place);
	instr.u.node = target;
	if (anchor != NULL && anchor[1] != '\0' && anchor[1] != '/' &&
		kg_registry_dynamic_anchor(
			b->compiler->registry, place.resource, anchor + 1, &anchored) &&
		anchored.schema.data == place.schema.data)
	{
		KgJsDynamicRef *dynamic = palloc(sizeof(KgJsDynamicRef));

		dynamic->target = target;
		dynamic->anchor = pstrdup(anchor + 1);
		instr.op = KG_JS_OP_DYNAMIC_REF;
		instr.u.dynamic = dynamic;
		b->compiler->schema->is_dynamic = true;
		if (!is_wanted(b->compiler, dynamic->anchor))
			b->compiler->dynamic_names = lappend(b->compiler->dynamic_names,
												 (void *) dynamic->anchor);
	}
	kg_emit(b, KG_MASK_ANY, &instr);
}

static void
compile_recursive_ref(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_REF, .keyword = KG_KW_RECURSIVE_REF};
	KgJsPlace place;

	instr.u.node = resolve(
		b, KG_KW_RECURSIVE_REF, reference_text(b, KG_KW_RECURSIVE_REF), &place);
	if (kg_registry_recursive_anchor(place.resource) &&
		place.schema.data == place.resource->root.data)
	{
		instr.op = KG_JS_OP_RECURSIVE_REF;
		b->compiler->schema->is_dynamic = true;
		b->compiler->has_recursive = true;
	}
	kg_emit(b, KG_MASK_ANY, &instr);
}

/* ---- combinations ---- */

static void
compile_list(KgJsBuild *b, KgKeyword keyword, KgJsOp op)
{
	const KgJsVal *list = &b->keyword[keyword];
	KgJsInstr instr = {.op = op, .keyword = keyword};
	KgJsNodeList *nodes;
	KgJsArrayWalk w;
	KgJsVal item;

	if (!b->has[keyword])
		return;
	if (list->type != KG_JS_ARRAY || KG_VAL_COUNT(list) == 0)
		kg_keyword_error(b, keyword, "a non-empty array of schemas");
	nodes = palloc(offsetof(KgJsNodeList, node) +
				   KG_VAL_COUNT(list) * sizeof(KgJsNode *));
	nodes->n = KG_VAL_COUNT(list);
	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
		nodes->node[w.i - 1] = kg_compile_sub(
			b, keyword, NULL, 0, w.i - 1, &item);
	instr.u.list = nodes;
	kg_emit(b, KG_MASK_ANY, &instr);
}

static void
compile_combinations(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_NOT, .keyword = KG_KW_NOT};

	compile_list(b, KG_KW_ALL_OF, KG_JS_OP_ALL_OF);
	compile_list(b, KG_KW_ANY_OF, KG_JS_OP_ANY_OF);
	compile_list(b, KG_KW_ONE_OF, KG_JS_OP_ONE_OF);
	if (b->has[KG_KW_NOT])
	{
		instr.u.node = compile_keyword_sub(b, KG_KW_NOT);
		kg_emit(b, KG_MASK_ANY, &instr);
	}
	if (b->has[KG_KW_IF])
	{
		KgJsCondition *condition = palloc0(sizeof(KgJsCondition));

		condition->condition = compile_keyword_sub(b, KG_KW_IF);
		if (b->has[KG_KW_THEN])
			condition->consequence = compile_keyword_sub(b, KG_KW_THEN);
		if (b->has[KG_KW_ELSE])
			condition->alternative = compile_keyword_sub(b, KG_KW_ELSE);
		instr.op = KG_JS_OP_IF;
		instr.keyword = KG_KW_IF;
		instr.u.condition = condition;
		kg_emit(b, KG_MASK_ANY, &instr);
	}
}

/* ---- nodes ---- */

/* Maximum warnings about one schema. */
#define MAX_WARNINGS 20

/*
 * Adds a warning about a keyword that has no effect at this position, but would
 * constrain values at another position.
 */
static void
warn_ignored(KgJsBuild *b, KgKeyword keyword, const char *reason)
{
	KgSchema *schema = b->compiler->schema;
	const char *document = b->resource->document;

	if (!b->compiler->check_metaschema || !kg_keyword_asserts(keyword) ||
		list_length(schema->warnings) >= MAX_WARNINGS)
		return;
	schema->warnings = lappend(
		schema->warnings,
		psprintf("keyword \"%s\" at \"%s%s%s\" is ignored: in %s, %s",
				 kg_keyword_name(keyword),
				 document ? document : "",
				 document ? "#" : "",
				 b->pointer,
				 kg_metaschema_name(b->resource->dialect),
				 reason));
}

static void
read_keywords(KgJsBuild *b, const KgJsVal *schema)
{
	KgJsObjectWalk w;
	KgJsVal ref;
	bool only_ref = KG_DIALECT_IS_OLD(b->resource->dialect) &&
					kg_val_get(schema, "$ref", 4, &ref);

	kg_object_begin(&w, schema);
	while (kg_object_next(&w))
	{
		KgKeyword keyword = kg_keyword_find(w.key, w.key_len);

		if (keyword == KG_KW_NONE)
			continue;
		if (only_ref && keyword != KG_KW_REF)
		{
			warn_ignored(b, keyword, "a keyword beside \"$ref\" has no effect");
			continue;
		}
		if (!kg_keyword_exists(keyword, b->resource->dialect))
			warn_ignored(b, keyword, "it is not a keyword");
		if (!kg_keyword_applies(
				keyword, b->resource->dialect, b->resource->vocabularies))
			continue;
		b->has[keyword] = true;
		b->keyword[keyword] = w.value;
	}
}

static void
check_metaschema(KgJsCompiler *c, KgJsResource *resource)
{
	List *errors;
	ListCell *lc;
	KgSchemaError *first;
	KgError *err;
	JsonbValue value;
	const KgSchema *metaschema;

	if (resource->checked || !c->check_metaschema)
		return;
	resource->checked = true;
	/* A resource inside a document is validated as a part of the document. */
	if (resource->pointer[0] != '\0')
		return;
	metaschema = kg_metaschema_compiled(resource->dialect);
	kg_val_to_value(&resource->root, &value);
	if (kg_schema_is_valid(metaschema, &value))
		return;
	errors = kg_schema_errors(metaschema, &value, 1);
	first = linitial(errors);
	while (first->nearest_count > 0)
		first = list_nth(first->causes, first->nearest);
	err = kg_schema_error(resource,
						  first->instance_path,
						  "%s must be %s",
						  first->instance_path[0] ? first->instance_path
												  : "the root",
						  first->expected);
	kg_json_root(first->value, &value);
	kg_error_got(err, &value);
	kg_error_expected(err, "%s", first->expected);
	foreach(lc, first->allowed)
		kg_error_allow(err, lfirst(lc));
	if (first->did_you_mean != NULL)
		kg_error_did_you_mean(err, first->did_you_mean);
	kg_error_throw(err);
}

static KgJsNode *
new_node(KgJsCompiler *c, const KgJsVal *schema, KgJsResource *resource,
		 const char *pointer)
{
	KgJsNode *node = palloc0(sizeof(KgJsNode));

	if (++c->schema->nnodes > kg_setting_schema_max_nodes)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf("schema has more than %d subschemas",
									 kg_setting_schema_max_nodes),
				 .hint = "See kg_graph.schema_max_nodes.");
	node->types = KG_MASK_ANY;
	node->resource = resource;
	node->pointer = pointer;
	node->source = *schema;
	return node;
}

static void
compile_keywords(KgJsBuild *b)
{
	kg_compile_values(b);
	if (b->has[KG_KW_REF])
		compile_ref(b);
	if (b->has[KG_KW_DYNAMIC_REF])
		compile_dynamic_ref(b);
	if (b->has[KG_KW_RECURSIVE_REF])
		compile_recursive_ref(b);
	kg_compile_arrays(b);
	kg_compile_objects(b);
	compile_combinations(b);
	kg_compile_unevaluated(b);
}

static KgJsNode *
compile_node(KgJsCompiler *c, const KgJsVal *schema, KgJsResource *resource,
			 const char *pointer)
{
	NodeEntry *entry;
	KgJsBuild *b;
	KgJsNode *node;
	bool found;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (schema->type == KG_JS_BOOL)
	{
		node = new_node(c, schema, resource, pointer);
		if (!schema->len)
		{
			node->types = 0;
			node->flags = KG_JS_NODE_FALSE;
		}
		return node;
	}
	entry = hash_search(c->nodes, &schema->data, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->node;
	resource = kg_registry_enter(c->registry, resource, schema);
	resource->used = true;
	check_metaschema(c, resource);
	node = new_node(c, schema, resource, pointer);
	entry = hash_search(c->nodes, &schema->data, HASH_ENTER, &found);
	entry->node = node;
	b = palloc0(sizeof(KgJsBuild));
	b->compiler = c;
	b->node = node;
	b->resource = resource;
	b->pointer = pointer;
	read_keywords(b, schema);
	compile_keywords(b);
	for (int type = 0; type < KG_JS_NTYPES; type++)
	{
		const KgJsInstr *instr = b->code[type].instr;

		node->code[type] = instr;
		while (instr != NULL && instr->op != KG_JS_OP_END &&
			   instr->op <= KG_JS_OP_LAST_PLAIN)
			instr++;
		if (instr == NULL || instr->op == KG_JS_OP_END)
			node->plain |= KG_MASK(type);
	}
	pfree(b);
	return node;
}

static void
add_dynamic(KgJsResource *resource, const char *name, const KgJsNode *node)
{
	resource->dynamic = resource->dynamic
							? repalloc(resource->dynamic,
									   (resource->ndynamic + 1) *
										   sizeof(KgJsDynamicAnchor))
							: palloc(sizeof(KgJsDynamicAnchor));
	resource->dynamic[resource->ndynamic].name = name;
	resource->dynamic[resource->ndynamic++].node = node;
}

static bool
has_dynamic(const KgJsResource *resource, const char *name)
{
	for (int i = 0; i < resource->ndynamic; i++)
	{
		const char *other = resource->dynamic[i].name;

		if (name == NULL ? other == NULL
						 : (other != NULL && strcmp(other, name) == 0))
			return true;
	}
	return false;
}

/*
 * Compiles the dynamic anchors to which a $dynamicRef may resolve, in every
 * resource that may be in its dynamic scope. The compilation of an anchor may
 * add resources and names, so the function repeats until there are no new
 * anchors.
 */
static void
compile_dynamic_anchors(KgJsCompiler *c)
{
	bool changed = c->schema->is_dynamic;

	while (changed)
	{
		changed = false;
		for (int i = 0; i < kg_registry_count(c->registry); i++)
		{
			KgJsResource *resource = kg_registry_nth(c->registry, i);
			List *names = list_copy(c->dynamic_names);
			ListCell *lc;
			KgJsPlace place;

			CHECK_FOR_INTERRUPTS();
			if (!resource->used)
				continue;
			foreach(lc, names)
			{
				const char *name = lfirst(lc);

				if (!has_dynamic(resource, name) &&
					kg_registry_dynamic_anchor(
						c->registry, resource, name, &place))
				{
					add_dynamic(
						resource,
						name,
						compile_node(
							c, &place.schema, place.resource, place.pointer));
					changed = true;
				}
			}
			if (c->has_recursive && !has_dynamic(resource, NULL) &&
				kg_registry_recursive_anchor(resource))
			{
				add_dynamic(
					resource,
					NULL,
					compile_node(
						c, &resource->root, resource, resource->pointer));
				changed = true;
			}
		}
	}
}

KgError *
kg_schema_size_error(const Jsonb *schema)
{
	if (VARSIZE(schema) <= kg_setting_schema_max_bytes &&
		kg_json_number_bytes(&schema->root, kg_setting_schema_max_bytes) <=
			kg_setting_schema_max_bytes)
		return NULL;
	return KG_ERROR(KG_LIMIT_EXCEEDED,
					.message = psprintf("schema has more than %d bytes",
										kg_setting_schema_max_bytes),
					.hint = "See kg_graph.schema_max_bytes.");
}

static KgSchema *
compile(const Jsonb *schema, const KgSchemaOptions *options, bool check)
{
	static const KgSchemaOptions defaults = {0};
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg schema", ALLOCSET_START_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	MemoryContext work = AllocSetContextCreate(
		context, "kg schema compiler", ALLOCSET_DEFAULT_SIZES);
	KgJsCompiler c = {0};
	HASHCTL ctl = {0};
	Jsonb *copy;
	KgJsVal root;
	KgJsResource *resource;
	KgError *err;

	if (options == NULL)
		options = &defaults;
	err = kg_schema_size_error(schema);
	if (err != NULL)
		kg_error_throw(err);
	copy = palloc(VARSIZE(schema));
	memcpy(copy, schema, VARSIZE(schema));
	kg_val_from_jsonb(&root, copy);
	if (root.type != KG_JS_OBJECT && root.type != KG_JS_BOOL)
	{
		JsonbValue value;

		err = kg_schema_error(NULL, "", "it must be an object or a boolean");
		kg_val_to_value(&root, &value);
		kg_error_got(err, &value);
		kg_error_throw_expected(err, "an object or a boolean");
	}
	ctl.keysize = sizeof(const char *);
	ctl.entrysize = sizeof(NodeEntry);
	ctl.hcxt = work;
	c.nodes = hash_create(
		"kg schema nodes", 128, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	c.patterns = kg_text_table(
		"kg schema patterns", sizeof(PatternEntry), work);
	c.check_metaschema = check;
	c.schema = palloc0(sizeof(KgSchema));
	c.schema->context = context;
	c.registry = kg_registry_create(options, work);
	resource = kg_registry_add_root(c.registry, &root);
	resource = kg_registry_enter(c.registry, resource, &root);
	c.schema->root = compile_node(&c, &root, resource, "");
	compile_dynamic_anchors(&c);
	MemoryContextDelete(work);
	MemoryContextSwitchTo(caller);
	return c.schema;
}

List *
kg_schema_warnings(const KgSchema *schema)
{
	return schema->warnings;
}

KgSchema *
kg_schema_compile(const Jsonb *schema, const KgSchemaOptions *options)
{
	return compile(schema, options, true);
}

KgSchema *
kg_schema_compile_unchecked(const Jsonb *schema, const KgSchemaOptions *options)
{
	return compile(schema, options, false);
}
