# Shared by the scripts of this folder: packages, a private PostgreSQL, a
# throwaway cluster.  Source it; it needs $root, the checkout's top folder.
#
# PostgreSQL is relocatable, so the server's files are copied below a folder of
# our own and the extension is installed there: nothing of the system changes
# and several runs can go on side by side.

KG_PG_MAJOR=${KG_PG_MAJOR:-15}

# kg_pgvector MAJOR: its package, where Debian has one that is recent enough; with
# bookworm's 15 there is none, and what embeddings say then is tested.
kg_pgvector() {
  case $1 in
    17 | 18) echo "postgresql-$1-pgvector" ;;
  esac
}

# kg_build_names MAJOR: what building with that major needs, and the data.
kg_build_names() {
  printf '%s\n' gcc make libc6-dev rsync util-linux libpq-dev "postgresql-$1" "postgresql-server-dev-$1" \
    libpcre2-dev liburiparser-dev libidn2-dev libssl-dev \
    libjansson-dev libyaml-dev libmicrohttpd-dev libcurl4-openssl-dev zlib1g-dev libzstd-dev \
    libxml2-dev libserd-dev pkgconf \
    iso-codes wordnet-base python3
}

# kg_package_names MAJOR: what testing with that major needs besides.
kg_package_names() {
  kg_build_names "$1"
  printf '%s\n' clang-14 clang-format-14 "postgresql-$1-pgtap" $(kg_pgvector "$1") \
    libtap-parser-sourcehandler-pgtap-perl libipc-run-perl zstd python3-yaml python3-psycopg2 python3-psycopg python3-networkx python3-rdflib pgbouncer
  # For the extension kg_front; of 19 there is no package yet.
  [ "$1" -ge 19 ] || printf '%s\n' "postgresql-$1-plproxy"
}
KG_PACKAGES=$(kg_package_names "$KG_PG_MAJOR")

# The version of the checkout's extensions.
kg_version() { sed -n "s/^default_version *= *'\([^']*\)'.*/\1/p" "$root/kg_graph.control"; }

kg_say() { printf '%s\n' "$*" >&2; }

kg_sudo() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# kg_missing PACKAGE...: those that are not installed.
kg_missing() {
  local p
  for p; do
    [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$p" 2>/dev/null)" = "ii " ] || printf '%s\n' "$p"
  done
}

