# man.awk: makes a manual page of each header, and for each function and type a
# page that links to it.
#
#   awk -v to=DIR -v version=0.7.0 -v date=2026-11-21 -v examples=man/examples \
#       -f man.awk -f man-example.awk HEADER...
#
# The comment that opens a header is the page's description. A comment that begins
# with "/*!" describes the declaration after it; both stand on the page in the
# header's order. Tags of HeaderDoc: @discussion begins a paragraph, @param, @field
# and @constant a list entry, @result the return value. An empty line ends a
# paragraph, four blanks begin a program, "- " an item of a list. "/* ---- TITLE
# --- */" is a heading in the synopsis. The page's example is the program
# weir_HEADER.c among the examples.

function escaped(line) {
    gsub(/\\/, "\\e", line)
    return (line ~ /^[.']/ ? "\\&" : "") line "\n"
}

# A line of a comment. in_entry: indentation means nothing.
function roff(line,    before) {
    if (line ~ /^[ \t]*$/) {
        before = in_program ? ".fi\n.PP\n" : ".PP\n"
        in_program = 0
        is_first = 1
        return before
    }
    if (is_first && !in_entry && line ~ /^    /) {
        in_program = 1
        before = ".nf\n"
    }
    is_first = 0
    if (in_program)
        return before escaped(line)
    sub(/^[ \t]+/, "", line)
    if (sub(/^- /, "", line))
        before = ".IP \\(bu 2\n"
    return before escaped(line)
}

# Without paragraphs that are empty.
function tidy(text) {
    gsub(/(\.PP\n)+/, ".PP\n", text)
    gsub(/\.PP\n\.TP\n/, ".TP\n", text)
    gsub(/\.PP\n\.IP /, ".IP ", text)
    sub(/(\.PP\n)+$/, "", text)
    return text
}

# A line of a "/*!" comment, which may hold several tags.
function take(line,    tag, word, rest) {
    while (match(line, /@[a-z]+[ \t]*/)) {
        tag = substr(line, RSTART + 1, RLENGTH - 1)
        rest = substr(line, RSTART + RLENGTH)
        line = substr(line, 1, RSTART - 1)
        if (line ~ /[^ \t]/)
            doc = doc roff(line)
        doc = doc roff("")
        sub(/[ \t]+$/, "", tag)
        in_entry = 0
        if (tag == "result")
            doc = doc "Return value:\n"
        if (tag !~ /^(discussion|result)$/) {
            word = rest
            sub(/[ \t].*/, "", word)
            rest = substr(rest, length(word) + 1)
            in_entry = 1
            doc = doc ".TP\n.B " word "\n"
        }
        line = rest
        if (line ~ /^[ \t]*$/)
            return
    }
    doc = doc roff(line)
}

# A declaration in lines of at most 68 columns.
function folded(text,    result, at) {
    while (length(text) > 68) {
        at = match(substr(text, 1, 68), /.*, /) ? RLENGTH : 0
        if (at < 9 && match(substr(text, 1, 68), /.*[ (]/))
            at = RLENGTH
        if (at < 9)
            break
        result = result escaped(substr(text, 1, at))
        text = "    " substr(text, at + 1)
    }
    return result escaped(text)
}

function declared(    ends, lines, count, i, shown) {
    gsub(/WEIR_(EXPORT|WARN_RESULT|NULLABLE|NONNULL|NOESCAPE)[ \t\n]*/, "", code)
    gsub(/[ \t]*__attribute__\(\([^;]*\)\)/, "", code)
    sub(/\n+$/, "", code)
    if (code !~ /[{#]/)
        gsub(/\n/, " ", code)
    gsub(/\n         +/, " ", code)
    while (match(code, /[^ \n]  +/))
        code = substr(code, 1, RSTART + 1) substr(code, RSTART + RLENGTH)
    gsub(/\( +/, "(", code)
    ends = "weir_[a-z0-9_]+\\("
    if (code ~ /^typedef/)
        ends = "weir_[a-z0-9_]+(\\)\\(|;)"
    if (code ~ /^#define/)
        ends = "WEIR_[A-Z_]+"
    if (match(code, ends)) {
        name = substr(code, RSTART, RLENGTH)
        sub(/[();]+$/, "", name)
    }
    count = split(code, lines, "\n")
    for (i = 1; i <= count; i++)
        shown = shown folded(lines[i])
    body = body ".SS " name "\n.nf\n" shown ".fi\n" tidy(".PP\n" doc)
    if (code !~ /^(typedef|#)/) {
        synopsis = synopsis "\n" shown
        if (name != page)
            names = names ", " name
    } else if (code ~ /\{/) {
        match(code, /^typedef (struct|enum)/)
        synopsis = synopsis "\n" substr(code, 1, RLENGTH) " { ... } " name ";\n"
    }
    if (name ~ /^weir_/ && name != page)
        page_of[name] = page
}

function put_page() {
    if (page == "")
        return
    sub(/^[^:]*: */, "", title)
    sub(/\.? *$/, "", title)
    rules = page == "weir_base" ? "" : \
        ".BR weir_base (3)\nhas the rules of all functions: errors, threads, blocking, NULL.\n"
    printf ".\\\" Made from %s by support/man.awk.\n.TH %s 3 %s \"Weir %s\" \"Weir\"\n.nh\n.ad l\n" \
        ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n#include <%s>\n%s.fi\n.SH DESCRIPTION\n%s%s%s", \
        header, toupper(page), date, version, names, title, header, synopsis, \
        description == "" ? title ".\n" : tidy(description), \
        ".SH EXAMPLE\n" example(page), \
        body == "" ? "" : ".SH INTERFACE\n" rules body > (to "/" page ".3")
    pages[++page_count] = page
}

FNR == 1 {
    put_page()
    header = FILENAME
    sub(/^.*weir\//, "weir/", header)
    page = header
    gsub(/\//, "_", page)
    sub(/\.h$/, "", page)
    names = page
    title = synopsis = description = body = ""
    in_entry = in_program = 0
    state = "title"
    next
}

state == "title" || state == "description" {
    closes = sub(/[ \t]*\*\/.*/, "")
    sub(/^ \* ?/, "")
    if (state == "description" && $0 != "")
        description = description roff($0)
    else if (state == "description")
        description = description (closes ? "" : roff(""))
    else if ($0 == "")
        state = "description"
    else
        title = title (title == "" ? "" : " ") $0
    if (closes)
        state = "code"
    next
}

/^\/\*!/ {
    doc = name = code = ""
    in_entry = in_program = 0
    is_first = 1
    state = "comment"
    sub(/^\/\*![ \t]*/, "")
}

state == "comment" {
    closes = sub(/[ \t]*\*\/.*/, "")
    sub(/^ \* ?/, "")
    take($0)
    if (closes) {
        doc = doc roff("")
        state = "declaration"
    }
    next
}

state == "declaration" {
    code = code $0 "\n"
    depth += gsub(/\{/, "{") - gsub(/\}/, "}")
    if (code ~ /^#/ ? $0 !~ /\\$/ : depth == 0 && /;[ \t]*$/) {
        declared()
        state = "code"
    }
    next
}

/^\/\* ---- / {
    sub(/^\/\* -+ */, "")
    sub(/ *-+ *\*\/$/, "")
    synopsis = synopsis "\n/* " $0 ": */\n"
}

/^#ifdef WEIR_BLOCKS/ { synopsis = synopsis "\n/* if the compiler has blocks: */\n" }

END {
    put_page()
    for (i = 1; i <= page_count; i++) {
        print ".SH SEE ALSO" > (to "/" pages[i] ".3")
        for (j = 1; j <= page_count; j++)
            if (i != j)
                print ".BR " pages[j] " (3)," > (to "/" pages[i] ".3")
        print ".BR weir (7)" > (to "/" pages[i] ".3")
    }
    for (name in page_of) {
        print ".so man3/" page_of[name] ".3" > (to "/" name ".3")
        close(to "/" name ".3")
    }
}
