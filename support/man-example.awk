# man-example.awk: puts whole programs into manual pages. Each becomes text that a
# reader can copy out of the page and compile.
#
#   awk -v examples=DIR -f man-example.awk -f man-page.awk PAGE
#
# man-page.awk replaces a line "@EXAMPLE NAME@" of a page; man.awk calls `example`.

# The program DIR/NAME.c as text of a manual page. Quotes, hyphens and the like
# stand for themselves, and not for their typographic forms.
function example(name,    file, line, text, count) {
    file = examples "/" name ".c"
    while ((getline line < file) > 0) {
        gsub(/\\/, "\\e", line)
        gsub(/-/, "\\-", line)
        gsub(/'/, "\\(aq", line)
        gsub(/`/, "\\(ga", line)
        gsub(/\^/, "\\(ha", line)
        gsub(/~/, "\\(ti", line)
        text = text (line ~ /^\./ ? "\\&" : "") line "\n"
        count++
    }
    close(file)
    if (!count) {
        print "man: no example " file > "/dev/stderr"
        exit 1
    }
    return ".EX\n" text ".EE\n"
}
