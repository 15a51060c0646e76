#!/bin/sh
# test-dist.sh: tests the archive that dist.sh has made, in a root directory with nothing else, and
# its tool with the tests of the tool.
set -eu

. support/shell.sh

export SWIFT_BACKTRACE=enable=no
repository=$PWD
name=$(dist_name)
archive=$repository/.build/dist/$name.tar.gz
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
tar -C "$place" -xzf "$archive"
top=$place/$name
weir=$top/bin/weir

# that COMMAND...: ends the tests unless the command succeeds.
that() {
    "$@" || fail "FAILED: $*"
}

not() {
    ! "$@"
}

# alone COMMAND...: runs a program in a root directory without a library, a shell or /proc.
alone() {
    if [ "$(id -u)" -eq 0 ]; then set -- chroot "$top" "$@"; else
        set -- unshare --map-root-user chroot "$top" "$@"
    fi
    (cd "$top" && LC_ALL=C.UTF-8 "$@")
}

say "the executable: position-independent, no interpreter, library, symbol or path of the build"
readelf -hldSW "$weir" >"$place/elf"
that grep -q 'DYN (' "$place/elf"
that not grep -qE 'INTERP|\(NEEDED\)|\.symtab' "$place/elf"
that not grep -qaF -e "$repository" -e /tmp/weir-dist "$weir"

say "its own files"
that alone /bin/weir check --strict --quiet SHA256SUMS
[ "$(cd "$top" && find . -type f | wc -l)" -eq $(($(wc -l <"$top/SHA256SUMS") + 1)) ] ||
    fail "SHA256SUMS does not list all files"

say "the course: its page names its files, and it has a run, a pitfall and a program"
course=$top/share/doc/weir/course
for part in $(sed -n 's/.* \(src\|href\)="\([a-z.]*\.\(js\|css\)\)".*/\2/p' "$course/index.html"); do
    that test -s "$course/$part"
done
for part in '"gallery":' '"pitfalls extra-leave": {' '"program operations": {'; do
    that grep -q "^$part" "$course/runs.js"
done

say "a tree with unusual names"
mkdir -p "$top/tree/a" "$top/tree/empty"
head -c 3000000 /dev/urandom >"$top/tree/large"
for i in 1 2 3 4 5 6 7 8 9; do head -c ${i}000 /dev/urandom >"$top/tree/a/$i"; done
: >"$top/tree/none"
for one in 'new\nline' 'back\\slash' 'no\377utf8' 'caf\303\251'; do
    # The name is a format.
    # shellcheck disable=SC2059
    echo x >"$top/tree/$(printf "$one")"
done
all=sha256,md5,sha1,sha512,blake2b,xxh64,xxh3,xxh128
for algorithm in $(echo $all | tr , ' ') $all; do
    alone /bin/weir hash --tag -a "$algorithm" tree >"$top/manifest"
    that alone /bin/weir check --quiet manifest
done
alone /bin/weir hash tree >"$top/manifest"
(cd "$top" && that sha256sum -c --strict --quiet manifest)
printf x | dd of="$top/tree/a/5" bs=1 seek=17 conv=notrunc status=none
that [ "$(alone /bin/weir check --quiet manifest 2>/dev/null || true)" = "tree/a/5: FAILED" ]

say "the drop-in names"
# The Makefile exports them.
unset BINDIR PREFIX DESTDIR
(cd "$top" && DESTDIR=$top BINDIR=/bin that ./dropins install /usr/bin)
for tool in b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum wc; do
    alone "/usr/bin/$tool" LICENSE nothing bin/weir >"$place/ours" 2>&1 || true
    (cd "$top" && LC_ALL=C "$tool" LICENSE nothing bin/weir 2>&1 || true) |
        sed "s|^$tool: |/usr/bin/&|" >"$place/theirs"
    that cmp "$place/ours" "$place/theirs"
done
that "$top/dropins" install "$place/links"
that [ "$("$place/links/sha256sum" LICENSE)" = "$(sha256sum LICENSE)" ]
that "$top/dropins" uninstall "$place/links"
that rmdir "$place/links"

say "the files of the image, in an empty root directory"
image=$place/image
sed -n 's/^COPY //p' packaging/Containerfile | while read -r from to; do
    mkdir -p "$image$(dirname "$to")"
    if [ -d "$top/$from" ]; then mkdir -p "$image$to" && cp -R "$top/$from/." "$image$to"; else
        cp "$top/$from" "$image$to"
    fi
done
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' packaging/Containerfile)
whole=$top
top=$image
that [ "$(alone "$entry" hash licenses/LICENSE | cut -d ' ' -f 1)" = "$(sha256sum <LICENSE | cut -d ' ' -f 1)" ]
top=$whole

say "pages, licenses and the bill of materials"
that mandoc -T lint -W error "$top"/share/man/man1/*
documents=$top/share/doc/weir
for file in bash-completion/completions/weir zsh/site-functions/_weir fish/vendor_completions.d/weir.fish \
    $(grep -o '([a-z]*\.md' "$documents/cli.md" | sed 's|(|doc/weir/|' | sort -u); do
    that [ -f "$top/share/$file" ]
done
grep -oE '[A-Za-z0-9.-]+\.txt' "$documents/licenses/README" | sort -u >"$place/named"
(cd "$documents/licenses" && ls ./*.txt | sed 's|^\./||') | sort >"$place/there"
that cmp "$place/named" "$place/there"
bill=$documents/weir.spdx.json
that not grep -q unknown "$documents/licenses/README" "$bill"
that [ "$(grep -c STATIC_LINK "$bill")" -eq $(($(grep -c '"SPDXID": "SPDXRef-[a-z]' "$bill") - 1)) ]
[ "$(tar tvzf "$archive" | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" -eq 1 ] ||
    fail "the files have several owners or times"

say "the same bytes from another directory, language and umask"
git -c advice.detachedHead=false clone -q "$repository" "$place/another path/weir"
(cd "$place/another path/weir" && umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Tokyo make -s dist) >/dev/null
that cmp "$place/another path/weir/.build/dist/$name.tar.gz" "$archive"

WEIR_TEST_TOOL=$weir limited 20 swift test --disable-xctest --filter WeirToolTests
