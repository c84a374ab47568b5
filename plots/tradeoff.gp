# tradeoff.gp - an error against its price, one mark for each oracle. style.gp runs before it.
do for [p = 1:panels] {
    do for [n = 1:|$panel|] { eval $panel[n] }
    plot for [i = points[p]:points_end[p]] data index layer(i) using 1:2 with points \
            pointtype point[i] pointsize size[i] * scale linewidth thickness[i] * pt \
            linecolor rgb colour[i] notitle
}
do for [k = 1:keys] { do for [n = 1:|$key|] { eval $key[n] } }
unset multiplot
