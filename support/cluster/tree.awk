# tree.awk: makes a tree of 100,000 small files in the directory `root`, with unusual
# names: spaces, newlines, backslashes, bytes that are not UTF-8. Contents and sizes
# come from a linear congruential generator, so they are the same in each run. One file
# in eight has the content of another.
#
#   LC_ALL=C awk -v root=tree -v files=100000 -f tree.awk

function random(n) {
    state = (state * 16807) % 2147483647
    return state % n
}

function name(i,    kind) {
    kind = i % 50
    if (kind == 1) return "with space " i
    if (kind == 2) return "new\nline" i
    if (kind == 3) return "\377\376latin" i
    if (kind == 4) return "back\\slash" i
    if (kind == 5) return "-dash" i
    if (kind == 6) return "tab\t" i
    if (kind == 7) return "\303\251" i
    return "f" i ".txt"
}

function text(i,    line, out, lines) {
    line = "file " i " " state " abcdefghijklmnopqrstuvwxyz 0123456789\n"
    lines = random(20)
    out = ""
    while (lines-- > 0)
        out = out line
    return out
}

BEGIN {
    state = 20110
    directories = int((files + 249) / 250)
    list = ""
    for (d = 0; d < directories; d++)
        list = list " '" root "/d" (d % 16) "/e " d "'"
    while (length(list) > 0) {
        # In pieces below the limit of a command line.
        cut = length(list)
        if (cut > 60000) {
            cut = 60000
            while (substr(list, cut, 3) != "' '") cut--
        }
        system("mkdir -p" substr(list, 1, cut))
        list = substr(list, cut + 1)
    }
    for (i = 0; i < files; i++) {
        d = int(i / 250)
        file = root "/d" (d % 16) "/e " d "/" name(i)
        if (i % 8 != 7 || content == "")
            content = text(i)
        printf "%s", content > file
        close(file)
    }
}
