/*
 * calls.c
 *	  The table functions of a query.
 */
#include "postgres.h"

#include "ask/calls.h"
#include "base/extension.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "parser/parser.h"
#include "utils/lsyscache.h"

static const struct
{
	const char *name;
	const char *function;
	const char *instead;
	int id;				 /* position of the argument that is an id, or 0 */
	const char *id_name; /* the name of this argument */
} calls[] = {
	{"search",
	 "kg_query_search",
	 "FROM search('text', 'type', limit): id, entity_type, name, score"},
	{"neighbors",
	 "kg_query_neighbors",
	 "FROM neighbors('type:id', hops, 'RELATION'): id, entity_type, depth"},
	{"reach",
	 "kg_query_reach",
	 "FROM reach('type', 'id', 'RELATION', 'outgoing', hops): id, entity_type, "
	 "depth",
	 1,
	 "start"},
	{"path",
	 "kg_query_path",
	 "FROM path('type:id', 'type:id', hops): step, id, entity_type, relation"},
};

/* Returns the index of the table function with the name, or -1. */
static int
find(const char *name)
{
	for (int i = 0; i < lengthof(calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return i;
	return -1;
}

const char *
kg_ask_call_instead(const char *name)
{
	int i = find(name);

	return i >= 0 ? calls[i].instead : NULL;
}

/*
 * Casts the argument that is an id to text, because the ids of a type may be
 * integers.
 */
static void
cast_id(FuncCall *call, int position, const char *name)
{
	ListCell *lc;

	foreach(lc, call->args)
	{
		NamedArgExpr *named = lfirst(lc);
		TypeCast *cast;

		if (IsA(named, NamedArgExpr) ? strcmp(named->name, name) != 0
									 : foreach_current_index(lc) != position)
			continue;
		cast = makeNode(TypeCast);
		cast->arg = IsA(named, NamedArgExpr) ? (Node *) named->arg : lfirst(lc);
		cast->typeName = SystemTypeName("text");
		cast->location = -1;
		if (IsA(named, NamedArgExpr))
			named->arg = (Expr *) cast;
		else
			lfirst(lc) = cast;
	}
}

static bool
exchange(KgAsk *ask, FuncCall *call)
{
	int i;

	if (!IsA(call, FuncCall) || list_length(call->funcname) != 1)
		return false;
	i = find(strVal(linitial(call->funcname)));
	if (i < 0)
		return false;
	call->funcname = list_make2(
		makeString(get_namespace_name(kg_extension_schema())),
		makeString(pstrdup(calls[i].function)));
	if (calls[i].id > 0)
		cast_id(call, calls[i].id, calls[i].id_name);
	ask->calls = lappend(ask->calls, call);
	return true;
}

void
kg_ask_calls_note(KgAsk *ask, RangeFunction *item)
{
	ListCell *lc;

	foreach(lc, item->functions)
	{
		FuncCall *call = linitial(lfirst_node(List, lc));
		char *name = IsA(call, FuncCall) ? strVal(llast(call->funcname)) : NULL;

		if (exchange(ask, call) && item->alias == NULL)
			item->alias = makeAlias(name, NIL);
	}
}

bool
kg_ask_is_call(const KgAsk *ask, const FuncCall *call)
{
	return list_member_ptr(ask->calls, call);
}

/*
 * Returns whether the function implements a table function. The name alone is
 * not sufficient, because a user may have created a function with this name in
 * another schema. So the function must also belong to the extension.
 */
bool
kg_ask_is_called(Oid function)
{
	const char *name = get_func_name(function);

	for (int i = 0; name != NULL && i < lengthof(calls); i++)
		if (strcmp(calls[i].function, name) == 0)
			return getExtensionOfObject(ProcedureRelationId, function) ==
				   get_extension_oid("kg_graph", true);
	return false;
}

char *
kg_ask_call_message(const char *message, const char **instead)
{
	for (int i = 0; i < lengthof(calls); i++)
	{
		const char *schema = get_namespace_name(kg_extension_schema());
		char *name = psprintf("%s.%s(", schema, calls[i].function);
		const char *at = strstr(message, name);

		if (at == NULL)
			continue;
		*instead = calls[i].instead;
		return psprintf("%.*s%s(%s",
						(int) (at - message),
						message,
						calls[i].name,
						at + strlen(name));
	}
	return NULL;
}
