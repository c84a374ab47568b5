# map.gp - two swept keys: a box for each point, in the colour of the best, and lines between regions. style.gp runs before it.
do for [p = 1:panels] {
    do for [n = 1:|$panel|] { eval $panel[n] }
    plot for [i = boxes[p]:boxes_end[p]] data index layer(i) using 1:3:1:2:3:4:5 with boxxyerror \
            linecolor rgb variable notitle, \
        for [i = lines[p]:lines_end[p]] data index layer(i) using 1:2 with lines \
            dashtype dash[i] linewidth thickness[i] * pt linecolor rgb colour[i] notitle
}
do for [k = 1:keys] { do for [n = 1:|$key|] { eval $key[n] } }
unset multiplot
