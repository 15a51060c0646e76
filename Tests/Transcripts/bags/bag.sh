# bag.sh: functions that make a bag, for the transcripts of this folder.

# list FILE..., payload [FILE...] and tags write manifests anew, declare VERSION ENCODING bagit.txt.
list() { for s in md5 sha256; do "${s}sum" "$@" >"$file-$s.txt"; done; }
payload() { file=manifest && list data/a.txt data/sub/b.txt "$@"; }
# shellcheck disable=SC2046
tags() { file=tagmanifest && list $(ls | grep -v -e '^data$' -e '^tagmanifest'); }
declare() { printf 'BagIt-Version: %s\nTag-File-Character-Encoding: %s\n' "$@" >bagit.txt; }

# make CHANGE: makes the bag b by the tools of GNU, beside a file that is not in it, and runs a script in
# the bag.
make() {
    fresh
    echo secret >secret && mkdir -p b/data/sub && cd b || exit
    echo hello >data/a.txt && echo 'hello again' >data/sub/b.txt && declare 1.0 UTF-8 &&
        printf 'Contact-Name: A\n  B\nPayload-Oxum: 18.2\n' >bag-info.txt && payload && tags && eval "$1"
    cd "$top/t" || exit
}
