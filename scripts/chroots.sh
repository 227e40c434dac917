# Shared by check-majors, check-upgrade and check-packages: chroots of the Debian
# suites that have other majors of PostgreSQL.  Source it after lib.sh.
#
# A chroot is kept below KG_CHROOTS for the next time where that is set, and is
# made anew when its recipe (suites and packages) is another one.

# kg_mirror LABEL: where bookworm comes from (Debian) or its security updates
# (Debian-Security), read from apt's sources in either format.
kg_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 2>/dev/null |
    awk -v label="$1" '$2 == "Debian" && $3 == label { print $1; exit }' | sed 's,/$,,'
}

# kg_chroots_possible: says in one line why there cannot be chroots, and fails.
kg_chroots_possible() {
  if [ -z "$(kg_mirror Debian)" ]; then
    echo "no Debian mirror in the apt sources"
  elif [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    echo "a chroot needs root"
  elif ! KG_PACKAGES="mmdebstrap rsync" kg_packages >&2; then
    echo "mmdebstrap cannot be installed"
  else
    return 0
  fi
  return 1
}

# kg_sources SUITE...: apt lines, stable suites with their security updates.
kg_sources() {
  local suite security
  security=$(kg_mirror Debian-Security)
  for suite in "$@"; do
    echo "deb $(kg_mirror Debian) $suite main"
    case $suite in
      sid | forky | experimental) ;;
      *) [ -z "$security" ] || echo "deb $security $suite-security main" ;;
    esac
  done
}

kg_chroot_dir() { echo "${KG_CHROOTS:-$KG_TEMP}/${1:?}"; }

# kg_chroot NAME "SUITE..." "MAJOR..." PACKAGE...: makes the chroot or finds the
# kept one, at kg_chroot_dir NAME.  The first suite is the system's; of every MAJOR the
# headers are installed without what its package wants besides: clang and llvm,
# 700 MB that a build without bitcode never reads.
kg_chroot() {
  local name=$1 suites=$2 majors=$3 dir sources recipe hooks=() v
  dir=$(kg_chroot_dir "$name")
  shift 3
  sources=$(kg_sources $suites)
  recipe=$(printf '%s\n' "$sources" "$majors" "$@")
  [ "$recipe" != "$(cat "$dir/.kg-recipe" 2>/dev/null)" ] || return 0
  # A mmdebstrap that was killed leaves the host's /dev mounted in it.
  kg_sudo rm -rf --one-file-system "${dir:?}"
  mkdir -p "$(dirname "$dir")"
  # Of experimental, which apt takes nothing from by itself, the server alone.
  case $suites in
    *experimental*)
      hooks+=('--setup-hook=printf "Package: libpq* postgresql-*19*\nPin: release a=experimental\nPin-Priority: 990\n" >"$1/etc/apt/preferences.d/kg"') ;;
  esac
  for v in $majors; do
    hooks+=("--customize-hook=chroot \"\$1\" sh -c 'cd /tmp && apt-get download -qq postgresql-server-dev-$v && dpkg --force-depends -i postgresql-server-dev-${v}_*.deb && rm -f *.deb'")
    # No suite has pgTAP for a major that is not out yet: it is the newest one's.
    [ "$v" -lt 19 ] ||
      hooks+=("--customize-hook=chroot \"\$1\" sh -c 'cd /tmp && apt-get download -qq postgresql-18-pgtap && dpkg-deb -x postgresql-18-pgtap_*.deb x && cp x/usr/share/postgresql/18/extension/* /usr/share/postgresql/$v/extension/ && rm -rf *.deb x'")
  done
  kg_sudo mmdebstrap --mode=root --variant=apt \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
    --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --setup-hook='mkdir -p "$1/etc/postgresql-common"; echo create_main_cluster=false > "$1/etc/postgresql-common/createcluster.conf"' \
    --include="$(IFS=,; echo "$*")" "${hooks[@]}" \
    "${suites%% *}" "$dir" - <<<"$sources" || return
  kg_sudo chmod 1777 "$dir/dev/shm"
  printf '%s\n' "$recipe" | kg_sudo tee "$dir/.kg-recipe" >/dev/null
}

# kg_in_chroot DIR COMMAND...: with /proc, where tests read what a backend takes,
# for as long as the command runs; of the environment only what env is given.
kg_in_chroot() {
  kg_sudo env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    unshare --mount sh -c 'mount -t proc proc "$1/proc" || true; exec chroot "$@"' sh "$@"
}

# kg_into_chroot DIR: a copy of the checkout at /tmp/kg in it.
kg_into_chroot() {
  kg_sudo rm -rf --one-file-system "${1:?}/tmp/kg"
  kg_sudo mkdir -p "$1/tmp/kg"
  kg_sudo rsync -a --exclude .git --filter=':- .gitignore' "$root/" "$1/tmp/kg/"
}
