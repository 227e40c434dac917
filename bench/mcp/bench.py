"""kg_mcp beside the functions that it calls, and kgctl serve beside pgbench.

First inside the server: what the protocol adds to a call.  Then from outside:
the same message, with a token, from 32 connections, to the database and to the
gateway: with its default pool, and with a pool of 32, as many backends as
pgbench has.  wrk makes the HTTP load; it and the gateway take their processor
time from the same cores as the backends do.
"""
import os
import re
import resource
import select
import signal
import socket
import subprocess
import time

from kgbench import (TEMP, Report, Session, bundle_sql, grant, human, literal,
                     make_tenant, scaled, time_statement)

ROWS = 10000
CALLS = scaled(4000, 200)
CLIENTS = 32
IDLE = scaled(10000, 500)
SECONDS = scaled(10, 2)
# As many bytes as the longest of the revisions asks for: the modern one.
META = ('"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",'
        ' "io.modelcontextprotocol/clientCapabilities": {}}')


def load(report, admin):
    admin.query("CREATE ROLE loader LOGIN; CREATE ROLE reader LOGIN;"
                " CREATE ROLE gateway LOGIN;")
    make_tenant(admin, "shop", "loader")
    grant(admin, "shop", "reader", "read")
    admin.query("GRANT USAGE, CREATE ON SCHEMA public TO loader;"
                " SELECT NULL FROM kg_grant_gateway('gateway');"
                " INSERT INTO kg_auth_key(issuer, kid, alg, secret, audience)"
                " VALUES ('bench', 'k', 'HS256', sha256('a secret'), 'kg')")
    Session("loader").query("SELECT length(kg_apply_bundle(%s, '{}')::text)"
                            % bundle_sql(ROWS))
    admin.query("VACUUM ANALYZE")
    report.figure("entities", int(admin.value(
        "SELECT count(*) FROM kg_entity")), "")
    return admin.value("SELECT kg_issue_token('{\"tenant\": \"shop\"}', 'k',"
                       " '1 day')")


def message(tool, arguments, modern=True):
    return ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":'
            ' {"name": "%s", "arguments": %s%s}}'
            % (tool, arguments, ", " + META if modern else ""))


# What is called, as SQL and as a message; {id} varies.
CASES = [
    ("get of one entity", "get_product", '{"id": "%s"}',
     "kg_get('product', ARRAY[%s])", 1),
    ("get of 20 entities", "get_product",
     '{"ids": [%s]}' % ", ".join(['"%s"'] * 20),
     "kg_get('product', ARRAY[%s])" % ", ".join(["%s"] * 20), 20),
    ("list, the default page of 50", "list_product",
     '{"filters": {"brand": "br%s"}}', "kg_list('product', {arguments})", 1),
    ("list, filtered and sorted, 20", "list_product",
     '{"filters": {"brand": "br%s"}, "sort": [{"field": "score", "order":'
     ' "desc"}], "limit": 20}', "kg_list('product', {arguments})", 1),
    ("list, 5 with two fields", "list_product",
     '{"filters": {"brand": "br%s"}, "limit": 5, "fields": ["name", "price"]}',
     "kg_list('product', {arguments})", 1),
]


def inside(report, reader):
    report.section("tools/call through kg_mcp beside the function, in a"
                   " prepared loop (%d calls, median of 9)" % CALLS)
    for what, tool, arguments, function, n in CASES:
        # The messages and arguments are made before, 64 of each.
        texts, calls, given = [], [], []
        for k in range(64):
            ids = tuple(str(1 + (k * 7919 + j * 104729) % (
                ROWS if tool == "get_product" else 200)) for j in range(n))
            texts.append(message(tool, arguments % ids))
            given.append(arguments % ids)
            calls.append("{" + ",".join(ids) + "}")
        reader.query(
            "CREATE TEMP TABLE IF NOT EXISTS input(k int, m jsonb[], a jsonb[],"
            " i text); TRUNCATE input; INSERT INTO input VALUES (0, ARRAY[%s]"
            "::jsonb[], ARRAY[%s]::jsonb[], NULL)"
            % (", ".join(map(literal, texts)), ", ".join(map(literal, given))))
        if "{arguments}" in function:
            mine = "kg_list('product', a[1 + i % 64])"
            declare = "a jsonb[] := (SELECT a FROM input);"
        else:
            reader.query("CREATE TEMP TABLE IF NOT EXISTS ids(k int, i text[]);"
                         " TRUNCATE ids; INSERT INTO ids VALUES %s" % ", ".join(
                             "(%d, %s)" % (k, literal(c))
                             for k, c in enumerate(calls)))
            mine = "kg_get('product', s[1 + i % 64]::text[])"
            declare = "s text[] := ARRAY(SELECT i::text FROM ids ORDER BY k);"
        got = measure(reader, declare, mine)
        report.figure("%s: SQL function" % what, got["sql"], "us")
        report.figure("  kg_call_tool", got["tool"], "us")
        report.figure("  kg_mcp", got["mcp"], "us")
        report.figure("  kg_mcp, text off", got["bare"], "us")
        report.figure("  bytes of the reply", int(reader.value(
            "SELECT length(kg_mcp((SELECT m[1] FROM input))::text)")), "")
        report.ratio("kg_mcp to the function, %s" % what, got["mcp"],
                     got["sql"], *(1.3, 1.2) if "page of 50" in what else (1.6, 1.4))


