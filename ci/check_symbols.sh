#!/usr/bin/env bash
# usage: check_symbols.sh MODULE.so POSTGRES
# The module exports only kg_* and what PostgreSQL asks of a module, and no
# library symbol it needs is one that the server exports too (the loader would
# bind it to the server's: jansson's json_object crashes a backend so).
set -euo pipefail
module=$1 postgres=$2
extra=$(nm -D --defined-only "$module" | awk '{print $3}' |
  grep -vE '^(kg_|pg_finfo_kg_|Pg_magic_func$|_PG_init$|_init$|_fini$)' || true)
captured=$(nm -D --undefined-only "$module" | sed -nE 's/.* ([^@]+)@.*lib(jansson|pcre2|uriparser|idn2|crypto).*/\1/p' |
  sort -u | comm -12 - <(nm -D --defined-only "$postgres" | awk '{print $3}' | sort -u))
[ -z "$extra" ] || { echo "exported without kg_: $extra"; exit 1; }
[ -z "$captured" ] || { echo "captured by postgres: $captured"; exit 1; }
