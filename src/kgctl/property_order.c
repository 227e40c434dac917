/*
 * property_order.c
 *	  The order of a schema's properties, which jsonb does not retain.
 */
#include <string.h>

#include "kgctl/property_order.h"

#define KG_ORDER "x-property-order"

static KgJson *
properties_of(const KgJson *schema)
{
	KgJson *properties = kgctl_json_get(schema, "properties");

	return properties != NULL && properties->kind == KG_JSON_OBJECT ? properties
																	: NULL;
}

/* Returns whether jsonb stores the key x before y: shorter keys come first. */
static bool
is_before(const char *x, const char *y)
{
	size_t xlen = strlen(x);
	size_t ylen = strlen(y);

	return xlen != ylen ? xlen < ylen : strcmp(x, y) < 0;
}

bool
kg_property_order_keep(KgArena *arena, KgJson *schema)
{
	const KgJson *properties = properties_of(schema);
	KgJson *order = kg_json_array(arena);
	bool same = true;

	if (properties == NULL || kgctl_json_get(schema, KG_ORDER) != NULL)
		return false;
	for (size_t i = 0; i < properties->len; i++)
	{
		const char *key = properties->u.members[i].key;

		same &= i == 0 || is_before(properties->u.members[i - 1].key, key);
		kg_json_push(arena, order, kg_json_string(arena, key, strlen(key)));
	}
	if (!same)
		kg_json_put(arena, schema, KG_ORDER, order);
	return !same;
}

void
kg_property_order_restore(KgJson *schema)
{
	KgJson *properties = properties_of(schema);
	const KgJson *order = kgctl_json_get(schema, KG_ORDER);
	size_t done = 0;

	for (size_t i = 0; properties != NULL && i < kgctl_json_length(order); i++)
	{
		const char *name = kgctl_json_text(order->u.items[i]);

		for (size_t j = done; name != NULL && j < properties->len; j++)
		{
			KgctlMember member = properties->u.members[j];

			if (strcmp(member.key, name) != 0)
				continue;
			memmove(&properties->u.members[done + 1],
					&properties->u.members[done],
					(j - done) * sizeof(KgctlMember));
			properties->u.members[done++] = member;
			break;
		}
	}
}
