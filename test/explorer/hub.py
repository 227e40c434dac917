#!/usr/bin/env python3
# Prints a bundle with a hub: the plant "main" has 5,000 neighbours by two references and an
# edge with a property.  Worker 1 to 300 also inspect it.  The plant "large" has 252.
import json

PARTS, WORKERS, INSPECTORS, OTHERS = 4000, 999, 300, 250
TEXT = {"type": "string"}
NAME = {"type": "string", "x-index": True}


def schema(title, **properties):
    return {"title": title, "type": "object", "x-id-field": "id", "x-label-field": "name", "additionalProperties": False,
            "required": ["id", "name"], "properties": {"id": TEXT, "name": NAME, **properties}}


def ref(target, relation):
    return {"type": "string", "x-ref": target, "x-relation": relation, "x-index": True}


kinds = ["Gear", "Bolt", "Valve", "Pump", "Shaft", "Flange", "Spring", "Gasket"]
parts = [{"id": f"p{i:04}", "name": f"{kinds[i % len(kinds)]} {i:04}", "plant": "main", "note": f"drawing {i}, " * 8} for i in range(1, PARTS + 1)]
parts += [{"id": f"z{i:03}", "name": f"Rotor {i:03}", "plant": "large"} for i in range(OTHERS)]
parts.append({"id": "zz", "name": "Gear of another plant", "plant": "large"})
workers = [{"id": f"w{i:03}", "name": f"Worker {i:03}", "plant": "main"} for i in range(1, WORKERS + 1)]
print(json.dumps({
    "bundle_name": "factory", "version": "1", "description": "A hub of 5,000 neighbours.",
    "schemas": [
        {"entity_type": "town", "schema": schema("Town")},
        {"entity_type": "plant", "schema": schema("Plant", town=ref("town", "IN_TOWN"))},
        {"entity_type": "part", "schema": schema("Part", plant=ref("plant", "MADE_AT"), note=TEXT)},
        {"entity_type": "worker", "schema": schema("Worker", plant=ref("plant", "WORKS_AT"))}],
    "relations": [{"name": "INSPECTS", "from": "worker", "to": "plant", "inverse": "INSPECTED_BY",
                   "schema": {"type": "object", "properties": {"year": {"type": "integer"}}}}],
    "entities": [
        {"entity_type": "town", "items": [{"id": "t-springfield", "name": "Springfield"}]},
        {"entity_type": "plant", "items": [{"id": "main", "name": "Main plant", "town": "t-springfield"}, {"id": "large", "name": "Large plant", "town": "t-springfield"}]},
        {"entity_type": "part", "items": parts}, {"entity_type": "worker", "items": workers}],
    "edges": [{"relation": "INSPECTS", "from": f"worker:w{i:03}", "to": "plant:main", "properties": {"year": 2000 + i % 25}} for i in range(1, INSPECTORS + 1)]}))
