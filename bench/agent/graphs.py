"""The graphs that are asked about: as a bundle of kg_graph, and as plain tables.

A graph NAME is the tenant agent_NAME, read by the role of that name, and the
schema plain_NAME, which the role agent_sql reads: a table for each entity type,
one for each declared relation, columns of the types that the schemas declare,
and nothing of kg_graph."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
SQL_ROLE = "agent_sql"
TYPES = {"integer": "bigint", "number": "numeric", "boolean": "boolean", "array": "jsonb", "object": "jsonb"}
FORMATS = {"date": "date", "date-time": "timestamptz"}


def generated(program):
    return json.loads(subprocess.run([sys.executable, "-B", os.path.join(ROOT, "scripts", "data", program)],
                                     check=True, capture_output=True).stdout)


def office():
    with open(os.path.join(ROOT, "test", "data", "office.json"), encoding="utf-8") as file:
        return json.load(file)


GRAPHS = {"iso": lambda: generated("iso_bundle.py"), "wordnet": lambda: generated("wordnet_bundle.py"), "office": office}


def questions(graph):
    with open(os.path.join(HERE, "questions", graph + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def literal(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "'" + text.replace("'", "''") + "'"


def name(text):
    return '"%s"' % text.replace('"', '""')


# ---- psql ----

def run_sql(sql, role, check=True):
    """What psql prints; or its complaint where check is false: (good, text)."""
    done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-U", role], input=sql,
                          capture_output=True, encoding="utf-8", check=False)
    if check and done.returncode != 0:
        sys.exit("psql failed: " + done.stderr[:2000])
    return done.stdout.rstrip("\n") if check else (done.returncode == 0, (done.stdout or done.stderr).rstrip("\n"))


def sql_reply(graph, query):
    """What a tool that takes SQL answers: the rows as a JSON array of objects, without blanks; (good, text)."""
    good, text = run_sql("SET search_path = plain_%s; SET default_transaction_read_only = on; SET statement_timeout = '20s';\n"
                         "SELECT coalesce(json_agg(row_to_json(q)), '[]') FROM (%s) q;" % (graph, query.strip().rstrip(";")),
                         SQL_ROLE, check=False)
    return good, compact(json.loads(text)) if good else text


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---- plain tables ----

def column_type(schema):
    kind = schema.get("type", "string")
    kind = next((k for k in kind if k != "null"), "string") if isinstance(kind, list) else kind
    if kind == "array" and schema.get("items", {}).get("type", "string") == "string":
        return "text[]"
    return FORMATS.get(schema.get("format"), TYPES.get(kind, "text"))


def tables(bundle):
    """(name, columns, rows) of each plain table: of each type, then of each relation."""
    ids = {e["entity_type"]: e["items"] for e in bundle["entities"]}
    for entry in bundle["schemas"]:
        yield entry["entity_type"], {p: column_type(s) for p, s in entry["schema"]["properties"].items()
                                     if "x-derived" not in s}, ids.get(entry["entity_type"], [])
    for relation in {r["name"]: r for r in bundle.get("relations", [])}.values():
        columns = {p: column_type(s) for p, s in relation.get("schema", {}).get("properties", {}).items()}
        rows = [dict(e.get("properties", {}), source=e["from"].split(":", 1)[1], target=e["to"].split(":", 1)[1])
                for e in bundle["edges"] if e["relation"] == relation["name"]]
        yield relation["name"].lower(), dict({"source": "text", "target": "text"}, **columns), rows


def plain_sql(graph, bundle):
    sql = ["CREATE SCHEMA plain_%s; SET search_path = plain_%s;" % (graph, graph)]
    for table, columns, rows in tables(bundle):
        declared = ", ".join("%s %s" % (name(c), t) for c, t in columns.items())
        sql.append("CREATE TABLE %s (%s);" % (name(table), declared))
        sql.append("INSERT INTO %s SELECT * FROM jsonb_to_recordset(%s) AS x(%s);" % (name(table), literal(rows), declared))
        keys = [c for c in ("source", "target") if c in columns] or [next(iter(columns))]
        sql += ["CREATE INDEX ON %s (%s);" % (name(table), name(key)) for key in keys]
        sql.append("ANALYZE %s;" % name(table))
    sql.append("GRANT USAGE ON SCHEMA plain_%s TO %s; GRANT SELECT ON ALL TABLES IN SCHEMA plain_%s TO %s;"
               % (graph, SQL_ROLE, graph, SQL_ROLE))
    return "\n".join(sql)


def description(bundle):
    """The tables, as the tool that takes SQL describes them."""
    return "\n".join("%s(%s): %d rows" % (table, ", ".join("%s %s" % item for item in columns.items()), len(rows))
                     for table, columns, rows in tables(bundle))


# ---- loading ----

def load(graph, bundle, admin):
    tenant = "agent_" + graph
    roles = "".join("IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%s') THEN CREATE ROLE %s LOGIN; END IF; " % (role, role)
                    for role in (SQL_ROLE, tenant))
    run_sql("DO $$ BEGIN %sEND $$;\nSELECT kg_create_tenant('%s') IS NULL, kg_grant('%s', '%s', 'write') IS NULL;\n%s"
            % (roles, tenant, tenant, tenant, plain_sql(graph, bundle)), admin)
    run_sql("SELECT kg_apply_bundle(%s) IS NULL" % literal(bundle), tenant)
    run_sql("VACUUM ANALYZE", admin)
