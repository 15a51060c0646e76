# bag.sh: functions that make a bag, for the transcripts of this folder.

# list FILE..., payload [FILE...] and tags write manifests anew, declare VERSION ENCODING bagit.txt; no tag
# file begins with d or t.
list() { for s in md5 sha256; do "${s}sum" "$@" >"$file-$s.txt"; done; }
payload() { file=manifest && list data/a.txt data/sub/b.txt "$@"; }
tags() { file=tagmanifest && list [!dt]*; }
declare() { printf 'BagIt-Version: %s\nTag-File-Character-Encoding: %s\n' "$@" >bagit.txt; }

# make CHANGE: copies the bag b, which the tools of GNU make once, and a file beside it; runs a script in b.
make() {
    if cd "$top" && [ ! -d bag ]; then
        mkdir -p bag/b/data/sub && echo secret >bag/secret && cd bag/b &&
            echo hello >data/a.txt && echo 'hello again' >data/sub/b.txt && declare 1.0 UTF-8 &&
            printf 'Contact-Name: A\n  B\nPayload-Oxum: 18.2\n' >bag-info.txt && payload && tags
    fi
    cd "$top" && rm -rf t && cp -r bag t && cd t/b && eval "$1"
    cd "$top/t" || exit
}
