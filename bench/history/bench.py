#!/usr/bin/env python3
"""What a history of a million changes costs to read.

  bench/history/bench.py [--entities 10000] [--changes 100] [--busy 1000] [--calls 2000]

In the database of PGDATABASE, which has the extension: a tenant with entities that have
changed so often each, one of them `busy` times more.  Prints medians of the time of one
call, in microseconds: history_<type> of an entity, get_<type> and the same with as_of at
times with few and with all changes after them, a page of a list and with as_of after
which so many entities changed.
"""
import argparse
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "lib"))
from sessions import run  # noqa: E402

SETUP = r"""
SET client_min_messages = warning;
DO $$ BEGIN CREATE ROLE history_bench; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
SELECT FROM kg_create_tenant('history_bench');
SELECT FROM kg_grant('history_bench', 'history_bench', 'admin');
CREATE TABLE IF NOT EXISTS history_bench_times (what text, at text);
TRUNCATE history_bench_times;
GRANT SELECT, INSERT ON history_bench_times TO history_bench;
SET ROLE history_bench;
SELECT FROM kg_apply_bundle('{"bundle_name": "history-bench", "version": "1", "schemas": [{"entity_type": "thing", "schema": {"type": "object", "x-id-field": "id", "x-history": true,
  "x-label-field": "name", "x-tool-expose": ["list", "get", "history"], "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "n": {"type": "integer", "x-index": true}, "text": {"type": "string"}}}}]}');
"""
NOW = "INSERT INTO history_bench_times VALUES ('%s', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'));\n"
TIME = r"""
CREATE TEMP TABLE took (t float8);
DO $$
DECLARE
  began timestamptz;
BEGIN
  FOR i IN 1..%(calls)d LOOP
    began := clock_timestamp();
    PERFORM %(call)s;
    INSERT INTO took VALUES (extract(epoch FROM clock_timestamp() - began) * 1e6);
  END LOOP;
END $$;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM took;
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--entities", type=int, default=10000)
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--busy", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=500)
    options = parser.parse_args()
    _, errors = run(SETUP)
    assert "ERROR" not in errors, errors
    script = "SET ROLE history_bench;\n" + ("INSERT INTO kg_entity(bundle, entity_type, data) SELECT 'history-bench', 'thing', jsonb_build_object("
                                           "'id', 't' || i, 'name', 'Thing ' || i, 'n', i %% 1000, 'text', repeat('word ', 20)) FROM generate_series(1, %d) i;\n" % options.entities)
    script += NOW % "first"
    for i in range(options.changes - 1):
        script += "UPDATE kg_entity SET data = data || '{\"n\": %d}' WHERE entity_type = 'thing';\n" % (1000 + i)
    script = script[:script.rindex("UPDATE")] + NOW % "before_last_update" + script[script.rindex("UPDATE"):]
    script += NOW % "before_busy"
    script += "DO $$ BEGIN FOR i IN 1..%d LOOP UPDATE kg_entity SET data = data || jsonb_build_object('n', i) WHERE entity_type = 'thing' AND entity_id = 't7'; END LOOP; END $$;\n" % options.busy
    script += NOW % "hundred" + "UPDATE kg_entity SET data = data || '{\"n\": 5}' WHERE entity_type = 'thing' AND entity_id IN (SELECT 't' || 13 * i FROM generate_series(1, 100) i);\n" + NOW % "last"
    script += "RESET ROLE; VACUUM ANALYZE kg_entity; VACUUM ANALYZE kg_history; VACUUM ANALYZE kg_index_key;\n"
    began = time.time()
    _, errors = run(script)
    assert "ERROR" not in errors, errors
    output, _ = run("SELECT count(*) FROM kg_history WHERE tenant = 'history_bench';")
    print("%s changes, made in %.0f s" % (output.strip(), time.time() - began))
    output, _ = run("SELECT what || ' ' || at FROM history_bench_times;")
    at = dict(line.split() for line in output.split("\n") if line)
    def tool(name, arguments):
        return "kg_call_tool('%s_thing', '{%s}')" % (name, arguments)

    calls = [("history_<type>, 50 changes", tool("history", '"id": "t5"')), ("history_<type>, 1 change", tool("history", '"id": "t5", "limit": 1')),
             ("history_<type> of the busy one", tool("history", '"id": "t7"')), ("get_<type>", tool("get", '"ids": ["t5"]'))]
    calls += [("get as_of, %s" % what, tool("get", '"ids": ["%s"], "as_of": "%s"' % (i, at[when])))
              for what, i, when in (("nothing since", "t5", "last"), ("all but one change since", "t5", "first"), ("busy, all since", "t7", "first"), ("busy, %d since" % options.busy, "t7", "before_busy"))]
    listed = '%s"filters": {"n": {"gte": 100}}, "sort": [{"field": "n"}]'
    calls += [("list_<type>", tool("list", listed % "")), ("list as_of, nothing since", tool("list", listed % ('"as_of": "%s", ' % at["last"]))),
              ("list as_of, 100 entities since", tool("list", listed % ('"as_of": "%s", ' % at["hundred"]))),
              ("list as_of, all entities since", tool("list", listed % ('"as_of": "%s", ' % at["before_last_update"])))]
    for name, call in calls:
        medians = []
        for _ in range(3):
            output, errors = run("SET ROLE history_bench;\n" + TIME % {"calls": options.calls, "call": call})
            assert "ERROR" not in errors, errors
            medians.append(float(output.split()[-1]))
        print("%-40s %8.1f us" % (name, statistics.median(medians)))
    run("SELECT kg_drop_tenant('history_bench'); DROP TABLE history_bench_times;")


main()
