# From noise.csv to the layout of one picture, a panel for each cell: the histogram of the estimates' noise, the Gaussian
# of its moments and the predicted one (INFOCOM 2019, Figure 4). Writes OUT/noise.noise.gp, which noise.gp draws; more
# than twelve cells go on in OUT/noise-2.noise.gp, ...
#
#     awk -f text.awk -f noise.awk -v out=FOLDER noise.csv

function thousands(number,   text, digits) {
    for (digits = number; length(digits) > 3; digits = substr(digits, 1, length(digits) - 3))
        text = "," substr(digits, length(digits) - 2) text
    return digits text
}

# To three digits, or whole.
function number(x) { return x >= 1000 || x <= -1000 ? sprintf("%.0f", x) : sprintf("%.3g", x) }

FNR == 1 {
    if ($0 != "experiment,dataset,d,n,oracle,epsilon,repetitions,from,to,fraction,fraction_stderr,density,fitted_mean," \
        "fitted_mean_stderr,fitted_sd,fitted_sd_stderr,predicted_sd")
        fail("expected the columns of noise.csv")
    next
}

{
    split($0, field, ",")
    key = field[2] "," field[3] "," field[4] "," field[5] "," field[6]
    if (key != cell) {
        cell = key
        cells++
        experiment = field[1]
        repetitions = field[7]
        title[cells] = field[2] ", n = " thousands(field[4]) ", " toupper(field[5]) ", ε = " field[6]
        mean[cells] = field[13]
        sd[cells] = field[15]
        predicted[cells] = field[17]
        mean_text[cells] = "mean " number(field[13]) (field[14] == "" ? "" : " ± " number(field[14]))
        sd_text[cells] = "sd " number(field[15]) (field[16] == "" ? "" : " ± " number(field[16]))
        predicted_text[cells] = "sd " (field[17] >= 1000 ? sprintf("%.1f", field[17]) : number(field[17]))
    }
    if (field[12] != "")
        lines[cells] = lines[cells] sprintf("%.10g %s\n", (field[8] + field[9]) / 2, field[12])
}

function write_page(first, last, file,   i, n) {
    print "$data << EOD" > file
    for (i = first; i <= last; i++)
        printf "%s%s", lines[i], (i < last ? "\n\n" : "") > file
    printf "EOD\nheader = %s\nnote = %s\npanels = %d\n", quote(experiment), quote(repetitions " repetition" \
        (repetitions == 1 ? "" : "s") "; of all values' estimates, before any method"), last - first + 1 > file
    n = last - first + 1
    printf "array panel_title[%d]\narray mean[%d]\narray sd[%d]\narray predicted[%d]\n", n, n, n, n > file
    printf "array mean_text[%d]\narray sd_text[%d]\narray predicted_text[%d]\n", n, n, n > file
    for (i = 1; i <= n; i++) {
        printf "panel_title[%d] = %s\nmean[%d] = %s\nsd[%d] = %s\npredicted[%d] = %s\n", i, quote(title[first + i - 1]), i,
            mean[first + i - 1], i, sd[first + i - 1], i, predicted[first + i - 1] > file
        printf "mean_text[%d] = %s\nsd_text[%d] = %s\npredicted_text[%d] = %s\n", i, quote(mean_text[first + i - 1]), i,
            quote(sd_text[first + i - 1]), i, quote(predicted_text[first + i - 1]) > file
    }
    close(file)
}

END {
    for (first = 1; !failed && first <= cells; first += 12)
        write_page(first, first + 11 < cells ? first + 11 : cells,
            out "/noise" (first > 1 ? "-" (first + 11) / 12 : "") ".noise.gp")
}
