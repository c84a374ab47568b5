# Histograms of noise with two Gaussians, a panel for each cell. Draws a layout of noise.awk. Columns of $data: middle of
# a bin, density.
load here . "/style.gp"
load layout
columns = panels < 3 ? panels : 3
rows = (panels + columns - 1) / columns
panel_width = columns == 1 ? 5.4 : 3.7
panel_height = 2.6
left = 0.75
top = 0.72
gap = 0.62
width = columns * panel_width + 0.1
height = top + rows * (panel_height + 0.1) + 0.25
eval terminal(width, height)
x0(c) = (c * panel_width + left) / width
x1(c) = ((c + 1) * panel_width - 0.1) / width
y1(r) = 1 - (top + r * (panel_height + 0.1)) / height
y0(r) = 1 - (top + r * (panel_height + 0.1) + panel_height - gap) / height
gauss(x, m, s) = s > 0 ? exp(-0.5 * ((x - m) / s) ** 2) / (s * sqrt(2 * pi)) : NaN

set multiplot
unset key
eval "set label 1 header at screen 0.5, screen 1 - 0.15 / height center noenhanced " . large
set label 2 note at screen 0.5, screen 1 - 0.34 / height center noenhanced textcolor rgb "#555555"
set style fill solid noborder
set samples 400
set yrange [0:*]
do for [p = 1:panels] {
    r = (p - 1) / columns
    c = (p - 1) % columns
    set lmargin at screen x0(c)
    set rmargin at screen x1(c)
    set tmargin at screen y1(r)
    set bmargin at screen y0(r)
    set title panel_title[p] noenhanced offset 0, -0.6
    set xlabel (p + columns > panels) ? "noise of an estimate in users" : "" offset 0, 0.4
    set ylabel (c == 0) ? "density" : "" offset 0.3, 0
    reach = predicted[p] > 0 ? 4.5 * predicted[p] : 10
    set xrange [-reach:reach]
    unit = 10 ** floor(log10(reach))
    set xtics reach < 2.5 * unit ? unit : reach < 5 * unit ? 2 * unit : 4 * unit
    set format x reach >= 10000 ? "%.0s%c" : "%.10g"
    set format y "%.0t·10^{%T}"
    top_density = predicted[p] > 0 ? 0.42 / predicted[p] : 1
    unit = 10 ** floor(log10(top_density))
    set ytics top_density < 2.5 * unit ? 0.5 * unit : unit
    set ytics add ("0" 0)
    m = mean[p]
    s = sd[p]
    s0 = predicted[p]
    set label 3 "fitted:" at graph 0.02, graph 0.95 noenhanced
    set label 4 mean_text[p] at graph 0.02, graph 0.88 noenhanced
    set label 5 sd_text[p] at graph 0.02, graph 0.81 noenhanced
    set label 6 "predicted:" at graph 0.98, graph 0.95 right noenhanced
    set label 7 predicted_text[p] at graph 0.98, graph 0.88 right noenhanced
    plot $data index p - 1 using 1:2 with boxes linecolor rgb "#b8d4ea", \
         gauss(x, m, s) with lines linecolor rgb "#d55e00" linewidth 1.6, \
         gauss(x, 0, s0) with lines linecolor rgb "black" dashtype 2 linewidth 1.4
    unset label 1
    unset label 2
}
unset label
unset border
unset tics
unset grid
unset title
set xlabel ""
set ylabel ""
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0.04 / height
set tmargin at screen 0.21 / height
set key inside center center horizontal maxrows 1 Left reverse noenhanced samplen 2.6 width -2
plot NaN with boxes linecolor rgb "#b8d4ea" title "histogram", \
     NaN with lines linecolor rgb "#d55e00" linewidth 1.6 title "fitted Gaussian", \
     NaN with lines linecolor rgb "black" dashtype 2 linewidth 1.4 title "predicted Gaussian"
unset multiplot
