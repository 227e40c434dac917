/*
 * members.c
 *	  The members of an input schema.
 */
#include "postgres.h"

#include "query/argument/members.h"

const KgMember *
kg_outline_member(const KgOutline *outline, const char *name, int len)
{
	for (int i = 0; outline->members != NULL && i < outline->n; i++)
		if (outline->members[i].len == len &&
			memcmp(outline->names[i], name, len) == 0)
			return &outline->members[i];
	return NULL;
}

bool
kg_outline_is_complete(const KgOutline *outline, const JsonbContainer *object)
{
	JsonbValue value;

	for (int i = 0; i < outline->n; i++)
		if (outline->members[i].required &&
			kg_json_get(object, outline->names[i], &value) == NULL)
			return false;
	return true;
}

KgOutline
kg_outline_of(const KgOutline *outline, const char *const *names, int n)
{
	KgMember *members = palloc0((n + 1) * sizeof(KgMember));
	KgOutline some = {.n = n, .names = names, .members = members};

	for (int i = 0; i < n; i++)
	{
		const KgMember *member = kg_outline_member(
			outline, names[i], strlen(names[i]));

		if (member == NULL)
			elog(ERROR, "no argument \"%s\" in the tool's schema", names[i]);
		members[i] = *member;
	}
	return some;
}

bool
kg_member_takes_several(const KgMember *member, const JsonbValue *value)
{
	return member != NULL && member->array && !kg_json_is_array(value) &&
		   member->min_items.value > 1;
}

const char *
kg_member_of_string(const KgMember *member)
{
	return member != NULL && member->inner != NULL
			   ? member->inner->string_member
			   : NULL;
}
