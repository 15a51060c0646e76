#!/bin/sh
# test-bare.sh [COMMAND]...: runs `make run` and `make test`, or the given
# commands, on a bare machine: a Debian 12 of the smallest variant with git,
# make, the Swift toolchain and the packages that swift.org lists for it.
# BARE_MINUTES=30 is the time limit of each command; BARE_LOG=FILE keeps their
# output. `.ci/run` runs its checks this way.
#
# The machine is a chroot in a temporary folder, with mount, process and IPC
# namespaces of its own: when this script ends, for whatever reason, the kernel
# ends every process in it and unmounts everything. The packages come from the
# mirror in the host's apt configuration. The repository is a clone: only what is
# committed counts.
#
# BARE_PACKAGES=LIST are the machine's packages instead of these; none if it is empty.
# BARE_FOLDER=DIR is a folder of the host that the machine can read, at the same path.
#
# The installed machine is kept as an archive in BARE_CACHE, by default
# ~/.cache/weir, until the month or the list of packages changes. The packages of
# `make setup` are not in it: each run shows that the set-up installs them.
#
# Needs root, debootstrap and the host's network.
set -eu

. support/shell.sh

suite=bookworm
minutes=${BARE_MINUTES:-30}
# https://www.swift.org/install/linux lists these for Debian 12, and more for
# lldb. ca-certificates, git and make are the rest of the machine.
packages="binutils ca-certificates git libc6-dev libcurl4 libedit2 libgcc-12-dev
    libncurses6 libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2 libz3-4 make
    pkg-config tzdata zlib1g-dev"
packages=${BARE_PACKAGES-$packages}

# ---- outside the namespaces --------------------------------------------------

if [ "${WEIR_BARE_MACHINE-}" = "" ]; then
    [ "$(id -u)" -eq 0 ] || fail "only root can make a bare machine; use sudo make test-bare"
    for program in debootstrap git setpriv timeout unshare; do
        command -v "$program" >/dev/null 2>&1 ||
            fail "$program is not installed; use apt-get install debootstrap git util-linux"
    done
    command -v swift >/dev/null 2>&1 || fail "swift is not in PATH"
    git rev-parse --git-dir >/dev/null 2>&1 || fail "this folder is no git checkout"
    [ $# -gt 0 ] || set -- "make run" "make test"

    WEIR_BARE_MACHINE=$(mktemp -d "${BARE_DIR:-${TMPDIR:-/tmp}}/weir-bare.XXXXXX")
    export WEIR_BARE_MACHINE
    # Nothing is mounted here outside the namespace, so rm cannot reach the host.
    trap 'rm -rf --one-file-system "$WEIR_BARE_MACHINE"' EXIT
    status=0
    setpriv --pdeathsig KILL unshare --mount --pid --ipc --fork --kill-child \
        --propagation private sh "$0" "$@" &
    machine=$!
    # A shell waits for a program in the foreground before it runs a trap.
    trap 'kill -9 "$machine"; wait "$machine" || exit 130' INT TERM HUP
    wait "$machine" || status=$?
    exit "$status"
fi

# ---- the machine -------------------------------------------------------------

root=$WEIR_BARE_MACHINE/root

# url SUITE: the host's mirror of a suite, in either format of apt's sources.
url() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in
        *.list) sed -n 's/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\)  *'"$1"' .*/\2/p' "$file" ;;
        *.sources)
            awk -v suite="$1" '
            function put() { if (wanted) print url; wanted = 0 }
            /^URIs:/ { url = $2 }
            /^Suites:/ { for (i = 2; i <= NF; i++) wanted = wanted || $i == suite }
            /^[ \t]*$/ { put() }
            END { put() }' "$file"
            ;;
        esac
    done 2>/dev/null | head -n 1
}

# bind DIRECTORY: the host's directory, read-only, at the same place.
bind() {
    mkdir -p "$root$1"
    mount --rbind "$1" "$root$1"
    mount -o remount,bind,ro "$root$1"
}

in_machine() {
    chroot "$root" env -i HOME=/root PATH="$toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        LANG=C.UTF-8 "$@"
}

# The host's proxy, for debootstrap and as settings of apt.
read_proxy() {
    settings=
    for name in http https; do
        eval "$(apt-config shell proxy "Acquire::$name::Proxy")"
        [ -z "${proxy-}" ] || export "${name}_proxy=$proxy"
        [ -z "${proxy-}" ] || settings="${settings}Acquire::$name::Proxy \"$proxy\";"
        proxy=
    done
}

