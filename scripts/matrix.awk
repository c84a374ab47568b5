# matrix.awk - a Markdown table of texts by row and column, in the order in which put() has them; head: the titles of the
# row's parts. Scripts put it before their own lines of awk, in which column["NAME"] is the place of a CSV's column.
function put(row, title, text) {
    if (!(row in has_row)) { has_row[row] = 1; rows[++nrows] = row }
    if (!(title in has_title)) { has_title[title] = 1; titles[++ntitles] = title }
    of[row, title] = text
}
END {
    rule = head; gsub(/[^|]+/, "---", rule)
    printf "| %s", head
    for (i = 1; i <= ntitles; i++) printf " | %s", titles[i]
    printf " |\n|%s", rule
    for (i = 1; i <= ntitles; i++) printf "|---"
    print "|"
    for (r = 1; r <= nrows; r++) {
        printf "| %s", rows[r]
        for (i = 1; i <= ntitles; i++) printf " | %s", of[rows[r], titles[i]]
        print " |"
    }
}
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
