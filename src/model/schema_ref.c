/*
 * schema_ref.c
 *	  Finding the subschema to which a $ref refers.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "model/schema_ref.h"
#include "schema/metaschema.h"
#include "schema/uri.h"

const KgSchemaDocument *
kg_schema_document(const JsonbValue *root)
{
	KgSchemaDocument *document = palloc(sizeof(KgSchemaDocument));

	document->root = *root;
	document->dialect = kg_metaschema_document_dialect(kg_json_container(root));
	return document;
}

/*
 * Sets *target to the first object inside the container that has this $anchor.
 * Returns false if there is no such object.
 */
static bool
find_anchor(const JsonbContainer *container, const char *anchor,
			JsonbValue *target)
{
	KgJsonIter it;
	JsonbValue name;
	bool found = false;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	kg_json_iter_init(&it, container);
	while (!found && kg_json_iter_next(&it))
	{
		const JsonbContainer *below = kg_json_container(&it.value);

		if (below == NULL)
			continue;
		if (kg_json_get(below, "$anchor", &name) != NULL &&
			kg_json_string_is(&name, anchor))
		{
			*target = it.value;
			found = true;
		}
		else
			found = find_anchor(below, anchor, target);
	}
	return found;
}

const KgSchemaDocument *
kg_schema_ref_find(const KgSchemaDocument *document, const Jsonb *definitions,
				   const char *ref, JsonbValue *target)
{
	int len = strcspn(ref, "#");
	const char *fragment = ref[len] == '#' ? ref + len + 1 : "";
	int ignored;

	*target = document->root;
	if (len > 0)
	{
		if (definitions == NULL ||
			kg_json_get(&definitions->root, pnstrdup(ref, len), target) == NULL)
			return NULL;
		document = kg_schema_document(target);
	}
	fragment = kg_uri_unescape(fragment, &ignored);
	if (fragment == NULL)
		return NULL;
	if (*fragment == '\0' ||
		(*fragment == '/'
			 ? kg_json_follow(target, fragment)
			 : kg_json_container(target) != NULL &&
				   find_anchor(kg_json_container(target), fragment, target)))
		return document;
	return NULL;
}
