/*
 * payload_text.c
 *	  Splits the text of a bundle into its parts while it is parsed.
 *
 * A conversion of the whole text to jsonb would take several times its size in
 * memory. Here, PostgreSQL's JSON parser calls functions of this file, and
 * raises the errors of jsonb_in(). Each entity becomes a jsonb. For an edge,
 * its ends and the address of its properties in the text are stored.
 * Everything else becomes one jsonb, in which the arrays of entities and edges
 * are empty.
 *
 * If an object has two members of the same name, the later member is used, as
 * in jsonb.
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json.h"
#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "store/bundle/payload.h"
#include "utils/builtins.h"
#include "utils/jsonfuncs.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The member of the root that is being read. */
typedef enum Part
{
	PART_OTHER,
	PART_EDGES,
	PART_ENTITIES
} Part;

/* Builds a value like jsonb_in(). */
typedef struct Builder
{
	KgJsonbState state;
	JsonbValue scalar; /* the value, if it is a scalar */
} Builder;

typedef struct Reader
{
	KgDocument *document;
	MemoryContext context; /* context of the results */
	MemoryContext scratch; /* context for parsing one item */
	/* context that was current before the item began */
	MemoryContext outside;
	JsonLexContext *lex;
	Builder rest; /* builder of everything except the items */
	Builder item;
	Builder *out; /* current builder: &rest or &item */
	int depth;	  /* number of open objects and arrays */
	Part part;
	bool in_array; /* the part's value is an array */
	bool in_items; /* the reader is in "items" of a member of "entities" */
	int nitems;	   /* number of items so far in the array of edges */
	const char *properties;
	int properties_len;
} Reader;

/*
 * Returns whether the elements of the innermost open array are items, that is,
 * entities of a member of "entities" or edges.
 */
static bool
holds_items(const Reader *reader)
{
	if (reader->part == PART_EDGES)
		return reader->depth == 2 && reader->in_array;
	return reader->depth == 4 && reader->in_items;
}

static void
push(Reader *reader, JsonbIteratorToken token, JsonbValue *value)
{
	kg_jsonb_push(&reader->out->state, token, value);
}

static KgItemList *
add_set(KgDocument *document)
{
	KgItemList *set;

	if (document->nsets == document->allocated_sets)
	{
		document->allocated_sets = Max(16, document->allocated_sets * 2);
		if (document->sets == NULL)
			document->sets = palloc(document->allocated_sets *
									sizeof(KgItemList));
		else
			document->sets = repalloc_huge(document->sets,
										   (Size) document->allocated_sets *
											   sizeof(KgItemList));
	}
	set = &document->sets[document->nsets++];
	memset(set, 0, sizeof(*set));
	return set;
}

static void
add_item(KgItemList *set, const Jsonb *value)
{
	Jsonb *copy = palloc(VARSIZE(value));

	memcpy(copy, value, VARSIZE(value));
	if (set->items == NULL)
	{
		set->allocated = 64;
		set->items = palloc(set->allocated * sizeof(Jsonb *));
	}
	else if (set->n == set->allocated)
	{
		set->allocated *= 2;
		set->items = repalloc_huge(set->items,
								   (Size) set->allocated * sizeof(Jsonb *));
	}
	set->items[set->n++] = copy;
}