# copy_network: the host's way to the network, and its certificates: a proxy may have
# one of its own.
copy_network() {
    printf '%s\n' "$settings" >"$root/etc/apt/apt.conf.d/99host"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    [ ! -f /etc/ssl/certs/ca-certificates.crt ] || [ ! -d "$root/etc/ssl/certs" ] ||
        cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

# The archive of the installed machine.
archive() {
    key=$(printf '%s' "$suite $packages $(dpkg --print-architecture)" | cksum | cut -d ' ' -f 1)
    echo "${BARE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/weir}/bare${packages:+-swift}-$(date +%Y-%m)-$key.tar.gz"
}

# Unpacks the archive, or installs the machine and makes the archive. Another run on
# this host finds a whole archive or none.
make_machine() {
    archive=$(archive)
    read_proxy
    if [ -f "$archive" ] && tar -C "$root" -xpzf "$archive" 2>>"$WEIR_BARE_MACHINE/log"; then
        origin="unpacked from $archive"
        copy_network
        return
    fi
    origin=installed
    install_machine || return 1
    mkdir -p "${archive%/*}" || return 0
    rm -f "${archive%/bare*}/bare${packages:+-swift}-2"*.tar.gz
    { tar -C "$root" -c . | gzip -1 >"$archive.$$"; } 2>>"$WEIR_BARE_MACHINE/log" &&
        mv "$archive.$$" "$archive" || rm -f "$archive.$$"
}

install_machine() {
    mirror=$(url "$suite")
    debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" \
        >"$WEIR_BARE_MACHINE/log" 2>&1 || return 1
    for name in "$suite-updates" "$suite-security"; do
        mirror=$(url "$name")
        [ -z "$mirror" ] || echo "deb $mirror $name main" >>"$root/etc/apt/sources.list"
    done
    copy_network
    # shellcheck disable=SC2086
    {
        in_machine apt-get -q update &&
            in_machine DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
                --no-install-recommends $packages
    } >>"$WEIR_BARE_MACHINE/log" 2>&1 || return 1
    in_machine apt-get clean
    copy_network
}

# The host's rules for git, and the local folders that these rules name.
copy_git_rules() {
    git config --get-regexp '^url\.' | while read -r key value; do
        git config --file "$root/etc/gitconfig" --add "$key" "$value"
        folder=${key#url.}
        folder=${folder%.*}
        folder=${folder#file://}
        case $folder in
        /*) [ -d "$root$folder" ] || bind "${folder%/}" ;;
        esac
    done
    git config --file "$root/etc/gitconfig" --add safe.directory '*'
}

seconds() {
    date +%s
}

[ -d "$WEIR_BARE_MACHINE" ] || fail "$WEIR_BARE_MACHINE is not a folder"
toolchain=$(toolchain)
# A mount point, as the root of a machine is: `unshare --mount` needs one.
mkdir "$root"
mount --bind "$root" "$root"
begin=$(seconds)
make_machine || {
    tail -n 20 "$WEIR_BARE_MACHINE/log" >&2
    fail "the machine could not be installed"
}
# A toolchain in /usr would hide the machine's own programs. The packages need none.
[ "$toolchain" != /usr ] || [ -n "${BARE_FOLDER-}" ] ||
    fail "the Swift toolchain is part of /usr; unpack one into a folder of its own, first in PATH"
[ -n "${BARE_FOLDER-}" ] || bind "$toolchain"
[ -z "${BARE_FOLDER-}" ] || bind "$BARE_FOLDER"
copy_git_rules
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null || true
git -c advice.detachedHead=false clone -q . "$root/root/weir"
say "the machine: $(in_machine sh -c '. /etc/os-release; echo "$PRETTY_NAME"')," \
    "$(in_machine dpkg-query -W | wc -l) packages, $(nproc) cores," \
    "$origin in $(($(seconds) - begin)) s"

# The lines that a successful command prints here.
results='Test run with|^test: |^setup: (missing|installed)|^all .* files agree|^passed|^lint: (passed|FAILED)'
results="$results|^skipped: |^warnings: |^test-deb: "

failed=
for command; do
    begin=$(seconds)
    status=0
    timeout --kill-after=20 "${minutes}m" chroot "$root" env -i HOME=/root LANG=C.UTF-8 \
        PATH="$toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        sh -c "cd ~/weir && $command" >"$WEIR_BARE_MACHINE/output" 2>&1 </dev/null ||
        status=$?
    elapsed=$(($(seconds) - begin))
    [ -z "${BARE_LOG-}" ] || cat "$WEIR_BARE_MACHINE/output" >>"$BARE_LOG"
    if [ "$status" -eq 0 ]; then
        grep -aE "$results" "$WEIR_BARE_MACHINE/output" || true
    else
        tail -n 60 "$WEIR_BARE_MACHINE/output"
        failed=yes
    fi
    say "$command: status $status after $((elapsed / 60)):$(printf '%02d' $((elapsed % 60)))"
done
[ -z "$failed" ] || fail "FAILED"
say "passed"