def measure(reader, declare, mine):
    reader.query("""
CREATE OR REPLACE FUNCTION pg_temp.sql(n integer) RETURNS void LANGUAGE plpgsql
AS $f$ DECLARE x jsonb; %(declare)s BEGIN FOR i IN 1..n LOOP x := %(mine)s; END LOOP; END $f$;
CREATE OR REPLACE FUNCTION pg_temp.mcp(n integer) RETURNS void LANGUAGE plpgsql
AS $f$ DECLARE x jsonb; m jsonb[] := (SELECT m FROM input);
BEGIN FOR i IN 1..n LOOP x := kg_mcp(m[1 + i %% 64]); END LOOP; END $f$;
CREATE OR REPLACE FUNCTION pg_temp.tool(n integer) RETURNS void LANGUAGE plpgsql
AS $f$ DECLARE x jsonb; a jsonb[] := (SELECT a FROM input);
 t text := (SELECT m[1] #>> '{params,name}' FROM input);
BEGIN FOR i IN 1..n LOOP x := kg_call_tool(t, a[1 + i %% 64]); END LOOP; END $f$""" % locals())
    took = {"sql": [], "tool": [], "mcp": [], "bare": []}
    for what in took:
        reader.query("SELECT pg_temp.%s(100)"
                     % ("mcp" if what == "bare" else what))
    for _ in range(9):
        for what in took:
            if what == "bare":
                reader.query("SET kg_graph.mcp_text = off")
            took[what].append(time_statement(
                reader, "SELECT pg_temp.%s(%d)"
                % ("mcp" if what == "bare" else what, CALLS), rounds=1)
                * 1000 / CALLS)
            reader.query("SET kg_graph.mcp_text = on")
    return {what: sorted(all_)[4] for what, all_ in took.items()}


# ---------------------------------------------------------------- outside

