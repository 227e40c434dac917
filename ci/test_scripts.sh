#!/usr/bin/env bash
# What scripts/ does where something is missing: TAP, without a server and without
# a network.  Commands that would reach out are stubs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
n=0 failed=0
ok() { # WHAT COMMAND...
  local what=$1 not=
  shift
  n=$((n + 1))
  "$@" >"$temp/log" 2>&1 || { not='not ' failed=1; }
  echo "${not}ok $n - $what"
  [ -z "$not" ] || sed 's/^/# /' "$temp/log"
}
stub() { # NAME BODY
  mkdir -p "$temp/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$temp/bin/$1"
  chmod +x "$temp/bin/$1"
}
. "$root/scripts/lib.sh"

# The explorer's page.
page() { # WANTED: what kg_page says, which is no failure
  rm -rf "$temp/tree"
  mkdir -p "$temp/tree/explorer"
  local said
  said=$(PATH="$temp/bin:$PATH" kg_page "$temp/tree" 2>&1) && [[ $said == $1 ]] || { echo "$said"; return 1; }
}
stub npm 'echo "npm ERR! network is unreachable" >&2; exit 1'
ok 'a page that npm cannot build is told and left out' page "without the explorer's page: npm cannot build it: npm ERR! network*"
stub npm 'exit 1'
ok 'also where npm says nothing' page "without the explorer's page: npm cannot build it: it says nothing"
stub npm '[ "$1" = ci ] || touch kg_graph.explorer.html'
ok 'and nothing is said where it builds it' page ''

# The MCP client of the demo.
client() { # WANTED
  local said
  said=$(KG_TEMP=$temp PATH="$temp/bin:$PATH" bash -c '
    set -euo pipefail
    root=$1
    . "$root/scripts/mcp_client/mcp.sh"
    title() { echo "$@"; }
    say() { echo "$@"; }
    sql() { exit 3; }
    kg_as() { "$@"; }
    kg_packages() { exit 4; }
    mcp_client
    echo done' bash "$root" 2>&1) && [[ $said == *$1*done ]] || { echo "$said"; return 1; }
}
stub npm 'echo "npm ERR! network" >&2; exit 1'
ok 'without packages the MCP client is skipped, and the demo goes on' client 'Skipped: the packages of the MCP client cannot be installed:*npm ERR!'

# What the demo installs.
needless() { ! printf '%s\n' $(kg_build_names "$KG_PG_MAJOR") | grep -E 'clang|pgtap|pgbouncer|plproxy|npm|psycopg'; }
ok 'the demo needs no package of the tests' needless
superset() { [ -z "$(comm -23 <(kg_build_names 15 | sort -u) <(kg_package_names 15 | sort -u))" ]; }
ok 'the tests need those of the demo' superset
listed() { grep -q "git build-essential postgresql-$KG_PG_MAJOR postgresql-server-dev-$KG_PG_MAJOR" "$root/README.md"; }
ok 'README.md lists the server' listed

# Progress, and the status of what is waited for.
left() { echo 'nothing is left'; }
waits() { sleep 5.5; return 7; }
ticks() { local status=0 said; said=$(kg_ticking left waits 2>&1) || status=$?; [ "$status" = 7 ] && [[ $said == *'5 s: nothing is left'* ]]; }
ok 'a line tells what is left' ticks

# A checkout below a folder that is closed to the cluster's user.
closed() {
  mkdir -p "$temp/closed/tree"
  chmod 755 "$temp" "$temp/closed/tree"
  chmod 700 "$temp/closed"
  cd "$temp/closed/tree"
  [ "$(KG_BIN=/usr/bin KG_WORK=/tmp KG_PORT=1 kg_as pwd)" = / ]
  cd "$temp"
  [ "$(KG_BIN=/usr/bin KG_WORK=/tmp KG_PORT=1 kg_as pwd)" = "$temp" ]
}
if [ "$(id -u)" = 0 ] && id postgres >/dev/null 2>&1; then
  ok 'commands of the cluster run in a folder that is open to it' closed
fi
echo "1..$n"
exit $failed
