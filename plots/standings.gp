# standings.gp - regret and ranks of methods side by side: means as points, 95th percentiles as dashes, intervals. style.gp runs before it.
do for [p = 1:panels] {
    do for [n = 1:|$panel|] { eval $panel[n] }
    plot for [i = lines[p]:lines_end[p]] data index layer(i) using 1:2 with lines \
            dashtype dash[i] linewidth thickness[i] * pt linecolor rgb colour[i] notitle, \
        for [i = bars[p]:bars_end[p]] data index layer(i) using 1:(within($2)):(0):(within($3) - within($2)) \
            with vectors heads size screen 0.002, 90 linewidth thickness[i] * pt linecolor rgb colour[i] notitle, \
        for [i = points[p]:points_end[p]] data index layer(i) using 1:2 with points \
            pointtype point[i] pointsize size[i] * scale linewidth thickness[i] * pt \
            linecolor rgb colour[i] notitle
}
do for [k = 1:keys] { do for [n = 1:|$key|] { eval $key[n] } }
unset multiplot
