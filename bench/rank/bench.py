"""rank_related on WordNet: how long it takes, in processor time; its ten best beside
those of power iteration over all of the graph; and ten rounds of power iteration
in SQL over plain tables without row-level security, which is what it stands for."""
import json
import os
import random
import statistics
import subprocess
import sys

from kgbench import TEMP, Report, Session, cpu_statement, make_tenant, scaled

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "graph"))
from data import apply_text, wordnet_text  # noqa: E402

SEEDS = scaled(200, 10)
DAMPING = 0.85
PLAIN = """
CREATE TABLE step AS SELECT source AS a, target AS b FROM kg_edge UNION ALL SELECT target, source FROM kg_edge WHERE source <> target;
CREATE TABLE degree AS SELECT a, count(*)::float8 AS n FROM step GROUP BY a;
CREATE INDEX ON step(a); CREATE UNIQUE INDEX ON degree(a); VACUUM ANALYZE step, degree;
CREATE FUNCTION plain_rank(seed bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMP TABLE score AS SELECT seed AS node, 1::float8 AS s;
  FOR i IN 1..10 LOOP
    CREATE TEMP TABLE fresh AS SELECT node, sum(s) AS s FROM (
      SELECT seed AS node, 0.15::float8 AS s UNION ALL
      SELECT step.b, 0.85 * score.s / degree.n FROM score JOIN degree ON degree.a = score.node JOIN step ON step.a = score.node) x GROUP BY node;
    DROP TABLE score;
    ALTER TABLE fresh RENAME TO score;
  END LOOP;
  RETURN ARRAY(SELECT node FROM score ORDER BY s DESC LIMIT 10);
END $$;
"""


def exact(bundle, seeds):
    """Of each seed, the ids of its ten best, and of those that tie with them."""
    power = os.path.join(TEMP, "power")
    subprocess.run(["cc", "-std=c99", "-O2", "-o", power, os.path.join(HERE, "power.c"), "-lm"], check=True)
    number = {item["id"]: i for i, item in enumerate(i for e in bundle["entities"] for i in e["items"])}
    names = list(number)

    def end(handle):
        return number[handle.split(":", 1)[1]]

    lines = ["%d %d" % (len(names), len(bundle["edges"]))]
    lines += ["%d %d" % (end(e["from"]), end(e["to"])) for e in bundle["edges"]]
    lines += [str(number[s]) for s in seeds]
    out = subprocess.run([power, str(DAMPING)], check=True, text=True, input="\n".join(lines), capture_output=True).stdout
    return [[names[int(i)] for i in line.split()] for line in out.splitlines()]


def main():
    report = Report("rank_related: WordNet, %d seeds" % SEEDS)
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN")
    make_tenant(admin, "wordnet", "loader")
    loader = Session("loader")
    text = wordnet_text()
    bundle = json.loads(text)
    apply_text(loader, "wordnet", text)
    admin.query("VACUUM ANALYZE")
    linked = sorted({e[k].split(":", 1)[1] for e in bundle["edges"] for k in ("from", "to")})
    seeds = random.Random(7).sample(linked, SEEDS)
    took, same, left = [], 0, []
    for seed, best in zip(seeds, exact(bundle, seeds)):
        call = "kg_rank('%s')" % json.dumps({"seeds": ["synset:" + seed], "limit": 10, "columns": ["pos"]}).replace("'", "''")
        took.append(cpu_statement(loader, "SELECT " + call, rounds=3))
        reply = json.loads(loader.value("SELECT " + call))
        left.append(reply["residual"])
        told = [r["node"].split(":", 1)[1] for r in reply["ranked"]]
        same += all(node in best for node in told)
    report.figure("residual, the highest", max(left), "")
    report.figure("a call, the slowest", max(took), "ms")
    report.bound("a call, the median", statistics.median(took), 20, "ms")
    report.rate("seeds whose ten best are those of power iteration", same, SEEDS, .95, 1)
    admin.query(PLAIN)
    plain = []
    for seed in seeds[:5]:
        node = admin.value("SELECT node FROM kg_entity WHERE entity_id = '%s'" % seed.replace("'", "''"))
        plain.append(cpu_statement(admin, "DROP TABLE IF EXISTS score; SELECT plain_rank(%s)" % node, rounds=3))
    report.figure("ten rounds in SQL, the median", statistics.median(plain), "ms")
    report.ratio("ours faster than ten rounds in SQL", statistics.median(took), statistics.median(plain), 5, 20, faster=True)
    report.end()


if __name__ == "__main__":
    main()
