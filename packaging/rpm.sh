#!/bin/sh
# rpm.sh: makes weir and weir-dropins as .rpm packages in .build/dist, from the archive that
# dist.sh has made. As root it installs them in an empty root directory, for a test.
#
# The archive is also what an Alpine system needs: its executable contains the GNU C library,
# so it runs beside musl. An apk would add a signing key and no file.
set -eu

. support/shell.sh

command -v rpmbuild >/dev/null 2>&1 || fail "rpmbuild is not installed; use apt-get install rpm"
archive=.build/dist/$(dist_name).tar.gz
[ -f "$archive" ] || fail "$archive is not there; use make dist"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: prints the command's messages only if it fails. Debian's rpm always says
# that Debian has another package manager.
quietly() {
    "$@" >"$work/messages" 2>&1 || { cat "$work/messages" >&2 && fail "FAILED: $*"; }
}

mkdir "$work/sources"
tar -C "$work/sources" --strip-components=1 -xzf "$archive"
grep -q "commit $(git rev-parse HEAD)" "$work/sources/share/doc/weir/weir.spdx.json" ||
    fail "$archive is of another commit; use make dist"
# The same archive gives the same bytes.
SOURCE_DATE_EPOCH=$(stat -c %Y "$work/sources/LICENSE")
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
quietly rpmbuild -bb --quiet --target "$(uname -m)-linux" --define "_topdir $work" --define "_sourcedir $work/sources" \
    --define "_rpmdir $work" --define "weir_version $(full_version)" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    --define "_buildhost localhost" packaging/weir.spec
mv "$work/$(uname -m)"/*.rpm .build/dist/
write_sums
for name in .build/dist/weir*-"$(full_version)"-1.*.rpm; do
    say "$name, $(($(wc -c <"$name") / 1000)) kB"
done
[ "$(id -u)" -eq 0 ] || exit 0

root=$work/root
mkdir "$root"
quietly rpm --root "$root" --initdb
quietly rpm --root "$root" -i --nosignature .build/dist/weir-"$(full_version)"-1.*.rpm \
    .build/dist/weir-dropins-"$(full_version)"-1.*.rpm
cmp "$root/usr/bin/weir" "$work/sources/bin/weir"
sum=$(cd "$root" && chroot . /usr/lib/weir/dropins/sha256sum /usr/share/doc/weir/licenses/LICENSE)
[ "${sum%% *}" = "$(sha256sum <LICENSE | cut -d ' ' -f 1)" ] || fail "FAILED: the installed sha256sum says $sum"
quietly rpm --root "$root" -e weir weir-dropins
[ -z "$(find "$root" -name '*weir*' ! -path "*/rpm/*")" ] || fail "FAILED: files are left after the removal"
say "installed, used and removed"
