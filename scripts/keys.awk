# The keys of a config for docs/reference.md, from `ldpbench list config --format md`: without examples, which are in the manual,
# and with one table for all objects of a section, where rows that several have are one.
function flush(    i, head) {
    if (rows) {
        print "| of | key | value | default | meaning |"
        print "|---|---|---|---|---|"
        for (i = 1; i <= rows; i++)
            print "| " owners[order[i]] " | " order[i] " |"
        print ""
    }
    for (i in owners)
        delete owners[i]
    rows = 0
    owner = ""
}
function without_example(line) {
    # The last cell begins behind the last bar that is neither escaped nor the end of the line.
    sub(/ \|$/, "", line)
    while (match(line, /\\\|/))
        line = substr(line, 1, RSTART - 1) "\001" substr(line, RSTART + 2)
    sub(/ \| [^|]*$/, "", line)
    gsub("\001", "\\|", line)
    return line
}
/^## / {
    flush()
    started = 1
}
!started { next }
/^### / {
    owner = substr($0, 5)
    next
}
/^\| key \|.*\| example \|$/ {
    cut = 1
    if (owner == "") {
        print "| key | value | default | meaning |"
        print "|---|---|---|---|"
    }
    next
}
/^\|---/ { next }
/^\| / && cut {
    row = without_example($0)
    if (owner == "")
        print row " |"
    else {
        row = substr(row, 3)
        if (!(row in owners))
            order[++rows] = row
        owners[row] = owners[row] (owners[row] == "" ? "" : ", ") owner
    }
    next
}
/^$/ {
    cut = 0
    if (owner == "")
        print
    next
}
{ print (owner == "" ? "" : owner ": ") $0 (owner == "" ? "" : "\n") }
END { flush() }
