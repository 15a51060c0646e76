#!/bin/sh
# dist.sh: makes an archive with a tool that runs on any Linux of this architecture:
# .build/dist/weir-VERSION-linux-ARCH.tar.gz, from the last commit. Beside it are its bill of
# materials and SHA256SUMS, the file that a release signs.
#
# The archive is reproducible: the same commit on the same system gives the same bytes,
# whatever the directory, the user, the language or the umask. So the commit is copied
# into a directory whose path always has the same length, because the compiler stores
# lengths of paths, and built there from nothing. The versions of all that is
# linked are in dist-versions.txt: those of the packages are resolved, and a system with
# other versions is reported.
#
# Rejected: building in the checkout (its path has any length, and a changed file would go into
# an archive that names the commit), and a path that is always the same (two users, or
# two builds at once, would meet in it).
set -eu

. support/shell.sh
. support/components.sh

repository=$PWD

# The time of all files, of the bill of materials and of the manual pages.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)} ||
    fail "this folder is no git checkout; set SOURCE_DATE_EPOCH to a time in seconds"

# sources DIRECTORY: the last commit; without git, the files that are here.
sources() {
    if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
        git archive HEAD | tar -C "$1" -xf -
        say "commit $(git rev-parse --short=12 HEAD)$(git tag --points-at HEAD | sed -n '1s/^/, tag /p')"
        [ -z "$(git status --porcelain --untracked-files=no)" ] ||
            say "changes that are not committed are left out"
    else
        tar --exclude='./.build*' --exclude='*/.build' -cf - . | tar -C "$1" -xf -
    fi
}

umask 022
directory=$(mktemp -d /tmp/weir-dist.XXXXXXXX)
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

sources "$directory"
cd "$directory"
env SOURCE_DATE_EPOCH="$time" LC_ALL=C TZ=UTC WEIR_COMMIT="$(git -C "$repository" rev-parse HEAD 2>/dev/null || :)" \
    sh support/dist-archive.sh

made=$(ls .build/dist/*.tar.gz)
mkdir -p "$repository/.build/dist"
former=$repository/.build/dist/${made##*/}
# Packages of another commit with the same version would be in SHA256SUMS too.
[ ! -f "$former" ] || cmp -s "$made" "$former" ||
    find "$repository/.build/dist" -maxdepth 1 -type f \
        \( -name "*[-_]$(full_version)[-.]*" -o -name weir.rb \) -exec rm {} +
mv "$made" "$repository/.build/dist/"
cd "$repository"
tar -xzOf ".build/dist/${made##*/}" "$(dist_name)/share/doc/weir/weir.spdx.json" \
    >".build/dist/$(dist_name).spdx.json"
write_sums
say "$PWD/.build/dist/${made##*/}, $(($(wc -c <".build/dist/${made##*/}") / 1000)) kB"
say "SHA-256 $(sha256sum ".build/dist/${made##*/}" | cut -d ' ' -f 1)"