class Gateway:
    def __init__(self, *options):
        self.log = os.path.join(TEMP, "kgctl%s.log" % "".join(options))
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["kgctl", "serve", "--listen", "127.0.0.1:0",
                 "--keep-alive", "20000", *options],
                env=dict(os.environ, PGUSER="gateway"), stderr=log)
        for _ in range(100):
            with open(self.log) as log:
                found = re.search(r"listening on 127.0.0.1:(\d+)", log.read())
            if found:
                break
            time.sleep(0.1)
        self.port = int(found.group(1))

    def memory(self, what="VmRSS"):
        with open("/proc/%d/status" % self.process.pid) as file:
            for line in file:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024

    def processor(self):
        """Seconds of processor time so far."""
        with open("/proc/%d/stat" % self.process.pid) as file:
            ticks = file.read().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def wrk(gateway, body, token):
    """(requests a second, p50, p99 in ms), and that all were answered 200."""
    script = os.path.join(TEMP, "wrk.lua")
    with open(script, "w") as out:
        out.write('wrk.method = "POST"\nwrk.body = [==[%s]==]\n' % body)
        for name, value in (
                ("Content-Type", "application/json"),
                ("Accept", "application/json, text/event-stream"),
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", re.search('"name": "([^"]*)"', body).group(1)),
                ("Authorization", "Bearer " + token)):
            out.write('wrk.headers["%s"] = "%s"\n' % (name, value))
    got = subprocess.run(
        ["wrk", "-t", "1", "-c", str(CLIENTS), "-d", "%ds" % SECONDS,
         "--latency", "-s", script,
         "http://127.0.0.1:%d/mcp" % gateway.port],
        check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in got and "Socket errors" not in got, got
    unit = {"us": 0.001, "ms": 1, "s": 1000}

    def percentile(which):
        value, suffix = re.search(r"%s%%\s+([\d.]+)(us|ms|s)" % which,
                                  got).groups()
        return float(value) * unit[suffix]
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", got).group(1)),
            percentile(50), percentile(99))


def pgbench(body, token):
    """The same of pgbench: as many connections, the same statement."""
    script = os.path.join(TEMP, "mcp.sql")
    prefix = os.path.join(TEMP, "mcp-log")
    with open(script, "w") as out:
        out.write("SELECT kg_mcp(:message, :token);\n")
    got = subprocess.run(
        ["pgbench", "-n", "-U", "gateway", "-c", str(CLIENTS), "-M",
         "prepared", "-f", script, "-T", str(SECONDS), "-D",
         "message=" + body, "-D", "token=" + token, "-l",
         "--log-prefix", prefix, os.environ["PGDATABASE"]],
        check=True, capture_output=True, text=True).stdout
    took = []
    for name in os.listdir(TEMP):
        if name.startswith("mcp-log."):
            with open(os.path.join(TEMP, name)) as log:
                took += [int(line.split()[2]) for line in log]
            os.unlink(os.path.join(TEMP, name))
    took.sort()
    return (float(re.search(r"tps = ([\d.]+)", got).group(1)),
            took[len(took) // 2] / 1000, took[len(took) * 99 // 100] / 1000)


def outside(report, token):
    gateway, wide = Gateway(), Gateway("--pool", str(CLIENTS))
    for what, body, required, goal in (
            # An HTTP message costs as much as half of this call.
            ("get", message("get_product", '{"id": "77"}'), 0.65, 0.75),
            ("list", message("list_product", '{"filters": {"brand": "br17"},'
                             ' "limit": 20}'), 0.75, 0.85)):
        report.section("%s, %d connections, %d s, a token each time"
                       % (what, CLIENTS, SECONDS))
        # Turns, so that all see the same machine.
        ours, wider, theirs, cost = [], [], [], []
        for _ in range(3):
            theirs.append(pgbench(body, token))
            before = gateway.processor()
            ours.append(wrk(gateway, body, token))
            cost.append((gateway.processor() - before)
                        / (ours[-1][0] * SECONDS))
            wider.append(wrk(wide, body, token))
        ours, wider, theirs = (sorted(each)[1] for each in (ours, wider, theirs))
        for name, figures in (("pgbench, SELECT kg_mcp($1, $2)", theirs),
                              ("kgctl serve, POST /mcp", ours),
                              ("  with --pool %d" % CLIENTS, wider)):
            report.figure(name, figures[0], "a second; p50 %s ms, p99 %s ms"
                          % (human(figures[1]), human(figures[2])))
        report.figure("  processor time of kgctl",
                      sorted(cost)[1] * 1e6, "us a request")
        report.rate("kgctl serve to pgbench, %s" % what, ours[0], theirs[0],
                    required, goal)
        report.rate("  with --pool %d" % CLIENTS, wider[0], theirs[0],
                    0.5, 0.75)
    wide.stop()
    report.figure("kgctl serve after the load", gateway.memory() >> 20, "MB")
    idle(report, gateway)
    gateway.stop()


def idle(report, gateway):
    report.section("%s idle connections" % human(IDLE))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, IDLE + 100), hard))
    before = gateway.memory()
    held = []
    for _ in range(IDLE):
        held.append(socket.create_connection(("127.0.0.1", gateway.port)))
    held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    held[-1].settimeout(10)
    answered = held[-1].recv(100).startswith(b"HTTP/1.1 200")
    # Only a closed one has something to read.
    poll = select.poll()
    for s in held[:-1]:
        poll.register(s, select.POLLIN)
    alive = IDLE - 1 - len(poll.poll(0))
    report.figure("connections held open", alive + 1, "")
    report.figure("kgctl serve before", before / 2**20, "MB")
    report.bound("kgctl serve with them", gateway.memory() / 2**20, 64.0, "MB")
    report.bound("  of them closed or unanswered", IDLE - 1 - alive
                 + (not answered), 0, "")
    for s in held:
        s.close()


def main():
    report = Report("mcp: %d entities" % ROWS)
    admin = Session()
    token = load(report, admin)
    inside(report, Session("reader"))
    outside(report, token)
    report.end()


main()
