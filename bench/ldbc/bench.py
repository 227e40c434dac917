"""LDBC's Social Network Benchmark, Interactive, over its example data: the 21 reads by calls of tools, beside SQL over
plain tables with indexes on every key and row security by tenant: processor time of the server, in turn, of an
ordinary role, each reply as JSON. Both must give the same rows. Then the updates, which are timed only.

KG_LDBC names the folder of the data, with static/, dynamic/ and update_streams/, or an archive of it (test-data of
github.com/ldbc/ldbc_snb_interactive_v1_impls, Apache 2.0). KG_LDBC_COPIES=10 has the dynamic part ten times, each
with ids of its own; places, tags and organisations are shared. KG_LDBC_ONLY="IC3 IC4" runs only these reads."""
import csv
import datetime
import json
import os
import random
import subprocess
from collections import Counter, defaultdict

from data import RELATIONS, TABLES, TYPES, Data, bundle, instant_of, plain_edges, plain_rows, whole, write_files
from kgbench import TEMP, Report, Session, alternate, literal, make_tenant, scaled
from reads import READS

FOLDER = os.environ.get("KG_LDBC")
COPIES = int(os.environ.get("KG_LDBC_COPIES", "1"))
ONLY = os.environ.get("KG_LDBC_ONLY", "").split()
MOST_BYTES = 4000000
SETS = scaled(12, 2)
UPDATES = scaled(2000, 50)


class Tools:
    """The calls of an agent; counts them."""

    def __init__(self, session):
        self.session = session
        self.calls = 0

    def ask(self, sql):
        self.calls += 1
        return json.loads(self.session.value("SELECT " + sql))

    def get(self, entity_type, entity_id):
        return self.ask("kg_get(%s, %s)" % (literal(entity_type), literal(entity_id)))

    def call(self, tool, *arguments):
        arguments = arguments[:-1] + (dict(arguments[-1], max_bytes=MOST_BYTES),)
        return self.ask("kg_%s(%s)" % (tool, ", ".join(literal(a if isinstance(a, str) else json.dumps(a)) for a in arguments)))

    def pages(self, tool, arguments):
        while arguments:
            reply = self.call(tool, arguments)
            yield reply
            if reply["truncated"] and "next" not in reply:
                raise SystemExit("a reply of %s has no next page: %s" % (tool, json.dumps(arguments)))
            arguments = reply.get("next") if reply["truncated"] else None

    def rows(self, tool, arguments):
        return [row for reply in self.pages(tool, arguments) for row in reply["rows"]]


def sql_value(value):
    return literal(value) if isinstance(value, str) and not value.isdigit() else str(value)


def reference(session, sql, parameters):
    for key, value in parameters.items():
        sql = sql.replace("{%s}" % key, sql_value(value))
    return [list(json.loads(row).values()) for row in session.query("SELECT row_to_json(reply) FROM (%s) reply" % sql)]


