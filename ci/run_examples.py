#!/usr/bin/env python3
"""TAP: the examples of README.md and of pages of docs/ do what the pages show.

Fenced blocks run in the order of the page: `sh` in one shell, `sql` and blocks
that begin with "=> " in one psql session.  The block after an `sh` block, if it
is `text`, is its output; the lines after "=> " are the result of that statement.
"..." in an expected line stands for any text, and a line "..." for any lines.
A block after the comment "<!-- not run -->" is left out.  The tutorial runs
under Debian's rule for local logins (peer).  Its last block removes everything.
Of the pages of
ON_TUTORIAL and OPENINGS only the part before the first heading of the second
level is run.
Of docs/query.md the statements before "-- => " are answered by kg_query() as an ordinary
role over test/data/questions.json; the rest of that line is the rows.

Needs a server (PGHOST, PGPORT, PGUSER: a superuser) and kgctl in PATH.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(
    os.path.abspath(__file__)), ".."))
# Page, its databases and roles, which are dropped before and after.
PAGES = [("README.md", "kg_readme", ["ada"]),
         ("docs/tutorial.md", "library", ["librarian", "reader"]),
         ("docs/query.md", "kg_questions", ["asker"])]
# Pages with examples on the data of README.md, each in a session of its role.
ON_README = ["docs/tools.md", "docs/tool-parameters.md", "docs/sql-reference.md",
             "docs/settings.md", "docs/registered-tools.md",
             "docs/compact.md", "docs/mcp.md",
             "docs/clients.md"]
# Pages with an example on the data of the tutorial.
ON_TUTORIAL = ["docs/kgctl.md", "docs/formats.md"]
# Debian's rule for local logins.  The superuser may have another name than its
# system user.
DEBIAN_RULES = "local %s %s trust\nlocal %s all peer\n"
# Pages that share a database, the database, roles.
OPENINGS = [(["docs/authorization.md"], "kg_authorization", ["ada"]),
            (["docs/identity.md"], "kg_identity", ["gate"]),
            (["docs/schema-annotations.md", "docs/views.md",
              "docs/gateway.md", "docs/connections.md", "docs/limits.md",
              "docs/tenant-operations.md", "docs/maintenance.md",
              "docs/monitoring.md"], "mydb", ["anna", "analyst"]),
            (["docs/validation.md"], "kg_validation", [])]
MARK = "@@%d@@"
count = failures = 0


def ok(condition, what, got=""):
    global count, failures
    count += 1
    failures += not condition
    print("%sok %d - %s" % ("" if condition else "not ", count, what))
    if not condition:
        print("\n".join("# " + line for line in got.splitlines()))


def psql(*args, **kwargs):
    return subprocess.run(("psql", "-XAtq") + args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **kwargs)


def blocks(page):
    """Yield (line, language, text) of each fenced block that is run."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    if page in ON_TUTORIAL or any(page in pages for pages, _, _ in OPENINGS):
        text = text.split("\n## ")[0]
    for match in re.finditer(r"(<!-- not run -->\n)?^```(\w*)\n(.*?)^```",
                             text, re.S | re.M):
        if not match.group(1):
            yield (text.count("\n", 0, match.start()) + 1, match.group(2),
                   match.group(3))


def matches(expected, got):
    """Return whether an output is the expected one, with "..." for any."""
    lines = []
    for line in expected.strip().splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*")
        else:
            lines.append(r"\.\.\.".join(re.escape(part) for part in
                                        line.split("...")
                                        ).replace(r"\.\.\.", ".*") + r"\n")
    return re.fullmatch("".join(lines), got.strip() + "\n") is not None


def outputs(command, script, n, **kwargs):
    """Run a script that prints a mark after each part; return the parts."""
    got = subprocess.run(command, input=script, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, **kwargs).stdout
    parts = re.split("".join(["@@(?:", "|".join(str(i) for i in range(n)),
                              ")@@\n"]), got)
    return parts + [got] * (n - len(parts))


def shell_blocks(page):
    return [("%s:%d" % (page, line), language, text)
            for line, language, text in blocks(page)
            if language in ("sh", "text")]


def run_shell(parts):
    commands = [i for i, part in enumerate(parts) if part[1] == "sh"]
    script = "".join("%s\necho '%s'\n" % (parts[i][2], MARK % n)
                     for n, i in enumerate(commands))
    with tempfile.TemporaryDirectory() as folder:
        got = outputs(["bash"], script, len(commands), cwd=folder)
    for n, i in enumerate(commands):
        if i + 1 < len(parts) and parts[i + 1][1] == "text":
            ok(matches(parts[i + 1][2], got[n]),
               "%s prints what the page shows" % parts[i][0], got[n])
        else:
            ok("rror" not in got[n], "%s runs" % parts[i][0], got[n])


