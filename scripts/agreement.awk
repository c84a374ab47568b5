# What the pages of agreement have in common: numbers as text, the table of reasons, the names of columns. Read before
# reproduction*.awk.

function abs(x) { return x < 0 ? -x : x }
function square(x) { return x * x }
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }

function thousands(x,   text, digits) {
    for (digits = sprintf("%.0f", abs(x)); length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    text = digits text
    return x < 0 && text != "0" ? "-" text : text
}

# Lines of a table of reasons; what its columns mean is each page's.
table == "reasons" {
    if (!/^#/ && NF) {
        split($0, field, "\t")
        nreasons++
        reason_id[nreasons] = field[1]
        reason_data[nreasons] = field[2]
        reason_when[nreasons] = field[3]
        reason_text[nreasons] = field[4]
    }
    next
}

table != "anchors" && FNR == 1 {
    split("", column)
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