def plain(value):
    """Numbers, instants and texts of both sides in one form."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, str) and value.isdigit():
        return int(value)
    if isinstance(value, str) and len(value) > 18 and value[4] == "-" and value[10] == "T":
        return round(datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp(), 3)
    return value


class Parameters:
    """Values of parameters, drawn by a fixed seed."""

    def __init__(self, data):
        used = Counter(tag for message in data.entities["message"] for tag in message.get("tags", []))
        names = {tag["id"]: tag["name"] for tag in data.entities["tag"]}
        classes = {tag["id"]: tag["hasType"] for tag in data.entities["tag"]}
        common = sorted(used, key=lambda tag: (-used[tag], tag))[:60]
        countries = {place["id"]: place["name"] for place in data.entities["place"]}
        written = Counter(message["place"] for message in data.entities["message"])
        own = sorted({row[0] for row in data.edges["KNOWS"]})
        self.values = {
            "person": own, "other": own, "message": [entity["id"] for entity in data.entities["message"]],
            "answered": sorted({entity["replyOf"] for entity in data.entities["message"] if "replyOf" in entity}),
            "name": [name for name, _ in Counter(entity["firstName"] for entity in data.entities["person"]).most_common(30)],
            "tag": [names[tag] for tag in common],
            "class": sorted({c["name"] for c in data.entities["tagclass"] if c["id"] in {classes[tag] for tag in common}} | {"Person", "Thing", "MusicalWork", "Agent"}),
            "x": [countries[place] for place, _ in written.most_common(12)], "days": [28, 100, 200], "month": list(range(1, 13)), "year": list(range(2000, 2013)),
        }
        self.values["country"] = self.values["y"] = self.values["x"]
        home = {person["id"]: person["place"] for person in data.entities["person"]}
        above = {place["id"]: place.get("partOf") for place in data.entities["place"]}
        abroad = defaultdict(set)
        for message in data.entities["message"]:
            if message["place"] != above[home[message["creator"]]]:
                abroad[message["creator"]].add(countries[message["place"]])
        # Few authors wrote in two countries that are not their own.
        self.pairs = sorted({(x, y) for found in abroad.values() for x in found for y in found if x < y})

    def draw(self, name, kinds):
        chance = random.Random(name)
        sets = []
        while len(sets) < SETS:
            one = {kind: "2010-%02d-%02d" % (chance.randint(3, 12), chance.randint(1, 28)) if kind == "day" else chance.choice(self.values[kind]) for kind in kinds}
            if "x" in one and len(sets) % 4:
                one.update(zip("xy", chance.choice(self.pairs)), day="2010-01-01", days=365)
            if one.get("x", 0) != one.get("y", 1) and one.get("person", 0) != one.get("other", 1):
                sets.append(one)
        return sets


def load(admin, data):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN; CREATE SCHEMA plain; GRANT USAGE ON SCHEMA plain TO loader, reader")
    make_tenant(admin, "snb", "loader")
    admin.query("SELECT NULL FROM kg_grant('snb', 'reader', 'read')")
    folder = os.path.join(TEMP, "snb")
    write_files(data, folder)
    loader = Session("loader")
    loader.query("SELECT NULL FROM kg_apply_bundle(%s)" % literal(json.dumps(bundle())))
    loader.close()
    environment = dict(os.environ, PGUSER="loader", KGCTL_TENANT="snb")
    for name in list(TYPES) + [relation[0] for relation in RELATIONS]:
        kind = "--type" if name in TYPES else "--relation"
        subprocess.run(["kgctl", "load", kind, name, os.path.join(folder, name + ".ndjson")], env=environment, check=True, capture_output=True)
    loader = Session("loader")
    loader.query("SELECT kg_pack()")
    loader.close()
    for name, (columns, keys) in TABLES.items():
        admin.query("CREATE TABLE plain.%s (tenant text COLLATE \"C\" DEFAULT 'snb', %s)" % (name, columns))
        admin.query("\\copy plain.%s FROM '%s' CSV" % (name, os.path.join(folder, name + ".csv")) + "\nSELECT 1")
        for key in keys.split():
            admin.query("CREATE INDEX ON plain.%s (tenant, %s)" % (name, key))
        admin.query("ALTER TABLE plain.{0} ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON plain.{0} USING (tenant = current_setting('plain.tenant')); GRANT SELECT, INSERT ON plain.{0} TO reader, loader".format(name))
    admin.query("VACUUM ANALYZE")


def processor(session, work):
    before = session.cpu()
    work()
    return (session.cpu() - before) * 1000


def compare(report, agent, sql_session, read, sets, sums):
    name, function, sql, _ = read
    different = found = 0
    agent.calls = 0
    for one in sets:
        ours, theirs = plain(function(agent, one)), plain(reference(sql_session, sql, one))
        found += bool(theirs)
        if ours != theirs:
            different += 1
            report.note("  DIFFERENT: %s %s: %d rows, %d by SQL: %.400s" % (name, json.dumps(one), len(ours), len(theirs), next((pair for pair in zip(ours, theirs) if pair[0] != pair[1]), "")))
    calls = agent.calls / len(sets)
    mine, other = alternate(lambda: processor(agent.session, lambda: [function(agent, one) for one in sets]),
                            lambda: processor(sql_session, lambda: [reference(sql_session, sql, one) for one in sets]), rounds=5)
    mine, other = mine / len(sets), other / len(sets)
    report.failed += bool(different)
    report.note("  %-5s %2d sets, %2d with rows, %4.1f calls: %8.3f ms, by SQL %8.3f ms" % (name, len(sets), found, calls, mine, other))
    report.ratio("  " + name, mine, other, 2, 1)
    sums[0] += mine
    sums[1] += other


def parts(text):
    return [part for part in text.split(";") if part]


def update_of(kind, p):
    """The entity and the edges of an update: (type or None, entity, edges)."""
    if kind == 1:
        entity = dict(id=p[0], firstName=p[1], lastName=p[2], gender=p[3], birthday=instant_of(p[4])[:10], creationDate=instant_of(p[5]), locationIP=p[6], browserUsed=p[7], place=p[8], languages=parts(p[9]), emails=parts(p[10]), interests=parts(p[11]))
        edges = [(relation, (p[0], at, int(year))) for relation, text in (("STUDY_AT", p[12]), ("WORK_AT", p[13])) for at, year in (part.split(",") for part in parts(text))]
        return "person", entity, edges
    if kind == 4:
        return "forum", dict(id=p[0], title=p[1], creationDate=instant_of(p[2]), moderator=p[3], tags=parts(p[4])), []
    if kind == 6:
        return "message", dict(id=p[0], kind="post", imageFile=p[1], creationDate=instant_of(p[2]), locationIP=p[3], browserUsed=p[4], language=p[5], content=p[6], length=int(p[7]), creator=p[8], forum=p[9], place=p[10], tags=parts(p[11])), []
    if kind == 7:
        return "message", dict(id=p[0], kind="comment", creationDate=instant_of(p[1]), locationIP=p[2], browserUsed=p[3], content=p[4], length=int(p[5]), creator=p[6], place=p[7], replyOf=p[8] if p[8] != "-1" else p[9], tags=parts(p[10])), []
    if kind == 5:
        return None, None, [("HAS_MEMBER", (p[0], p[1], instant_of(p[2])))]
    return None, None, [("KNOWS" if kind == 8 else "LIKES", (p[0], p[1], instant_of(p[2])))]


def updates(report, data):
    events = []
    for name in ("person", "forum"):
        with open(os.path.join(FOLDER, "update_streams", "updateStream_0_0_%s.csv" % name), encoding="utf8", newline="") as file:
            events += [(int(row[0]), int(row[2]), row[3:]) for row in csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE)]
    events.sort(key=lambda event: event[0])
    writer, plainly = Session("loader"), Session("loader")
    plainly.query("SET plain.tenant = 'snb'; SET search_path = plain, pg_catalog")
    took = defaultdict(lambda: [0, 0.0, 0.0])
    wrong = 0
    for _, kind, p in events[:UPDATES]:
        entity_type, entity, edges = update_of(kind, p)
        calls, inserts = [], []
        if entity_type:
            calls.append("SELECT kg_put_entities(%s, %s) -> 'counts'" % (literal(entity_type), literal(json.dumps([whole(entity)]))))
            inserts += list(plain_rows(entity_type, whole(entity)))
        if edges:
            calls.append("SELECT kg_put_edges(%s) -> 'counts'" % literal(json.dumps([data.edge(relation, row) for relation, row in edges])))
            inserts += [row for relation, row in edges for row in plain_edges(relation, row)]
        begun = writer.cpu()
        for call in calls:
            wrong += "error" in json.loads(writer.value(call))
        middle = plainly.cpu()
        one = took["IU%d" % kind]
        one[1] += (writer.cpu() - begun) * 1000
        plainly.query("BEGIN; " + "".join("INSERT INTO %s VALUES ('snb', %s); " % (table, ", ".join("NULL" if value is None else literal(str(value)) for value in values)) for table, values in inserts) + "COMMIT")
        one[2] += (plainly.cpu() - middle) * 1000
        one[0] += 1
    report.bound("updates that failed, of %d" % min(UPDATES, len(events)), wrong, 0, "")
    for name, (n, ours, theirs) in sorted(took.items()):
        report.note("  %-5s %5d: %8.3f ms, by SQL %8.3f ms: %.1fx" % (name, n, ours / n, theirs / n, ours / theirs))


def main():
    if not FOLDER:
        print("\n== ldbc ==\nleft out: KG_LDBC names no folder with the example data")
        return
    data = Data(FOLDER, COPIES)
    report = Report("LDBC SNB Interactive: %d entities, %d edges, %d copies" % (sum(map(len, data.entities.values())), sum(map(len, data.edges.values())), COPIES))
    admin = Session()
    # A database that has the data from an earlier run is used as it is.
    if not admin.value("SELECT 1 FROM pg_namespace WHERE nspname = 'plain'"):
        load(admin, data)
    reader, by_sql = Session("reader"), Session("reader")
    reader.query("SET timezone = 'UTC'")
    by_sql.query("SET plain.tenant = 'snb'; SET search_path = plain, pg_catalog; SET timezone = 'UTC'; SET max_parallel_workers_per_gather = 0; SET work_mem = '64MB'")
    agent, parameters, sums = Tools(reader), Parameters(data), [0, 0]
    report.section("reads" if COPIES == 1 else "reads, %d copies" % COPIES)
    for read in READS:
        if not ONLY or read[0] in ONLY:
            compare(report, agent, by_sql, read, parameters.draw(read[0], read[3]), sums)
    report.ratio("the sum", sums[0], sums[1], 1.2, 1)
    if not ONLY and COPIES == 1:
        report.section("updates")
        updates(report, data)
    report.end()


main()
