#!/bin/sh
# dropins.sh install | uninstall DIRECTORY: makes or removes symbolic links to the
# installed tool, with the names of the tools that it can replace. Never replaces
# or removes another file. The tool is BINDIR/weir; by default bin/weir beside this
# script (as in the archive of dist.sh), else PREFIX/bin/weir. DESTDIR comes before
# each path.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ ! -x "$here/bin/weir" ] || BINDIR=${BINDIR:-$here/bin}
BINDIR=${BINDIR:-${PREFIX:-/usr/local}/bin}
DESTDIR=${DESTDIR-}

names='b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum wc'

fail() {
    echo "dropins: $*" >&2
    exit 1
}

# The command in messages: the copy in an archive is a program of its own.
if [ "$(basename "$0")" = dropins ]; then
    command="$0 ${1-install} /absolute/path"
else
    command="make ${1-install}-dropins DIR=/absolute/path"
fi

# is_ours FILE: true for a symbolic link to weir.
is_ours() {
    [ -L "$1" ] || return 1
    case $(readlink "$1") in
    weir | */weir) return 0 ;;
    esac
    return 1
}

# Checks all names before it changes one.
install_links() {
    [ -x "$DESTDIR$BINDIR/weir" ] ||
        fail "there is no $DESTDIR$BINDIR/weir to link to; use \`make install-tool\` first," \
            "with the same PREFIX"
    for name in $names; do
        link=$DESTDIR$directory/$name
        if [ -e "$link" ] || [ -L "$link" ]; then
            is_ours "$link" || fail "$link exists and is no link to weir"
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
'')
    fail "no directory is given; use: $command" \
        "(a directory that comes before /usr/bin in PATH, such as $HOME/bin);" \
        "it gets links named $names to $BINDIR/weir"
    ;;
*) fail "DIR=$directory is not an absolute path; use: $command" ;;
esac

case ${1-} in
install) install_links ;;
uninstall) uninstall_links ;;
*)
    echo "usage: dropins.sh install | uninstall DIRECTORY" >&2
    exit 2
    ;;
esac
