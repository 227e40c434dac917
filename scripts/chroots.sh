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

# kg_chroot_unpack NAME SUITE MAJOR: the server and the headers of a major that the
# chroot's own suite has not, from one that has, unpacked and not installed: the
# packages of two suites refuse each other, files of two majors do not. Of the
# libraries that it wants, those are put there that are not yet; each has its
# version in its name.
kg_chroot_unpack() {
  local dir
  dir=$(kg_chroot_dir "$1")
  [ ! -e "$dir/.kg-unpacked-$3" ] || return 0
  kg_sources "$2" | kg_sudo tee "$dir/tmp/kg-sources" >/dev/null
  kg_in_chroot "$dir" bash -s "$3" <<'EOS' || return
set -euo pipefail
v=$1
at=$(mktemp -d /tmp/kg-unpack.XXXXXX)
cd "$at"
mkdir -p lists/partial root
apt() {
  "apt-$1" -qq -o Dir::Etc::SourceList=/tmp/kg-sources -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$at/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=root "${@:2}"
}
apt get update
servers="postgresql-$v postgresql-client-$v postgresql-server-dev-$v"
# What each library wants is a library, too.
wanted=$servers
for _ in 1 2 3; do
  wanted=$(printf '%s\n' $wanted $(apt cache depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $wanted |
    sed -nE 's/^ +\|?(Pre)?Depends: (lib[^ ]*)$/\2/p' | grep -vE '^lib(llvm|clang|c6|gcc|stdc|perl|pq)') | sort -u)
done
for p in $wanted; do
  case " $servers " in *" $p "*) ;; *) ! dpkg -s "$p" >/dev/null 2>&1 || continue ;; esac
  apt get download "$p"
done
for f in *.deb; do dpkg-deb -x "$f" root; done
for d in root/usr/lib root/lib; do [ ! -d "$d" ] || cp -an "$d/." /usr/lib/; done
for d in share/postgresql include; do cp -an "root/usr/$d/." "/usr/$d/"; done
ldconfig
cd /
rm -rf "$at"
missing=$(ldd "/usr/lib/postgresql/$v/bin/"{postgres,pg_upgrade,pg_dump,psql} | sed -n 's/ => not found$//p' | sort -u)
[ -z "$missing" ] || { echo "E: PostgreSQL $v wants" $missing >&2; exit 1; }
EOS
  kg_sudo touch "$dir/.kg-unpacked-$3"
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
