"""What the benchmarks share: sessions through psql, timing inside the server,
medians and ratios, the machine.

A figure is the median of rounds taken one after the other in one run on one
machine; only ratios of figures of one run are compared with what is asked for.
"""
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time

SCALE = float(os.environ.get("KG_BENCH_SCALE", "1"))
TEMP = os.environ.get("KG_BENCH_TEMP", "/tmp")


def scaled(number, least=1):
    return max(least, int(number * SCALE))


def literal(text):
    """An SQL string literal."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def backend_cpu(pid):
    """Seconds that it has been on a processor."""
    with open("/proc/%d/schedstat" % pid) as file:
        return int(file.read().split()[0]) / 1e9


class Session:
    """A psql that stays connected as a role."""

    def __init__(self, role="postgres"):
        self.process = subprocess.Popen(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-U", role],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8")
        self.role = role
        self.pid = int(self.query("SELECT pg_backend_pid()")[0])

    def query(self, sql):
        """The rows of the last statements, a string each."""
        mark = "--end of reply--"
        self.process.stdin.write(sql.rstrip().rstrip(";") + "\n;\n\\echo "
                                 + mark + "\n")
        self.process.stdin.flush()
        rows = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == mark:
                return [row for row in rows if row != ""]
            rows.append(line)
        sys.exit("psql as %s ended: %s\nafter: %s"
                 % (self.role, "\n".join(rows[-5:]), sql[:500]))

    def value(self, sql):
        rows = self.query(sql)
        return rows[-1] if rows else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def memory(self, what="RssAnon"):
        """Bytes of the backend, from /proc."""
        with open("/proc/%d/status" % self.pid) as file:
            for line in file:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024
        return 0


    def cpu(self):
        return backend_cpu(self.pid)


class MemoryPeak:
    """The highest RssAnon of a session's backend while a block runs."""

    def __init__(self, session):
        self.session = session
        self.peak = self.start = session.memory()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.stop.wait(0.02):
            self.peak = max(self.peak, self.session.memory())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def time_calls(session, expression, calls, declare="", warm=20):
    """Microseconds of each call of an expression (i counts the calls) in a
    PL/pgSQL loop: (median, 99th percentile)."""
    session.query("""
CREATE OR REPLACE FUNCTION pg_temp.measure(n integer) RETURNS float8[]
LANGUAGE plpgsql AS $measure$
DECLARE
  t timestamptz; x text; took float8[] := '{}'; %s
BEGIN
  FOR i IN 1..n LOOP
    t := clock_timestamp();
    x := %s;
    took[i] := extract(epoch FROM clock_timestamp() - t) * 1e6;
  END LOOP;
  RETURN took;
END $measure$""" % (declare, expression))
    session.query("SELECT NULL FROM pg_temp.measure(%d)" % warm)
    row = session.value(
        "SELECT percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY t)"
        " FROM unnest(pg_temp.measure(%d)) t" % calls)
    return tuple(float(part) for part in row.strip("{}").split(","))


def cpu_calls(session, expression, calls, rounds=5):
    """Microseconds of processor time a call, in a PL/pgSQL loop: the median
    of rounds.  What other processes do on the machine does not count."""
    session.query("""
CREATE OR REPLACE FUNCTION pg_temp.repeat_calls(n integer) RETURNS void
LANGUAGE plpgsql AS $repeat$
DECLARE x text;
BEGIN
  FOR i IN 1..n LOOP x := %s; END LOOP;
END $repeat$""" % expression)
    session.query("SELECT NULL FROM pg_temp.repeat_calls(20)")
    each = max(1, calls // rounds)
    took = []
    for _ in range(rounds):
        before = session.cpu()
        session.query("SELECT NULL FROM pg_temp.repeat_calls(%d)" % each)
        took.append((session.cpu() - before) * 1e6 / each)
    return statistics.median(took)


class Client:
    """A connection of libpq that runs one prepared statement: what a call costs
    as a driver makes it, in processor time of the backend."""

    def __init__(self, role, sql, warm=20):
        self.pq = ctypes.CDLL("libpq.so.5")
        for name in ("PQconnectdb", "PQprepare", "PQexecPrepared"):
            getattr(self.pq, name).restype = ctypes.c_void_p
        self.connection = ctypes.c_void_p(self.pq.PQconnectdb(("user=" + role).encode()))
        self.check(self.pq.PQprepare(self.connection, b"", sql.encode(), 0, None))
        self.calls(warm)
        self.pid = self.pq.PQbackendPID(self.connection)

    def check(self, result):
        result = ctypes.c_void_p(result)
        if self.pq.PQresultStatus(result) not in (1, 2):
            sys.exit("a prepared statement of %s failed" % self.connection)
        self.pq.PQclear(result)

    def calls(self, n):
        for _ in range(n):
            self.check(self.pq.PQexecPrepared(self.connection, b"", 0, None, None, None, 0))

    def cpu_calls(self, n):
        """Microseconds a call."""
        before = backend_cpu(self.pid)
        self.calls(n)
        return (backend_cpu(self.pid) - before) * 1e6 / n


def cpu_statement(session, sql, rounds=7):
    """Milliseconds of processor time of a statement: the median."""
    took = []
    for _ in range(rounds):
        before = session.cpu()
        session.query(sql + "\n\\g /dev/null\n")
        took.append((session.cpu() - before) * 1000)
    return statistics.median(took)


def alternate(*measures, rounds=7):
    """The median of each measure (a function that takes it once), taken in
    turn: what disturbs the machine for a while disturbs all of them."""
    took = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(each) for each in zip(*took)]


