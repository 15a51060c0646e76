#!/bin/sh
# test-deb.sh [DIR]: installs, upgrades, uses and removes the packages that deb.sh has made in
# .build/dist, on a bare Debian 12 with no package but those that Debian requires. With DIR
# it does that on this machine: test-bare.sh calls it there.
set -eu

. support/shell.sh

if [ $# -eq 0 ]; then
    BARE_PACKAGES='' BARE_FOLDER=$PWD/.build/dist exec \
        sh support/test-bare.sh "sh packaging/test-deb.sh '$PWD/.build/dist'"
fi

packages=$1
work=$(mktemp -d)
number=$(full_version)
export DEBIAN_FRONTEND=noninteractive

# that COMMAND...: ends the test unless the command succeeds.
that() {
    "$@" || fail "FAILED: $*"
}

apt() {
    apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null >"$work/apt" 2>&1 ||
        { cat "$work/apt" >&2 && fail "FAILED: apt-get $*"; }
}

# state: all files and installed packages, without logs, caches and the lists of apt.
state() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root \
        -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune \
        -o -print | LC_ALL=C sort
    find /var/lib/dpkg/info -name '*weir*'
    dpkg-query -W
}

# ours: the packages of this repository that are installed.
ours() {
    dpkg-query -W -f '${Package}\n' '*weir*'
}

# older DEB: the same package as version 0.0.1, with one more file.
older() {
    dpkg-deb -R "$1" "$work/old"
    sed -i "s/$number-1/0.0.1-1/; s/(>= $number)/(>= 0.0.1)/" "$work/old/DEBIAN/control"
    mkdir -p "$work/old/usr/share/weir-of-yesterday"
    echo old >"$work/old/usr/share/weir-of-yesterday/$(basename "$1")"
    dpkg-deb --root-owner-group -b "$work/old" "$work/older" >/dev/null
    rm -r "$work/old"
}

state >"$work/before"

say "weir alone: installed without a network, and a hash"
begin=$(date +%s%N)
that unshare --net env apt-get -qq -y install "$packages/weir_${number}-1_$(dpkg --print-architecture).deb" \
    </dev/null >"$work/apt" 2>&1
weir hash /usr/bin >"$work/manifest"
elapsed=$((($(date +%s%N) - begin) / 1000000))
that sha256sum --quiet -c "$work/manifest"
say "apt install and a hash of $(wc -l <"$work/manifest") files: $elapsed ms"
that [ "$elapsed" -lt 60000 ]
that [ "$(weir --version)" = "weir $number" ]
apt purge weir
state >"$work/after"
that cmp "$work/before" "$work/after"

say "all packages, in an older version, and upgraded"
apt update
mkdir "$work/older"
for package in "$packages"/*_"$number"-1_*.deb; do
    older "$package"
done
apt install "$work/older"/*.deb
that [ -d /usr/share/weir-of-yesterday ]
apt install "$packages"/*_"$number"-1_*.deb
that [ ! -e /usr/share/weir-of-yesterday ]
that [ "$(dpkg-query -W -f '${db:Status-Abbrev}${Version}\n' '*weir*' | grep -c "^ii $number-1$")" -eq 5 ]
# shellcheck disable=SC2046
that dpkg --verify $(ours)

say "the drop-in names, the demos and the library"
for name in sha256sum md5sum wc; do
    that [ "$(PATH=/usr/lib/weir/dropins:$PATH $name /etc/passwd)" = "$($name /etc/passwd)" ]
    that [ "$(readlink -f "/usr/lib/weir/dropins/$name")" = /usr/bin/weir ]
done
weir-demo groups --virtual </dev/null >"$work/demo"
that [ -s "$work/demo" ]
apt install gcc libc6-dev pkg-config
for flags in "" --static; do
    # shellcheck disable=SC2046,SC2086
    that cc man/examples/lines.c -o "$work/lines" $(pkg-config --cflags --libs $flags weir)
    that [ "$("$work/lines" man/examples | wc -l)" -eq "$(find man/examples -type f | wc -l)" ]
done

say "removed: nothing is left"
# shellcheck disable=SC2046
apt purge $(ours) gcc libc6-dev pkg-config
apt autoremove --purge
state >"$work/after"
that cmp "$work/before" "$work/after"
rm -r "$work"
say "passed"
