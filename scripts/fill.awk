# A page with its parts: the text between the lines `<!-- NAME -->` and `<!-- /NAME -->` becomes the file NAME of the
# folder `parts`, where there is such a file.
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
!inside { print }