def time_statement(session, sql, rounds=7, before=None):
    """Milliseconds of a statement, by the server's clock: the median."""
    took = []
    for _ in range(rounds):
        if before:
            session.query(before)
        rows = session.query(
            "SELECT clock_timestamp() AS t0 \\gset\n" + sql
            + "\n\\g /dev/null\nSELECT extract(epoch FROM clock_timestamp() - :'t0') * 1000")
        took.append(float(rows[-1]))
    return statistics.median(took)


def pgbench(role, script, seconds=3, mode="prepared", rounds=3):
    """(p50, p99) in microseconds of one client, the medians of rounds."""
    folder = os.path.join(TEMP, "pgbench")
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "script.sql")
    with open(file, "w") as out:
        out.write(script)
    halves, tails = [], []
    for _ in range(rounds):
        subprocess.run(
            ["pgbench", "-n", "-U", role, "-c", "1", "-M", mode, "-f", file,
             "-T", str(max(1, int(seconds * min(1, SCALE * 2)))), "-l",
             "--log-prefix", os.path.join(folder, "log"),
             os.environ["PGDATABASE"]],
            check=True, capture_output=True)
        took = []
        for name in os.listdir(folder):
            if name.startswith("log."):
                with open(os.path.join(folder, name)) as log:
                    took += [int(line.split()[2]) for line in log]
                os.unlink(os.path.join(folder, name))
        took.sort()
        halves.append(took[len(took) // 2])
        tails.append(took[len(took) * 99 // 100])
    return statistics.median(halves), statistics.median(tails)


# A ratio may be worse than that of the last release by a tenth.
WORSE = 1.1


def name_of_bench():
    return os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0])))


