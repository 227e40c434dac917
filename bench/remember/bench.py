"""The toolset memory over 100,000 entities, and the reference server beside it.

The reference (npm @modelcontextprotocol/server-memory) is measured where
KG_NODE_MODULES names a folder that has it: the same entities in its file, the
same queries through its standard input and output.  Ours is kg_call_tool() in
the server, median of 7.  Where a query fills the reply, what it costs is the
reply (max_bytes, 32 kB by default); so each is measured with 16 kB, too.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from kgbench import TEMP, Report, Session, literal, make_tenant, scaled, \
    time_statement

HERE = os.path.dirname(os.path.abspath(__file__))
ENTITIES = scaled(100000, 2000)
CALL = 1000
QUERIES = ["person 77", "person %d" % (ENTITIES // 2), "london", "lives in",
           "nobody has this", "o", "zq", "?"]
CITIES = ["London", "Paris", "Berlin", "Rome"]


def entity(i):
    return {"name": "person %d" % i, "entityType": "person" if i % 3 else "company",
            "observations": ["knows about subject %d and %d" % (i * 7 % 5003, i * 13 % 4001),
                             "lives in %s since %d" % (CITIES[i % 4], 1900 + i % 120)]}


def load(report, admin, agent):
    root = os.path.dirname(os.path.dirname(HERE))
    subprocess.run([root + "/src/kgctl/kgctl", "memory", "init", "--quiet"],
                   check=True, env={**os.environ, "PGUSER": "agent"})
    begin = time.monotonic()
    for first in range(0, ENTITIES, CALL):
        arguments = json.dumps({"entities": [
            entity(i) for i in range(first, min(first + CALL, ENTITIES))]})
        failed = agent.value("SELECT kg_call_tool('create_entities', %s) ->> 'isError'"
                             % literal(arguments))
        if failed != "false":
            sys.exit("create_entities failed")
    report.figure("create_entities, %d to a call" % CALL,
                  ENTITIES / (time.monotonic() - begin), "entities/s")
    admin.query("VACUUM ANALYZE")


def ours(report, agent):
    report.section("ours: milliseconds of kg_call_tool()")
    for max_bytes in (None, 16384):
        told = "" if max_bytes is None else ", 16 kB"
        budget = {} if max_bytes is None else {"max_bytes": max_bytes}
        for query in QUERIES:
            report.figure("search_nodes %r%s" % (query, told), time_statement(
                agent, "SELECT length(kg_call_tool('search_nodes', %s)::text)"
                % literal(json.dumps({"query": query, **budget}))), "ms")
        report.figure("read_graph%s" % told, time_statement(
            agent, "SELECT length(kg_call_tool('read_graph', %s)::text)"
            % literal(json.dumps(budget))), "ms")
    agent.query("SELECT length(kg_call_tool('create_entities', %s)::text)" % literal(
        json.dumps({"entities": [{"name": "full", "entityType": "x", "observations": []}]})))
    report.figure("add_observations, 10,000 to one entity", time_statement(
        agent, "SELECT length(kg_call_tool('add_observations', jsonb_build_object('observations',"
        " jsonb_build_array(jsonb_build_object('entityName', 'full', 'contents', (SELECT"
        " jsonb_agg('fact ' || g) FROM generate_series(1, 10000) g)))))::text)", 1), "ms")
    report.figure("open_nodes of it", time_statement(
        agent, "SELECT length(kg_call_tool('open_nodes', '{\"names\": [\"full\"],"
        " \"max_bytes\": 1000000}')::text)"), "ms")


def reference(report):
    index = os.environ.get("KG_NODE_MODULES", "") + \
        "/@modelcontextprotocol/server-memory/dist/index.js"
    if not os.path.exists(index):
        report.note("the reference is not measured: KG_NODE_MODULES has it not")
        return
    report.section("the reference: milliseconds of a call, replies whole")
    path = os.path.join(TEMP, "reference.jsonl")
    with open(path, "w") as file:
        for i in range(ENTITIES):
            file.write(json.dumps({"type": "entity", **entity(i)}) + "\n")
    sys.path.insert(0, HERE + "/../../test/memory")
    from reference import Server
    server = Server(["node", index], {"MEMORY_FILE_PATH": path})
    calls = [("search_nodes", {"query": query}) for query in QUERIES] + [
        ("read_graph", {}), ("create_entities", {"entities": [entity(ENTITIES)]})]
    for tool, arguments in calls:
        took = []
        for _ in range(3):
            begin = time.monotonic()
            size = len(json.dumps(server.call(tool, arguments)))
            took.append(1000 * (time.monotonic() - begin))
        report.figure("%s %r, %d bytes" % (tool, arguments.get("query", ""), size),
                      statistics.median(took), "ms")
    server.close()
    os.remove(path)


def main():
    report = Report("remember: the toolset memory over %d entities" % ENTITIES)
    admin = Session()
    admin.query("CREATE ROLE agent LOGIN")
    make_tenant(admin, "t", "agent", "admin")
    agent = Session("agent")
    load(report, admin, agent)
    ours(report, agent)
    reference(report)
    report.end()


main()
