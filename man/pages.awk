# What the program explains, as roff: the sections of ldpbench.1 on commands, from `ldpbench help COMMAND` of each, or with
# config=1 ldpbench-config.5, from `ldpbench list config --format md`.
# usage: awk [-v config=1] -f pages.awk TEXT
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# Code in backticks is bold; no line begins a request.
function inline(text,    i, n, part, out) {
    n = split(escaped(text), part, "`")
    for (i = 1; i <= n; i++)
        out = out (i == 1 ? "" : i % 2 ? "\\fR" : "\\fB") part[i]
    return out ~ /^[.']/ ? "\\&" out : out
}

# A paragraph, with a line for each sentence.
function sentences(text) {
    text = escaped(text)
    while (match(text, /\. [A-Z]/))
        text = substr(text, 1, RSTART) "\n" substr(text, RSTART + 2)
    return text
}

# -o, --output DIR; --format text|md: what is typed is bold, a value in capitals in italics.
function option(text,    i, n, word, out) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        sub(/,$/, "\\fR,", word[i])
        gsub(/-/, "\\-", word[i])
        gsub(/\|/, word[i] ~ /^[a-z]/ ? "\\fR|\\fB" : "|", word[i])
        if (word[i] !~ /^\[OPTION|^\|/)
            word[i] = (word[i] ~ /^[\\a-z]/ ? "\\fB" : "\\fI") word[i] "\\fR"
        out = out (i == 1 ? "" : " ") word[i]
    }
    gsub(/,\\fR/, ",", out)
    return out
}

function flush() {
    if (text != "")
        body = body sentences(text) "\n"
    text = ""
}

# A row of the keys of a config: name, value, default, meaning, example.
function key(line,    cell, fallback) {
    gsub(/\\\|/, "\001", line)
    split(line, cell, / *\| /)
    gsub(/\001/, "|", cell[2])
    gsub(/\001/, "|", cell[3])
    gsub(/\001/, "|", cell[5])
    gsub(/\001/, "|", cell[6])
    sub(/ *\|$/, "", cell[6])
    fallback = cell[4] == "" || cell[4] == "must be given" ? cell[4] : "default " cell[4]
    printf ".TP\n%s\n%s.\nIt is %s%s.\n", inline(cell[2]), inline(cell[5]), inline(cell[3]),
        fallback == "" ? "" : "; " inline(fallback)
    if (cell[6] != "")
        printf "Example: %s.\n", inline(cell[6])
}

BEGIN {
    if (config)
        printf "%s", ".\\\" made by: sh scripts/generated.sh\n.TH LDPBENCH\\-CONFIG 5 \"\" \"ldpbench\" \"File Formats\"\n.SH NAME\n" \
            "ldpbench\\-config \\- keys of a config of ldpbench\n.SH EXAMPLES\n.nf\nldpbench init survey.csv\n" \
            "ldpbench run survey.json\n.fi\n.SH DESCRIPTION\n"
}
config && /^###? / {
    print ($1 == "##" ? ".SH " : ".SS ") inline(substr($0, length($1) + 2))
    before = ".PP\n"
    next
}
config && /^\| `/ { key($0); next }
config {
    if (started && !/^\||^$/) {
        print before inline($0)
        before = ""
    }
    started = started || /^Which keys/
    next
}
/^ldpbench .*\[OPTION\]/ {
    flush()
    usage = usage ".HP\n" option($0) "\n"
    body = body ".SS " $2 "\n"
    last = "head"
    next
}
/^$/ {
    flush()
    last = last == "head" ? "first" : "text"
    next
}
/^  ldpbench / { body = body ".IP\n\\fB" escaped(substr($0, 3)) "\\fR\n"; next }
/^  -/ {
    flush()
    match($0 "  ", /[^ ]  /)
    body = body ".TP\n" option(substr($0, 3, RSTART - 2)) "\n"
    text = substr($0, RSTART + 1)
    sub(/^ +/, "", text)
    last = "option"
    next
}
{
    sub(/^ +/, "")
    if (text == "" && last == "text")
        body = body ".PP\n"
    text = text (text == "" ? "" : " ") $0
}
END {
    if (config)
        print ".SH SEE ALSO\n.BR ldpbench (1)"
    flush()
    if (!config)
        printf ".SH SYNOPSIS\n%s.HP\n\\fBldpbench\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.HP\n\\fBldpbench help\\fR [\\fICOMMAND\\fR]\n" \
            ".HP\n\\fBldpbench \\-\\-version\\fR\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n%s", usage,
            sentences("A config names datasets, frequency oracles, privacy budgets, post-processing methods and queries. " \
            "ldpbench run simulates the collection of every combination many times and writes tables of mean squared error " \
            "with their uncertainty. The same config and seed give byte-identical tables on any machine and with any number " \
            "of threads. Where a config or a file of data is named, - is standard input."), body
}
