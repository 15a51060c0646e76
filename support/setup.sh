#!/bin/sh
# setup.sh: installs the missing ones of the system packages that Weir is built
# and tested with. Prints nothing if none is missing.
#
# A test that needs a program of these packages fails without it. Tests that need
# another program (strace, jq, the system's clang) are skipped without it, and
# say so.
set -eu

packages="abigail-tools b3sum gcc jdupes libarchive-tools libblocksruntime-dev
    libc6-dev libssl-dev libxxhash-dev mandoc mtree-netbsd pkg-config procps xxhash"

say() {
    printf '%s\n' "setup: $*" >&2
}

# True if the C compiler finds the headers of the libraries.
has_headers() {
    printf '#include <openssl/evp.h>\n#include <xxhash.h>\n' |
        "${CC:-cc}" -E -x c - >/dev/null 2>&1
}

if ! command -v swift >/dev/null 2>&1; then
    say "swift is not in PATH. Weir needs Swift 6.2 or later:" \
        "https://www.swift.org/install"
    exit 1
fi

if ! command -v dpkg-query >/dev/null 2>&1 ||
    ! command -v apt-get >/dev/null 2>&1; then
    has_headers && exit 0
    say "this system has no apt-get. Weir needs the headers and libraries of" \
        "OpenSSL 3 (libcrypto) and of xxHash 0.8. Install them with the system's" \
        "package manager, so that cc finds <openssl/evp.h> and <xxhash.h>."
    exit 1
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null) || status=
    case " $status" in
    *" installed "*) ;;
    *) missing="$missing $package" ;;
    esac
done
missing=${missing# }
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ] && [ -t 2 ]; then
    as_root=sudo
else
    say "missing: $missing. Only root can install packages; as root, type"
    printf '\n    %s\n\n' "apt-get update && $install" >&2
    exit 1
fi

# $as_root and $install are lists of words.
# shellcheck disable=SC2086
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive "$@"
}

say "installing $missing"
# Without a network, the present package lists may suffice.
apt apt-get -qq -o DPkg::Lock::Timeout=300 update ||
    say "apt-get update failed; using the present package lists"
# shellcheck disable=SC2086
apt $install -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 </dev/null
say "installed $missing"
