/*
 * image.c
 *	  Differences of two versions of a document.
 */
#include "postgres.h"

#include "store/history/image.h"

bool
kg_image_same(const Jsonb *a, const Jsonb *b)
{
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

bool
kg_image_same_value(const JsonbValue *a, const JsonbValue *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->type != b->type)
		return false;
	if (a->type == jbvString)
		return a->val.string.len == b->val.string.len &&
			   memcmp(a->val.string.val,
					  b->val.string.val,
					  a->val.string.len) == 0;
	return kg_image_same(kg_json_datum(a), kg_json_datum(b));
}

/*
 * Returns a member of a document, or NULL if the document is not an object or
 * has no such member.
 */
static JsonbValue *
member(const Jsonb *image, const JsonbValue *key, JsonbValue *value)
{
	if (image == NULL || !JB_ROOT_IS_OBJECT(image))
		return NULL;
	return getKeyJsonValueFromContainer((JsonbContainer *) &image->root,
										key->val.string.val,
										key->val.string.len,
										value);
}

void
kg_image_differences(const Jsonb *before, const Jsonb *after, KgDifference each,
					 void *arg)
{
	JsonbValue other;

	kg_json_each(it, &before->root)
	{
		const JsonbValue *now = member(after, &it.key, &other);

		if (!kg_image_same_value(&it.value, now))
			each(&it.key, &it.value, now, arg);
	}
	kg_json_each(it, &after->root)
		if (member(before, &it.key, &other) == NULL)
			each(&it.key, NULL, &it.value, arg);
}

void
kg_image_write_changed(KgJsonWriter *w, const char *key, const Jsonb *image,
					   const Jsonb *other)
{
	JsonbValue value;

	if (image == NULL)
		return;
	if (other == NULL)
	{
		kg_jw_kjsonb(w, key, image);
		return;
	}
	kg_jw_kbegin_object(w, key);
	kg_json_each(it, &image->root)
		if (!kg_image_same_value(&it.value, member(other, &it.key, &value)))
			kg_jw_member(w, &it);
	kg_jw_end_object(w);
}
