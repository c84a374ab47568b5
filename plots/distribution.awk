# From values.csv of the oracle `exact` to the layout of a picture, a panel for each dataset: what fraction of values has
# each count (INFOCOM 2019, Figure 3). Writes OUT/distribution.distribution.gp, which distribution.gp draws; nothing where
# there is no such oracle.
#
#     awk -f text.awk -f distribution.awk -v out=FOLDER values.csv

function thousands(number,   text, digits) {
    for (digits = number; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    return digits text
}

FNR == 1 {
    if ($0 != "experiment,dataset,d,n,oracle,epsilon,method,rank,value,count,mean,bias,variance")
        fail("expected the columns of values.csv")
    next
}

# A value may hold commas, so what follows it is counted from the end.
{
    m = split($0, field, ",")
    if (field[5] != "exact")
        next
    key = field[2] "," field[3] "," field[4]
    if (!(key in series)) {
        panels++
        series[key] = field[6] "," field[7]
        title[panels] = field[2] ", d = " thousands(field[3]) ", n = " thousands(field[4])
        d[panels] = field[3]
        experiment = field[1]
        nobody[panels] = 0
        count = ""
    }
    if (series[key] != field[6] "," field[7])
        next
    # Values come in order of their counts.
    if (field[m - 3] != count) {
        count = field[m - 3]
        many[panels, ++counts[panels]] = 0
        of[panels, counts[panels]] = count
    }
    many[panels, counts[panels]]++
    if (count == 0)
        nobody[panels]++
}

END {
    if (failed || !panels)
        exit failed ? 2 : 0
    file = out "/distribution.distribution.gp"
    print "$data << EOD" > file
    for (i = 1; i <= panels; i++) {
        for (k = 1; k <= counts[i]; k++)
            if (of[i, k] > 0) {
                printf "%s %.10g\n", of[i, k], many[i, k] / d[i] > file
                if (!(i in least) || many[i, k] < least[i])
                    least[i] = many[i, k]
                if (many[i, k] > greatest[i])
                    greatest[i] = many[i, k]
            }
        printf "# end\n%s", (i < panels ? "\n\n" : "") > file
    }
    printf "EOD\nheader = %s\npanels = %d\narray panel_title[%d]\narray nobody[%d]\n", quote(experiment), panels, panels,
        panels > file
    printf "array most[%d]\narray rarest[%d]\narray commonest[%d]\n", panels, panels, panels > file
    for (i = 1; i <= panels; i++) {
        printf "panel_title[%d] = %s\nnobody[%d] = %s\n", i, quote(title[i]), i,
            quote(nobody[i] ? thousands(nobody[i]) " values held by nobody" : "") > file
        printf "most[%d] = %s\nrarest[%d] = %.10g\ncommonest[%d] = %.10g\n", i, of[i, 1], i, least[i] / d[i], i,
            greatest[i] / d[i] > file
    }
}
