# Manual pages of section 3 from the text of headers: one for each comment with the functions declared below it, under the
# name of each; and ldpbench.3, which has all of it.
# usage: awk -v version=VERSION -v folder=FOLDER -f functions.awk HEADER...
function escaped(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return line ~ /^[.']/ ? "\\&" line : line
}

function example(block) {
    return block == "" ? "" : ".PP\n.nf\n.RS 4\n" block ".RE\n.fi\n"
}

# A comment without its stars; indented lines stay as they are.
function prose(comment,    line, i, n, out, block) {
    n = split(comment, line, "\n")
    for (i = 1; i < n; i++) {
        sub(/^ ?[\/*]\*? ?/, "", line[i])
        sub(/ *\*\/$/, "", line[i])
        if (line[i] ~ /^    /) {
            block = block escaped(substr(line[i], 5)) "\n"
            continue
        }
        out = out example(block) (block != "" || out == "" ? ".PP\n" : "")
        block = ""
        out = out (line[i] == "" ? ".PP\n" : escaped(line[i]) "\n")
    }
    out = out example(block)
    gsub(/(\.PP\n)+/, ".PP\n", out)
    sub(/\.PP\n$/, "", out)
    return out
}

function code(block,    line, i, n, out) {
    n = split(block, line, "\n")
    for (i = 1; i < n; i++)
        out = out escaped(line[i]) "\n"
    return example(out)
}

# The first sentence of a comment, for whatis.
function summary(text) {
    gsub(/\.(PP|RS 4|RE|nf|fi)\n/, "", text)
    gsub(/\n/, " ", text)
    sub(/[.:] .*|[.:; ]*$/, "", text)
    return text == "" ? title : text
}

function write_page(name, about, synopsis, text, also,    file) {
    file = folder "/" name[1] ".3"
    printf ".TH %s 3 \"\" \"ldpbench %s\" \"Library Functions\"\n.SH NAME\n", toupper(name[1]), version > file
    for (i = 1; i in name; i++)
        printf "%s%s", (i > 1 ? ", " : ""), name[i] > file
    printf " \\- %s\n.SH SYNOPSIS\n.B #include <%s>\n%s.PP\nLink with \\fI\\-lldpbench\\fR.\n", about, header, synopsis > file
    printf ".SH DESCRIPTION\n%s.SH SEE ALSO\n%s\n", text, also > file
    close(file)
}

# A comment and what is declared below it, up to an empty line.
function end_of_paragraph(    text, statement, name, names, n, i, at) {
    text = prose(comment)
    if (comment ~ /^\/\* ---- /) {
        title = comment
        gsub(/^\/\* -+ | -+ \*\/\n$/, "", title)
        all = all ".SS " title "\n"
        text = ""
    }
    all = all text code(below)
    at = below
    while (match(at, /[{][^{}]*[}]/))
        at = substr(at, 1, RSTART - 1) substr(at, RSTART + RLENGTH)
    gsub(/\/\*[^*]*\*\/|__attribute__ *\(\([a-z_]*(\([^()]*\))?\)\)/, "", at)
    n = split(at, statement, ";")
    for (i = 1; i <= n; i++)
        if (statement[i] !~ /static|typedef|#/ && match(statement[i], /^[^(]*ldp(bench)?_[a-z0-9_]*[(]/)) {
            name[++names] = substr(statement[i], 1, RLENGTH - 1)
            sub(/.*[^a-z0-9_]/, "", name[names])
        }
    if (names > 0)
        write_page(name, summary(text), code(below), text == "" ? escaped(title) ".\n" : text, "ldpbench(3)")
    for (i = 2; i <= names; i++) {
        print ".so man3/" name[1] ".3" > (folder "/" name[i] ".3")
        close(folder "/" name[i] ".3")
    }
    comment = below = ""
}

FNR == 1 {
    header = FILENAME
    sub(/.*\//, "", header)
    title = header
    if (NR == 1)
        first = header
    else
        end_of_paragraph()
    all = all ".SS " header "\n"
}
/^#(ifn?def|endif|define [A-Z_]*_H$|include "ldp)|^extern "C"/ || (/^}$/ && !opened) { next }
{
    opened += gsub(/[{]/, "{") - gsub(/[}]/, "}")
}
/^$/ && !opened && !inside {
    end_of_paragraph()
    next
}
below == "" && (inside || /^\/\*/) {
    inside = !/\*\//
    comment = comment $0 "\n"
    next
}
{ below = below $0 "\n" }
END {
    end_of_paragraph()
    header = first
    whole[1] = "ldpbench"
    write_page(whole, "frequency estimation under local differential privacy, the library", "", all, "ldpbench(1)")
}
