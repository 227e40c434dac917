-- A tenant with every kind of tool.
CREATE ROLE kg_vendors LOGIN;
SELECT kg_create_tenant('kg_vendors'), kg_grant('kg_vendors', 'kg_vendors', 'admin');
SET ROLE kg_vendors;
SELECT kg_apply_bundle('{"bundle_name": "shop", "version": "1", "schemas": [
  {"entity_type": "brand", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-history": true, "x-tool-expose": ["list", "list_ids", "get", "history", "create", "update", "delete"], "required": ["id", "name"],
    "properties": {"id": {"type": "string", "maxLength": 40}, "name": {"type": "string", "description": "as on the box"}, "tier": {"enum": ["premium", "budget"], "x-index": true}, "level": {"enum": [1, 2, 3], "x-index": true},
      "since": {"type": "string", "format": "date", "x-index": true}, "cells": {"type": ["integer", "null"], "minimum": 0, "x-index": true}, "tags": {"type": "array", "items": {"type": "string", "x-index": true}, "uniqueItems": true},
      "any": {}, "more": {"type": "object"}, "size": {"type": "object", "required": ["w"], "properties": {"w": {"type": "number", "exclusiveMinimum": 0}, "h": {"type": "number"}}}}}},
  {"entity_type": "product", "schema": {"type": "object", "x-id-field": "sku", "x-search": ["text"], "x-tool-expose": ["list", "get", "create", "update"], "allOf": [{"required": ["sku"]}], "$defs": {"price": {"type": "number", "multipleOf": 0.01}},
    "properties": {"sku": {"type": "string", "pattern": "^[A-Z0-9-]+$"}, "brand": {"type": "string", "x-ref": "brand", "x-relation": "MADE_BY"}, "price": {"$ref": "#/$defs/price"}, "text": {"type": "string"},
      "parts": {"type": "array", "items": {"type": "object", "properties": {"no": {"type": "integer"}, "of": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}}}}}],
  "relations": [{"name": "NEAR", "from": "brand", "to": "brand", "tools": ["link", "unlink"], "schema": {"type": "object", "properties": {"weight": {"type": "number"}}}}]}');
SELECT kg_apply_bundle('{"bundle_name": "memory", "version": "1", "schemas": [
  {"entity_type": "entity", "schema": {"type": "object", "x-id-field": "name", "properties": {"name": {"type": "string"}, "entityType": {"type": "string"}, "stub": {"type": "boolean"}}}},
  {"entity_type": "observation", "schema": {"type": "object", "x-id-field": "id", "properties": {"id": {"type": "string"}, "entity": {"type": "string", "x-ref": "entity", "x-relation": "OBSERVES"}, "n": {"type": "integer"}, "content": {"type": "string"}}}}],
  "relations": [{"name": "RELATES", "from": "entity", "to": "entity", "key": ["relationType"], "schema": {"type": "object", "required": ["relationType"], "properties": {"relationType": {"type": "string"}}}}]}');
SELECT kg_register_tool('{"name": "of_tier", "version": "1.0.0", "kind": "query", "description": "Brands of a tier.", "input_schema": {"required": ["tier"], "properties": {"tier": {"enum": ["premium", "budget"]}, "tags": {"type": "array"}, "limit": {"type": "integer", "minimum": 1, "default": 5}}},
  "operation": {"tool": "list_brand", "arguments": {"filters": {"tier": {"$arg": "tier"}}, "fields": {"$arg": "tags"}, "limit": {"$arg": "limit"}}}}');
