# symbols.awk: what programs are compiled against, one thing a line: its kind,
# its name and its shape, of the headers that are given. Names of parameters
# are left out: they may change.
#
#   function weir_gate_try int weir_gate_try(weir_gate_t, size_t)
#   constant WEIR_FILE_DONE 0
#   type weir_walk_t typedef struct weir_walk_s *weir_walk_t

FNR == 1 { text = in_comment = "" }

# Comments and what is for the preprocessor; of that, the constants.
{
    line = $0
    if (in_comment) {
        if (!sub(/.*\*\//, "", line))
            next
        in_comment = ""
    }
    gsub(/\/\*[^*]*\*\//, "", line)
    if (sub(/\/\*.*/, "", line))
        in_comment = "yes"
}

continued || line ~ /^#/ {
    if (!continued && line ~ /^#define WEIR_[A-Z_]+[ \t]+[^ \t]/ &&
        FILENAME !~ /(base|libdispatch)\.h$/) {
        name = line
        sub(/^#define /, "", name)
        sub(/[ \t].*/, "", name)
        sub(/^#define [A-Z_]+[ \t]+/, "", line)
        sub(/[ \t]+$/, "", line)
        if (name !~ /_H$/)
            print "constant " name " " line
    }
    continued = $0 ~ /\\$/
    next
}

line ~ /^WEIR_(BEGIN|END)_DECLS/ || line ~ /^[ \t]*$/ { next }

FILENAME ~ /libdispatch\.h$/ { next }

{
    text = text " " line
    depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
    if (depth == 0 && line ~ /;[ \t]*$/) {
        declaration(text)
        text = ""
    }
}

function declaration(text,    name) {
    gsub(/WEIR_(EXPORT|WARN_RESULT|NULLABLE|NONNULL|NOESCAPE)/, "", text)
    gsub(/[ \t]+/, " ", text)
    gsub(/ ?\* ?/, "*", text)
    gsub(/\( /, "(", text)
    gsub(/\(\^[a-z_]+\)/, "(^)", text)
    sub(/^ /, "", text)
    sub(/ ?;$/, "", text)
    if (text ~ /^typedef enum/) {
        constants(text)
        return
    }
    if (text ~ /^typedef/) {
        name = text
        if (match(name, /\(\*weir_[a-z0-9_]+\)/))
            name = substr(name, RSTART + 2, RLENGTH - 3)
        else
            sub(/.*[ *}]/, "", name)
        if (text !~ /\{/)
            text = without_names(text)
        print "type " name " " text
    } else if (match(text, /weir_[a-z0-9_]+\(/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        print "function " name " " without_names(text)
    }
}

function without_names(text,    done, word) {
    done = ""
    while (match(text, /[A-Za-z0-9_]+ [a-z_0-9]+[,)]|\*[a-z_0-9]+[,)]/)) {
        done = done substr(text, 1, RSTART - 1)
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        # "(*body)" is a name that does not stand last.
        if (word ~ /^\*/ && done ~ /\($/ && text ~ /^\(/)
            done = done "*)"
        else if (word ~ /^\*/)
            done = done "*" substr(word, length(word))
        else
            done = done substr(word, 1, index(word, " ") - 1) substr(word, length(word))
    }
    return done text
}

function constants(text,    count, members, i, name, value, next_value) {
    sub(/^[^{]*\{ ?/, "", text)
    sub(/,? ?\}.*/, "", text)
    count = split(text, members, ",")
    next_value = 0
    for (i = 1; i <= count; i++) {
        name = members[i]
        gsub(/ /, "", name)
        value = next_value
        if (index(name, "=")) {
            value = substr(name, index(name, "=") + 1)
            sub(/=.*/, "", name)
        }
        print "constant " name " " value
        next_value = value + 1
    }
}
