# What fraction of values has each count, on logarithmic axes; a panel for each dataset. Draws a layout of
# distribution.awk. Columns of $data: count, fraction of values.
load here . "/style.gp"
load layout
columns = panels < 3 ? panels : 3
rows = (panels + columns - 1) / columns
panel_width = columns == 1 ? 5.4 : 4.4
panel_height = 2.6
left = 0.75
top = 0.72
gap = 0.45
width = columns * panel_width + 0.1
height = top + rows * (panel_height + 0.1)
eval terminal(width, height)
x0(c) = (c * panel_width + left) / width
x1(c) = ((c + 1) * panel_width - 0.1) / width
y1(r) = 1 - (top + r * (panel_height + 0.1)) / height
y0(r) = 1 - (top + r * (panel_height + 0.1) + panel_height - gap) / height

set multiplot
unset key
eval "set label 1 header at screen 0.5, screen 1 - 0.15 / height center noenhanced " . large
set label 2 "true counts, nothing collected" at screen 0.5, screen 1 - 0.34 / height center noenhanced textcolor rgb "#555555"
set logscale xy
set format x "10^{%T}"
set format y "10^{%T}"
do for [p = 1:panels] {
    r = (p - 1) / columns
    c = (p - 1) % columns
    set lmargin at screen x0(c)
    set rmargin at screen x1(c)
    set tmargin at screen y1(r)
    set bmargin at screen y0(r)
    set title panel_title[p] noenhanced offset 0, -0.6
    set xlabel (p + columns > panels) ? "users of a value" : "" offset 0, 0.4
    set ylabel (c == 0) ? "fraction of values" : "" offset 0.3, 0
    set label 3 nobody[p] at graph 0.98, graph 0.94 right noenhanced
    set xrange [0.8:most[p] * 1.6]
    set yrange [rarest[p] / 1.6:commonest[p] * 1.6]
    plot $data index p - 1 using 1:2 with points pointtype 6 pointsize 0.8 * pointscale linecolor rgb "#0072b2"
    unset label 1
    unset label 2
}
unset multiplot
