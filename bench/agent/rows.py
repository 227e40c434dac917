"""Reading the text of a result in rows (docs/mcp.md), to see that it says what the reply says."""
import json

HOLDERS = ("data", "properties", "metadata")


def told_objects(array):
    """What rows tell (docs/mcp.md): a dict for each, of what is neither null nor missing."""
    if not array or not isinstance(array[0], list):
        return [flat_object(one) for one in array]
    names, *rows = array
    same = {k: v for name in names if isinstance(name, dict) for k, v in name.items()}
    names = [name for name in names if isinstance(name, str)]
    return [{k: v for k, v in dict(same, **dict(zip(names, row))).items() if v is not None} for row in rows]


def flat_object(one):
    """An object as rows have it, but for names that are there twice."""
    result = {}
    for key, value in one.items():
        if key == "matched_on" and "passage" in value:
            result.update({k: v for k, v in value.items() if k in ("property", "passage")})
        elif key in HOLDERS and isinstance(value, dict):
            result.update({k if k not in one else key + "." + k: v for k, v in value.items()})
        else:
            result[key] = value
    return {k: v for k, v in result.items() if v is not None}


def handle_of(end):
    return "%s:%s" % (end["type"], end["id"]) if isinstance(end, dict) and set(end) == {"type", "id"} else end


def shown_path(path):
    shown = []
    for i, step in enumerate(path):
        if isinstance(step, dict):
            step = {k: handle_of(v) if k in ("from", "to") else v for k, v in step.items()}
            if set(step) == {"type", "from", "to"}:
                step = ("-%s->" if step["from"] == path[i - 1] else "<-%s-") % step["type"]
        shown.append(step)
    return shown


def joined_rows(reply):
    """The rows of a traversal, each with the properties of its nodes and edges; None if a step has several edges or none."""
    nodes = {handle_of({k: n[k] for k in ("type", "id")}): n.get("properties", {}) for n in reply["nodes"]}
    ids = {p for n in reply["nodes"] for p, v in n.get("properties", {}).items() if v != n["id"]}
    edges = [dict(e, **{"from": handle_of(e["from"]), "to": handle_of(e["to"])}) for e in reply["edges"]]
    ends = [list(zip(row, row[1:])) for row in reply["rows"]]
    result = []
    for row, pairs in zip(reply["rows"], ends):
        number = "" if len(pairs) == 1 else "%d"
        one = {"from": row[0], **{"from." + k: v for k, v in nodes[row[0]].items() if k in ids}}
        for i, (start, end) in enumerate(pairs):
            step = number and number % (i + 1)
            all_there = all(any((e["from"], e["to"]) == p[i] for e in edges) for p in ends)
            all_back = all(any((e["to"], e["from"]) == p[i] for e in edges) for p in ends)
            found = [e for e in edges if (e["from"], e["to"]) == (start, end) and (all_there or not all_back)]
            found += [e for e in edges if (e["to"], e["from"]) == (start, end) and not all_there]
            if len(found) != 1 or (all_there and all_back):
                return None
            edge = found[0]
            arrow = edge["type"] if "depth" in edge else ("-%s->" if edge["from"] == start else "<-%s-") % edge["type"]
            one.update({"edge" + step: arrow, "to" + step: end, "depth" + step: edge.get("depth")})
            one.update({"edge%s.%s" % (step, k): v for k, v in edge.get("properties", {}).items()})
            one.update({"to%s.%s" % (step, k): v for k, v in nodes[end].items() if k in ids})
        result.append({k: v for k, v in one.items() if v is not None})
    return result


def without_prefix(one):
    """data.x and x alike: whether a name is there twice is decided for all rows."""
    return {k.split(".", 1)[1] if k.split(".", 1)[0] in HOLDERS and "." in k else k: v for k, v in one.items()}


def says_the_same(text, reply):
    """Is what a text in rows leaves out only what goes without saying?"""
    rows = text.get("rows")
    joined = "edges" in reply and "edges" not in text and bool(rows) and "from" in str(rows[0])
    if joined and told_objects(rows) != joined_rows(reply):
        return False
    for key, value in reply.items():
        told = text.get(key)
        if joined and key in ("rows", "nodes", "edges"):
            continue
        if key in ("limit", "offset", "next", "counts", "returned") or (key == "truncated" and not value) or value == []:
            continue
        if key in ("reason", "highest_limit") and told is None:
            if reply.get("reason") != "limit":
                return False
        elif key == "total" and told is None:
            if value != 1:
                return False
        elif key == "nodes" and told is None:
            handles = json.dumps([reply.get("rows"), reply.get("paths")], ensure_ascii=False)
            if not all(json.dumps("%s:%s" % (n["type"], n["id"]), ensure_ascii=False) in handles for n in value):
                return False
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            objects = [flat_object(one) for one in value]
            if key == "edges":
                objects = [{k: handle_of(v) if k in ("from", "to") else v for k, v in one.items()} for one in objects]
            if key == "paths":
                objects = [dict(one, path=shown_path(one["path"])) for one in objects]
            read = told_objects(told)
            # The property that is the id may be left out.
            kept = [{k: v for k, v in one.items() if k in said or k == "id" or k != "matched_on" and v != one.get("id")}
                    for one, said in zip(map(without_prefix, objects), map(without_prefix, read))]
            if len(read) != len(objects) or kept != list(map(without_prefix, read)):
                return False
        elif told != value:
            return False
    return True
