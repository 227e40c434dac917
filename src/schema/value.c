/*
 * value.c
 *	  JSON values inside binary jsonb: conversion, equality, hash.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "schema/number.h"
#include "schema/value.h"

const char *
kg_type_name(int type)
{
	static const char *const names[] = {
		"null", "boolean", "number", "string", "array", "object", "integer"};

	return names[type];
}

void
kg_val_from_jsonb(KgJsVal *v, const Jsonb *jsonb)
{
	JsonbContainer *root = (JsonbContainer *) &jsonb->root;

	v->data = (const char *) root;
	v->len = VARSIZE(jsonb) - VARHDRSZ;
	if (JsonContainerIsScalar(root))
	{
		KgJsVal array = *v;

		kg_val_at(&array, 0, v);
	}
	else
		v->type = JsonContainerIsObject(root) ? KG_JS_OBJECT : KG_JS_ARRAY;
}

void
kg_val_from_value(KgJsVal *v, const JsonbValue *value)
{
	v->data = NULL;
	v->len = 0;
	switch ((int) value->type)
	{
		case jbvNull:
			v->type = KG_JS_NULL;
			break;
		case jbvBool:
			v->type = KG_JS_BOOL;
			v->len = value->val.boolean;
			break;
		case jbvNumeric:
			v->type = KG_JS_NUMBER;
			v->data = (const char *) value->val.numeric;
			v->len = VARSIZE_ANY(value->val.numeric);
			break;
		case jbvString:
			v->type = KG_JS_STRING;
			v->data = value->val.string.val;
			v->len = value->val.string.len;
			break;
		case jbvBinary:
			v->data = (const char *) value->val.binary.data;
			v->len = value->val.binary.len;
			v->type = JsonContainerIsObject(value->val.binary.data)
						  ? KG_JS_OBJECT
						  : KG_JS_ARRAY;
			break;
		default:
			kg_val_from_jsonb(v, JsonbValueToJsonb((JsonbValue *) value));
			break;
	}
}

void
kg_val_to_value(const KgJsVal *v, JsonbValue *value)
{
	switch (v->type)
	{
		case KG_JS_NULL:
			value->type = jbvNull;
			break;
		case KG_JS_BOOL:
			value->type = jbvBool;
			value->val.boolean = v->len != 0;
			break;
		case KG_JS_NUMBER:
			value->type = jbvNumeric;
			value->val.numeric = (Numeric) v->data;
			break;
		case KG_JS_STRING:
			value->type = jbvString;
			value->val.string.val = (char *) v->data;
			value->val.string.len = v->len;
			break;
		default:
			value->type = jbvBinary;
			value->val.binary.data = KG_VAL_CONTAINER(v);
			value->val.binary.len = v->len;
			break;
	}
}

bool
kg_val_at(const KgJsVal *array, int index, KgJsVal *item)
{
	JsonbContainer *jc = KG_VAL_CONTAINER(array);
	int n = JsonContainerSize(jc);
	uint32 start;

	if (index < 0 || index >= n)
		return false;
	start = getJsonbOffset(jc, index);
	kg_val_set(item,
			   (const char *) &jc->children[n],
			   jc->children[index],
			   start,
			   start + getJsonbLength(jc, index));
	return true;
}

bool
kg_val_get(const KgJsVal *object, const char *key, int len, KgJsVal *member)
{
	JsonbContainer *jc = KG_VAL_CONTAINER(object);
	const char *base;
	int n;
	int low = 0;
	int high;

	if (object->type != KG_JS_OBJECT)
		return false;
	n = JsonContainerSize(jc);
	base = (const char *) &jc->children[2 * n];
	high = n;
	while (low < high)
	{
		int mid = low + (high - low) / 2;
		uint32 offset = getJsonbOffset(jc, mid);
		int cmp = kg_key_compare(
			base + offset, getJsonbLength(jc, mid), key, len);

		if (cmp == 0)
		{
			offset = getJsonbOffset(jc, mid + n);
			kg_val_set(member,
					   base,
					   jc->children[mid + n],
					   offset,
					   offset + getJsonbLength(jc, mid + n));
			return true;
		}
		if (cmp < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

bool
kg_val_is(const KgJsVal *v, const char *s)
{
	return v->type == KG_JS_STRING && v->len == strlen(s) &&
		   memcmp(v->data, s, v->len) == 0;
}

char *
kg_val_cstring(const KgJsVal *v)
{
	Assert(v->type == KG_JS_STRING);
	return pnstrdup(v->data, v->len);
}

static bool
arrays_equal(const KgJsVal *a, const KgJsVal *b)
{
	KgJsArrayWalk wa;
	KgJsArrayWalk wb;
	KgJsVal ia;
	KgJsVal ib;

	kg_array_begin(&wa, a);
	kg_array_begin(&wb, b);
	if (wa.n != wb.n)
		return false;
	while (kg_array_next(&wa, &ia) && kg_array_next(&wb, &ib))
	{
		if (!kg_val_equal(&ia, &ib))
			return false;
	}
	return true;
}

static bool
objects_equal(const KgJsVal *a, const KgJsVal *b)
{
	KgJsObjectWalk wa;
	KgJsObjectWalk wb;

	kg_object_begin(&wa, a);
	kg_object_begin(&wb, b);
	if (wa.n != wb.n)
		return false;
	while (kg_object_next(&wa) && kg_object_next(&wb))
	{
		if (kg_key_compare(wa.key, wa.key_len, wb.key, wb.key_len) != 0 ||
			!kg_val_equal(&wa.value, &wb.value))
			return false;
	}
	return true;
}

bool
kg_val_equal(const KgJsVal *a, const KgJsVal *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type)
	{
		case KG_JS_NULL:
			return true;
		case KG_JS_BOOL:
			return a->len == b->len;
		case KG_JS_NUMBER:
			return kg_number_compare(a->data, b->data) == 0;
		case KG_JS_STRING:
			return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
		case KG_JS_ARRAY:
			check_stack_depth();
			CHECK_FOR_INTERRUPTS();
			return arrays_equal(a, b);
		default:
			check_stack_depth();
			CHECK_FOR_INTERRUPTS();
			return objects_equal(a, b);
	}
}

uint32
kg_val_hash(const KgJsVal *v)
{
	uint32 h = v->type * 0x9e3779b9u;
	KgJsArrayWalk wa;
	KgJsObjectWalk wo;
	KgJsVal item;

	switch (v->type)
	{
		case KG_JS_NULL:
			break;
		case KG_JS_BOOL:
			h += v->len;
			break;
		case KG_JS_NUMBER:
			h = hash_combine(h, kg_number_hash(v->data));
			break;
		case KG_JS_STRING:
			h = hash_combine(
				h, hash_bytes((const unsigned char *) v->data, v->len));
			break;
		case KG_JS_ARRAY:
			check_stack_depth();
			CHECK_FOR_INTERRUPTS();
			kg_array_begin(&wa, v);
			while (kg_array_next(&wa, &item))
				h = hash_combine(h, kg_val_hash(&item));
			break;
		default:
			check_stack_depth();
			CHECK_FOR_INTERRUPTS();
			kg_object_begin(&wo, v);
			while (kg_object_next(&wo))
			{
				h = hash_combine(
					h, hash_bytes((const unsigned char *) wo.key, wo.key_len));
				h = hash_combine(h, kg_val_hash(&wo.value));
			}
			break;
	}
	return h;
}
