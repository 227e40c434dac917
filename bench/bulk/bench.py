"""Ten million entities and ten million edges by kgctl load: how long, how much
memory of both sides, and whether the last million is as fast as the first.

An entity has some 200 bytes, a name that is searched and one indexed property.
In the middle of each load Ctrl-C ends it, and --resume goes on: as many rows are
there in the end as the file has, none twice.
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from kgbench import TEMP, Report, Session, backend_cpu, make_tenant, scaled  # noqa: E402

ROWS = scaled(10_000_000, 40_000)
PART = ROWS // 10
BATCH = 5000
TEXT = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore "
BUNDLE = """{"bundle_name": "bulk", "version": "1", "schemas": [{"entity_type": "item", "schema": {"type": "object",
  "x-id-field": "id", "x-label-field": "name", "properties": {"id": {"type": "string"}, "name": {"type": "string"},
  "score": {"type": "integer", "x-index": true}, "text": {"type": "string"}}, "required": ["id", "name"], "additionalProperties": false}}],
  "relations": [{"name": "LINKS", "from": "item", "to": "item"}], "entities": []}"""


def scattered(n):
    return n * 2654435761 % 4294967296


def write_files(items, links):
    with open(items, "w") as file:
        file.write("id,name,score,text\n")
        for n in range(ROWS):
            file.write("item-%d,Item %d of %d,%d,%s\n" % (n, scattered(n) % 100000, n % 1000, scattered(n) % 10000, TEXT))
    with open(links, "w") as file:
        file.write("from,to\n")
        for n in range(ROWS):
            file.write("item-%d,item-%d\n" % (n, scattered(n * 31 + 7) % ROWS))


def memory(pid, what):
    try:
        with open("/proc/%d/status" % pid) as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what + ":"))
    except (OSError, StopIteration):
        return 0


class Load:
    """One file; when how many rows were there, and the highest memory."""

    def __init__(self, admin, arguments):
        self.admin = admin
        self.arguments = arguments
        self.marks = {}
        self.spent = self.cpu = 0
        self.ours = self.theirs = 0

    def rows(self):
        return BATCH * int(self.admin.value("SELECT coalesce(max(batch), 0) FROM kg_load WHERE load LIKE '%%%s%%'"
                                            % os.path.basename(self.arguments[-1])) or 0)

    def run(self, until=None, *more):
        """Until so many rows are there, then Ctrl-C; the exit status."""
        began = time.monotonic()
        process = subprocess.Popen(["kgctl", "load", *self.arguments[:-1], *more, "--batch", str(BATCH), self.arguments[-1]],
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   env=dict(os.environ, PGUSER="loader", KGCTL_TENANT="bulk"))
        backend = 0
        while process.poll() is None:
            backend = backend or int(self.admin.value("SELECT pid FROM pg_stat_activity WHERE application_name = 'kgctl'") or 0)
            self.ours = max(self.ours, memory(process.pid, "RssAnon"))
            if backend:
                self.theirs = max(self.theirs, memory(backend, "RssAnon"))
                try:
                    cpu = backend_cpu(backend)
                except OSError:
                    pass
            rows = self.rows()
            for mark in (PART, ROWS - PART):
                if rows >= mark:
                    self.marks.setdefault(mark, self.spent + time.monotonic() - began)
            if until and rows >= until:
                process.send_signal(signal.SIGINT)
                until = None
            time.sleep(0.2)
        self.spent += time.monotonic() - began
        self.cpu += cpu
        return process.returncode


def load(report, admin, what, arguments, table):
    report.section("%d %s" % (ROWS, what))
    report.figure("the file", os.path.getsize(arguments[-1]) >> 20, "MB")
    one = Load(admin, arguments)
    stopped = one.run(ROWS // 2)
    there = int(admin.value("SELECT count(*) FROM %s WHERE tenant = 'bulk'" % table))
    report.figure("after Ctrl-C in the middle, exit status %d" % stopped, there, "rows")
    ended = one.run(None, "--resume")
    if stopped != 130 or ended != 0:
        raise SystemExit("kgctl load: exit status %d, then %d" % (stopped, ended))
    there = int(admin.value("SELECT count(*) FROM %s WHERE tenant = 'bulk'" % table))
    report.bound("rows too many or too few after --resume", abs(there - ROWS), 0, "")
    report.figure("both together", one.spent, "s")
    report.figure("a second", int(ROWS / one.spent), "rows")
    report.figure("processor time of the backend, a row", one.cpu / ROWS * 1e6, "us")
    first, last = one.marks[PART], one.spent - one.marks[ROWS - PART]
    report.figure("the first tenth, a second", int(PART / first), "rows")
    report.figure("the last tenth, a second", int(PART / last), "rows")
    report.ratio("the last tenth to the first", last, first, 1.5, 1.2)
    report.bound("highest private memory of kgctl (RssAnon)", one.ours >> 20, 64, "MB")
    report.bound("and of the backend", one.theirs >> 20, 400, "MB")
    report.figure("the table and its indexes", int(admin.value("SELECT pg_total_relation_size('%s')" % table)) >> 20, "MB")


def main():
    report = Report("bulk: %d entities, %d edges" % (ROWS, ROWS))
    admin = Session()
    admin.query("CREATE ROLE loader LOGIN")
    make_tenant(admin, "bulk", "loader")
    loader = Session("loader")
    loader.query("SELECT NULL FROM kg_apply_bundle('%s')" % BUNDLE)
    items, links = os.path.join(TEMP, "items.csv"), os.path.join(TEMP, "links.csv")
    write_files(items, links)
    load(report, admin, "entities", ["--type", "item", items], "kg_entity")
    load(report, admin, "edges", ["--relation", "LINKS", links], "kg_edge")
    report.section("and then")
    loader.query("SELECT kg_get('item', 'item-%d') ->> 'name'" % (ROWS - 1))
    report.figure("the database", int(admin.value("SELECT pg_database_size(current_database())")) >> 20, "MB")
    for path in (items, links):
        os.unlink(path)
    report.end()


main()
