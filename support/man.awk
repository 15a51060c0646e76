# man.awk: makes manual pages of the comments in Weir's headers, one page a
# header, and for each function and type a page that leads there.
#
#   awk -v to=DIR -v version=0.6.0 -v date=2026-11-21 -f man.awk HEADER...
#
# What it knows of HeaderDoc is what the headers use: a comment that begins
# with "/*!" and stands before its declaration; @function, @typedef, @struct,
# @enum and @const, of which the name is taken from the declaration where one is
# missing; @abstract, @discussion, @result; @param, @field and @constant, with a
# name. In running text an empty line ends a paragraph, four blanks begin a
# program, "- " an item of a list. The comment that opens the file describes
# the whole.
#
# DESIGN. Two rounds: what a page refers to may stand in another header. POSIX
# awk alone, so that the pages can be made where the library can.

FNR == 1 {
    headers++
    file = FILENAME
    sub(/^.*weir\//, "weir/", file)
    path[headers] = file
    page[headers] = file
    gsub(/\//, "_", page[headers])
    sub(/\.h$/, "", page[headers])
    page_of[page[headers]] = headers
    state = "begin"
    in_blocks = 0
}

# ---- reading ----------------------------------------------------------------

function begin_item() {
    items++
    header_of[items] = headers
    blocks[items] = in_blocks
    kind[items] = name[items] = code[items] = ""
    parts[items] = 0
    begin_part("abstract", "")
}

function begin_part(tag, word) {
    part = ++parts[items]
    part_tag[items, part] = tag
    part_name[items, part] = word
    part_text[items, part] = ""
}

function add_text(line) {
    part_text[items, part] = part_text[items, part] line "\n"
}

# A line of a comment, without its star. A line may hold several tags.
function take(line,    tag, rest, word) {
    while (match(line, /(^|[ \t])@[a-z]+/)) {
        rest = substr(line, RSTART + RLENGTH)
        tag = substr(line, RSTART, RLENGTH)
        line = substr(line, 1, RSTART - 1)
        if (line ~ /[^ \t]/)
            add_text(line)
        sub(/^[ \t]*@/, "", tag)
        sub(/^[ \t]+/, "", rest)
        word = ""
        if (tag !~ /^(abstract|discussion|result)$/) {
            word = rest
            sub(/[ \t].*/, "", word)
            rest = substr(rest, length(word) + 1)
            sub(/^[ \t]+/, "", rest)
        }
        if (tag ~ /^(function|typedef|struct|enum|const)$/) {
            kind[items] = tag
            name[items] = word
            begin_part("abstract", "")
        } else {
            begin_part(tag, word)
        }
        line = rest
        if (line == "")
            return
    }
    add_text(line)
}

state == "begin" && /^\/\*/ {
    state = "opening"
    next
}

state == "opening" {
    if (/\*\//) {
        state = "code"
        next
    }
    line = $0
    sub(/^ \* ?/, "", line)
    opening[headers] = opening[headers] line "\n"
    next
}

/^\/\*!/ {
    begin_item()
    state = "comment"
    line = $0
    sub(/^\/\*![ \t]*/, "", line)
    closes = sub(/[ \t]*\*\/.*/, "", line)
    if (line != "")
        take(line)
    if (closes)
        state = "declaration"
    next
}

state == "comment" {
    line = $0
    closes = sub(/[ \t]*\*\/.*/, "", line)
    if (!(closes && line ~ /^[ \t]*$/)) {
        sub(/^ \* ?/, "", line)
        take(line)
    }
    if (closes)
        state = "declaration"
    next
}

state == "declaration" {
    code[items] = code[items] $0 "\n"
    depth += gsub(/\{/, "{") - gsub(/\}/, "}")
    if (code[items] ~ /^#/ ? $0 !~ /\\$/ : depth == 0 && /;[ \t]*$/) {
        declared(items)
        state = "code"
    }
    next
}

/^#include <weir\// {
    included = $2
    gsub(/[<>]/, "", included)
    includes[headers] = includes[headers] " " included
}

/^#ifdef __BLOCKS__/ { in_blocks = 1 }
/^#endif/ { in_blocks = 0 }

# A declaration is complete: tidies it, and gives a nameless item its name.
function declared(i,    text) {
    text = code[i]
    gsub(/WEIR_(EXPORT|WARN_RESULT|NULLABLE|NONNULL|NOESCAPE)[ \t\n]*/, "", text)
    gsub(/[ \t]*__attribute__\(\([^;]*\)\)/, "", text)
    gsub(/\* (const)?[*]/, "**", text)
    sub(/\n+$/, "", text)
    code[i] = text
    if (kind[i] == "")
        kind[i] = text ~ /^typedef/ ? "typedef" : "function"
    if (name[i] == "" && match(text, /weir_[a-z0-9_]+\(/))
        name[i] = substr(text, RSTART, RLENGTH - 1)
    item_of[name[i]] = i
}

# ---- writing ----------------------------------------------------------------

function put(line) {
    if (line == ".PP") {
        apart = 1
        return
    }
    # What begins a paragraph by itself needs none before it.
    if (apart && line !~ /^\.(TP|IP|SS|SH)/)
        print ".PP" > out
    apart = 0
    print line > out
}

# Running text of one line, for roff: names of ours in bold, with the section
# where they are explained on another page.
function marked(line,    done, word, before, next_char) {
    gsub(/\\/, "\\e", line)
    done = ""
    before = ""
    while (match(line, /(weir\/[a-z]+\.h|weir_[a-z0-9_]+|[A-Z][A-Z_]+[A-Z])/)) {
        if (RSTART > 1)
            before = substr(line, RSTART - 1, 1)
        word = substr(line, RSTART, RLENGTH)
        done = done substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        next_char = substr(line, 1, 1)
        if (before ~ /[A-Za-z0-9_]/ || next_char ~ /[a-z0-9]/ || word ~ /^weir_.*_$/)
            done = done word
        else
            done = done shown(word, next_char)
        before = substr(word, length(word), 1)
    }
    line = done line
    if (line ~ /^[.']/)
        line = "\\&" line
    return line
}

function shown(word, next_char,    other) {
    if (word ~ /^weir\//) {
        gsub(/\//, "_", word)
        sub(/\.h$/, "", word)
        if (!(word in page_of) || word == page[current])
            return "\\fB" word "\\fR"
        also[word] = 1
        return "\\fB" word "\\fR(3)"
    }
    if (word in item_of) {
        other = page[header_of[item_of[word]]]
        if (other != page[current]) {
            also[other] = 1
            if (kind[item_of[word]] == "function" && next_char != "(")
                return "\\fB" word "\\fR(3)"
        }
        return "\\fB" word "\\fR"
    }
    if (word ~ /^(weir_|WEIR_|DISPATCH_|QOS_|RLIMIT_|NULL$|SIZE_MAX$|E[A-Z][A-Z][A-Z]+$)/)
        return "\\fB" word "\\fR"
    return word
}

# A line of a program: as it is.
function verbatim(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    if (line ~ /^[.']/)
        line = "\\&" line
    return line
}

# Text of several paragraphs. `plain`: its indentation means nothing.
function put_text(text, plain,    lines, count, i, line, program, fresh) {
    count = split(text, lines, "\n")
    while (count > 0 && lines[count] ~ /^[ \t]*$/)
        count--
    fresh = 1
    for (i = 1; i <= count; i++) {
        line = lines[i]
        if (line ~ /^[ \t]*$/) {
            if (!fresh && !program)
                put(".PP")
            fresh = 1
            if (program && lines[i + 1] !~ /^    /) {
                put(".EE")
                put(".RE")
                put(".PP")
                program = 0
            }
            continue
        }
        if (!plain && !program && fresh && line ~ /^    /) {
            put(".PP")
            put(".RS 4")
            put(".EX")
            program = 1
        }
        if (program) {
            put(verbatim(substr(line, 5)))
        } else {
            sub(/^[ \t]+/, "", line)
            if (line ~ /^- /) {
                put(".IP \\(bu 2")
                line = substr(line, 3)
            }
            put(marked(line))
        }
        fresh = 0
    }
    if (program) {
        put(".EE")
        put(".RE")
    }
}

# A declaration, broken before parameters where it is long, and within one that
# is long by itself; names of parameters in italics.
function put_declaration(text,    pieces, count, i, line) {
    gsub(/[ \t\n]+/, " ", text)
    count = cut(text, pieces, 1)
    line = pieces[1]
    for (i = 2; i <= count; i++) {
        if (length(line pieces[i]) > 68 && line !~ /^ *$/) {
            put_broken(line)
            sub(/^ /, "", pieces[i])
            line = "    "
        }
        line = line pieces[i]
    }
    put_broken(line)
}

# A line that may still be too long: at the commas within.
function put_broken(text,    pieces, count, i, line) {
    count = length(text) > 72 ? cut(text, pieces, 2) : cut(text, pieces, 99)
    line = pieces[1]
    for (i = 2; i <= count; i++) {
        if (length(line pieces[i]) > 68) {
            put("\\fB" parameters(line) "\\fR")
            sub(/^ /, "", pieces[i])
            line = "        "
        }
        line = line pieces[i]
    }
    put("\\fB" parameters(line) "\\fR")
}

# Cuts behind the commas that are so deep in parentheses, or less, and behind the
# first parenthesis; returns how many pieces there are.
function cut(text, pieces, deep,    i, c, level, count, piece) {
    level = count = 0
    piece = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        piece = piece c
        level += c == "(" ? 1 : c == ")" ? -1 : 0
        if (c == "," && level <= deep || c == "(" && !count && deep == 1) {
            pieces[++count] = piece
            piece = ""
        }
    }
    pieces[++count] = piece
    return count
}

function parameters(line,    done, word) {
    done = ""
    gsub(/-/, "\\-", line)
    while (match(line, /([ *^])[a-z_]+[,)]/)) {
        word = substr(line, RSTART + 1, RLENGTH - 2)
        done = done substr(line, 1, RSTART)
        if (word ~ /_t$/ || word ~ /^(void|int|bool|char)$/)
            done = done word
        else
            done = done "\\fI" word "\\fB"
        line = substr(line, RSTART + RLENGTH - 1)
    }
    return done line
}

# A struct or an enum: a member a line.
function put_type(text,    i, count, members, member, body, head, tail) {
    if (text !~ /\{/) {
        put_declaration(text)
        return
    }
    gsub(/[ \t\n]+/, " ", text)
    head = substr(text, 1, index(text, "{"))
    body = substr(text, index(text, "{") + 1)
    tail = body
    sub(/.*\}/, "}", tail)
    sub(/ *\}[^}]*$/, "", body)
    put(verbatim(head))
    count = split(body, members, text ~ /^typedef enum/ ? "," : ";")
    for (i = 1; i <= count; i++) {
        member = members[i]
        sub(/^ /, "", member)
        if (member == "")
            continue
        if (text ~ /^typedef enum/)
            put("    " verbatim(member) (i < count ? "," : ""))
        else
            put_member(member ";")
    }
    put(verbatim(tail))
}

function put_member(member,    at) {
    while (length(member) > 66 && match(substr(member, 1, 66), /.*, /)) {
        at = RLENGTH
        put("    " verbatim(substr(member, 1, at - 1)))
        member = "    " substr(member, at + 1)
    }
    put("    " verbatim(member))
}

function empty(text) {
    return text ~ /^[ \t\n]*$/
}

# The parts with this tag, in order; those with a name as a list.
function put_parts(i, wanted,    p, any) {
    for (p = 1; p <= parts[i]; p++) {
        if (part_tag[i, p] !~ ("^(" wanted ")$"))
            continue
        if (part_name[i, p] != "") {
            put(".TP")
            put((part_tag[i, p] == "constant" ? ".B " : ".I ") part_name[i, p])
            put_text(part_text[i, p], 1)
        } else if (!empty(part_text[i, p])) {
            if (any)
                put(".PP")
            put_text(part_text[i, p], 0)
        }
        any = 1
    }
}

function put_function(i,    p) {
    put(".SS " name[i])
    put(".nf")
    put_declaration(code[i])
    put(".fi")
    put(".PP")
    put_parts(i, "abstract")
    put_parts(i, "param")
    for (p = 1; p <= parts[i]; p++) {
        if (part_tag[i, p] != "result" || empty(part_text[i, p]))
            continue
        put(".PP")
        put(".I Return value:")
        put_text(part_text[i, p], 0)
    }
    for (p = 1; p <= parts[i]; p++) {
        if (part_tag[i, p] != "discussion")
            continue
        put(".PP")
        put_text(part_text[i, p], 0)
    }
}

# The functions' names, as many a line as fit.
function put_names(h, title,    i, line) {
    line = page[h]
    for (i = 1; i <= items; i++)
        if (header_of[i] == h && kind[i] == "function" && name[i] != page[h])
            line = line ", " name[i]
    put(line " \\- " title)
}

function put_synopsis(h,    i, seen) {
    put(".SH SYNOPSIS")
    put(".nf")
    put("\\fB#include <" path[h] ">\\fR")
    for (i = 1; i <= items; i++) {
        if (header_of[i] != h || kind[i] != "function")
            continue
        if (blocks[i] && !seen) {
            put("")
            put("/* where the compiler has blocks: */")
            seen = 1
        }
        put("")
        put_declaration(code[i])
    }
    put(".fi")
}

function put_types(h,    i, seen) {
    for (i = 1; i <= items; i++) {
        if (header_of[i] != h || kind[i] == "function")
            continue
        if (!seen)
            put(".SH TYPES AND CONSTANTS")
        seen = 1
        put(".SS " name[i])
        put(".nf")
        if (kind[i] == "const")
            put(verbatim(code[i]))
        else
            put_type(code[i])
        put(".fi")
        put(".PP")
        put_parts(i, "abstract")
        put_parts(i, "constant|field")
        put_parts(i, "discussion")
    }
}

function put_functions(h,    i, seen) {
    for (i = 1; i <= items; i++) {
        if (header_of[i] != h || kind[i] != "function")
            continue
        if (!seen)
            put(".SH FUNCTIONS")
        seen = 1
        put_function(i)
    }
}

function put_see_also(h,    names, count, i, j, word, line) {
    count = split(includes[h], names, " ")
    for (i = 1; i <= count; i++) {
        word = names[i]
        gsub(/\//, "_", word)
        sub(/\.h$/, "", word)
        if (word in page_of)
            also[word] = 1
    }
    put(".SH SEE ALSO")
    for (i = 1; i <= headers; i++)
        if (page[i] in also && i != h)
            put(".BR " page[i] " (3),")
    put(".BR weir (7)")
}

# "weir/gate.h: permits." is the title; what follows is the description.
function put_page(h,    title, text) {
    current = h
    split("", also)
    out = to "/" page[h] ".3"
    apart = 0
    text = opening[h]
    title = text
    if (match(text, /\n\n/)) {
        title = substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + 2)
    } else {
        text = ""
    }
    sub(/^[^:]*: */, "", title)
    gsub(/[ \n]+/, " ", title)
    sub(/\.? *$/, "", title)
    put(".\\\" Made from " path[h] " by support/man.awk.")
    put(".TH " toupper(page[h]) " 3 " date " \"Weir " version "\" \"Weir\"")
    put(".nh")
    put(".ad l")
    put(".SH NAME")
    put_names(h, title)
    put_synopsis(h)
    put(".SH DESCRIPTION")
    put_text(text == "" ? title "." : text, 0)
    put_types(h)
    put_functions(h)
    put_see_also(h)
    close(out)
}

END {
    for (h = 1; h <= headers; h++)
        put_page(h)
    for (i = 1; i <= items; i++) {
        if (kind[i] == "const" || name[i] in page_of)
            continue
        out = to "/" name[i] ".3"
        put(".so man3/" page[header_of[i]] ".3")
        close(out)
    }
}
