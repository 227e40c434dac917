#!/usr/bin/env bash
# Every C file is laid out as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/.."
find src \( -name '*.c' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
