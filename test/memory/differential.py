#!/usr/bin/env python3
"""The reference memory server and the toolset memory get the same calls.

    differential.py --server INDEX.js --kgctl KGCTL [--calls N] [--seed N]
    differential.py --server INDEX.js --kgctl KGCTL --writers N [--each N]

Both are real processes that speak MCP on their standard input and output; the
database is the one that PGDATABASE and so on name, KGCTL_TENANT's, empty.
Replies are compared where the reference's contract is clear; docs/memory.md
names the differences, and normalise() is where they are.  The second form has
writers add entities at the same time, and counts what is lost.
"""
import argparse
import json
import random
import re
import sys
import tempfile
import threading

from reference import Server


NAMES = ["Ada", "ada", "Bob", "Zoë", "two words", "a:b", "entity:x", "memory/entity:y", "'quote\"", "東京タワー",
         "İstanbul", "n" * 128, "under_score", "100%", "back\\slash", "новый"] + [f"name{i}" for i in range(40)]
TYPES = ["person", "Place", "two words", "ünïcode", "", "t" * 300]
RELATIONS = ["knows", "works_at", "", "is part of", "ÜBER", "r" * 512]
WORDS = ["tea", "coffee", "London", "1815", "x", "Ünïcode", "ÇASE", "naïve", "file.txt", "a_b", "日本語の文章", "Москва",
         "supercalifragilisticexpialidocious", "0123456789" * 12, "e-mail", "100%", "under_score", "O'Brien", "\t", "\n", "🙂"]


def text(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.choice([1, 1, 2, 4, 8, 60])))


def some(rng, make, most):
    return [make() for _ in range(rng.randrange(most))]


def distinct(items, key=lambda item: json.dumps(item, sort_keys=True)):
    """What is twice in a call is once with us, and twice with the reference."""
    seen = set()
    return [item for item in items if not (key(item) in seen or seen.add(key(item)))]


def part(rng, whole):
    start = rng.randrange(len(whole) or 1)
    return whole[start:start + rng.randrange(1, 12)]


def make_call(rng):
    name = lambda: rng.choice(NAMES)
    observations = lambda: distinct(some(rng, lambda: text(rng), 5))
    relation = lambda: {"from": name(), "to": name(), "relationType": rng.choice(RELATIONS)}
    kind = rng.randrange(20)
    if kind < 5:
        return "create_entities", {"entities": distinct(some(rng, lambda: {
            "name": name(), "entityType": rng.choice(TYPES), "observations": observations()}, 5), lambda e: e["name"])}
    if kind < 8:
        return "create_relations", {"relations": distinct(some(rng, relation, 6))}
    if kind < 11:
        return "add_observations", {"observations": distinct(some(rng, lambda: {
            "entityName": name(), "contents": observations()}, 3), lambda o: o["entityName"])}
    if kind == 11:
        return "delete_entities", {"entityNames": some(rng, name, 3)}
    if kind == 12:
        return "delete_observations", {"deletions": some(rng, lambda: {
            "entityName": name(), "observations": [rng.choice(WORDS) for _ in range(8)]}, 4)}
    if kind == 13:
        return "delete_relations", {"relations": some(rng, relation, 8)}
    if kind == 14:
        return "read_graph", {}
    if kind < 18:
        query = rng.choice([rng.choice(WORDS), part(rng, text(rng)), part(rng, rng.choice(NAMES)), rng.choice(TYPES)])
        query = rng.choice([query, query.upper(), query.lower()])
        # JavaScript makes two letters of the capital I with a dot, a locale one.
        return "search_nodes", {"query": "st" if "\u0307" in query.lower() else query}
    return "open_nodes", {"names": some(rng, name, 6)}


def normalise(tool, result):
    """What is to be the same: the structured reply, the text, the message of an error."""
    if result.get("isError"):
        body = result.get("structuredContent")
        return {"error": body["error"]["message"] if body else result["content"][0]["text"]}
    reply = result["structuredContent"]
    said = result["content"][0]["text"]
    if "message" in reply:
        # The reference says of what does not exist, too, that it was deleted.
        reply["message"] = re.sub("^(\\w+) (not deleted: none of them exists|deleted: \\d+ of \\d+; the others do not exist)$",
                                  "\\1 deleted successfully", reply["message"])
        return {"reply": reply, "text": reply["message"]}
    said = json.loads(said)
    if tool in ("read_graph", "search_nodes", "open_nodes"):
        # By name with us, as they came with the reference.
        for graph in (reply, said):
            graph["entities"].sort(key=lambda e: e["name"])
            graph["relations"].sort(key=lambda r: (r["from"], r["relationType"], r["to"]))
    return {"reply": reply, "text": said}


def found_by_words(tool, arguments, wanted, got):
    """Is this a search that finds nothing with the reference, and entities with a word of the query here?"""
    if tool != "search_nodes" or wanted["reply"]["entities"]:
        return False
    words = [w.lower() for w in re.findall(r"\w+", arguments["query"]) if len(w) >= 3]
    return all(any(w in json.dumps(e, ensure_ascii=False).lower() for w in words) for e in got["reply"]["entities"])


def compare(args, ours, reference):
    rng = random.Random(args.seed)
    for i in range(args.calls):
        tool, arguments = make_call(rng)
        wanted = normalise(tool, reference.call(tool, arguments))
        # Replies whole: what there is no room for is a difference of its own.
        room = {"max_bytes": 1000000} if tool in ("read_graph", "search_nodes", "open_nodes") else {}
        got = normalise(tool, ours.call(tool, {**arguments, **room}))
        if wanted != got and not found_by_words(tool, arguments, wanted, got):
            print(f"not ok - call {i} of seed {args.seed}: {tool} {json.dumps(arguments, ensure_ascii=False)}\n"
                  f"  reference {json.dumps(wanted, ensure_ascii=False)[:3000]}\n"
                  f"  ours      {json.dumps(got, ensure_ascii=False)[:3000]}")
            return False
    print(f"ok - {args.calls} calls of seed {args.seed}, every reply equal")
    return True


def lost(args, start):
    """How many of the entities that writers were told to have created are not there."""
    told = []

    def write(number):
        server = start()
        for i in range(args.each):
            name = f"w{number}-{i}"
            if not server.call("create_entities", {"entities": [
                    {"name": name, "entityType": "thing", "observations": [name]}]}).get("isError"):
                told.append(name)
        server.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(args.writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reader = start()
    there = {e["name"] for n in range(args.writers) for e in reader.call("open_nodes", {
        "names": [name for name in told if name.startswith(f"w{n}-")], **args.budget})["structuredContent"]["entities"]}
    reader.close()
    return len(told), len(set(told) - there)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--kgctl", required=True)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writers", type=int, default=0)
    parser.add_argument("--each", type=int, default=50)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="kg-memory.")
    reference = lambda: Server(["node", args.server], {"MEMORY_FILE_PATH": f"{folder}/memory.jsonl"})
    ours = lambda: Server([args.kgctl, "mcp"], {})
    if args.writers == 0:
        return 0 if compare(args, ours(), reference()) else 1
    args.budget = {"max_bytes": 1000000}
    told, gone = lost(args, ours)
    print(f"{'ok' if gone == 0 else 'not ok'} - {args.writers} writers: {gone} of {told} lost")
    args.budget = {}
    told, missing = lost(args, reference)
    print(f"# the reference: {missing} of {told} lost")
    return 0 if gone == 0 else 1


sys.exit(main())
