# values.gp - estimates, biases or variances of all values by rank, with bands of two standard errors. style.gp runs before it.
do for [p = 1:panels] {
    do for [n = 1:|$panel|] { eval $panel[n] }
    plot for [i = bands[p]:bands_end[p]] data index layer(i) using 1:(within($2)):(within($3)) \
            with filledcurves linecolor rgb colour[i] notitle, \
        for [i = lines[p]:lines_end[p]] data index layer(i) using 1:2 with lines \
            dashtype dash[i] linewidth thickness[i] * pt linecolor rgb colour[i] notitle, \
        for [i = points[p]:points_end[p]] data index layer(i) using 1:2 with points \
            pointtype point[i] pointsize size[i] * scale linewidth thickness[i] * pt \
            linecolor rgb colour[i] notitle
}
do for [k = 1:keys] { do for [n = 1:|$key|] { eval $key[n] } }
unset multiplot
