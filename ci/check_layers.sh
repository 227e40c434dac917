#!/usr/bin/env bash
# A file in src/ includes its own layer or a lower one; only kgctl sees jansson,
# and only base/ knows the majors of PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A rank=([base]=0 [schema]=1 [auth]=2 [model]=3 [store]=4 [query]=5 [virtual]=6 [ask]=7 [tools]=8 [mcp]=9 [entry]=10)
bad=0
for file in $(find src -name "*.[ch]" | sort); do
  [ -e "$file" ] || continue
  dir=${file#src/}
  case $dir in */*) layer=${dir%%/*} ;; *) layer=entry ;; esac
  if [ "$layer" != kgctl ] && grep -nE '#include *[<"]jansson' "$file"; then
    echo "$file: jansson belongs to kgctl (its json_object clashes with the server's)"; bad=1
  fi
  if [ "$layer" != base ] && grep -nE '(PG_VERSION_NUM|PG_MAJORVERSION)' "$file"; then
    echo "$file: what differs between majors of PostgreSQL belongs to base/compat.h"; bad=1
  fi
  includes=$(sed -nE 's/^#include *"([^"]+)".*/\1/p' "$file")
  for inc in $includes; do
    # The server has a folder catalog/ too: only what is ours counts.
    [ -e "src/$inc" ] || continue
    case $inc in */*) target=${inc%%/*} ;; *) target=entry ;; esac
    if [ "$layer" = kgctl ]; then
      [ "$target" = kgctl ] || { echo "$file includes $inc: kgctl is a program of its own"; bad=1; }
    elif [ "$target" = kgctl ] || [ "${rank[$target]}" -gt "${rank[$layer]}" ]; then
      echo "$file ($layer) includes $inc ($target)"; bad=1
    fi
  done
done
exit $bad