def run_tutorial(page, database):
    """Run the tutorial, and ON_TUTORIAL before its last block."""
    parts = shell_blocks(page)
    files = psql("-d", "postgres", "-c", "SHOW hba_file", "-c",
                 "SHOW ident_file").stdout.split("\n")[:2]
    user = psql("-d", "postgres", "-c", "SELECT user").stdout.strip()
    before = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            before.append(file.read())
    rules = DEBIAN_RULES % (database, user, database)
    try:
        with open(files[0], "w", encoding="utf-8") as file:
            file.write(rules + before[0])
        psql("-d", "postgres", "-c", "SELECT pg_reload_conf()")
        run_shell(parts[:-1] + sum(map(shell_blocks, ON_TUTORIAL), [])
                  + parts[-1:])
        with open(files[0], encoding="utf-8") as file:
            ok(file.read() == rules + before[0],
               "%s: its rule for logins is removed" % page)
        with open(files[1], encoding="utf-8") as file:
            ok(file.read() == before[1], "%s: its map of users too" % page)
    finally:
        for name, text in zip(files, before):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        psql("-d", "postgres", "-c", "SELECT pg_reload_conf()")


def run_sql(page, database, begin=""):
    statements = []
    for line, language, text in blocks(page):
        if language == "sql":
            statements.append((line, text, None))
        elif language == "" and text.startswith("=> "):
            for part in re.split(r"^=> ", text, flags=re.M)[1:]:
                query, _, shown = part.partition(";\n")
                statements.append((line, query + ";", shown))
    script = begin + "".join("%s\n\\echo %s\n" % (text, MARK % n)
                             for n, (_, text, _) in enumerate(statements))
    got = outputs(["psql", "-XAtq", "-d", database], script, len(statements))
    for n, (line, text, shown) in enumerate(statements):
        name = "%s:%d %s" % (page, line, text.split("\n")[0][:60])
        if shown is None:
            ok("ERROR" not in got[n], name, got[n])
        else:
            ok(matches(shown, got[n]), name, got[n])


def literal(value):
    return "'%s'" % value.replace("'", "''")


def run_questions(page, database, role):
    with open(os.path.join(ROOT, "test/data/questions.json"), encoding="utf-8") as file:
        bundle = file.read()
    psql("-d", database, "-v", "ON_ERROR_STOP=1", "-c", "CREATE EXTENSION kg_graph",
         "-c", "CREATE ROLE %s LOGIN; SELECT kg_create_tenant('questions'), kg_grant('questions', '%s', 'admin')" % (role, role))
    said = psql("-d", database, "-U", role, "-c", "SELECT FROM kg_apply_bundle(%s)" % literal(bundle)).stdout
    ok("ERROR" not in said, "%s: the shop is stored" % page, said)
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        asked = re.findall(r"^-- (.*)\n([^-].*);\n-- => (.*)$", file.read(), re.M)
    ok(len(asked) == 20, "%s: twenty questions" % page, str(len(asked)))
    for question, sql, rows in asked:
        got = psql("-d", database, "-U", role, "-c", "SELECT kg_query(%s) -> 'rows'" % literal(json.dumps({"sql": sql}))).stdout.strip()
        ok(got == rows, "%s: %s" % (page, question), got)


def clean(database, roles):
    psql("-d", "postgres", "-c", 'DROP DATABASE IF EXISTS "%s"' % database)
    for role in roles:
        psql("-d", "postgres", "-c", 'DROP ROLE IF EXISTS "%s"' % role)


for page, database, roles in PAGES:
    clean(database, roles)
    if page == "README.md":
        psql("-d", "postgres", "-c", 'CREATE DATABASE "%s"' % database)
        run_sql(page, database)
        for other in ON_README:
            run_sql(other, database, "SET ROLE ada;\n")
    elif page == "docs/query.md":
        psql("-d", "postgres", "-c", 'CREATE DATABASE "%s"' % database)
        run_questions(page, database, roles[0])
    else:
        run_tutorial(page, database)
    clean(database, roles)
for pages, database, roles in OPENINGS:
    clean(database, roles)
    psql("-d", "postgres", "-c", 'CREATE DATABASE "%s"' % database)
    for page in pages:
        run_sql(page, database)
    clean(database, roles)
print("1..%d" % count)
sys.exit(failures > 0)