static KG_JSON_ACTION
object_start(void *state)
{
	Reader *reader = state;

	push(reader, WJB_BEGIN_OBJECT, NULL);
	if (reader->depth++ == 1)
		reader->in_array = false;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
object_end(void *state)
{
	Reader *reader = state;

	push(reader, WJB_END_OBJECT, NULL);
	reader->depth--;
	KG_JSON_ACTION_DONE;
}

/*
 * Begins an array. If a part occurs twice, the second array replaces the
 * first.
 */
static KG_JSON_ACTION
array_start(void *state)
{
	Reader *reader = state;
	KgDocument *document = reader->document;

	push(reader, WJB_BEGIN_ARRAY, NULL);
	if (reader->depth == 1)
	{
		reader->in_array = true;
		if (reader->part == PART_ENTITIES)
			document->nsets = 0;
		else if (reader->part == PART_EDGES)
		{
			reader->nitems = document->edges.n = 0;
			document->edge_errors.errors = NIL;
			document->edge_errors.total = 0;
		}
	}
	else if (reader->depth == 3 && reader->in_items)
		document->sets[document->nsets - 1].n = 0;
	reader->depth++;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
array_end(void *state)
{
	Reader *reader = state;

	push(reader, WJB_END_ARRAY, NULL);
	reader->depth--;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
member_start(void *state, char *name, bool isnull)
{
	Reader *reader = state;
	JsonbValue key = kg_json_string_value(name);

	CHECK_FOR_INTERRUPTS();
	push(reader, WJB_KEY, &key);
	if (reader->depth == 1)
		reader->part = strcmp(name, "edges") == 0	   ? PART_EDGES
					   : strcmp(name, "entities") == 0 ? PART_ENTITIES
													   : PART_OTHER;
	else if (reader->depth == 3 && reader->out == &reader->item)
	{
		if (strcmp(name, "properties") == 0)
			reader->properties = reader->lex->token_start;
	}
	else if (reader->depth == 3)
		reader->in_items = reader->part == PART_ENTITIES && reader->in_array &&
						   strcmp(name, "items") == 0;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
member_end(void *state, char *name, bool isnull)
{
	Reader *reader = state;

	if (reader->depth == 1)
		reader->part = PART_OTHER;
	else if (reader->depth == 3 && reader->out == &reader->item)
	{
		if (strcmp(name, "properties") == 0)
			reader->properties_len = reader->lex->prev_token_terminator -
									 reader->properties;
	}
	else if (reader->depth == 3)
		reader->in_items = false;
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
element_start(void *state, bool isnull)
{
	Reader *reader = state;

	CHECK_FOR_INTERRUPTS();
	if (holds_items(reader))
	{
		/*
		 * The parser allocates in the scratch context until the item ends, so
		 * all this memory is freed at once.
		 */
		reader->outside = MemoryContextSwitchTo(reader->scratch);
		memset(&reader->item, 0, sizeof(reader->item));
		reader->out = &reader->item;
	}
	else if (reader->part == PART_ENTITIES && reader->depth == 2 &&
			 reader->in_array)
	{
		MemoryContext old = MemoryContextSwitchTo(reader->context);

		(void) add_set(reader->document);
		MemoryContextSwitchTo(old);
	}
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
element_end(void *state, bool isnull)
{
	Reader *reader = state;
	KgDocument *document = reader->document;
	Jsonb *item;

	if (!holds_items(reader))
		KG_JSON_ACTION_DONE;
	item = JsonbValueToJsonb(reader->item.state.result);
	reader->out = &reader->rest;
	MemoryContextSwitchTo(reader->context);
	if (reader->part == PART_EDGES)
	{
		JsonbValue value;

		kg_json_root(item, &value);
		kg_payload_add_edge(&document->edges,
							&value,
							reader->nitems++,
							reader->properties,
							reader->properties_len,
							&document->edge_errors);
	}
	else
		add_item(&document->sets[document->nsets - 1], item);
	MemoryContextReset(reader->scratch);
	MemoryContextSwitchTo(reader->outside);
	KG_JSON_ACTION_DONE;
}

static KG_JSON_ACTION
scalar(void *state, char *token, JsonTokenType type)
{
	Reader *reader = state;
	Builder *out = reader->out;
	JsonbValue value = {.type = jbvNull};

	if (type == JSON_TOKEN_STRING)
		value = kg_json_string_value(token);
	else if (type == JSON_TOKEN_NUMBER)
	{
		value.type = jbvNumeric;
		value.val.numeric = DatumGetNumeric(
			DirectFunctionCall3(numeric_in,
								CStringGetDatum(token),
								ObjectIdGetDatum(InvalidOid),
								Int32GetDatum(-1)));
	}
	else if (type != JSON_TOKEN_NULL)
	{
		value.type = jbvBool;
		value.val.boolean = type == JSON_TOKEN_TRUE;
	}
	if (out->state.parseState == NULL)
	{
		out->scalar = value;
		out->state.result = &out->scalar;
	}
	else
		push(reader,
			 out->state.parseState->contVal.type == jbvArray ? WJB_ELEM
															 : WJB_VALUE,
			 &value);
	KG_JSON_ACTION_DONE;
}

KgDocument *
kg_document_of_text(const char *text, int len, int max_errors)
{
	Reader reader = {palloc0(sizeof(KgDocument)), CurrentMemoryContext};
	JsonSemAction actions = {.semstate = &reader,
							 .object_start = object_start,
							 .object_end = object_end,
							 .array_start = array_start,
							 .array_end = array_end,
							 .object_field_start = member_start,
							 .object_field_end = member_end,
							 .array_element_start = element_start,
							 .array_element_end = element_end,
							 .scalar = scalar};
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph bundle text", ALLOCSET_DEFAULT_SIZES);

	MemoryContextSwitchTo(scratch);
	reader.document->split = true;
	reader.document->edges.text = true;
	reader.document->edge_errors.limit = max_errors;
	reader.scratch = AllocSetContextCreate(
		scratch, "kg_graph bundle item", ALLOCSET_DEFAULT_SIZES);
	reader.out = &reader.rest;
	reader.lex = kg_json_lexer(text, len, GetDatabaseEncoding());
	pg_parse_json_or_ereport(reader.lex, &actions);
	MemoryContextSwitchTo(reader.context);
	reader.document->root = JsonbValueToJsonb(reader.rest.state.result);
	MemoryContextDelete(scratch);
	return reader.document;
}
