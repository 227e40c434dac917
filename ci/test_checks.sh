#!/usr/bin/env bash
# Every check of ci/ is quiet about this tree and fails on a planted breach.
# TAP; what is planted is planted in a copy.  With a server's `postgres` as the
# argument the check of symbols is tried as well.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
n=0 failed=0
ok() { # WHAT COMMAND...
  local what=$1 not=
  shift
  n=$((n + 1))
  "$@" >"$copy/log" 2>&1 || { not='not ' failed=1; }
  echo "${not}ok $n - $what"
  [ -z "$not" ] || sed 's/^/# /' "$copy/log"
}
fails() { ! "$@"; }

fresh() { rm -rf "$copy/tree"; mkdir "$copy/tree"; cp -r ci src .clang-format "$copy/tree"; }
breach() { # CHECK FILE LINE WHAT
  fresh
  printf '%s\n' "$3" >>"$copy/tree/$2"
  ok "$1 fails on $4" fails "$copy/tree/ci/$1"
}

for check in check_format.sh check_layers.sh check_sql.sh check_members.py; do
  fresh
  ok "$check is quiet" "$copy/tree/ci/$check"
done
breach check_format.sh src/base/text.c 'int  kg_wide( void );' 'a line that is not laid out'
breach check_layers.sh src/base/text.c '#include "model/catalog.h"' 'an include of a higher layer'
breach check_layers.sh src/tools/dispatch.c '#include "mcp/protocol.h"' 'a tool that knows the protocol'
breach check_layers.sh src/base/text.c '#include <jansson.h>' 'jansson in the module'
breach check_layers.sh src/query/run/plan.c '#if PG_VERSION_NUM >= 170000' 'a major outside of base'
breach check_layers.sh src/kgctl/log.c '#include "base/error.h"' 'a header of the module in kgctl'
breach check_layers.sh src/mcp/tools.c '#include "kgctl/log.h"' 'a header of kgctl in the module'
breach check_sql.sh src/tools/dispatch.c 'static const char q[] = "SELECT data FROM kg_entity";' 'SQL of a tool'
breach check_sql.sh src/mcp/tools.c '/* */ static const char q[] = "DELETE FROM @kg_edge WHERE true";' 'SQL of the protocol'
breach check_sql.sh src/tools/dispatch.c 'static const char q[] = "INSERT INTO %s VALUES (1)";' 'an INSERT'
breach check_sql.sh src/query/run/plan.c 'static const char q[] = "MERGE INTO kg_edge USING x ON true";' 'a MERGE'
breach check_sql.sh src/query/run/plan.c 'static const char q[] = "UPDATE %s SET a = 1";' 'an UPDATE'
breach check_sql.sh src/schema/run.c 'static const char q[] = "WITH x AS (UPDATE kg_edge SET a = 1)";' 'SQL within SQL'
forget() { # FILE SED WHAT
  fresh
  sed -i "$2" "$copy/tree/$1"
  ok "check_members.py fails on $3" fails "$copy/tree/ci/check_members.py"
}
forget src/tools/graph/tools.c '/"find_paths"/d' 'a tool without a row'
forget src/tools/schemas/graph.json 's/^  "find_paths": {/  "find_ways": {/' 'a tool without a template'
forget src/tools/schemas/parts.json 's/"!total": {"type": "integer"}/&, "left": {"type": "integer"}/' 'a member without a position'
forget src/tools/reply/reply.c 's/"highest_limit"/"greatest_limit"/' 'a member that is renamed in one place'
forget src/tools/schemas/memory.json 's/"results"/"outcomes"/' 'a list that is not counted'
forget src/model/annotation_names.h 's/X(KG_X_DETAIL/X(KG_X_UNIT, "x-unit") &/' 'an annotation that no file reads'
fresh
printf '%s\n' 'static const char q[] = "SELECT kg_list(...)", r[] = "DELETE FROM kg_entity (...)";' >>"$copy/tree/src/tools/dispatch.c"
ok "check_sql.sh is quiet about examples for people" "$copy/tree/ci/check_sql.sh"
: >"$copy/tree/src/auth/login.c"
ok "check_sql.sh fails on a file that writes no SQL any more" fails "$copy/tree/ci/check_sql.sh"

if [ $# = 1 ]; then
  library() { # TEXT: a shared library of it
    echo "$1" >"$copy/plant.c"
    ${CC:-cc} -shared -fPIC -o "$copy/plant.so" "$copy/plant.c" -lpcre2-8 -ljansson
  }
  library 'int kg_planted(void) { return 1; }'
  ok 'check_symbols.sh is quiet' ci/check_symbols.sh "$copy/plant.so" "$1"
  library 'int planted(void) { return 1; }'
  ok 'check_symbols.sh fails on a name without kg_' fails ci/check_symbols.sh "$copy/plant.so" "$1"
  library 'void json_object(void); void kg_planted(void) { json_object(); }'
  ok 'check_symbols.sh fails on a library that the server captures' fails ci/check_symbols.sh "$copy/plant.so" "$1"
fi
echo "1..$n"
exit $failed
