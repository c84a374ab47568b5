# From values.csv to the layouts of three pictures for each cell, a panel a method: mean estimate, bias and variance of
# every value (NDSS 2020, Figures 1 to 3). Reads methods.tsv, bias_sums.csv and values.csv; writes
# OUT/mean.values.gp, OUT/bias.values.gp and OUT/variance.values.gp, numbered where there are several cells.
#
#     awk -f text.awk -f values.awk -v out=FOLDER methods.tsv bias_sums.csv values.csv
#
# Of more than 2000 values the first 200 ranks and an even choice of the rest are drawn. The oracle `exact` has no errors
# to show.

function floor(x) { return x >= 0 || x == int(x) ? int(x) : int(x) - 1 }
function log10(x) { return log(x) / log(10) }

function printed(id, plain) {
    plain = id
    sub(/\(.*/, "", plain)
    return (plain in name_of ? name_of[plain] : plain) substr(id, length(plain) + 1)
}

function thousands(number,   text, digits, sign) {
    sign = number ~ /^-/ ? "-" : ""
    sub(/^-/, "", number)
    if (length(number) < 5)
        return sign number
    for (digits = number; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    return sign digits text
}

# Whole numbers; a minus of nothing is nothing.
function whole(x,   text) {
    text = sprintf("%.0f", x)
    return text == "-0" ? "0" : thousands(text)
}

FILENAME != file {
    file = FILENAME
    nfile++
}

nfile == 1 {
    split($0, field, "\t")
    if (!/^#/ && NF && field[1] != "*")
        name_of[field[1]] = field[2]
    next
}

FNR == 1 {
    expected = "experiment,dataset,d,n,oracle,epsilon,method," \
        (nfile == 2 ? "repetitions,bias_sum,stderr" : "rank,value,count,mean,bias,variance")
    if ($0 != expected)
        fail("expected columns " expected)
    next
}

nfile == 2 {
    split($0, field, ",")
    if (field[5] == "exact")
        next
    key = field[2] "," field[3] "," field[4] "," field[5] "," field[6]
    repetitions = field[8]
    bias_sum[key, field[7]] = field[9]
    bias_error[key, field[7]] = field[10]
    cells += !(key in cell_seen)
    cell_seen[key] = 1
    next
}

# A value may hold commas, so what follows it is counted from the end.
{
    m = split($0, field, ",")
    if (field[5] == "exact")
        next
    key = field[2] "," field[3] "," field[4] "," field[5] "," field[6]
    if (key != cell) {
        write_cell()
        cell = key
        ncells++
        npanels = 0
        header = field[1] ": " field[2] ", d = " thousands(field[3]) ", n = " thousands(field[4]) ", " \
            toupper(field[5]) ", ε = " field[6]
        note = repetitions " repetition" (repetitions == 1 ? "" : "s")
        d = field[3]
        users = field[4]
        lowest = users
    }
    if (npanels == 0 || field[7] != method[npanels]) {
        method[++npanels] = field[7]
        lines[npanels] = ""
    }
    rank = field[8]
    if (d > 2000 && rank > 200 && rank != d && rank % (1 + int(d / 1800)))
        next
    count = field[m - 3]
    variance = field[m]
    if (count > 0 && count < lowest)
        lowest = count
    error = variance == "" || repetitions < 2 ? "NaN" : sqrt(variance / repetitions)
    # The standard error of a variance, as of a normal variable.
    lines[npanels] = lines[npanels] sprintf("%s %s %s %s %.8g %.8g\n", rank, count, field[m - 2], field[m - 1],
        error, variance == "" ? "NaN" : variance / users)
}

function write_cell(   i, suffix, kinds, n, k, file) {
    if (!npanels)
        return
    suffix = cells > 1 ? "-" ncells : ""
    n = split("mean bias variance", kinds, " ")
    for (k = 1; k <= n; k++) {
        file = out "/" kinds[k] suffix ".values.gp"
        print "$data << EOD" > file
        for (i = 1; i <= npanels; i++)
            printf "%s%s", lines[i], (i < npanels ? "\n\n" : "") > file
        print "EOD" > file
        printf "kind = \"%s\"\nheader = %s\nnote = %s\npanels = %d\nd = %d\nrepetitions = %d\n", kinds[k],
            quote(header), quote(note), npanels,
            d, repetitions > file
        # A decade of room below the least count.
        printf "lowest = 1e%d\nhighest = 1e%d\narray panel_title[%d]\n", floor(log10(lowest)) - 1,
            floor(log10(users * 0.999999)) + 1, npanels > file
        for (i = 1; i <= npanels; i++) {
            text = printed(method[i])
            if (kinds[k] == "bias")
                text = text ", sum " whole(bias_sum[cell, method[i]]) (bias_error[cell, method[i]] == "" ? "" : \
                    " ± " whole(bias_error[cell, method[i]]))
            printf "panel_title[%d] = %s\n", i, quote(text) > file
        }
        close(file)
    }
}

END {
    if (!failed)
        write_cell()
}
