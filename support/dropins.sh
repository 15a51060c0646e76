#!/bin/sh
# dropins.sh install | uninstall DIRECTORY: puts symbolic links to the installed
# tool into a directory, by the names under which it is another one, or takes
# them away. Only what is such a link is ever replaced or removed. The tool is
# looked for in BINDIR, else in bin beside this script, which is where it is in
# the archive of dist.sh; DESTDIR comes before both.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ ! -x "$here/bin/weir" ] || BINDIR=${BINDIR:-$here/bin}
BINDIR=${BINDIR:-${PREFIX:-/usr/local}/bin}
DESTDIR=${DESTDIR-}

names='md5sum sha1sum sha224sum sha256sum sha384sum sha512sum wc'

fail() {
    echo "dropins: $*" >&2
    exit 1
}

# is_ours FILE: whether it is a symbolic link to a weir.
is_ours() {
    [ -L "$1" ] || return 1
    case $(readlink "$1") in
    weir | */weir) return 0 ;;
    esac
    return 1
}

# Looks at all of them before it changes one.
install_links() {
    [ -x "$DESTDIR$BINDIR/weir" ] ||
        fail "there is no $DESTDIR$BINDIR/weir; \`make install-tool\` puts it there"
    for name in $names; do
        link=$DESTDIR$directory/$name
        if [ -e "$link" ] || [ -L "$link" ]; then
            is_ours "$link" || fail "$link is there already, and no link to weir"
        fi
    done
    mkdir -p "$DESTDIR$directory"
    for name in $names; do
        ln -sfn "$BINDIR/weir" "$DESTDIR$directory/$name"
    done
}

uninstall_links() {
    for name in $names; do
        link=$DESTDIR$directory/$name
        if is_ours "$link"; then
            rm -f "$link"
        fi
    done
}

directory=${2-}
case $directory in
/*) ;;
'') fail "say where: DIR=/an/absolute/path" ;;
*) fail "DIR=$directory is not an absolute path" ;;
esac

case ${1-} in
install) install_links ;;
uninstall) uninstall_links ;;
*)
    echo "usage: dropins.sh install | uninstall DIRECTORY" >&2
    exit 2
    ;;
esac