def released_ratios():
    """Of this benchmark, by section and name; ratios of other sizes are others."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "released.json")
    if SCALE != 1 or not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)["ratios"].get(name_of_bench(), {})


class Report:
    """Prints figures and ratios; remembers whether a required one is missed, or is
    worse than that of the last release (bench/released.json)."""

    def __init__(self, title):
        self.failed = 0
        self.released = released_ratios()
        self.began = time.monotonic()
        self.current = ""
        print("\n== %s ==\n%s" % (title, machine()), flush=True)

    def note(self, text):
        print(text, flush=True)

    def section(self, text):
        self.current = text
        print("\n-- %s (after %.0f s)" % (text, seconds_since(self.began)),
              flush=True)

    def figure(self, what, value, unit):
        print("  %-66s %12s %s" % (what, human(value), unit), flush=True)
        self.raw(what=what, value=value, unit=unit)

    def ratio(self, what, ours, theirs, required, goal, faster=False):
        """ours to theirs; faster: how many times faster ours is."""
        self.judge(what, theirs / ours if faster else ours / theirs, required, goal, faster, ours, theirs)

    def rate(self, what, ours, theirs, required, goal):
        """Of two rates, where more is better."""
        self.judge(what, ours / theirs, required, goal, True, ours, theirs)

    def judge(self, what, ratio, required, goal, more, ours, theirs):
        """Against what is required, and against what the last release had."""
        def reaches(bar):
            return ratio >= bar if more else ratio <= bar

        released = self.released.get(self.current + ": " + what)
        worse = released and not reaches(released / WORSE if more else released * WORSE)
        self.failed += not reaches(required) or bool(worse)
        print("  %-66s %11.2fx  required %s %gx, goal %gx: %s%s"
              % (what, ratio, ">=" if more else "<=", required, goal,
                 "goal reached" if reaches(goal) else "ok" if reaches(required) else "MISSED",
                 ", WORSE than released: %.2fx" % released if worse else ""), flush=True)
        self.raw(what=what, ratio=ratio, required=required, goal=goal, more=more,
                 good=reaches(required), ours=ours, theirs=theirs)

    def bound(self, what, value, required, unit):
        good = value <= required
        self.failed += not good
        print("  %-66s %12s %s  required <= %s: %s"
              % (what, human(value), unit, human(required),
                 "ok" if good else "MISSED"), flush=True)
        self.raw(what=what, value=value, required=required, unit=unit)

    def raw(self, **figures):
        with open(os.path.join(TEMP, "raw.jsonl"), "a") as file:
            file.write(json.dumps(dict(bench=name_of_bench(), section=self.current, **figures)) + "\n")

    def end(self):
        sys.exit(1 if self.failed else 0)


def human(value):
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return format(value, ",")
    return "%.3f" % value if value < 10 else "%.1f" % value


def machine():
    model = "?"
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    model = line.split(":")[1].strip()
                    break
    except OSError:
        pass
    version = subprocess.run(["postgres", "--version"], capture_output=True,
                             text=True).stdout.strip()
    return "%s, %d cores; Linux %s; %s; load %.2f; scale %g" % (
        model, os.cpu_count(), platform.release(), version,
        os.getloadavg()[0], SCALE)


# ---------------------------------------------------------------- data

BUNDLE = {
    "bundle_name": "bench",
    "version": "1",
    "schemas": [
        {"entity_type": "brand", "schema": {
            "type": "object", "x-id-field": "id", "x-label-field": "name",
            "properties": {"id": {"type": "string"},
                           "name": {"type": "string"}},
            "required": ["id", "name"], "additionalProperties": False}},
        {"entity_type": "product", "schema": {
            "type": "object", "x-id-field": "id", "x-label-field": "name",
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9]+$"},
                "name": {"type": "string", "minLength": 1},
                "brand": {"type": "string", "x-index": True,
                          "x-ref": "brand", "x-relation": "MADE_BY"},
                "tier": {"type": "string", "x-index": True,
                         "enum": ["premium", "standard", "basic"]},
                "score": {"type": "integer", "minimum": 0, "x-index": True},
                "price": {"type": "number", "x-index": True},
                "added": {"type": "string", "format": "date",
                          "x-index": True},
                "text": {"type": "string"}},
            "required": ["id", "name", "brand", "tier", "score"],
            "additionalProperties": False}},
    ],
}
BRANDS = 200

# A product as SQL: n is its number.  Knuth's multiplier scatters the values.
PRODUCT_SQL = """jsonb_build_object(
  'id', n::text,
  'name', 'Product ' || n,
  'brand', 'br' || (n::bigint * 2654435761 %% 4294967296 / 8 %% 200),
  'tier', (ARRAY['premium', 'standard', 'basic'])[1 + n::bigint * 40503 %% 65536 %% 3],
  'score', n::bigint * 2654435761 %% 1000003 %% 10000,
  'price', (n::bigint * 7919 %% 100000) / 100.0,
  'added', to_char(date '2015-01-01' + (n::bigint * 31 %% 4000)::integer, 'YYYY-MM-DD'),
  'text', repeat('lorem ipsum ', 1 + n %% 12))""".replace("%%", "%")


def bundle_sql(products):
    """An expression: the bundle with that many products."""
    return """%s::jsonb || jsonb_build_object('entities', jsonb_build_array(
  jsonb_build_object('entity_type', 'brand', 'items',
    (SELECT jsonb_agg(jsonb_build_object('id', 'br' || b, 'name', 'Brand ' || b))
       FROM generate_series(0, %d) b)),
  jsonb_build_object('entity_type', 'product', 'items',
    (SELECT jsonb_agg(%s ORDER BY n) FROM generate_series(1, %d) n))))""" % (
        literal(json.dumps(BUNDLE)), BRANDS - 1, PRODUCT_SQL, products)


def make_tenant(admin, tenant, role, access="write"):
    admin.query("SELECT kg_create_tenant(%s)" % literal(tenant))
    grant(admin, tenant, role, access)


def grant(admin, tenant, role, access):
    admin.query("SELECT NULL FROM kg_grant(%s, %s, %s)"
                % (literal(tenant), literal(role), literal(access)))


def seconds_since(start):
    return time.monotonic() - start
