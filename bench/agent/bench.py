"""What a model reads and sends to answer the questions, by the compact tools and by SQL
over plain tables; and the lists of tools that it carries meanwhile.  No model takes part:
the calls are those that test/agent checks."""
import os
import statistics
import sys

from kgbench import Report

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from coverage import TEXTS, cover, ratio  # noqa: E402
from graphs import GRAPHS, description, load, run_sql  # noqa: E402

TOOLSETS = ("compact", "graph", "bfs", "catalog")
SPREAD = 30  # questions of a conversation that has the list


def list_bytes(graph, toolset):
    return int(run_sql("SET kg_graph.toolsets = '%s'; SELECT sum(octet_length(t::text)) FROM jsonb_array_elements(kg_list_tools()) t"
                       % toolset, "agent_" + graph))


def main():
    report = Report("agent: questions, calls and bytes")
    every = []
    for graph, make in GRAPHS.items():
        bundle = make()
        load(graph, bundle, os.environ.get("PGUSER", "postgres"))
        covered = list(cover(graph))
        every += covered
        report.section("%s: %d questions" % (graph, len(covered)))
        report.figure("calls of a question", sum(c["calls"] for c in covered) / len(covered), "")
        report.figure("bytes of the SQL replies", sum(c["sql_bytes"] for c in covered), "")
        for text in TEXTS:
            report.figure("bytes of the tools' text (%s), to those" % text, ratio(covered, text), "x")
        for toolset in TOOLSETS:
            report.figure("list of the toolset " + toolset, list_bytes(graph, toolset), "bytes")
        tables = len(description(bundle).encode())
        report.figure("list of the tables", tables, "bytes")
        for text in TEXTS:
            each = statistics.mean(c["bytes"][text] for c in covered) + list_bytes(graph, "compact") / SPREAD
            by_sql = statistics.mean(c["sql_bytes"] for c in covered) + tables / SPREAD
            report.figure("of %d questions, with the list, a question (%s), to SQL" % (SPREAD, text), each / by_sql, "x")
    report.section("all")
    report.bound("calls of a question", sum(c["calls"] for c in every) / len(every), 1.2, "")
    report.figure("bytes of the tools' text (on), to SQL's", ratio(every, "on"), "x")
    report.bound("bytes of the tools' text (auto), to SQL's", ratio(every, "auto"), 1.0, "x")
    report.rate("questions answered as they should be", sum(c["right"] for c in every), len(every), 1, 1)
    report.end()


if __name__ == "__main__":
    main()