# Install what is missing of $KG_PACKAGES and of the arguments.
kg_packages() {
  local missing conf=/etc/postgresql-common/createcluster.d/kg_graph.conf status=0
  [ -z "${KG_NO_PACKAGES:-}" ] || return 0
  mapfile -t missing < <(kg_missing $KG_PACKAGES "$@")
  [ ${#missing[@]} = 0 ] && return 0
  kg_say "installing: ${missing[*]}"
  # No cluster of the package's own: ours is a throwaway one.  What says so goes away.
  kg_sudo mkdir -p "${conf%/*}"
  echo 'create_main_cluster = false' | kg_sudo tee "$conf" >/dev/null
  kg_still_missing() { echo "$(kg_missing "${missing[@]}" | wc -l) of ${#missing[@]} packages are left"; }
  kg_ticking kg_still_missing kg_install "${missing[@]}" || status=$?
  kg_sudo rm -f "$conf"
  return "$status"
}

kg_install() {
  kg_sudo apt-get update -qq &&
    kg_sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      -o Dpkg::Use-Pty=0 "$@" >/dev/null
}

# kg_ticking LEFT COMMAND...: runs the command; while it runs, every five seconds
# a line says what LEFT, a command, prints.
kg_ticking() {
  local left=$1 began=$SECONDS ticker status=0
  shift
  (
    trap - EXIT
    while sleep 5 && kill -0 $$ 2>/dev/null; do
      kg_say "  $((SECONDS - began)) s: $("$left")"
    done
  ) &
  ticker=$!
  "$@" || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  return "$status"
}

# Run a command as the non-root user that owns the cluster, in a folder that is
# open to it.
kg_as() {
  local env=(env HOME=/tmp LC_ALL=C.UTF-8 PATH="$KG_BIN:/usr/bin:/bin"
    PGHOST="$KG_WORK" PGPORT="$KG_PORT" PGUSER=postgres PG_CONFIG="$KG_BIN/pg_config")
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=postgres --regid=postgres --init-groups "${env[@]}" \
      sh -c 'cd "$PWD" 2>/dev/null || cd /; exec "$@"' sh "$@"
  else
    "${env[@]}" "$@"
  fi
}

# kg_postgres DIR: copy the installed server below DIR; sets KG_WORK, KG_BIN, KG_PORT.
kg_postgres() {
  KG_WORK=$1
  KG_PG=$KG_WORK/pg
  KG_BIN=$KG_PG/usr/lib/postgresql/$KG_PG_MAJOR/bin
  KG_PORT=${KG_PORT:-5432}
  mkdir -p "$KG_PG/usr/lib/postgresql" "$KG_PG/usr/share/postgresql" "$KG_PG/usr/include"
  cp -a "/usr/lib/postgresql/$KG_PG_MAJOR" "$KG_PG/usr/lib/postgresql/"
  cp -a "/usr/share/postgresql/$KG_PG_MAJOR" "$KG_PG/usr/share/postgresql/"
  cp -a /usr/include/postgresql "$KG_PG/usr/include/"
}

# kg_page DIR: the explorer's page in the checkout DIR, where npm can build it;
# else it is said why not.
kg_page() {
  local page=$1/explorer/kg_graph.explorer.html why='there is no npm' log
  [ ! -e "$page" ] || return 0
  if command -v npm >/dev/null; then
    log=$(mktemp)
    (cd "$1/explorer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 &&
      npm run --silent build) >"$log" 2>&1 && [ -e "$page" ] ||
      why="npm cannot build it: $(grep -m 1 . "$log" || echo 'it says nothing')"
    rm -rf "$log" "$1/explorer/node_modules"
  fi
  [ -e "$page" ] || kg_say "without the explorer's page: $why"
}

# kg_build [make variables]: build the checkout and install it into the private server.
kg_build() {
  make -s -C "$root" -j"$(nproc)" with_llvm=no PG_CONFIG="$KG_BIN/pg_config" "$@" all &&
    make -s -C "$root" with_llvm=no PG_CONFIG="$KG_BIN/pg_config" "$@" install >/dev/null
}

# kg_start [postgresql.conf lines on standard input]: initdb and start.
kg_start() {
  [ "$(id -u)" != 0 ] || chown -R postgres: "$KG_WORK"
  kg_as initdb -D "$KG_WORK/data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 -N --no-instructions >/dev/null
  {
    echo "port = $KG_PORT"
    echo "unix_socket_directories = '$KG_WORK'"
    echo "listen_addresses = ''"
    echo "fsync = off"
    echo "max_connections = 100"
    [ -t 0 ] || cat
  } | kg_as tee -a "$KG_WORK/data/postgresql.conf" >/dev/null
  kg_as pg_ctl -D "$KG_WORK/data" -w -s -l "$KG_WORK/log" start
}

kg_stop() {
  [ -n "${KG_WORK:-}" ] && [ -e "$KG_WORK/data/postmaster.pid" ] || return 0
  kg_as pg_ctl -D "$KG_WORK/data" -m immediate -s stop || true
}

# What runs beside the script, by the id of its process group.
declare -A KG_CHILDREN=()

# kg_temp NAME: a temporary folder in KG_TEMP that goes away, with every
# server below it and all that runs (KG_CHILDREN), however the script ends.
kg_temp() {
  KG_TEMP=$(mktemp -d "${TMPDIR:-/tmp}/kg-$1.XXXXXX")
  chmod 755 "$KG_TEMP"
  trap 'kg_clean' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

kg_clean() {
  local status=$? pid
  trap - EXIT INT TERM HUP
  for pid in "${!KG_CHILDREN[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  for pid in "${!KG_CHILDREN[@]}"; do
    # The last of the group, not the first: tests take away their own servers.
    for _ in $(seq 100); do
      kill -0 -- "-$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  { find "$KG_TEMP" -name postmaster.pid 2>/dev/null || true; } | while read -r pid; do
    kg_as pg_ctl -D "$(dirname "$pid")" -m immediate -s stop || true
  done
  if [ -n "${KG_KEEP:-}" ]; then
    kg_say "kept: $KG_TEMP"
  else
    # A chroot in it may still have the host's /dev mounted.
    rm -rf --one-file-system "$KG_TEMP" 2>/dev/null || kg_sudo rm -rf --one-file-system "$KG_TEMP"
  fi
  exit "$status"
}

# kg_begin COMMAND...: start it beside the script, in a process group of its own,
# so that an interrupt of the script is handled at once and ends all of it.  Sets
# KG_BEGUN, which kg_end waits for and answers with its status.
kg_begin() {
  set -m
  "$@" </dev/null &
  KG_BEGUN=$!
  set +m
  KG_CHILDREN[$KG_BEGUN]=$1
}

kg_end() { # ID
  local status=0
  wait "$1" || status=$?
  unset "KG_CHILDREN[$1]"
  return "$status"
}

kg_run() {
  kg_begin "$@"
  kg_end "$KG_BEGUN"
}

# kg_any: waits until one of those that were begun has ended, and sets KG_ENDED.
# (wait -n does not tell of one that ended before it was called.)
kg_any() {
  while :; do
    for KG_ENDED in "${!KG_CHILDREN[@]}"; do
      kill -0 "$KG_ENDED" 2>/dev/null || return 0
    done
    sleep 0.2 &
    wait $!
  done
}

# kg_database NAME EXTENSION...: made anew.
kg_database() {
  local extension
  kg_as dropdb --if-exists --force "$1" 2>/dev/null
  kg_as createdb "$1"
  for extension in "${@:2}"; do
    kg_as psql -qX -d "$1" -c "CREATE EXTENSION $extension"
  done
}

# kg_program SRC FOLDER [ARGUMENT...]: SRC/test/FOLDER/run with a database of its own.
kg_program() {
  local src=$1 name=$2
  shift 2
  kg_database "kg_$name" kg_graph
  # The tests run in a copy: the data beside the checkout are found from here.
  local suite=$root/../shared/data/json-schema-test-suite
  [ ! -d "$suite" ] || export KG_JSON_SCHEMA_TEST_SUITE=${KG_JSON_SCHEMA_TEST_SUITE:-$suite}
  local corpus=$root/../shared/data/schemastore/schemastore.tar.xz
  [ ! -e "$corpus" ] || export KG_SCHEMASTORE=${KG_SCHEMASTORE:-$corpus}
  cd "$src/test/$name" && PGDATABASE=kg_$name kg_as env PGDATABASE="kg_$name" ./run "$@"
}

# kg_copy DIR: the checkout without build products, owned by the cluster's user.
kg_copy() {
  mkdir -p "$1"
  rsync -a --delete --exclude .git --filter=':- .gitignore' "$root/" "$1/"
  [ "$(id -u)" != 0 ] || chown -R postgres: "$1"
}
