#!/usr/bin/env bash
# Every C file is laid out as .clang-format says; --fix lays them out so.
# Those that the build makes are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format)
case ${1:-} in
  --fix) how=(-i) ;;
  *) how=(--dry-run -Werror) ;;
esac
find src \( -name '*.c' -o -name '*.h' \) ! -exec grep -q '^/\* Made by ' {} \; -print0 |
  xargs -0 "$tool" "${how[@]}"
