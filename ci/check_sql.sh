#!/usr/bin/env bash
# SQL is written in these files only: what reads arguments, makes replies or
# speaks a protocol asks them.  A file that writes none any more leaves the list.
set -euo pipefail
cd "$(dirname "$0")/.."
files=(
  # statements of tools: text from the catalog, values as parameters
  src/query/sql.c src/query/graph/sql_graph.c src/query/list/list_sql.c src/query/duplicates/duplicates.c
  src/query/{derived,get,memory,merged,type_counts}.c src/query/time/{history,past,past_table}.c src/query/argument/hints.c
  src/query/search/{search,search_ids,search_meaning,search_near,search_text}.c
  src/query/filter/source.c src/query/view/view_rows.c
  src/mcp/complete.c
  # the virtual graph
  src/virtual/{conditions,graph,names,report,rows,source,write,write_errors}.c src/ask/view.c
  # secrets and the catalog, read as the owner
  src/model/{catalog,tenant_state,tool_version,type_rows}.c src/base/{catalog_trigger,manifest,vectors}.c src/mcp/notify.c
  # who calls, and what it was granted
  src/auth/{audit,agents,agent_changes,auth_key,grants,identity,limit_changes,limits,login,moved,owner,policies,privileges,secret,visibility}.c
  # who decides, and which types need it
  src/authorize.c src/query/run/{authorizer,decisions}.c
  # what a tenant holds
  src/tenants.c src/{checks,health,transfer}.c $(find src/store -name '*.[ch]')
  # the program
  src/kgctl/{db,listen,pool,stored}.c src/kgctl/cluster/{cluster,move,upgrade,cmd_cluster}.c
)
# A statement begins a string, or stands in it after a bracket or a space.  An
# example for people is a call of one function, or has no values ("...").
begins='"((?:[^"\\]|\\.)*[ (])?((?<!one )SELECT (?!kg_)|INSERT INTO |UPDATE [@%a-z]|DELETE FROM |MERGE INTO )(?!.*\(\.\.\.\))'
writers=$(grep -lP "$begins" -r src --include='*.[ch]' --exclude=texts.c | sort)
listed=$(printf '%s\n' "${files[@]}" | sort)
bad=0
for file in $writers; do
  grep -qxF "$file" <<<"$listed" || { grep -nP "$begins" "$file" /dev/null; echo "$file: SQL belongs to the files that ci/check_sql.sh lists"; bad=1; }
done
for file in $listed; do
  case $file in src/store/*) continue ;; esac
  grep -qxF "$file" <<<"$writers" || { echo "$file: writes no SQL, and is listed in ci/check_sql.sh"; bad=1; }
done
# A backslash in a plain literal is another with standard_conforming_strings off, which
# a session may set: E'...', or [.] in a pattern.
plain="(?<![\\w'])'(?!\\\\\\\\')(?:[^'\\\\\"]|'')*\\\\"
found=$(grep -nP "$plain" sql/[0-9]*.sql sql/front/*.sql; grep -nP "$plain\\\\" "${files[@]}") || true
[ -z "$found" ] || { echo "$found"; echo "a backslash in a plain literal of SQL: write E'...'"; bad=1; }
exit $bad
