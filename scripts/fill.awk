# A page with its parts: the text between the lines `<!-- NAME -->` and `<!-- /NAME -->` becomes the file NAME of the
# folder `parts`, where there is such a file. The words of a sentence between `<!--=NAME-->` and `<!--/-->` become what a
# line NAME TAB TEXT of the file `values` there says; a page that names another is an error.
BEGIN {
    while ((getline line < (parts "/values")) > 0)
        value[substr(line, 1, index(line, "\t") - 1)] = substr(line, index(line, "\t") + 1)
}
function filled(rest,    text, name) {
    text = ""
    while (match(rest, /<!--=[a-z0-9_]+-->/)) {
        name = substr(rest, RSTART + 5, RLENGTH - 8)
        if (!(name in value) || !index(rest, "<!--/-->")) {
            print FILENAME ":" FNR ": no value \"" name "\", or no end of it on this line" >"/dev/stderr"
            exit 1
        }
        text = text substr(rest, 1, RSTART + RLENGTH - 1) value[name] "<!--/-->"
        rest = substr(rest, index(rest, "<!--/-->") + 8)
    }
    return text rest
}
/^<!-- [a-z]+ -->$/ {
    print
    if ((getline line < (parts "/" $2)) > 0) {
        inside = 1
        print ""
        do
            print line
        while ((getline line < (parts "/" $2)) > 0)
        print ""
    }
    next
}
/^<!-- \/[a-z]+ -->$/ { inside = 0 }
!inside { print filled($0) }
