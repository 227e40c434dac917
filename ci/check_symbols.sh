#!/usr/bin/env bash
# usage: check_symbols.sh MODULE.so POSTGRES
# The module exports only kg_* and what PostgreSQL asks of a module, and no
# library symbol it needs is one that the server exports too (the loader would
# bind it to the server's: jansson's json_object crashes a backend so).
set -euo pipefail
module=$1 postgres=$2
extra=$(nm -D --defined-only "$module" | awk '{print $3}' |
  grep -vE '^(kg_|pg_finfo_kg_|Pg_magic_func$|_PG_init$|_init$|_fini$)' || true)
# (In files: no process substitution, since a chroot without /proc has no /dev/fd,
# and no arguments, of which one holds 128 kB at most.)
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
names() { awk '{print $NF}' | sed 's/@.*//' | sort -u; }
nm -D --defined-only "$postgres" | names >"$lists/theirs"
ldd "$module" | awk '/libpcre2|liburiparser|libidn2|libcrypto|libjansson/ {print $3}' |
  while read -r library; do nm -D --defined-only "$library"; done | names >"$lists/libraries"
captured=$(nm -D --undefined-only "$module" | names |
  comm -12 - "$lists/theirs" | comm -12 - "$lists/libraries")
[ -z "$extra" ] || { echo "exported without kg_: $extra"; exit 1; }
[ -z "$captured" ] || { echo "captured by postgres: $captured"; exit 1; }
