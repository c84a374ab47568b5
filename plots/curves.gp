# Errors over a swept variable, one curve a method, with error bars. Draws a layout of curves.awk.
load here . "/style.gp"
load layout
panel_width = columns == 1 ? 5.4 : 3.7
panel_height = 2.45 + 0.1 * bottom
left = 0.75
top = 0.72
gap = 0.62 + 0.1 * bottom
width = columns * panel_width + 0.1
height = top + rows * (panel_height + 0.1) + 0.17 * keyrows
eval terminal(width, height)
x0(c) = (c * panel_width + left) / width
x1(c) = ((c + 1) * panel_width - 0.05) / width
y1(r) = 1 - (top + r * (panel_height + 0.1)) / height
y0(r) = 1 - (top + r * (panel_height + 0.1) + panel_height - gap) / height

set multiplot
unset key
eval "set label 1 header at screen 0.5, screen 1 - 0.15 / height center noenhanced " . large
set label 2 note at screen 0.5, screen 1 - 0.34 / height center noenhanced textcolor rgb "#555555"
set xrange [xlow:xhigh]
if (ylog) { set logscale y }
do for [p = 1:panels] {
    r = (p - 1) / columns
    c = (p - 1) % columns
    set lmargin at screen x0(c)
    set rmargin at screen x1(c)
    set tmargin at screen y1(r)
    set bmargin at screen y0(r)
    set title panel_title[p] noenhanced offset 0, -0.6
    set xlabel (p + columns > panels) ? xtitle : "" offset 0, 0.4
    set ylabel (c == 0) ? ytitle : "" offset 0.8, 0
    set yrange [ylow[p]:yhigh[p]]
    if (strlen(ytics[p])) { eval "set ytics (" . ytics[p] . ")" } else { set ytics autofreq }
    unset arrow
    if (strlen(mark[p])) {
        set arrow 1 from real(mark[p]), graph 0 to real(mark[p]), graph 1 nohead dashtype 2 linecolor rgb "#333333"
    }
    if (last[p] < first[p]) {
        plot NaN
    } else {
        if (selection) {
            plot for [i = first[p]:last[p]] $data index i - 1 using 1:2:3:4 with yerrorbars linestyle curve_look[i] \
                     dashtype solid linewidth 0.8, \
                 for [i = first[p]:last[p]] $data index i - 1 using 1:5 with lines linestyle curve_look[i]
        } else {
            plot for [i = first[p]:last[p]] $data index i - 1 using 1:3:(0):($4 - $3) \
                     with vectors heads size graph 0.008,90 linestyle curve_look[i] dashtype solid linewidth 1, \
                 for [i = first[p]:last[p]] $data index i - 1 using 1:2 with linespoints linestyle curve_look[i]
        }
    }
    unset label 1
    unset label 2
}
# Legends: one under each column, or one for all.
unset arrow
unset border
unset tics
unset grid
unset title
unset logscale
set xlabel ""
set ylabel ""
set xrange [0:1]
set yrange [0:1]
do for [c = 1:keyrows > 0 ? legends : 0] {
    p = panels - columns + c
    if (legends == 1) { p = 1 }
    set lmargin at screen legends > 1 ? x0(c - 1) : 0
    set rmargin at screen legends > 1 ? x1(c - 1) : 1
    set bmargin at screen 0.04 / height
    set tmargin at screen (0.04 + 0.17 * keyrows) / height
    set key inside center center horizontal maxcols keycolumns Left reverse noenhanced \
        samplen 2.4 spacing 0.95 width 0.5
    plot for [i = first[p]:last[p]] NaN with linespoints linestyle curve_look[i] title curve_title[i]
}
unset multiplot
